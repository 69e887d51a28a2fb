#pragma once
/// \file
/// Number formats of tensors: names, block lengths, bytes. Pure data. GGUF type numbers: ggml
/// format description. Known but unsupported types are listed so that they can be refused by name.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lacuna {

/// \note Kernel tables and saved caches depend on the order: add only at the end.
enum class DType : std::uint8_t {
    F32,
    F16,
    BF16,
    Q8_0,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    IQ4_NL,
    IQ4_XS,
    MXFP4,
    NVFP4,
    IQ3_S,
    IQ3_XXS,
    IQ2_S,
    IQ2_XS,
    IQ2_XXS,
    IQ1_S,
    IQ1_M,
    TQ1_0,
    TQ2_0,
    Q1_0,
    Q2_0,
};
inline constexpr std::size_t kDTypeCount = 28;

struct DTypeInfo {
    DType type;
    std::string_view name;      ///< as printed: "F32"
    std::uint32_t ggufId;       ///< type number in GGUF
    std::uint32_t blockLength;  ///< elements per block
    std::uint32_t blockBytes;
};

[[nodiscard]] const DTypeInfo& info(DType type);
/// Returns every type, in the order of the enumeration.
[[nodiscard]] std::span<const DTypeInfo> allDTypes();
/// True for single numbers of 16 or 32 bits; all others are blocks with shared scales.
[[nodiscard]] constexpr bool isPlainFloat(DType type) noexcept {
    return type == DType::F32 || type == DType::F16 || type == DType::BF16;
}
[[nodiscard]] std::optional<DType> dtypeFromGguf(std::uint32_t ggufId);
/// Returns the name of a GGUF type number, including unsupported ones; empty if unknown or removed.
[[nodiscard]] std::string_view ggufTypeName(std::uint32_t ggufId);
/// Returns the name of a type number that only forks of ggml use (ik_llama.cpp from 133 on), so
/// that their files are refused by name; otherwise empty.
[[nodiscard]] std::string_view forkTypeName(std::uint32_t ggufId);
/// Parses "f16", "F16" and the like; nullopt if unknown.
[[nodiscard]] std::optional<DType> dtypeFromName(std::string_view name);
/// Returns the bytes of one row of `columns` elements. @pre columns is a multiple of the block
/// length
[[nodiscard]] std::uint64_t rowBytes(DType type, std::uint64_t columns);

}  // namespace lacuna
