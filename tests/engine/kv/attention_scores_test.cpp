// Attention scores against probabilities computed in double with plain loops.

#include "engine/kv/eviction/attention_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/kv/eviction/eviction_plan.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

constexpr int kHeads = 4;
constexpr LogitScaling kScaling{.scale = 0.5F};

KvShape shape() {
    return {.layers = 2, .kvHeads = 2, .keyDim = 8, .valueDim = 4, .type = DType::F32};
}

std::vector<float> queryRow(int layer, int head, std::int64_t position) {
    return keyRow(shape(), layer + 8, head + 8, position);
}

/// Passes queries of tokens that are about to be appended, as the transformer does.
void observe(QueryObserver& observer, int layer, Position first, int tokens) {
    std::vector<float> rows;
    for (int i = 0; i < tokens; ++i)
        for (int head = 0; head < kHeads; ++head) {
            const auto row = queryRow(layer, head, first.value + i);
            rows.insert(rows.end(), row.begin(), row.end());
        }
    observer.observeQueries(LayerIndex(layer), {rows.data(), {tokens, kHeads, 8}}, first);
}

/// Runs one forward pass: the rows of a layer, then its queries.
void forward(KvCache& cache, AttentionScores& scores, int tokens) {
    const Position first = cache.offset();
    ASSERT_TRUE(cache.beginAppend(tokens));
    writeRows(cache, tokens);
    for (int layer = 0; layer < 2; ++layer) observe(scores, layer, first, tokens);
    cache.commitAppend();
}

/// Returns the probabilities of one query over the tokens held at the time of that query.
std::map<std::int64_t, double> attention(int layer, int head, std::int64_t at,
                                         const std::vector<std::int32_t>& held, double softCap = 0,
                                         const double* sink = nullptr) {
    std::map<std::int64_t, double> out;
    const auto query = queryRow(layer, head, at);
    double sum = 0;
    for (const std::int64_t token : held) {
        if (token > at) continue;
        const auto key = keyRow(shape(), layer, head / 2, token);
        double dot = 0;
        for (std::size_t i = 0; i < 8; ++i)
            dot += static_cast<double>(query[i]) * static_cast<double>(key[i]);
        dot *= 0.5;
        if (softCap > 0) dot = softCap * std::tanh(dot / softCap);
        out[token] = std::exp(dot);
        sum += out[token];
    }
    if (sink != nullptr) sum += std::exp(*sink);
    for (auto& [token, p] : out) p /= sum;
    return out;
}

SlotScores scoresOf(const AttentionScores& scores, const KvCache& cache, int layer, int head,
                    int queries = 64) {
    return scores.scores(cache.head(LayerIndex(layer), HeadIndex(head)), LayerIndex(layer),
                         HeadIndex(head), {.queries = queries});
}

/// Compares with sums over every query in [0, tokens), divided by the number of queries that could
/// see the token.
void expectAccumulated(AttentionScores& scores, const KvCache& cache, int tokens) {
    scores.settle();
    for (int layer = 0; layer < 2; ++layer)
        for (int kvHead = 0; kvHead < 2; ++kvHead) {
            std::map<std::int64_t, double> sums;
            for (std::int64_t at = 0; at < tokens; ++at)
                for (int g = 0; g < 2; ++g)
                    for (const auto& [token, p] :
                         attention(layer, kvHead * 2 + g, at, range(0, tokens)))
                        sums[token] += p;
            const SlotScores mine = scoresOf(scores, cache, layer, kvHead);
            ASSERT_EQ(mine.size(), static_cast<std::size_t>(tokens));
            for (std::int64_t token = 0; token < tokens; ++token)
                EXPECT_NEAR(mine[static_cast<std::size_t>(token)],
                            sums[token] / static_cast<double>(tokens - token), 1e-5)
                    << token;
        }
}

TEST(AttentionScores, accumulated_isTheMeanOverQueriesThatSeeTheToken) {
    for (const int threads : {1, 2}) {
        ThreadPool pool(threads);
        auto cache = makeSlotCache(shape()).value();
        AttentionScores scores(*cache, {.heads = kHeads, .scaling = kScaling, .accumulates = true},
                               pool);
        for (const int run : {9, 1, 40, 1, 30, 1, 1}) forward(*cache, scores, run);
        EXPECT_EQ(scores.observed(LayerIndex(1)), 83);
        expectAccumulated(scores, *cache, 83);
    }
}

