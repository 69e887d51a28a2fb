#pragma once
/// \file
/// What a GGUF file says of single layers: which slide, which rotate, which are mixtures of
/// experts. Pure function.

#include <optional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/architectures.h"
#include "engine/format/gguf_keys.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Which layers slide in a file that has a window and no pattern, given which layers rotate;
/// nothing where the file has to say it.
[[nodiscard]] std::optional<std::vector<bool>> ggufWindowRule(const Architecture& architecture,
                                                              std::span<const LayerSpec> layers);

/// Fills `experts`, `window` and `layerSpecs` (left empty where all layers are plain); a layer is
/// one of experts when it has a router. Errors: GgufMetaType, ModelMissingKey, ModelBadDim,
/// ModelBadLayers, Unsupported.
/// @pre sizes and feed-forward of `spec` are set
[[nodiscard]] Status readGgufLayers(ModelSpec& spec, const GgufKeys& keys,
                                    const Architecture& architecture);

}  // namespace lacuna
