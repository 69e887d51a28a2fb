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
    {DType::MXFP4, "MXFP4", 39, 32, 17},
    {DType::NVFP4, "NVFP4", 40, 64, 36},
    {DType::IQ3_S, "IQ3_S", 21, 256, 110},
    {DType::IQ3_XXS, "IQ3_XXS", 18, 256, 98},
    {DType::IQ2_S, "IQ2_S", 22, 256, 82},
    {DType::IQ2_XS, "IQ2_XS", 17, 256, 74},
    {DType::IQ2_XXS, "IQ2_XXS", 16, 256, 66},
    {DType::IQ1_S, "IQ1_S", 19, 256, 50},
    {DType::IQ1_M, "IQ1_M", 29, 256, 56},
    {DType::TQ1_0, "TQ1_0", 34, 256, 54},
    {DType::TQ2_0, "TQ2_0", 35, 256, 66},
    {DType::Q1_0, "Q1_0", 41, 128, 18},
    {DType::Q2_0, "Q2_0", 42, 64, 18},
}};

constexpr std::array<std::string_view, 43> kGgufNames{
    "F32",     "F16",   "Q4_0",   "Q4_1",  "",      "",       "Q5_0", "Q5_1",    "Q8_0",
    "Q8_1",    "Q2_K",  "Q3_K",   "Q4_K",  "Q5_K",  "Q6_K",   "Q8_K", "IQ2_XXS", "IQ2_XS",
    "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS", "I8",   "I16",     "I32",
    "I64",     "F64",   "IQ1_M",  "BF16",  "",      "",       "",     "TQ1_0",   "TQ2_0",
    "",        "",      "",       "MXFP4", "NVFP4", "Q1_0",   "Q2_0"};

struct ForkType {
    std::uint32_t ggufId;
    std::string_view name;
};

constexpr std::array<ForkType, 55> kForkTypes{{
    {36, "I2_S"},        {47, "Q2_0"},       {133, "Q6_0"},       {134, "IQ1_BN"},
    {135, "IQ2_BN"},     {136, "Q8_K64"},    {137, "IQ2_K"},      {138, "IQ3_K"},
    {139, "IQ4_K"},      {140, "IQ5_K"},     {141, "IQ6_K"},      {144, "IQ4_KS"},
    {145, "IQ2_KS"},     {146, "IQ4_KSS"},   {147, "Q8_K16"},     {148, "Q8_K32"},
    {149, "Q8_KR8"},     {150, "Q8_K128"},   {151, "Q8_KV"},      {152, "IQ5_KS"},
    {153, "IQ2_KT"},     {154, "IQ3_KT"},    {155, "IQ4_KT"},     {156, "IQ3_KS"},
    {157, "IQ2_KL"},     {158, "IQ1_KT"},    {202, "Q4_0_R8"},    {206, "Q5_0_R4"},
    {208, "Q8_0_R8"},    {210, "Q2_K_R4"},   {211, "Q3_K_R4"},    {212, "Q4_K_R4"},
    {213, "Q5_K_R4"},    {214, "Q6_K_R4"},   {216, "IQ2_XXS_R4"}, {217, "IQ2_XS_R4"},
    {218, "IQ3_XXS_R4"}, {219, "IQ1_S_R4"},  {220, "IQ4_NL_R4"},  {221, "IQ3_S_R4"},
    {222, "IQ2_S_R4"},   {223, "IQ4_XS_R8"}, {229, "IQ1_M_R4"},   {230, "BF16_R16"},
    {233, "Q6_0_R4"},    {335, "IQ2_BN_R4"}, {337, "IQ2_K_R4"},   {338, "IQ3_K_R4"},
    {339, "IQ4_K_R4"},   {340, "IQ5_K_R4"},  {344, "IQ4_KS_R4"},  {352, "IQ5_KS_R4"},
    {397, "Q8_K_R16"},   {398, "Q8_KV_R8"},  {399, "Q8_K_R8"},
}};

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

std::string_view forkTypeName(std::uint32_t ggufId) {
    const auto* found = std::ranges::find(kForkTypes, ggufId, &ForkType::ggufId);
    return found != kForkTypes.end() ? found->name : std::string_view();
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
