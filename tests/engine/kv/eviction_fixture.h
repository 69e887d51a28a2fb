#pragma once
/// \file
/// Options of the cache contract's eviction vectors, and the compactor called as in the generation
/// loop. The contract's margin, max(keep_recent, 64), and its tie rule are settings here. It has no
/// compaction_floor.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cache_kinds.h"
#include "engine/compress/driver/compactor.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "tests/support/compaction_notes.h"

namespace lacuna::test {

using Slots = std::vector<std::int32_t>;

inline KvShape tiny() {
    return {.layers = 2, .kvHeads = 1, .keyDim = 4, .valueDim = 4, .type = DType::F16};
}

inline KvOptions contractOptions(int budget, int keepRecent) {
    KvOptions options;
    options.method = CompactionMethod::Eviction;
    options.budget = budget;
    options.keepRecent = keepRecent;
    options.nSink = 0;
    options.compactionFloor = 0;
    options.margin = std::max(keepRecent, 64);
    options.evictionPolicy = EvictionPolicy::KeepHighNorm;
    options.coherence = LayerCoherence::CrossLayer;
    return options;
}

inline SelectionRule rule(int budget, int keepRecent) {
    return {.budget = budget, .keepRecent = keepRecent, .nSink = 0, .tie = TieRule::LowerSlotFirst};
}

inline Slots newestAndFirst(int slots, int keep) {
    Slots out = range(0, keep / 2);
    for (std::int32_t j = slots - (keep - keep / 2); j < slots; ++j) out.push_back(j);
    return out;
}

/// Calls the compactor after every forward pass, like the generation loop.
struct Driven {
    explicit Driven(KvOptions wanted, const KvShape& shape = tiny())
        : options(std::move(wanted)),
          cache(makeSlotCache(shape).value()),
          compactor({.heads = 1, .scale = 1.0F, .seed = 1}, shape, pool, clock) {}
    void forward(int tokens) {
        compactor.beforeStep(*cache, options);
        ASSERT_TRUE(append(*cache, tokens));
        const auto report = compactor.afterStep(*cache, options);
        peak = std::max(peak, static_cast<int>(tokens) + held);
        held = cache->size();
        if (!report) return;
        ASSERT_EQ(report->result, CompactionResult::Done) << report->notes;
        firedAt.push_back(cache->offset().value);
    }
    KvOptions options;
    ThreadPool pool{1};
    SteadyClock clock;
    std::unique_ptr<KvCache> cache;
    Compactor compactor;
    std::vector<int> firedAt;
    int held = 0;
    int peak = 0;
};

}  // namespace lacuna::test
