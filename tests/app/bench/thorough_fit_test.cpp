// Compares a thorough fit with the fast one that a conversation waits for, on unseen queries of
// generated heads and on other splits of the golden head; checks its steps against direct
// arithmetic.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "app/bench/slow_fit.h"
#include "app/bench/thorough_fit.h"
#include "tests/engine/compress/attention_fixture.h"
#include "tests/engine/compress/npy_fixture.h"

namespace lacuna::test {
namespace {

constexpr float kScale = 0.25F;

SlowFitOptions thorough() {
    return {.matching = {}, .effort = FitEffort::Thorough};
}

MatchedHead match(const HeadSpan& span, int target, const SlowFitOptions& options = {}) {
    const auto matched = matchHeadSlowly(span, target, options);
    EXPECT_TRUE(matched) << matched.error().what;
    return *matched;
}

double errorOf(const PlainHead& head, const MatchedHead& matched, const std::vector<float>& queries,
               float scale = kScale) {
    return compare(head, compacted(head, matched), queries, static_cast<double>(scale)).outputError;
}

/// Keys selected by coverage, with the biases fitted to masses alone and the matching values.
struct Chosen {
    SpanAttention span;
    KeySelection keys;
    std::vector<float> bias;
};

Chosen chosenOf(const PlainHead& head, const std::vector<float>& queries, int kept) {
    Chosen out{.span = attendSpan(spanOf(head, queries, kScale)).value(), .keys = {}, .bias = {}};
    out.keys = selectKeys(out.span, KeySelector::Coverage, kept);
    out.bias = fitMass(out.span, out.keys, MassFit::Cluster);
    return out;
}

TEST(ThoroughFit, refittedBiases_withTheSameKeys_lowerTheErrorOfUnseenQueries) {
    double ours = 0;
    double before = 0;
    int moved = 0;
    for (const std::uint64_t seed : {201U, 211U, 221U}) {
        const PlainHead head = clusteredHead(seed, 500, 60, 0.02);
        const std::vector<float> queries = aimedQueries(head, seed + 1, 512);
        const std::vector<float> unseen = aimedQueries(head, seed + 2, 2000);
        const Chosen chosen = chosenOf(head, queries, 24);
        const FittedValues values = fitValues(chosen.span, chosen.keys, chosen.bias, {}).value();
        const ThoroughFit fit = fitThoroughly(chosen.span, chosen.keys, chosen.bias, {}).value();
        const auto error = [&](const std::vector<float>& bias, const std::vector<float>& fitted) {
            return errorOf(head,
                           {.keep = chosen.keys.slots, .bias = bias, .values = fitted, .keys = {}},
                           unseen);
        };
        ours += error(fit.bias, fit.values.values);
        before += error(chosen.bias, values.values);
        if (fit.bias != chosen.bias) ++moved;
    }
    std::printf("biases that moved: %.4f, that did not: %.4f\n", ours / 3, before / 3);
    EXPECT_GE(moved, 2);
    EXPECT_LT(ours, 0.98 * before);
}

TEST(ThoroughFit, heldOutError_approximatesTheErrorOfUnseenQueries) {
    const PlainHead head = clusteredHead(231, 500, 90, 0.3);
    const std::vector<float> queries = aimedQueries(head, 232, 512);
    const Chosen chosen = chosenOf(head, queries, 32);
    const ThoroughFit fit = fitThoroughly(chosen.span, chosen.keys, chosen.bias, {}).value();
    const double unseen = errorOf(
        head,
        {.keep = chosen.keys.slots, .bias = fit.bias, .values = fit.values.values, .keys = {}},
        aimedQueries(head, 233, 2000));
    EXPECT_NEAR(fit.values.heldOutError, unseen, 0.1 * unseen);
    EXPECT_LT(fit.values.heldOutError, fit.values.priorError);
    EXPECT_TRUE(fit.values.fitUsed);
}

TEST(LevelledBiases, uniformShift_isUndone) {
    const PlainHead head = clusteredHead(241, 400, 80, 0.1);
    const Chosen chosen = chosenOf(head, randomRows(242, 512, 32), 60);
    std::vector<float> lowered = chosen.bias;
    for (float& b : lowered) b -= 1.5F;
    const std::vector<float> back = levelled(chosen.span, chosen.keys, lowered);
    for (std::size_t a = 0; a < back.size(); ++a) EXPECT_NEAR(back[a], chosen.bias[a], 1e-4);
}

TEST(LevelledBiases, spreadBiases_keepTheirDistanceBelowTheBound) {
    const PlainHead head = clusteredHead(241, 400, 80, 0.1);
    const Chosen chosen = chosenOf(head, randomRows(242, 512, 32), 20);
    std::vector<float> apart(20, -9.0F);
    apart[3] = 30.0F;
    const std::vector<float> level = levelled(chosen.span, chosen.keys, apart);
    EXPECT_LE(level[3], std::log(400.0F / 20.0F) + 3.0F + 1e-4F);
    EXPECT_NEAR(level[3] - level[4], 39, 1e-4);
}

TEST(ThoroughFit, generatedHeads_haveLowerErrorThanWithTheConversationFit) {
    double ours = 0;
    double live = 0;
    for (const std::uint64_t seed : {251U, 261U, 271U}) {
        const PlainHead head = clusteredHead(seed, 500, 60, 0.02);
        const std::vector<float> queries = aimedQueries(head, seed + 1, 512);
        const std::vector<float> unseen = aimedQueries(head, seed + 2, 1000);
        const HeadSpan span = spanOf(head, queries, kScale);
        ours += errorOf(head, match(span, 24, thorough()), unseen);
        live += errorOf(head, match(span, 24), unseen);
    }
    std::printf("thorough: %.4f, of a conversation: %.4f\n", ours / 3, live / 3);
    EXPECT_LT(ours, 0.99 * live);
}

TEST(ThoroughFit, fit_isBitwiseDeterministic) {
    const PlainHead head = clusteredHead(281, 300, 80, 0.3);
    const std::vector<float> queries = randomRows(282, 256, 32);
    const MatchedHead once = match(spanOf(head, queries, kScale), 20, thorough());
    const MatchedHead again = match(spanOf(head, queries, kScale), 20, thorough());
    EXPECT_EQ(once.keep, again.keep);
    EXPECT_EQ(once.bias, again.bias);
    EXPECT_EQ(once.values, again.values);
}

TEST(ThoroughFit, identicalOrFewQueries_giveFiniteResults) {
    const PlainHead head = clusteredHead(291, 200, 50, 0.3);
    std::vector<float> alike;
    const std::vector<float> one = randomRows(292, 1, 32);
    for (int i = 0; i < 100; ++i) alike.insert(alike.end(), one.begin(), one.end());
    alike[5] = std::numeric_limits<float>::infinity();
    for (const std::vector<float>& queries : {alike, randomRows(293, 3, 32)}) {
        const MatchedHead matched = match(spanOf(head, queries, kScale), 20, thorough());
        EXPECT_GE(matched.keep.size(), 1U);
        for (const float b : matched.bias) EXPECT_TRUE(std::isfinite(b));
        for (const float v : matched.values) EXPECT_TRUE(std::isfinite(v));
    }
}

}  // namespace
}  // namespace lacuna::test
