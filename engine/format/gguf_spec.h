#pragma once
/// \file
/// GGUF metadata to ModelSpec, and the rules of the format that writing it needs too. Pure
/// functions.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/architectures.h"
#include "engine/format/gguf.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// What the metadata says, checked (ModelSpec::check), without the facts that only tensors tell.
/// Errors: GgufNoArch, GgufMetaType, GgufSplit, Model*, Unsupported.
[[nodiscard]] Result<ModelSpec> specFromGguf(const GgufFile& file);

/// What a YaRN file multiplies cosine and sine by before its own factor: 1 + 0.1 scale ln(factor).
[[nodiscard]] double ggufYarnMagnitude(double factor, double scale = 1.0);

/// Name of the epsilon of norms, behind the architecture.
[[nodiscard]] std::string_view ggufEpsilonKey(const Architecture& architecture);

/// Which layers slide in a file that has a window and no pattern, given which layers rotate;
/// nothing where the file has to say it.
[[nodiscard]] std::optional<std::vector<bool>> ggufWindowRule(const Architecture& architecture,
                                                              std::span<const LayerSpec> layers);

}  // namespace lacuna
