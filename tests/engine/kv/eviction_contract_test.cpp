// Vectors L2 of the cache contract, with the rows S1 and D that they answer. The contract's margin,
// max(keep_recent, 64), is a setting here; its tie rule likewise. Everything that decides is the
// production code: compaction limits and driver of the compress room, selection and caches of this
// one.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "cache_kinds.h"
#include "engine/compress/compaction_policy.h"
#include "engine/compress/compactor.h"
#include "engine/kv/batch_cache.h"
#include "engine/kv/cache_state.h"
#include "engine/kv/eviction_plan.h"
#include "engine/kv/growth.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot_cache.h"

namespace lacuna::test {
namespace {

using Slots = std::vector<std::int32_t>;

KvShape tiny() {
    return {.layers = 2, .kvHeads = 1, .keyDim = 4, .valueDim = 4, .type = DType::F16};
}

KvOptions contractOptions(int budget, int keepRecent) {
    KvOptions options;
    options.method = CompactionMethod::L2;
    options.budget = budget;
    options.keepRecent = keepRecent;
    options.nSink = 0;
    options.margin = std::max(keepRecent, 64);
    options.normPolicy = NormPolicy::KeepHighNorm;
    options.coherence = LayerCoherence::CrossLayer;
    return options;
}

void expectThreshold(int budget, int keepRecent, int threshold) {
    const auto limits = compactionLimits(contractOptions(budget, keepRecent), 100'000);
    ASSERT_TRUE(limits);
    EXPECT_EQ(limits->target, budget);
    EXPECT_EQ(limits->trigger, threshold);
}

TEST(Eviction, L2_01_threshold) {
    expectThreshold(64, 8, 128);
}
TEST(Eviction, L2_02_threshold) {
    expectThreshold(128, 32, 192);
}
TEST(Eviction, L2_03_threshold) {
    expectThreshold(256, 32, 320);
}
TEST(Eviction, L2_04_threshold) {
    expectThreshold(512, 32, 576);
}
TEST(Eviction, L2_05_threshold) {
    expectThreshold(2048, 32, 2112);
}
TEST(Eviction, L2_06_threshold) {
    expectThreshold(2048, 100, 2148);
}
TEST(Eviction, L2_07_S1_17_smallBudget_saysWhereItFires) {
    expectThreshold(16, 4, 80);
    auto cache = makeSlotCache(tiny()).value();
    ASSERT_TRUE(append(*cache, 40));
    const CompactionState state = describeState(*cache, contractOptions(16, 4));
    EXPECT_EQ(state.trigger, 80);
    EXPECT_NE(state.explanation.find("80"), std::string::npos) << state.explanation;
}

void expectCapacity(std::initializer_list<int> budgets, std::int64_t capacity) {
    for (const int budget : budgets) EXPECT_EQ(compactedCapacity(budget), capacity) << budget;
}

TEST(Eviction, L2_08_capacityAfter) {
    expectCapacity({64, 255}, 256);
}
TEST(Eviction, L2_09_capacityAfter) {
    expectCapacity({256, 257}, 512);
}
TEST(Eviction, L2_10_capacityAfter) {
    expectCapacity({512}, 768);
}
TEST(Eviction, L2_11_capacityAfter) {
    expectCapacity({1000}, 1024);
}
TEST(Eviction, L2_12_capacityAfter) {
    expectCapacity({1024}, 1280);
}
TEST(Eviction, L2_13_capacityAfter) {
    expectCapacity({2048}, 2304);
}
TEST(Eviction, L2_14_capacityAfter) {
    expectCapacity({3000}, 3072);
}

SelectionRule rule(int budget, int keepRecent) {
    return {.budget = budget, .keepRecent = keepRecent, .nSink = 0, .tie = TieRule::LowerSlotFirst};
}

Slots kept(std::vector<float> scores, const SelectionRule& selection) {
    const int slots = static_cast<int>(scores.size());
    return selectSlots(scores, {nullptr, slots, slots}, selection).value();
}

std::vector<float> negated(std::vector<float> scores) {
    for (float& x : scores) x = -x;
    return scores;
}

TEST(Eviction, L2_20_S1_07_D_01_bothDirections_keepTheirOwnEnd) {
    const std::vector<float> norms{2, 10, 1, 8, 5};
    EXPECT_EQ(kept(norms, rule(3, 1)), (Slots{1, 3, 4}));
    EXPECT_EQ(kept(negated(norms), rule(3, 1)), (Slots{0, 2, 4}));
}

TEST(Eviction, L2_21_S1_63_summedHeads_keepTheseTokens) {
    EXPECT_EQ(kept({11, 11, 5, 10}, rule(3, 1)), (Slots{0, 1, 3}));
}

TEST(Eviction, L2_22_selection) {
    EXPECT_EQ(kept({1, 50, 2, 60, .01F, .02F}, rule(4, 2)), (Slots{1, 3, 4, 5}));
}

TEST(Eviction, L2_23_selection) {
    EXPECT_EQ(kept({10, .1F, .2F, 5}, rule(3, 1)), (Slots{0, 2, 3}));
}

TEST(Eviction, L2_24_S1_68_smallestBudget_keepsOneCandidate) {
    EXPECT_EQ(kept({3, 9, 4, 1, 1, 1}, rule(4, 3)), (Slots{1, 3, 4, 5}));
}

TEST(Eviction, L2_25_equalNorms_keepTheLowestSlots) {
    EXPECT_EQ(kept(std::vector<float>(8, 2.0F), rule(5, 2)), (Slots{0, 1, 2, 6, 7}));
}

// The bins of the selection against a plain sort, with ties, holes and numbers that are none.
TEST(Eviction, selection_equalsASort) {
    RandomStream random(25, 0);
    for (int round = 0; round < 500; ++round) {
        const int slots = 20 + static_cast<int>(random.below(400));
        std::vector<float> scores;
        std::vector<float> bias;
        Slots candidates;
        for (int j = 0; j < slots; ++j) {
            const auto x = static_cast<float>(random.normal());
            scores.push_back(round % 3 == 0 ? std::floor(4 * x) : x * std::exp(2 * x));
            if (random.below(50) == 0) scores.back() = std::numeric_limits<float>::quiet_NaN();
            bias.push_back(random.below(4) == 0 ? -std::numeric_limits<float>::infinity() : 0.0F);
        }
        Slots positions;
        for (int j = 0; j < slots; ++j) positions.push_back(j * 2);
        if (round % 2 == 0) std::reverse(positions.begin(), positions.end());
        SelectionRule selection = rule(0, static_cast<int>(random.below(6)));
        selection.nSink = static_cast<int>(random.below(4));
        selection.tie = round % 5 == 0 ? TieRule::NewerFirst : TieRule::LowerSlotFirst;
        const SlotPositions where{positions.data(), slots, 2 * slots, bias.data()};
        Slots expected;
        for (std::int32_t j = 0; j < slots; ++j) {
            if (where.isHole(j)) continue;
            (isProtected(selection, where.at(j), where.tokens) ? expected : candidates)
                .push_back(j);
        }
        if (candidates.size() < 2) continue;
        const auto chosen = 1 + random.below(candidates.size() - 1);
        selection.budget = static_cast<int>(expected.size() + chosen);
        const auto value = [&](std::int32_t j) {
            const float x = scores[static_cast<std::size_t>(j)];
            return std::isfinite(x) ? x : -std::numeric_limits<float>::infinity();
        };
        std::sort(candidates.begin(), candidates.end(), [&](std::int32_t a, std::int32_t b) {
            if (value(a) != value(b)) return value(a) > value(b);
            return selection.tie == TieRule::NewerFirst ? where.at(a) > where.at(b) : a < b;
        });
        expected.insert(expected.end(), candidates.begin(),
                        candidates.begin() + static_cast<std::ptrdiff_t>(chosen));
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(selectSlots(scores, where, selection).value(), expected) << "round " << round;
    }
}

Slots newestAndFirst(int slots, int keep) {
    Slots out = range(0, keep / 2);
    for (std::int32_t j = slots - (keep - keep / 2); j < slots; ++j) out.push_back(j);
    return out;
}

TEST(Eviction, L2_30_maskHasTheSlots_ropeTheOffset) {
    auto cache = makeSlotCache(tiny()).value();
    ASSERT_TRUE(append(*cache, 4096));
    ASSERT_TRUE(cache->apply(keepEverywhere(*cache, newestAndFirst(4096, 2048))));
    EXPECT_EQ(cache->offset().value, 4096);
    EXPECT_EQ(cache->size(), 2048);
    ASSERT_TRUE(cache->beginAppend(4));
    writeRows(*cache, 4);
    const KvHeadView view = cache->head(LayerIndex(0), HeadIndex(0));
    EXPECT_EQ(view.slots, 2052);
    EXPECT_EQ(view.positions[2051], 4099);
    cache->abortAppend();
}

TEST(Eviction, L2_31_S1_42_nextToken_takesTheNextSlotWithoutGrowth) {
    for (const int budget : {64, 256, 2048}) {
        CountingAllocator allocator;
        auto cache = makeSlotCache(tiny(), allocator).value();
        ASSERT_TRUE(append(*cache, 2 * budget));
        ASSERT_TRUE(cache->apply(keepEverywhere(*cache, newestAndFirst(2 * budget, budget))));
        const int before = allocator.allocations;
        ASSERT_TRUE(append(*cache, 1));
        EXPECT_EQ(allocator.allocations, before);
        EXPECT_EQ(cache->size(), budget + 1);
        EXPECT_EQ(cache->offset().value, 2 * budget + 1);
        EXPECT_EQ(tokensOf(*cache)[static_cast<std::size_t>(budget)], 2 * budget);
    }
}

TEST(Eviction, L2_32_directCompaction_knowsNoHysteresis) {
    auto cache = makeSlotCache(tiny()).value();
    ASSERT_TRUE(append(*cache, 11));
    ASSERT_TRUE(cache->apply(keepEverywhere(*cache, range(1, 11))));
    EXPECT_EQ(cache->size(), 10);
    EXPECT_EQ(cache->offset().value, 11);
}

/// The driver after every forward, as the generation loop calls it.
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
        ASSERT_EQ(report->result, CompactionResult::Done) << report->reason;
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

TEST(Eviction, L2_33_S1_30_noMoreThanTheBudget_isNothingToDo) {
    Driven driven(contractOptions(64, 8));
    driven.forward(64);
    EXPECT_TRUE(driven.firedAt.empty());
    const auto report =
        driven.compactor.compactNow(*driven.cache, driven.options, CompactionCause::Manual);
    EXPECT_EQ(report.result, CompactionResult::Skipped);
    EXPECT_EQ(driven.cache->stats().compactions, 0);
    EXPECT_EQ(
        selectSlots(std::vector<float>(64, 1.0F), {nullptr, 64, 64}, rule(64, 8)).error().code,
        ErrorCode::InvalidArgument);
}

TEST(Eviction, L2_34_S1_27_S1_28_S1_29_badIndices_areRefusedUnchanged) {
    auto cache = makeSlotCache(tiny()).value();
    ASSERT_TRUE(append(*cache, 20));
    const std::string before = cache->save().value();
    CompactionPlan fewHeads = keepEverywhere(*cache, {0, 1});
    fewHeads.heads.pop_back();
    CompactionPlan wrongCount = keepEverywhere(*cache, {0, 1});
    wrongCount.heads[1].bias = {1.0F};
    ThreadPool pool(1);
    for (const CompactionPlan& plan :
         {fewHeads, wrongCount, keepEverywhere(*cache, {0, 20}), keepEverywhere(*cache, {-1, 3}),
          keepEverywhere(*cache, {3, 3}), keepEverywhere(*cache, {4, 3}),
          keepEverywhere(*cache, {})}) {
        EXPECT_EQ(cache->apply(plan).error().code, ErrorCode::InvalidArgument);
        EXPECT_EQ(cache->applyInPlace(plan, pool).error().code, ErrorCode::InvalidArgument);
        EXPECT_EQ(cache->save().value(), before);
    }
    ASSERT_TRUE(cache->apply(keepEverywhere(*cache, {0, 5, 19})));
    EXPECT_EQ(cache->size(), 3) << "the list decides, not a budget";
}

TEST(Eviction, L2_35_S1_01_S1_52_hysteresis_firesSevenTimes) {
    Driven driven(contractOptions(2048, 32));
    driven.forward(2047);
    for (int i = 0; i < 513; ++i) driven.forward(1);
    EXPECT_EQ(driven.firedAt, (std::vector<int>{2113, 2178, 2243, 2308, 2373, 2438, 2503}));
    EXPECT_EQ(driven.cache->size(), 2105);
    EXPECT_EQ(driven.cache->offset().value, 2560);
}

TEST(Eviction, L2_36_prefillInRuns_firesAtEachBorder) {
    Driven driven(contractOptions(256, 32));
    driven.forward(512);
    driven.forward(487);
    for (int i = 0; i < 200; ++i) driven.forward(1);
    EXPECT_EQ(driven.firedAt, (std::vector<int>{512, 999, 1064, 1129, 1194}));
}

TEST(Eviction, L2_37_peak_isBudgetMarginAndRun) {
    Driven driven(contractOptions(256, 32));
    RandomStream random(37, 0);
    for (int i = 0; i < 60; ++i) driven.forward(1 + static_cast<int>(random.below(128)));
    EXPECT_LE(driven.peak, 256 + 64 + 128);
    EXPECT_GT(driven.firedAt.size(), 10U);
}

TEST(Eviction, L2_38_S1_41_saveAfterCompaction_continues) {
    for (const bool inPlace : {false, true}) {
        auto cache = makeSlotCache(tiny()).value();
        ThreadPool pool(1);
        ASSERT_TRUE(append(*cache, 128));
        const auto plan = keepEverywhere(*cache, newestAndFirst(128, 64));
        ASSERT_TRUE(inPlace ? cache->applyInPlace(plan, pool) : cache->apply(plan));
        auto loaded = loadCache(cache->save().value()).value();
        ASSERT_TRUE(append(*loaded, 1));
        EXPECT_EQ(loaded->offset().value, 129);
        EXPECT_EQ(loaded->size(), 65);
        EXPECT_EQ(loaded->trim(1).value(), 0);
        EXPECT_TRUE(holdsItsTokens(*loaded));
        ASSERT_TRUE(append(*cache, 1));
        EXPECT_EQ(loaded->save().value(), cache->save().value());
    }
}

TEST(Eviction, L2_39_S1_43_firstTokenAfterLoad_needsNoGrowth) {
    for (const int budget : {64, 255, 256, 2048}) {
        auto cache = makeSlotCache(tiny()).value();
        ASSERT_TRUE(append(*cache, 2 * budget));
        ASSERT_TRUE(cache->apply(keepEverywhere(*cache, newestAndFirst(2 * budget, budget))));
        CountingAllocator allocator;
        auto loaded = loadCache(cache->save().value(), allocator).value();
        const int before = allocator.allocations;
        ASSERT_TRUE(append(*loaded, 1));
        EXPECT_EQ(allocator.allocations, before) << budget;
    }
}

TEST(Eviction, L2_40_S1_39_trimAfterCompaction_removesNothing) {
    auto cache = makeSlotCache(tiny()).value();
    ASSERT_TRUE(append(*cache, 40));
    ASSERT_TRUE(cache->apply(keepEverywhere(*cache, {0, 1, 39})));
    const std::string before = cache->save().value();
    EXPECT_EQ(cache->trim(1).value(), 0);
    EXPECT_FALSE(cache->capabilities().canTrim(1));
    EXPECT_EQ(cache->rollback(1).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(cache->save().value(), before);
}

TEST(Eviction, L2_41_tailSinceTheCompaction_canBeTakenBack) {
    for (const bool inPlace : {false, true}) {
        auto cache = makeSlotCache(tiny()).value();
        ThreadPool pool(1);
        ASSERT_TRUE(append(*cache, 40));
        const auto plan = keepEverywhere(*cache, {0, 1, 7, 8, 39});
        ASSERT_TRUE(inPlace ? cache->applyInPlace(plan, pool) : cache->apply(plan));
        for (int i = 0; i < 6; ++i) ASSERT_TRUE(append(*cache, 1));
        ASSERT_TRUE(cache->rollback(4));
        EXPECT_EQ(cache->offset().value, 42);
        EXPECT_EQ(cache->size(), 7);
        EXPECT_FALSE(cache->rollback(3));
        EXPECT_EQ(cache->offset().value, 42);
        ASSERT_TRUE(append(*cache, 2));
        cache->checkInvariants();
        auto loaded = loadCache(cache->save().value()).value();
        EXPECT_EQ(tokensOf(*loaded), (Slots{0, 1, 7, 8, 39, 40, 41, 42, 43}));
        EXPECT_TRUE(holdsItsTokens(*loaded));
    }
}

TEST(Eviction, L2_42_S1_45_S1_46_batch_cannotBeCompacted) {
    // A batch is no KvCache: the driver cannot be called on one, and no norm is computed.
    static_assert(!std::is_convertible_v<BatchCache*, KvCache*>);
    auto batch = BatchCache::create(tiny(), 2).value();
    EXPECT_FALSE(batch.capabilities().canCompact);
    std::vector<float> rows(2 * 5 * 4, 1.0F);
    ASSERT_TRUE(batch.beginAppend(5));
    for (int layer = 0; layer < 2; ++layer)
        batch.writeLayer(LayerIndex(layer), {rows.data(), {2, 5, 1, 4}},
                         {rows.data(), {2, 5, 1, 4}});
    batch.commitAppend();
    EXPECT_EQ(batch.row(0).stats().normsComputed, 0);
}

TEST(Eviction, L2_43_S1_13_S1_16_emptyCache_isLegalEverywhere) {
    Driven driven(contractOptions(64, 8));
    const auto report =
        driven.compactor.compactNow(*driven.cache, driven.options, CompactionCause::Manual);
    EXPECT_EQ(report.result, CompactionResult::Skipped);
    EXPECT_EQ(driven.cache->stats().allocatedBytes, 0);
    auto loaded = loadCache(driven.cache->save().value()).value();
    EXPECT_TRUE(loaded->empty());
    EXPECT_TRUE(driven.cache->keyNorms(LayerIndex(0), HeadIndex(0)).empty());
    for (const std::string& bytes : {std::string(), std::string("x"), std::string(64, char{0})})
        EXPECT_EQ(loadCache(bytes).error().code, ErrorCode::Corrupt);
}

TEST(Eviction, L2_44_S1_31_S1_33_S1_34_impossibleChoice_namesTheNumbers) {
    for (const auto& [slots, budget, keep] :
         {std::tuple{8, 4, 4}, {8, 4, 20}, {8, 8, 2}, {3, 8, 4}}) {
        const auto chosen = selectSlots(std::vector<float>(static_cast<std::size_t>(slots), 1.0F),
                                        {nullptr, slots, slots}, rule(budget, keep));
        ASSERT_FALSE(chosen);
        for (const int number : {budget, keep})
            EXPECT_NE(chosen.error().what.find(std::to_string(number)), std::string::npos)
                << chosen.error().what;
    }
    EXPECT_FALSE(selectSlots(std::vector<float>(9, 1.0F), {nullptr, 10, 10}, rule(4, 1)));
}

TEST(Eviction, L2_45_S1_19_S1_21_S1_23_S1_65_headsThatDiffer_chooseApartAndSaySo) {
    auto cache = makeSlotCache(tiny()).value();
    ASSERT_TRUE(append(*cache, 100));
    CompactionPlan ragged = keepEverywhere(*cache, range(0, 90));
    ragged.heads[1].keep = range(10, 100);
    ASSERT_TRUE(cache->apply(ragged));
    ThreadPool pool(1);
    EvictionOptions options;
    options.rule = {.budget = 50, .keepRecent = 8, .nSink = 0};
    options.coherence = LayerCoherence::CrossLayer;
    const auto plan = planEviction(*cache, options, pool).value();
    EXPECT_EQ(plan.ownChoice, 2);
    ASSERT_TRUE(cache->apply(plan.plan));
    for (int layer = 0; layer < 2; ++layer)
        EXPECT_EQ(cache->slots(LayerIndex(layer), HeadIndex(0)), 50) << "no layer lags";
}

TEST(Eviction, L2_46_codesAfterCompaction_areRefused_codesBeforeAreCompacted) {
    auto cache = makeSlotCache(kindShape(false)).value();
    ASSERT_TRUE(append(*cache, 40));
    ASSERT_TRUE(cache->apply(keepEverywhere(*cache, {0, 39})));
    const auto coded = quantised(*cache, {8, 32}, {8, 32});
    ASSERT_FALSE(coded);
    EXPECT_EQ(coded.error().code, ErrorCode::Unsupported);
    auto made = makeSlotCache(kindShape(true)).value();
    ASSERT_TRUE(append(*made, 40));
    ASSERT_TRUE(made->apply(keepEverywhere(*made, {0, 7, 39})));
    EXPECT_TRUE(holdsItsTokens(*made));
}

TEST(Eviction, L2_47_S1_09_S1_11_S1_12_layersInAList_areFoundAndCompacted) {
    std::vector<LayerPlan> plans(3);
    plans[0].window = WindowRule{WindowKind::Ring, 300, 0};
    KvShape shape = tiny();
    shape.layers = 3;
    std::unique_ptr<KvCache> cache = makeCacheList(shape, plans).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 200));
    EvictionOptions options;
    options.rule = {.budget = 64, .keepRecent = 8, .nSink = 0};
    const auto plan = planEviction(*cache, options, pool).value();
    EXPECT_FALSE(plan.plan.heads[0].touched) << "a layer with a window bounds itself";
    ASSERT_TRUE(cache->applyInPlace(plan.plan, pool));
    EXPECT_EQ(cache->slots(LayerIndex(0), HeadIndex(0)), 200);
    EXPECT_EQ(cache->slots(LayerIndex(1), HeadIndex(0)), 64);
    EXPECT_EQ(cache->slots(LayerIndex(2), HeadIndex(0)), 64);
    // No option is needed to see that the cache was compacted.
    EXPECT_EQ(cache->capabilities().trimLimit, 0);
    EXPECT_EQ(cache->stats().compactions, 1);
}

TEST(Eviction, L2_48_memoryAfterCompaction) {
    // Two of the contract's 32 layers: every layer takes the same.
    constexpr int kLayers = 2;
    const KvShape shape{
        .layers = kLayers, .kvHeads = 8, .keyDim = 128, .valueDim = 128, .type = DType::F16};
    auto cache = makeSlotCache(shape).value();
    const std::vector<float> rows(std::size_t{2113} * 8 * 128, 0.5F);
    ASSERT_TRUE(cache->beginAppend(2113));
    for (int layer = 0; layer < kLayers; ++layer)
        cache->writeLayer(LayerIndex(layer), {rows.data(), {2113, 8, 128}},
                          {rows.data(), {2113, 8, 128}});
    cache->commitAppend();
    ASSERT_TRUE(cache->apply(keepEverywhere(*cache, newestAndFirst(2113, 2048))));
    const std::int64_t positions = 4 * 8 * kLayers;  // int32 of each slot, beside keys and values
    EXPECT_EQ(cache->stats().liveBytes - positions * 2048, 268'435'456 / 32 * kLayers);
    EXPECT_EQ(cache->stats().allocatedBytes - positions * 2304, 301'989'888 / 32 * kLayers);
}

TEST(Eviction, S1_02_withoutBudget_noStepDoesAnyWork) {
    KvOptions none;
    Driven driven(none);
    for (int i = 0; i < 50; ++i) driven.forward(1 + i % 3);
    EXPECT_EQ(driven.cache->stats().normsComputed, 0);
    EXPECT_EQ(driven.cache->stats().compactions, 0);
}

TEST(Eviction, S1_48_merge_isRefusedWithTheAlternative) {
    std::vector<std::unique_ptr<KvCache>> caches;
    caches.push_back(makeSlotCache(tiny()).value());
    ASSERT_TRUE(append(*caches[0], 10));
    ASSERT_TRUE(caches[0]->apply(keepEverywhere(*caches[0], {0, 9})));
    const auto merged = BatchCache::merge(std::move(caches));
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().code, ErrorCode::Unsupported);
}

TEST(Eviction, S1_51_memory_goesBackAfterTheCompaction) {
    KvShape shape{.layers = 2, .kvHeads = 2, .keyDim = 64, .valueDim = 64, .type = DType::F16};
    auto cache = makeSlotCache(shape).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 8192));
    ASSERT_TRUE(cache->applyInPlace(keepEverywhere(*cache, newestAndFirst(8192, 5120)), pool));
    EXPECT_GT(cache->stats().allocatedBytes, 14 * cache->stats().liveBytes / 10);
    int slices = 1;
    while (cache->tidy(1, pool)) ++slices;
    EXPECT_EQ(slices, 4) << "a head at a time";
    EXPECT_LE(cache->stats().allocatedBytes, 11 * cache->stats().liveBytes / 10);
    EXPECT_TRUE(holdsItsTokens(*cache));
    Slots left = tokensOf(*cache);
    std::sort(left.begin(), left.end());
    EXPECT_EQ(left, newestAndFirst(8192, 5120));
}

