#pragma once
/// \file
/// `general.file_type` of GGUF files: the recipe that says which tensors have which type.
/// Pure data. Source: the format's list of file types.

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/tensor/dtype.h"

namespace lacuna {

/// "Q4_K_M" and the like; empty when the number is unknown.
[[nodiscard]] std::string_view fileTypeName(std::uint32_t number);
/// The number of a file whose matrices are all of one type.
[[nodiscard]] std::uint32_t fileTypeNumber(DType type);

}  // namespace lacuna
