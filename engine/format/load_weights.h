#pragma once
/// \file
/// Tensors by name to Weights by role: every tensor that the spec asks for must be there with the
/// right shape and a usable type, and none may be left that would be silently ignored. Pure
/// function.

#include <stop_token>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/format/tensor_names.h"
#include "engine/format/tensor_source.h"
#include "engine/format/weights.h"

namespace lacuna {

/// Views over every weight; norms and biases decoded to float.
/// Errors: ModelMissingTensor, ModelShape, ModelVocab, ModelTypeUse, Unsupported, Cancelled.
[[nodiscard]] Result<Weights> loadWeights(const ModelSpec& spec, const TensorSource& source,
                                          Container container, const std::stop_token& stop);

}  // namespace lacuna
