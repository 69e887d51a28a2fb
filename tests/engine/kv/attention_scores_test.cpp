// Scores by attention against probabilities computed in double with plain loops.

#include "engine/kv/attention_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "engine/kv/eviction_plan.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

constexpr int kHeads = 4;

KvShape shape() {
    return {.layers = 2, .kvHeads = 2, .keyDim = 8, .valueDim = 4, .type = DType::F32};
}

std::vector<float> queryRow(int layer, int head, std::int64_t position) {
    return keyRow(shape(), layer + 8, head + 8, position);
}

/// One forward pass as the transformer makes it: rows of a layer, then its queries.
void forward(KvCache& cache, AttentionScores& scores, int tokens) {
    const Position first = cache.offset();
    ASSERT_TRUE(cache.beginAppend(tokens));
    writeRows(cache, tokens);
    for (int layer = 0; layer < 2; ++layer) {
        std::vector<float> rows;
        for (int i = 0; i < tokens; ++i)
            for (int head = 0; head < kHeads; ++head) {
                const auto row = queryRow(layer, head, first.value + i);
                rows.insert(rows.end(), row.begin(), row.end());
            }
        scores.observeQueries(LayerIndex(layer), {rows.data(), {tokens, kHeads, 8}}, first);
    }
    cache.commitAppend();
}

/// Probabilities of one query over the tokens held when it was asked.
std::map<std::int64_t, double> attention(int layer, int head, std::int64_t at,
                                         const std::vector<std::int32_t>& held) {
    std::map<std::int64_t, double> out;
    const auto query = queryRow(layer, head, at);
    double sum = 0;
    for (const std::int64_t token : held) {
        if (token > at) continue;
        const auto key = keyRow(shape(), layer, head / 2, token);
        double dot = 0;
        for (std::size_t i = 0; i < 8; ++i)
            dot += static_cast<double>(query[i]) * static_cast<double>(key[i]);
        out[token] = std::exp(0.5 * dot);
        sum += out[token];
    }
    for (auto& [token, p] : out) p /= sum;
    return out;
}

TEST(AttentionScores, accumulated_isTheMeanOverQueriesThatCouldSeeTheToken) {
    auto cache = makeSlotCache(shape()).value();
    AttentionScores scores(*cache, {.heads = kHeads, .scale = 0.5F, .accumulates = true});
    for (const int run : {9, 1, 4, 1}) forward(*cache, scores, run);
    ThreadPool pool(2);
    const auto found = scores.scores(pool);
    for (int layer = 0; layer < 2; ++layer)
        for (int kvHead = 0; kvHead < 2; ++kvHead) {
            std::map<std::int64_t, double> sums;
            for (std::int64_t at = 0; at < 15; ++at)
                for (int g = 0; g < 2; ++g)
                    for (const auto& [token, p] :
                         attention(layer, kvHead * 2 + g, at, range(0, 15)))
                        sums[token] += p;
            const SlotScores& mine = found[static_cast<std::size_t>(layer * 2 + kvHead)];
            for (std::int64_t token = 0; token < 15; ++token)
                EXPECT_NEAR(mine[static_cast<std::size_t>(token)],
                            sums[token] / static_cast<double>(15 - token), 1e-5);
        }
}

TEST(AttentionScores, window_poolsTheNewestQueriesAndKeepsTheirTokens) {
    auto cache = makeSlotCache(shape()).value();
    const AttentionScoring scoring{
        .heads = kHeads, .scale = 0.5F, .accumulates = false, .window = 4, .pool = 3};
    AttentionScores scores(*cache, scoring);
    for (const int run : {20, 1, 1}) forward(*cache, scores, run);
    EXPECT_EQ(scores.observed(LayerIndex(0)), 4);
    ThreadPool pool(1);
    const auto found = scores.scores(pool);
    std::vector<double> sums(22, 0.0);
    for (std::int64_t at = 18; at < 22; ++at)
        for (int g = 0; g < 2; ++g)
            for (const auto& [token, p] : attention(1, g, at, range(0, 22)))
                sums[static_cast<std::size_t>(token)] += p;
    for (std::size_t j = 0; j < 18; ++j) {
        const double expected = ((j > 0 ? sums[j - 1] : 0) + sums[j] + sums[j + 1]) / 3;
        EXPECT_NEAR(found[2][j], expected, 1e-5) << j;
    }
    for (std::size_t j = 18; j < 22; ++j) EXPECT_GT(found[2][j], 1e30F);
}

TEST(AttentionScores, plan_keepsWhatIsLookedAt) {
    auto cache = makeSlotCache(shape()).value();
    AttentionScores scores(*cache, {.heads = kHeads, .scale = 0.5F, .accumulates = true});
    forward(*cache, scores, 60);
    ThreadPool pool(1);
    EvictionOptions options;
    options.rule = {.budget = 30, .keepRecent = 4, .nSink = 2};
    const auto found = scores.scores(pool);
    const auto plan = planEviction(*cache, found, options).value();
    ASSERT_TRUE(cache->applyInPlace(plan.plan, pool));
    float keptLeast = std::numeric_limits<float>::max();
    float goneMost = 0;
    const KvHeadView view = cache->head(LayerIndex(0), HeadIndex(0));
    for (int j = 2; j < 56; ++j) {
        const bool gone = view.bias[j] == -std::numeric_limits<float>::infinity();
        const float score = found[0][static_cast<std::size_t>(j)];
        (gone ? goneMost : keptLeast) =
            gone ? std::max(goneMost, score) : std::min(keptLeast, score);
    }
    EXPECT_GE(keptLeast, goneMost);
    for (int i = 0; i < 10; ++i) forward(*cache, scores, 1);  // sums outlive a compaction
    EXPECT_EQ(scores.scores(pool)[0].size(), 60U);
}

TEST(AttentionScores, forgottenTokens_leaveTheWindow) {
    auto cache = makeSlotCache(shape()).value();
    AttentionScores scores(*cache, {.heads = kHeads, .scale = 0.5F});
    forward(*cache, scores, 10);
    scores.forgetFrom(Position(6));
    EXPECT_EQ(scores.observed(LayerIndex(1)), 6);
    scores.forgetFrom(Position(0));
    EXPECT_EQ(scores.observed(LayerIndex(1)), 0);
    ThreadPool pool(1);
    EXPECT_TRUE(scores.scores(pool)[0].empty());
}

}  // namespace
}  // namespace lacuna::test
