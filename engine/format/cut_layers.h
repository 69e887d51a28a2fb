#pragma once
/// \file
/// Some layers of a model as a model of its own, byte for byte: a quick draft for speculation that
/// needs no training. How well it guesses must be measured. Runs on the calling thread.

#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/base/result.h"

namespace lacuna {

struct CutReport {
    int layersBefore = 0;
    int layers = 0;
    std::uint64_t bytes = 0;  ///< of the written file
};

/// Writes `target`, a GGUF file with the layers `keep` of the GGUF file `source`, in that order and
/// renumbered, or leaves it as it was. Everything else is kept as it stands; the fingerprint is
/// another. Errors: those of opening; InvalidArgument (a layer that is not there, named twice, or
/// none; both files the same), Unsupported (a file in several parts, layers that differ), Write.
[[nodiscard]] Result<CutReport> cutLayers(const std::filesystem::path& source,
                                          const std::filesystem::path& target,
                                          std::span<const int> keep);

}  // namespace lacuna
