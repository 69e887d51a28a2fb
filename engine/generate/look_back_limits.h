#pragma once
/// \file
/// Thresholds for restoring tokens for a question, and limits on the cost of finding them. Plain
/// data. docs/bring-back.md, "Automatic restoration".

#include <cstddef>
#include <cstdint>

#include "engine/kv/eviction/kept_spans.h"

namespace lacuna {

struct LookBackLimits {
    float least = 0.1F;     ///< minimum attention for restoring a token, 0..1
    int before = 6;         ///< tokens restored before each such token
    int after = 18;         ///< and after it; fewer of both if `room` is short
    std::size_t spans = 4;  ///< maximum number of runs
    std::int64_t room = 0;  ///< maximum number of tokens in total
    /// Tokens that a compaction due before the answer may evict; they count as evicted.
    TokenSpan due = {};
};

/// Limits on the additional cost of one question.
struct LookBackBounds {
    /// Number of newest prompt tokens whose queries are used, those of the question. A longer
    /// question has its point at the end, and the start of a turn is not always known.
    std::int64_t minAsking = 24, maxAsking = 64;
    std::int64_t read = 2048;    ///< maximum number of tokens read for it
    double seconds = 2;          ///< maximum predicted time to read them
    LookBackLimits needed = {};  ///< its `room` is set to what compactions can keep
};

}  // namespace lacuna
