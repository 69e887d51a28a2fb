#pragma once
/// \file
/// Extracts some layers of a model as a model of its own, byte for byte: a quick draft model for
/// speculation that needs no training. Its acceptance rate must be measured. Runs on the calling
/// thread.

#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/base/result.h"

namespace lacuna {

struct CutReport {
    int layersBefore = 0;
    int layers = 0;
    std::uint64_t bytes = 0;  ///< size of the written file
};

/// Writes `target`, a GGUF file with the layers `keep` of the GGUF file `source`, renumbered in
/// that order, or leaves it unchanged on error. Everything else except the fingerprint is copied.
/// Errors: those of opening; InvalidArgument (a missing or repeated layer, no layers, or equal
/// paths), Unsupported (a file in several parts, layers that differ), Write.
[[nodiscard]] Result<CutReport> cutLayers(const std::filesystem::path& source,
                                          const std::filesystem::path& target,
                                          std::span<const int> keep);

}  // namespace lacuna
