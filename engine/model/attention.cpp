#include "engine/model/attention.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace lacuna {
namespace {

constexpr int kBlockSlots = 128;  // slots whose scores are held at once
constexpr int kQueryRows = 96;    // query rows of one task: eight register tiles
// From here on, packing a block of keys costs less than reading it once per query row.
constexpr int kTileRows = 12;
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

std::size_t roundUp(std::size_t n, std::size_t step) {
    return (n + step - 1) / step * step;
}

}  // namespace

/// Buffers of one share of the work.
struct Attention::Scratch {
    float* queries;  ///< [rows, headDim], scaled
    float* scores;   ///< [rows, kBlockSlots]
    float* sums;     ///< [rows, valueStride] weighted values so far
    float* keys;     ///< packed panels of one block
    float* values;   ///< [kBlockSlots, valueStride]
    float* top;      ///< [rows] largest score so far
    float* mass;     ///< [rows] sum of weights so far
};

/// Slots [first, last) of a block.
struct SeenSlots {
    int first = 0;
    int last = 0;
    [[nodiscard]] int count() const { return last - first; }
};

/// One KV head and a block of query tokens. Row = token * group + query head of the group.
struct Attention::Task {
    const KvHeadView* view;
    const AttentionQueries* queries;
    View<float, 3> out;
    int kvHead;
    int group;
    int firstToken;
    int tokens;
    [[nodiscard]] int rows() const { return tokens * group; }
    [[nodiscard]] bool hidesByPosition() const {
        return queries->rule.window > 0 && view->positions != nullptr;
    }
    /// Slots up to the own one of the token of this row.
    [[nodiscard]] int visible(int row) const {
        const int newest = static_cast<int>(queries->rows.extent(0));
        return view->slots - newest + firstToken + row / group + 1;
    }
    /// The oldest position in the window of this row; 0 or less: none is hidden.
    [[nodiscard]] int oldest(int row) const {
        const int window = queries->rule.window;
        if (window == 0) return 0;
        return queries->first.value + firstToken + row / group + 1 - window;
    }
    /// The first slot that any row sees: of a head whose slot j holds position j.
    [[nodiscard]] int firstSlot() const {
        return view->positions == nullptr ? std::max(oldest(0), 0) : 0;
    }
    /// Whether some row sees a slot of this block.
    [[nodiscard]] bool reaches(int slot, int count) const {
        if (!hidesByPosition()) return true;
        const std::int32_t* positions = view->positions + slot;
        return std::any_of(positions, positions + count,
                           [limit = oldest(0)](std::int32_t p) { return p >= limit; });
    }
    /// What a row sees of the block of `count` slots from `slot` on, before explicit positions are
    /// asked.
    [[nodiscard]] SeenSlots seen(int row, int slot, int count) const {
        const int last = std::clamp(visible(row) - slot, 0, count);
        if (view->positions != nullptr) return {0, last};
        return {std::clamp(oldest(row) - slot, 0, last), last};
    }
};

namespace {

// Switches off the slots of a row that are older than its window.
void hideOlder(const std::int32_t* positions, int oldest, float* scores, int count) {
    for (int slot = 0; slot < count; ++slot)
        if (positions[slot] < oldest) scores[slot] = kMinusInfinity;
}

}  // namespace

Attention::Attention(const KernelTable& kernels, ThreadPool& pool, AttentionShape shape)
    : kernels_(&kernels), pool_(&pool), shape_(shape) {}

Result<Attention> Attention::create(const KernelTable& kernels, ThreadPool& pool,
                                    AttentionShape shape) {
    Attention attention(kernels, pool, shape);
    const auto dim = static_cast<std::size_t>(shape.headDim);
    const auto stride = roundUp(dim, static_cast<std::size_t>(kernels.panelRows));
    const auto rows = static_cast<std::size_t>(std::max(kQueryRows, shape.heads / shape.kvHeads));
    const std::size_t floats =
        rows * (dim + kBlockSlots + stride + 2) + kBlockSlots * (dim + stride);
    attention.valueStride_ = static_cast<std::int64_t>(stride);
    attention.floatsPerShare_ = roundUp(floats, 16);
    LACUNA_TRY(attention.scratch_, Buffer::allocate(attention.floatsPerShare_ * sizeof(float) *
                                                    static_cast<std::size_t>(pool.threads())));
    std::ranges::fill(attention.scratch_.as<float>(), 0.0F);
    return attention;
}

Attention::Scratch Attention::scratchOf(int share) {
    const auto dim = static_cast<std::size_t>(shape_.headDim);
    const auto stride = static_cast<std::size_t>(valueStride_);
    const auto rows = static_cast<std::size_t>(std::max(kQueryRows, shape_.heads / shape_.kvHeads));
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
    return s;
}

void Attention::run(std::span<const KvHeadView> heads, const AttentionQueries& queries,
                    View<float, 3> out) {
    const int group = shape_.heads / shape_.kvHeads;
    const int tokens = static_cast<int>(queries.rows.extent(0));
    const int perTask = std::max(1, kQueryRows / group);
    const int blocks = (tokens + perTask - 1) / perTask;
    const int tasks = shape_.kvHeads * blocks;
    const auto share = [&](int part) {
        Scratch scratch = scratchOf(part);
        const int threads = pool_->threads();
        for (int i = part * tasks / threads; i < (part + 1) * tasks / threads; ++i) {
            const int head = i / blocks;
            const int first = i % blocks * perTask;
            const int count = std::min(perTask, tokens - first);
            runTask(
                {&heads[static_cast<std::size_t>(head)], &queries, out, head, group, first, count},
                scratch);
        }
    };
    pool_->parallelFor(pool_->threads(), std::cref(share));
}