TEST(Eviction, S1_56_unequalLayers_areNormalised) {
    // Layer 1 has keys a hundred times as long; a raw sum would follow it alone.
    auto cache =
        makeSlotCache({.layers = 2, .kvHeads = 1, .keyDim = 1, .valueDim = 1, .type = DType::F32})
            .value();
    const std::vector<float> first{9, 9, 1, 1, 1, 1};
    const std::vector<float> second{100, 300, 310, 100, 100, 100};
    ASSERT_TRUE(cache->beginAppend(6));
    cache->writeLayer(LayerIndex(0), {first.data(), {6, 1, 1}}, {first.data(), {6, 1, 1}});
    cache->writeLayer(LayerIndex(1), {second.data(), {6, 1, 1}}, {second.data(), {6, 1, 1}});
    cache->commitAppend();
    EvictionOptions options;
    options.rule = rule(2, 1);
    options.policy = NormPolicy::KeepHighNorm;
    options.coherence = LayerCoherence::CrossLayer;
    ThreadPool pool(1);
    const auto plan = planEviction(*cache, options, pool).value();
    EXPECT_EQ(plan.plan.heads[0].keep, (Slots{1, 5}));
    EXPECT_EQ(plan.plan.heads[1].keep, (Slots{1, 5}));
}

// One pass over all heads gives the plan of the two steps, whatever the policy and the threads.
TEST(Eviction, planInOneGo_equalsScoreThenPlan) {
    auto cache = makeSlotCache(kindShape(false)).value();
    ASSERT_TRUE(append(*cache, 300));
    ThreadPool one(1);
    ThreadPool two(2);
    ASSERT_TRUE(cache->applyInPlace(keepEverywhere(*cache, newestAndFirst(300, 250)), one));
    for (int i = 0; i < 30; ++i) ASSERT_TRUE(append(*cache, 1));
    for (const NormPolicy policy :
         {NormPolicy::KeepLowNorm, NormPolicy::KeepHighNorm, NormPolicy::KeyDiff,
          NormPolicy::KeepRecentOnly, NormPolicy::Random}) {
        EvictionOptions options;
        options.rule = {.budget = 100, .keepRecent = 8, .nSink = 2};
        options.policy = policy;
        const auto stepwise = planEviction(*cache, scoreCache(*cache, options, one), options);
        for (ThreadPool* pool : {&one, &two}) {
            const auto atOnce = planEviction(*cache, options, *pool).value();
            for (std::size_t h = 0; h < atOnce.plan.heads.size(); ++h)
                EXPECT_EQ(atOnce.plan.heads[h].keep, stepwise->plan.heads[h].keep);
        }
    }
}