// The probabilities of the slots sum to less than 1 by the share of the sink.
TEST(AttentionScores, sinks_areIncludedInTheDenominator) {
    std::vector<float> sinks;
    for (int i = 0; i < 2 * kHeads; ++i) sinks.push_back(static_cast<float>(i) - 3.0F);
    const AttentionSinks table(kHeads, sinks);
    for (const bool accumulates : {true, false}) {
        ThreadPool pool(1);
        auto cache = makeSlotCache(shape()).value();
        AttentionScores scores(*cache,
                               {.heads = kHeads,
                                .scaling = {.scale = 0.5F, .sinks = &table},
                                .accumulates = accumulates,
                                .window = 1,
                                .pool = 1},
                               pool);
        forward(*cache, scores, 20);
        scores.settle();
        for (int layer = 0; layer < 2; ++layer)
            for (int kvHead = 0; kvHead < 2; ++kvHead) {
                // Only the newest query sees the newest token.
                double expected = 0;
                for (int g = 0; g < 2; ++g) {
                    const double sink =
                        double{sinks[static_cast<std::size_t>(layer * kHeads + kvHead * 2 + g)]};
                    const double share =
                        attention(layer, kvHead * 2 + g, 19, range(0, 20), 0, &sink).at(19);
                    expected += accumulates ? share : share / 2;
                }
                EXPECT_NEAR(scoresOf(scores, *cache, layer, kvHead, 1)[19], expected, 1e-5);
            }
    }
}

// Drafts are removed in nearly every step; their queries must not be counted.
TEST(AttentionScores, accumulated_afterRollbackOfDrafts_isUnchanged) {
    ThreadPool pool(1);
    auto cache = makeSlotCache(shape()).value();
    AttentionScores scores(*cache, {.heads = kHeads, .scaling = kScaling, .accumulates = true},
                           pool);
    forward(*cache, scores, 40);
    for (int step = 0; step < 10; ++step) {
        forward(*cache, scores, 16);
        ASSERT_TRUE(cache->rollback(13));
        scores.dropFrom(cache->offset());
    }
    expectAccumulated(scores, *cache, 70);
}

TEST(AttentionScores, window_isTheMeanOfItsNewestQueriesPooledOverNeighbours) {
    ThreadPool pool(1);
    auto cache = makeSlotCache(shape()).value();
    const AttentionScoring scoring{
        .heads = kHeads, .scaling = kScaling, .accumulates = false, .window = 6, .pool = 3};
    AttentionScores scores(*cache, scoring, pool);
    for (const int run : {20, 1, 1}) forward(*cache, scores, run);
    EXPECT_EQ(scores.observed(LayerIndex(0)), 6);
    for (const int queries : {4, 6, 99}) {
        const int used = std::min(queries, 6);
        std::vector<double> means(22, 0.0);
        for (std::int64_t at = 22 - used; at < 22; ++at)
            for (int g = 0; g < 2; ++g)
                for (const auto& [token, p] : attention(1, g, at, range(0, 22)))
                    means[static_cast<std::size_t>(token)] += p / (2 * used);
        const SlotScores found = scoresOf(scores, *cache, 1, 0, queries);
        for (std::size_t j = 0; j < 22; ++j) {
            const double before = j > 0 ? means[j - 1] : 0;
            const double after = j < 21 ? means[j + 1] : 0;
            EXPECT_NEAR(found[j], (before + means[j] + after) / 3, 1e-6) << j;
        }
    }
}

