#pragma once
/// \file
/// Reads rows of one tensor of a model file as float32, for inspection and for comparison with
/// other readers. Works on every file whose container can be read, even if the model would not
/// load.

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

struct TensorRows {
    std::int64_t rows = 0;      ///< as many as requested, or all
    std::int64_t columns = 0;   ///< elements of the innermost extent
    std::vector<float> values;  ///< [rows, columns]
};

/// Reads the first `rows` rows (0 = all) of the tensor `name`; outer extents are counted as rows.
/// Errors: those of the container; NotFound with similar names; ModelTypeUse.
[[nodiscard]] Result<TensorRows> readTensorRows(const std::filesystem::path& path,
                                                std::string_view name, std::int64_t rows);

}  // namespace lacuna
