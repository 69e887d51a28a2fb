#pragma once
/// \file
/// Float32 matrices from NumPy files (format 1.0, numpy.lib.format), as commands take them.

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/view.h"

namespace lacuna::cli {

struct NpyMatrix {
    std::vector<float> numbers;  ///< [rows, columns]
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    [[nodiscard]] View<const float, 2> view() const { return {numbers.data(), {rows, columns}}; }
};

/// Errors: as readFile; Corrupt, with the file's name: no such file format, other numbers than
/// float32, not two axes, or a length that does not match.
[[nodiscard]] Result<NpyMatrix> readNpyMatrix(const std::filesystem::path& path);

}  // namespace lacuna::cli