// After an eviction in place new tokens fill holes. Pooling must use neighbours in the text.
TEST(AttentionScores, windowOverGaps_poolsInTextOrder) {
    ThreadPool pool(1);
    auto cache = makeSlotCache(shape()).value();
    const AttentionScoring scoring{
        .heads = kHeads, .scaling = kScaling, .accumulates = false, .window = 4, .pool = 3};
    AttentionScores scores(*cache, scoring, pool);
    forward(*cache, scores, 30);
    std::vector<std::int32_t> kept = range(0, 4);
    for (const std::int32_t slot : range(10, 30)) kept.push_back(slot);
    ASSERT_TRUE(cache->compactable()->applyInPlace(keepEverywhere(*cache, kept), pool));
    for (int i = 0; i < 4; ++i) forward(*cache, scores, 1);
    const KvHeadView view = cache->head(LayerIndex(0), HeadIndex(1));
    ASSERT_EQ(view.positions[4], 30) << "the first new token took the first hole";
    std::vector<std::int32_t> held = kept;
    for (const std::int32_t token : range(30, 34)) held.push_back(token);
    std::map<std::int64_t, double> means;
    for (std::int64_t at = 30; at < 34; ++at)
        for (int g = 2; g < 4; ++g)
            for (const auto& [token, p] : attention(0, g, at, held)) means[token] += p / 8;
    const SlotScores found = scoresOf(scores, *cache, 0, 1);
    for (std::size_t i = 0; i < held.size(); ++i) {
        const auto slot =
            std::find(view.positions, view.positions + view.slots, held[i]) - view.positions;
        double sum = means[held[i]];
        if (i > 0) sum += means[held[i - 1]];
        if (i + 1 < held.size()) sum += means[held[i + 1]];
        EXPECT_NEAR(found[static_cast<std::size_t>(slot)], sum / 3, 1e-6) << held[i];
    }
}

TEST(AttentionScores, softcap_liesBetweenScaleAndSoftmax) {
    ThreadPool pool(1);
    auto cache = makeSlotCache(shape()).value();
    const AttentionScoring scoring{.heads = kHeads,
                                   .scaling = {.scale = 0.5F, .softCap = 0.4F},
                                   .accumulates = false,
                                   .window = 1,
                                   .pool = 1};
    AttentionScores scores(*cache, scoring, pool);
    forward(*cache, scores, 12);
    const SlotScores found = scoresOf(scores, *cache, 0, 0);
    const auto first = attention(0, 0, 11, range(0, 12), static_cast<double>(0.4F));
    const auto second = attention(0, 1, 11, range(0, 12), static_cast<double>(0.4F));
    const auto uncapped = attention(0, 0, 11, range(0, 12));
    double apart = 0;
    for (std::int64_t token = 0; token < 12; ++token) {
        EXPECT_NEAR(found[static_cast<std::size_t>(token)],
                    (first.at(token) + second.at(token)) / 2, 1e-6);
        apart = std::max(apart, std::abs(first.at(token) - uncapped.at(token)));
    }
    EXPECT_GT(apart, 0.01) << "the cap makes a difference here";
}

// Coded rows count as their decoded numbers.
TEST(AttentionScores, quantisedKeys_scoreCloseToPlainKeys) {
    ThreadPool pool(1);
    const KvShape plain{.layers = 1, .kvHeads = 2, .keyDim = 64, .valueDim = 64};
    KvShape coded = plain;
    coded.keyQuant = coded.valueQuant = {8, 32};
    std::vector<SlotScores> found;
    for (const KvShape& one : {plain, coded}) {
        auto cache = makeSlotCache(one).value();
        AttentionScores scores(
            *cache, {.heads = 2, .scaling = {.scale = 0.125F}, .accumulates = true}, pool);
        ASSERT_TRUE(cache->beginAppend(100));
        writeRows(*cache, 100);
        std::vector<float> rows;
        for (int i = 0; i < 100; ++i)
            for (int head = 0; head < 2; ++head) {
                const auto row = keyRow(plain, 5, head, i);
                rows.insert(rows.end(), row.begin(), row.end());
            }
        scores.observeQueries(LayerIndex(0), {rows.data(), {100, 2, 64}}, Position(0));
        cache->commitAppend();
        scores.settle();
        found.push_back(scoresOf(scores, *cache, 0, 1));
    }
    for (std::size_t j = 0; j < 100; ++j)
        EXPECT_NEAR(found[1][j], found[0][j], 0.02F * found[0][j] + 1e-5F) << j;
}

TEST(AttentionScores, cacheWindow_hidesTokensOutsideIt) {
    std::vector<float> keys(10 * 8, 0.0F);
    const std::vector<std::int32_t> positions = range(0, 10);
    KvHeadView view;
    view.type = DType::F32;
    view.keys = reinterpret_cast<const std::byte*>(keys.data());
    view.slots = 10;
    view.positions = positions.data();
    view.window = 3;
    view.keep = 1;
    const std::vector<float> query(8, 1.0F);
    const PositionedQuery asked{query.data(), 8};
    std::vector<float> sums(10, 0.0F);
    addAttention(view, 8, kScaling, {&asked, 1}, sums);
    const std::vector<float> expected{0.25F, 0, 0, 0, 0, 0, 0.25F, 0.25F, 0.25F, 0};
    for (std::size_t j = 0; j < 10; ++j) EXPECT_NEAR(sums[j], expected[j], 1e-6) << j;
}

