// The plain reference: one loop per function, float64 sums, no optimisations.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "engine/base/half.h"
#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/rotated_parts.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace scalar {
namespace {

constexpr int kPanelRows = 8;
constexpr std::int64_t kPiece = 256;  // elements decoded at once; a multiple of every block length

void rmsNorm(const float* x, const float* gain, float* out, std::int64_t n,
             float epsilon) noexcept {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += double{x[i]} * double{x[i]};
    const double mean = sum / static_cast<double>(n);
    const auto factor = static_cast<float>(1.0 / std::sqrt(mean + double{epsilon}));
    for (std::int64_t i = 0; i < n; ++i) out[i] = x[i] * factor * gain[i];
}

void siluMultiply(float* gate, const float* up, std::int64_t n) noexcept {
    for (std::int64_t i = 0; i < n; ++i) gate[i] = gate[i] / (1.0F + std::exp(-gate[i])) * up[i];
}

void geluMultiply(float* gate, const float* up, std::int64_t n) noexcept {
    constexpr double kRootOfTwoOverPi = 0.7978845608028654;
    for (std::int64_t i = 0; i < n; ++i) {
        const double x = double{gate[i]};
        const double curve = std::tanh(kRootOfTwoOverPi * (x + 0.044715 * x * x * x));
        gate[i] = static_cast<float>(0.5 * x * (1.0 + curve) * double{up[i]});
    }
}

void softCap(float* x, float cap, std::int64_t n) noexcept {
    for (std::int64_t i = 0; i < n; ++i) x[i] = cap * std::tanh(x[i] / cap);
}

void addTo(float* target, const float* x, std::int64_t n) noexcept {
    for (std::int64_t i = 0; i < n; ++i) target[i] += x[i];
}

void scale(float* x, float factor, std::int64_t n) noexcept {
    for (std::int64_t i = 0; i < n; ++i) x[i] *= factor;
}

float maximum(const float* x, std::int64_t n) noexcept {
    float top = -std::numeric_limits<float>::infinity();
    for (std::int64_t i = 0; i < n; ++i) top = std::max(top, x[i]);
    return top;
}

float expSum(float* x, float top, std::int64_t n) noexcept {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        x[i] = std::exp(x[i] - top);
        sum += double{x[i]};
    }
    return static_cast<float>(sum);
}

void rotatePair(float& a, float& b, float cosine, float sine) noexcept {
    const float x = a;
    const float y = b;
    a = x * cosine - y * sine;
    b = x * sine + y * cosine;
}

void rotateHalves(float* head, const RotaryStep& rotation) noexcept {
    for (int i = 0; i < rotation.pairs; ++i)
        rotatePair(head[i], head[i + rotation.pairs], rotation.cosine[i], rotation.sine[i]);
}

void rotateInterleaved(float* head, const RotaryStep& rotation) noexcept {
    for (int i = 0; i < rotation.pairs; ++i)
        rotatePair(head[2 * i], head[2 * i + 1], rotation.cosine[i], rotation.sine[i]);
}

template <DType type>
void toFloat(const std::byte* source, float* out, std::int64_t n) noexcept {
    decodeRow(type, source, std::span<float>(out, static_cast<std::size_t>(n)));
}

void toHalf(const float* x, std::uint16_t* out, std::int64_t n) noexcept {
    for (std::int64_t i = 0; i < n; ++i) out[i] = floatToHalf(x[i]);
}

void toBfloat(const float* x, std::uint16_t* out, std::int64_t n) noexcept {
    for (std::int64_t i = 0; i < n; ++i) out[i] = floatToBfloat(x[i]);
}

/// Calls `use(column, values, count)` for pieces of a decoded row.
template <DType type, class Use>
void forPieces(const std::byte* row, std::int64_t columns, const Use& use) noexcept {
    float values[kPiece];
    for (std::int64_t at = 0; at < columns; at += kPiece) {
        const std::int64_t count = std::min(kPiece, columns - at);
        toFloat<type>(row + rowBytes(type, static_cast<std::uint64_t>(at)), values, count);
        use(at, values, count);
    }
}

template <DType type>
void dotRows(const RowBlock& block, const float* x, float* out) noexcept {
    for (std::int64_t r = 0; r < block.count; ++r) {
        double sum = 0;
        forPieces<type>(block.rows + r * block.rowStride, block.columns,
                        [&](std::int64_t at, const float* values, std::int64_t count) {
                            for (std::int64_t i = 0; i < count; ++i)
                                sum += double{values[i]} * double{x[at + i]};
                        });
        out[r] = static_cast<float>(sum);
    }
}

