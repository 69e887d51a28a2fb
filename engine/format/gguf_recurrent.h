#pragma once
/// \file
/// Reads the recurrent layers of a GGUF file: the sizes of their mixer, and which layers they are.

#include <vector>

#include "engine/base/result.h"
#include "engine/format/architectures.h"
#include "engine/format/gguf_keys.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Fills ModelSpec::recurrent and the mixers of `layers`, unless the family has no such layers.
/// Errors: GgufMetaType, ModelMissingKey, ModelBadDim, ModelBadLayers.
[[nodiscard]] Status readGgufRecurrent(ModelSpec& spec, std::vector<LayerSpec>& layers,
                                       const GgufKeys& keys, const Architecture& architecture);

}  // namespace lacuna
