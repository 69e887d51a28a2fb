#pragma once
/// \file
/// What the fields of a `config.json` that its reader did not use mean for the computation: some
/// never matter, some are refused unless they state what is computed anyway, and the rest is
/// reported by name. Pure functions. Source: the configuration classes of Hugging Face
/// transformers.

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/config_fields.h"

namespace lacuna {

/// Fields that were neither used nor are known, with their paths. Errors: Unsupported, naming a
/// field that changes the computation and its value.
[[nodiscard]] Result<std::vector<std::string>> unusedFields(const ConfigFields& config);
/// The same for an object with rotary parameters, where a field that is not known is refused: each
/// of them changes the computation.
[[nodiscard]] Status checkRopeFields(const ConfigFields& parameters);

}  // namespace lacuna
