// Scores and choices of evictions: the contract's selection vectors, directions, coherence, invalid
// keys.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/eviction/eviction_scores.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

using Slots = std::vector<std::int32_t>;

/// Returns the rule of the contract's vectors: no sinks, ties to the lower slot.
SelectionRule contractRule(int budget, int keepRecent) {
    return {.budget = budget, .keepRecent = keepRecent, .nSink = 0, .tie = TieRule::LowerSlotFirst};
}

Slots chosen(std::vector<float> scores, const SelectionRule& rule) {
    const int slots = static_cast<int>(scores.size());
    auto keep = selectSlots(scores, {nullptr, slots, slots}, rule);
    EXPECT_TRUE(keep) << describe(keep.error());
    return keep ? keep->list() : Slots{};
}

std::vector<float> negated(std::vector<float> x) {
    for (float& v : x) v = -v;
    return x;
}

TEST(SelectSlots, contractVectors_areMet) {
    const std::vector<float> norms{2, 10, 1, 8, 5};
    EXPECT_EQ(chosen(norms, contractRule(3, 1)), (Slots{1, 3, 4}));
    EXPECT_EQ(chosen(negated(norms), contractRule(3, 1)), (Slots{0, 2, 4}));
    EXPECT_EQ(chosen({11, 11, 5, 10}, contractRule(3, 1)), (Slots{0, 1, 3}));
    EXPECT_EQ(chosen({1, 50, 2, 60, 0.01F, 0.02F}, contractRule(4, 2)), (Slots{1, 3, 4, 5}));
    EXPECT_EQ(chosen({10, 0.1F, 0.2F, 5}, contractRule(3, 1)), (Slots{0, 2, 3}));
    EXPECT_EQ(chosen({1, 9, 3, 4, 5, 6}, contractRule(4, 3)), (Slots{1, 3, 4, 5}))
        << "one candidate survives";
    EXPECT_EQ(chosen({7, 7, 7, 7, 7, 7}, contractRule(4, 1)), (Slots{0, 1, 2, 5}))
        << "lowest slots";
}

TEST(SelectSlots, equalScores_keepTheNewerByDefault) {
    SelectionRule rule = contractRule(4, 1);
    rule.tie = TieRule::NewerFirst;
    EXPECT_EQ(chosen({7, 7, 7, 7, 7, 7}, rule), (Slots{2, 3, 4, 5}));
}

TEST(SelectSlots, sinksAndRecentTokens_areKept_withAnyScore) {
    const SelectionRule rule{.budget = 5, .keepRecent = 2, .nSink = 2};
    EXPECT_EQ(chosen({-9, -9, 1, 2, 3, -9, -9}, rule), (Slots{0, 1, 4, 5, 6}));
}

TEST(SelectSlots, keepRecentZero_protectsNothing) {
    const SelectionRule rule{.budget = 2, .keepRecent = 0, .nSink = 0};
    EXPECT_EQ(chosen({5, 4, 3, 2, 1}, rule), (Slots{0, 1}));
}

TEST(SelectSlots, compactedList_protectsByPositionNotBySlot) {
    // Positions 0 and 1 are gone. Two of the newest four tokens (96..99) are left.
    const std::vector<std::int32_t> positions{5, 20, 40, 60, 97, 99};
    const auto keep =
        selectSlots(std::vector<float>{1, 2, 3, 4, -5, -5}, {positions.data(), 6, 100},
                    {.budget = 3, .keepRecent = 4, .nSink = 4});
    EXPECT_EQ(keep.value().list(), (Slots{3, 4, 5}));
    // The oldest of the newest four is still present.
    const std::vector<std::int32_t> border{5, 20, 40, 60, 96, 99};
    EXPECT_EQ(selectSlots(std::vector<float>{1, 2, 3, 4, -5, -5}, {border.data(), 6, 100},
                          {.budget = 3, .keepRecent = 4, .nSink = 4})
                  .value()
                  .list(),
              (Slots{3, 4, 5}));
}

