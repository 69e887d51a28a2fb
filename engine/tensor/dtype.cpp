#include "engine/tensor/dtype.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace lacuna {
namespace {

constexpr std::array<DTypeInfo, kDTypeCount> kTypes{{
    {DType::F32, "F32", 0, 1, 4},
    {DType::F16, "F16", 1, 1, 2},
    {DType::BF16, "BF16", 30, 1, 2},
    {DType::Q8_0, "Q8_0", 8, 32, 34},
    {DType::Q4_0, "Q4_0", 2, 32, 18},
    {DType::Q4_1, "Q4_1", 3, 32, 20},
    {DType::Q5_0, "Q5_0", 6, 32, 22},
    {DType::Q5_1, "Q5_1", 7, 32, 24},
    {DType::Q2_K, "Q2_K", 10, 256, 84},
    {DType::Q3_K, "Q3_K", 11, 256, 110},
    {DType::Q4_K, "Q4_K", 12, 256, 144},
    {DType::Q5_K, "Q5_K", 13, 256, 176},
    {DType::Q6_K, "Q6_K", 14, 256, 210},
    {DType::IQ4_NL, "IQ4_NL", 20, 32, 18},
    {DType::IQ4_XS, "IQ4_XS", 23, 256, 136},
}};

constexpr std::array<std::string_view, 40> kGgufNames{
    "F32",     "F16",    "Q4_0",    "Q4_1",  "",       "",      "Q5_0",  "Q5_1",
    "Q8_0",    "Q8_1",   "Q2_K",    "Q3_K",  "Q4_K",   "Q5_K",  "Q6_K",  "Q8_K",
    "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS",
    "I8",      "I16",    "I32",     "I64",   "F64",    "IQ1_M", "BF16",  "",
    "",        "",       "TQ1_0",   "TQ2_0", "",       "",      "",      "MXFP4"};

}  // namespace

const DTypeInfo& info(DType type) {
    return kTypes[static_cast<std::size_t>(type)];
}

std::span<const DTypeInfo> allDTypes() {
    return kTypes;
}

std::optional<DType> dtypeFromGguf(std::uint32_t ggufId) {
    for (const DTypeInfo& t : kTypes)
        if (t.ggufId == ggufId) return t.type;
    return std::nullopt;
}

std::string_view ggufTypeName(std::uint32_t ggufId) {
    return ggufId < kGgufNames.size() ? kGgufNames[ggufId] : std::string_view();
}

std::optional<DType> dtypeFromName(std::string_view name) {
    const auto same = [](char a, char b) {
        return std::toupper(static_cast<unsigned char>(a)) ==
               std::toupper(static_cast<unsigned char>(b));
    };
    for (const DTypeInfo& t : kTypes)
        if (std::ranges::equal(t.name, name, same)) return t.type;
    return std::nullopt;
}

std::uint64_t rowBytes(DType type, std::uint64_t columns) {
    const DTypeInfo& t = info(type);
    return columns / t.blockLength * t.blockBytes;
}

}  // namespace lacuna
