#pragma once
/// \file
/// Sources for resolving precision=auto. Separate from the resolution (automatic_precision.h), so
/// that code which creates an engine does not depend on the forward pass.

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "engine/values/precision.h"

namespace lacuna {

/// Used by the engine and by commands that run a forward pass themselves.
struct PrecisionSource {
    std::optional<Precision> given = std::nullopt;   ///< stated by a recording; nothing is measured
    std::map<std::string, Precision> recorded = {};  ///< same, by model fingerprint
    std::filesystem::path folder = {};  ///< folder of stored measurements; may be empty
};

}  // namespace lacuna
