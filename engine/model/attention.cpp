#include "engine/model/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "engine/kernels/rotation.h"
#include "engine/model/attention_block.h"
#include "engine/model/attention_rows.h"
#include "engine/model/attention_task.h"

namespace lacuna {
namespace {

constexpr int kQueryRows = 192;  // query rows of one task: sixteen register tiles
// From this many rows on, packing a block of keys costs less than reading it once per query row.
constexpr int kTileRows = 12;
// Rounding to bfloat16 pays off for full tasks of a prompt; a few rows stay in float.
constexpr int kBfloatRows = 48;
// A long context is split so that threads share it evenly for any number of heads.
constexpr int kPartSlots = 1024;
constexpr int kMaxParts = 8;
constexpr int kShares = 8;  // per thread
// With few query rows the score buffer has room for more slots: queries are rounded and weights
// scaled once for the larger block.
constexpr int kFewRowsSlots = 4 * kBlockSlots;
static_assert((kTileRows - 1) * kFewRowsSlots <= kQueryRows * kBlockSlots);
// Largest share of a query row's weight that skipped coded values may have, and how many slots are
// skipped together: those that share the step of their rounded weights.
constexpr float kNegligible = 1e-3F;
constexpr int kNegligibleSlots = 64;
// Number of slots from which the search for negligible weights pays off. Most heads attend to the
// first slots most, so a part without them uses their scores as a reference for its own weights.
constexpr int kManySlots = 16384;
constexpr int kFirstSlots = 16;
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
// 16-bit rows are not in a CPU cache when they are needed, so this many are prefetched.
constexpr std::size_t kRowsAhead = 12;
constexpr std::size_t kLine = 64;
constexpr int kPairBytes = 2 * kMaxPanelRows * int{sizeof(std::uint16_t)};  // of a packed panel

void fetchRow(const std::byte* row, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(row + at);
}

/// Copies a few cache lines without a function call per row.
void copyRow(std::byte* to, const std::byte* from, std::size_t bytes) {
    std::size_t at = 0;
    for (; at + kLine <= bytes; at += kLine) std::memcpy(to + at, from + at, kLine);
    if (at < bytes) std::memcpy(to + at, from + at, bytes - at);
}

std::size_t roundUp(std::size_t n, std::size_t step) {
    return (n + step - 1) / step * step;
}

}  // namespace

/// Buffers of one share of the work.
struct Attention::Scratch {
    int slots;                   ///< number of slots in a block of the current task
    float* queries;              ///< [rows, headDim], scaled
    float* scores;               ///< [rows, slots]
    float* sums;                 ///< [rows, valueStride] weighted values so far
    float* keys;                 ///< packed panels of one block
    float* values;               ///< [kBlockSlots, valueStride]
    float* top;                  ///< [rows] largest score so far
    float* mass;                 ///< [rows] sum of weights so far
    float* floor;                ///< [rows] lower bound of the logarithm of all mass
    std::uint16_t* queryBits;    ///< [rows, dim rounded up to even] as bfloat16
    std::uint16_t* weightBits;   ///< [rows, slots] as bfloat16
    float* decoded;              ///< [kBlockSlots, headDim] coded keys or values
    float* exactScores;          ///< [rows, slots] scores of the 16-bit rows of the block
    std::byte* exactRows;        ///< [kFewRowsSlots, headDim] f16, those 16-bit rows
    std::uint16_t* decodedBits;  ///< the same as bfloat16
};

Attention::Attention(const KernelTable& kernels, ThreadPool& pool)
    : kernels_(&kernels), pool_(&pool), places_(pool.threads()) {}

void Attention::setShape(AttentionShape shape) {
    shape_ = shape;
    if (shape.valueDim == 0) shape_.valueDim = shape.headDim;
    valueStride_ = static_cast<std::int64_t>(roundUp(
        static_cast<std::size_t>(shape_.valueDim), static_cast<std::size_t>(kernels_->panelRows)));
}

std::size_t Attention::shareRows() const {
    return static_cast<std::size_t>(std::max(kQueryRows, shape_.group()));
}

std::size_t Attention::shareSize() const {
    const auto dim = static_cast<std::size_t>(shape_.headDim);
    const auto stride = static_cast<std::size_t>(valueStride_);
    const std::size_t rows = shareRows();
    const std::size_t floats = rows * (dim + 2 * kBlockSlots + stride + 3) +
                               kBlockSlots * (2 * dim + stride) + kFewRowsSlots * ((dim + 1) / 2) +
                               roundUp(rows * (dim + 1 + kBlockSlots) + kBlockSlots * dim, 2) / 2;
    return roundUp(floats, 16);
}

std::size_t Attention::partsSize() const {
    return partRows() * kMaxParts * static_cast<std::size_t>(shape_.kvHeads) *
           (static_cast<std::size_t>(valueStride_) + 2);
}

Result<Attention> Attention::create(const KernelTable& kernels, ThreadPool& pool,
                                    std::span<const AttentionShape> shapes, Precision precision) {
    Attention attention(kernels, pool);
    attention.precision_ = precision;
    attention.bfloat_ = precision == Precision::Fast && kernels.packBfloatPairs != nullptr;
    std::size_t parts = 0;
    for (const AttentionShape& shape : shapes) {
        attention.setShape(shape);
        attention.floatsPerShare_ = std::max(attention.floatsPerShare_, attention.shareSize());
        parts = std::max(parts, attention.partsSize());
    }
    LACUNA_TRY(attention.scratch_, Buffer::allocate(attention.floatsPerShare_ * sizeof(float) *
                                                    static_cast<std::size_t>(pool.threads())));
    std::ranges::fill(attention.scratch_.as<float>(), 0.0F);
    LACUNA_TRY(attention.parts_, Buffer::allocate(parts * sizeof(float)));
    return attention;
}

Attention::Scratch Attention::scratchOf(int share) {
    const auto dim = static_cast<std::size_t>(shape_.headDim);
    const auto stride = static_cast<std::size_t>(valueStride_);
    const std::size_t rows = shareRows();
    float* at = scratch_.as<float>().data() + static_cast<std::size_t>(share) * floatsPerShare_;
    const auto take = [&at](std::size_t floats) { return std::exchange(at, at + floats); };
    Scratch s{};
    s.keys = take(kBlockSlots * dim);
    s.values = take(kBlockSlots * stride);
    s.scores = take(rows * kBlockSlots);
    s.sums = take(rows * stride);
    s.queries = take(rows * dim);
    s.top = take(rows);
    s.mass = take(rows);
    s.floor = take(rows);
    s.decoded = take(kBlockSlots * dim);
    s.exactScores = take(rows * kBlockSlots);
    s.exactRows = reinterpret_cast<std::byte*>(take(kFewRowsSlots * ((dim + 1) / 2)));
    s.queryBits = reinterpret_cast<std::uint16_t*>(at);
    s.weightBits = s.queryBits + rows * ((dim + 1) / 2 * 2);
    s.decodedBits = s.weightBits + rows * kBlockSlots;
    return s;
}

std::size_t Attention::partRows() const {
    return static_cast<std::size_t>(std::max(kTileRows - 1, shape_.group()));
}

Attention::PartRows Attention::partOf(int kvHead, int part) {
    const std::size_t rows = partRows();
    const auto stride = static_cast<std::size_t>(valueStride_);
    float* at = parts_.as<float>().data() +
                static_cast<std::size_t>(kvHead * kMaxParts + part) * rows * (stride + 2);
    return {at, at + rows * stride, at + rows * (stride + 1)};
}

int Attention::partsFor(std::span<const KvHeadView> heads, const AttentionQueries& queries) const {
    const auto rows =
        static_cast<std::size_t>(queries.rows.extent(0)) * static_cast<std::size_t>(shape_.group());
    if (rows > partRows()) return 1;
    int longest = 0;
    for (const KvHeadView& head : heads) longest = std::max(longest, head.slots);
    if (queries.rule.window > 0) longest = std::min(longest, queries.rule.window);
    return std::clamp(longest / kPartSlots, 1, kMaxParts);
}

void Attention::run(std::span<const KvHeadView> heads, const AttentionQueries& queries,
                    View<float, 3> out) {
    setShape({.heads = static_cast<int>(queries.rows.extent(1)),
              .kvHeads = static_cast<int>(heads.size()),
              .headDim = static_cast<int>(queries.rows.extent(2)),
              .valueDim = static_cast<int>(out.extent(2))});
    const int group = shape_.group();
    const int tokens = static_cast<int>(queries.rows.extent(0));
    const int perTask = std::max(1, kQueryRows / group);
    const int parts = partsFor(heads, queries);
    const int blocks = parts > 1 ? 1 : (tokens + perTask - 1) / perTask;
    const int perHead = blocks * parts;
    const auto taskAt = [&](int i) {
        const int head = i / perHead;
        const int first = parts > 1 ? 0 : i % blocks * perTask;
        const int count = parts > 1 ? tokens : std::min(perTask, tokens - first);
        const SlotPart part{parts > 1 ? i % parts : 0, parts};
        return AttentionTask{
            &heads[static_cast<std::size_t>(head)], &queries, out, head, group, first, count, part};
    };
    const int tasks = shape_.kvHeads * perHead;
    // Several shares per thread: tasks differ by the slots they see, and a thread may be delayed.
    const int shares = std::min(tasks, kShares * pool_->threads());
    const auto share = [&](int index) {
        const ScratchIndices::Place place = places_.take();
        Scratch scratch = scratchOf(place.index());
        for (int i = index * tasks / shares; i < (index + 1) * tasks / shares; ++i)
            runTask(taskAt(i), scratch);
    };
    pool_->parallelFor(shares, std::cref(share));
    if (parts == 1) return;
    Scratch scratch = scratchOf(0);
    for (int head = 0; head < shape_.kvHeads; ++head) joinParts(taskAt(head * parts), scratch);
}

void Attention::runTask(const AttentionTask& task, Scratch& scratch) {
    gatherQueries(task, scratch);
    scratch.slots = task.rows() < kTileRows ? kFewRowsSlots : kBlockSlots;
    const SeenSlots slots = task.slots();
    if (task.part.index > 0 && skipsValues(task)) findFloor(task, scratch);
    for (int slot = slots.first; slot < slots.last; slot += scratch.slots) {
        const int count = std::min(scratch.slots, slots.last - slot);
        if (!task.reaches(slot, count)) continue;
        const ExactBlock exact(task, slot, count);
        scoreBlock(task, scratch, exact);
        if (task.queries->rule.softCap != 0.0F) capBlock(task, scratch, count);
        softmaxBlock(task, scratch, slot, count);
        addValues(task, scratch, exact);
    }
    if (task.part.count == 1) return writeOut(task, scratch);
    const PartRows kept = partOf(task.kvHead, task.part.index);
    std::copy_n(scratch.sums, task.rows() * valueStride_, kept.sums);
    std::copy_n(scratch.top, task.rows(), kept.top);
    std::copy_n(scratch.mass, task.rows(), kept.mass);
}

// Each sum has its own largest score and is scaled down to the largest of all.
void Attention::joinParts(const AttentionTask& task, Scratch& scratch) {
    for (int row = 0; row < task.rows(); ++row) {
        float* sums = scratch.sums + row * valueStride_;
        std::fill_n(sums, valueStride_, 0.0F);
        scratch.mass[row] = 0.0F;
        float top = kMinusInfinity;
        for (int i = 0; i < task.part.count; ++i)
            top = std::max(top, partOf(task.kvHead, i).top[row]);
        for (int i = 0; i < task.part.count; ++i) {
            const PartRows part = partOf(task.kvHead, i);
            if (part.top[row] == kMinusInfinity) continue;  // it saw no slot
            const float weight = std::exp(part.top[row] - top);
            const std::byte* values =
                reinterpret_cast<const std::byte*>(part.sums + row * valueStride_);
            kernels_->addWeightedRows[kernelIndex(DType::F32)]({values, 0, 1, valueStride_},
                                                               &weight, sums);
            scratch.mass[row] += weight * part.mass[row];
        }
        scratch.top[row] = top;
    }
    writeOut(task, scratch);
}

void Attention::gatherQueries(const AttentionTask& task, Scratch& scratch) const {
    const int dim = shape_.headDim;
    for (int row = 0; row < task.rows(); ++row) {
        const std::int64_t token = task.firstToken + row / task.group;
        const std::int64_t head = task.kvHead * task.group + row % task.group;
        const float* query = task.queries->rows.data() + (token * shape_.heads + head) * dim;
        float* target = scratch.queries + row * dim;
        std::copy_n(query, dim, target);
        kernels_->scale(target, task.queries->rule.scale, dim);
        std::fill_n(scratch.sums + row * valueStride_, valueStride_, 0.0F);
        scratch.top[row] = kMinusInfinity;
        scratch.mass[row] = 0.0F;
        scratch.floor[row] = kMinusInfinity;
    }
    if (task.view->keyRotation != nullptr)
        task.view->keyRotation->turn({scratch.queries, dim, scratch.queries, dim, task.rows()});
    if (usesBfloat(task)) roundRows(scratch.queries, dim, dim, task.rows(), scratch.queryBits);
}

bool Attention::usesBfloat(const AttentionTask& task) const {
    const DType type = task.view->type;
    return bfloat_ && task.rows() >= kBfloatRows && (type == DType::F16 || type == DType::BF16);
}

// Converts rows of `count` numbers, `stride` floats apart, to bfloat16 rows of an even length.
void Attention::roundRows(const float* from, std::int64_t stride, std::int64_t count, int rows,
                          std::uint16_t* to) const {
    const std::int64_t even = (stride + 1) / 2 * 2;
    for (int row = 0; row < rows; ++row) {
        kernels_->toBfloat(from + row * stride, to + row * even, count);
        if (count < even) to[row * even + count] = 0;
    }
}

QueryRows Attention::manyQueries(const AttentionTask& task, const Scratch& scratch,
                                 float* weights) const {
    return {.queries = scratch.queries,
            .queryStride = shape_.headDim,
            .weights = weights,
            .weightStride = scratch.slots,
            .sums = scratch.sums,
            .sumStride = valueStride_,
            .count = task.rows()};
}

/// Returns the memory in which the rows of a block are decoded, in the form that the products of
/// this task need.
DecodeSpace Attention::decodeSpace(const AttentionTask& task, const Scratch& scratch) const {
    return {scratch.decoded, usesBfloat(task) ? scratch.decodedBits : nullptr};
}

// Gathers the 16-bit rows of the block in slot order, so that sums do not depend on their
// locations; copies them unless they are consecutive in memory.
HeadRows Attention::gatherExact(const ExactBlock& exact, ExactSide side, Scratch& scratch) const {
    const ExactView& view = exact.view();
    const int dim = side == ExactSide::Keys ? shape_.headDim : shape_.valueDim;
    const std::size_t bytes = sizeof(std::uint16_t) * static_cast<std::size_t>(dim);
    const std::span<const ExactSlot> places = exact.places();
    const auto row = [&](std::size_t i) {
        return side == ExactSide::Keys ? view.key(places[i]) : view.value(places[i]);
    };
    HeadRows rows{DType::F16, {},
                  row(0),     std::int64_t{view.keyBytes} + view.valueBytes,
                  dim,        static_cast<std::int64_t>(places.size())};
    if (exact.together()) return rows;
    for (std::size_t i = 0; i < std::min(kRowsAhead, places.size()); ++i) fetchRow(row(i), bytes);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (i + kRowsAhead < places.size()) fetchRow(row(i + kRowsAhead), bytes);
        copyRow(scratch.exactRows + i * bytes, row(i), bytes);
    }
    rows.rows = scratch.exactRows;
    rows.stride = static_cast<std::int64_t>(bytes);
    return rows;
}

