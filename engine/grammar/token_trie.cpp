#include "engine/grammar/token_trie.h"

#include <algorithm>
#include <utility>

namespace lacuna {
namespace {

std::size_t commonLength(std::string_view a, std::string_view b) {
    std::size_t n = 0;
    while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
    return n;
}

}  // namespace

/// Nodes of `text` that its forerunner in order had not; `path` are the open nodes by depth,
/// `token` its place in the order.
void TokenTrie::addNodes(std::string_view previous, std::string_view text,
                         std::vector<std::uint32_t>& path, std::size_t token) {
    const std::size_t common = commonLength(previous, text);
    for (; path.size() > common; path.pop_back())
        nodes_[path.back()].end = static_cast<std::uint32_t>(nodes_.size());
    for (std::size_t i = common; i < text.size(); ++i) {
        path.push_back(static_cast<std::uint32_t>(nodes_.size()));
        nodes_.push_back({.firstToken = static_cast<std::uint32_t>(token),
                          .depth = static_cast<std::uint16_t>(i),
                          .byte = static_cast<std::uint8_t>(text[i])});
    }
}

/// Merge sort in runs short enough to ask between them whether it shall go on. Stable.
void TokenTrie::sortByText(WorkBudget* work) {
    constexpr std::size_t kRun = 4096;
    const auto before = [this](TokenId a, TokenId b) { return text(a) < text(b); };
    const auto at = [this](std::size_t i) {
        return order_.begin() + static_cast<std::ptrdiff_t>(std::min(i, order_.size()));
    };
    std::vector<TokenId> merged;
    for (std::size_t begin = 0; begin < order_.size(); begin += kRun) {
        if (work != nullptr && !work->spend(kRun)) return;
        std::stable_sort(at(begin), at(begin + kRun), before);
    }
    for (std::size_t run = kRun; run < order_.size(); run *= 2) {
        merged.clear();
        merged.reserve(order_.size());
        for (std::size_t begin = 0; begin < order_.size(); begin += 2 * run) {
            auto left = at(begin);
            auto right = at(begin + run);
            const auto middle = right;
            const auto end = at(begin + 2 * run);
            while (left != middle || right != end) {
                if (work != nullptr && !work->spend()) return;
                const bool takeRight = left == middle || (right != end && before(*right, *left));
                merged.push_back(takeRight ? *right++ : *left++);
            }
        }
        order_.swap(merged);
    }
}

TokenTrie::TokenTrie(std::vector<std::string> texts, WorkBudget* work) : texts_(std::move(texts)) {
    for (std::size_t id = 0; id < texts_.size(); ++id)
        if (!texts_[id].empty() && texts_[id].size() <= kMaxTextLength)
            order_.push_back(static_cast<TokenId>(id));
    sortByText(work);
    std::vector<std::uint32_t> path;
    std::string_view previous;
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const std::string_view one = text(order_[i]);
        if (work != nullptr && !work->spend(one.size())) return;
        addNodes(previous, one, path, i);
        ++nodes_[path.back()].tokens;
        depth_ = std::max(depth_, static_cast<int>(one.size()));
        previous = one;
    }
    for (const std::uint32_t open : path)
        nodes_[open].end = static_cast<std::uint32_t>(nodes_.size());
}

}  // namespace lacuna
