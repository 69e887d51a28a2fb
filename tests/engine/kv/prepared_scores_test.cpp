// Scores prepared before an eviction is due: they keep the same slots as scores computed at once,
// and are never used for another eviction.

#include "engine/kv/eviction/prepared_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/kv/eviction/eviction_scores.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot/slot_cache.h"
#include "tests/engine/kv/kv_fixture.h"

namespace lacuna::test {
namespace {

const KvShape kShape{.layers = 2, .kvHeads = 2, .keyDim = 64, .valueDim = 16};
constexpr int kKeepRecent = 16;

EvictionOptions toBudget(int budget) {
    EvictionOptions options;
    options.rule = {.budget = budget, .keepRecent = kKeepRecent, .nSink = 4};
    options.policy = EvictionPolicy::KeyDiff;
    return options;
}

/// Runs a slice before each of `steps` tokens, the last of which makes the eviction due.
void stepWith(PreparedScores& prepared, KvCache& cache, const EvictionOptions& options, int steps,
              ThreadPool& pool) {
    for (int left = steps; left > 0; --left) {
        prepared.advance(cache, options, left, pool);
        ASSERT_TRUE(append(cache, 1));
    }
}

std::vector<HeadCompaction> marksOf(KvCache& cache, const EvictionOptions& options,
                                    ThreadPool& pool) {
    return planEviction(cache, options, pool).value().plan.heads;
}

TEST(PreparedScores, allHeads_areScoredOneStepBeforeTheEviction) {
    for (const int steps : {2, 3, 10, kKeepRecent}) {
        auto cache = makeSlotCache(kShape).value();
        ThreadPool pool(2);
        ASSERT_TRUE(append(*cache, 601));
        PreparedScores prepared;
        stepWith(prepared, *cache, toBudget(400), steps, pool);
        ASSERT_TRUE(prepared.fit(*cache, toBudget(400)));
        for (std::size_t head = 0; head < 4; ++head)
            EXPECT_EQ(prepared.of(head, 601U + static_cast<unsigned>(steps)).size(),
                      601U + static_cast<unsigned>(steps))
                << steps << " " << head;
    }
}

TEST(PreparedScores, eviction_keepsTheSameSlotsAsWithoutPreparation) {
    ThreadPool pool(2);
    for (const LayerCoherence coherence : {LayerCoherence::PerHead, LayerCoherence::PerLayer}) {
        auto cache = makeSlotCache(kShape).value();
        ASSERT_TRUE(append(*cache, 601));
        EvictionOptions options = toBudget(400);
        options.coherence = coherence;
        for (int round = 0; round < 3; ++round) {  // later rounds fill holes
            PreparedScores prepared;
            stepWith(prepared, *cache, options, kKeepRecent, pool);
            const auto plain = marksOf(*cache, options, pool);
            EvictionOptions ready = options;
            ready.prepared = &prepared;
            ASSERT_TRUE(prepared.fit(*cache, ready));
            ASSERT_EQ(marksOf(*cache, ready, pool), plain) << round;
            ASSERT_TRUE(cache->compactable()->applyInPlace({plain}, pool));
            EXPECT_FALSE(prepared.fit(*cache, ready)) << "the cache was compacted since";
            options.rule.budget -= 10;
        }
    }
}

// The scores of a prepared eviction are bit-identical to those computed at once.
TEST(PreparedScores, scores_equalThoseOfTheFullHead) {
    auto cache = makeSlotCache(kShape).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 599));
    PreparedScores prepared;
    EvictionOptions options = toBudget(400);
    stepWith(prepared, *cache, options, 7, pool);
    const auto atOnce = scoreCache(*cache, options, pool);
    for (std::size_t head = 0; head < 4; ++head)
        for (std::size_t j = 4; j < 606 - kKeepRecent; ++j)
            ASSERT_EQ(prepared.of(head, 606)[j], atOnce[head][j]) << head << " " << j;
}

TEST(PreparedScores, otherEvictionOptions_ignorePreparedScores) {
    auto cache = makeSlotCache(kShape).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 600));
    PreparedScores prepared;
    stepWith(prepared, *cache, toBudget(400), 8, pool);
    EXPECT_TRUE(prepared.fit(*cache, toBudget(300))) << "a score is no matter of the budget";
    EvictionOptions other = toBudget(400);
    other.rule.keepRecent = 8;
    EXPECT_FALSE(prepared.fit(*cache, other));
    other = toBudget(400);
    other.policy = EvictionPolicy::KeepLowNorm;
    EXPECT_FALSE(prepared.fit(*cache, other));
    auto twin = cache->clone().value();
    EXPECT_FALSE(prepared.fit(*twin, toBudget(400)));
    ASSERT_TRUE(append(*cache, 1));
    EXPECT_FALSE(prepared.fit(*cache, toBudget(400))) << "it was due a token ago";
}

