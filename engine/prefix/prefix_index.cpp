#include "engine/prefix/prefix_index.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/check.h"

namespace lacuna {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

std::size_t commonStart(std::span<const TokenId> a, std::span<const TokenId> b) {
    const auto [end, other] = std::ranges::mismatch(a, b);
    return static_cast<std::size_t>(end - a.begin());
}

}  // namespace

struct PrefixIndex::Node {
    std::vector<TokenId> edge;  ///< edge label from the parent; empty for the root
    Node* parent = nullptr;
    std::map<TokenId, std::unique_ptr<Node>> children;  ///< keyed by the first token of their edge
    std::optional<PrefixId> id;                         ///< the text that ends here
    std::int64_t length = 0;                            ///< number of tokens from the root
    std::int64_t shortest = kNever;       ///< shortest truncated length of the text that ends here
    std::int64_t shortestBelow = kNever;  ///< minimum over this text and all texts below

    void refresh() {
        shortestBelow = shortest;
        for (const auto& [token, child] : children)
            shortestBelow = std::min(shortestBelow, child->shortestBelow);
    }
    [[nodiscard]] std::int64_t bytes() const {
        // A node, its entry in the parent's map and its tokens.
        constexpr std::int64_t kMapNode = 48;
        return static_cast<std::int64_t>(sizeof(Node)) + kMapNode +
               static_cast<std::int64_t>(edge.capacity() * sizeof(TokenId));
    }
};

/// Result of following tokens down the tree.
struct PrefixIndex::Walk {
    Node* node = nullptr;   ///< last node whose edge was followed, fully or in part
    std::size_t taken = 0;  ///< tokens matched on its edge
    std::size_t depth = 0;  ///< tokens matched in total
};

PrefixIndex::PrefixIndex() : root_(std::make_unique<Node>()) {}
PrefixIndex::~PrefixIndex() = default;

PrefixIndex::Walk PrefixIndex::walk(std::span<const TokenId> tokens) const {
    Walk at{.node = root_.get()};
    while (at.depth < tokens.size() && at.taken == at.node->edge.size()) {
        const auto next = at.node->children.find(tokens[at.depth]);
        if (next == at.node->children.end()) break;
        at.node = next->second.get();
        at.taken = commonStart(at.node->edge, tokens.subspan(at.depth));
        at.depth += at.taken;
    }
    return at;
}

/// Updates the shortest lengths from here to the root.
void PrefixIndex::changed(Node& node, std::int64_t bytesBefore) {
    bytes_ += node.bytes() - bytesBefore;
    for (Node* up = &node; up != nullptr; up = up->parent) up->refresh();
}

bool PrefixIndex::insert(std::span<const TokenId> tokens, std::int64_t shortest, PrefixId id) {
    LACUNA_REQUIRE(!tokens.empty(), "a stored text has tokens");
    LACUNA_REQUIRE(shortest >= 0 && shortest <= static_cast<std::int64_t>(tokens.size()),
                   "a text is cut back to a part of itself");
    const Walk at = walk(tokens);
    Node* node = at.node;
    if (at.taken < node->edge.size()) {  // split the edge where the tokens diverge
        auto upper = std::make_unique<Node>();
        Node& parent = *node->parent;
        std::unique_ptr<Node>& place = parent.children.at(node->edge.front());
        const std::int64_t before = node->bytes();
        const auto cut = node->edge.begin() + static_cast<std::ptrdiff_t>(at.taken);
        upper->edge.assign(node->edge.begin(), cut);
        upper->parent = &parent;
        upper->length = static_cast<std::int64_t>(at.depth);
        std::unique_ptr<Node> lower = std::move(place);
        lower->edge = std::vector<TokenId>(cut, lower->edge.end());
        lower->parent = upper.get();
        bytes_ += lower->bytes() - before;
        node = upper.get();
        upper->children.emplace(lower->edge.front(), std::move(lower));
        place = std::move(upper);
        changed(*node, 0);
    }
    if (at.depth < tokens.size()) {
        const auto rest = tokens.subspan(at.depth);
        auto leaf = std::make_unique<Node>();
        leaf->edge.assign(rest.begin(), rest.end());
        leaf->parent = node;
        leaf->length = static_cast<std::int64_t>(tokens.size());
        Node* const made = leaf.get();
        node->children.emplace(rest.front(), std::move(leaf));
        node = made;
        bytes_ += node->bytes();
    }
    if (node->id) return false;
    node->id = id;
    node->shortest = shortest;
    ++size_;
    changed(*node, node->bytes());
    return true;
}

