// Vectors L2-1 to L2-25 of the cache contract: thresholds, capacities, kept slots. All decisions
// are made by production code: compaction limits of compress, selection and growth of kv.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/compress/driver/compaction_trigger.h"
#include "engine/kv/slot_memory.h"
#include "eviction_fixture.h"

namespace lacuna::test {
namespace {

void expectThreshold(int budget, int keepRecent, int threshold) {
    const auto limits = compactionLimits(contractOptions(budget, keepRecent), 100'000);
    ASSERT_TRUE(limits);
    EXPECT_EQ(limits->target, budget);
    EXPECT_EQ(limits->trigger, threshold);
}

TEST(Eviction, L2_01_budget64_recent8_triggersAbove128) {
    expectThreshold(64, 8, 128);
}
TEST(Eviction, L2_02_budget128_recent32_triggersAbove192) {
    expectThreshold(128, 32, 192);
}
TEST(Eviction, L2_03_budget256_recent32_triggersAbove320) {
    expectThreshold(256, 32, 320);
}
TEST(Eviction, L2_04_budget512_recent32_triggersAbove576) {
    expectThreshold(512, 32, 576);
}
TEST(Eviction, L2_05_budget2048_recent32_triggersAbove2112) {
    expectThreshold(2048, 32, 2112);
}
TEST(Eviction, L2_06_budget2048_recent100_triggersAbove2148) {
    expectThreshold(2048, 100, 2148);
}
TEST(Eviction, L2_07_S1_17_smallBudget_reportsItsTrigger) {
    expectThreshold(16, 4, 80);
    auto cache = makeSlotCache(tiny()).value();
    ASSERT_TRUE(append(*cache, 40));
    const CompactionState state = describeState(*cache, contractOptions(16, 4));
    EXPECT_EQ(state.trigger, 81);
    EXPECT_EQ(state.phase, CompactionPhase::Waiting);
}

void expectCapacity(std::initializer_list<int> budgets, std::int64_t capacity) {
    for (const int budget : budgets) EXPECT_EQ(compactedCapacity(budget), capacity) << budget;
}

TEST(Eviction, L2_08_budgets64And255_leaveCapacity256) {
    expectCapacity({64, 255}, 256);
}
TEST(Eviction, L2_09_budgets256And257_leaveCapacity512) {
    expectCapacity({256, 257}, 512);
}
TEST(Eviction, L2_10_budget512_leavesCapacity768) {
    expectCapacity({512}, 768);
}
TEST(Eviction, L2_11_budget1000_leavesCapacity1024) {
    expectCapacity({1000}, 1024);
}
TEST(Eviction, L2_12_budget1024_leavesCapacity1280) {
    expectCapacity({1024}, 1280);
}
TEST(Eviction, L2_13_budget2048_leavesCapacity2304) {
    expectCapacity({2048}, 2304);
}
TEST(Eviction, L2_14_budget3000_leavesCapacity3072) {
    expectCapacity({3000}, 3072);
}

Slots kept(std::vector<float> scores, const SelectionRule& selection) {
    const int slots = static_cast<int>(scores.size());
    return selectSlots(scores, {nullptr, slots, slots}, selection).value().list();
}

std::vector<float> negated(std::vector<float> scores) {
    for (float& x : scores) x = -x;
    return scores;
}

TEST(Eviction, L2_20_S1_07_D_01_bothNormPolicies_keepTheirOwnEnd) {
    const std::vector<float> norms{2, 10, 1, 8, 5};
    EXPECT_EQ(kept(norms, rule(3, 1)), (Slots{1, 3, 4}));
    EXPECT_EQ(kept(negated(norms), rule(3, 1)), (Slots{0, 2, 4}));
}

TEST(Eviction, L2_21_S1_63_summedHeads_selectTheExpectedSlots) {
    EXPECT_EQ(kept({11, 11, 5, 10}, rule(3, 1)), (Slots{0, 1, 3}));
}

TEST(Eviction, L2_22_twoRecentSlots_selectTheTopScores) {
    EXPECT_EQ(kept({1, 50, 2, 60, .01F, .02F}, rule(4, 2)), (Slots{1, 3, 4, 5}));
}

TEST(Eviction, L2_23_oneRecentSlot_selectsTheTopScores) {
    EXPECT_EQ(kept({10, .1F, .2F, 5}, rule(3, 1)), (Slots{0, 2, 3}));
}

TEST(Eviction, L2_24_S1_68_smallestBudget_keepsOneCandidate) {
    EXPECT_EQ(kept({3, 9, 4, 1, 1, 1}, rule(4, 3)), (Slots{1, 3, 4, 5}));
}

TEST(Eviction, L2_25_equalNorms_keepTheLowestSlots) {
    EXPECT_EQ(kept(std::vector<float>(8, 2.0F), rule(5, 2)), (Slots{0, 1, 2, 6, 7}));
}

// Compares the binned selection with a plain sort, including ties, holes and NaN.
TEST(Eviction, selection_matchesAFullSort) {
    RandomStream random(25, 0);
    for (int round = 0; round < 500; ++round) {
        const int slots = 20 + static_cast<int>(random.below(400));
        std::vector<float> scores;
        std::vector<float> bias;
        Slots candidates;
        for (int j = 0; j < slots; ++j) {
            const auto x = static_cast<float>(random.normal());
            scores.push_back(round % 3 == 0 ? std::floor(4 * x) : x * std::exp(2 * x));
            if (random.below(50) == 0) scores.back() = std::numeric_limits<float>::quiet_NaN();
            bias.push_back(random.below(4) == 0 ? -std::numeric_limits<float>::infinity() : 0.0F);
        }
        Slots positions;
        for (int j = 0; j < slots; ++j) positions.push_back(j * 2);
        if (round % 2 == 0) std::reverse(positions.begin(), positions.end());
        SelectionRule selection = rule(0, static_cast<int>(random.below(6)));
        selection.nSink = static_cast<int>(random.below(4));
        selection.tie = round % 5 == 0 ? TieRule::NewerFirst : TieRule::LowerSlotFirst;
        const SlotPositions where{positions.data(), slots, 2 * slots, bias.data()};
        Slots expected;
        for (std::int32_t j = 0; j < slots; ++j) {
            if (where.isHole(j)) continue;
            (isProtected(selection, where.at(j), where.tokens) ? expected : candidates)
                .push_back(j);
        }
        if (candidates.size() < 2) continue;
        const auto chosen = 1 + random.below(candidates.size() - 1);
        selection.budget = static_cast<int>(expected.size() + chosen);
        const auto value = [&](std::int32_t j) {
            const float x = scores[static_cast<std::size_t>(j)];
            return std::isfinite(x) ? x : -std::numeric_limits<float>::infinity();
        };
        std::sort(candidates.begin(), candidates.end(), [&](std::int32_t a, std::int32_t b) {
            if (value(a) != value(b)) return value(a) > value(b);
            return selection.tie == TieRule::NewerFirst ? where.at(a) > where.at(b) : a < b;
        });
        expected.insert(expected.end(), candidates.begin(),
                        candidates.begin() + static_cast<std::ptrdiff_t>(chosen));
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(selectSlots(scores, where, selection).value().list(), expected)
            << "round " << round;
    }
}

}  // namespace
}  // namespace lacuna::test