TEST(SelectSlots, impossibleSelection_reportsTheNumbers) {
    const std::vector<float> scores(10, 1.0F);
    const SlotPositions slots{nullptr, 10, 10};
    for (const auto& [rule, code] : {std::pair{contractRule(10, 1), ErrorCode::InvalidArgument},
                                     std::pair{contractRule(4, 4), ErrorCode::Range},
                                     std::pair{contractRule(4, 20), ErrorCode::Range}}) {
        const auto keep = selectSlots(scores, slots, rule);
        ASSERT_FALSE(keep);
        EXPECT_EQ(keep.error().code, code);
        EXPECT_NE(keep.error().what.find(std::to_string(rule.budget)), std::string::npos);
        EXPECT_NE(keep.error().what.find("keep_recent"), std::string::npos) << keep.error().what;
    }
    EXPECT_FALSE(selectSlots(std::span(scores).first(9), slots, contractRule(4, 1)));
}

/// Returns a cache of one layer whose head h holds keys of the given lengths along one axis per
/// head.
std::unique_ptr<KvCache> cacheWithNorms(const std::vector<std::vector<float>>& norms) {
    const int heads = static_cast<int>(norms.size());
    const int tokens = static_cast<int>(norms[0].size());
    auto cache =
        makeSlotCache(
            {.layers = 1, .kvHeads = heads, .keyDim = 4, .valueDim = 2, .type = DType::F32})
            .value();
    std::vector<float> keys(static_cast<std::size_t>(tokens * heads * 4), 0.0F);
    const std::vector<float> values(static_cast<std::size_t>(tokens * heads * 2), 1.0F);
    for (int i = 0; i < tokens; ++i)
        for (int h = 0; h < heads; ++h)
            keys[static_cast<std::size_t>((i * heads + h) * 4 + i % 4)] =
                norms[static_cast<std::size_t>(h)][static_cast<std::size_t>(i)];
    EXPECT_TRUE(cache->beginAppend(tokens));
    cache->writeLayer(LayerIndex(0), {keys.data(), {tokens, heads, 4}},
                      {values.data(), {tokens, heads, 2}});
    cache->commitAppend();
    return cache;
}

EvictionPlan planned(KvCache& cache, const EvictionOptions& options) {
    ThreadPool pool(1);
    auto plan = planEviction(cache, scoreCache(cache, options, pool), options);
    EXPECT_TRUE(plan) << describe(plan.error());
    return plan.value_or(EvictionPlan{});
}

TEST(Eviction, normPolicies_keepTheirOwnEnd) {
    auto cache = cacheWithNorms({{2, 10, 1, 8, 5}});
    EvictionOptions options{
        .rule = contractRule(3, 1), .policy = EvictionPolicy::KeepHighNorm, .skipLayers = {}};
    EXPECT_EQ(planned(*cache, options).plan.heads[0].keep.list(), (Slots{1, 3, 4}));
    options.policy = EvictionPolicy::KeepLowNorm;
    EXPECT_EQ(planned(*cache, options).plan.heads[0].keep.list(), (Slots{0, 2, 4}));
    options.policy = EvictionPolicy::StreamingLLM;
    EXPECT_EQ(planned(*cache, options).plan.heads[0].keep.list(), (Slots{2, 3, 4}));
}

TEST(Eviction, keyDiff_keepsTheKeyUnlikeTheOthers) {
    auto cache =
        makeSlotCache({.layers = 1, .kvHeads = 1, .keyDim = 2, .valueDim = 1, .type = DType::F16})
            .value();
    // Five keys along x, slot 2 along y: the outlier stays.
    const std::vector<float> keys{1, 0, 2, 0, 0, 3, 1, 0, 1, 0, 1, 0};
    const std::vector<float> values(6, 1.0F);
    ASSERT_TRUE(cache->beginAppend(6));
    cache->writeLayer(LayerIndex(0), {keys.data(), {6, 1, 2}}, {values.data(), {6, 1, 1}});
    cache->commitAppend();
    const EvictionOptions options{
        .rule = contractRule(2, 1), .policy = EvictionPolicy::KeyDiff, .skipLayers = {}};
    EXPECT_EQ(planned(*cache, options).plan.heads[0].keep.list(), (Slots{2, 5}));
}

