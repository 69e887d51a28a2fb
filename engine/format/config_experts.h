#pragma once
/// \file
/// Reads the mixture of experts from a `config.json`.

#include <vector>

#include "engine/base/result.h"
#include "engine/format/architectures.h"
#include "engine/format/config_fields.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Fills `spec.experts` and marks the expert layers in `layers` [spec.layers]. Errors: Config,
/// ModelMissingKey, ModelBadDim, ModelBadLayers, Unsupported.
/// @pre spec.feedForward is set
[[nodiscard]] Status readConfigExperts(ModelSpec& spec, std::vector<LayerSpec>& layers,
                                       const ConfigFields& config,
                                       const Architecture& architecture);

}  // namespace lacuna
