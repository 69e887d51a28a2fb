#include "engine/generate/ngram_drafter.h"

#include <algorithm>

#include "engine/base/random.h"

namespace lacuna {
namespace {

std::uint64_t hashOf(std::span<const TokenId> gram) {
    std::uint64_t hash = gram.size();
    for (const TokenId token : gram)
        hash = randomBits(hash, 0x6a7, static_cast<std::uint64_t>(token));
    return hash;
}

}  // namespace

/// Enters every run of tokens that has a successor; a later one takes the place of an earlier.
void NgramDrafter::index(std::span<const TokenId> history) {
    for (std::size_t end = std::max(indexed_, kMinLength); end < history.size(); ++end)
        for (std::size_t n = kMinLength; n <= std::min(kMaxLength, end); ++n)
            ends_[hashOf(history.subspan(end - n, n))] = end;
    indexed_ = std::max(indexed_, history.size());
}

std::vector<TokenId> NgramDrafter::propose(const DraftRequest& request) {
    const std::span<const TokenId> history = request.history;
    index(history);
    if (request.most <= 0) return {};
    for (std::size_t n = std::min(kMaxLength, history.size()); n >= kMinLength; --n) {
        const auto recent = history.last(n);
        const auto found = ends_.find(hashOf(recent));
        if (found == ends_.end()) continue;
        const std::size_t end = found->second;
        if (!std::ranges::equal(history.subspan(end - n, n), recent))
            continue;  // equal hashes only
        const auto next = history.subspan(
            end, std::min(history.size() - end, static_cast<std::size_t>(request.most)));
        return {next.begin(), next.end()};
    }
    return {};
}

}  // namespace lacuna
