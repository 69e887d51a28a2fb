#include "engine/text/token_models.h"

#include <algorithm>

namespace lacuna {

PieceTrie::PieceTrie(std::vector<std::pair<std::string_view, TokenId>> pieces) {
    std::ranges::stable_sort(pieces, {}, &std::pair<std::string_view, TokenId>::first);
    struct Open {
        std::size_t begin = 0;  // range of the pieces that share the node's prefix
        std::size_t end = 0;
        std::size_t depth = 0;
    };
    std::vector<Open> open = {{0, pieces.size(), 0}};  // one entry per node, in the same order
    for (std::size_t node = 0; node < open.size(); ++node) {
        const Open here = open[node];
        std::size_t at = here.begin;
        while (at < here.end && pieces[at].first.size() == here.depth) {
            if (nodes_[node].id < 0) nodes_[node].id = pieces[at].second;
            ++at;
        }
        nodes_[node].firstChild = static_cast<std::uint32_t>(nodes_.size());
        while (at < here.end) {
            const auto byte = static_cast<unsigned char>(pieces[at].first[here.depth]);
            std::size_t end = at;
            while (end < here.end &&
                   static_cast<unsigned char>(pieces[end].first[here.depth]) == byte)
                ++end;
            nodes_.push_back({0, 0, byte, -1});
            ++nodes_[node].children;
            open.push_back({at, end, here.depth + 1});
            at = end;
        }
    }
}

std::optional<PieceTrie::Node> PieceTrie::child(Node node, unsigned char byte) const {
    const auto begin = nodes_.begin() + nodes_[node].firstChild;
    const auto end = begin + nodes_[node].children;
    const auto found = std::lower_bound(
        begin, end, byte, [](const Entry& entry, unsigned char b) { return entry.byte < b; });
    if (found == end || found->byte != byte) return std::nullopt;
    return static_cast<Node>(found - nodes_.begin());
}

std::optional<TokenId> PieceTrie::piece(Node node) const {
    if (nodes_[node].id < 0) return std::nullopt;
    return nodes_[node].id;
}

std::size_t PieceTrie::longestPrefix(std::string_view text) const {
    std::size_t longest = 0;
    Node node = kRoot;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto next = child(node, static_cast<unsigned char>(text[at]));
        if (!next) break;
        node = *next;
        if (piece(node)) longest = at + 1;
    }
    return longest;
}

}  // namespace lacuna
