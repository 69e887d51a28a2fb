#include "engine/compress/matching/bfloat_attention.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/compress/matching/matrix_products.h"
#include "engine/kernels/bfloat_exponentials.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kTileSlots = 256;
constexpr std::int64_t kPanel = 32;       // columns per panel
constexpr std::int64_t kQueryBlock = 48;  // their scores against a tile stay in the L2 cache

std::int64_t panelsOf(std::int64_t columns) {
    return (columns + kPanel - 1) / kPanel;
}

std::int64_t tilesOf(std::int64_t slots) {
    return (slots + kTileSlots - 1) / kTileSlots;
}

PanelSource bfloatSource(const std::uint16_t* rows, std::int64_t stride, std::int64_t columns,
                         std::int64_t count) {
    return {.type = DType::BF16,
            .rows = reinterpret_cast<const std::byte*>(rows),
            .rowStride = stride * 2,
            .columns = columns,
            .rowCount = static_cast<int>(count)};
}

}  // namespace

bool BfloatAttention::available() {
    const KernelTable& kernels = bestKernels();
    return kernels.tileBfloat != nullptr && kernels.packBfloat != nullptr &&
           kernels.packBfloatPairs != nullptr && kernels.panelRows == kPanel;
}

BfloatAttention::BfloatAttention(const BfloatInputs& in)
    : in_(in),
      exponentiate_(bfloatExponentials(bestKernels())),
      keyStride_(in.keyDim + in.keyDim % 2),
      centre_(sized(in.keyDim), 0.0F),
      offsets_(sized(in.queryCount), 0.0F),
      queries_(sized(in.queryCount * keyStride_), 0),
      directionCount_(static_cast<std::int64_t>(in.directions.size()) / in.keyDim),
      directions_(sized(directionCount_ * keyStride_), 0),
      rows_(sized(kTileSlots * std::max<std::int64_t>(keyStride_, in.valueDim)), 0),
      keyPanels_(sized(panelsOf(kTileSlots) * keyStride_ * kPanel * 2)),
      valuePanels_(sized(panelsOf(in.valueDim) * kTileSlots * kPanel * 2)),
      scores_(sized(kQueryBlock * kTileSlots)),
      tileTops_(sized(tilesOf(in.slots) * in.queryCount)),
      tops_(sized(in.queryCount), -kInfinity),
      sums_(sized(in.queryCount), 0.0F),
      outputs_(sized(in.queryCount * in.valueDim), 0.0F) {
    for (std::int64_t i = 0; i < in.queryCount; ++i)
        bestKernels().toBfloat(in.queries + i * in.keyDim, queries_.data() + i * keyStride_,
                               in.keyDim);
    for (std::int64_t r = 0; r < directionCount_; ++r)
        bestKernels().toBfloat(in.directions.data() + r * in.keyDim,
                               directions_.data() + r * keyStride_, in.keyDim);
}

std::uint16_t* BfloatAttention::exponentials(std::int64_t tile, std::int64_t query) const {
    auto* first = reinterpret_cast<std::uint16_t*>(const_cast<float*>(exponentials_.data()));
    return first + (tile * in_.queryCount + query) * kTileSlots;
}

Status BfloatAttention::reserve() {
    LACUNA_TRY(exponentials_, PooledFloats::take(in_.buffers, tilesOf(in_.slots) * in_.queryCount *
                                                                  kTileSlots / 2));
    std::int64_t counted = 0;
    float* centre = centre_.data();
    for (std::int64_t j = 0; j < in_.slots; ++j) {
        if (!in_.bias.empty() && in_.bias[sized(j)] == -kInfinity) continue;
        const float* row = in_.keys + j * in_.keyDim;
        for (int d = 0; d < in_.keyDim; ++d) centre[d] += row[d];
        ++counted;
    }
    for (float& x : centre_) x /= static_cast<float>(std::max<std::int64_t>(counted, 1));
    bestKernels().dotRows[kernelIndex(DType::F32)]({reinterpret_cast<const std::byte*>(in_.queries),
                                                    in_.keyDim * 4, in_.queryCount, in_.keyDim},
                                                   centre, offsets_.data());
    return {};
}

