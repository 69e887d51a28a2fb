#include "engine/kv/slot_cache.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kv/cache_state.h"
#include "engine/kv/growth.h"
#include "engine/kv/head_compaction.h"
#include "engine/kv/slot_state.h"
#include "engine/kv/stored_rows.h"

namespace lacuna {
namespace {

constexpr std::int64_t kMaxTokens = std::numeric_limits<std::int32_t>::max();

class SlotCache final : public KvCache {
  public:
    SlotCache(SlotState state, SlotAllocator& allocator)
        : state_(std::move(state)), allocator_(&allocator) {
        written_.assign(static_cast<std::size_t>(state_.shape.layers), false);
    }

    [[nodiscard]] const KvShape& shape() const override { return state_.shape; }
    [[nodiscard]] KvCapabilities capabilities() const override;
    [[nodiscard]] KvStats stats() const override;
    [[nodiscard]] Position offset() const override {
        return Position(static_cast<std::int32_t>(state_.tokens));
    }
    [[nodiscard]] int slots(LayerIndex layer, HeadIndex head) const override {
        return static_cast<int>(store(layer, head).slots);
    }
    [[nodiscard]] Status beginAppend(int tokens) override;
    void writeLayer(LayerIndex layer, View<const float, 3> keys,
                    View<const float, 3> values) override;
    [[nodiscard]] KvHeadView head(LayerIndex layer, HeadIndex head) const override;
    void commitAppend() override;
    void abortAppend() override;
    [[nodiscard]] Status rollback(int tokens) override;
    [[nodiscard]] Status apply(const CompactionPlan& plan) override;
    [[nodiscard]] Result<std::unique_ptr<KvCache>> clone() const override;
    [[nodiscard]] Result<std::string> save() const override;
    [[nodiscard]] std::span<const float> keyNorms(LayerIndex layer, HeadIndex head) override;
    void checkInvariants() const override;

  private:
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
    [[nodiscard]] Status grow(std::int64_t tokens);

