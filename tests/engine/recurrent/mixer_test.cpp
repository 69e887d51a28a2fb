#include "engine/recurrent/mixer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mixer_fixture.h"

namespace lacuna::test {
namespace {

struct TextRun {
    Numbers out;
    Numbers matrix;
};

/// Runs a text in pieces of these lengths; the last length repeats.
TextRun runInPieces(const MixerWeights& weights, const Numbers& columns, const Numbers& gates,
                    std::int64_t tokens, const std::vector<std::int64_t>& pieces,
                    ThreadPool* pool) {
    const MixerShape& s = weights.shape;
    TextRun text;
    text.out.resize(static_cast<std::size_t>(s.outputs() * tokens));
    text.matrix.resize(static_cast<std::size_t>(s.matrixNumbers()));
    // Columns before the text are zeros.
    Numbers all(static_cast<std::size_t>(s.historyNumbers()));
    all.insert(all.end(), columns.begin(), columns.end());
    std::size_t piece = 0;
    for (std::int64_t from = 0; from < tokens;) {
        const std::int64_t count = std::min(pieces[piece], tokens - from);
        if (piece + 1 < pieces.size()) ++piece;
        Numbers scratch(static_cast<std::size_t>(mixerScratch(s, count)));
        const float* const history = all.data() + from * s.channels();
        runMixer(weights,
                 {.history = history,
                  .columns = history + s.historyNumbers(),
                  .gates = gates.data() + from * s.gates(),
                  .matrix = text.matrix.data(),
                  .out = text.out.data() + from * s.outputs(),
                  .tokens = count},
                 scratch, pool);
        from += count;
    }
    return text;
}

class Mixers : public testing::TestWithParam<MixerShape> {
  protected:
    void SetUp() override {
        RandomStream random(7, 2);
        weights = randomWeights(GetParam(), 3);
        columns = randomNumbers(random, GetParam().channels() * kTokens);
        gates = randomGates(random, GetParam(), kTokens);
    }
    static constexpr std::int64_t kTokens = 75;
    MixerWeights weights;
    Numbers columns;
    Numbers gates;
};

TEST_P(Mixers, textFromAnEmptyState_equalsTheOracle) {
    const TextRun text = runInPieces(weights, columns, gates, kTokens, {kTokens}, nullptr);
    const OracleResult expected = oracleMixer(weights, columns, gates, kTokens);
    ASSERT_EQ(text.out.size(), expected.out.size());
    for (std::size_t i = 0; i < text.out.size(); ++i)
        ASSERT_NEAR(text.out[i], expected.out[i], 2e-5 * std::max(1.0, std::abs(expected.out[i])));
    for (std::size_t i = 0; i < text.matrix.size(); ++i)
        ASSERT_NEAR(text.matrix[i], expected.matrix[i],
                    2e-5 * std::max(1.0, std::abs(expected.matrix[i])));
}

TEST_P(Mixers, anyDivisionIntoRunsAndThreads_givesTheSameBits) {
    const TextRun whole = runInPieces(weights, columns, gates, kTokens, {kTokens}, nullptr);
    ThreadPool pool(3);
    for (const auto& pieces : std::vector<std::vector<std::int64_t>>{
             {1}, {2, 1, 5}, {33, 31, 1}, {kMixerPiece}, {kTokens}}) {
        for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
            const TextRun text = runInPieces(weights, columns, gates, kTokens, pieces, threads);
            EXPECT_EQ(text.out, whole.out);
            EXPECT_EQ(text.matrix, whole.matrix);
        }
    }
}

TEST_P(Mixers, runWithoutOutput_updatesTheStateEqually) {
    const TextRun whole = runInPieces(weights, columns, gates, kTokens, {kTokens}, nullptr);
    const MixerShape& s = GetParam();
    const Numbers history(static_cast<std::size_t>(s.historyNumbers()));
    Numbers matrix(static_cast<std::size_t>(s.matrixNumbers()));
    Numbers scratch(static_cast<std::size_t>(mixerScratch(s, kTokens)));
    runMixer(weights,
             {.history = history.data(),
              .columns = columns.data(),
              .gates = gates.data(),
              .matrix = matrix.data(),
              .out = nullptr,
              .tokens = kTokens},
             scratch, nullptr);
    EXPECT_EQ(matrix, whole.matrix);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Mixers, testing::ValuesIn(sampleShapes()));

TEST(MixerShape, sizesThatDoNotFit_areRefusedByName) {
    const auto refusal = [](const MixerShape& shape) {
        const Status status = shape.check();
        return status ? std::string() : describe(status.error());
    };
    MixerShape shape = sampleShapes()[1];
    EXPECT_EQ(refusal(shape), "");
    shape.valueHeads = 5;
    EXPECT_NE(refusal(shape).find("value heads is 5"), std::string::npos);
    shape = sampleShapes()[0];
    shape.kernel = 0;
    EXPECT_NE(refusal(shape).find("convolution's width is 0"), std::string::npos);
    shape = sampleShapes()[3];
    shape.valueHeads = 6;
    EXPECT_NE(refusal(shape).find("value heads is 6"), std::string::npos);
}

}  // namespace
}  // namespace lacuna::test