bool PrefixIndex::erase(std::span<const TokenId> tokens) {
    const Walk at = walk(tokens);
    Node* node = at.node;
    if (at.depth != tokens.size() || at.taken != node->edge.size() || !node->id) return false;
    node->id.reset();
    node->shortest = kNever;
    --size_;
    // Merge nodes that neither terminate a text nor branch.
    while (node->parent != nullptr && !node->id && node->children.empty()) {
        Node& parent = *node->parent;
        bytes_ -= node->bytes();
        parent.children.erase(node->edge.front());
        node = &parent;
    }
    if (node->parent != nullptr && !node->id && node->children.size() == 1) {
        std::unique_ptr<Node> only = std::move(node->children.begin()->second);
        bytes_ -= node->bytes() + only->bytes();
        only->edge.insert(only->edge.begin(), node->edge.begin(), node->edge.end());
        only->parent = node->parent;
        bytes_ += only->bytes();
        Node* const kept = only.get();
        node->parent->children.at(kept->edge.front()) = std::move(only);
        node = kept;
    }
    changed(*node, node->bytes());
    return true;
}

std::optional<PrefixId> PrefixIndex::find(std::span<const TokenId> tokens) const {
    const Walk at = walk(tokens);
    if (at.depth != tokens.size() || at.taken != at.node->edge.size()) return std::nullopt;
    return at.node->id;
}

std::vector<PrefixId> PrefixIndex::startsOf(std::span<const TokenId> tokens) const {
    std::vector<PrefixId> found;
    const Walk at = walk(tokens);
    const bool whole = at.taken == at.node->edge.size() && at.depth < tokens.size();
    for (const Node* node = whole ? at.node : at.node->parent; node != nullptr; node = node->parent)
        if (node->id) found.push_back(*node->id);
    std::ranges::reverse(found);
    return found;
}

std::optional<PrefixHit> PrefixIndex::longest(std::span<const TokenId> tokens,
                                              std::int64_t most) const {
    const Walk at = walk(tokens);
    auto depth = static_cast<std::int64_t>(at.depth);
    const Node* node = at.node;
    // Texts that diverge after `most` tokens match as well as any, so start at the node that covers
    // `most`.
    while (node->parent != nullptr && node->parent->length >= most) node = node->parent;
    // Walk up from the point of divergence: all texts below a node share its tokens with the new
    // text.
    for (; node->parent != nullptr; node = node->parent) {
        const std::int64_t usable = std::min(depth, most);
        depth = node->parent->length;
        if (usable < 1 || node->shortestBelow > usable) continue;
        const Node* best = nullptr;
        std::vector<const Node*> open{node};
        while (!open.empty()) {
            const Node* one = open.back();
            open.pop_back();
            if (one->shortestBelow > usable || (best != nullptr && one->length >= best->length))
                continue;
            if (one->id && one->shortest <= usable && one->length >= usable) best = one;
            for (const auto& [token, child] : one->children) open.push_back(child.get());
        }
        if (best != nullptr)
            return PrefixHit{.id = *best->id, .usable = usable, .length = best->length};
    }
    return std::nullopt;
}

std::int64_t PrefixIndex::common(std::span<const TokenId> tokens) const {
    return static_cast<std::int64_t>(walk(tokens).depth);
}

std::optional<PrefixId> PrefixIndex::nearest(std::span<const TokenId> tokens) const {
    const Walk at = walk(tokens);
    if (at.depth == 0) return std::nullopt;
    const Node* node = at.node;
    while (!node->id) node = node->children.begin()->second.get();
    return node->id;
}

void PrefixIndex::checkInvariants() const {
    std::size_t texts = 0;
    std::int64_t bytes = 0;
    std::vector<const Node*> open{root_.get()};
    while (!open.empty()) {
        const Node* node = open.back();
        open.pop_back();
        const bool root = node->parent == nullptr;
        LACUNA_REQUIRE(root == node->edge.empty(), "edges have tokens");
        LACUNA_REQUIRE(root || node->id || node->children.size() > 1, "no redundant node");
        LACUNA_REQUIRE(node->id.has_value() == (node->shortest != kNever), "a text can be cut");
        const std::int64_t above = root ? 0 : node->parent->length;
        LACUNA_REQUIRE(node->length == above + static_cast<std::int64_t>(node->edge.size()),
                       "lengths add up");
        std::int64_t least = node->shortest;
        for (const auto& [token, child] : node->children) {
            LACUNA_REQUIRE(child->parent == node && child->edge.front() == token,
                           "children know their parents");
            least = std::min(least, child->shortestBelow);
            open.push_back(child.get());
        }
        LACUNA_REQUIRE(node->shortestBelow == least, "every node stores its minimum length");
        texts += node->id ? 1 : 0;
        if (!root) bytes += node->bytes();
    }
    LACUNA_REQUIRE(texts == size_, "texts are counted");
    LACUNA_REQUIRE(bytes == bytes_, "bytes are counted");
}

}  // namespace lacuna
