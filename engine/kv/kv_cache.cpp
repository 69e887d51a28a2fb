#include "engine/kv/kv_cache.h"

#include <algorithm>
#include <tuple>

#include "engine/base/string_format.h"
#include "engine/kv/calibrated_rotations.h"
#include "engine/kv/state/state_store.h"

namespace lacuna {

std::span<const ExactSlot> ExactView::within(int first, int slots) const {
    const auto before = [](const ExactSlot& at, int slot) { return at.slot < slot; };
    const ExactSlot* const end = places + count;
    const ExactSlot* const from = std::lower_bound(places, end, first, before);
    return {from, std::lower_bound(from, end, first + slots, before)};
}

bool operator==(const KvShape& a, const KvShape& b) {
    const auto plain = [](const KvShape& s) {
        return std::tie(s.layers, s.kvHeads, s.keyDim, s.valueDim, s.valuesInKeys, s.type,
                        s.keyQuant, s.valueQuant, s.exact, s.extents);
    };
    const auto sameStates = [](const StateModel* one, const StateModel* other) {
        if (one == nullptr || other == nullptr) return one == other;
        return std::ranges::equal(*one, *other, {}, &MixerWeights::shape, &MixerWeights::shape);
    };
    return plain(a) == plain(b) && sameRotations(a.rotations.get(), b.rotations.get()) &&
           sameStates(a.states.get(), b.states.get());
}

int KvShape::headsBefore(int layer) const {
    if (uniform()) return layer * kvHeads;
    int heads = 0;
    for (int i = 0; i < layer; ++i) heads += extents[static_cast<std::size_t>(i)].heads;
    return heads;
}

KvHeadLocation KvShape::placeOf(int index) const {
    if (uniform()) return {LayerIndex(index / kvHeads), HeadIndex(index % kvHeads)};
    int layer = 0;
    for (; index >= heads(LayerIndex(layer)); ++layer) index -= heads(LayerIndex(layer));
    return {LayerIndex(layer), HeadIndex(index)};
}

KvExtent KvShape::largest() const {
    if (uniform()) return extent(LayerIndex(0));
    KvExtent most;
    for (const KvExtent& one : extents)
        most = {std::max(most.heads, one.heads), std::max(most.keyDim, one.keyDim),
                std::max(most.valueDim, one.valueDim)};
    return most;
}

Result<int> KvCache::trim(int tokens) {
    if (tokens < 0)
        return fail(ErrorCode::InvalidArgument,
                    format("trim of {} tokens, expected 0 or more", tokens));
    const int most = capabilities().trimLimit;
    const bool holdsNoMore = most > 0 && most >= size();
    const int removed = tokens <= most || holdsNoMore ? std::min(tokens, most) : 0;
    LACUNA_TRY_STATUS(rollback(removed));
    return removed;
}

std::int64_t KvCache::tokensAgain(Position length) const {
    const std::int64_t surplus = std::int64_t{offset().value} - length.value;
    return surplus <= capabilities().rollbackLimit ? 0 : length.value;
}

bool CompactionPlan::touched() const {
    return std::ranges::any_of(heads, [](const HeadCompaction& head) { return head.touched(); });
}

Status compactInPlace(KvCache& cache, const CompactionPlan& plan, ThreadPool& pool) {
    if (Compactable* const compactable = cache.compactable())
        return compactable->applyInPlace(plan, pool);
    if (!plan.touched()) return {};
    return fail(ErrorCode::Unsupported,
                "a rotating cache cannot be compacted, because its window limits it already; leave "
                "its layers out, or use a dense cache with a budget");
}

bool defragmentCache(KvCache& cache, std::int64_t bytes, ThreadPool& pool, bool all) {
    Compactable* const compactable = cache.compactable();
    return compactable != nullptr && compactable->defragment(bytes, pool, all);
}

}  // namespace lacuna
