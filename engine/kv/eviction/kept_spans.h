#pragma once
/// \file
/// Tokens that no compaction may merge or evict, as runs of positions: text restored after it had
/// been evicted (docs/bring-back.md). Plain values and pure functions.

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

/// In the order of insertion, without overlaps.
using KeptSpans = std::vector<TokenSpan>;

[[nodiscard]] bool keeps(const KeptSpans& spans, std::int64_t position);
[[nodiscard]] std::int64_t tokensOf(const KeptSpans& spans);
/// Adds a span and merges it with those that it touches.
[[nodiscard]] KeptSpans withSpan(const KeptSpans& spans, TokenSpan added);
/// Returns the parts before position `tokens`.
[[nodiscard]] KeptSpans cutTo(const KeptSpans& spans, std::int64_t tokens);
/// Returns the complete spans that were added last, up to `most` tokens in total.
[[nodiscard]] KeptSpans newestWithin(const KeptSpans& spans, std::int64_t most);

/// Number of slots that such spans may take: three quarters of the slots that a compaction leaves a
/// head besides its first and newest tokens.
[[nodiscard]] std::int64_t roomForSpans(std::int64_t target, std::int64_t guarded);

}  // namespace lacuna
