// Compaction of rows whose values are parts of their keys (latent attention): evictions drop rows,
// and attention matching fits biases but leaves values, so that a slot stays one row; as plain
// numbers and with the latent part in codes.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

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

constexpr int kHeads = 4;
constexpr int kTokens = 200;
constexpr int kBudget = 60;
constexpr float kScale = 0.3F;

/// Sizes of the rows and the options of the cache.
struct Rows {
    int key = 24;
    int value = 16;
    KvOptions options = {};

    [[nodiscard]] CacheModel model() const {
        const KvExtent extent{1, key, value, true};
        return {.layers = 2, .extents = {extent, extent}, .windows = {0, 0}};
    }
    /// Bytes of a row without its position and bias.
    [[nodiscard]] std::int64_t bytes() const {
        KvOptions codes = options;
        codes.exactWindow = 0;
        return cacheBytes(model(), codes, 1) / 2;
    }
};

std::vector<float> numbers(std::size_t count, std::uint64_t seed) {
    RandomStream random(seed, 3);
    std::vector<float> all(count);
    for (float& x : all) x = static_cast<float>(random.normal());
    return all;
}

/// Rows of ten tokens each resemble one centre, so that few of them can stand for all.
std::vector<float> keysOf(int layer, const Rows& rows) {
    constexpr std::size_t kAlike = 10;
    const auto length = static_cast<std::size_t>(rows.key);
    const auto seed = static_cast<std::uint64_t>(layer);
    const auto centres = numbers(kTokens / kAlike * length, seed + 5);
    auto keys = numbers(kTokens * length, seed + 15);
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = centres[i / length / kAlike * length + i % length] + 0.3F * keys[i];
    return keys;
}

std::unique_ptr<KvCache> latentCache(const Rows& rows) {
    auto cache = makeCacheFor(rows.model(), rows.options).value();
    EXPECT_TRUE(cache->beginAppend(kTokens));
    for (int layer = 0; layer < 2; ++layer) {
        const auto keys = keysOf(layer, rows);
        cache->writeLayer(LayerIndex(layer), {keys.data(), {kTokens, 1, rows.key}},
                          {keys.data(), {kTokens, 1, rows.value}});
    }
    cache->commitAppend();
    return cache;
}

/// Queries [count, heads, keyDim] of a layer.
std::vector<float> queriesOf(int layer, int count, int length, std::uint64_t seed) {
    return numbers(static_cast<std::size_t>(count * kHeads * length),
                   seed + static_cast<std::uint64_t>(layer));
}

void observeAll(QueryObserver& observer, const Rows& sizes) {
    for (int layer = 0; layer < 2; ++layer) {
        const auto rows = queriesOf(layer, kTokens, sizes.key, 40);
        observer.observeQueries(LayerIndex(layer), {rows.data(), {kTokens, kHeads, sizes.key}},
                                Position(0));
    }
}

