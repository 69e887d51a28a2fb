// Moved keys compared with fixed ones, on unseen queries of generated heads and on other splits of
// the golden head.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "app/bench/moved_keys.h"
#include "app/bench/slow_fit.h"
#include "tests/engine/compress/attention_fixture.h"
#include "tests/engine/compress/npy_fixture.h"

namespace lacuna::test {
namespace {

constexpr float kScale = 0.25F;

SlowFitOptions with(FitEffort effort) {
    return {.matching = {}, .effort = effort};
}

MatchedHead match(const HeadSpan& span, int target, const SlowFitOptions& options = {}) {
    const auto matched = matchHeadSlowly(span, target, options);
    EXPECT_TRUE(matched) << matched.error().what;
    return *matched;
}

double errorOf(const PlainHead& head, const MatchedHead& matched, const std::vector<float>& queries,
               double scale = static_cast<double>(kScale)) {
    return compare(head, compacted(head, matched), queries, scale).outputError;
}

PlainHead cappedHead(std::uint64_t seed) {
    PlainHead head = clusteredHead(seed, 500, 60, 0.3);
    head.softCap = 6;
    for (std::size_t j = 0; j < head.bias.size(); j += 3) head.bias[j] = 0.7F;
    return head;
}

TEST(MovedKeys, generatedHeads_haveLowerErrorThanWithOriginalKeys) {
    double moved = 0;
    double stayed = 0;
    double movedMass = 0;
    double stayedMass = 0;
    for (const std::uint64_t seed : {301U, 311U, 321U}) {
        const PlainHead head = clusteredHead(seed, 500, 60, 0.3);
        const std::vector<float> queries = aimedQueries(head, seed + 1, 512);
        const std::vector<float> unseen = aimedQueries(head, seed + 2, 1000);
        const HeadSpan span = spanOf(head, queries, kScale);
        const MatchedHead ours = match(span, 24, with(FitEffort::Moved));
        const MatchedHead before = match(span, 24, with(FitEffort::Thorough));
        ASSERT_EQ(ours.keys.size(), 24U * 32U);
        EXPECT_EQ(ours.keep, before.keep);
        const Fidelity a = compare(head, compacted(head, ours), unseen, 0.25);
        const Fidelity b = compare(head, compacted(head, before), unseen, 0.25);
        moved += a.outputError;
        stayed += b.outputError;
        movedMass += a.logMassError;
        stayedMass += b.logMassError;
    }
    std::printf("moved: %.4f (log mass %.3f), stayed: %.4f (%.3f)\n", moved / 3, movedMass / 3,
                stayed / 3, stayedMass / 3);
    EXPECT_LT(moved, 0.99 * stayed);
    EXPECT_LT(movedMass, stayedMass);
}

TEST(MovedKeys, goldenHead_underANewSplit_hasLowerErrorThanWithOriginalKeys) {
    PlainHead head;
    const Matrix keys = readNpy("keys.npy");
    head.keys = keys.numbers;
    head.values = readNpy("values.npy").numbers;
    head.bias.assign(static_cast<std::size_t>(keys.rows), 0.0F);
    head.keyDim = static_cast<int>(keys.columns);
    head.valueDim = head.keyDim;
    std::vector<float> all = readNpy("queries_fit.npy").numbers;
    const std::vector<float> rest = readNpy("queries_test.npy").numbers;
    all.insert(all.end(), rest.begin(), rest.end());
    // Every fourth query is held out for evaluation.
    std::vector<float> fit;
    std::vector<float> unseen;
    for (std::size_t i = 0; i < all.size() / 64; ++i) {
        auto& to = i % 4 == 1 ? unseen : fit;
        to.insert(to.end(), all.begin() + static_cast<std::ptrdiff_t>(i * 64),
                  all.begin() + static_cast<std::ptrdiff_t>(i * 64 + 64));
    }
    const HeadSpan span = spanOf(head, fit, 0.125F);
    const double moved = errorOf(head, match(span, 32, with(FitEffort::Moved)), unseen, 0.125);
    const double stayed = errorOf(head, match(span, 32, with(FitEffort::Thorough)), unseen, 0.125);
    std::printf("moved: %.4f, stayed: %.4f\n", moved, stayed);
    EXPECT_LT(moved, stayed);
}

TEST(MovedKeys, cappedScoresAndBiasedSlots_haveLowerError) {
    const PlainHead head = cappedHead(331);
    const std::vector<float> queries = aimedQueries(head, 332, 512);
    const std::vector<float> unseen = aimedQueries(head, 333, 1000);
    const HeadSpan span = spanOf(head, queries, 0.25F);
    const MatchedHead ours = match(span, 24, with(FitEffort::Moved));
    ASSERT_FALSE(ours.keys.empty());
    const double moved = errorOf(head, ours, unseen);
    const double stayed = errorOf(head, match(span, 24, with(FitEffort::Thorough)), unseen);
    std::printf("capped, moved: %.4f, stayed: %.4f\n", moved, stayed);
    EXPECT_LT(moved, stayed);
}

TEST(MovedKeys, reportedErrors_equalDirectComputation) {
    const PlainHead head = cappedHead(341);
    const std::vector<float> queries = aimedQueries(head, 342, 512);
    const MatchedHead ours = match(spanOf(head, queries, 0.25F), 24, with(FitEffort::Moved));
    const Fidelity seen = compare(head, compacted(head, ours), queries, 0.25);
    EXPECT_NEAR(ours.logMassError, seen.logMassError, 0.01 * seen.logMassError + 1e-3);
    const double unseen = errorOf(head, ours, aimedQueries(head, 343, 2000));
    EXPECT_NEAR(ours.heldOutError, unseen, 0.12 * unseen);
}

TEST(MovedKeys, movedKeys_areBitwiseDeterministic) {
    const PlainHead head = clusteredHead(351, 300, 80, 0.3);
    const std::vector<float> queries = randomRows(352, 256, 32);
    const MatchedHead once = match(spanOf(head, queries, kScale), 20, with(FitEffort::Moved));
    const MatchedHead again = match(spanOf(head, queries, kScale), 20, with(FitEffort::Moved));
    ASSERT_FALSE(once.keys.empty());
    EXPECT_EQ(once.keys, again.keys);
    EXPECT_EQ(once.bias, again.bias);
    EXPECT_EQ(once.values, again.values);
}

TEST(MovedKeys, tooFewQueries_keepTheOriginalKeys) {
    const PlainHead head = clusteredHead(361, 200, 50, 0.3);
    const MatchedHead matched =
        match(spanOf(head, randomRows(362, 3, 32), kScale), 20, with(FitEffort::Moved));
    EXPECT_TRUE(matched.keys.empty());
    EXPECT_EQ(matched.keep.size(), 20U);
}

TEST(MovedKeys, identicalOrNonFiniteQueries_giveFiniteResults) {
    const PlainHead head = clusteredHead(371, 200, 50, 0.3);
    std::vector<float> alike;
    const std::vector<float> one = randomRows(372, 1, 32);
    for (int i = 0; i < 100; ++i) alike.insert(alike.end(), one.begin(), one.end());
    alike[5] = std::numeric_limits<float>::infinity();
    const MatchedHead matched = match(spanOf(head, alike, kScale), 20, with(FitEffort::Moved));
    const auto finite = [](float x) { return std::isfinite(x); };
    EXPECT_TRUE(std::ranges::all_of(matched.keys, finite));
    EXPECT_TRUE(std::ranges::all_of(matched.bias, finite));
    EXPECT_TRUE(std::ranges::all_of(matched.values, finite));
}

TEST(MovedKeys, conversationEffort_doesNotMoveKeys) {
    const PlainHead head = clusteredHead(381, 300, 80, 0.3);
    const MatchedHead matched = match(spanOf(head, randomRows(382, 256, 32), kScale), 20);
    EXPECT_TRUE(matched.keys.empty());
}

}  // namespace
}  // namespace lacuna::test
