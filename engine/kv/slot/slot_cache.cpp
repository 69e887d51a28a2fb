#include "engine/kv/slot/slot_cache.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot/head_room.h"
#include "engine/kv/slot/slot_compaction.h"
#include "engine/kv/slot/slot_sharing.h"
#include "engine/kv/slot/slot_state.h"
#include "engine/kv/slot_memory.h"
#include "engine/kv/speculation.h"

namespace lacuna {
namespace {

constexpr std::int64_t kMaxTokens = std::numeric_limits<std::int32_t>::max();

class SlotCache final : public KvCache, private Compactable, private Snapshots {
  public:
    SlotCache(SlotState state, SlotAllocator& allocator)
        : state_(std::move(state)), allocator_(&allocator), speculation_(*this) {
        written_.assign(static_cast<std::size_t>(state_.shape.layers), false);
        row_.resize(static_cast<std::size_t>(state_.shape.keyDim));
    }

    [[nodiscard]] const KvShape& shape() const override { return state_.shape; }
    [[nodiscard]] KvCapabilities capabilities() const override;
    [[nodiscard]] KvStats stats() const override;
    [[nodiscard]] Position offset() const override {
        return Position(static_cast<std::int32_t>(state_.tokens));
    }
    [[nodiscard]] int slots(LayerIndex layer, HeadIndex head) const override {
        return static_cast<int>(store(layer, head).live());
    }
    [[nodiscard]] Status beginAppend(int tokens) override;
    void writeLayer(LayerIndex layer, View<const float, 3> keys, View<const float, 3> values,
                    ThreadPool* pool) override;
    [[nodiscard]] KvHeadView head(LayerIndex layer, HeadIndex head) const override;
    void commitAppend() override;
    void abortAppend() override;
    [[nodiscard]] Status rollback(int tokens) override;
    [[nodiscard]] Result<std::unique_ptr<KvCache>> clone() const override;
    [[nodiscard]] Result<std::unique_ptr<KvCache>> share() override;
    void visitBlocks(const BlockVisitor& visit) const override;
    [[nodiscard]] Result<std::string> save() const override;
    [[nodiscard]] std::span<const float> keyNorms(LayerIndex layer, HeadIndex head) override;
    void checkInvariants() const override { requireConsistent(state_); }
    [[nodiscard]] Speculation& speculation() override { return speculation_; }
    [[nodiscard]] Compactable* compactable() override { return this; }
    [[nodiscard]] Snapshots* snapshots() override { return this; }

  private:
    [[nodiscard]] Status apply(const CompactionPlan& plan) override;
    [[nodiscard]] Status applyInPlace(const CompactionPlan& plan, ThreadPool& pool) override;
    [[nodiscard]] bool defragment(std::int64_t bytes, ThreadPool& pool, bool all) override;
    void keepNorms() override { keepsNorms_ = true; }
    [[nodiscard]] Result<std::unique_ptr<KvCache>> snapshot() override;
    [[nodiscard]] Status follow(KvCache& longer) override;
    [[nodiscard]] Status checkAdopt(KvCache& successor) override;
    [[nodiscard]] Status adopt(KvCache& successor) override;
    [[nodiscard]] std::vector<SlotState*> sharedSlots() override {
        return appending_ ? std::vector<SlotState*>() : std::vector<SlotState*>{&state_};
    }
    [[nodiscard]] std::size_t index(LayerIndex layer, HeadIndex head) const {
        LACUNA_REQUIRE(layer.value >= 0 && layer.value < state_.shape.layers, "layer in range");
        LACUNA_REQUIRE(head.value >= 0 && head.value < state_.shape.kvHeads, "KV head in range");
        return static_cast<std::size_t>(layer.value) *
                   static_cast<std::size_t>(state_.shape.kvHeads) +
               static_cast<std::size_t>(head.value);
    }
    [[nodiscard]] const HeadStore& store(LayerIndex layer, HeadIndex head) const {
        return state_.heads[index(layer, head)];
    }
    [[nodiscard]] std::int64_t rollbackLimit() const {
        return state_.compactions == 0 ? state_.tokens : state_.tokens - state_.settledTokens;
    }
    [[nodiscard]] Status grow(int tokens);
    /// Token whose view decides which 16-bit rows are kept after an append: the newest one that
    /// cannot be taken back.
    [[nodiscard]] std::int64_t asking(int tokens) const {
        return speculation_.permanentTokens(state_.tokens + tokens) - 1;
    }
    void commitExact(HeadStore& head) const;
    [[nodiscard]] Status checkMayCompact(const CompactionPlan& plan) const;
    /// Without a pool, runs on the calling thread only.
    [[nodiscard]] Status moveTogether(const CompactionPlan& plan, ThreadPool* pool);
    // `index` is layer * kvHeads + head.
    void extendNorms(std::size_t index, std::vector<float>& row);
    [[nodiscard]] float normOf(std::size_t head, std::size_t slot, std::vector<float>& row) const;

