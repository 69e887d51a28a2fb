#pragma once
/// \file
/// Whether the weights of a model can be multiplied as they are stored. Private to this room.

#include "engine/base/result.h"
#include "engine/format/weights.h"

namespace lacuna {

/// Every matrix has rows of whole blocks of its type. Errors: ModelTypeUse, naming the matrix.
[[nodiscard]] Status checkTypes(const Weights& weights);
/// The longest row of any matrix: columns that Matmul must be made for.
[[nodiscard]] std::int64_t widestMatrix(const Weights& weights);
/// The same of those in groups; 0 where there are none.
[[nodiscard]] std::int64_t widestGroups(const Weights& weights);

}  // namespace lacuna
