// Evictions from a cache whose layers differ in KV heads and head sizes: each layer keeps what it
// would keep alone, and rows that two layers read are scored with the queries of both.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/base/thread_pool.h"
#include "engine/kv/eviction/attention_scores.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/eviction/expected_attention.h"
#include "engine/kv/eviction/prepared_scores.h"
#include "engine/kv/eviction/query_readers.h"
#include "engine/kv/eviction/reconstruction_scores.h"
#include "engine/kv/eviction/reconstruction_surrogate.h"
#include "engine/kv/eviction/tri_attention.h"
#include "mixed_cache.h"

namespace lacuna::test {
namespace {

constexpr int kMixedTokens = 96;

QueryRotation rotation() {
    return {.frequencies = {1.0, 0.1, 0.01, 0.001}};
}

std::unique_ptr<QueryScores> scoresFor(EvictionPolicy policy, const KvCache& cache,
                                       ThreadPool& pool) {
    const LogitScaling scaling{.scale = kMixedScale};
    switch (policy) {
        case EvictionPolicy::SnapKV:
        case EvictionPolicy::H2O:
            return std::make_unique<AttentionScores>(
                cache,
                AttentionScoring{.heads = kMixedQueryHeads,
                                 .scaling = scaling,
                                 .accumulates = policy == EvictionPolicy::H2O,
                                 .window = 16},
                pool);
        case EvictionPolicy::ExpectedAttention:
            return std::make_unique<ExpectedAttention>(
                cache, Expectation{kMixedQueryHeads, scaling, rotation()}, pool);
        case EvictionPolicy::TriAttention:
            return std::make_unique<TriAttention>(
                cache,
                TriScoring{.heads = kMixedQueryHeads, .scaling = scaling, .rotation = rotation()});
        default:
            return nullptr;
    }
}

CompactionPlan planOf(const MixedCase& of, EvictionPolicy policy,
                      EvictionBudgets budgets = EvictionBudgets::Equal,
                      LayerCoherence coherence = LayerCoherence::PerHead) {
    ThreadPool pool(2);
    EvictionOptions options;
    options.rule = {.budget = 40, .keepRecent = 8};
    options.policy = policy;
    options.budgets = budgets;
    options.coherence = coherence;
    options.queries = 16;
    options.seed = 5;
    const auto scores = scoresFor(policy, *of.cache, pool);
    if (scores != nullptr) {
        of.observeAll(*scores);
        scores->settle();
        options.attention = scores.get();
    }
    if (policy == EvictionPolicy::Reconstruct) {
        ReconstructionObserver observer(*of.cache, kMixedTokens, kMixedQueryHeads,
                                        {.scale = kMixedScale}, pool);
        of.observeAll(observer);
        options.reconstruction = std::make_shared<const ReconstructionScores>(observer.take());
    }
    auto plan = planEviction(*of.cache, options, pool);
    EXPECT_TRUE(plan) << describe(plan.error());
    return plan ? plan->plan : CompactionPlan();
}

class MixedEviction : public ::testing::TestWithParam<EvictionPolicy> {};

TEST_P(MixedEviction, everyLayer_keepsWhatItKeepsAlone) {
    using enum EvictionBudgets;
    for (const auto& [budgets, coherence] :
         {std::pair(Equal, LayerCoherence::PerHead), std::pair(Equal, LayerCoherence::PerLayer),
          std::pair(Adaptive, LayerCoherence::PerHead)}) {
        const CompactionPlan whole =
            planOf(mixedCase(kMixedTokens), GetParam(), budgets, coherence);
        ASSERT_EQ(whole.heads.size(), 5U);
        for (const int layer : mixedLayersWithRows()) {
            // Random numbers are drawn by the number of the head.
            if (GetParam() == EvictionPolicy::Random && layer > 0) continue;
            EXPECT_EQ(partOf(whole, layer),
                      planOf(aloneCase(layer, kMixedTokens), GetParam(), budgets, coherence).heads)
                << "layer " << layer;
        }
        EXPECT_GT(whole.heads[2].keep.count(), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Policies, MixedEviction,
    ::testing::Values(EvictionPolicy::KeepLowNorm, EvictionPolicy::KeepHighNorm,
                      EvictionPolicy::KeyDiff, EvictionPolicy::StreamingLLM, EvictionPolicy::Random,
                      EvictionPolicy::SnapKV, EvictionPolicy::H2O, EvictionPolicy::Reconstruct,
                      EvictionPolicy::ExpectedAttention, EvictionPolicy::TriAttention));

class SharedRows : public ::testing::TestWithParam<EvictionPolicy> {};

TEST_P(SharedRows, queriesOfTheSecondReader_changeTheLayer_andNoOther) {
    const CompactionPlan one = planOf(mixedCase(kMixedTokens, 101), GetParam());
    const CompactionPlan same = planOf(mixedCase(kMixedTokens, 101), GetParam());
    const CompactionPlan other = planOf(mixedCase(kMixedTokens, 102), GetParam());
    const CompactionPlan unread = planOf(mixedCase(kMixedTokens), GetParam());
    EXPECT_EQ(one.heads, same.heads);
    EXPECT_NE(partOf(one, kReadTwice), partOf(other, kReadTwice));
    EXPECT_NE(partOf(one, kReadTwice), partOf(unread, kReadTwice));
    for (const int layer : {0, 3}) {
        EXPECT_EQ(partOf(one, layer), partOf(other, layer)) << "layer " << layer;
        EXPECT_EQ(partOf(one, layer), partOf(unread, layer)) << "layer " << layer;
    }
}

INSTANTIATE_TEST_SUITE_P(Policies, SharedRows,
                         ::testing::Values(EvictionPolicy::SnapKV, EvictionPolicy::H2O,
                                           EvictionPolicy::Reconstruct,
                                           EvictionPolicy::ExpectedAttention,
                                           EvictionPolicy::TriAttention));

TEST(MixedEviction, wholeModelBudget_spendsTheTotalOfAllHeads) {
    const CompactionPlan plan =
        planOf(mixedCase(kMixedTokens, 101), EvictionPolicy::SnapKV, EvictionBudgets::WholeModel);
    int kept = 0;
    for (const HeadCompaction& head : plan.heads)
        kept += head.keep.count() > 0 ? static_cast<int>(head.keep.count()) : kMixedTokens;
    EXPECT_EQ(kept, 5 * 40);
}

TEST(MixedEviction, preparedScores_giveTheSamePlan) {
    const MixedCase of = mixedCase(kMixedTokens - 1);
    ThreadPool pool(2);
    PreparedScores prepared;
    EvictionOptions options;
    options.rule = {.budget = 40, .keepRecent = 8};
    options.prepared = &prepared;
    prepared.advance(*of.cache, options, 1, pool);
    of.append(1);
    ASSERT_TRUE(prepared.fit(*of.cache, options));
    EXPECT_FALSE(prepared.of(4, kMixedTokens).empty()) << "the last head is scored";
    const auto plan = planEviction(*of.cache, options, pool);
    ASSERT_TRUE(plan) << describe(plan.error());
    EXPECT_EQ(plan->plan.heads, planOf(mixedCase(kMixedTokens), EvictionPolicy::KeyDiff).heads);
}

TEST(MixedEviction, accumulatedAttention_countsBothReadersAfterRollback) {
    ThreadPool pool(1);
    const MixedCase of = mixedCase(kMixedTokens, 101);
    const auto once = scoresFor(EvictionPolicy::H2O, *of.cache, pool);
    const auto again = scoresFor(EvictionPolicy::H2O, *of.cache, pool);
    of.observe(*once, 0, 20);
    of.observe(*again, 0, 20);
    of.observe(*once, 20, kMixedTokens);
    of.observe(*again, 20, 30);
    again->dropFrom(Position(20));
    of.observe(*again, 20, kMixedTokens);
    once->settle();
    again->settle();
    const LayerIndex layer(kReadTwice);
    const KvHeadView head = of.cache->head(layer, HeadIndex(0));
    EXPECT_EQ(once->observed(layer), kMixedTokens);
    EXPECT_EQ(once->scores(head, layer, HeadIndex(0), {}),
              again->scores(head, layer, HeadIndex(0), {}));
}

TEST(QueryReaders, abandonedPass_beginsAgainWithTheOwners) {
    QueryReaders readers(mixedGeometry());
    const Position first(0);
    EXPECT_EQ(readers.next(LayerIndex(0), first), 0U);
    EXPECT_EQ(readers.next(LayerIndex(1), first), 0U);
    EXPECT_EQ(readers.next(LayerIndex(0), first), 0U) << "layer 3 was not reached";
    EXPECT_EQ(readers.next(LayerIndex(1), first), 0U);
    EXPECT_EQ(readers.next(LayerIndex(1), first), 1U);
    EXPECT_EQ(readers.next(LayerIndex(3), first), 0U);
    EXPECT_EQ(readers.next(LayerIndex(0), Position(9)), 0U);
    EXPECT_EQ(readers.next(LayerIndex(1), Position(9)), 0U);
}

TEST(QueryReaders, uniformCache_hasNoSecondReader) {
    QueryReaders readers({.layers = 1, .kvHeads = 1, .keyDim = 4, .valueDim = 4});
    EXPECT_EQ(readers.next(LayerIndex(0), Position(0)), 0U);
    EXPECT_EQ(readers.next(LayerIndex(0), Position(0)), 0U) << "a step that is repeated";
}

TEST(PredictedScores, layersWithoutHeads_delayNothing) {
    auto map = std::make_shared<ReconstructionSurrogate>();
    map->layers = 3;
    map->layerHeads = {2, 0, 1};
    map->hidden = 1;
    map->weights = {-1, -2, -3};
    map->bias = {0, 0, 0};
    PredictedScores predicted(map);
    const std::vector<float> inputs{1, 2};
    for (const int layer : {0, 2})
        predicted.observeInputs(LayerIndex(layer), {inputs.data(), {2, 1}}, Position(0));
    ASSERT_EQ(predicted.tokens(), 2);
    const ReconstructionScores scores = predicted.scores(2);
    EXPECT_FLOAT_EQ(scores.of(LayerIndex(0), HeadIndex(1))[1], std::exp(-4.0F));
    EXPECT_FLOAT_EQ(scores.of(LayerIndex(2), HeadIndex(0))[0], std::exp(-3.0F));
}

TEST(QueryCentreSums, layersOfDifferentSizes_haveCentresOfTheirOwn) {
    const MixedCase of = mixedCase(kMixedTokens, 101);
    QueryCentreSums sums(4, kMixedQueryHeads, rotation());
    of.observeAll(sums);
    const QueryCentres centres = sums.centres(16);
    EXPECT_EQ(centres.dims, (std::vector{8, 16, 0, 8}));
    EXPECT_EQ(centres.tokens, kMixedTokens - kQueriesLeftOut);
    QueryCentreSums alone(1, kMixedQueryHeads, rotation());
    aloneCase(3, kMixedTokens).observeAll(alone);
    const QueryCentres expected = alone.centres(8);
    for (int head = 0; head < kMixedQueryHeads; ++head) {
        EXPECT_TRUE(std::ranges::equal(centres.meanOf(3, head), expected.meanOf(0, head)));
        EXPECT_TRUE(std::ranges::equal(centres.lengthsOf(3, head), expected.lengthsOf(0, head)));
    }
}

}  // namespace
}  // namespace lacuna::test
