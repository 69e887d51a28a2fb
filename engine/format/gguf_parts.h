#pragma once
/// \file
/// A model in several GGUF files, NAME-00001-of-00003.gguf and so on: the names of its parts.
/// Source: the keys `split.no`, `split.count` and `split.tensors.count` as llama.cpp's gguf-split
/// writes them.

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

/// Which part of how many a file says it is.
struct GgufSplit {
    std::uint64_t number = 0;  ///< from 0
    std::uint64_t count = 1;
};

/// The files of all parts in order, of which `path` is one. Errors: GgufSplit when the numbers make
/// no sense, or when the name of `path` does not show where the others are.
[[nodiscard]] Result<std::vector<std::filesystem::path>> ggufPartPaths(
    const std::filesystem::path& path, const GgufSplit& split);

}  // namespace lacuna
