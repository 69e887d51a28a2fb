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
/// What to call a file: its recipe, or `commonest` (the type of most matrix bytes) where the number
/// is absent, unknown or says floats of a file of blocks and the reverse.
[[nodiscard]] std::string_view fileTypeOr(std::optional<std::uint64_t> number,
                                          std::string_view commonest);
/// The number of a file whose matrices are all of one type.
[[nodiscard]] std::uint32_t fileTypeNumber(DType type);

}  // namespace lacuna
