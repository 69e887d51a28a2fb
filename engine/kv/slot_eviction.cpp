#include "engine/kv/slot_eviction.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kv/hole_reuse.h"

namespace lacuna {
namespace {

/// Moves the rows of a head together, oldest first; the bytes it then holds. Errors: NoMemory.
Result<std::int64_t> tidyHead(const KvShape& shape, HeadStore& head, SlotAllocator& allocator) {
    HeadCompaction keep{.touched = true, .keep = liveSlots(head), .bias = {}, .values = {}};
    if (keep.keep.empty()) {
        head.slots = head.holes = head.firstHole = 0;
        head.inOrder = true;
        head.norms.clear();
        return 0;
    }
    std::sort(keep.keep.begin(), keep.keep.end());
    LACUNA_TRY(HeadStore memory, prepareHead(shape, head, keep, allocator));
    head = compactHead(shape, head, keep, std::move(memory));
    return headBytes(shape, head.layout, head.slots);
}

}  // namespace

Error atHead(const KvShape& shape, const Error& error, std::size_t index) {
    const auto perLayer = static_cast<std::size_t>(shape.kvHeads);
    return withPrefix(error, format("layer {} head {}", index / perLayer, index % perLayer));
}

bool onlyDrops(const CompactionPlan& plan) {
    return std::all_of(plan.heads.begin(), plan.heads.end(), [](const HeadCompaction& head) {
        return head.bias.empty() && head.values.empty();
    });
}

Result<std::vector<EvictedColumns>> prepareEvictions(const SlotState& state,
                                                     const CompactionPlan& plan,
                                                     SlotAllocator& allocator, ThreadPool& pool) {
    std::vector<EvictedColumns> prepared(plan.heads.size());
    std::vector<std::optional<Error>> errors(plan.heads.size());
    pool.parallelFor(static_cast<int>(plan.heads.size()), [&](int task) {
        const auto i = static_cast<std::size_t>(task);
        if (!plan.heads[i].touched) {
            if (auto status = checkCompaction(state.shape, state.heads[i], plan.heads[i]); !status)
                errors[i] = status.error();
            return;
        }
        auto head = prepareEviction(state.shape, state.heads[i], plan.heads[i], allocator);
        if (head) {
            prepared[i] = std::move(*head);
        } else {
            errors[i] = head.error();
        }
    });
    for (std::size_t i = 0; i < errors.size(); ++i)
        if (errors[i]) return tl::unexpected<Error>(atHead(state.shape, *errors[i], i));
    return prepared;
}

void takeEvictions(SlotState& state, const CompactionPlan& plan,
                   std::vector<EvictedColumns> prepared) {
    bool touched = false;
    for (std::size_t i = 0; i < prepared.size(); ++i) {
        if (!plan.heads[i].touched) continue;
        evictInPlace(state.shape, state.heads[i], std::move(prepared[i]));
        touched = true;
    }
    if (!touched) return;
    state.settledTokens = state.tokens;
    ++state.compactions;
}

bool tidyHeads(SlotState& state, const TidyWork& work, SlotAllocator& allocator) {
    std::int64_t moved = 0;
    for (std::size_t seen = 0; seen < state.heads.size(); ++seen) {
        HeadStore& head = state.heads[work.next];
        if (work.all ? head.loose() : holdsSpareMemory(head)) {
            if (moved >= work.bytes && moved > 0) return true;
            const auto bytes = tidyHead(state.shape, head, allocator);
            if (!bytes) return false;
            moved += *bytes;
        }
        work.next = (work.next + 1) % state.heads.size();
    }
    return false;
}

}  // namespace lacuna