template <DType type>
void addWeightedRows(const RowBlock& block, const float* weights, float* out) noexcept {
    for (std::int64_t r = 0; r < block.count; ++r)
        forPieces<type>(block.rows + r * block.rowStride, block.columns,
                        [&](std::int64_t at, const float* values, std::int64_t count) {
                            for (std::int64_t i = 0; i < count; ++i)
                                out[at + i] += weights[r] * values[i];
                        });
}

template <DType type>
void dotMany(const RowBlock& block, const QueryRows& q) noexcept {
    for (int i = 0; i < q.count; ++i)
        dotRows<type>(block, q.queries + i * q.queryStride, q.weights + i * q.weightStride);
}

template <DType type>
void addMany(const RowBlock& block, const QueryRows& q) noexcept {
    for (int i = 0; i < q.count; ++i)
        addWeightedRows<type>(block, q.weights + i * q.weightStride, q.sums + i * q.sumStride);
}

template <DType type>
void packRow(const PanelSource& source, int row, float* panel) noexcept {
    forPieces<type>(source.rows + row * source.rowStride, source.columns,
                    [&](std::int64_t at, const float* values, std::int64_t count) {
                        for (std::int64_t i = 0; i < count; ++i)
                            panel[(at + i) * kPanelRows + row] = values[i];
                    });
}

template <std::size_t... index>
constexpr auto packersOf(std::index_sequence<index...>) {
    using Packer = void (*)(const PanelSource&, int, float*) noexcept;
    return std::array<Packer, sizeof...(index)>{packRow<static_cast<DType>(index)>...};
}
constexpr auto kPackers = packersOf(std::make_index_sequence<kDTypeCount>());

void packFloat(const PanelSource& source, float* panel) noexcept {
    if (source.rowCount < kPanelRows) std::fill_n(panel, source.columns * kPanelRows, 0.0F);
    for (int row = 0; row < source.rowCount; ++row)
        kPackers[kernelIndex(source.type)](source, row, panel);
}

void tileFloat(const FloatTile& tile) noexcept {
    for (std::int64_t t = 0; t < tile.tokens; ++t) {
        for (int j = 0; j < tile.width; ++j) {
            double sum = 0;
            for (std::int64_t k = 0; k < tile.depth; ++k)
                sum += double{tile.a[t * tile.aStride + k]} *
                       double{tile.panel[k * tile.panelStride + j]};
            float& c = tile.c[t * tile.cStride + j];
            c = static_cast<float>(sum + (tile.store == TileStore::Accumulate ? double{c} : 0.0));
        }
    }
}

template <std::size_t... index>
void fillTyped(KernelTable& table, std::index_sequence<index...>) noexcept {
    ((table.toFloat[index] = toFloat<static_cast<DType>(index)>), ...);
    ((table.dotRows[index] = dotRows<static_cast<DType>(index)>), ...);
}

}  // namespace
}  // namespace scalar

void decodeScalar(DType type, const std::byte* source, float* out, std::int64_t n) noexcept {
    decodeRow(type, source, std::span<float>(out, static_cast<std::size_t>(n)));
}

KernelTable scalarKernels() noexcept {
    KernelTable table{};
    table.name = "scalar";
    table.panelRows = scalar::kPanelRows;
    table.rmsNorm = scalar::rmsNorm;
    table.siluMultiply = scalar::siluMultiply;
    table.geluMultiply = scalar::geluMultiply;
    table.softCap = scalar::softCap;
    table.addTo = scalar::addTo;
    table.scale = scalar::scale;
    table.maximum = scalar::maximum;
    table.expSum = scalar::expSum;
    table.rotateHalves = scalar::rotateHalves;
    table.rotateInterleaved = scalar::rotateInterleaved;
    table.toHalf = scalar::toHalf;
    table.toBfloat = scalar::toBfloat;
    scalar::fillTyped(table, std::make_index_sequence<kDTypeCount>());
    table.addWeightedRows[0] = scalar::addWeightedRows<DType::F32>;
    table.addWeightedRows[1] = scalar::addWeightedRows<DType::F16>;
    table.addWeightedRows[2] = scalar::addWeightedRows<DType::BF16>;
    table.dotManyQueries[0] = scalar::dotMany<DType::F32>;
    table.dotManyQueries[1] = scalar::dotMany<DType::F16>;
    table.dotManyQueries[2] = scalar::dotMany<DType::BF16>;
    table.addManyQueries[0] = scalar::addMany<DType::F32>;
    table.addManyQueries[1] = scalar::addMany<DType::F16>;
    table.addManyQueries[2] = scalar::addMany<DType::BF16>;
    fillScalarCodedKernels(table);
    fillScalarRotatedKernels(table);
    fillScalarSelectionKernels(table);
    fillScalarMixerKernels(table);
    table.packFloat = scalar::packFloat;
    table.tileFloat = scalar::tileFloat;
    return table;
}

}  // namespace lacuna
