#pragma once
/// \file
/// Number format of the rows of a cache, and the names people know the formats by. Plain data.

#include <array>
#include <string_view>

#include "engine/tensor/dtype.h"

namespace lacuna {

/// Rows as unsigned codes with one f16 scale and f16 bias per group: x = scale * code + bias.
struct KvQuant {
    int bits = 0;    ///< 0: plain numbers; 8 or 4
    int group = 64;  ///< neighbouring numbers that share a scale: 32, 64 or 128
    [[nodiscard]] bool plain() const { return bits == 0; }
    friend bool operator==(const KvQuant&, const KvQuant&) = default;
};

struct KvRowType {
    DType type = DType::F16;
    KvQuant quant = {};
    friend bool operator==(const KvRowType&, const KvRowType&) = default;
};

struct NamedRowType {
    std::string_view name;
    KvRowType type;
};

/// Coded rows have groups of 32 with scale and bias, so that "q4_0" is stored as "q4_1" is.
inline constexpr std::array<NamedRowType, 6> kRowTypes{{{"f16", {DType::F16, {}}},
                                                        {"bf16", {DType::BF16, {}}},
                                                        {"f32", {DType::F32, {}}},
                                                        {"q8_0", {DType::F16, {8, 32}}},
                                                        {"q4_0", {DType::F16, {4, 32}}},
                                                        {"q4_1", {DType::F16, {4, 32}}}}};

}  // namespace lacuna
