#pragma once
/// \file
/// Classifies the fields of a `config.json` that its reader did not use: some never matter, some
/// are refused unless their value does not change the computation, and the rest is reported by
/// name. Pure functions. Source: the configuration classes of Hugging Face transformers.

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/config_fields.h"

namespace lacuna {

/// Returns the fields that were neither used nor are known, with their paths. Errors: Unsupported,
/// naming a field that changes the computation and its value.
[[nodiscard]] Result<std::vector<std::string>> unusedFields(const ConfigFields& config);
/// The same for an object of rotary parameters. Unknown fields are refused, because each of them
/// changes the computation.
[[nodiscard]] Status checkRopeFields(const ConfigFields& parameters);

}  // namespace lacuna
