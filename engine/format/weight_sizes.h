#pragma once
/// \file
/// Bytes of a model's weights, known from the header of its file alone. Pure functions.

#include <span>

#include "engine/format/model_spec.h"
#include "engine/format/tensor_names.h"
#include "engine/format/tensor_source.h"

namespace lacuna {

/// Adds ModelSpec::weightBytes, residentBytes and tableBytes. `tensors`: all of `source`. @pre the
/// other facts of the tensors are set (tied embeddings, draft block)
void addWeightBytes(ModelSpec& spec, const TensorSource& source, const TensorNames& names,
                    std::span<const NamedTensor> tensors);

}  // namespace lacuna
