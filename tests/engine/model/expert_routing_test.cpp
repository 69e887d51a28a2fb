// The choice of experts: order, ties, weights, grouping and NaN.

#include "engine/model/expert_routing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/random.h"

namespace lacuna::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

ExpertSpec spec(int count, int perToken) {
    return {.count = count, .perToken = perToken, .feedForward = 8};
}

/// Returns the routing of logits [tokens, experts].
ExpertRouting routed(const ExpertSpec& spec, const std::vector<std::vector<float>>& rows) {
    auto routing = ExpertRouting::create(spec, static_cast<int>(rows.size())).value();
    float* target = routing.logits();
    for (const auto& row : rows) target = std::copy(row.begin(), row.end(), target);
    routing.route(static_cast<std::int64_t>(rows.size()));
    return routing;
}

TEST(ExpertRouting, bestOfAll_normalised_weightsSumToTheScale) {
    ExpertSpec two = spec(4, 2);
    two.weightScale = 2.5F;
    const auto routing = routed(two, {{1.0F, 3.0F, 2.0F, 0.0F}});
    ASSERT_EQ(routing.usesOf(1).size(), 1U);
    ASSERT_EQ(routing.usesOf(2).size(), 1U);
    EXPECT_TRUE(routing.usesOf(0).empty());
    EXPECT_TRUE(routing.usesOf(3).empty());
    const double first = std::exp(3.0) / (std::exp(3.0) + std::exp(2.0));
    EXPECT_NEAR(double{routing.usesOf(1)[0].weight}, 2.5 * first, 1e-6);
    EXPECT_NEAR(double{routing.usesOf(2)[0].weight}, 2.5 * (1.0 - first), 1e-6);
}

TEST(ExpertRouting, bestOfAll_notNormalised_weightsAreShares) {
    ExpertSpec one = spec(3, 1);
    one.normaliseWeights = false;
    const auto routing = routed(one, {{0.0F, 1.0F, 2.0F}});
    const double all = 1.0 + std::exp(1.0) + std::exp(2.0);
    EXPECT_NEAR(double{routing.usesOf(2)[0].weight}, std::exp(2.0) / all, 1e-6);
}

TEST(ExpertRouting, equalLogits_chooseTheFirst) {
    const auto routing = routed(spec(5, 2), {{1.0F, 7.0F, 7.0F, 7.0F, 1.0F}});
    EXPECT_EQ(routing.usesOf(1).size(), 1U);
    EXPECT_EQ(routing.usesOf(2).size(), 1U);
    EXPECT_TRUE(routing.usesOf(3).empty());
}

// Far below the best logit all probabilities underflow to zero, although the logits differ.
TEST(ExpertRouting, logitsFarBelowTheBest_areStillOrdered) {
    const auto routing = routed(spec(4, 2), {{-500.0F, -400.0F, 0.0F, -450.0F}});
    EXPECT_EQ(routing.usesOf(1).size(), 1U);
    EXPECT_EQ(routing.usesOf(2).size(), 1U);
}

TEST(ExpertRouting, nanLogits_stillChooseDistinctExperts) {
    const std::vector<std::vector<float>> rows{{kNan, kNan, kNan, kNan},
                                               {-kInfinity, -kInfinity, -kInfinity, -kInfinity},
                                               {1.0F, kNan, -kInfinity, 2.0F},
                                               {kInfinity, kInfinity, 0.0F, kNan}};
    const std::vector<float> bias{0.0F, 1.0F, kNan, -1.0F};
    for (const int kind : {0, 1, 2, 3})
        for (const int perToken : {1, 2, 3, 4}) {
            ExpertSpec each = spec(4, perToken);
            each.scoring = kind == 0   ? ExpertScoring::Softmax
                           : kind == 3 ? ExpertScoring::SparseMixer
                                       : ExpertScoring::Sigmoid;
            each.groups = kind == 2 ? 2 : 1;
            each.groupsPerToken = each.groups;
            auto routing = ExpertRouting::create(each, static_cast<int>(rows.size())).value();
            float* target = routing.logits();
            for (const auto& row : rows) target = std::copy(row.begin(), row.end(), target);
            routing.route(static_cast<std::int64_t>(rows.size()),
                          kind == 2 ? std::span<const float>(bias) : std::span<const float>());
            std::vector<int> uses(rows.size());
            for (int expert = 0; expert < 4; ++expert) {
                EXPECT_LE(routing.usesOf(expert).size(), rows.size());
                for (const ExpertUse& use : routing.usesOf(expert))
                    ++uses.at(static_cast<std::size_t>(use.row));
            }
            for (const int count : uses) EXPECT_EQ(count, perToken);
        }
}

/// Returns the weights of a row by expert; 0 for experts that are not used.
std::vector<float> weightsOf(const ExpertRouting& routing, int count, std::int32_t row) {
    std::vector<float> weights(static_cast<std::size_t>(count), 0.0F);
    for (int expert = 0; expert < count; ++expert)
        for (const ExpertUse& use : routing.usesOf(expert))
            if (use.row == row) weights[static_cast<std::size_t>(expert)] = use.weight;
    return weights;
}

