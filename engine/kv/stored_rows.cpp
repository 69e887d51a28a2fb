#include "engine/kv/stored_rows.h"

#include <limits>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot/head_room.h"
#include "engine/kv/slot/slot_sharing.h"
#include "engine/kv/slot/slot_state.h"

namespace lacuna {

bool holdsRowsOfTokens(const KvCache& cache) {
    const KvShape& shape = cache.shape();
    if (cache.layerPlans() != nullptr || shape.keepsExact() ||
        !cache.capabilities().holdsEveryToken)
        return false;
    for (int layer = 0; layer < shape.layers; ++layer)
        for (int head = 0; head < shape.kvHeads; ++head) {
            const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
            if (view.positions != nullptr || view.bias != nullptr || view.window != 0 ||
                view.slots != cache.offset().value)
                return false;
        }
    return true;
}

Result<StoredRowsAppend> StoredRowsAppend::begin(KvCache& cache, std::int64_t tokens) {
    if (tokens < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("append of {} tokens, expected 0 or more", tokens));
    Snapshots* const facet = cache.snapshots();
    const std::vector<SlotState*> shared = facet == nullptr || !holdsRowsOfTokens(cache)
                                               ? std::vector<SlotState*>()
                                               : facet->sharedSlots();
    if (shared.empty())
        return fail(ErrorCode::Unsupported,
                    "rows are put back only into a cache that holds every token as one row, "
                    "between steps");
    SlotState* const state = shared.front();
    if (tokens > std::numeric_limits<std::int32_t>::max() - state->tokens)
        return fail(ErrorCode::ContextFull,
                    format("{} tokens and {} more are too many", state->tokens, tokens));
    std::vector<HeadGrowth> grown;
    for (HeadStore& head : state->heads) {
        const bool fits = head.slots + tokens <= head.capacity;
        if (tokens == 0 || (fits && !mustCopy(head, static_cast<int>(tokens)))) continue;
        grown.push_back(
            {&head, fits ? head.capacity : grownCapacity(head.capacity, head.slots, tokens)});
    }
    LACUNA_TRY_STATUS(growHeads(state->shape, grown, systemSlotAllocator()));
    return StoredRowsAppend(*state, tokens);
}

std::size_t StoredRowsAppend::index(LayerIndex layer, HeadIndex head) const {
    LACUNA_REQUIRE(layer.value >= 0 && layer.value < state_->shape.layers, "layer in range");
    LACUNA_REQUIRE(head.value >= 0 && head.value < state_->shape.kvHeads, "KV head in range");
    return static_cast<std::size_t>(layer.value) * static_cast<std::size_t>(state_->shape.kvHeads) +
           static_cast<std::size_t>(head.value);
}

std::span<std::byte> StoredRowsAppend::keys(LayerIndex layer, HeadIndex head) const {
    HeadStore& store = state_->heads[index(layer, head)];
    const std::size_t bytes = slotSizes(state_->shape).key;
    return {store.keys.data() + static_cast<std::size_t>(store.slots) * bytes,
            static_cast<std::size_t>(tokens_) * bytes};
}

std::span<std::byte> StoredRowsAppend::values(LayerIndex layer, HeadIndex head) const {
    HeadStore& store = state_->heads[index(layer, head)];
    const std::size_t bytes = slotSizes(state_->shape).value;
    return {store.values.data() + static_cast<std::size_t>(store.slots) * bytes,
            static_cast<std::size_t>(tokens_) * bytes};
}

void StoredRowsAppend::commit() {
    for (HeadStore& head : state_->heads) {
        for (std::int64_t i = 0; i < tokens_; ++i)
            labelSlot(head, head.slots + i, state_->tokens + i);
        head.slots += tokens_;
    }
    state_->tokens += tokens_;
}

}  // namespace lacuna