TEST(Eviction, random_followsItsSeed) {
    auto cache =
        makeSlotCache({.layers = 1, .kvHeads = 2, .keyDim = 4, .valueDim = 2, .type = DType::F32})
            .value();
    ASSERT_TRUE(append(*cache, 200));
    EvictionOptions options{
        .rule = {.budget = 100}, .policy = EvictionPolicy::Random, .skipLayers = {}};
    const EvictionPlan first = planned(*cache, options);
    EXPECT_EQ(first.plan.heads[0].keep, planned(*cache, options).plan.heads[0].keep);
    EXPECT_NE(first.plan.heads[0].keep, first.plan.heads[1].keep);
    options.seed = 1;
    EXPECT_NE(first.plan.heads[0].keep, planned(*cache, options).plan.heads[0].keep);
}

TEST(Eviction, perLayer_weightsHeadsByTheirOwnSpread) {
    // Raw sums would follow head 1, whose norms are a hundred times larger; normalised sums follow
    // both.
    auto cache = cacheWithNorms({{9, 9, 1, 1, 1, 1}, {100, 300, 310, 100, 100, 100}});
    EvictionOptions options{.rule = contractRule(2, 1),
                            .policy = EvictionPolicy::KeepHighNorm,
                            .coherence = LayerCoherence::PerLayer,
                            .skipLayers = {}};
    const EvictionPlan plan = planned(*cache, options);
    EXPECT_EQ(plan.plan.heads[0].keep.list(), (Slots{1, 5}));
    EXPECT_EQ(plan.plan.heads[1].keep.list(), (Slots{1, 5}));
    options.coherence = LayerCoherence::PerHead;
    EXPECT_EQ(planned(*cache, options).plan.heads[1].keep.list(), (Slots{2, 5}));
}

TEST(Eviction, crossLayer_selectsOneList_andSkipsLayers) {
    auto cache =
        makeSlotCache({.layers = 4, .kvHeads = 2, .keyDim = 8, .valueDim = 4, .type = DType::F16})
            .value();
    ASSERT_TRUE(append(*cache, 100));
    const SelectionRule sixty{.budget = 60};
    const EvictionOptions options{.rule = sixty,
                                  .policy = EvictionPolicy::KeepLowNorm,
                                  .coherence = LayerCoherence::CrossLayer,
                                  .skipLayers = {0, 2}};
    const EvictionPlan plan = planned(*cache, options);
    EXPECT_FALSE(plan.plan.heads[0].touched());
    EXPECT_FALSE(plan.plan.heads[5].touched());
    EXPECT_EQ(plan.plan.heads[2].keep.count(), 60);
    for (const std::size_t h : {3U, 6U, 7U})
        EXPECT_EQ(plan.plan.heads[h].keep, plan.plan.heads[2].keep);
    ASSERT_TRUE(cache->compactable()->apply(plan.plan));
    EXPECT_EQ(cache->slots(LayerIndex(0), HeadIndex(0)), 100);
    EXPECT_EQ(cache->slots(LayerIndex(1), HeadIndex(0)), 60);
    EXPECT_EQ(cache->stats().compactions, 1);
}

TEST(Eviction, raggedHeads_selectIndependently) {
    auto cache =
        makeSlotCache({.layers = 1, .kvHeads = 2, .keyDim = 8, .valueDim = 4, .type = DType::F16})
            .value();
    ASSERT_TRUE(append(*cache, 100));
    CompactionPlan ragged = keepEverywhere(*cache, range(0, 80));
    ragged.heads[1].keep = {ragged.heads[1].keep.slots(), range(10, 100)};
    ASSERT_TRUE(cache->compactable()->apply(ragged));
    const EvictionOptions options{.rule = {.budget = 60, .keepRecent = 8},
                                  .policy = EvictionPolicy::KeepLowNorm,
                                  .coherence = LayerCoherence::PerLayer,
                                  .skipLayers = {}};
    const EvictionPlan plan = planned(*cache, options);
    EXPECT_EQ(plan.ownChoice, 2);
    EXPECT_EQ(plan.plan.heads[0].keep.count(), 60);
    EXPECT_EQ(plan.plan.heads[1].keep.count(), 60);
}