void Attention::scoreBlock(const AttentionTask& task, Scratch& scratch,
                           const ExactBlock& exact) const {
    const bool some = exact.any() && task.view->exact.keyBytes > 0;
    const BlockRows stored = BlockRows::stored(exact, some);
    if (stored.count() > 0)
        scoreRows(keyRows(*task.view, shape_.headDim, exact.first(), stored.count()), stored, task,
                  scratch, scratch.scores);
    if (!some) return;
    scoreRows(gatherExact(exact, ExactSide::Keys, scratch), BlockRows::exact(exact), task, scratch,
              scratch.exactScores);
    for (int row = 0; row < task.rows(); ++row) {
        const float* const from = scratch.exactScores + row * scratch.slots;
        float* const to = scratch.scores + row * scratch.slots;
        exact.forEachVisible(row, [&](std::size_t i, std::size_t count) {
            std::copy_n(from + i, count, to + exact.slot(i));
        });
    }
}

void Attention::scoreRows(const HeadRows& stored, const BlockRows& neededRows,
                          const AttentionTask& task, Scratch& scratch, float* scores) const {
    const std::int64_t dim = shape_.headDim;
    const auto count = static_cast<int>(stored.count);
    if (task.rows() < kTileRows)
        return dotRows(*kernels_, precision_, stored, manyQueries(task, scratch, scores));
    const HeadRows keys = plainRows(*kernels_, stored, decodeSpace(task, scratch));
    if (usesBfloat(task))
        return scoreBfloats({keys.type, keys.rows, keys.stride, dim, count}, neededRows, scratch,
                            scores);
    const int width = kernels_->panelRows;
    for (int slot = 0; slot < count; slot += width) {
        const int part = std::min(width, count - slot);
        kernels_->packFloat({keys.type, keys.rows + slot * keys.stride, keys.stride, dim, part},
                            scratch.keys);
        kernels_->tileFloat({scratch.queries, dim, scratch.keys, width, scores + slot,
                             scratch.slots, dim, task.rows(), part, TileStore::Replace});
    }
}

