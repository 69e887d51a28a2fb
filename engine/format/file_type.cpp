#include "engine/format/file_type.h"

#include <array>

namespace lacuna {
namespace {

constexpr std::array<std::string_view, 39> kNames{
    "F32",    "F16",    "Q4_0",  "Q4_1",    "",       "",       "",       "Q8_0",
    "Q5_0",   "Q5_1",   "Q2_K",  "Q3_K_S",  "Q3_K_M", "Q3_K_L", "Q4_K_S", "Q4_K_M",
    "Q5_K_S", "Q5_K_M", "Q6_K",  "IQ2_XXS", "IQ2_XS", "Q2_K_S", "IQ3_XS", "IQ3_XXS",
    "IQ1_S",  "IQ4_NL", "IQ3_S", "IQ3_M",   "IQ2_S",  "IQ2_M",  "IQ4_XS", "IQ1_M",
    "BF16",   "",       "",      "",        "TQ1_0",  "TQ2_0",  "MXFP4"};

/// In the order of DType. A file of one k-quant type alone is the small (`_S`) recipe.
constexpr std::array<std::uint32_t, kDTypeCount> kNumbers{0,  1,  32, 7,  2,  3,  8, 9,
                                                          10, 11, 14, 16, 18, 25, 30};

}  // namespace

std::string_view fileTypeName(std::uint32_t number) {
    return number < kNames.size() ? kNames[number] : std::string_view();
}

std::string_view fileTypeOr(std::optional<std::uint64_t> number, std::string_view commonest) {
    if (!number || *number >= kNames.size()) return commonest;
    const std::string_view name = kNames[static_cast<std::size_t>(*number)];
    const auto isFloat = [](std::string_view type) {
        const auto known = dtypeFromName(type);
        return known && isPlainFloat(*known);
    };
    const bool contradicts = (isFloat(name) || isFloat(commonest)) && name != commonest;
    return name.empty() || contradicts ? commonest : name;
}

std::uint32_t fileTypeNumber(DType type) {
    return kNumbers[static_cast<std::size_t>(type)];
}

}  // namespace lacuna
