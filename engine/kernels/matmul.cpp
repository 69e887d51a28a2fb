#include "engine/kernels/matmul.h"

#include <algorithm>
#include <functional>

namespace lacuna {
namespace {

// Fewer tokens than this are multiplied one by one, straight from the weights where they lie:
// packing a panel costs about as much as this many products with it (measured on a Zen 5 core).
constexpr std::int64_t kIntegerTileTokens = 3;
constexpr std::int64_t kBfloatTileTokens = 8;
constexpr std::int64_t kFloatTileTokens = 12;
// From here on, rows of the input are prepared by all threads.
constexpr std::int64_t kSharedRows = 4;
// Columns packed at once: a panel of floats of this depth stays in a 1 MiB second-level cache.
constexpr std::int64_t kChunk = 2048;
constexpr std::int64_t kRowsPerUnit = kMaxPanelRows;

bool isBfloatSource(DType type) {
    return type == DType::F16 || type == DType::BF16;
}

std::int64_t unitsOf(const MatmulProduct& product) {
    return (product.weights.rows + kRowsPerUnit - 1) / kRowsPerUnit;
}

}  // namespace

/// One call of multiply, as the threads see it.
struct Matmul::Job {
    View<const float, 2> x;
    std::span<const MatmulProduct> products;
    std::int64_t units = 0;     ///< panels of kMaxPanelRows rows over all products
    bool integer = false;       ///< rows_ hold the input
    bool integerTiles = false;  ///< and there are panels to multiply it with
    bool bfloat = false;        ///< bfloats_ hold the input
    [[nodiscard]] std::int64_t tileTokens(DType type) const {
        if (integerTiles && !isPlainFloat(type)) return kIntegerTileTokens;
        return bfloat && isBfloatSource(type) ? kBfloatTileTokens : kFloatTileTokens;
    }
};

Result<Matmul> Matmul::create(const KernelTable& kernels, ThreadPool& pool, Limits limits) {
    Matmul matmul(kernels, pool);
    LACUNA_TRY_STATUS(matmul.allocate(limits));
    return matmul;
}

Status Matmul::allocate(Limits limits) {
    const auto tokens = static_cast<std::size_t>(limits.maxTokens);
    const auto columns = static_cast<std::size_t>((limits.maxColumns + 31) / 32 * 32);
    panelStride_ = static_cast<std::size_t>(panelBytes(kChunk));
    LACUNA_TRY(panels_,
               Buffer::allocate(panelStride_ * static_cast<std::size_t>(pool_->threads())));
    if (kernels_->quantise != nullptr) {
        const std::size_t cells = (tokens * columns + 511) / 512 * 512;
        LACUNA_TRY(quantised_, Buffer::allocate(QuantisedRows::bytes(cells)));
        rows_ = QuantisedRows::in(quantised_.data(), cells);
    }
    if (kernels_->tileBfloat != nullptr) {
        LACUNA_TRY(bfloats_, Buffer::allocate(tokens * columns * sizeof(std::uint16_t)));
    }
    return {};
}

std::size_t Matmul::scratchBytes() const {
    return panels_.size() + quantised_.size() + bfloats_.size();
}

void Matmul::multiply(View<const float, 2> x, std::span<const MatmulProduct> products,
                      MatmulPrecision precision) {
    if (x.extent(0) == 0) return;
    Job job{x, products};
    job.integerTiles = precision == MatmulPrecision::Fast && kernels_->tileInteger != nullptr;
    for (const MatmulProduct& product : products) {
        job.units += unitsOf(product);
        if (precision == MatmulPrecision::Exact) continue;
        job.integer |= kernels_->dotRowsInteger[kernelIndex(product.weights.type)] != nullptr &&
                       (job.integerTiles || x.extent(0) < kFloatTileTokens);
        job.bfloat |= isBfloatSource(product.weights.type) && kernels_->tileBfloat != nullptr &&
                      x.extent(0) >= kBfloatTileTokens;
    }
    prepareInput(job);
    const auto share = [this, &job](int part) { multiplyShare(job, part); };
    pool_->parallelFor(pool_->threads(), std::cref(share));
}

void Matmul::prepareInput(const Job& job) {
    rows_.columns = job.x.extent(1);
    if (!job.integer && !job.bfloat) return;
    const std::int64_t tokens = job.x.extent(0);
    if (tokens < kSharedRows) {
        for (std::int64_t t = 0; t < tokens; ++t) prepareRow(job, t);
        return;
    }
    const auto row = [this, &job](int t) { prepareRow(job, t); };
    pool_->parallelFor(static_cast<int>(tokens), std::cref(row));
}

void Matmul::prepareRow(const Job& job, std::int64_t token) {
    const std::int64_t columns = job.x.extent(1);
    const float* x = job.x.data() + token * columns;
    if (job.integer) kernels_->quantise(x, rows_.at(token, 0), columns);
    if (job.bfloat) {
        const std::int64_t stride = (columns + 1) / 2 * 2;
        std::uint16_t* out = bfloats_.as<std::uint16_t>().data() + token * stride;
        kernels_->toBfloat(x, out, columns);
        if (stride > columns) out[columns] = 0;
    }
}

void Matmul::multiplyShare(const Job& job, int share) const {
    const std::int64_t threads = pool_->threads();
    const std::int64_t last = (share + 1) * job.units / threads;
    std::byte* panel =
        const_cast<std::byte*>(panels_.data()) + static_cast<std::size_t>(share) * panelStride_;
    std::int64_t before = 0;  // units of the products passed so far
    for (const MatmulProduct& product : job.products) {
        const std::int64_t units = unitsOf(product);
        const std::int64_t begin = std::max<std::int64_t>(share * job.units / threads - before, 0);
        const std::int64_t end = std::min(last - before, units);
        before += units;
        for (std::int64_t unit = begin; unit < end; ++unit) {
            const std::int64_t first = unit * kRowsPerUnit;
            const RowRange range{first, std::min(kRowsPerUnit, product.weights.rows - first)};
            if (job.x.extent(0) < job.tileTokens(product.weights.type)) {
                dotUnit(job, product, range);
            } else {
                multiplyUnit(job, product, range, panel);
            }
        }
    }
}

bool Matmul::usesIntegers(const Job& job, DType type) const {
    return job.integer && kernels_->dotRowsInteger[kernelIndex(type)] != nullptr;
}

void Matmul::dotUnit(const Job& job, const MatmulProduct& product, RowRange range) const {
    const MatrixRef& w = product.weights;
    const auto stride =
        static_cast<std::int64_t>(rowBytes(w.type, static_cast<std::uint64_t>(w.columns)));
    const RowBlock block{w.data + range.first * stride, stride, range.count, w.columns};
    for (std::int64_t t = 0; t < job.x.extent(0); ++t) {
        float* out = product.out + t * w.rows + range.first;
        if (usesIntegers(job, w.type)) {
            kernels_->dotRowsInteger[kernelIndex(w.type)](block, rows_.at(t, 0), out);
        } else {
            kernels_->dotRows[kernelIndex(w.type)](block, job.x.data() + t * w.columns, out);
        }
    }
}

void Matmul::multiplyUnit(const Job& job, const MatmulProduct& product, RowRange range,
                          std::byte* panel) const {
    const MatrixRef& w = product.weights;
    const auto stride =
        static_cast<std::int64_t>(rowBytes(w.type, static_cast<std::uint64_t>(w.columns)));
    const bool integer =
        usesIntegers(job, w.type) && kernels_->packInteger[kernelIndex(w.type)] != nullptr;
    const bool bfloat = job.bfloat && isBfloatSource(w.type);
    const std::int64_t panelRows = integer || bfloat ? kMaxPanelRows : kernels_->panelRows;
    const std::int64_t tokens = job.x.extent(0);
    for (std::int64_t row = 0; row < range.count; row += panelRows) {
        const int width = static_cast<int>(std::min(panelRows, range.count - row));
        float* out = product.out + range.first + row;
        for (std::int64_t at = 0; at < w.columns; at += kChunk) {
            const std::int64_t depth = std::min(kChunk, w.columns - at);
            const std::byte* rows = w.data + (range.first + row) * stride +
                                    rowBytes(w.type, static_cast<std::uint64_t>(at));
            const PanelSource source{w.type, rows, stride, depth, width};
            const TileStore store = at == 0 ? TileStore::Replace : TileStore::Accumulate;
            if (integer) {
                kernels_->packInteger[kernelIndex(w.type)](source, panel);
                kernels_->tileInteger(
                    {w.type, rows_.at(0, at), panel, out, w.rows, depth, tokens, width, store});
            } else if (bfloat) {
                const std::int64_t aStride = (w.columns + 1) / 2 * 2;
                const std::uint16_t* a = bfloats_.as<std::uint16_t>().data() + at;
                kernels_->packBfloat(source, panel);
                kernels_->tileBfloat({a, aStride, panel, out, w.rows, depth, tokens, width, store});
            } else {
                auto* floats = reinterpret_cast<float*>(panel);
                kernels_->packFloat(source, floats);
                kernels_->tileFloat({job.x.data() + at, w.columns, floats, panelRows, out, w.rows,
                                     depth, tokens, width, store});
            }
        }
    }
}

}  // namespace lacuna
