// Numbered rows of docs/known-faults.md, "The defect list", about caches that grow after a
// compaction. The rows about the fit itself are in degenerate_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "compactor_fixture.h"
#include "engine/compress/driver/compaction_trigger.h"
#include "engine/compress/head_budgets.h"
#include "engine/kv/kv_factory.h"
#include "tests/support/compaction_notes.h"

namespace lacuna::test {
namespace {

/// A head whose keys have the given lengths and nearly the same direction.
std::unique_ptr<KvCache> cacheOfLengths(const std::vector<float>& lengths) {
    const KvShape shape{.layers = 1, .kvHeads = 1, .keyDim = 2, .valueDim = 2, .type = DType::F32};
    auto cache = makeSlotCache(shape).value();
    const auto tokens = static_cast<int>(lengths.size());
    std::vector<float> rows;
    for (const float length : lengths) rows.insert(rows.end(), {0.6F * length, 0.8F * length});
    EXPECT_TRUE(cache->beginAppend(tokens));
    const View<const float, 3> view(rows.data(), {tokens, 1, 2});
    cache->writeLayer(LayerIndex(0), view, view);
    cache->commitAppend();
    return cache;
}

std::vector<std::int32_t> keptBy(EvictionPolicy policy, const std::vector<float>& lengths) {
    const auto cache = cacheOfLengths(lengths);
    ThreadPool pool(1);
    const SteadyClock clock;
    Compactor compactor({.heads = 1, .scale = 1.0F, .seed = 1}, cache->shape(), pool, clock);
    KvOptions options = l2(6, 1);
    options.nSink = 2;
    options.evictionPolicy = policy;
    const CompactionReport report = compactor.compact(*cache, options);
    EXPECT_EQ(report.result, CompactionResult::Done) << report.notes;
    while (defragmentCache(*cache, 1 << 20, pool, true)) {
    }
    return tokensOf(*cache);
}

TEST(DefectList, D12_02_eachNormPolicy_keepsItsEnd_andTheSinks) {
    //                               sinks        candidates                     recent
    const std::vector<float> lengths{0.1F, 9.0F, 5.0F, 1.0F, 7.0F, 2.0F, 6.0F, 3.0F, 4.0F};
    using Tokens = std::vector<std::int32_t>;
    EXPECT_EQ(keptBy(EvictionPolicy::KeepLowNorm, lengths), (Tokens{0, 1, 3, 5, 7, 8}));
    EXPECT_EQ(keptBy(EvictionPolicy::KeepHighNorm, lengths), (Tokens{0, 1, 2, 4, 6, 8}));
    EXPECT_EQ(keptBy(EvictionPolicy::StreamingLLM, lengths), (Tokens{0, 1, 5, 6, 7, 8}));
}

TEST(DefectList, D12_04_budgetBelowProtectedTokens_returnsAnErrorWithNumbers) {
    for (const int budget : {1, 16, 32, 36}) {
        Bench bench;
        const KvOptions options = l2(budget, 32, 8);
        bench.append(300, options);
        const auto report = bench.compactor().afterStep(bench.cache(), options);
        ASSERT_TRUE(report) << budget;
        EXPECT_EQ(report->result, CompactionResult::Failed) << budget;
        EXPECT_TRUE(tellsError(report->notes, std::to_string(budget))) << report->notes;
        EXPECT_TRUE(tellsError(report->notes, "32")) << report->notes;
        EXPECT_EQ(bench.cache().stats().slotsTotal, 4 * 300);
    }
}

TEST(DefectList, D12_07_quantisedRows_areCompacted_andKeptKeysStayBitForBit) {
    KvShape shape{.layers = 2, .kvHeads = 2, .keyDim = 32, .valueDim = 32, .type = DType::F16};
    for (const KvQuant quant : {KvQuant{8, 32}, KvQuant{4, 32}, KvQuant{5, 0}}) {
        shape.keyQuant = shape.valueQuant = quant;
        for (const KvOptions& options : {l2(100, 32), matching(4)}) {
            Bench bench(shape);
            bench.append(400, options);
            const auto report = bench.compactor().afterStep(bench.cache(), options);
            ASSERT_TRUE(report);
            ASSERT_EQ(report->result, CompactionResult::Done) << report->notes;
            EXPECT_LT(report->liveBytesAfter, report->liveBytesBefore / 3);
            for (int head = 0; head < 2; ++head) {
                const KvHeadView view = bench.cache().head(LayerIndex(1), HeadIndex(head));
                for (int slot = 0; slot < view.slots; ++slot) {
                    if (view.bias != nullptr && std::isinf(view.bias[slot])) continue;
                    const auto key = stored(keyFormat(view, shape.keyDim),
                                            keyRow(shape, 1, head, view.positions[slot]));
                    ASSERT_EQ(std::memcmp(view.keys + static_cast<std::size_t>(slot) * key.size(),
                                          key.data(), key.size()),
                              0)
                        << quant.bits << " bits, slot " << slot;
                }
            }
        }
    }
}

TEST(DefectList, D12_12_compactionToAFullStep_leavesHeadroomForNewTokens) {
    for (const int budget : {255, 256, 257, 512}) {
        CountingAllocator allocator;
        auto cache = makeSlotCache(kShape, allocator).value();
        ASSERT_TRUE(append(*cache, budget + 60));
        ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, range(60, budget + 60))));
        auto restored = loadCache(cache->save().value()).value();
        for (KvCache* one : {cache.get(), restored.get()}) {
            const std::int64_t before = one->stats().reallocations;
            for (int i = 0; i < 64; ++i) ASSERT_TRUE(append(*one, 1));
            EXPECT_LE(one->stats().reallocations - before, 1) << budget;
            EXPECT_EQ(one->stats().slotsLargestHead, budget + 64);
        }
        const int before = allocator.allocations;
        ASSERT_TRUE(append(*cache, 1));
        EXPECT_EQ(allocator.allocations, before) << "and stays there";
    }
}