TEST(Eviction, budgetBoundary_touchesOnlyLargerHeads) {
    for (int tokens = 49; tokens <= 52; ++tokens) {
        auto cache =
            makeSlotCache(
                {.layers = 1, .kvHeads = 1, .keyDim = 4, .valueDim = 2, .type = DType::F32})
                .value();
        ASSERT_TRUE(append(*cache, tokens));
        const EvictionOptions options{.rule = {.budget = 50}, .skipLayers = {}};
        EXPECT_EQ(planned(*cache, options).plan.heads[0].touched(), tokens > 50);
    }
}

TEST(Eviction, headAtTheBudget_isUnchanged_whenALargerHeadIsEvicted) {
    auto cache =
        makeSlotCache({.layers = 1, .kvHeads = 2, .keyDim = 4, .valueDim = 2, .type = DType::F32})
            .value();
    ASSERT_TRUE(append(*cache, 100));
    CompactionPlan ragged = keepEverywhere(*cache, range(0, 100));
    ragged.heads[0].keep = {ragged.heads[0].keep.slots(), range(0, 50)};
    ASSERT_TRUE(cache->compactable()->apply(ragged));
    ThreadPool pool(1);
    const auto marked = planEviction(*cache, {.rule = {.budget = 50}, .skipLayers = {}}, pool);
    ASSERT_TRUE(marked) << marked.error().what;
    ASSERT_TRUE(cache->compactable()->applyInPlace(marked->plan, pool));
    EXPECT_EQ(cache->slots(LayerIndex(0), HeadIndex(0)), 50);
    EXPECT_EQ(cache->slots(LayerIndex(0), HeadIndex(1)), 50);
}

/// Returns a cache with one head of `tokens` keys, one of which is NaN.
std::unique_ptr<KvCache> cacheWithBadKey(int tokens, int bad) {
    std::vector<float> norms(static_cast<std::size_t>(tokens), 1.0F);
    norms[static_cast<std::size_t>(bad)] = std::numeric_limits<float>::quiet_NaN();
    return cacheWithNorms({norms});
}

TEST(Eviction, nonFiniteKey_isEvictedFirst) {
    auto cache = cacheWithBadKey(2000, 1000);
    for (const EvictionPolicy policy :
         {EvictionPolicy::KeepLowNorm, EvictionPolicy::KeepHighNorm, EvictionPolicy::KeyDiff,
          EvictionPolicy::StreamingLLM, EvictionPolicy::Random}) {
        const EvictionOptions options{.rule = {.budget = 1999}, .policy = policy, .skipLayers = {}};
        const EvictionPlan plan = planned(*cache, options);
        EXPECT_EQ(plan.badSlots, 1);
        EXPECT_FALSE(plan.plan.heads[0].keep.has(1000));
    }
}

TEST(Eviction, nonFiniteProtectedKey_orManyNonFiniteKeys_abort) {
    ThreadPool pool(1);
    const EvictionOptions options{.rule = {.budget = 50}, .skipLayers = {}};
    auto sink = cacheWithBadKey(2000, 0);
    auto few = cacheWithBadKey(200, 100);  // one in 200
    for (KvCache* cache : {sink.get(), few.get()}) {
        const auto plan = planEviction(*cache, scoreCache(*cache, options, pool), options);
        ASSERT_FALSE(plan);
        EXPECT_EQ(plan.error().code, ErrorCode::KvNonFinite);
    }
}

TEST(Eviction, threadCount_changesNothing) {
    auto cache =
        makeSlotCache({.layers = 3, .kvHeads = 2, .keyDim = 16, .valueDim = 4, .type = DType::BF16})
            .value();
    ASSERT_TRUE(append(*cache, 300));
    ThreadPool one(1);
    ThreadPool two(2);
    const EvictionOptions options{
        .rule = {.budget = 100}, .policy = EvictionPolicy::KeyDiff, .skipLayers = {}};
    EXPECT_EQ(scoreCache(*cache, options, one), scoreCache(*cache, options, two));
}

TEST(NormSpread, constantNorms_areDetected) {
    EXPECT_LT(normSpread(std::vector<float>{10.0F, 10.1F, 9.9F}), kNearlyConstantNorms);
    EXPECT_GT(normSpread(std::vector<float>{10.0F, 5.0F, 15.0F}), kNearlyConstantNorms);
    EXPECT_EQ(normSpread({}), 0.0);
}

}  // namespace
}  // namespace lacuna::test
