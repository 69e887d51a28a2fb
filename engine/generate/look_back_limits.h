#pragma once
/// \file
/// What is worth bringing back for a question, and what looking for it may cost. Plain data.
/// docs/bring-back.md, "What a question looks for".

#include <cstddef>
#include <cstdint>

#include "engine/kv/eviction/kept_spans.h"

namespace lacuna {

struct LookBackLimits {
    float least = 0.1F;     ///< attention that is worth bringing its tokens back, 0..1
    int before = 6;         ///< tokens that come along in front of one that is looked at
    int after = 18;         ///< and behind it; fewer of both where the room is short
    std::size_t spans = 4;  ///< most runs of tokens
    std::int64_t room = 0;  ///< most tokens in all
    /// Tokens that are held and may be forgotten before the answer, by a compaction that is due:
    /// they count as forgotten.
    TokenSpan due = {};
};

/// What one question may cost beside its own reading.
struct LookBackBounds {
    /// Newest tokens of the prompt whose queries are asked, those of the question: a longer one has
    /// its point at its end, and where a turn begins is not always known.
    std::int64_t leastAsking = 24, mostAsking = 64;
    std::int64_t read = 2048;    ///< most tokens that are read for it
    double seconds = 2;          ///< most that reading them is predicted to take
    LookBackLimits sought = {};  ///< its room is what compactions can keep
};

}  // namespace lacuna
