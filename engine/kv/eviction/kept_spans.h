#pragma once
/// \file
/// Tokens that no compaction may merge or evict, as runs of positions: what was brought back after
/// it had been forgotten (docs/bring-back.md). Plain values and pure functions.

#include <cstdint>
#include <vector>

namespace lacuna {

struct TokenSpan {
    std::int64_t first = 0;
    std::int64_t last = 0;  ///< one past the end
    [[nodiscard]] std::int64_t tokens() const { return last - first; }
    [[nodiscard]] bool has(std::int64_t position) const {
        return position >= first && position < last;
    }
    friend bool operator==(const TokenSpan&, const TokenSpan&) = default;
};

/// The one that was added last stands last; none overlaps another.
using KeptSpans = std::vector<TokenSpan>;

[[nodiscard]] bool keeps(const KeptSpans& spans, std::int64_t position);
[[nodiscard]] std::int64_t tokensOf(const KeptSpans& spans);
/// With one more, which takes in those that it touches.
[[nodiscard]] KeptSpans withSpan(const KeptSpans& spans, TokenSpan added);
/// What of them lies before `tokens`.
[[nodiscard]] KeptSpans cutTo(const KeptSpans& spans, std::int64_t tokens);
/// Those that were added last, whole ones, as long as they have `most` tokens in all.
[[nodiscard]] KeptSpans newestWithin(const KeptSpans& spans, std::int64_t most);

/// Of the slots that a compaction leaves a head besides its first and newest tokens, the part that
/// such spans may take: three quarters.
[[nodiscard]] std::int64_t roomForSpans(std::int64_t target, std::int64_t guarded);

}  // namespace lacuna