    SlotState state_;
    SlotAllocator* allocator_;
    SpeculationSpan speculation_;
    std::optional<int> appending_;  ///< tokens of the current append
    ExactAppend exact_;             ///< 16-bit rows of the current append
    std::vector<bool> written_;     ///< by layer, within the current append
    std::vector<float> row_;        ///< [keyDim] scratch of commitAppend
    bool keepsNorms_ = false;
    bool columnsReady_ = false;
    std::size_t defragmentNext_ = 0;  ///< first head to examine in the next tidy
    std::atomic<std::int64_t> normsComputed_{0};
};

KvCapabilities SlotCache::capabilities() const {
    KvCapabilities able;
    able.holdsEveryToken = state_.compactions == 0;
    able.kind = able.holdsEveryToken ? KvKind::Dense : KvKind::Evicting;
    able.rollbackLimit = static_cast<int>(rollbackLimit());
    able.trimLimit = state_.compactions == 0 ? able.rollbackLimit : 0;
    if (state_.compactions > 0)
        able.rollbackBlocker =
            format("a compaction at token {} merged or dropped older tokens", state_.settledTokens);
    return able;
}

KvStats SlotCache::stats() const {
    KvStats stats = statsOf(state_);
    stats.normsComputed = normsComputed_;
    return stats;
}

Status SlotCache::beginAppend(int tokens) {
    LACUNA_REQUIRE(!appending_, "one append at a time");
    if (tokens < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("append of {} tokens, expected 0 or more", tokens));
    if (state_.tokens + tokens > kMaxTokens)
        return fail(ErrorCode::ContextFull,
                    format("{} tokens and {} more exceed the {} tokens of a cache", state_.tokens,
                           tokens, kMaxTokens));
    if (keepsNorms_ && !columnsReady_) {
        LACUNA_TRY_STATUS(keepColumnsReady(state_, *allocator_));
        columnsReady_ = true;
    }
    ExactAppend exact{.tokens = tokens, .first = state_.tokens, .asking = asking(tokens)};
    const auto rowsOf = [this](std::size_t i) -> const ExactRows& { return state_.heads[i].exact; };
    LACUNA_TRY(auto rooms,
               roomForAppend(state_.shape, state_.heads.size(), rowsOf, exact, *allocator_));
    LACUNA_TRY_STATUS(grow(tokens));
    for (std::size_t i = 0; i < rooms.size(); ++i)
        state_.heads[i].exact.take(state_.shape, std::move(rooms[i]));
    exact_ = std::move(exact);
    appending_ = tokens;
    written_.assign(written_.size(), false);
    return {};
}

/// Grows all heads that are too small, or none.
Status SlotCache::grow(int tokens) {
    std::vector<HeadGrowth> grown;
    bool first = true;
    for (HeadStore& head : state_.heads) {
        const bool fits = fillsHole(head, tokens) || head.slots + tokens <= head.capacity;
        if (tokens == 0 || (fits && !mustCopy(head, tokens))) continue;
        first = first && head.capacity == 0;
        grown.push_back(
            {.head = &head,
             .capacity = fits ? head.capacity : grownCapacity(head.capacity, head.slots, tokens),
             .appends = !mustCopy(head, tokens)});
    }
    LACUNA_TRY_STATUS(growHeads(state_.shape, grown, *allocator_));
    if (!grown.empty() && !first) ++state_.reallocations;
    return {};
}

void SlotCache::writeLayer(LayerIndex layer, View<const float, 3> keys, View<const float, 3> values,
                           ThreadPool* pool) {
    const KvShape& shape = state_.shape;
    LACUNA_REQUIRE(appending_.has_value(), "writeLayer inside an append");
    LACUNA_REQUIRE(
        (keys.extents() == View<const float, 3>::Extents{*appending_, shape.kvHeads, shape.keyDim}),
        "keys are [tokens, kvHeads, keyDim]");
    LACUNA_REQUIRE((values.extents() ==
                    View<const float, 3>::Extents{*appending_, shape.kvHeads, shape.valueDim}),
                   "values are [tokens, kvHeads, valueDim]");
    const std::size_t firstHead = index(layer, HeadIndex(0));
    const SlotSizes sizes = slotSizes(shape);
    forHeads(shape, static_cast<int>(keys.extent(0)), pool, [&](int h) {
        const std::size_t at = firstHead + static_cast<std::size_t>(h);
        const RowFormat keyRow = keyFormat(shape, state_.rotations.keys(at));
        const RowFormat valueRow = valueFormat(shape, state_.rotations.values(at));
        HeadStore& head = state_.heads[at];
        const std::int64_t first = appendSlot(head, *appending_);
        const auto slot = static_cast<std::size_t>(first);
        writeAppended({.shape = &shape,
                       .key = keyRow,
                       .value = valueRow,
                       .keys = head.keys.from(slot * sizes.key),
                       .values = head.values.from(slot * sizes.value),
                       .slot = first,
                       .head = h,
                       .exact = &head.exact},
                      keys, values, exact_);
        for (int i = 0; i < *appending_; ++i) labelSlot(head, first + i, state_.tokens + i);
    });
    exact_.runLayer = layer.value;
    written_[static_cast<std::size_t>(layer.value)] = true;
}

KvHeadView SlotCache::head(LayerIndex layer, HeadIndex headIndex) const {
    const std::size_t at = index(layer, headIndex);
    const HeadStore& head = state_.heads[at];
    const bool pending = appending_ && written_[static_cast<std::size_t>(layer.value)];
    KvHeadView view;
    view.type = state_.shape.type;
    view.keyQuant = state_.shape.keyQuant;
    view.valueQuant = state_.shape.valueQuant;
    view.keyRotation = state_.rotations.keys(at);
    view.valueRotation = state_.rotations.values(at);
    view.keys = head.keys.data();
    view.values = head.values.data();
    setValuesInKeys(state_.shape, view);
    const bool added = pending && !fillsHole(head, *appending_);
    view.slots = static_cast<int>(head.slots) + (added ? *appending_ : 0);
    if (head.layout.positions) view.positions = head.positions.as<std::int32_t>();
    if (head.layout.bias) view.bias = head.bias.as<float>();
    view.exact = head.exact.view(state_.shape, pending,
                                 exact_.runLayer == layer.value ? exact_.run.data() : nullptr);
    return view;
}

void SlotCache::commitAppend() {
    LACUNA_REQUIRE(appending_.has_value(), "commitAppend inside an append");
    LACUNA_REQUIRE(
        *appending_ == 0 || std::find(written_.begin(), written_.end(), false) == written_.end(),
        "every layer written before commitAppend");
    for (std::size_t i = 0; i < state_.heads.size(); ++i) {
        HeadStore& head = state_.heads[i];
        const auto slot = static_cast<std::size_t>(appendSlot(head, *appending_));
        commitSlots(head, *appending_);
        if (*appending_ > 0) commitExact(head);
        if (slot < head.norms.size()) head.norms[slot] = normOf(i, slot, row_);
        if (keepsNorms_) extendNorms(i, row_);
    }
    state_.tokens += *appending_;
    appending_.reset();
    exact_ = {};
}

void SlotCache::commitExact(HeadStore& head) const {
    const auto* positions = head.layout.positions ? head.positions.as<std::int32_t>() : nullptr;
    head.exact.commit([&](std::int32_t slot) {
        return state_.shape.exact.covers(positions == nullptr ? slot : positions[slot],
                                         exact_.asking);
    });
}

void SlotCache::abortAppend() {
    const auto heads = static_cast<std::size_t>(state_.shape.kvHeads);
    for (std::size_t i = 0; appending_ && i < state_.heads.size(); ++i)
        if (written_[i / heads] && fillsHole(state_.heads[i], *appending_))
            reopenHole(state_.heads[i]);
    for (HeadStore& head : state_.heads) head.exact.abort();
    exact_ = {};
    appending_.reset();
}

Status SlotCache::rollback(int tokens) {
    LACUNA_REQUIRE(!appending_, "rollback outside an append");
    if (tokens < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("rollback of {} tokens, expected 0 or more", tokens));
    if (tokens > rollbackLimit() && state_.compactions > 0)
        return fail(ErrorCode::Unsupported,
                    format("rollback of {} tokens: only the newest {} can be removed, because {}",
                           tokens, rollbackLimit(), capabilities().rollbackBlocker));
    const std::int64_t removed = std::min<std::int64_t>(tokens, state_.tokens);
    // Dropped slots within a loose head are marked as holes.
    LACUNA_TRY_STATUS(ownHeads(state_, *allocator_, std::mem_fn(&HeadStore::isFragmented)));
    for (HeadStore& head : state_.heads) dropNewest(head, state_.tokens - removed, removed);
    releaseSpareRows(state_, removed);
    state_.tokens -= removed;
    state_.lowest = std::min(state_.lowest, state_.tokens);
    return {};
}

Status SlotCache::checkMayCompact(const CompactionPlan& plan) const {
    LACUNA_REQUIRE(!appending_, "compaction outside an append");
    if (speculation_.open())
        return fail(ErrorCode::InvalidArgument,
                    "compaction while speculation is open; commit it first");
    if (plan.heads.size() != state_.heads.size())
        return fail(ErrorCode::InvalidArgument,
                    format("compaction plan for {} heads, the cache has {}", plan.heads.size(),
                           state_.heads.size()));
    return {};
}

Status SlotCache::apply(const CompactionPlan& plan) {
    LACUNA_TRY_STATUS(checkMayCompact(plan));
    return moveTogether(plan, nullptr);
}

Status SlotCache::moveTogether(const CompactionPlan& plan, ThreadPool* pool) {
    std::vector<std::pair<std::size_t, HeadStore>> prepared;
    for (std::size_t i = 0; i < plan.heads.size(); ++i) {
        const HeadStore& head = state_.heads[i];
        if (auto status = checkCompaction(state_.shape, head, plan.heads[i]); !status)
            return tl::unexpected<Error>(atHead(state_.shape, status.error(), i));
        if (!plan.heads[i].touched()) continue;
        LACUNA_TRY(HeadStore memory, prepareHead(state_.shape, head, plan.heads[i], *allocator_));
        prepared.emplace_back(i, std::move(memory));
    }
    if (prepared.empty()) return {};
    // The rest cannot fail.
    const auto move = [&](int at) {
        auto& [i, memory] = prepared[static_cast<std::size_t>(at)];
        state_.heads[i] =
            compactHead(valueFormat(state_.shape, state_.rotations.values(i)), state_.shape,
                        state_.heads[i], plan.heads[i], std::move(memory));
    };
    const auto count = static_cast<int>(prepared.size());
    if (pool != nullptr)
        pool->parallelFor(count, move);
    else
        for (int at = 0; at < count; ++at) move(at);
    settle(state_, plan.verbatim);
    return {};
}

Result<std::unique_ptr<KvCache>> SlotCache::clone() const {
    LACUNA_REQUIRE(!appending_, "clone outside an append");
    LACUNA_TRY(SlotState copy, copyState(state_, *allocator_));
    return std::make_unique<SlotCache>(std::move(copy), *allocator_);
}

Result<std::unique_ptr<KvCache>> SlotCache::share() {
    LACUNA_REQUIRE(!appending_, "share outside an append");
    if (speculation_.open())
        return fail(ErrorCode::InvalidArgument, "copy while speculation is open; commit it first");
    LACUNA_TRY(SlotState twin, copyOnWriteState(state_, *allocator_));
    return std::make_unique<SlotCache>(std::move(twin), *allocator_);
}

void SlotCache::visitBlocks(const BlockVisitor& visit) const {
    const SlotSizes sizes = slotSizes(state_.shape);
    const auto column = [&visit](const SlotBlock& block, std::int64_t slots, std::size_t size) {
        block.visit(static_cast<std::size_t>(slots) * size, visit);
    };
    for (const HeadStore& head : state_.heads) {
        column(head.keys, head.live(), sizes.key);
        column(head.values, head.live(), sizes.value);
        column(head.positions, head.live(), sizeof(std::int32_t));
        column(head.bias, head.live(), sizeof(float));
    }
}

Result<std::unique_ptr<KvCache>> SlotCache::snapshot() {
    LACUNA_REQUIRE(!appending_, "snapshot outside an append");
    LACUNA_TRY(SlotState twin, shareState(state_, *allocator_));
    return std::make_unique<SlotCache>(std::move(twin), *allocator_);
}

/// Null if the cache has no snapshots, or is a list.
SlotState* sharedSlotsOf(KvCache& cache) {
    Snapshots* const snapshots = cache.snapshots();
    if (snapshots == nullptr || cache.layerPlans() != nullptr) return nullptr;
    const std::vector<SlotState*> shared = snapshots->sharedSlots();
    return shared.empty() ? nullptr : shared.front();
}

Status SlotCache::follow(KvCache& longer) {
    SlotState* const other = sharedSlotsOf(longer);
    if (other == nullptr || appending_)
        return fail(ErrorCode::Incompatible, "only a snapshot follows a cache, between steps");
    return followState(state_, *other, *allocator_);
}

Status SlotCache::checkAdopt(KvCache& successor) {
    SlotState* const other = sharedSlotsOf(successor);
    if (other == nullptr || appending_)
        return fail(ErrorCode::Incompatible, "only a snapshot is adopted, between steps");
    if (speculation_.open())
        return fail(ErrorCode::InvalidArgument,
                    "compaction while speculation is open; commit it first");
    return checkSuccessor(state_, *other);
}

Status SlotCache::adopt(KvCache& successor) {
    LACUNA_TRY_STATUS(checkAdopt(successor));
    adoptState(state_, *sharedSlotsOf(successor));
    return {};
}

Result<std::string> SlotCache::save() const {
    LACUNA_REQUIRE(!appending_, "save outside an append");
    if (speculation_.open())
        return fail(ErrorCode::InvalidArgument, "save while speculation is open; commit it first");
    return writeState(state_);
}

std::span<const float> SlotCache::keyNorms(LayerIndex layer, HeadIndex headIndex) {
    LACUNA_REQUIRE(!appending_, "norms outside an append");
    const std::size_t head = index(layer, headIndex);
    // row_ cannot be used: other heads may be requested concurrently.
    std::vector<float> row(static_cast<std::size_t>(state_.shape.keyDim));
    extendNorms(head, row);
    return state_.heads[head].norms;
}

float SlotCache::normOf(std::size_t head, std::size_t slot, std::vector<float>& row) const {
    const RowFormat key = keyFormat(state_.shape, state_.rotations.keys(head));
    decodeRow(key, state_.heads[head].keys.data() + slot * formatBytes(key), row);
    return norm(row);
}

void SlotCache::extendNorms(std::size_t index, std::vector<float>& row) {
    HeadStore& head = state_.heads[index];
    const auto slots = static_cast<std::size_t>(head.slots);
    if (head.norms.size() >= slots) return;
    normsComputed_ += static_cast<std::int64_t>(slots - head.norms.size());
    for (std::size_t slot = head.norms.size(); slot < slots; ++slot)
        head.norms.push_back(normOf(index, slot, row));
}

Status SlotCache::applyInPlace(const CompactionPlan& plan, ThreadPool& pool) {
    LACUNA_TRY_STATUS(checkMayCompact(plan));
    if (!onlyDrops(plan)) return moveTogether(plan, &pool);
    // Own copies keep the slots where they would be without the other cache, so that results are
    // identical.
    LACUNA_TRY_STATUS(ownHeads(state_, *allocator_, [](const HeadStore&) { return true; }));
    LACUNA_TRY(auto columns, prepareEviction(state_, plan, *allocator_, pool));
    dropUnmarked(state_, plan, std::move(columns), pool);
    return {};
}

bool SlotCache::defragment(std::int64_t bytes, ThreadPool& pool, bool all) {
    LACUNA_REQUIRE(!appending_, "tidying outside an append");
    // Holes only cost memory: they stay if there is no memory for a copy.
    if (!ownHeads(state_, *allocator_, std::mem_fn(&HeadStore::isFragmented))) return false;
    return defragmentHeads(state_, {.next = defragmentNext_, .bytes = bytes, .all = all},
                           *allocator_, pool);
}

}  // namespace

Result<std::unique_ptr<KvCache>> makeSlotCache(const KvShape& shape, SlotAllocator& allocator) {
    LACUNA_TRY_STATUS(checkShape(shape));
    SlotState state;
    state.shape = shape;
    LACUNA_TRY(state.rotations, LayerRotations::make(shape, kRotationSeed));
    state.heads.resize(static_cast<std::size_t>(shape.layers) *
                       static_cast<std::size_t>(shape.kvHeads));
    return std::make_unique<SlotCache>(std::move(state), allocator);
}

Result<std::unique_ptr<KvCache>> makeSlotCache(const KvShape& shape) {
    return makeSlotCache(shape, systemSlotAllocator());
}

std::unique_ptr<KvCache> slotCacheOf(SlotState state, SlotAllocator& allocator) {
    return std::make_unique<SlotCache>(std::move(state), allocator);
}

Result<std::unique_ptr<KvCache>> loadSlotCache(std::string_view bytes, SlotAllocator& allocator,
                                               const RowsInUse& rows) {
    LACUNA_TRY(SlotState state, readState(bytes, allocator, rows));
    return std::make_unique<SlotCache>(std::move(state), allocator);
}

}  // namespace lacuna