// Processes only the task rows that may need part of a panel, in full tiles.
void Attention::scoreBfloats(const PanelSource& keys, const BlockRows& neededRows, Scratch& scratch,
                             float* scores) const {
    auto* panel = reinterpret_cast<std::byte*>(scratch.keys);
    const std::int64_t even = (keys.columns + 1) / 2 * 2;
    for (int slot = 0; slot < keys.rowCount; slot += kMaxPanelRows) {
        PanelSource part = keys;
        part.rows += slot * keys.rowStride;
        part.rowCount = std::min(kMaxPanelRows, keys.rowCount - slot);
        const SeenSlots askers = neededRows.rowsNeeding(slot, part.rowCount);
        if (askers.count() == 0) continue;
        const int first = askers.first / kTileRows * kTileRows;
        kernels_->packBfloat(part, panel);
        kernels_->tileBfloat({scratch.queryBits + first * even, even, panel,
                              scores + first * scratch.slots + slot, scratch.slots, keys.columns,
                              askers.last - first, part.rowCount, TileStore::Replace});
    }
}

void Attention::capBlock(const AttentionTask& task, Scratch& scratch, int count) const {
    for (int row = 0; row < task.rows(); ++row)
        kernels_->softCap(scratch.scores + row * scratch.slots, task.queries->rule.softCap, count);
}

