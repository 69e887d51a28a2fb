// Query passes over a conversation: the tokens and positions they use, and that they leave the
// conversation unchanged. The queries of the fake model encode position and token.

#include "engine/generate/text_pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/generate/compaction_inputs.h"
#include "engine/generate/prompt.h"
#include "engine/kv/eviction/expected_attention.h"
#include "engine/model/model_cache.h"
#include "tests/support/generation_stage.h"
#include "tests/support/random_families.h"
#include "tests/support/random_model.h"

namespace lacuna {
namespace {

using test::FakeModelOptions;
using test::FakeTransformer;

FakeModelOptions telling() {
    FakeModelOptions options;
    options.context = 1024;
    options.tellingQueries = true;
    return options;
}

struct PassStage {
    explicit PassStage(int length)
        : options(telling()),
          model(test::fakeLoadedModel(options), options),
          tokens(test::prompt(length)) {}

    [[nodiscard]] QueryRequest request(QuerySource source, int turn = 0) const {
        return {.source = source,
                .shape = {options.layers, options.heads, options.kvHeads, options.headDim},
                .seed = 3,
                .end = Position(static_cast<std::int32_t>(tokens.size())),
                .turn = Position(turn)};
    }
    [[nodiscard]] QueryPass pass(int chunk = 32) {
        return {.model = &model, .tokens = tokens, .chunk = chunk};
    }

