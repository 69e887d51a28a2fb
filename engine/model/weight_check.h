#pragma once
/// \file
/// Checks that the weights of a model can be multiplied as stored. Private to this module.

#include "engine/base/result.h"
#include "engine/format/weights.h"

namespace lacuna {

/// Checks that every matrix has rows of full blocks of its type. Errors: ModelTypeUse, naming the
/// matrix.
[[nodiscard]] Status checkTypes(const Weights& weights);
/// Returns the longest row of any matrix, which Matmul must support.
[[nodiscard]] std::int64_t widestMatrix(const Weights& weights);
/// The same for matrices in groups; 0 if there are none.
[[nodiscard]] std::int64_t widestGroups(const Weights& weights);

}  // namespace lacuna
