#pragma once
/// \file
/// What a `config.json` says of single layers: which slide, which rotate, which are mixtures of
/// experts. Pure functions. Source: the configuration classes of transformers 5.

#include "engine/base/result.h"
#include "engine/format/architectures.h"
#include "engine/format/config_fields.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Fills `experts`, `window` and `layerSpecs` (left empty where all layers are plain). Errors:
/// Config, ModelMissingKey, ModelBadDim, ModelBadLayers, Unsupported.
/// @pre spec.layers and spec.feedForward are set
[[nodiscard]] Status readConfigLayers(ModelSpec& spec, const ConfigFields& config,
                                      const Architecture& architecture);

}  // namespace lacuna
