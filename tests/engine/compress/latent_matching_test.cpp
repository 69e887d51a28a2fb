// Compaction of rows whose values are parts of their keys (latent attention): evictions drop rows,
// and attention matching fits biases but leaves values, so that a slot stays one row.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/base/random.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/matching/matching_plan.h"
#include "engine/kv/eviction/attention_scores.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/eviction/expected_attention.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/row_format.h"

namespace lacuna::test {
namespace {

constexpr int kKey = 24;
constexpr int kValue = 16;
constexpr int kHeads = 4;
constexpr int kTokens = 200;
constexpr int kBudget = 60;
constexpr float kScale = 0.3F;

CacheModel latentModel() {
    return {.layers = 2,
            .extents = {{1, kKey, kValue, true}, {1, kKey, kValue, true}},
            .windows = {0, 0}};
}

std::vector<float> numbers(std::size_t count, std::uint64_t seed) {
    RandomStream random(seed, 3);
    std::vector<float> all(count);
    for (float& x : all) x = static_cast<float>(random.normal());
    return all;
}

/// Rows of ten tokens each resemble one centre, so that few of them can stand for all.
std::vector<float> keysOf(int layer) {
    constexpr std::size_t kAlike = 10;
    const auto seed = static_cast<std::uint64_t>(layer);
    const auto centres = numbers(kTokens / kAlike * kKey, seed + 5);
    auto keys = numbers(kTokens * kKey, seed + 15);
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = centres[i / kKey / kAlike * kKey + i % kKey] + 0.3F * keys[i];
    return keys;
}

std::unique_ptr<KvCache> latentCache() {
    auto cache = makeCacheFor(latentModel(), {}).value();
    EXPECT_TRUE(cache->beginAppend(kTokens));
    for (int layer = 0; layer < 2; ++layer) {
        const auto keys = keysOf(layer);
        cache->writeLayer(LayerIndex(layer), {keys.data(), {kTokens, 1, kKey}},
                          {keys.data(), {kTokens, 1, kValue}});
    }
    cache->commitAppend();
    return cache;
}

/// Queries [count, heads, keyDim] of a layer.
std::vector<float> queriesOf(int layer, int count, std::uint64_t seed) {
    return numbers(static_cast<std::size_t>(count * kHeads * kKey),
                   seed + static_cast<std::uint64_t>(layer));
}

void observeAll(QueryObserver& observer) {
    for (int layer = 0; layer < 2; ++layer) {
        const auto rows = queriesOf(layer, kTokens, 40);
        observer.observeQueries(LayerIndex(layer), {rows.data(), {kTokens, kHeads, kKey}},
                                Position(0));
    }
}

/// Returns the outputs of attention over a head for new queries.
std::vector<double> outputsOf(const KvCache& cache, int layer) {
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(0));
    std::vector<float> keys(static_cast<std::size_t>(view.slots) * kKey);
    std::vector<float> values(static_cast<std::size_t>(view.slots) * kValue);
    readKeys(view, kKey, 0, view.slots, keys.data());
    readValues(view, kValue, 0, view.slots, values.data());
    const auto queries = queriesOf(layer, 16, 90);
    std::vector<double> all;
    for (std::size_t at = 0; at < queries.size(); at += kKey) {
        std::vector<double> sum(kValue, 0.0);
        double mass = 0;
        for (int slot = 0; slot < view.slots; ++slot) {
            double score = view.bias == nullptr ? 0.0 : double{view.bias[slot]};
            for (std::size_t i = 0; i < kKey; ++i)
                score += double{kScale} * double{queries[at + i]} *
                         double{keys[static_cast<std::size_t>(slot) * kKey + i]};
            const double weight = std::exp(score);
            mass += weight;
            for (std::size_t i = 0; i < kValue; ++i)
                sum[i] += weight * double{values[static_cast<std::size_t>(slot) * kValue + i]};
        }
        for (const double x : sum) all.push_back(x / mass);
    }
    return all;
}

/// Relative error of the outputs of both layers.
double outputError(const KvCache& full, const KvCache& few) {
    double error = 0;
    double size = 0;
    for (int layer = 0; layer < 2; ++layer) {
        const auto wanted = outputsOf(full, layer);
        const auto found = outputsOf(few, layer);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            error += std::pow(found[i] - wanted[i], 2);
            size += std::pow(wanted[i], 2);
        }
    }
    return std::sqrt(error / size);
}