void BfloatAttention::packKeys(std::int64_t first, std::int64_t count) {
    std::vector<float> row(sized(keyStride_), 0.0F);
    const float* centre = centre_.data();
    for (std::int64_t j = 0; j < count; ++j) {
        const float* key = in_.keys + (first + j) * in_.keyDim;
        const bool none = !in_.bias.empty() && in_.bias[sized(first + j)] == -kInfinity;
        float* to = row.data();
        for (int d = 0; d < in_.keyDim; ++d) to[d] = none ? 0.0F : key[d] - centre[d];
        bestKernels().toBfloat(to, rows_.data() + j * keyStride_, keyStride_);
    }
    for (std::int64_t j = 0; j < count; j += kPanel)
        bestKernels().packBfloat(bfloatSource(rows_.data() + j * keyStride_, keyStride_, keyStride_,
                                              std::min(kPanel, count - j)),
                                 keyPanels_.data() + j * keyStride_ * 2);
}

void BfloatAttention::packValues(std::int64_t first, std::int64_t count) {
    const std::int64_t dim = in_.valueDim;
    bestKernels().toBfloat(in_.values + first * dim, rows_.data(), count * dim);
    for (std::int64_t d = 0; d < dim; d += kPanel)
        bestKernels().packBfloatPairs(
            bfloatSource(rows_.data() + d, dim, std::min(kPanel, dim - d), count),
            valuePanels_.data() + d * kTileSlots * 2);
}

/// Raises the top of a query and rescales the sums relative to the old one.
void BfloatAttention::raiseTop(std::int64_t query, float top) {
    float& old = tops_[sized(query)];
    if (!(top > old)) return;
    const float factor = std::exp(old - top);
    old = top;
    sums_[sized(query)] *= factor;
    bestKernels().scale(outputs_.data() + query * in_.valueDim, factor, in_.valueDim);
}

/// Turns the scores of a query against a tile into exponentials.
void BfloatAttention::addScores(std::int64_t tile, std::int64_t query, float* scores) {
    const KernelTable& kernels = bestKernels();
    const std::int64_t first = tile * kTileSlots;
    const std::int64_t count = std::min(kTileSlots, in_.slots - first);
    if (in_.softCap > 0) {
        // The cap is not linear, so it needs the full scores.
        const float offset = offsets_[sized(query)];
        for (std::int64_t j = 0; j < count; ++j) scores[j] += offset;
        kernels.softCap(scores, in_.softCap, count);
    }
    if (!in_.bias.empty()) {
        const float* bias = in_.bias.data() + first;
        for (std::int64_t j = 0; j < count; ++j) scores[j] += bias[j];
    }
    raiseTop(query, kernels.maximum(scores, count));
    const float top = tops_[sized(query)];
    std::uint16_t* to = exponentials(tile, query);
    // A score that is NaN or too large makes the sum infinite, so that the query is ignored. Its
    // exponentials are zeroed, so that they add nothing to any mass.
    float sum = top == kInfinity ? kInfinity
                                 : exponentiate_(scores, top > -kInfinity ? top : 0.0F, count, to);
    if (!std::isfinite(sum)) {
        std::fill_n(to, count, std::uint16_t{0});
        sum = kInfinity;
    }
    sums_[sized(query)] += sum;
    tileTops_[sized(tile * in_.queryCount + query)] = top;
    if (count % 2 != 0) to[count] = 0;
}

/// Computes coordinates of the packed keys, which lack their mean; distances are unaffected.
void BfloatAttention::addCoordinates(std::int64_t first, std::int64_t count) {
    float rows[kPanel * kQueryBlock];
    for (std::int64_t d = 0; d < directionCount_; d += kQueryBlock) {
        const std::int64_t block = std::min(kQueryBlock, directionCount_ - d);
        for (std::int64_t j = 0; j < count; j += kPanel) {
            const std::int64_t width = std::min(kPanel, count - j);
            multiplyTile({.a = directions_.data() + d * keyStride_,
                          .aStride = keyStride_,
                          .panel = keyPanels_.data() + j * keyStride_ * 2,
                          .c = rows,
                          .cStride = kPanel,
                          .depth = keyStride_,
                          .tokens = block,
                          .width = static_cast<int>(width)});
            for (std::int64_t k = 0; k < width; ++k)
                for (std::int64_t r = 0; r < block; ++r)
                    in_.coordinates[(first + j + k) * directionCount_ + d + r] =
                        rows[r * kPanel + k];
        }
    }
}

