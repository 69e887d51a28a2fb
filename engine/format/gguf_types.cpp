#include "engine/format/gguf_types.h"

#include <array>

namespace lacuna {
namespace {

constexpr std::uint32_t kLastValueType = 12;

struct TypedBlock {
    std::uint32_t type;
    GgufBlock block;
};

constexpr std::array<TypedBlock, 35> kBlocks{{
    {0, {1, 4}},      {1, {1, 2}},      {2, {32, 18}},    {3, {32, 20}},    {6, {32, 22}},
    {7, {32, 24}},    {8, {32, 34}},    {9, {32, 36}},    {10, {256, 84}},  {11, {256, 110}},
    {12, {256, 144}}, {13, {256, 176}}, {14, {256, 210}}, {15, {256, 292}}, {16, {256, 66}},
    {17, {256, 74}},  {18, {256, 98}},  {19, {256, 50}},  {20, {32, 18}},   {21, {256, 110}},
    {22, {256, 82}},  {23, {256, 136}}, {24, {1, 1}},     {25, {1, 2}},     {26, {1, 4}},
    {27, {1, 8}},     {28, {1, 8}},     {29, {256, 56}},  {30, {1, 2}},     {34, {256, 54}},
    {35, {256, 66}},  {39, {32, 17}},   {40, {64, 36}},   {41, {128, 18}},  {42, {64, 18}},
}};

}  // namespace

std::optional<GgufType> ggufTypeFromNumber(std::uint32_t number) {
    if (number > kLastValueType) return std::nullopt;
    return static_cast<GgufType>(number);
}

std::string_view typeName(GgufType type) {
    switch (type) {
        case GgufType::U8:
            return "u8";
        case GgufType::I8:
            return "i8";
        case GgufType::U16:
            return "u16";
        case GgufType::I16:
            return "i16";
        case GgufType::U32:
            return "u32";
        case GgufType::I32:
            return "i32";
        case GgufType::F32:
            return "f32";
        case GgufType::Bool:
            return "bool";
        case GgufType::String:
            return "string";
        case GgufType::Array:
            return "array";
        case GgufType::U64:
            return "u64";
        case GgufType::I64:
            return "i64";
        case GgufType::F64:
            return "f64";
    }
    return "unknown";
}

std::uint64_t fixedBytes(GgufType type) {
    switch (type) {
        case GgufType::U8:
        case GgufType::I8:
        case GgufType::Bool:
            return 1;
        case GgufType::U16:
        case GgufType::I16:
            return 2;
        case GgufType::U32:
        case GgufType::I32:
        case GgufType::F32:
            return 4;
        case GgufType::U64:
        case GgufType::I64:
        case GgufType::F64:
            return 8;
        case GgufType::String:
        case GgufType::Array:
            return 0;
    }
    return 0;
}

std::optional<GgufBlock> ggufBlock(std::uint32_t tensorType) {
    for (const TypedBlock& known : kBlocks)
        if (known.type == tensorType) return known.block;
    return std::nullopt;
}

namespace {

constexpr std::array<std::string_view, 42> kNames{
    "F32",   "F16",     "Q4_0",   "Q4_1",   "",       "",        "",       "Q8_0",   "Q5_0",
    "Q5_1",  "Q2_K",    "Q3_K_S", "Q3_K_M", "Q3_K_L", "Q4_K_S",  "Q4_K_M", "Q5_K_S", "Q5_K_M",
    "Q6_K",  "IQ2_XXS", "IQ2_XS", "Q2_K_S", "IQ3_XS", "IQ3_XXS", "IQ1_S",  "IQ4_NL", "IQ3_S",
    "IQ3_M", "IQ2_S",   "IQ2_M",  "IQ4_XS", "IQ1_M",  "BF16",    "",       "",       "",
    "TQ1_0", "TQ2_0",   "MXFP4",  "NVFP4",  "Q1_0",   "Q2_0"};

/// In the order of DType. A file of one k-quant type alone is the small (`_S`) recipe.
constexpr std::array<std::uint32_t, kDTypeCount> kNumbers{0,  1,  32, 7,  2,  3,  8,  9,  10, 11,
                                                          14, 16, 18, 25, 30, 38, 39, 26, 23, 28,
                                                          20, 19, 24, 31, 36, 37, 40, 41};

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
