#include "engine/tensor/dtype.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace lacuna {
namespace {

constexpr std::array<DTypeInfo, 4> kTypes{{
    {DType::F32, "F32", 0, 1, 4},
    {DType::F16, "F16", 1, 1, 2},
    {DType::BF16, "BF16", 30, 1, 2},
    {DType::Q8_0, "Q8_0", 8, 32, 34},
}};

constexpr std::array<std::string_view, 40> kGgufNames{
    "F32",     "F16",     "Q4_0",   "Q4_1",  "",       "",        "Q5_0",   "Q5_1",  "Q8_0",  "Q8_1",
    "Q2_K",    "Q3_K",    "Q4_K",   "Q5_K",  "Q6_K",   "Q8_K",    "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S",
    "IQ4_NL",  "IQ3_S",   "IQ2_S",  "IQ4_XS", "I8",    "I16",     "I32",    "I64",   "F64",   "IQ1_M",
    "BF16",    "",        "",       "",      "TQ1_0",  "TQ2_0",   "",       "",      "",      "MXFP4"};

}  // namespace

const DTypeInfo& info(DType type) { return kTypes[static_cast<std::size_t>(type)]; }

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
        return std::toupper(static_cast<unsigned char>(a)) == std::toupper(static_cast<unsigned char>(b));
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
