// The search for the largest ratio within the loss limit, for losses that grow as powers of the
// ratio.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/compress/driver/ratio_search.h"

namespace lacuna {
namespace {

constexpr LossLimit kNinety{.level = LossLimit::Level::Share, .share = 0.9};

/// Returns the kept information of a text whose loss reaches a tenth at `ratio`.
KeptInformation keptAt(double ratio, double reaches, double power) {
    return {.all = 1 - std::min(1.0, 0.1 * std::pow(ratio / reaches, power)), .tokens = 100};
}

RatioSearch searched(double asked, double reaches, double power) {
    RatioSearch search(kNinety, asked);
    while (const auto ratio = search.next()) search.found(keptAt(*ratio, reaches, power));
    return search;
}

TEST(RatioSearch, requestedRatioWithinTheLimit_isTheOnlyTrial) {
    const RatioSearch search = searched(8, 9, 2);
    EXPECT_EQ(search.trials(), 1);
    ASSERT_TRUE(search.best());
    EXPECT_EQ(search.best()->ratio, 8);
    EXPECT_FALSE(search.limited());
    EXPECT_TRUE(limitNotes(search, kNinety, 8).empty());
}

TEST(RatioSearch, anyLossCurve_findsNearlyTheLargestRatio) {
    for (const double asked : {4.0, 8.0, 16.0, 50.0})
        for (const double reaches : {1.5, 2.0, 3.1})
            for (const double power : {0.8, 1.5, 2.5, 4.0}) {
                const RatioSearch search = searched(asked, reaches, power);
                ASSERT_TRUE(search.best()) << asked << ' ' << reaches << ' ' << power;
                EXPECT_LE(search.trials(), RatioSearch::kMaxTrials);
                EXPECT_TRUE(search.limited());
                EXPECT_LE(search.best()->ratio, reaches);
                EXPECT_GE(search.best()->ratio, 0.7 * reaches)
                    << asked << ' ' << reaches << ' ' << power;
                EXPECT_GE(search.best()->kept.all, 0.9);
            }
}

TEST(RatioSearch, lossAboveTheLimitEverywhere_findsNoRatio) {
    const RatioSearch search = searched(8, 1.1, 1);
    EXPECT_FALSE(search.best());
    EXPECT_LE(search.trials(), RatioSearch::kMaxTrials);
    ASSERT_TRUE(search.exceeding());
    EXPECT_EQ(search.exceeding()->ratio, kMinRatio) << "the least one was tried";
    EXPECT_TRUE(mentions(limitNotes(search, kNinety, 8), CompactionReason::LimitNotReached));
}

TEST(RatioSearch, onlyTheReportedTrial_isMeasuredToTheEnd) {
    RatioSearch search(kNinety, 8);
    while (const auto ratio = search.next()) {
        const bool last = *ratio == kMinRatio;
        EXPECT_EQ(search.endsMeasuring().has_value(), !last) << *ratio;
        EXPECT_EQ(search.endsMeasuring().value_or(LossThresholds{.all = 0.9}).all, 0.9);
        search.found(keptAt(*ratio, 1.1, 1));
    }
    EXPECT_EQ(search.exceeding()->ratio, kMinRatio);
}

TEST(RatioSearch, ratioBelowTheMinimum_isTriedAsRequested) {
    RatioSearch search(kNinety, 1.1);
    EXPECT_EQ(search.next(), 1.1);
    search.found(keptAt(1.1, 1.0, 1));
    EXPECT_FALSE(search.next());
    EXPECT_FALSE(search.best());
}

TEST(RatioSearch, lossShare_includesTheWeakestPassage) {
    const LossThresholds balanced = thresholdsOf({});
    EXPECT_LE(lossShare(balanced, {}), 0) << "nothing is lost";
    EXPECT_GT(lossShare(balanced, {.all = 1, .worst = 0}), 1);
    EXPECT_GT(lossShare(balanced, {.all = 0.5, .worst = 1}), 1);
    const LossThresholds strict = thresholdsOf({.level = LossLimit::Level::Strict});
    EXPECT_GT(strict.all, balanced.all);
    EXPECT_GT(strict.worst, balanced.worst);
    EXPECT_NEAR(lossShare(thresholdsOf(kNinety), {.all = 0.95, .worst = 0}), 0.5, 1e-12)
        << "a number is of the whole text";
}

TEST(RatioSearch, note_namesTheRatioAndTheLimit) {
    const RatioSearch search = searched(8, 3, 2);
    EXPECT_EQ(limitNotes(search, {}, 8),
              CompactionNotes{
                  noteOf(CompactionReason::LimitedByLoss, search.best()->ratio, 8.0, "balanced")});
}

}  // namespace
}  // namespace lacuna
