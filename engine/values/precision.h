#pragma once
/// \file
/// How exactly products with weights are computed, and what a person may ask for. Plain data,
/// apart from the forward pass so that what only names it (settings, reports) knows no weights.

#include "engine/values/value_keys.h"

namespace lacuna {

/// An arithmetic: what happens to the activations before they meet the weights. Where the processor
/// lacks the instructions for one, it equals Exact.
enum class Precision {
    Exact,     ///< they stay float32
    Fast,      ///< int8 in blocks of 32 for quantised weights, bfloat16 for many rows and F16, BF16
    TwoTerms,  ///< int8 and what that leaves out as int8 again, for quantised weights; else Exact
};
template <>
inline constexpr KeyTable<3, Precision> kKeys<Precision>{
    {{Precision::Exact, "exact"}, {Precision::Fast, "fast"}, {Precision::TwoTerms, "two_terms"}}};

/// The setting. Auto is the fastest arithmetic that was measured to keep a model's distribution.
enum class PrecisionChoice { Auto, Fast, Exact };
template <>
inline constexpr KeyTable<3, PrecisionChoice> kKeys<PrecisionChoice>{
    {{PrecisionChoice::Auto, "auto"},
     {PrecisionChoice::Fast, "fast"},
     {PrecisionChoice::Exact, "exact"}}};

}  // namespace lacuna
