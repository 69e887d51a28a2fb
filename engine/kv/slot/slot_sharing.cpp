#include "engine/kv/slot/slot_sharing.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/kv/slot/head_room.h"
#include "engine/kv/slot_memory.h"

namespace lacuna {
namespace {

// Free slots after the adopted ones, so that the last few tokens fit.
constexpr std::int64_t kHeadroom = 64;

/// 16-bit rows are copied, since the original keeps dropping and adding them.
Result<HeadStore> shareHead(const KvShape& shape, HeadStore& head, SlotAllocator& allocator) {
    HeadStore twin;
    LACUNA_TRY(twin.exact, head.exact.copy(shape, allocator));
    head.frozen = std::max(head.frozen, head.slots);
    twin.keys = head.keys.share();
    twin.values = head.values.share();
    twin.positions = head.positions.share();
    twin.bias = head.bias.share();
    twin.layout = head.layout;
    twin.slots = head.slots;
    twin.capacity = head.capacity;
    twin.borrowed = true;
    return twin;
}

/// Copies the newest `count` rows of one head to the end of the other. @pre there is room for them
void copyNewest(const KvShape& shape, const HeadStore& from, std::int64_t count,
                std::int64_t position, HeadStore& to) {
    const SlotSizes sizes = slotSizes(shape);
    const auto rows = static_cast<std::size_t>(count);
    const auto source = static_cast<std::size_t>(from.slots - count);
    const auto target = static_cast<std::size_t>(to.slots);
    std::memcpy(to.keys.from(target * sizes.key), from.keys.data() + source * sizes.key,
                rows * sizes.key);
    if (sizes.value > 0)
        std::memcpy(to.values.from(target * sizes.value), from.values.data() + source * sizes.value,
                    rows * sizes.value);
    for (std::int64_t i = 0; i < count; ++i) labelSlot(to, to.slots + i, position + i);
    to.exact.copyRows(shape, from.exact, from.slots - count, to.slots);
    to.slots += count;
}

/// Number of the snapshot's tokens that the original has not changed.
Result<std::int64_t> commonTokens(const SlotState& snapshot, const SlotState& longer) {
    const std::int64_t since = longer.snapshots - snapshot.snapshots;
    if (!(snapshot.shape == longer.shape) || !snapshot.rotations.sharedWith(longer.rotations) ||
        since != (longer.isSnapshot ? 1 : 0))
        return fail(ErrorCode::Incompatible, "this is not a snapshot of that cache");
    const std::int64_t common = std::min(snapshot.tokens, longer.lowest);
    if (common < snapshot.settledTokens || common > longer.tokens)
        return fail(ErrorCode::Incompatible,
                    format("the conversation was rolled back to token {}, but the snapshot has {}",
                           longer.lowest, snapshot.settledTokens));
    for (const HeadStore& head : longer.heads)
        if (head.isFragmented() || head.slots < longer.tokens - common)
            return fail(ErrorCode::Incompatible,
                        "the cache was compacted since its snapshot was taken");
    return common;
}

/// Makes room for `count` more slots in every head that has too few.
Status makeRoom(SlotState& state, std::int64_t count, SlotAllocator& allocator) {
    for (HeadStore& head : state.heads) {
        if (head.borrowed || head.slots + count <= head.capacity) continue;
        LACUNA_TRY(HeadStore larger,
                   makeHeadStore(state.shape, head.layout,
                                 compactedCapacity(head.slots + count + kHeadroom), allocator));
        copySlots(state.shape, head, larger);
        larger.exact = std::move(head.exact);
        head = std::move(larger);
    }
    return {};
}

/// Makes room for the 16-bit rows of the newest `count` slots of every head of the original.
Status makeExactRoom(SlotState& state, const SlotState& longer, std::int64_t count,
                     SlotAllocator& allocator) {
    for (std::size_t i = 0; i < state.heads.size(); ++i) {
        HeadStore& head = state.heads[i];
        if (head.borrowed) continue;
        const HeadStore& from = longer.heads[i];
        const auto more = std::ranges::count_if(from.exact.places(), [&](const ExactSlot& at) {
            return at.slot >= from.slots - count;
        });
        LACUNA_TRY(ExactRows::Room room,
                   head.exact.room(state.shape, static_cast<int>(more), allocator));
        head.exact.take(state.shape, std::move(room));
    }
    return {};
}

}  // namespace

bool mustCopy(const HeadStore& head, int tokens) {
    if (tokens == 0 || !head.keys.shared()) return false;
    return head.borrowed || appendSlot(head, tokens) < head.frozen;
}

Result<SlotState> copyOnWriteState(SlotState& state, SlotAllocator& allocator) {
    SlotState twin;
    twin.shape = state.shape;
    twin.rotations = state.rotations;
    for (HeadStore& head : state.heads) {
        LACUNA_TRY(HeadStore made, shareHead(state.shape, head, allocator));
        made.holes = head.holes;
        made.firstHole = head.firstHole;
        made.inOrder = head.inOrder;
        made.norms = head.norms;
        twin.heads.push_back(std::move(made));
    }
    twin.tokens = state.tokens;
    twin.settledTokens = state.settledTokens;
    twin.compactions = state.compactions;
    return twin;
}

Status ownHeads(SlotState& state, SlotAllocator& allocator,
                const std::function<bool(const HeadStore&)>& written) {
    std::vector<HeadGrowth> shared;
    for (HeadStore& head : state.heads)
        if (head.keys.shared() && written(head))
            shared.push_back({.head = &head, .capacity = head.capacity});
    return growHeads(state.shape, shared, allocator);
}

Result<SlotState> shareState(SlotState& state, SlotAllocator& allocator) {
    for (const HeadStore& head : state.heads)
        if (head.isFragmented())
            return fail(ErrorCode::InvalidArgument,
                        "a snapshot of a cache with holes; tidy it first");
    SlotState twin;
    twin.shape = state.shape;
    twin.rotations = state.rotations;
    for (HeadStore& head : state.heads) {
        LACUNA_TRY(twin.heads.emplace_back(), shareHead(state.shape, head, allocator));
    }
    twin.tokens = state.tokens;
    twin.settledTokens = state.settledTokens;
    twin.compactions = state.compactions;
    twin.lowest = std::min(state.lowest, state.tokens);
    twin.snapshots = ++state.snapshots;
    twin.isSnapshot = true;
    state.lowest = state.tokens;
    return twin;
}

Status followState(SlotState& snapshot, SlotState& longer, SlotAllocator& allocator) {
    LACUNA_TRY(const std::int64_t common, commonTokens(snapshot, longer));
    const std::int64_t count = longer.tokens - common;
    LACUNA_TRY_STATUS(makeRoom(snapshot, count, allocator));
    LACUNA_TRY_STATUS(makeExactRoom(snapshot, longer, count, allocator));
    for (std::size_t i = 0; i < snapshot.heads.size(); ++i) {
        HeadStore& head = snapshot.heads[i];
        if (head.borrowed) {
            LACUNA_TRY(head, shareHead(snapshot.shape, longer.heads[i], allocator));
            continue;
        }
        dropNewest(head, common, snapshot.tokens - common);
        if (count > 0) copyNewest(snapshot.shape, longer.heads[i], count, common, head);
        dropOldExact(head, snapshot.shape.exact, longer.tokens - 1);
    }
    snapshot.tokens = longer.tokens;
    snapshot.snapshots = longer.snapshots;
    return {};
}

Status checkSuccessor(const SlotState& state, const SlotState& successor) {
    const bool follows = successor.isSnapshot && successor.snapshots == state.snapshots &&
                         successor.tokens == state.tokens &&
                         successor.compactions > state.compactions &&
                         state.lowest >= successor.settledTokens;
    if (!follows || !(successor.shape == state.shape) ||
        !successor.rotations.sharedWith(state.rotations))
        return fail(ErrorCode::Incompatible, "the cache has changed since its snapshot was taken");
    return {};
}

void adoptState(SlotState& state, SlotState& successor) {
    for (std::size_t i = 0; i < state.heads.size(); ++i)
        if (!successor.heads[i].borrowed) std::swap(state.heads[i], successor.heads[i]);
    state.settledTokens = successor.settledTokens;
    state.compactions = successor.compactions;
}

}  // namespace lacuna