TEST(DefectList, D12_13_everyCacheState_roundTrips_includingEmpty) {
    for (const int tokens : {0, 1, 300}) {
        Bench bench;
        bench.append(tokens, matching(4));
        const auto report = bench.compactor().afterStep(bench.cache(), matching(4));
        EXPECT_EQ(report.has_value(), tokens == 300);
        const std::string state = bench.cache().save().value();
        const auto again = loadCache(state).value();
        EXPECT_EQ(again->save().value(), state);
        EXPECT_EQ(again->offset().value, tokens);
        EXPECT_EQ(again->stats().slotsTotal, bench.cache().stats().slotsTotal);
        ASSERT_TRUE(append(*again, 1));
        EXPECT_EQ(tokensOf(*again).back(), tokens);
    }
}

TEST(DefectList, D12_14_rollbackOfMergedTokens_isRefused_andTheOffsetStays) {
    Bench bench;
    const KvOptions options = matching(4);
    bench.append(400, options);
    ASSERT_EQ(bench.compactor().afterStep(bench.cache(), options)->result, CompactionResult::Done);
    bench.append(10, options);
    KvCache& cache = bench.cache();
    const KvCapabilities can = cache.capabilities();
    ASSERT_GE(can.rollbackLimit, 10);
    ASSERT_LT(can.rollbackLimit, 400);
    EXPECT_FALSE(can.rollbackBlocker.empty());
    const std::string before = cache.save().value();
    const Status refused = cache.rollback(can.rollbackLimit + 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    EXPECT_EQ(cache.trim(1).value(), 0) << "a trim says that nothing went";
    EXPECT_EQ(cache.save().value(), before);
    EXPECT_EQ(cache.offset().value, 410);
    ASSERT_TRUE(cache.rollback(10));
    EXPECT_EQ(cache.offset().value, 400) << "of the text, not of the slots";
    bench.append(1, options);
    EXPECT_EQ(tokensOf(cache).back(), 400);
}

TEST(DefectList, D12_16_queryVisibility_followsPositions_notTextLength) {
    RandomStream random(4, 0);
    auto cache = makeSlotCache(kShape).value();
    for (int round = 0; round < 40; ++round) {
        const int fresh = 1 + static_cast<int>(random.below(30));
        ASSERT_TRUE(cache->beginAppend(fresh));
        writeRows(*cache, fresh);
        const std::int64_t offset = cache->offset().value;
        for (int head = 0; head < 2; ++head) {
            const auto tokens = tokensOf(*cache, 1, head);
            for (int i = 0; i < fresh; ++i) {
                const auto visible = std::ranges::count_if(
                    tokens, [&](std::int32_t position) { return position <= offset + i; });
                EXPECT_EQ(visible, static_cast<std::ptrdiff_t>(tokens.size()) - (fresh - 1 - i))
                    << "all older slots and the new ones up to itself";
                EXPECT_EQ(tokens[tokens.size() - static_cast<std::size_t>(fresh - i)], offset + i);
            }
            EXPECT_TRUE(std::ranges::is_sorted(tokens));
        }
        cache->commitAppend();
        std::vector<std::int32_t> keep;
        for (std::int32_t slot = 0; slot < cache->size(); ++slot)
            if (random.below(3) > 0) keep.push_back(slot);
        if (keep.empty() || keep.size() == static_cast<std::size_t>(cache->size())) continue;
        ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, keep)));
        EXPECT_LT(cache->size(), cache->offset().value);
    }
}

