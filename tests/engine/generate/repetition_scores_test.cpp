// Attention scores of a repetition of the text: against plain double loops over the queries and
// keys of a model, in one piece and in several, and the failures that prevent it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/generate/compaction_inputs.h"
#include "engine/generate/prompt.h"
#include "engine/generate/text_pass.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/model/model_cache.h"
#include "tests/support/generation_stage.h"
#include "tests/support/random_model.h"

namespace lacuna::test {
namespace {

/// A model with random weights and a text of random printable bytes.
struct RandomStage {
    explicit RandomStage(int tokens, int context = 2048) {
        spec = smallSpec();
        spec.context = context;
        model = Transformer::create(makeRandomModel(spec, DType::F32).value(), pool,
                                    {.precision = Precision::Exact, .maxTokens = 512})
                    .value();
        for (int i = 0; i < tokens; ++i) text.push_back(3 + 32 + (i * i * 31 + i * 7) % 90);
    }
    [[nodiscard]] QueryRequest request(int turn = 0) {
        return {.source = QuerySource::Repeat,
                .shape = {spec.layers, spec.heads, spec.kvHeads, spec.headDim},
                .seed = 3,
                .end = Position(static_cast<std::int32_t>(text.size())),
                .turn = Position(turn),
                .scoredOn = &pool};
    }
    [[nodiscard]] QueryPass pass(int chunk = 64) {
        return {.model = model.get(), .tokens = text, .type = DType::F32, .chunk = chunk};
    }