CompactionPlan evicting(KvCache& cache, EvictionPolicy policy, ThreadPool& pool) {
    EvictionOptions options;
    options.rule = {.budget = kBudget, .keepRecent = 8};
    options.policy = policy;
    std::unique_ptr<QueryScores> scores;
    const LogitScaling scaling{.scale = kScale};
    if (policy == EvictionPolicy::SnapKV || policy == EvictionPolicy::H2O)
        scores = std::make_unique<AttentionScores>(
            cache,
            AttentionScoring{.heads = kHeads,
                             .scaling = scaling,
                             .accumulates = policy == EvictionPolicy::H2O,
                             .window = 16},
            pool);
    if (policy == EvictionPolicy::ExpectedAttention)
        scores = std::make_unique<ExpectedAttention>(
            cache,
            Expectation{kHeads, scaling,
                        QueryRotation{.frequencies = {1.0, 0.1, 0.01, 0.001}, .interleaved = true}},
            pool);
    if (scores != nullptr) {
        observeAll(*scores);
        scores->settle();
        options.attention = scores.get();
    }
    auto plan = planEviction(cache, options, pool);
    EXPECT_TRUE(plan) << describe(plan.error());
    return plan ? plan->plan : CompactionPlan();
}

TEST(LatentCompaction, everyPolicy_dropsRows_andTheOutputStaysFinite) {
    ThreadPool pool(2);
    const auto full = latentCache();
    for (const EvictionPolicy policy :
         {EvictionPolicy::KeepLowNorm, EvictionPolicy::KeyDiff, EvictionPolicy::StreamingLLM,
          EvictionPolicy::SnapKV, EvictionPolicy::H2O, EvictionPolicy::ExpectedAttention}) {
        const auto cache = latentCache();
        ASSERT_TRUE(compactInPlace(*cache, evicting(*cache, policy, pool), pool));
        while (defragmentCache(*cache, 1 << 20, pool, true)) {
        }
        cache->checkInvariants();
        EXPECT_EQ(cache->slots(LayerIndex(1), HeadIndex(0)), kBudget) << static_cast<int>(policy);
        EXPECT_TRUE(std::isfinite(outputError(*full, *cache)));
        EXPECT_LT(cache->stats().liveBytes, full->stats().liveBytes / 2);
    }
}

TEST(LatentCompaction, matching_fitsBiases_keepsValues_andLosesLessThanTheNewestRows) {
    ThreadPool pool(2);
    const auto full = latentCache();
    ReferenceQueries queries({2, kHeads, 0, 0, full->shape().extents}, 3);
    observeAll(queries);
    MatchingRequest request;
    request.seed = 3;
    request.targets.rule = {.budget = kBudget, .keepRecent = 8};
    request.targets.scale = kScale;
    request.targets.budgets = HeadBudgets::Uniform;
    const auto matched = planMatching(*full, queries, request, pool);
    ASSERT_TRUE(matched) << describe(matched.error());
    for (const HeadCompaction& head : matched->plan.heads) {
        EXPECT_EQ(head.keep.count(), kBudget);
        EXPECT_EQ(head.bias.size(), static_cast<std::size_t>(kBudget));
        EXPECT_TRUE(std::ranges::any_of(head.bias, [](float x) { return x > 0.1F; }));
        EXPECT_TRUE(head.values.empty());
    }
    const auto few = latentCache();
    ASSERT_TRUE(few->compactable()->apply(matched->plan));
    const auto newest = latentCache();
    ASSERT_TRUE(
        compactInPlace(*newest, evicting(*newest, EvictionPolicy::StreamingLLM, pool), pool));
    const double error = outputError(*full, *few);
    EXPECT_LT(error, 0.5 * outputError(*full, *newest));
    EXPECT_LT(error, 0.4);
    // A slot has its row, a position and a bias.
    EXPECT_EQ(few->stats().numbers, 2 * kBudget * kKey);
}

}  // namespace
}  // namespace lacuna::test
