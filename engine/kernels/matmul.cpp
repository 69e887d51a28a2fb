#include "engine/kernels/matmul.h"

#include <algorithm>
#include <array>
#include <functional>

#include "engine/base/check.h"

namespace lacuna {
namespace {

// Fewer tokens than this are multiplied one by one with the weights in place: packing a panel costs
// about as much as this many products with it (measured on a Zen 5 core).
constexpr std::int64_t kIntegerTileTokens = 3;
constexpr std::int64_t kBfloatTileTokens = 8;
constexpr std::int64_t kFloatTileTokens = 12;
// Fewer tokens than this are multiplied with a group at once, without a panel (measured: faster
// than a panel for 2 to 12 tokens).
constexpr std::int64_t kGroupIntegerTileTokens = 13;
// Upper bound of input rows multiplied without a panel: fewer than kGroupIntegerTileTokens tokens
// in two terms.
constexpr std::int64_t kMaxDotRows = 2 * kGroupIntegerTileTokens;
constexpr std::int64_t kGroupBfloatTileTokens = 4;
// From this number on, all threads prepare the input rows.
constexpr std::int64_t kSharedRows = 4;
constexpr std::int64_t kRowsPerUnit = kMaxPanelRows;
constexpr int kShares = 4;  // per thread
constexpr int kTileShares = 12;
constexpr std::int64_t kUnitsWorthAShare = 4;

bool isBfloatSource(DType type) {
    return type == DType::F16 || type == DType::BF16;
}

std::int64_t bfloatTileTokens(RowLayout order) {
    return order == RowLayout::Groups ? kGroupBfloatTileTokens : kBfloatTileTokens;
}

std::int64_t unitsOf(const MatmulProduct& product) {
    return (product.weights.rows + kRowsPerUnit - 1) / kRowsPerUnit;
}

std::int64_t strideOf(const MatrixRef& weights) {
    return static_cast<std::int64_t>(
        rowBytes(weights.type, static_cast<std::uint64_t>(weights.columns)));
}

// Returns the stride of input rows as bfloat16: even, plus a cache line. A tile reads twelve rows
// in parallel, which a power of two would map to the same few lines of the first-level cache.
std::int64_t bfloatStride(std::int64_t columns) {
    return (columns + 1) / 2 * 2 + 32;
}

// Returns the bytes of a group, or the rows of a panel, restored to plain rows: at most two per
// number.
std::int64_t plainBytes(std::int64_t groupedColumns) {
    if (groupedColumns == 0) return 0;
    return 2 * std::max(kGroupRows * groupedColumns, kMaxPanelRows * kProductChunk);
}

/// Converts groups to rows of `source.columns` in `rows`.
PanelSource plainRows(const PanelSource& source, std::byte* rows) {
    PanelSource plain = source;
    plain.rows = rows;
    plain.rowStride = static_cast<std::int64_t>(
        rowBytes(source.type, static_cast<std::uint64_t>(source.columns)));
    for (int row = 0; row < source.rowCount; row += kGroupRows)
        ungroupRows(source.type, source.rows + row * source.rowStride, source.columns,
                    std::min(kGroupRows, source.rowCount - row), rows + row * plain.rowStride,
                    plain.rowStride);
    return plain;
}

}  // namespace

/// One call of multiply, as the threads see it.
struct Matmul::Job {
    View<const float, 2> x;
    std::span<const MatmulProduct> products;
    const KernelTable* kernels = nullptr;
    int shares = 1;
    std::int64_t units = 0;  ///< panels of kMaxPanelRows rows over all products
    bool exact = false;
    bool integer = false;       ///< rows_ hold the input
    bool twoTerms = false;      ///< in two terms
    bool integerTiles = false;  ///< there are panels for the integer product
    bool bfloat = false;        ///< bfloats_ hold the input
    [[nodiscard]] std::int64_t tileTokens(const MatrixRef& weights) const {
        const bool groups = weights.order == RowLayout::Groups &&
                            kernels->dotGroupsInteger[kernelIndex(weights.type)] != nullptr;
        if (integerTiles && !isPlainFloat(weights.type)) {
            // A panel pays off with the number of rows multiplied with it.
            const std::int64_t rows = groups ? kGroupIntegerTileTokens : kIntegerTileTokens;
            return twoTerms ? (rows + 1) / 2 : rows;
        }
        // Panels have the same floats for any row order, and packing groups is many times faster
        // than packing plain rows.
        if (exact && kernels->packFloatGroups[kernelIndex(weights.type)] != nullptr) return 1;
        if (!bfloat || !isBfloatSource(weights.type)) return kFloatTileTokens;
        return bfloatTileTokens(weights.order);
    }
};

Result<Matmul> Matmul::create(const KernelTable& kernels, ThreadPool& pool, Limits limits) {
    Matmul matmul(kernels, pool);
    LACUNA_TRY_STATUS(matmul.allocate(limits));
    return matmul;
}

Status Matmul::allocate(Limits limits) {
    limits_ = limits;
    const auto tokens = static_cast<std::size_t>(limits.maxTokens);
    const auto threads = static_cast<std::size_t>(pool_->threads());
    const auto columns = static_cast<std::size_t>((limits.maxColumns + 31) / 32 * 32);
    panelStride_ =
        static_cast<std::size_t>(panelBytes(kProductChunk) + plainBytes(limits.maxGroupedColumns));
    LACUNA_TRY(panels_, Buffer::allocate(panelStride_ * threads));
    if (kernels_->quantise != nullptr) {
        const std::size_t rows = limits.twoTerms ? 2 * tokens : tokens;
        const std::size_t cells = (rows * columns + 511) / 512 * 512;
        LACUNA_TRY(quantised_, Buffer::allocate(QuantisedRows::bytes(cells)));
        rows_ = QuantisedRows::in(quantised_.data(), cells);
    }
    if (kernels_->quantise != nullptr && limits.twoTerms) {
        LACUNA_TRY(remainders_, Buffer::allocate(threads * columns * sizeof(float)));
        LACUNA_TRY(seconds_, Buffer::allocate(threads * tokens * kMaxPanelRows * sizeof(float)));
    }
    if (kernels_->tileBfloat != nullptr) {
        const auto stride = static_cast<std::size_t>(bfloatStride(limits.maxColumns));
        LACUNA_TRY(bfloats_, Buffer::allocate(tokens * stride * sizeof(std::uint16_t)));
    }
    return {};
}

std::size_t Matmul::scratchBytes() const {
    return panels_.size() + quantised_.size() + remainders_.size() + seconds_.size() +
           bfloats_.size();
}

void Matmul::multiply(View<const float, 2> x, std::span<const MatmulProduct> products,
                      Precision precision) {
    if (x.extent(0) == 0) return;
    Job job{x, products, kernels_};
    job.exact = precision == Precision::Exact;
    job.twoTerms = precision == Precision::TwoTerms;
    LACUNA_REQUIRE(!job.twoTerms || limits_.twoTerms, "there is room for two terms");
    job.integerTiles = !job.exact && kernels_->tileInteger != nullptr;
    for (const MatmulProduct& product : products) {
        job.units += unitsOf(product);
        if (job.exact) continue;
        job.integer |= kernels_->dotRowsInteger[kernelIndex(product.weights.type)] != nullptr &&
                       (job.integerTiles || x.extent(0) < kFloatTileTokens);
        if (job.twoTerms) continue;
        job.bfloat |= isBfloatSource(product.weights.type) && kernels_->tileBfloat != nullptr &&
                      x.extent(0) >= bfloatTileTokens(product.weights.order);
    }
    prepareInput(job);
    job.shares = sharesOf(job);
    const auto share = [this, &job](int part) { multiplyShare(job, part); };
    pool_->parallelFor(job.shares, std::cref(share));
}

// More shares than threads, so that other threads take over from a delayed one at the end.
int Matmul::sharesOf(const Job& job) const {
    const int threads = pool_->threads();
    if (threads == 1) return 1;
    const bool tiles = std::ranges::any_of(job.products, [&](const MatmulProduct& product) {
        return job.x.extent(0) >= job.tileTokens(product.weights);
    });
    const std::int64_t most = tiles ? job.units : job.units / kUnitsWorthAShare;
    return static_cast<int>(
        std::clamp<std::int64_t>(most, threads, (tiles ? kTileShares : kShares) * threads));
}

void Matmul::prepareInput(const Job& job) {
    rows_.columns = job.x.extent(1);
    if (!job.integer && !job.bfloat) return;
    const std::int64_t tokens = job.x.extent(0);
    if (tokens < kSharedRows) {
        for (std::int64_t t = 0; t < tokens; ++t) prepareRow(job, t);
        return;
    }
    const std::int64_t parts = std::min<std::int64_t>(tokens, kShares * pool_->threads());
    const auto rows = [&](int part) {
        for (std::int64_t t = part * tokens / parts; t < (part + 1) * tokens / parts; ++t)
            prepareRow(job, t);
    };
    pool_->parallelFor(static_cast<int>(parts), std::cref(rows));
}

void Matmul::prepareRow(const Job& job, std::int64_t token) {
    const std::int64_t columns = job.x.extent(1);
    const float* x = job.x.data() + token * columns;
    if (job.integer) quantiseRow(job, token);
    if (job.bfloat) {
        std::uint16_t* out = bfloats_.as<std::uint16_t>().data() + token * bfloatStride(columns);
        kernels_->toBfloat(x, out, columns);
        if (columns % 2 != 0) out[columns] = 0;
    }
}

void Matmul::quantiseRow(const Job& job, std::int64_t token) {
    const std::int64_t columns = job.x.extent(1);
    const float* x = job.x.data() + token * columns;
    const QuantisedRows first = rows_.at(token, 0);
    kernels_->quantise(x, first, columns);
    if (!job.twoTerms) return;
    const ScratchIndices::Place place = places_.take();
    float* const left = remainders_.as<float>().data() + place.index() * limits_.maxColumns;
    kernels_->remainder(x, first, left, columns);
    kernels_->quantise(left, rows_.at(job.x.extent(0) + token, 0), columns);
}

void Matmul::multiplyShare(const Job& job, int share) const {
    const std::int64_t last = (share + 1) * job.units / job.shares;
    const ScratchIndices::Place place = places_.take();
    auto* const memory = const_cast<std::byte*>(panels_.data()) +
                         static_cast<std::size_t>(place.index()) * panelStride_;
    Scratch scratch{memory, memory + panelBytes(kProductChunk)};
    if (job.twoTerms && job.integer)
        scratch.second = const_cast<float*>(seconds_.as<float>().data()) +
                         place.index() * limits_.maxTokens * kMaxPanelRows;
    std::int64_t before = 0;  // units of the previous products
    for (const MatmulProduct& product : job.products) {
        const std::int64_t units = unitsOf(product);
        const std::int64_t begin =
            std::max<std::int64_t>(share * job.units / job.shares - before, 0);
        const std::int64_t end = std::min(last - before, units);
        before += units;
        for (std::int64_t unit = begin; unit < end; ++unit) {
            const std::int64_t first = unit * kRowsPerUnit;
            const RowRange range{first, std::min(kRowsPerUnit, product.weights.rows - first)};
            if (job.x.extent(0) < job.tileTokens(product.weights)) {
                dotUnit(job, product, range, scratch);
            } else {
                multiplyUnit(job, product, range, scratch);
            }
            if (product.weights.scale != 1.0F) scaleUnit(job, product, range);
        }
    }
}

void Matmul::scaleUnit(const Job& job, const MatmulProduct& product, RowRange range) const {
    for (std::int64_t t = 0; t < job.x.extent(0); ++t)
        kernels_->scale(product.out + t * product.weights.rows + range.first, product.weights.scale,
                        range.count);
}

bool Matmul::usesIntegers(const Job& job, DType type) const {
    return job.integer && kernels_->dotRowsInteger[kernelIndex(type)] != nullptr;
}

// Returns whether there are functions for the groups of a matrix, for dot products or tiles.
bool Matmul::hasGroups(const Job& job, const MatrixRef& weights, bool tiles) const {
    const std::size_t type = kernelIndex(weights.type);
    if (tiles && job.bfloat && isBfloatSource(weights.type))
        return kernels_->packBfloatGroups != nullptr;
    if (tiles && job.integerTiles && usesIntegers(job, weights.type))
        return kernels_->packGroupsInteger[type] != nullptr;
    if (tiles) return kernels_->packFloatGroups[type] != nullptr;
    if (job.exact) return false;  // sums in the order of plain rows, for any row order
    if (usesIntegers(job, weights.type)) return kernels_->dotGroupsInteger[type] != nullptr;
    return kernels_->dotGroups[type] != nullptr;
}

void Matmul::dotRange(const Job& job, const RowBlock& rows, const MatrixRef& weights,
                      float* out) const {
    const std::size_t type = kernelIndex(weights.type);
    if (job.twoTerms && usesIntegers(job, weights.type))
        return dotTwoTerms(job, rows, weights, out);
    const bool groups = weights.order == RowLayout::Groups && hasGroups(job, weights, false);
    if (groups && usesIntegers(job, weights.type))
        return kernels_->dotGroupsInteger[type](rows, rows_.at(0, 0),
                                                {out, weights.rows, job.x.extent(0)});
    for (std::int64_t t = 0; t < job.x.extent(0); ++t, out += weights.rows) {
        const float* x = job.x.data() + t * weights.columns;
        if (usesIntegers(job, weights.type)) {
            kernels_->dotRowsInteger[type](rows, rows_.at(t, 0), out);
        } else {
            const auto dot = groups ? kernels_->dotGroups[type] : kernels_->dotRows[type];
            dot(rows, x, out);
        }
    }
}

void Matmul::dotTwoTerms(const Job& job, const RowBlock& rows, const MatrixRef& weights,
                         float* out) const {
    const std::size_t type = kernelIndex(weights.type);
    const std::int64_t tokens = job.x.extent(0);
    std::array<float, kMaxDotRows * kMaxPanelRows> both;
    if (weights.order == RowLayout::Groups && hasGroups(job, weights, false)) {
        kernels_->dotGroupsInteger[type](rows, rows_.at(0, 0),
                                         {both.data(), kMaxPanelRows, 2 * tokens});
    } else {
        for (std::int64_t row = 0; row < 2 * tokens; ++row)
            kernels_->dotRowsInteger[type](rows, rows_.at(row, 0),
                                           both.data() + row * kMaxPanelRows);
    }
    for (std::int64_t t = 0; t < tokens; ++t, out += weights.rows) {
        const float* const first = both.data() + t * kMaxPanelRows;
        const float* const second = first + tokens * kMaxPanelRows;
        for (std::int64_t row = 0; row < rows.count; ++row) out[row] = first[row] + second[row];
    }
}

void Matmul::dotUnit(const Job& job, const MatmulProduct& product, RowRange range,
                     const Scratch& scratch) const {
    const MatrixRef& w = product.weights;
    const std::int64_t stride = strideOf(w);
    const std::byte* data = w.data + range.first * stride;
    float* const out = product.out + range.first;
    if (w.order == RowLayout::Plain || hasGroups(job, w, false))
        return dotRange(job, {data, stride, range.count, w.columns}, w, out);
    for (std::int64_t row = 0; row < range.count; row += kGroupRows) {
        const std::int64_t count = std::min<std::int64_t>(kGroupRows, range.count - row);
        ungroupRows(w.type, data + row * stride, w.columns, static_cast<int>(count), scratch.rows,
                    stride);
        dotRange(job, {scratch.rows, stride, count, w.columns}, w, out + row);
    }
}

void Matmul::multiplyUnit(const Job& job, const MatmulProduct& product, RowRange range,
                          const Scratch& scratch) const {
    const MatrixRef& w = product.weights;
    const std::int64_t stride = strideOf(w);
    const bool groups = w.order == RowLayout::Groups;
    for (std::int64_t at = 0; at < w.columns; at += kProductChunk) {
        const std::int64_t depth = std::min(kProductChunk, w.columns - at);
        const auto before =
            static_cast<std::int64_t>(rowBytes(w.type, static_cast<std::uint64_t>(at)));
        PanelSource source{w.type,
                           w.data + range.first * stride + before * (groups ? kGroupRows : 1),
                           stride, depth, static_cast<int>(range.count)};
        if (groups && !hasGroups(job, w, true)) source = plainRows(source, scratch.rows);
        multiplyPanel(job, w, source, at, scratch, product.out + range.first);
    }
    if (job.twoTerms && hasIntegerTiles(job, w.type))
        addSecond(job, w, range.count, scratch, product.out + range.first);
}

// Same order as dotTwoTerms: each term is summed over all columns first.
void Matmul::addSecond(const Job& job, const MatrixRef& w, std::int64_t rows,
                       const Scratch& scratch, float* out) const {
    for (std::int64_t t = 0; t < job.x.extent(0); ++t)
        kernels_->addTo(out + t * w.rows, scratch.second + t * kMaxPanelRows, rows);
}

bool Matmul::hasIntegerTiles(const Job& job, DType type) const {
    return job.integerTiles && usesIntegers(job, type) &&
           kernels_->packInteger[kernelIndex(type)] != nullptr;
}

// Multiplies columns [column, column + depth) of up to kMaxPanelRows rows.
void Matmul::multiplyPanel(const Job& job, const MatrixRef& w, const PanelSource& source,
                           std::int64_t column, const Scratch& scratch, float* out) const {
    const std::size_t type = kernelIndex(w.type);
    const std::int64_t tokens = job.x.extent(0);
    const std::int64_t depth = source.columns;
    const TileStore store = column == 0 ? TileStore::Replace : TileStore::Accumulate;
    const bool groups = w.order == RowLayout::Groups && hasGroups(job, w, true);
    std::byte* const panel = scratch.panel;
    if (hasIntegerTiles(job, w.type)) {
        (groups ? kernels_->packGroupsInteger : kernels_->packInteger)[type](source, panel);
        kernels_->tileInteger({w.type, rows_.at(0, column), panel, out, w.rows, depth, tokens,
                               source.rowCount, store});
        if (job.twoTerms)
            kernels_->tileInteger({w.type, rows_.at(tokens, column), panel, scratch.second,
                                   kMaxPanelRows, depth, tokens, source.rowCount, store});
        return;
    }
    if (job.bfloat && isBfloatSource(w.type)) {
        const std::int64_t aStride = bfloatStride(w.columns);
        const std::uint16_t* a = bfloats_.as<std::uint16_t>().data() + column;
        (groups ? kernels_->packBfloatGroups : kernels_->packBfloat)(source, panel);
        return kernels_->tileBfloat(
            {a, aStride, panel, out, w.rows, depth, tokens, source.rowCount, store});
    }
    const int width = kernels_->panelRows;
    auto* floats = reinterpret_cast<float*>(panel);
    for (int row = 0; row < source.rowCount; row += width) {
        PanelSource part = source;
        part.rows += row * source.rowStride;
        part.rowCount = std::min(width, source.rowCount - row);
        (groups ? kernels_->packFloatGroups[type] : kernels_->packFloat)(part, floats);
        kernels_->tileFloat({job.x.data() + column, w.columns, floats, width, out + row, w.rows,
                             depth, tokens, part.rowCount, store});
    }
}

}  // namespace lacuna