TEST(PreparedScores, rollback_dropsScoresOnlyBeforeTheAnchorEnd) {
    auto cache = makeSlotCache(kShape).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 600));
    PreparedScores prepared;
    stepWith(prepared, *cache, toBudget(400), 8, pool);
    const std::int64_t end = keyDiffAnchorEnd(608, kKeepRecent);
    prepared.dropFrom(end);
    EXPECT_TRUE(prepared.fit(*cache, toBudget(400)));
    prepared.dropFrom(end - 1);
    EXPECT_FALSE(prepared.fit(*cache, toBudget(400)));
}

TEST(PreparedScores, tooEarly_orOtherPolicies_scoreNothing) {
    auto cache = makeSlotCache(kShape).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 600));
    PreparedScores prepared;
    prepared.advance(*cache, toBudget(400), kKeepRecent + 1, pool);
    EXPECT_FALSE(prepared.fit(*cache, toBudget(400)));
    EvictionOptions byNorm = toBudget(400);
    byNorm.policy = EvictionPolicy::KeepHighNorm;
    prepared.advance(*cache, byNorm, 4, pool);
    EXPECT_FALSE(prepared.fit(*cache, byNorm));
}

TEST(PreparedScores, nonFiniteKeyWrittenSince_isDetected) {
    const KvShape shape{.layers = 1, .kvHeads = 1, .keyDim = 64, .valueDim = 16};
    auto cache = makeSlotCache(shape).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 600));
    PreparedScores prepared;
    EvictionOptions options = toBudget(400);
    prepared.advance(*cache, options, 1, pool);
    std::vector<float> key(64, std::numeric_limits<float>::quiet_NaN());
    const std::vector<float> value(16, 1.0F);
    ASSERT_TRUE(cache->beginAppend(1));
    cache->writeLayer(LayerIndex(0), {key.data(), {1, 1, 64}}, {value.data(), {1, 1, 16}});
    cache->commitAppend();
    options.prepared = &prepared;
    ASSERT_TRUE(prepared.fit(*cache, options));
    const auto marked = planEviction(*cache, options, pool);
    ASSERT_FALSE(marked);
    EXPECT_EQ(marked.error().code, ErrorCode::KvNonFinite);
}

TEST(KeyDiff, anchorEnd_excludesTheNewest_butAtMostHalf) {
    EXPECT_EQ(keyDiffAnchorEnd(8192, 32), 8160);
    EXPECT_EQ(keyDiffAnchorEnd(40, 32), 20);
    EXPECT_EQ(keyDiffAnchorEnd(100, 0), 100);
    EXPECT_EQ(keyDiffAnchorEnd(1, 32), 1);
}

// Reference scores in double, key by key.
TEST(KeyDiff, scores_areTheNegativeCosineWithTheMeanDirection) {
    auto cache = makeSlotCache(kShape).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 203));
    const auto found = scoreCache(*cache, toBudget(100), pool);
    const std::int64_t end = keyDiffAnchorEnd(203, kKeepRecent);
    for (int head = 0; head < 4; ++head) {
        std::vector<std::vector<double>> units;
        std::vector<double> mean(64, 0.0);
        for (int j = 0; j < 203; ++j) {
            float row[64];
            readKeys(cache->head(LayerIndex(head / 2), HeadIndex(head % 2)), 64, j, 1, row);
            double square = 0;
            for (const float x : row) square += static_cast<double>(x) * static_cast<double>(x);
            auto& unit = units.emplace_back();
            for (const float x : row) unit.push_back(static_cast<double>(x) / std::sqrt(square));
            if (j >= end) continue;
            for (std::size_t i = 0; i < 64; ++i) mean[i] += unit[i];
        }
        double length = 0;
        for (const double x : mean) length += x * x;
        for (std::size_t j = 0; j < 203; ++j) {
            double cosine = 0;
            for (std::size_t i = 0; i < 64; ++i) cosine += units[j][i] * mean[i];
            ASSERT_NEAR(static_cast<double>(found[static_cast<std::size_t>(head)][j]),
                        -cosine / std::sqrt(length), 1e-5);
        }
    }
}

}  // namespace
}  // namespace lacuna::test
