#pragma once
/// \file
/// Converts a `config.json` of Hugging Face transformers to ModelSpec, in the form of version 4
/// (`rope_theta`, `rope_scaling`) and of version 5 (`rope_parameters`). Pure functions.

#include <filesystem>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/format/model_spec.h"

namespace lacuna {

inline constexpr std::size_t kMaxConfigBytes = std::size_t{4} << 20;

/// Returns the text of `config.json` in a folder. Errors: Config if it is missing or unreadable.
[[nodiscard]] Result<std::string> readConfigText(const std::filesystem::path& folder);
/// Reads and checks the configuration, without facts that only tensors provide. Errors: Config
/// naming the field, ModelMissingKey, Model*, Unsupported.
[[nodiscard]] Result<ModelSpec> specFromConfig(std::string_view configText);

}  // namespace lacuna