/// A clock that advances by a millisecond on every reading.
class TickingClock final : public Clock {
  public:
    [[nodiscard]] std::int64_t nowNs() const override { return ticks_++ * 1'000'000; }

  private:
    mutable std::atomic<std::int64_t> ticks_ = 0;
};

TEST(DefectList, D12_18_reportedTimes_endWhenTheCacheIsCompacted) {
    const TickingClock clock;
    ThreadPool pool(1);
    for (const KvOptions& options : {l2(100, 32), matching(4)}) {
        const auto cache = makeSlotCache(kShape).value();
        Compactor compactor(kModel, kShape, pool, clock);
        ASSERT_TRUE(append(*cache, 400));
        const std::int64_t begin = clock.nowNs();
        const CompactionReport report = compactor.compact(*cache, options);
        const auto around = static_cast<double>(clock.nowNs() - begin) * 1e-6;
        ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
        EXPECT_EQ(cache->stats().slotsTotal, report.slotsAfter) << "nothing is put off";
        EXPECT_EQ(cache->stats().liveBytes, report.liveBytesAfter);
        EXPECT_LT(report.slotsAfter, report.slotsBefore);
        EXPECT_GT(report.applyMs, 0);
        EXPECT_LE(report.scoreMs + report.selectMs + report.fitMs + report.applyMs, report.totalMs);
        EXPECT_LE(report.totalMs, around);
    }
}

TEST(DefectList, D12_19_peakSize_isTheReportedTriggerPlusOneChunk) {
    constexpr int kChunk = 48;
    Bench bench;
    const KvOptions options = l2(128, 32, 40);
    int largest = 0;
    for (int i = 0; i < 40; ++i) {
        bench.append(kChunk, options);
        largest = std::max(largest, bench.cache().size());
        static_cast<void>(bench.compactor().afterStep(bench.cache(), options,
                                                      {.pace = CompactionPace::Immediate}));
    }
    const CompactionState state = bench.compactor().state(bench.cache(), options);
    EXPECT_EQ(state.trigger, 128 + 40 + 1);
    EXPECT_GT(largest, state.trigger) << "the budget is passed";
    EXPECT_LT(largest, state.trigger + kChunk);
    EXPECT_EQ(state.phase, CompactionPhase::Waiting);
}

TEST(DefectList, D12_29_everyHead_hasItsOwnShare_unaffectedByTheLargest) {
    RandomStream random(6, 0);
    for (int round = 0; round < 300; ++round) {
        std::vector<HeadRoom> rooms;
        std::vector<double> weights;
        std::int64_t least = 0;
        std::int64_t most = 0;
        for (int head = 0; head < 72; ++head) {
            const int low = 8 + static_cast<int>(random.below(30));
            rooms.push_back({low, low + static_cast<int>(random.below(400))});
            weights.push_back(static_cast<double>(random.below(1000)));
            least += rooms.back().least;
            most += rooms.back().most;
        }
        const std::int64_t total =
            least +
            static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
        const auto shares = shareByWeight(rooms, weights, total);
        ASSERT_TRUE(shares);
        EXPECT_EQ(std::accumulate(shares->begin(), shares->end(), std::int64_t{0}), total);
        for (std::size_t head = 0; head < rooms.size(); ++head) {
            EXPECT_GE((*shares)[head], rooms[head].least);
            EXPECT_LE((*shares)[head], rooms[head].most);
        }
    }
    const std::vector<HeadRoom> equal(7, HeadRoom{8, 100});
    const std::vector<double> alike(7, 1.0);
    const std::vector<int> shares = shareByWeight(equal, alike, 103).value();
    EXPECT_LE(std::ranges::max(shares) - std::ranges::min(shares), 1)
        << "five slots over seven heads go to five of them";
}

TEST(DefectList, D12_34_promptFarBeyondCapacity_growsOnce_andStaysConsistent) {
    auto cache = makeSlotCache(kShape).value();
    ASSERT_TRUE(append(*cache, 10));
    const std::int64_t before = cache->stats().reallocations;
    ASSERT_TRUE(append(*cache, 5000));
    EXPECT_EQ(cache->stats().reallocations - before, 1);
    EXPECT_EQ(cache->size(), 5010);
    EXPECT_TRUE(holdsItsTokens(*cache));
    EXPECT_EQ(cache->trim(4000).value(), 4000);
    const auto again = loadCache(cache->save().value()).value();
    for (KvCache* one : {cache.get(), again.get()}) {
        ASSERT_TRUE(append(*one, 300));
        EXPECT_EQ(one->size(), 1310);
        EXPECT_TRUE(holdsItsTokens(*one));
        one->checkInvariants();
    }
}

}  // namespace
}  // namespace lacuna::test
