#include "engine/text/special_matcher.h"

namespace lacuna {
namespace {

constexpr std::size_t kMaxSpecialBytes = 1024;

std::uint64_t edgeKey(std::uint32_t node, unsigned char byte) {
    return (std::uint64_t{node} << 8) | byte;
}

}  // namespace

void SpecialMatcher::add(std::string_view text, TokenId id, Allowed allowed) {
    if (text.empty() || text.size() > kMaxSpecialBytes) return;
    starts_[static_cast<unsigned char>(text[0])] = true;
    std::uint32_t node = 0;
    for (const char c : text) {
        const auto next = static_cast<std::uint32_t>(nodes_.size());
        const auto [edge, isNew] =
            edges_.emplace(edgeKey(node, static_cast<unsigned char>(c)), next);
        if (isNew) nodes_.emplace_back();
        node = edge->second;
    }
    auto& slot = allowed == Allowed::Anywhere ? nodes_[node].anywhere : nodes_[node].markedOnly;
    if (!slot) slot = id;
}

std::optional<std::uint32_t> SpecialMatcher::child(std::uint32_t node, unsigned char byte) const {
    const auto found = edges_.find(edgeKey(node, byte));
    if (found == edges_.end()) return std::nullopt;
    return found->second;
}

std::optional<SpecialMatcher::Match> SpecialMatcher::longestAt(std::string_view text,
                                                               std::size_t at,
                                                               std::size_t markedEnd) const {
    std::optional<Match> best;
    std::uint32_t node = 0;
    for (std::size_t end = at; end < text.size();) {
        const auto next = child(node, static_cast<unsigned char>(text[end]));
        if (!next) break;
        node = *next;
        ++end;
        if (nodes_[node].markedOnly && end <= markedEnd)
            best = Match{{at, end}, *nodes_[node].markedOnly};
        else if (nodes_[node].anywhere)
            best = Match{{at, end}, *nodes_[node].anywhere};
    }
    return best;
}

std::vector<SpecialMatcher::Match> SpecialMatcher::find(std::string_view text,
                                                        std::span<const ByteRange> marked) const {
    std::vector<Match> matches;
    if (edges_.empty()) return matches;
    std::size_t range = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (!starts_[static_cast<unsigned char>(text[at])]) {
            ++at;
            continue;
        }
        while (range < marked.size() && marked[range].end <= at) ++range;
        const bool inside = range < marked.size() && marked[range].begin <= at;
        const auto match = longestAt(text, at, inside ? marked[range].end : 0);
        if (!match) {
            ++at;
            continue;
        }
        matches.push_back(*match);
        at = match->range.end;
    }
    return matches;
}

}  // namespace lacuna
