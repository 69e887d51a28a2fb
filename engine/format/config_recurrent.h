#pragma once
/// \file
/// Reads the recurrent layers of a config.json: the sizes of their mixer, and which layers they
/// are.

#include <vector>

#include "engine/base/result.h"
#include "engine/format/architectures.h"
#include "engine/format/config_fields.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Fills ModelSpec::recurrent and the mixers of `layers`, unless the family has no such layers.
/// Errors: Config, ModelMissingKey, ModelBadDim, ModelBadLayers, Unsupported.
[[nodiscard]] Status readConfigRecurrent(ModelSpec& spec, std::vector<LayerSpec>& layers,
                                         const ConfigFields& config,
                                         const Architecture& architecture);

}  // namespace lacuna
