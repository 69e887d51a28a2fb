#pragma once
/// \file
/// The mixture of experts that a `config.json` describes.

#include <vector>

#include "engine/base/result.h"
#include "engine/format/architectures.h"
#include "engine/format/config_fields.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Fills `spec.experts`, and which of `layers` [spec.layers] are layers of experts. Errors: Config,
/// ModelMissingKey, ModelBadDim, ModelBadLayers, Unsupported.
/// @pre spec.feedForward is set
[[nodiscard]] Status readConfigExperts(ModelSpec& spec, std::vector<LayerSpec>& layers,
                                       const ConfigFields& config,
                                       const Architecture& architecture);

}  // namespace lacuna