// Turns scores into weights relative to the largest score so far; sums under an older, smaller one
// are scaled down to match.
void Attention::softmaxBlock(const AttentionTask& task, Scratch& scratch, int firstSlot,
                             int count) const {
    const KvHeadView& view = *task.view;
    for (int row = 0; row < task.rows(); ++row) {
        float* const block = scratch.scores + row * scratch.slots;
        const SeenSlots seen = task.seen(row, firstSlot, count);
        std::fill(block, block + seen.first, 0.0F);
        std::fill(block + seen.last, block + count, 0.0F);
        float* const scores = block + seen.first;
        const int slot = firstSlot + seen.first;
        if (view.bias != nullptr) kernels_->addTo(scores, view.bias + slot, seen.count());
        task.hideOlder(row, slot, scores, seen.count());
        const float top = std::max(scratch.top[row], kernels_->maximum(scores, seen.count()));
        if (top == kMinusInfinity) {  // every slot so far is outside of the window or hidden
            std::fill_n(scores, seen.count(), 0.0F);
            continue;
        }
        const float shrink = std::exp(scratch.top[row] - top);
        if (shrink != 1.0F)
            kernels_->scale(scratch.sums + row * valueStride_, shrink, valueStride_);
        scratch.mass[row] =
            scratch.mass[row] * shrink + kernels_->expSum(scores, top, seen.count());
        scratch.top[row] = top;
    }
}

