#include "engine/kv/stored_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/base/check.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

float largest(DType type) {
    if (type == DType::F16) return 65504.0F;
    return type == DType::BF16 ? 0x1.FEp127F : std::numeric_limits<float>::max();
}

}  // namespace

void storeRow(DType type, std::span<const float> row, std::byte* out) {
    LACUNA_REQUIRE(isPlainFloat(type), "cache rows are F32, F16 or BF16");
    const auto n = static_cast<std::int64_t>(row.size());
    if (type == DType::F32) {
        std::memcpy(out, row.data(), row.size_bytes());
    } else if (type == DType::F16) {
        bestKernels().toHalf(row.data(), reinterpret_cast<std::uint16_t*>(out), n);
    } else {
        bestKernels().toBfloat(row.data(), reinterpret_cast<std::uint16_t*>(out), n);
    }
}

void storeRowSaturated(DType type, std::span<const float> row, std::byte* out) {
    const float most = largest(type);
    std::vector<float> clamped(row.begin(), row.end());
    for (float& x : clamped) x = std::clamp(x, -most, most);
    storeRow(type, clamped, out);
}

void loadRow(DType type, const std::byte* row, std::span<float> out) {
    bestKernels().toFloat[kernelIndex(type)](row, out.data(),
                                             static_cast<std::int64_t>(out.size()));
}

float norm(std::span<const float> row) {
    const auto n = static_cast<std::int64_t>(row.size());
    const RowBlock block{reinterpret_cast<const std::byte*>(row.data()), n * 4, 1, n};
    float square = 0;
    bestKernels().dotRows[kernelIndex(DType::F32)](block, row.data(), &square);
    return std::sqrt(square);
}

}  // namespace lacuna
