#pragma once
/// \file
/// Converts GGUF metadata to ModelSpec, with the format rules that the writer needs too. Pure
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

/// Reads and checks the metadata (ModelSpec::check), without facts that only tensors provide.
/// Errors: GgufNoArch, GgufMetaType, GgufSplit, Model*, Unsupported.
[[nodiscard]] Result<ModelSpec> specFromGguf(const GgufFile& file);

/// Returns the implied factor of YaRN files on cosine and sine, applied before their own: 1 + 0.1
/// scale ln(factor).
[[nodiscard]] double ggufYarnMagnitude(double factor, double scale = 1.0);

/// Returns the key of the norms' epsilon, without the architecture.
[[nodiscard]] std::string_view ggufEpsilonKey(const Architecture& architecture);

/// Returns the sliding layers of a file with a window but no pattern, given which layers rotate;
/// nullopt if the file must state them.
[[nodiscard]] std::optional<std::vector<bool>> ggufWindowRule(const Architecture& architecture,
                                                              std::span<const LayerSpec> layers);

}  // namespace lacuna