void Attention::addValues(const AttentionTask& task, Scratch& scratch,
                          const ExactBlock& exact) const {
    const bool some = exact.any() && task.view->exact.valueBytes > 0;
    const BlockRows stored = BlockRows::stored(exact, some);
    for (int row = 0; some && row < task.rows(); ++row) {
        float* const weights = scratch.scores + row * scratch.slots;
        float* const own = scratch.exactScores + row * scratch.slots;
        std::fill_n(own, exact.places().size(), 0.0F);
        exact.forEachVisible(row, [&](std::size_t i, std::size_t count) {
            std::copy_n(weights + exact.slot(i), count, own + i);
            std::fill_n(weights + exact.slot(i), count, 0.0F);
        });
    }
    if (stored.count() > 0)
        addCodes(valueRows(*task.view, shape_.valueDim, exact.first(), stored.count()), stored,
                 task, scratch);
    if (some)
        addWeighted(gatherExact(exact, ExactSide::Values, scratch), BlockRows::exact(exact), task,
                    scratch, scratch.exactScores);
}

bool Attention::skipsValues(const AttentionTask& task) const {
    return precision_ != Precision::Exact && !task.view->valueQuant.plain() &&
           task.rows() < kTileRows && task.visible(task.rows() - 1) >= kManySlots;
}

