#pragma once
/// \file
/// Selects the keys of a span that stay (docs/attention-matching.md, "Key selection"). Ties go to
/// the newer slot. Pure functions.
///
/// The Highest selectors take the keys with the most attention, including every copy of a popular
/// key. Coverage weighs the attention of a key by its distance to the nearest selected key, so
/// copies come last. DistinctCoverage also prefers keys unlike the mean key (as KeyDiff,
/// arXiv:2504.15364): captured queries say little about later questions, and the keys of rare
/// tokens such as numbers stand out.

#include <cstdint>
#include <vector>

#include "engine/compress/matching/span_attention.h"

namespace lacuna {

enum class KeySelector {
    Auto,     ///< Answers for few keys with many queries (few_key_fit.h), otherwise Coverage
    Answers,  ///< the best answering keys among the first picks of coverage (answer_pursuit.h)
    DistinctCoverage,
    Coverage,
    HighestRms,
    HighestMax,
    HighestMean
};

struct KeySelection {
    std::vector<std::int32_t> slots;  ///< indices within the span, ascending
    std::vector<std::int32_t> owner;  ///< [span slots] index into `slots` of the representative of
                                      ///< each slot
};

/// Selects at most `count` usable slots; coverage takes fewer if all others duplicate selected
/// keys.
/// @pre count >= 1; neither Auto nor Answers, which need the rows of their candidates (chooseKeys
/// of attention_matching.cpp)
[[nodiscard]] KeySelection selectKeys(const SpanAttention& span, KeySelector selector, int count);

/// Returns these slots, with every other slot assigned to the nearest of them.
[[nodiscard]] KeySelection withOwners(const SpanAttention& span,
                                      const std::vector<std::int32_t>& slots);

/// Error of coverage with 0, step, 2 step, ... selected slots, up to `most`: the squared difference
/// of scores to the nearest selected key, weighted by attention, averaged over queries. Decreasing.
[[nodiscard]] std::vector<float> coverageCurve(const SpanAttention& span, int most, int step);

}  // namespace lacuna