    SlotState state_;
    SlotAllocator* allocator_;
    std::optional<int> appending_;  ///< tokens of the running append
    std::vector<bool> written_;     ///< by layer, within the running append
};

KvCapabilities SlotCache::capabilities() const {
    KvCapabilities able;
    able.canCompact = true;
    able.rollbackLimit = static_cast<int>(rollbackLimit());
    if (state_.compactions > 0)
        able.whyNoRollback =
            format("a compaction at token {} merged or dropped older tokens", state_.settledTokens);
    return able;
}

KvStats SlotCache::stats() const {
    KvStats stats;
    stats.tokens = state_.tokens;
    stats.reallocations = state_.reallocations;
    stats.compactions = state_.compactions;
    stats.logicalBytes = static_cast<std::int64_t>(state_.heads.size()) *
                         headBytes(state_.shape, HeadLayout{}, state_.tokens);
    for (const HeadStore& head : state_.heads) {
        const auto norms = static_cast<std::int64_t>(head.norms.size() * sizeof(float));
        stats.slotsTotal += head.slots;
        stats.slotsLargestHead = std::max(stats.slotsLargestHead, static_cast<int>(head.slots));
        stats.liveBytes += headBytes(state_.shape, head.layout, head.slots) + norms;
        stats.allocatedBytes += headBytes(state_.shape, head.layout, head.capacity) + norms;
    }
    return stats;
}

Status SlotCache::beginAppend(int tokens) {
    LACUNA_REQUIRE(!appending_, "one append at a time");
    if (tokens < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("append of {} tokens, expected 0 or more", tokens));
    if (state_.tokens + tokens > kMaxTokens)
        return fail(ErrorCode::ContextFull, format("{} tokens and {} more, a cache counts to {}",
                                                   state_.tokens, tokens, kMaxTokens));
    LACUNA_TRY_STATUS(grow(tokens));
    appending_ = tokens;
    written_.assign(written_.size(), false);
    return {};
}

/// Allocates for every head that is too small before the first one changes.
Status SlotCache::grow(std::int64_t tokens) {
    std::vector<std::pair<HeadStore*, HeadStore>> grown;
    bool first = true;
    for (HeadStore& head : state_.heads) {
        if (tokens == 0 || head.slots + tokens <= head.capacity) continue;
        first = first && head.capacity == 0;
        const std::int64_t capacity = grownCapacity(head.capacity, head.slots, tokens);
        LACUNA_TRY(HeadStore larger,
                   makeHeadStore(state_.shape, head.layout, capacity, *allocator_));
        grown.emplace_back(&head, std::move(larger));
    }
    for (auto& [head, larger] : grown) {
        copySlots(state_.shape, *head, larger);
        *head = std::move(larger);  // frees the old buffers before the next head is copied
    }
    if (!grown.empty() && !first) ++state_.reallocations;
    return {};
}

void SlotCache::writeLayer(LayerIndex layer, View<const float, 3> keys,
                           View<const float, 3> values) {
    const KvShape& shape = state_.shape;
    LACUNA_REQUIRE(appending_.has_value(), "writeLayer inside an append");
    LACUNA_REQUIRE(
        (keys.extents() == View<const float, 3>::Extents{*appending_, shape.kvHeads, shape.keyDim}),
        "keys are [tokens, kvHeads, keyDim]");
    LACUNA_REQUIRE((values.extents() ==
                    View<const float, 3>::Extents{*appending_, shape.kvHeads, shape.valueDim}),
                   "values are [tokens, kvHeads, valueDim]");
    const SlotSizes sizes = slotSizes(shape);
    for (int h = 0; h < shape.kvHeads; ++h) {
        HeadStore& head = state_.heads[index(layer, HeadIndex(h))];
        for (int i = 0; i < *appending_; ++i) {
            const auto slot = static_cast<std::size_t>(head.slots + i);
            const std::int64_t row = std::int64_t{i} * shape.kvHeads + h;
            storeRow(shape.type,
                     {keys.data() + row * shape.keyDim, static_cast<std::size_t>(shape.keyDim)},
                     head.keys.data() + slot * sizes.key);
            storeRow(
                shape.type,
                {values.data() + row * shape.valueDim, static_cast<std::size_t>(shape.valueDim)},
                head.values.data() + slot * sizes.value);
            if (head.layout.positions)
                head.positions.as<std::int32_t>()[slot] =
                    static_cast<std::int32_t>(state_.tokens + i);
            if (head.layout.bias) head.bias.as<float>()[slot] = 0.0F;
        }
    }
    written_[static_cast<std::size_t>(layer.value)] = true;
}

KvHeadView SlotCache::head(LayerIndex layer, HeadIndex headIndex) const {
    const HeadStore& head = store(layer, headIndex);
    const bool pending = appending_ && written_[static_cast<std::size_t>(layer.value)];
    KvHeadView view;
    view.type = state_.shape.type;
    view.keys = head.keys.data();
    view.values = head.values.data();
    view.slots = static_cast<int>(head.slots) + (pending ? *appending_ : 0);
    if (head.layout.positions) view.positions = head.positions.as<std::int32_t>();
    if (head.layout.bias) view.bias = head.bias.as<float>();
    return view;
}

void SlotCache::commitAppend() {
    LACUNA_REQUIRE(appending_.has_value(), "commitAppend inside an append");
    LACUNA_REQUIRE(
        *appending_ == 0 || std::find(written_.begin(), written_.end(), false) == written_.end(),
        "every layer written before commitAppend");
    for (HeadStore& head : state_.heads) head.slots += *appending_;
    state_.tokens += *appending_;
    appending_.reset();
}

void SlotCache::abortAppend() {
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
                           tokens, rollbackLimit(), capabilities().whyNoRollback));
    const std::int64_t removed = std::min<std::int64_t>(tokens, state_.tokens);
    for (HeadStore& head : state_.heads) {
        head.slots -= removed;
        head.norms.resize(std::min(head.norms.size(), static_cast<std::size_t>(head.slots)));
    }
    state_.tokens -= removed;
    return {};
}

Status SlotCache::apply(const CompactionPlan& plan) {
    LACUNA_REQUIRE(!appending_, "compaction outside an append");
    if (plan.heads.size() != state_.heads.size())
        return fail(ErrorCode::InvalidArgument,
                    format("compaction plan for {} heads, the cache has {}", plan.heads.size(),
                           state_.heads.size()));
    std::vector<std::pair<std::size_t, HeadStore>> prepared;
    for (std::size_t i = 0; i < plan.heads.size(); ++i) {
        const HeadStore& head = state_.heads[i];
        if (auto status = checkCompaction(state_.shape, head, plan.heads[i]); !status) {
            const auto perLayer = static_cast<std::size_t>(state_.shape.kvHeads);
            return tl::unexpected<Error>(
                withPrefix(status.error(), format("layer {} head {}", i / perLayer, i % perLayer)));
        }
        if (!plan.heads[i].touched) continue;
        LACUNA_TRY(HeadStore memory, prepareHead(state_.shape, head, plan.heads[i], *allocator_));
        prepared.emplace_back(i, std::move(memory));
    }
    if (prepared.empty()) return {};
    // From here on nothing can fail.
    for (auto& [i, memory] : prepared)
        state_.heads[i] =
            compactHead(state_.shape, state_.heads[i], plan.heads[i], std::move(memory));
    state_.settledTokens = state_.tokens;
    ++state_.compactions;
    return {};
}