void Attention::runTask(const Task& task, Scratch& scratch) const {
    gatherQueries(task, scratch);
    const int last = task.visible(task.rows() - 1);
    for (int slot = task.firstSlot(); slot < last; slot += kBlockSlots) {
        const int count = std::min(kBlockSlots, last - slot);
        if (!task.reaches(slot, count)) continue;
        scoreBlock(task, scratch, slot, count);
        if (task.queries->rule.softCap != 0.0F) capBlock(task, scratch, count);
        softmaxBlock(task, scratch, slot, count);
        addValues(task, scratch, slot, count);
    }
    writeOut(task, scratch);
}

void Attention::gatherQueries(const Task& task, Scratch& scratch) const {
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
    }
}

void Attention::scoreBlock(const Task& task, Scratch& scratch, int firstSlot, int count) const {
    const std::int64_t dim = shape_.headDim;
    const DType type = task.view->type;
    const auto stride = static_cast<std::int64_t>(rowBytes(type, static_cast<std::uint64_t>(dim)));
    const std::byte* keys = task.view->keys + firstSlot * stride;
    if (task.rows() < kTileRows) {
        for (int row = 0; row < task.rows(); ++row)
            kernels_->dotRows[kernelIndex(type)]({keys, stride, count, dim},
                                                 scratch.queries + row * dim,
                                                 scratch.scores + row * kBlockSlots);
        return;
    }
    const int width = kernels_->panelRows;
    for (int slot = 0; slot < count; slot += width) {
        const int part = std::min(width, count - slot);
        kernels_->packFloat({type, keys + slot * stride, stride, dim, part}, scratch.keys);
        kernels_->tileFloat({scratch.queries, dim, scratch.keys, width, scratch.scores + slot,
                             kBlockSlots, dim, task.rows(), part, TileStore::Replace});
    }
}

void Attention::capBlock(const Task& task, Scratch& scratch, int count) const {
    for (int row = 0; row < task.rows(); ++row)
        kernels_->softCap(scratch.scores + row * kBlockSlots, task.queries->rule.softCap, count);
}

// Turns scores into weights relative to the largest score so far; what was summed under an older,
// smaller one is scaled down to match.
void Attention::softmaxBlock(const Task& task, Scratch& scratch, int firstSlot, int count) const {
    const KvHeadView& view = *task.view;
    for (int row = 0; row < task.rows(); ++row) {
        float* const block = scratch.scores + row * kBlockSlots;
        const SeenSlots seen = task.seen(row, firstSlot, count);
        std::fill(block, block + seen.first, 0.0F);
        std::fill(block + seen.last, block + count, 0.0F);
        float* const scores = block + seen.first;
        const int slot = firstSlot + seen.first;
        if (view.bias != nullptr) kernels_->addTo(scores, view.bias + slot, seen.count());
        if (task.hidesByPosition())
            hideOlder(view.positions + slot, task.oldest(row), scores, seen.count());
        const float top = std::max(scratch.top[row], kernels_->maximum(scores, seen.count()));
        if (top == kMinusInfinity) {  // every slot so far is out of the window or switched off
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

void Attention::addValues(const Task& task, Scratch& scratch, int firstSlot, int count) const {
    const std::int64_t dim = shape_.headDim;
    const DType type = task.view->type;
    const auto stride = static_cast<std::int64_t>(rowBytes(type, static_cast<std::uint64_t>(dim)));
    const std::byte* values = task.view->values + firstSlot * stride;
    if (task.rows() < kTileRows) {
        for (int row = 0; row < task.rows(); ++row)
            kernels_->addWeightedRows[kernelIndex(type)]({values, stride, count, dim},
                                                         scratch.scores + row * kBlockSlots,
                                                         scratch.sums + row * valueStride_);
        return;
    }
    for (int slot = 0; slot < count; ++slot)
        kernels_->toFloat[kernelIndex(type)](values + slot * stride,
                                             scratch.values + slot * valueStride_, dim);
    const int width = kernels_->panelRows;
    for (std::int64_t column = 0; column < valueStride_; column += width)
        kernels_->tileFloat({scratch.scores, kBlockSlots, scratch.values + column, valueStride_,
                             scratch.sums + column, valueStride_, count, task.rows(), width,
                             TileStore::Accumulate});
}

void Attention::writeOut(const Task& task, const Scratch& scratch) const {
    const int dim = shape_.headDim;
    for (int row = 0; row < task.rows(); ++row) {
        const std::int64_t token = task.firstToken + row / task.group;
        const std::int64_t head = task.kvHead * task.group + row % task.group;
        float* target = task.out.data() + (token * shape_.heads + head) * dim;
        std::copy_n(scratch.sums + row * valueStride_, dim, target);
        kernels_->scale(target, 1.0F / scratch.mass[row], dim);
    }
}

}  // namespace lacuna
