#pragma once
/// \file
/// Tensors by name to Weights by role: every tensor that the spec asks for must be there with the
/// right shape and a usable type, and none may be there that would be silently ignored. Pure
/// functions.

#include <span>
#include <stop_token>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/format/tensor_names.h"
#include "engine/format/tensor_source.h"
#include "engine/format/weights.h"

namespace lacuna {

/// `spec` with the facts that only tensors tell: tied embeddings, biases, norms of query and key,
/// frequency factors, commonest type, parameters, bytes, and the fingerprint over `metadata` and
/// the tensors. Errors: ModelBadLayers, ModelMissingTensor, ModelShape, ModelTypeUse, ModelBadRope,
/// Unsupported.
[[nodiscard]] Result<ModelSpec> withTensorFacts(ModelSpec spec, const TensorSource& source,
                                                Container container,
                                                std::span<const std::byte> metadata);

/// Views over every weight; norms and biases decoded to float.
/// Errors: ModelMissingTensor, ModelShape, ModelVocab, ModelTypeUse, Cancelled.
[[nodiscard]] Result<Weights> loadWeights(const ModelSpec& spec, const TensorSource& source,
                                          Container container, const std::stop_token& stop);

}  // namespace lacuna