Result<std::unique_ptr<KvCache>> SlotCache::clone() const {
    LACUNA_REQUIRE(!appending_, "clone outside an append");
    SlotState copy;
    copy.shape = state_.shape;
    copy.tokens = state_.tokens;
    copy.settledTokens = state_.settledTokens;
    copy.compactions = state_.compactions;
    for (const HeadStore& head : state_.heads) {
        LACUNA_TRY(HeadStore twin,
                   makeHeadStore(state_.shape, head.layout, head.capacity, *allocator_));
        copySlots(state_.shape, head, twin);
        copy.heads.push_back(std::move(twin));
    }
    return std::make_unique<SlotCache>(std::move(copy), *allocator_);
}

Result<std::string> SlotCache::save() const {
    LACUNA_REQUIRE(!appending_, "save outside an append");
    return writeState(state_);
}

std::span<const float> SlotCache::keyNorms(LayerIndex layer, HeadIndex headIndex) {
    LACUNA_REQUIRE(!appending_, "norms outside an append");
    HeadStore& head = state_.heads[index(layer, headIndex)];
    const KvShape& shape = state_.shape;
    const std::size_t rowSize = slotSizes(shape).key;
    std::vector<float> row(static_cast<std::size_t>(shape.keyDim));
    const auto slots = static_cast<std::size_t>(head.slots);
    head.norms.reserve(slots);
    for (std::size_t slot = head.norms.size(); slot < slots; ++slot) {
        loadRow(shape.type, head.keys.data() + slot * rowSize, row);
        head.norms.push_back(norm(row));
    }
    return head.norms;
}

void SlotCache::checkInvariants() const {
    for (const HeadStore& head : state_.heads) {
        LACUNA_REQUIRE(head.slots >= 0 && head.slots <= head.capacity, "slots within capacity");
        LACUNA_REQUIRE(head.slots <= state_.tokens, "no more slots than tokens");
        LACUNA_REQUIRE(head.norms.size() <= static_cast<std::size_t>(head.slots),
                       "norms of valid slots");
        if (!head.layout.positions) {
            LACUNA_REQUIRE(head.slots == state_.tokens, "a dense head holds every token");
            LACUNA_REQUIRE(!head.layout.bias, "a dense head has no bias");
            continue;
        }
        const auto* positions = head.positions.as<std::int32_t>();
        for (std::int64_t j = 0; j < head.slots; ++j) {
            LACUNA_REQUIRE(positions[j] >= 0 && positions[j] < state_.tokens, "position was seen");
            LACUNA_REQUIRE(j == 0 || positions[j - 1] < positions[j], "positions ascend");
            LACUNA_REQUIRE(!head.layout.bias || std::isfinite(head.bias.as<float>()[j]),
                           "finite bias");
        }
    }
    LACUNA_REQUIRE(state_.settledTokens <= state_.tokens, "settled tokens were seen");
}

}  // namespace

Result<std::unique_ptr<KvCache>> makeSlotCache(const KvShape& shape, SlotAllocator& allocator) {
    LACUNA_TRY_STATUS(checkShape(shape));
    SlotState state;
    state.shape = shape;
    state.heads.resize(static_cast<std::size_t>(shape.layers) *
                       static_cast<std::size_t>(shape.kvHeads));
    return std::make_unique<SlotCache>(std::move(state), allocator);
}

Result<std::unique_ptr<KvCache>> makeSlotCache(const KvShape& shape) {
    return makeSlotCache(shape, systemSlotAllocator());
}

Result<std::unique_ptr<KvCache>> loadCache(std::string_view bytes, SlotAllocator& allocator) {
    LACUNA_TRY(SlotState state, readState(bytes, allocator));
    return std::make_unique<SlotCache>(std::move(state), allocator);
}

Result<std::unique_ptr<KvCache>> loadCache(std::string_view bytes) {
    return loadCache(bytes, systemSlotAllocator());
}

}  // namespace lacuna
