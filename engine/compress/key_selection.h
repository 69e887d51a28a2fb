#pragma once
/// \file
/// Which keys of a span stay (docs/attention-matching.md, "Keys that stay"). Ties go to the newer
/// slot. Pure functions.
///
/// The Highest selectors take the keys with most attention and so every copy of a popular one.
/// Coverage takes a key for how much attention it has and how badly its nearest chosen neighbour
/// would stand in for it; copies come last. DistinctCoverage also prefers keys unlike the mean of
/// all (as KeyDiff, arXiv 2504.15364): captured queries say little about what will be asked for
/// only later, and rare tokens such as numbers stand out in their keys.

#include <cstdint>
#include <vector>

#include "engine/compress/span_attention.h"

namespace lacuna {

enum class KeySelector {
    Auto,     ///< Answers for few keys with many queries (few_key_fit.h), else Coverage
    Answers,  ///< of those that coverage takes first, what answers best (answer_pursuit.h)
    DistinctCoverage,
    Coverage,
    HighestRms,
    HighestMax,
    HighestMean
};

struct KeySelection {
    std::vector<std::int32_t> slots;  ///< of the span, ascending
    std::vector<std::int32_t> owner;  ///< [span slots] index into `slots`: who stands in for the
                                      ///< slot
};

/// At most `count` usable slots; coverage takes fewer when all others have the same keys as chosen
/// ones.
/// @pre count >= 1; neither Auto nor Answers, which need rows of their candidates (chooseKeys of
/// attention_matching.cpp)
[[nodiscard]] KeySelection selectKeys(const SpanAttention& span, KeySelector selector, int count);

/// These slots, with every other given to the nearest of them.
[[nodiscard]] KeySelection withOwners(const SpanAttention& span,
                                      const std::vector<std::int32_t>& slots);

/// Coverage's error with 0, step, 2 step, ... chosen slots, up to `most`: the squared difference of
/// scores to the nearest chosen key, weighted by attention, a mean over queries. Falling.
[[nodiscard]] std::vector<float> coverageCurve(const SpanAttention& span, int most, int step);

}  // namespace lacuna
