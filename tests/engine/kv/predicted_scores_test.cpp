// Scores predicted by linear maps against the same sums in double, and the state after a rollback
// or a restart at another position.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/random.h"
#include "engine/kv/eviction/reconstruction_surrogate.h"

namespace lacuna::test {
namespace {

constexpr int kLayers = 3;
constexpr int kHeads = 2;
constexpr int kHidden = 37;  // not a multiple of the lanes

std::shared_ptr<const ReconstructionSurrogate> surrogate() {
    RandomStream random(5, 1);
    auto made = std::make_shared<ReconstructionSurrogate>();
    made->layers = kLayers;
    made->kvHeads = kHeads;
    made->hidden = kHidden;
    for (int i = 0; i < kLayers * kHeads * kHidden; ++i)
        made->weights.push_back(static_cast<float>(0.3 * random.normal()));
    for (int i = 0; i < kLayers * kHeads; ++i)
        made->bias.push_back(static_cast<float>(random.normal() - 2));
    return made;
}

float input(int layer, int token, int i) {
    return static_cast<float>(
        RandomStream(7, static_cast<std::uint64_t>((layer * 1000 + token) * 100 + i)).normal());
}

void show(PredictedScores& scores, int layer, int first, int tokens) {
    std::vector<float> rows;
    for (int t = first; t < first + tokens; ++t)
        for (int i = 0; i < kHidden; ++i) rows.push_back(input(layer, t, i));
    scores.observeInputs(LayerIndex(layer), {rows.data(), {tokens, kHidden}}, Position(first));
}

void showAll(PredictedScores& scores, int first, int tokens) {
    for (int layer = 0; layer < kLayers; ++layer) show(scores, layer, first, tokens);
}

TEST(PredictedScores, anyChunks_giveExponentialsOfLinearMaps) {
    const auto map = surrogate();
    PredictedScores scores(map);
    showAll(scores, 0, 5);
    showAll(scores, 5, 1);
    showAll(scores, 6, 14);
    ASSERT_EQ(scores.tokens(), 20);
    const ReconstructionScores found = scores.scores(18);
    ASSERT_EQ(found.tokens, 18);
    for (int layer = 0; layer < kLayers; ++layer)
        for (int head = 0; head < kHeads; ++head) {
            const auto shares = found.of(LayerIndex(layer), HeadIndex(head));
            for (int t = 0; t < 18; ++t) {
                double sum = map->bias[static_cast<std::size_t>(layer * kHeads + head)];
                for (int i = 0; i < kHidden; ++i)
                    sum += static_cast<double>(map->weightsOf(layer, head)[i]) *
                           static_cast<double>(input(layer, t, i));
                EXPECT_NEAR(shares[static_cast<std::size_t>(t)], std::exp(std::min(sum, 0.0)), 1e-5)
                    << layer << ' ' << head << ' ' << t;
            }
        }
}

TEST(PredictedScores, rollback_usesTheNewTokens) {
    PredictedScores scores(surrogate());
    showAll(scores, 0, 12);
    scores.dropFrom(Position(4));
    EXPECT_EQ(scores.tokens(), 4);
    showAll(scores, 4, 3);
    PredictedScores straight(surrogate());
    showAll(straight, 0, 7);
    EXPECT_EQ(scores.scores(7).shares, straight.scores(7).shares);
}

TEST(PredictedScores, repeatedToken_isCountedOnce) {
    PredictedScores scores(surrogate());
    showAll(scores, 0, 6);
    show(scores, 0, 6, 2);  // a pass that was cancelled after its first layer
    EXPECT_EQ(scores.tokens(), 6);
    showAll(scores, 6, 2);
    PredictedScores straight(surrogate());
    showAll(straight, 0, 8);
    EXPECT_EQ(scores.scores(8).shares, straight.scores(8).shares);
}

TEST(PredictedScores, textWithoutItsStart_hasNoScores) {
    PredictedScores scores(surrogate());
    showAll(scores, 3, 5);
    EXPECT_EQ(scores.tokens(), 0);
    showAll(scores, 0, 2);
    showAll(scores, 5, 5);
    EXPECT_EQ(scores.tokens(), 2);
}

}  // namespace
}  // namespace lacuna::test