    FakeModelOptions options;
    FakeTransformer model;
    std::vector<TokenId> tokens;
};

Result<ReferenceQueries> passForQueries(const QueryRequest& request, const QueryPass& pass) {
    LACUNA_TRY(TextReading reading, readText(request, pass));
    return std::move(reading.queries);
}

/// Returns position and token of every query of a head.
std::vector<std::pair<int, int>> told(const ReferenceQueries& queries, int layer = 1,
                                      int head = 1) {
    const auto rows = queries.gather(LayerIndex(layer), HeadIndex(head), 1 << 20);
    const auto dim = static_cast<std::size_t>(queries.shape().keyDim);
    std::vector<std::pair<int, int>> out;
    for (std::size_t at = 0; at < rows.size(); at += 2 * dim)  // two query heads share a KV head
        out.emplace_back(static_cast<int>(rows[at]), static_cast<int>(rows[at + 1]));
    return out;
}

TEST(QueryPass, context_samplesEveryTokenAtItsPosition) {
    PassStage stage(100);
    const auto queries = passForQueries(stage.request(QuerySource::Context), stage.pass());
    ASSERT_TRUE(queries) << queries.error().what;
    const auto asked = told(*queries);
    ASSERT_EQ(asked.size(), 100U);
    for (std::size_t i = 0; i < asked.size(); ++i)
        EXPECT_EQ(asked[i], std::pair(static_cast<int>(i), stage.tokens[i]));
}

TEST(QueryPass, context_ofSeveralTurns_samplesTheNewestTurnOnly) {
    PassStage stage(100);
    const auto queries = passForQueries(stage.request(QuerySource::Context, 70), stage.pass());
    const auto asked = told(*queries);
    ASSERT_EQ(asked.size(), 30U);
    EXPECT_EQ(asked.front(), std::pair(70, stage.tokens[70]));
}

TEST(QueryPass, repeat_samplesTheSecondReadingOnly) {
    PassStage stage(100);
    const auto queries = passForQueries(stage.request(QuerySource::Repeat), stage.pass());
    ASSERT_TRUE(queries) << queries.error().what;
    const auto asked = told(*queries);
    ASSERT_EQ(asked.size(), 100U);
    EXPECT_GT(asked.front().first, 110) << "the instruction stands between the two";
    for (std::size_t i = 0; i < asked.size(); ++i) {
        EXPECT_EQ(asked[i].first, asked.front().first + static_cast<int>(i));
        EXPECT_EQ(asked[i].second, stage.tokens[i]);
    }
}

TEST(QueryPass, repeat_ofSeveralTurns_doesNotRepeatTheNewestTurn) {
    PassStage stage(100);
    const auto asked = told(*passForQueries(stage.request(QuerySource::Repeat, 70), stage.pass()));
    ASSERT_EQ(asked.size(), 70U);
    EXPECT_EQ(asked.back().second, stage.tokens[69]);
}

// SmolLM2's begin-of-text token is the token that begins every message. Without it the instruction
// is not a message.
TEST(QueryPass, instruction_keepsTheTokenThatBeginsEveryMessage) {
    PassStage stage(100);
    const auto plain = test::fakeLoadedModel(stage.options);
    TokenizerData data = plain->tokenizer.data();
    data.bos = *plain->tokenizer.data().eos - 1;  // <|im_start|>
    const auto own = std::make_shared<const LoadedModel>(
        LoadedModel{.path = "own",
                    .spec = plain->spec,
                    .weights = {},
                    .tokenizer = Tokenizer::create(std::move(data)).value(),
                    .templateText = std::nullopt,
                    .chatTemplate = ChatTemplate::builtin("chatml").value(),
                    .templateNote = "",
                    .source = nullptr});
    FakeTransformer model(own, stage.options);
    QueryPass pass = stage.pass();
    const auto without = told(*passForQueries(stage.request(QuerySource::Repeat), pass));
    pass.model = &model;
    const auto with = told(*passForQueries(stage.request(QuerySource::Repeat), pass));
    EXPECT_EQ(with.front(), without.front());
}

TEST(QueryPass, sampleOfALongText_isUniform_andIndependentOfChunks) {
    PassStage stage(400);
    QueryRequest request = stage.request(QuerySource::Context);
    request.shape.kvHeads = 1;  // all four heads share one KV head, so that fewer tokens are kept
    const auto keep = ReferenceQueries(request.shape, 3, 0).capacityTokens();
    EXPECT_EQ(keep, 512);
    const auto small = passForQueries(request, stage.pass(7));
    const auto large = passForQueries(request, stage.pass(200));
    EXPECT_EQ(told(*small, 0, 0), told(*large, 0, 0));
    // The newest tokens have at most their share of the queries for a fit.
    const auto rows = small->gather(LayerIndex(0), HeadIndex(0), 4 * 100);
    int late = 0;
    for (std::size_t at = 0; at < rows.size(); at += 4 * 8) late += rows[at] >= 336 ? 1 : 0;
    EXPECT_EQ(rows.size(), 100U * 4 * 8);
    EXPECT_LT(late, 30) << "64 of 400 tokens are the newest";
    EXPECT_GT(late, 5);
}

TEST(QueryPass, impossiblePass_reportsWhy) {
    PassStage stage(600);
    const auto tooLong = passForQueries(stage.request(QuerySource::Repeat), stage.pass());
    ASSERT_FALSE(tooLong);
    EXPECT_EQ(tooLong.error().code, ErrorCode::ContextFull);
    EXPECT_NE(tooLong.error().what.find("1024"), std::string::npos) << tooLong.error().what;
    QueryPass small = stage.pass();
    small.maxBytes = 1000;
    const auto noRoom = passForQueries(stage.request(QuerySource::Context), small);
    ASSERT_FALSE(noRoom);
    EXPECT_EQ(noRoom.error().code, ErrorCode::NoMemory);
    EXPECT_NE(noRoom.error().what.find("cache_limit"), std::string::npos) << noRoom.error().what;
    QueryPass stopped = stage.pass();
    stopped.cancelled = [] { return true; };
    const auto broken = passForQueries(stage.request(QuerySource::Context), stopped);
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().code, ErrorCode::Cancelled);
}

// In the first layer a token has the same unrotated query at every position, so undoing the
// rotation must give equal queries. This checks the known rotation of each family against its
// forward pass.
TEST(CompactorModelRotation, queriesOfEveryFamily_areRotatedBack) {
    int turning = 0;
    int partly = 0;
    for (std::uint64_t seed = 0; seed < 4; ++seed)
        for (const std::string_view family : test::kFamilies) {
            test::FamilyDice dice(seed * 31 + family.size());
            const ModelSpec spec = dice.spec(family, 1);
            const CompactorModel known = compactorModel(spec, 0, {});
            if (spec.layer(0).sliding || known.rotation.variesWithLength) continue;
            const auto model = test::makeRandomModel(spec, DType::F32, 5).value();
            ThreadPool pool(1);
            const auto transformer =
                Transformer::create(model, pool, {.precision = Precision::Exact, .maxTokens = 40})
                    .value();
            const auto cache = makeFullCache(spec, DType::F32).value();
            ExpectedAttention expected(
                *cache, {.heads = known.heads, .scaling = {}, .rotation = known.rotation}, pool);
            const std::vector<TokenId> tokens(40, TokenId{7});
            const BatchRun run{.tokens = tokens,
                               .cache = cache.get(),
                               .logits = LogitsFor::None,
                               .observer = &expected};
            ASSERT_TRUE(transformer->forward({&run, 1}, {})) << family;
            const QueryMoments moments = expected.moments(LayerIndex(0), known.heads - 1);
            double square = 0;
            double spread = 0;
            for (std::size_t i = 0; i < moments.mean.size(); ++i) {
                square +=
                    static_cast<double>(moments.mean[i]) * static_cast<double>(moments.mean[i]);
                spread +=
                    std::abs(static_cast<double>(moments.covariance[i * moments.mean.size() + i]));
            }
            EXPECT_LT(spread, 1e-6 * square) << family << " seed " << seed;
            turning += known.rotation.layersWithoutRotation.empty() ? 1 : 0;
            partly += spec.rope.dim < spec.headDim ? 1 : 0;
        }
    EXPECT_GT(turning, 10);
    EXPECT_GT(partly, 0);
}

}  // namespace
}  // namespace lacuna
