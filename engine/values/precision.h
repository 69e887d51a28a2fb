#pragma once
/// \file
/// Arithmetic for products with weights, and the corresponding setting. Plain data, separate from
/// the forward pass so that settings and reports do not depend on weights.

#include "engine/values/value_keys.h"

namespace lacuna {

/// Representation of the activations in products with weights. If the processor lacks the
/// instructions for one, it falls back to Exact.
enum class Precision {
    Exact,     ///< activations stay float32
    Fast,      ///< int8 blocks of 32 for quantised weights; bfloat16 for many rows of F16, BF16
    TwoTerms,  ///< int8 plus the int8 residual for quantised weights; otherwise Exact
};
template <>
inline constexpr KeyTable<3, Precision> kKeys<Precision>{
    {{Precision::Exact, "exact"}, {Precision::Fast, "fast"}, {Precision::TwoTerms, "two_terms"}}};

/// The setting. Auto is the fastest arithmetic that was measured to preserve a model's
/// distribution.
enum class PrecisionChoice { Auto, Fast, Exact };
template <>
inline constexpr KeyTable<3, PrecisionChoice> kKeys<PrecisionChoice>{
    {{PrecisionChoice::Auto, "auto"},
     {PrecisionChoice::Fast, "fast"},
     {PrecisionChoice::Exact, "exact"}}};

}  // namespace lacuna