TEST(AttentionScores, nonFiniteKey_hasNoWeightAndNoScore) {
    ThreadPool pool(1);
    const KvShape one{.layers = 1, .kvHeads = 1, .keyDim = 4, .valueDim = 4, .type = DType::F32};
    auto cache = makeSlotCache(one).value();
    AttentionScores scores(*cache, {.heads = 1, .scaling = kScaling, .accumulates = true}, pool);
    std::vector<float> rows(4 * 2000, 0.5F);
    const std::vector<float> queries = rows;
    rows[4 * 700] = std::numeric_limits<float>::quiet_NaN();
    ASSERT_TRUE(cache->beginAppend(2000));
    cache->writeLayer(LayerIndex(0), {rows.data(), {2000, 1, 4}}, {queries.data(), {2000, 1, 4}});
    scores.observeQueries(LayerIndex(0), {queries.data(), {2000, 1, 4}}, Position(0));
    cache->commitAppend();
    scores.settle();
    EvictionOptions options;
    options.rule = {.budget = 1999, .keepRecent = 8, .nSink = 2};
    options.policy = EvictionPolicy::H2O;
    options.attention = &scores;
    const auto plan = planEviction(*cache, options, pool);
    ASSERT_TRUE(plan) << plan.error().what;
    EXPECT_EQ(plan->badSlots, 1);
    EXPECT_FALSE(plan->plan.heads[0].keep.has(700));
}

TEST(AttentionScores, plan_keepsAttendedTokens_perHeadAndAcrossLayers) {
    for (const LayerCoherence coherence : {LayerCoherence::PerHead, LayerCoherence::CrossLayer}) {
        ThreadPool pool(2);
        auto cache = makeSlotCache(shape()).value();
        AttentionScores scores(*cache, {.heads = kHeads, .scaling = kScaling, .accumulates = true},
                               pool);
        forward(*cache, scores, 60);
        scores.settle();
        EvictionOptions options;
        options.rule = {.budget = 30, .keepRecent = 4, .nSink = 2};
        options.policy = EvictionPolicy::H2O;
        options.coherence = coherence;
        const auto refused = planEviction(*cache, options, pool);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument) << "no scores were given";
        options.attention = &scores;
        const auto before = scoresOf(scores, *cache, 0, 0);
        const auto marked = planEviction(*cache, options, pool).value();
        const auto stepwise = planEviction(*cache, scoreCache(*cache, options, pool), options);
        for (std::size_t h = 0; h < 4; ++h)
            EXPECT_EQ(marked.plan.heads[h].keep, stepwise->plan.heads[h].keep);
        ASSERT_TRUE(cache->compactable()->applyInPlace(marked.plan, pool));
        EXPECT_EQ(cache->slots(LayerIndex(1), HeadIndex(1)), 30);
        if (coherence == LayerCoherence::PerHead) {
            float keptLeast = std::numeric_limits<float>::max();
            float goneMost = 0;
            for (int j = 2; j < 56; ++j) {
                const float score = before[static_cast<std::size_t>(j)];
                if (marked.plan.heads[0].keep.has(j))
                    keptLeast = std::min(keptLeast, score);
                else
                    goneMost = std::max(goneMost, score);
            }
            EXPECT_GE(keptLeast, goneMost);
        }
        for (int i = 0; i < 10; ++i) forward(*cache, scores, 1);  // sums outlive a compaction
        scores.settle();
        EXPECT_EQ(scoresOf(scores, *cache, 0, 0).size(), 60U);
    }
}

TEST(AttentionScores, evictedTokens_leaveTheWindow) {
    ThreadPool pool(1);
    auto cache = makeSlotCache(shape()).value();
    AttentionScores scores(*cache, {.heads = kHeads, .scaling = kScaling}, pool);
    forward(*cache, scores, 10);
    scores.dropFrom(Position(6));
    EXPECT_EQ(scores.observed(LayerIndex(1)), 6);
    scores.dropFrom(Position(0));
    EXPECT_EQ(scores.observed(LayerIndex(1)), 0);
    EXPECT_TRUE(scoresOf(scores, *cache, 0, 0).empty());
}

}  // namespace
}  // namespace lacuna::test
