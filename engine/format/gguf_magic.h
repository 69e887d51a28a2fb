#pragma once
/// \file
/// The first bytes of a GGUF file; and, when they are others, what the file looks like instead.
/// Pure.

#include <cstddef>
#include <span>
#include <string_view>

#include "engine/base/result.h"

namespace lacuna {

inline constexpr std::string_view kGgufMagic = "GGUF";

/// Errors: GgufTruncated, GgufOldFormat, GgufLfsPointer, GgufBadMagic naming the kind of file.
[[nodiscard]] Status checkGgufMagic(std::span<const std::byte> file);

}  // namespace lacuna
