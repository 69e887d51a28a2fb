// Bit plans: within the budget, never worse for a larger one, and optimal.

#include "engine/compress/transform/bit_allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/random.h"

namespace lacuna::test {
namespace {

/// Returns the theoretical errors of uniform codes for components with these variances: a code of b
/// bits leaves var * 4^-b.
std::function<double(int, int, ComponentCode)> theory(std::vector<double> variances) {
    return [variances = std::move(variances)](int first, int length, ComponentCode code) {
        double sum = 0;
        for (int i = first; i < first + length; ++i) sum += variances[static_cast<std::size_t>(i)];
        return sum * std::pow(4.0, -bitsOf(code));
    };
}

std::vector<double> falling(RandomStream& random, int components) {
    std::vector<double> out;
    for (int i = 0; i < components; ++i) out.push_back(std::exp(3 * random.normal()));
    std::ranges::sort(out, std::greater<>());
    return out;
}

int lengthOf(const BitPlan& plan) {
    int sum = 0;
    for (const ComponentGroup& group : plan) sum += group.length;
    return sum;
}

/// Returns the least error of all plans by exhaustive search.
double leastByTrying(const AllocationProblem& problem, int first, std::int64_t left) {
    if (first == problem.components) return 0;
    double least = std::numeric_limits<double>::infinity();
    for (const int length : kGroupLengths) {
        if (first + length > problem.components) break;
        for (const ComponentCode code : kComponentCodes) {
            const int cost = groupBytes(length, code);
            if (cost > left) continue;
            least = std::min(least, problem.error(first, length, code) +
                                        leastByTrying(problem, first + length, left - cost));
        }
    }
    return least;
}

TEST(BitAllocation, everyBudget_isMet_andALargerOneIsNeverWorse) {
    RandomStream random(7, 0);
    for (int round = 0; round < 12; ++round) {
        const int components = 1 + static_cast<int>(random.below(90));
        const AllocationProblem problem{.components = components,
                                        .error = theory(falling(random, components))};
        double before = std::numeric_limits<double>::infinity();
        for (std::int64_t budget = 0; budget < 3 * components; budget += 3) {
            AllocationProblem within = problem;
            within.budget = budget;
            const Allocation made = allocateBits(within);
            ASSERT_LE(planBytes(made.plan), budget);
            ASSERT_EQ(lengthOf(made.plan), components);
            ASSERT_TRUE(checkPlan(made.plan, components, budget));
            ASSERT_LE(made.error, before);
            double sum = 0;
            int first = 0;
            for (const ComponentGroup& group : made.plan) {
                sum += problem.error(first, group.length, group.code);
                first += group.length;
            }
            ASSERT_NEAR(sum, made.error, 1e-9 * (1 + sum));
            before = made.error;
        }
    }
}

TEST(BitAllocation, fewComponents_equalExhaustiveSearch) {
    RandomStream random(11, 0);
    int compared = 0;
    for (int round = 0; round < 40; ++round) {
        const int components = 1 + static_cast<int>(random.below(4));
        for (const std::int64_t budget : {0, 4, 5, 6, 11, 15, 20, 40}) {
            // Irregular errors: only a search finds the minimum.
            std::map<std::tuple<int, int, int>, double> drawn;
            const AllocationProblem problem{
                .components = components,
                .error =
                    [&](int first, int length, ComponentCode code) {
                        const auto key = std::tuple(first, length, static_cast<int>(code));
                        return drawn.try_emplace(key, random.uniform()).first->second;
                    },
                .budget = budget};
            const double least = leastByTrying(problem, 0, budget);
            ASSERT_DOUBLE_EQ(allocateBits(problem).error, least);
            ++compared;
        }
    }
    EXPECT_EQ(compared, 320);
    // The same with groups of sixteen competing with single components.
    RandomStream other(12, 0);
    for (const std::int64_t budget : {0, 8, 12, 20, 24}) {
        const AllocationProblem problem{
            .components = 17, .error = theory(falling(other, 17)), .budget = budget};
        ASSERT_NEAR(allocateBits(problem).error, leastByTrying(problem, 0, budget), 1e-9);
    }
}

TEST(BitAllocation, ninetyComponents_matchNumPy) {
    const Json json =
        *parseJson(readFile(LACUNA_GOLDEN_DIR "/transform/case.json", 1 << 20).value());
    AllocationProblem problem{.components = 90,
                              .error = theory(json["variances"].get<std::vector<double>>())};
    int compared = 0;
    for (const auto& [budget, least] : json["budgets"].items()) {
        problem.budget = std::stoll(budget);
        EXPECT_NEAR(allocateBits(problem).error, least.get<double>(), 1e-9 * least.get<double>());
        ++compared;
    }
    EXPECT_EQ(compared, 8);
}

TEST(BitAllocation, ratioOne_usesEightBitsEverywhere) {
    RandomStream random(3, 0);
    const AllocationProblem problem{
        .components = 64, .error = theory(falling(random, 64)), .budget = budgetOf(64, 1)};
    EXPECT_EQ(problem.budget, 128);
    const BitPlan plan = allocateBits(problem).plan;
    for (const ComponentGroup& group : plan) EXPECT_EQ(group.code, ComponentCode::Fp8);
    EXPECT_EQ(codedComponents(plan), 64);
}

TEST(BitAllocation, hugeRatio_storesNothing_andDecodesToTheMean) {
    const std::vector<double> variances{9, 4, 1, 1, 0.5};
    const AllocationProblem problem{
        .components = 5, .error = theory(variances), .budget = budgetOf(5, 64)};
    const Allocation made = allocateBits(problem);
    EXPECT_EQ(made.plan, (BitPlan{{5, ComponentCode::None}}));
    EXPECT_DOUBLE_EQ(made.error, 15.5);
    EXPECT_EQ(codedComponents(made.plan), 0);
    std::vector<float> numbers(5, 7.0F);
    decodeGroup({}, ComponentCode::None, nullptr, numbers);
    EXPECT_EQ(numbers, std::vector<float>(5, 0.0F));
    EXPECT_TRUE(allocateBits({.components = 0, .error = {}, .budget = 9}).plan.empty());
}

TEST(BitAllocation, largeVariances_getMoreBitsThanSmallOnes) {
    // The budget is per token, so the number of tokens does not matter.
    std::vector<double> variances(64, 1e-3);
    std::fill_n(variances.begin(), 16, 100.0);
    std::fill_n(variances.begin() + 16, 16, 1.0);
    const AllocationProblem problem{.components = 64, .error = theory(variances), .budget = 32};
    const BitPlan plan = allocateBits(problem).plan;
    std::vector<int> bits;
    for (const ComponentGroup& group : plan)
        bits.insert(bits.end(), static_cast<std::size_t>(group.length), bitsOf(group.code));
    EXPECT_TRUE(std::ranges::is_sorted(bits, std::greater<>()));
    EXPECT_EQ(bits.front(), 8);
    EXPECT_EQ(bits.back(), 0);
    // This rule prevents a defect that gave all components the same bits.
    EXPECT_NE(std::ranges::count(bits, bits.front()), 64);
}

TEST(BitAllocation, invalidPlans_areRefused) {
    const BitPlan good{{16, ComponentCode::Int4}, {7, ComponentCode::None}};
    EXPECT_TRUE(checkPlan(good, 23, 12));
    EXPECT_FALSE(checkPlan(good, 22, 12));
    EXPECT_FALSE(checkPlan(good, 24, 12));
    EXPECT_FALSE(checkPlan(good, 23, 11));
    EXPECT_FALSE(checkPlan(BitPlan{{15, ComponentCode::Int4}}, 15, 100));
    EXPECT_FALSE(checkPlan(BitPlan{{0, ComponentCode::None}, {1, ComponentCode::Int2}}, 1, 100));
    EXPECT_FALSE(checkPlan(BitPlan{{-1, ComponentCode::None}, {1, ComponentCode::Int2}}, 0, 100));
    EXPECT_FALSE(checkPlan(BitPlan{{1, static_cast<ComponentCode>(9)}}, 1, 100));
}

TEST(BitAllocation, codes_areWithinHalfAStep) {
    RandomStream random(5, 0);
    for (int round = 0; round < 200; ++round) {
        std::vector<float> numbers(1 + random.below(64));
        for (float& x : numbers) x = static_cast<float>(random.normal() * 20);
        const auto [least, most] = std::ranges::minmax(numbers);
        for (const ComponentCode code : {ComponentCode::Int2, ComponentCode::Int4}) {
            std::vector<std::uint8_t> codes(numbers.size());
            std::vector<float> back(numbers.size());
            const CodedGroup coded = encodeGroup(numbers, code, codes.data());
            decodeGroup(coded, code, codes.data(), back);
            const float step = (most - least) / static_cast<float>((1 << bitsOf(code)) - 1);
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                ASSERT_LT(codes[i], 1 << bitsOf(code));
                // The tolerance is half a step plus the rounding of scale and shift to 16 bits.
                ASSERT_NEAR(back[i], numbers[i], 0.5F * step + 0.002F * (most - least) + 0.05F);
            }
        }
        std::vector<std::uint8_t> codes(numbers.size());
        std::vector<float> back(numbers.size());
        decodeGroup(encodeGroup(numbers, ComponentCode::Fp8, codes.data()), ComponentCode::Fp8,
                    codes.data(), back);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            ASSERT_NEAR(back[i], numbers[i], 0.05F * (most - least) + 0.05F);
    }
    // Equal numbers are represented by the shift alone.
    const std::vector<float> equal(16, 0.375F);
    for (const ComponentCode code :
         {ComponentCode::Int2, ComponentCode::Int4, ComponentCode::Fp8}) {
        std::vector<std::uint8_t> codes(16);
        std::vector<float> back(16);
        const CodedGroup coded = encodeGroup(equal, code, codes.data());
        EXPECT_EQ(coded.scale, 0);
        decodeGroup(coded, code, codes.data(), back);
        EXPECT_EQ(back, equal);
    }
}

}  // namespace
}  // namespace lacuna::test
