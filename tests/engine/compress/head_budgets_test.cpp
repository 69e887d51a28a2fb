// Division of slots among heads: exact totals, bounds and priorities.

#include "engine/compress/head_budgets.h"

#include <gtest/gtest.h>

#include <numeric>

#include "engine/base/random.h"

namespace lacuna::test {
namespace {

std::int64_t sum(const std::vector<int>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

TEST(HeadBudgets, byWeight_isProportional_andRedistributesTheExcess) {
    const std::vector<HeadRoom> rooms{{0, 100}, {0, 100}, {0, 1000}};
    EXPECT_EQ(shareByWeight(rooms, std::vector{1.0, 2.0, 3.0}, 60).value(),
              (std::vector{10, 20, 30}));
    EXPECT_EQ(shareByWeight(rooms, std::vector{1.0, 8.0, 1.0}, 300).value(),
              (std::vector{100, 100, 100}));
    EXPECT_EQ(shareByWeight(rooms, std::vector{1.0, 98.0, 1.0}, 120).value(),
              (std::vector{10, 100, 10}));
}

TEST(HeadBudgets, byWeight_keepsTotalAndBounds_forAnyInput) {
    RandomStream random(4, 0);
    for (int trial = 0; trial < 300; ++trial) {
        std::vector<HeadRoom> rooms;
        std::vector<double> weights;
        std::int64_t least = 0;
        std::int64_t most = 0;
        for (int g = 0; g < 1 + static_cast<int>(random.below(9)); ++g) {
            const auto low = static_cast<int>(random.below(20));
            rooms.push_back({low, low + static_cast<int>(random.below(200))});
            weights.push_back(random.below(4) == 0 ? 0.0 : random.uniform() * 10);
            least += rooms.back().least;
            most += rooms.back().most;
        }
        const auto total =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(least) +
                                      random.below(static_cast<std::uint64_t>(most - least + 50)));
        const auto shares = shareByWeight(rooms, weights, total);
        ASSERT_TRUE(shares);
        EXPECT_EQ(sum(*shares), std::min(total, most)) << trial;
        for (std::size_t g = 0; g < rooms.size(); ++g) {
            EXPECT_GE((*shares)[g], rooms[g].least);
            EXPECT_LE((*shares)[g], rooms[g].most);
        }
    }
}

TEST(HeadBudgets, budgetBelowAllMinimums_isRefused) {
    const std::vector<HeadRoom> rooms{{40, 100}, {40, 100}};
    const auto shares = shareByWeight(rooms, std::vector{1.0, 1.0}, 79);
    ASSERT_FALSE(shares);
    EXPECT_EQ(shares.error().code, ErrorCode::Range);
    EXPECT_FALSE(shareByCurves(rooms, std::vector<ErrorCurve>(2), 79));
}

TEST(HeadBudgets, byCurves_assignsSlotsWhereTheErrorFallsMost) {
    const std::vector<HeadRoom> rooms{{4, 104}, {4, 104}};
    // The first head is exact with 20 more slots; the second gains from every slot.
    const std::vector<ErrorCurve> curves{{10, {8, 4, 0, 0, 0}}, {10, {2, 1.9F, 1.8F, 1.7F, 1.6F}}};
    EXPECT_EQ(shareByCurves(rooms, curves, 28).value(), (std::vector{24, 4}));
    EXPECT_EQ(shareByCurves(rooms, curves, 58).value(), (std::vector{24, 34}));
    EXPECT_EQ(shareByCurves(rooms, curves, 1000).value(), (std::vector{104, 104}));
}

TEST(HeadBudgets, byCurves_considersLateGains) {
    // No gain below 30 slots, then all of it: the hull gives 9 / 30 per slot, more than 0.2.
    const std::vector<HeadRoom> rooms{{0, 100}, {0, 100}};
    const std::vector<ErrorCurve> curves{{10, {9, 9, 9, 0}}, {10, {20, 18, 16, 14}}};
    EXPECT_EQ(shareByCurves(rooms, curves, 30).value(), (std::vector{30, 0}));
}

}  // namespace
}  // namespace lacuna::test