// A key that is no number would shine through the bias that hides its slot.
TEST(Eviction, evictedKeyThatIsNotFinite_isCleared) {
    const KvShape shape{.layers = 1, .kvHeads = 1, .keyDim = 4, .valueDim = 4, .type = DType::F16};
    auto cache = makeSlotCache(shape).value();
    std::vector<float> rows(4 * 2000, 1.0F);
    rows[4 * 700] = std::numeric_limits<float>::quiet_NaN();
    ASSERT_TRUE(cache->beginAppend(2000));
    cache->writeLayer(LayerIndex(0), {rows.data(), {2000, 1, 4}}, {rows.data(), {2000, 1, 4}});
    cache->commitAppend();
    ThreadPool pool(1);
    EvictionOptions options;
    options.rule = {.budget = 1900, .keepRecent = 8, .nSink = 2};
    options.policy = NormPolicy::KeepLowNorm;
    const auto plan = planEviction(*cache, options, pool).value();
    EXPECT_EQ(plan.badSlots, 1);
    ASSERT_TRUE(cache->applyInPlace(plan.plan, pool));
    const KvHeadView view = cache->head(LayerIndex(0), HeadIndex(0));
    float key[4];
    readKeys(view, 4, 700, 1, key);
    EXPECT_EQ(view.bias[700], -std::numeric_limits<float>::infinity());
    EXPECT_EQ(key[0], 0.0F);
}

TEST(Eviction, freedSlots_areTakenByLaterTokensWithoutAMove) {
    CountingAllocator allocator;
    auto cache = makeSlotCache(tiny(), allocator).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 256));
    for (int round = 0; round < 5; ++round) {
        Slots keep;
        const KvHeadView view = cache->head(LayerIndex(0), HeadIndex(0));
        for (std::int32_t j = 0; j < view.slots; ++j)
            if (j % 4 != round % 4) keep.push_back(j);
        ASSERT_TRUE(cache->applyInPlace(keepEverywhere(*cache, keep), pool));
        const int before = allocator.allocations;
        const std::byte* rows = cache->head(LayerIndex(0), HeadIndex(0)).keys;
        for (int i = 0; i < 64; ++i) ASSERT_TRUE(append(*cache, 1));
        EXPECT_EQ(allocator.allocations, before);
        EXPECT_EQ(cache->head(LayerIndex(0), HeadIndex(0)).keys, rows);
        EXPECT_EQ(cache->size(), 256);
        EXPECT_TRUE(holdsItsTokens(*cache));
        EXPECT_FALSE(cache->tidy(1 << 20, pool)) << "nothing is left to close";
        cache->checkInvariants();
    }
}

}  // namespace
}  // namespace lacuna::test
