#pragma once
/// \file
/// The facts of a model that only its tensors tell, and the check that none of them would be
/// ignored. Pure function.

#include <span>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/format/tensor_names.h"
#include "engine/format/tensor_source.h"

namespace lacuna {

/// `spec` with the facts that only tensors tell: tied embeddings and biases (GGUF), commonest type,
/// parameters, bytes, and the fingerprint over `metadata` and the tensors. Errors: ModelBadLayers,
/// ModelBadRope, Unsupported.
[[nodiscard]] Result<ModelSpec> withTensorFacts(ModelSpec spec, const TensorSource& source,
                                                Container container,
                                                std::span<const std::byte> metadata);

}  // namespace lacuna