ExpertRouting routedWithBias(const ExpertSpec& spec, const std::vector<float>& row,
                             const std::vector<float>& bias) {
    auto routing = ExpertRouting::create(spec, 1).value();
    std::ranges::copy(row, routing.logits());
    routing.route(1, bias);
    return routing;
}

float sigmoid(float x) {
    return 1.0F / (1.0F + std::exp(-x));
}

TEST(ExpertRouting, sigmoidWithSelectionBias_choosesByTheSumAndWeighsWithoutIt) {
    ExpertSpec two = spec(4, 2);
    two.scoring = ExpertScoring::Sigmoid;
    two.weightScale = 2.5F;
    const auto routing = routedWithBias(two, {2.0F, 1.0F, 0.0F, -1.0F}, {-5.0F, 0.0F, 0.0F, 3.0F});
    const auto weights = weightsOf(routing, 4, 0);
    const float sum = sigmoid(1.0F) + sigmoid(-1.0F);
    EXPECT_EQ(weights[0], 0.0F);
    EXPECT_NEAR(weights[1], 2.5F * sigmoid(1.0F) / sum, 1e-6F);
    EXPECT_EQ(weights[2], 0.0F);
    EXPECT_NEAR(weights[3], 2.5F * sigmoid(-1.0F) / sum, 1e-6F);
}

TEST(ExpertRouting, softmaxWithSelectionBias_dividesByTheSmallestSumAtLeast) {
    ExpertSpec one = spec(3, 1);
    one.smallestSum = 0.5F;
    const auto routing = routedWithBias(one, {4.0F, 0.0F, 0.0F}, {0.0F, 9.0F, 0.0F});
    const float share = 1.0F / (std::exp(4.0F) + 2.0F);
    EXPECT_NEAR(weightsOf(routing, 3, 0)[1], share / 0.5F, 1e-6F);
}

TEST(ExpertRouting, groups_onlyTheTwoWithTheBestSumsAreUsed) {
    ExpertSpec three = spec(8, 3);
    three.scoring = ExpertScoring::Sigmoid;
    three.groups = 4;
    three.groupsPerToken = 2;
    three.normaliseWeights = false;
    // The second best expert in the group of the best one is the worst of all.
    const auto routing =
        routedWithBias(three, {5.0F, -9.0F, 2.0F, 2.0F, 1.0F, 1.5F, 0.0F, 0.5F}, {});
    const auto weights = weightsOf(routing, 8, 0);
    EXPECT_EQ(weights[0], 0.0F);
    EXPECT_NEAR(weights[2], sigmoid(2.0F), 1e-6F);
    EXPECT_NEAR(weights[3], sigmoid(2.0F), 1e-6F);
    EXPECT_NEAR(weights[5], sigmoid(1.5F), 1e-6F);
}

TEST(ExpertRouting, sigmoidWithoutBias_isNotNormalised_givesTheSigmoids) {
    ExpertSpec one = spec(3, 1);
    one.scoring = ExpertScoring::Sigmoid;
    one.normaliseWeights = false;
    EXPECT_NEAR(weightsOf(routed(one, {{-2.0F, -1.0F, -3.0F}}), 3, 0)[1], sigmoid(-1.0F), 1e-6F);
}

TEST(ExpertRouting, sparseMixer_sharesTheWeightAmongNearTiesOnly) {
    ExpertSpec two = spec(4, 2);
    two.scoring = ExpertScoring::SparseMixer;
    two.jitter = 0.01F;
    // Experts up to 2 % below the best are included: 1.97 is within that limit, 1.9 is not.
    const auto near = weightsOf(routed(two, {{2.0F, 1.97F, 1.9F, -1.0F}}), 4, 0);
    EXPECT_NEAR(near[0], 1.0F / (1.0F + std::exp(-0.03F)), 1e-6F);
    EXPECT_NEAR(near[1], 1.0F, 1e-6F);
    // The share of the second expert does not include the first one.
    const auto far = weightsOf(routed(two, {{3.0F, 1.0F, 0.99F, -1.0F}}), 4, 0);
    EXPECT_NEAR(far[0], 1.0F, 1e-6F);
    EXPECT_NEAR(far[1], 1.0F / (1.0F + std::exp(-0.01F)), 1e-6F);
}

TEST(ExpertRouting, manyRows_areGroupedAscending_andRoutedAgain) {
    RandomStream random(3, 3);
    auto routing = ExpertRouting::create(spec(16, 4), 50).value();
    for (const std::int64_t tokens : {std::int64_t{50}, std::int64_t{1}, std::int64_t{0}}) {
        for (std::int64_t i = 0; i < tokens * 16; ++i)
            routing.logits()[i] = static_cast<float>(random.normal());
        routing.route(tokens);
        std::int64_t total = 0;
        for (int expert = 0; expert < 16; ++expert) {
            const auto uses = routing.usesOf(expert);
            total += static_cast<std::int64_t>(uses.size());
            for (std::size_t i = 1; i < uses.size(); ++i) EXPECT_LT(uses[i - 1].row, uses[i].row);
        }
        EXPECT_EQ(total, tokens * 4);
    }
}

}  // namespace
}  // namespace lacuna::test