void Attention::findFloor(const AttentionTask& task, Scratch& scratch) const {
    const ExactBlock exact(task, task.firstSlot(), kFirstSlots);
    scoreBlock(task, scratch, exact);
    if (task.queries->rule.softCap != 0.0F) capBlock(task, scratch, kFirstSlots);
    softmaxBlock(task, scratch, exact.first(), kFirstSlots);
    for (int row = 0; row < task.rows(); ++row) {
        scratch.floor[row] = scratch.top[row] + std::log(scratch.mass[row]);
        scratch.top[row] = kMinusInfinity;
        scratch.mass[row] = 0.0F;
    }
}

// Skips values whose weight is negligible for every query row. If only some rows need a value, the
// others use a weight of zero. The limit is a share of the lower bound of the row's mass per slot,
// so that all skipped weights together stay below kNegligible.
void Attention::addCodes(const HeadRows& codes, const BlockRows& askers, const AttentionTask& task,
                         Scratch& scratch) const {
    if (!skipsValues(task)) return addWeighted(codes, askers, task, scratch, scratch.scores);
    const auto slots = static_cast<float>(task.visible(task.rows() - 1));
    constexpr int kWords = kFewRowsSlots / kNegligibleSlots;
    const auto count = static_cast<int>(codes.count);
    const int words = (count + kNegligibleSlots - 1) / kNegligibleSlots;
    std::array<bool, kWords> neededRows = {};
    for (int row = 0; row < task.rows(); ++row) {
        float* const weights = scratch.scores + row * scratch.slots;
        std::array<std::uint64_t, kWords> above;
        const float mass =
            std::max(scratch.mass[row], std::exp(scratch.floor[row] - scratch.top[row]));
        kernels_->markAbove(weights, kNegligible * mass / slots, above.data(), count);
        for (int w = 0; w < words; ++w) {
            const auto at = static_cast<std::size_t>(w);
            if (above[at] != 0) {
                neededRows[at] = true;
            } else {
                const int first = w * kNegligibleSlots;
                std::fill(weights + first, weights + std::min(first + kNegligibleSlots, count),
                          0.0F);
            }
        }
    }
    for (int w = 0; w < words;) {
        const int first = w * kNegligibleSlots;
        const bool read = neededRows[static_cast<std::size_t>(w)];
        while (w < words && neededRows[static_cast<std::size_t>(w)] == read) ++w;
        if (!read) continue;
        HeadRows part = codes;
        part.rows += first * codes.stride;
        part.count = std::min(w * kNegligibleSlots, count) - first;
        addWeighted(part, askers, task, scratch, scratch.scores + first);
    }
}