    ThreadPool pool{2};
    ModelSpec spec;
    std::unique_ptr<Transformer> model;
    std::vector<TokenId> text;
};

/// Records every query by layer and position.
class Recorder final : public QueryObserver {
  public:
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override {
        const std::int64_t width = queries.extent(1) * queries.extent(2);
        for (std::int64_t i = 0; i < queries.extent(0); ++i) {
            const float* row = queries.data() + i * width;
            rows[{layer.value, static_cast<int>(first.value + i)}].assign(row, row + width);
        }
    }
    std::map<std::pair<int, int>, std::vector<float>> rows;
};

/// Reference u, [tokens]: the largest attention of the queries from `from` on, in double, over all
/// keys up to their own.
std::vector<double> naiveScores(const RandomStage& stage, const Recorder& asked,
                                const KvCache& cache, int layer, int kvHead, int from,
                                std::size_t tokens) {
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(kvHead));
    const int dim = stage.spec.headDim;
    const int group = stage.spec.heads / stage.spec.kvHeads;
    std::vector<float> keys(static_cast<std::size_t>(view.slots * dim));
    readKeys(view, dim, 0, view.slots, keys.data());
    std::vector<double> most(tokens, 0.0);
    for (int at = from; at < view.slots; ++at)
        for (int g = 0; g < group; ++g) {
            const float* query = asked.rows.at({layer, at}).data() + (kvHead * group + g) * dim;
            std::vector<double> weights;
            double sum = 0;
            for (int j = 0; j <= at; ++j) {
                double dot = 0;
                for (int d = 0; d < dim; ++d)
                    dot += static_cast<double>(query[d]) *
                           static_cast<double>(keys[static_cast<std::size_t>(j * dim + d)]);
                weights.push_back(std::exp(dot / std::sqrt(static_cast<double>(dim))));
                sum += weights.back();
            }
            for (std::size_t j = 0; j < tokens; ++j) most[j] = std::max(most[j], weights[j] / sum);
        }
    return most;
}

void expectNaive(RandomStage& stage, const ReconstructionScores& scores, std::size_t tokens) {
    const std::vector<ChatMessage> asked{{"user", "Repeat the text above, word for word."}};
    std::vector<TokenId> all = stage.text;
    auto instruction = promptTokens(stage.model->model(), asked).value();
    if (instruction.front() == *stage.model->model().tokenizer.data().bos)
        instruction.erase(instruction.begin());
    all.insert(all.end(), instruction.begin(), instruction.end());
    const int from = static_cast<int>(all.size()) - 1;
    all.insert(all.end(), stage.text.begin(),
               stage.text.begin() + static_cast<std::ptrdiff_t>(tokens));
    const auto cache = makeSlotCache({.layers = stage.spec.layers,
                                      .kvHeads = stage.spec.kvHeads,
                                      .keyDim = stage.spec.headDim,
                                      .valueDim = stage.spec.headDim,
                                      .type = DType::F32})
                           .value();
    Recorder recorder;
    for (std::size_t at = 0; at < all.size(); at += 500) {
        const BatchRun run{
            .tokens = std::span(all).subspan(at, std::min<std::size_t>(500, all.size() - at)),
            .cache = cache.get(),
            .logits = LogitsFor::None,
            .observer = &recorder};
        ASSERT_TRUE(stage.model->forward({&run, 1}, {}));
    }
    for (int layer = 0; layer < stage.spec.layers; ++layer)
        for (int head = 0; head < stage.spec.kvHeads; ++head) {
            const auto naive = naiveScores(stage, recorder, *cache, layer, head, from, tokens);
            const auto found = scores.of(LayerIndex(layer), HeadIndex(head));
            ASSERT_EQ(found.size(), tokens);
            for (std::size_t j = 0; j < tokens; ++j)
                EXPECT_NEAR(static_cast<double>(found[j]), naive[j], 1e-4)
                    << layer << " " << head << " " << j;
        }
}

TEST(RepetitionScores, onePiece_equalsAPlainComputationOverTheQueries) {
    RandomStage stage(150);
    for (const int chunk : {64, 7}) {
        const auto reading = readText(stage.request(), stage.pass(chunk));
        ASSERT_TRUE(reading) << reading.error().what;
        ASSERT_NE(reading->scores, nullptr);
        EXPECT_EQ(reading->scores->pieces, 1);
        expectNaive(stage, *reading->scores, stage.text.size());
        // The queries of this pass also serve a fit: every token of the text and the last one of
        // the instruction.
        EXPECT_EQ(reading->queries.tokens(), 151);
    }
}

TEST(RepetitionScores, copyOfTheFullCache_replacesReadingTheText) {
    RandomStage stage(150);
    const auto cache = makeFullCache(stage.spec, DType::F32).value();
    const BatchRun read{.tokens = stage.text, .cache = cache.get(), .logits = LogitsFor::None};
    ASSERT_TRUE(stage.model->forward({&read, 1}, {}));
    const auto passesWith = [&](KvCache* full) {
        QueryPass pass = stage.pass(64);
        pass.full = full;
        const auto text = TextPass::begin(stage.request(), pass).value();
        int passes = 0;
        for (; !text->done(); ++passes) EXPECT_TRUE(text->step(pass));
        expectNaive(stage, *text->take().scores, stage.text.size());
        return passes;
    };
    EXPECT_EQ(passesWith(cache.get()), passesWith(nullptr) - 3) << "150 tokens in chunks of 64";
    EXPECT_EQ(cache->offset().value, 150) << "the cache itself is unchanged";
    const auto shorter = cache->clone().value();
    ASSERT_TRUE(shorter->rollback(1));
    EXPECT_EQ(passesWith(shorter.get()), passesWith(nullptr));
}

TEST(RepetitionScores, newestTurn_isReadButNotRepeated) {
    RandomStage stage(150);
    const auto reading = readText(stage.request(110), stage.pass());
    ASSERT_TRUE(reading) << reading.error().what;
    EXPECT_EQ(reading->scores->tokens, 110);
    expectNaive(stage, *reading->scores, 110);
}

// Holds for interruptions within any chunk. Chunks of another size would round differently.
TEST(RepetitionScores, chunkedPass_equalsTheSinglePass) {
    RandomStage stage(150, 380);
    for (const int chunk : {64, 17, 7}) {
        const auto atOnce = readText(stage.request(), stage.pass(chunk));
        ASSERT_TRUE(atOnce) << atOnce.error().what;
        ASSERT_GT(atOnce->scores->pieces, 1);
        RandomStream random(static_cast<std::uint64_t>(chunk), 0);
        const auto text = TextPass::begin(stage.request(), stage.pass(chunk)).value();
        double share = 0;
        int brokenOff = 0;
        while (!text->done()) {
            QueryPass pass = stage.pass(chunk);
            if (random.below(2) == 0) {
                int asked = 0;
                pass.cancelled = [&] { return ++asked > 1; };
                const Status status = text->step(pass);
                if (!status) {
                    EXPECT_EQ(status.error().code, ErrorCode::Cancelled);
                    EXPECT_EQ(text->share(), share);
                    ++brokenOff;
                }
            } else {
                ASSERT_TRUE(text->step(pass));
                EXPECT_GT(text->share(), share);
            }
            share = text->share();
        }
        EXPECT_GT(brokenOff, 0);
        EXPECT_EQ(share, 1.0);
        const TextReading reading = text->take();
        EXPECT_EQ(reading.scores->pieces, atOnce->scores->pieces);
        EXPECT_EQ(reading.scores->shares, atOnce->scores->shares);
        for (int layer = 0; layer < stage.spec.layers; ++layer)
            EXPECT_EQ(reading.queries.gather(LayerIndex(layer), HeadIndex(1), 1 << 20),
                      atOnce->queries.gather(LayerIndex(layer), HeadIndex(1), 1 << 20));
    }
}

/// A fake model with one token per byte, whose queries and keys do not depend on the position.
struct FakeStage {
    explicit FakeStage(int length, int context) {
        options.context = context;
        options.tellingQueries = true;
        model = std::make_unique<FakeTransformer>(fakeLoadedModel(options), options);
        text = prompt(length);
    }
    [[nodiscard]] Result<TextReading> read(const std::function<void(QueryPass&)>& change = {}) {
        QueryPass pass{.model = model.get(), .tokens = text, .chunk = 64};
        if (change) change(pass);
        return queryReader(pass)(
            {.source = QuerySource::Repeat,
             .shape = {options.layers, options.heads, options.kvHeads, options.headDim},
             .seed = 3,
             .end = Position(static_cast<std::int32_t>(text.size())),
             .scoredOn = &pool});
    }
    ThreadPool pool{1};
    FakeModelOptions options;
    std::unique_ptr<FakeTransformer> model;
    std::vector<TokenId> text;
};

TEST(RepetitionScores, longText_isRepeatedInPiecesThatFitTheContext) {
    FakeStage wide(600, 4096);
    FakeStage narrow(600, 1024);
    const auto whole = wide.read();
    const auto pieces = narrow.read();
    ASSERT_TRUE(whole && pieces) << pieces.error().what;
    EXPECT_EQ(whole->scores->pieces, 1);
    EXPECT_GE(pieces->scores->pieces, 2);
    EXPECT_EQ(pieces->scores->tokens, 600);
    EXPECT_EQ(pieces->queries.tokens(), 600 + pieces->scores->pieces);
    // Twice the text exceeds the context of the narrow model.
    EXPECT_GT(2 * 600, narrow.options.context);
    for (const auto& one : {whole, pieces})
        for (const float share : one->scores->shares) {
            EXPECT_GE(share, 0.0F);
            EXPECT_LE(share, 1.0001F);
        }
}

TEST(RepetitionScores, impossiblePass_reportsWhy) {
    FakeStage full(1000, 1024);
    const auto tooLong = full.read();
    ASSERT_FALSE(tooLong);
    EXPECT_EQ(tooLong.error().code, ErrorCode::ContextFull);
    EXPECT_NE(tooLong.error().what.find("1024"), std::string::npos) << tooLong.error().what;
    FakeStage stage(300, 1024);
    const auto noRoom = stage.read([](QueryPass& pass) { pass.maxBytes = 1000; });
    ASSERT_FALSE(noRoom);
    EXPECT_EQ(noRoom.error().code, ErrorCode::NoMemory);
    EXPECT_NE(noRoom.error().what.find("cache_limit"), std::string::npos) << noRoom.error().what;
    int asked = 0;
    const auto stopped =
        stage.read([&](QueryPass& pass) { pass.cancelled = [&] { return ++asked > 12; }; });
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::Cancelled) << "in the midst of it";
    EXPECT_TRUE(stage.read());
}

}  // namespace
}  // namespace lacuna::test