void BfloatAttention::attendTile(std::int64_t tile) {
    const std::int64_t first = tile * kTileSlots;
    const std::int64_t count = std::min(kTileSlots, in_.slots - first);
    packKeys(first, count);
    packValues(first, count);
    if (directionCount_ > 0) addCoordinates(first, count);
    for (std::int64_t query = 0; query < in_.queryCount; query += kQueryBlock) {
        const std::int64_t block = std::min(kQueryBlock, in_.queryCount - query);
        for (std::int64_t j = 0; j < count; j += kPanel)
            multiplyTile({.a = queries_.data() + query * keyStride_,
                          .aStride = keyStride_,
                          .panel = keyPanels_.data() + j * keyStride_ * 2,
                          .c = scores_.data() + j,
                          .cStride = kTileSlots,
                          .depth = keyStride_,
                          .tokens = block,
                          .width = static_cast<int>(std::min(kPanel, count - j))});
        for (std::int64_t i = 0; i < block; ++i)
            addScores(tile, query + i, scores_.data() + i * kTileSlots);
        for (std::int64_t d = 0; d < in_.valueDim; d += kPanel)
            multiplyTile(
                {.a = exponentials(tile, query),
                 .aStride = kTileSlots,
                 .panel = valuePanels_.data() + d * kTileSlots * 2,
                 .c = outputs_.data() + query * in_.valueDim + d,
                 .cStride = in_.valueDim,
                 .depth = count,
                 .tokens = block,
                 .width = static_cast<int>(std::min<std::int64_t>(kPanel, in_.valueDim - d)),
                 .store = TileStore::Accumulate});
    }
}

void BfloatAttention::close() {
    logMass_.resize(sums_.size());
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        logMass_[i] = tops_[i] + std::log(sums_[i]) + (in_.softCap > 0 ? 0.0F : offsets_[i]);
        const bool counts = std::isfinite(logMass_[i]);
        float* row = outputs_.data() + i * sized(in_.valueDim);
        for (int d = 0; d < in_.valueDim; ++d) row[d] = counts ? row[d] / sums_[i] : 0.0F;
    }
}

std::vector<float> BfloatAttention::shareFactors(std::int64_t tile,
                                                 std::span<const float> weights) const {
    const std::int64_t n = in_.queryCount;
    const float* tops = tileTops_.data() + tile * n;
    std::vector<float> factors(sized(n));
    for (std::size_t i = 0; i < factors.size(); ++i)
        factors[i] = weights[i] > 0 ? tops[i] - tops_[i] : -kInfinity;
    static_cast<void>(bestKernels().expSum(factors.data(), 0.0F, n));
    for (std::size_t i = 0; i < factors.size(); ++i)
        factors[i] = weights[i] > 0 ? factors[i] / sums_[i] : 0.0F;
    return factors;
}

std::vector<float> BfloatAttention::massOf(std::span<const float> weights) const {
    std::vector<float> mass(sized(in_.slots), 0.0F);
    for (std::int64_t tile = 0; tile < tilesOf(in_.slots); ++tile) {
        std::vector<float> parts = shareFactors(tile, weights);
        for (std::size_t i = 0; i < parts.size(); ++i) parts[i] *= weights[i];
        const std::int64_t first = tile * kTileSlots;
        bestKernels().addWeightedRows[kernelIndex(DType::BF16)](
            {reinterpret_cast<const std::byte*>(exponentials(tile, 0)), kTileSlots * 2,
             in_.queryCount, std::min(kTileSlots, in_.slots - first)},
            parts.data(), mass.data() + first);
    }
    return mass;
}

void BfloatAttention::probabilitiesOf(std::span<const std::int32_t> slots,
                                      std::span<const float> weights, float* rows,
                                      std::int64_t stride) const {
    for (std::size_t at = 0; at < slots.size();) {
        const std::int64_t tile = slots[at] / kTileSlots;
        std::size_t end = at;
        while (end < slots.size() && slots[end] / kTileSlots == tile) ++end;
        const std::vector<float> factors = shareFactors(tile, weights);
        for (std::int64_t i = 0; i < in_.queryCount; ++i) {
            const std::uint16_t* from = exponentials(tile, i) - tile * kTileSlots;
            const float factor = factors[sized(i)];
            float* to = rows + i * stride;
            for (std::size_t a = at; a < end; ++a)
                to[a] = factor * std::bit_cast<float>(std::uint32_t{from[slots[a]]} << 16U);
        }
        at = end;
    }
}

Result<BfloatAttention> BfloatAttention::attend(const BfloatInputs& in) {
    BfloatAttention out(in);
    LACUNA_TRY_STATUS(out.reserve());
    for (std::int64_t tile = 0; tile < tilesOf(in.slots); ++tile) out.attendTile(tile);
    out.close();
    return out;
}

}  // namespace lacuna
