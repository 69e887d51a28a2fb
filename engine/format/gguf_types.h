#pragma once
/// \file
/// Numbers used in GGUF files: value types, limits, block sizes of all known tensor types, and
/// `general.file_type`, the recipe of tensor types. Pure data. Sources: GGUF file format
/// description (ggml), versions 2 and 3; the format's list of file types.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/tensor/dtype.h"

namespace lacuna {

/// Limits that a file may not exceed: far above every real model, low enough to bound work and
/// memory.
inline constexpr std::uint64_t kMaxGgufKeyBytes = 65'535;
inline constexpr std::uint64_t kMaxGgufEntries = 65'536;
inline constexpr std::uint64_t kMaxGgufTensors = 65'536;
inline constexpr std::uint64_t kMaxGgufStringBytes = std::uint64_t{64} << 20;
inline constexpr std::size_t kMaxGgufArrayDepth = 4;
inline constexpr std::uint64_t kMaxTensorNameBytes = 64;
inline constexpr std::uint32_t kMaxTensorDimensions = 4;
inline constexpr std::uint32_t kMinGgufAlignment = 8;
inline constexpr std::uint32_t kMaxGgufAlignment = 65'536;
inline constexpr std::uint32_t kDefaultGgufAlignment = 32;

/// Type of a metadata value. The numbers are those in the file; never change them.
enum class GgufType : std::uint32_t {
    U8 = 0,
    I8 = 1,
    U16 = 2,
    I16 = 3,
    U32 = 4,
    I32 = 5,
    F32 = 6,
    Bool = 7,
    String = 8,
    Array = 9,
    U64 = 10,
    I64 = 11,
    F64 = 12,
};

/// Returns nullopt if the number is not a type; it is checked as an integer before the conversion.
[[nodiscard]] std::optional<GgufType> ggufTypeFromNumber(std::uint32_t number);
/// "u32", "string" and the like.
[[nodiscard]] std::string_view typeName(GgufType type);
/// Returns the bytes of one number; 0 for strings and arrays, which store their own length.
[[nodiscard]] std::uint64_t fixedBytes(GgufType type);

/// Elements and bytes of one block of a tensor type.
struct GgufBlock {
    std::uint32_t length = 0;
    std::uint32_t bytes = 0;
};
/// Returns the block of every known tensor type, including unsupported ones; nullopt if removed or
/// unknown.
[[nodiscard]] std::optional<GgufBlock> ggufBlock(std::uint32_t tensorType);

/// "Q4_K_M" and the like; empty when the number is unknown.
[[nodiscard]] std::string_view fileTypeName(std::uint32_t number);
/// Returns the name of a file type: its recipe, or `commonest` (the type of most matrix bytes) if
/// the number is absent, unknown, or inconsistent with the types (floats against blocks).
[[nodiscard]] std::string_view fileTypeOr(std::optional<std::uint64_t> number,
                                          std::string_view commonest);
/// Returns the number of a file whose matrices all have one type.
[[nodiscard]] std::uint32_t fileTypeNumber(DType type);

}  // namespace lacuna