void Attention::addWeighted(const HeadRows& stored, const BlockRows& neededRows,
                            const AttentionTask& task, Scratch& scratch, float* weights) const {
    const std::int64_t dim = shape_.valueDim;
    const auto count = static_cast<int>(stored.count);
    if (task.rows() < kTileRows)
        return addRows(*kernels_, precision_, stored, manyQueries(task, scratch, weights));
    const HeadRows values = plainRows(*kernels_, stored, decodeSpace(task, scratch));
    if (usesBfloat(task))
        return addBfloats({values.type, values.rows, values.stride, dim, count}, neededRows, task,
                          scratch, weights);
    for (int slot = 0; slot < count; ++slot) {
        float* const row = scratch.values + slot * valueStride_;
        kernels_->toFloat[kernelIndex(values.type)](values.rows + slot * values.stride, row, dim);
        std::fill(row + dim, row + valueStride_, 0.0F);  // a run of another shape may have written
    }
    const int width = kernels_->panelRows;
    for (std::int64_t column = 0; column < valueStride_; column += width)
        kernels_->tileFloat({weights, scratch.slots, scratch.values + column, valueStride_,
                             scratch.sums + column, valueStride_, count, task.rows(), width,
                             TileStore::Accumulate});
}

// If not every row needs all values, each tile of rows adds those it needs. Skipped ranges begin
// and end between pairs, so that sums stay the same.
void Attention::addBfloats(const PanelSource& values, const BlockRows& neededRows,
                           const AttentionTask& task, Scratch& scratch,
                           const float* weights) const {
    auto* panel = reinterpret_cast<std::byte*>(scratch.values);
    roundRows(weights, scratch.slots, values.rowCount, task.rows(), scratch.weightBits);
    const int tileRows = neededRows.whole() ? task.rows() : kTileRows;
    for (std::int64_t column = 0; column < values.columns; column += kMaxPanelRows) {
        PanelSource part = values;
        part.rows += 2 * column;
        part.columns = std::min<std::int64_t>(kMaxPanelRows, values.columns - column);
        kernels_->packBfloatPairs(part, panel);
        for (int row = 0; row < task.rows(); row += tileRows) {
            const int rows = std::min(tileRows, task.rows() - row);
            const int first = neededRows.of(row).first / 2 * 2;
            const int last = neededRows.of(row + rows - 1).last;
            if (last <= first) continue;
            kernels_->tileBfloat({scratch.weightBits + row * scratch.slots + first, scratch.slots,
                                  panel + first / 2 * kPairBytes,
                                  scratch.sums + row * valueStride_ + column, valueStride_,
                                  last - first, rows, static_cast<int>(part.columns),
                                  TileStore::Accumulate});
        }
    }
}

void Attention::writeOut(const AttentionTask& task, const Scratch& scratch) const {
    const int dim = shape_.valueDim;
    if (task.view->valueRotation != nullptr)
        task.view->valueRotation->undo(
            {scratch.sums, valueStride_, scratch.sums, valueStride_, task.rows()});
    const float* const sinks = task.queries->sinks;
    for (int row = 0; row < task.rows(); ++row) {
        const std::int64_t token = task.firstToken + row / task.group;
        const std::int64_t head = task.kvHead * task.group + row % task.group;
        float* target = task.out.data() + (token * shape_.heads + head) * dim;
        std::copy_n(scratch.sums + row * valueStride_, dim, target);
        float mass = scratch.mass[row];
        // A sink far above every score gives an infinite mass, and thus an output of zero.
        if (sinks != nullptr) mass += std::exp(sinks[head] - scratch.top[row]);
        kernels_->scale(target, 1.0F / mass, dim);
    }
}

}  // namespace lacuna
