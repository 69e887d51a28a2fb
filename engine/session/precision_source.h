#pragma once
/// \file
/// Where the answer to precision=auto comes from. Apart from how it is found
/// (automatic_precision.h), so that whoever makes an engine knows no forward pass.

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "engine/values/precision.h"

namespace lacuna {

/// For the engine and for commands that make a forward pass of their own.
struct PrecisionSource {
    std::optional<Precision> given = std::nullopt;   ///< what a recording says: nothing is measured
    std::map<std::string, Precision> recorded = {};  ///< likewise, of models by fingerprint
    std::filesystem::path folder = {};               ///< of kept measurements; empty: none is kept
};

}  // namespace lacuna
