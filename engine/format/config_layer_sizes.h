#pragma once
/// \file
/// Reads the sizes of layers, and the caches that they share, from a `config.json`.

#include <vector>

#include "engine/base/result.h"
#include "engine/format/architectures.h"
#include "engine/format/config_fields.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Fills the sizes of `layers` and the largest ones of `spec`; nothing for families whose layers
/// are of one size. Errors: Config, ModelBadHeads, ModelBadDim, ModelBadLayers, Unsupported. @pre
/// the sizes of `spec` are those that the file states for all layers, and the sliding layers are
/// known
[[nodiscard]] Status readConfigLayerSizes(ModelSpec& spec, std::vector<LayerSpec>& layers,
                                          const ConfigFields& config,
                                          const Architecture& architecture);

}  // namespace lacuna