/// Returns the outputs of attention over a head for new queries.
std::vector<double> outputsOf(const KvCache& cache, int layer) {
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(0));
    const KvExtent extent = cache.shape().extent(LayerIndex(layer));
    const auto length = static_cast<std::size_t>(extent.keyDim);
    const auto width = static_cast<std::size_t>(extent.valueDim);
    std::vector<float> keys(static_cast<std::size_t>(view.slots) * length);
    std::vector<float> values(static_cast<std::size_t>(view.slots) * width);
    readKeys(view, extent.keyDim, 0, view.slots, keys.data());
    readValues(view, extent.valueDim, 0, view.slots, values.data());
    const auto queries = queriesOf(layer, 16, extent.keyDim, 90);
    std::vector<double> all;
    for (std::size_t at = 0; at < queries.size(); at += length) {
        std::vector<double> sum(width, 0.0);
        double mass = 0;
        for (std::size_t slot = 0; slot < static_cast<std::size_t>(view.slots); ++slot) {
            double score = view.bias == nullptr ? 0.0 : double{view.bias[slot]};
            for (std::size_t i = 0; i < length; ++i)
                score += double{kScale} * double{queries[at + i]} * double{keys[slot * length + i]};
            const double weight = std::exp(score);
            mass += weight;
            for (std::size_t i = 0; i < width; ++i)
                sum[i] += weight * double{values[slot * width + i]};
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

CompactionPlan evicting(KvCache& cache, const Rows& rows, EvictionPolicy policy, ThreadPool& pool) {
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
        observeAll(*scores, rows);
        scores->settle();
        options.attention = scores.get();
    }
    auto plan = planEviction(cache, options, pool);
    EXPECT_TRUE(plan) << describe(plan.error());
    return plan ? plan->plan : CompactionPlan();
}

constexpr std::array kPolicies{EvictionPolicy::KeepLowNorm,  EvictionPolicy::KeyDiff,
                               EvictionPolicy::StreamingLLM, EvictionPolicy::SnapKV,
                               EvictionPolicy::H2O,          EvictionPolicy::ExpectedAttention};

TEST(LatentCompaction, everyPolicy_dropsRows_andTheOutputStaysFinite) {
    ThreadPool pool(2);
    const Rows rows;
    const auto full = latentCache(rows);
    for (const EvictionPolicy policy : kPolicies) {
        const auto cache = latentCache(rows);
        ASSERT_TRUE(compactInPlace(*cache, evicting(*cache, rows, policy, pool), pool));
        while (defragmentCache(*cache, 1 << 20, pool, true)) {
        }
        cache->checkInvariants();
        EXPECT_EQ(cache->slots(LayerIndex(1), HeadIndex(0)), kBudget) << static_cast<int>(policy);
        EXPECT_TRUE(std::isfinite(outputError(*full, *cache)));
        EXPECT_LT(cache->stats().liveBytes, full->stats().liveBytes / 2);
    }
}

CompactionPlan matching(KvCache& cache, const Rows& rows, ThreadPool& pool) {
    ReferenceQueries queries({2, kHeads, 0, 0, cache.shape().extents}, 3);
    observeAll(queries, rows);
    MatchingRequest request;
    request.seed = 3;
    request.targets.rule = {.budget = kBudget, .keepRecent = 8};
    request.targets.scale = kScale;
    request.targets.budgets = HeadBudgets::Uniform;
    auto matched = planMatching(cache, queries, request, pool);
    EXPECT_TRUE(matched) << describe(matched.error());
    return matched ? std::move(matched->plan) : CompactionPlan();
}

TEST(LatentCompaction, matching_fitsBiases_keepsValues_andLosesLessThanTheNewestRows) {
    ThreadPool pool(2);
    const Rows rows;
    const auto full = latentCache(rows);
    const CompactionPlan plan = matching(*full, rows, pool);
    ASSERT_EQ(plan.heads.size(), 2U);
    for (const HeadCompaction& head : plan.heads) {
        EXPECT_EQ(head.keep.count(), kBudget);
        EXPECT_EQ(head.bias.size(), static_cast<std::size_t>(kBudget));
        EXPECT_TRUE(std::ranges::any_of(head.bias, [](float x) { return x > 0.1F; }));
        EXPECT_TRUE(head.values.empty());
    }
    const auto few = latentCache(rows);
    ASSERT_TRUE(few->compactable()->apply(plan));
    const auto newest = latentCache(rows);
    ASSERT_TRUE(
        compactInPlace(*newest, evicting(*newest, rows, EvictionPolicy::StreamingLLM, pool), pool));
    const double error = outputError(*full, *few);
    EXPECT_LT(error, 0.5 * outputError(*full, *newest));
    EXPECT_LT(error, 0.4);
    // A slot has its row, a position and a bias.
    EXPECT_EQ(few->stats().numbers, 2 * kBudget * rows.key);
}

// The latent part is in codes, and for rotated codes the newest and first rows are also in 16 bits.
class CodedLatentCompaction : public testing::TestWithParam<KvQuant> {
  protected:
    CodedLatentCompaction() {
        rows_.options.quant = GetParam();
        rows_.options.exactWindow = 16;
    }
    ThreadPool pool_{2};
    Rows rows_{.key = 48, .value = 32};
};

TEST_P(CodedLatentCompaction, everyPolicy_dropsRows_andTheirBytes) {
    const auto full = latentCache(rows_);
    for (const EvictionPolicy policy : kPolicies) {
        const auto cache = latentCache(rows_);
        ASSERT_TRUE(compactInPlace(*cache, evicting(*cache, rows_, policy, pool_), pool_));
        while (defragmentCache(*cache, 1 << 20, pool_, true)) {
        }
        cache->checkInvariants();
        const KvStats stats = cache->stats();
        EXPECT_EQ(stats.slotsTotal, 2 * kBudget) << static_cast<int>(policy);
        EXPECT_EQ(stats.compactions, 1);
        EXPECT_EQ(stats.numbers, 2 * kBudget * rows_.key);
        const std::int64_t rows = stats.slotsTotal * rows_.bytes() + stats.exactBytes;
        EXPECT_GE(stats.liveBytes, rows);
        EXPECT_LE(stats.liveBytes, rows + stats.slotsTotal * 12);  // position, bias, norm
        EXPECT_TRUE(std::isfinite(outputError(*full, *cache)));
    }
}

TEST_P(CodedLatentCompaction, matching_fitsBiases_andLosesLessThanTheNewestRows) {
    const auto full = latentCache(rows_);
    const CompactionPlan plan = matching(*full, rows_, pool_);
    ASSERT_EQ(plan.heads.size(), 2U);
    for (const HeadCompaction& head : plan.heads) {
        EXPECT_EQ(head.keep.count(), kBudget);
        EXPECT_EQ(head.bias.size(), static_cast<std::size_t>(kBudget));
        EXPECT_TRUE(head.values.empty());
    }
    const auto few = latentCache(rows_);
    ASSERT_TRUE(few->compactable()->apply(plan));
    few->checkInvariants();
    EXPECT_EQ(few->stats().slotsTotal, 2 * kBudget);
    EXPECT_EQ(few->stats().compactions, 1);
    const auto newest = latentCache(rows_);
    ASSERT_TRUE(compactInPlace(
        *newest, evicting(*newest, rows_, EvictionPolicy::StreamingLLM, pool_), pool_));
    EXPECT_LT(outputError(*full, *few), outputError(*full, *newest));
}

INSTANTIATE_TEST_SUITE_P(Formats, CodedLatentCompaction,
                         testing::Values(KvQuant{8, 32}, KvQuant{4, 32}, KvQuant{8, 0},
                                         KvQuant{4, 0}),
                         [](const auto& test) {
                             return (test.param.rotated() ? "t" : "q") +
                                    std::to_string(test.param.bits);
                         });

}  // namespace
}  // namespace lacuna::test
