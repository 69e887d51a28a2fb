// Models with recurrent layers: their states against Hugging Face transformers, rollback, copies,
// saved bytes, speculation, and several sequences in a pass.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/state/state_store.h"
#include "engine/model/model_cache.h"
#include "engine/model/transformer.h"
#include "tests/support/folder_names.h"
#include "tests/support/npy_file.h"

namespace lacuna::test {
namespace {

namespace fs = std::filesystem;

struct Case {
    std::string model;
    std::string file;  ///< path within the model's folder; empty = the folder itself
};

fs::path folderOf(const std::string& model) {
    return fs::path(LACUNA_GOLDEN_DIR) / "models-2026" / model;
}

std::vector<TokenId> promptOf(const std::string& model) {
    const auto text = readFile(folderOf(model) / "golden.json", 1U << 20U).value();
    return parseJson(text).value()["prompt"].get<std::vector<TokenId>>();
}

class RecurrentModel : public testing::TestWithParam<Case> {
  protected:
    void SetUp() override {
        auto loaded = loadModel(folderOf(GetParam().model) / GetParam().file);
        ASSERT_TRUE(loaded) << describe(loaded.error());
        model_ = *loaded;
        transformer_ =
            Transformer::create(model_, pool_, {.precision = Precision::Exact, .maxTokens = 256})
                .value();
        prompt_ = promptOf(GetParam().model);
        options_.type = DType::F32;
    }
    [[nodiscard]] std::unique_ptr<KvCache> emptyCache() const {
        return makeModelCache(*model_, options_).value();
    }
    std::vector<float> feed(KvCache& cache, std::span<const TokenId> tokens) {
        const BatchRun run{tokens, &cache, LogitsFor::LastToken, nullptr};
        const auto out = transformer_->forward({&run, 1}, {});
        EXPECT_TRUE(out.has_value()) << (out ? "" : describe(out.error()));
        cache.checkInvariants();
        return out ? std::vector<float>(out->data(), out->data() + out->size())
                   : std::vector<float>();
    }
    /// Returns the logits after `tokens` more tokens of a cache that has read nothing before.
    std::vector<float> fresh(std::span<const TokenId> tokens) {
        const auto cache = emptyCache();
        return feed(*cache, tokens);
    }

    ThreadPool pool_{2};
    std::shared_ptr<const LoadedModel> model_;
    std::unique_ptr<Transformer> transformer_;
    std::vector<TokenId> prompt_;
    KvOptions options_;
};

/// The row of a head in the golden file, which has the order of the safetensors.
int goldenHead(const MixerShape& shape, int head) {
    if (shape.order == ValueHeadOrder::Grouped) return head;
    const int each = shape.valueHeads / shape.keyHeads;
    return head % shape.keyHeads * each + head / shape.keyHeads;
}

/// Returns the state in the order of the golden file: columns, then matrices.
std::vector<float> inGoldenOrder(const LayerState& state, const MixerShape& shape) {
    std::vector<float> out = state.history;
    const auto channels = static_cast<std::size_t>(shape.channels());
    const auto values = channels - static_cast<std::size_t>(shape.valueHeads) *
                                       static_cast<std::size_t>(shape.valueDim);
    const std::size_t rows = channels == 0 ? 0 : state.history.size() / channels;
    const auto matrix = static_cast<std::size_t>(shape.keyDim * shape.valueDim);
    out.resize(out.size() + state.matrix.size());
    for (int head = 0; head < shape.valueHeads; ++head) {
        const auto from = static_cast<std::size_t>(head);
        const auto to = static_cast<std::size_t>(goldenHead(shape, head));
        std::copy_n(state.matrix.begin() + static_cast<std::ptrdiff_t>(from * matrix), matrix,
                    out.begin() + static_cast<std::ptrdiff_t>(state.history.size() + to * matrix));
        if (shape.order == ValueHeadOrder::Grouped) continue;
        const auto dim = static_cast<std::size_t>(shape.valueDim);
        for (std::size_t row = 0; row < rows; ++row)
            std::copy_n(
                state.history.begin() +
                    static_cast<std::ptrdiff_t>(row * channels + values + from * dim),
                dim, out.begin() + static_cast<std::ptrdiff_t>(row * channels + values + to * dim));
    }
    return out;
}

TEST_P(RecurrentModel, prompt_states_equalTransformers) {
    const NpyMatrix golden = readNpyMatrix(folderOf(GetParam().model) / "states.npy").value();
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{17}, prompt_.size()}) {
        const auto cache = emptyCache();
        for (std::size_t at = 0; at < prompt_.size(); at += chunk)
            feed(*cache, std::span(prompt_).subspan(at, std::min(chunk, prompt_.size() - at)));
        const StateStore& states = *cache->states();
        ASSERT_EQ(static_cast<std::size_t>(states.layers()), golden.rows);
        for (int layer = 0; layer < states.layers(); ++layer) {
            const auto found = inGoldenOrder(states.layer(layer),
                                             states.model()[static_cast<std::size_t>(layer)].shape);
            ASSERT_EQ(found.size(), golden.columns);
            const float* const expected = golden.row(static_cast<std::size_t>(layer));
            float largest = 0.0F;
            float worst = 0.0F;
            for (std::size_t i = 0; i < found.size(); ++i) {
                largest = std::max(largest, std::fabs(expected[i]));
                worst = std::max(worst, std::fabs(found[i] - expected[i]));
            }
            EXPECT_LE(worst, 1e-4F * std::max(largest, 1.0F)) << "layer " << layer;
        }
    }
}

TEST_P(RecurrentModel, rollback_nextLogits_equalThoseOfTheShorterText) {
    const auto cache = emptyCache();
    feed(*cache, prompt_);
    for (const int back : {1, 5, 20}) {
        ASSERT_LE(back, cache->capabilities().rollbackLimit);
        ASSERT_TRUE(cache->rollback(back));
        const auto left = static_cast<std::size_t>(cache->offset().value);
        const std::vector<TokenId> next{7, 300, 45};
        std::vector<TokenId> whole(prompt_.begin(),
                                   prompt_.begin() + static_cast<std::ptrdiff_t>(left));
        whole.insert(whole.end(), next.begin(), next.end());
        const auto logits = feed(*cache, next);
        const auto expected = fresh(whole);
        for (std::size_t i = 0; i < logits.size(); ++i)
            ASSERT_NEAR(logits[i], expected[i], 2e-4) << back;
        ASSERT_TRUE(cache->rollback(3));
    }
    ASSERT_TRUE(cache->rollback(1000));
    EXPECT_EQ(cache->offset(), Position(0));
    EXPECT_TRUE(cache->empty());
    EXPECT_EQ(feed(*cache, prompt_), fresh(prompt_));
}

TEST_P(RecurrentModel, rollback_beyondTheInputs_isRefusedWithTheReason) {
    const auto cache = emptyCache();
    std::vector<TokenId> text;
    while (text.size() < 200) text.insert(text.end(), prompt_.begin(), prompt_.end());
    feed(*cache, std::span(text).first(200));
    EXPECT_LT(cache->capabilities().rollbackLimit, 100);
    EXPECT_EQ(cache->tokensAgain(Position(40)), 40);
    const Status refused = cache->rollback(160);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    EXPECT_NE(describe(refused.error()).find("recurrent layers"), std::string::npos);
    EXPECT_EQ(cache->offset(), Position(200));
    cache->checkInvariants();
}

// The error of 8 bits is small beside the spread of the logits, and float32 has none.
TEST_P(RecurrentModel, checkpoints_continueExactlyInFloat32AndCloselyInEightBits) {
    std::vector<TokenId> text;
    while (text.size() < 200) text.insert(text.end(), prompt_.begin(), prompt_.end());
    text.resize(200);
    const auto expected = fresh(std::span(text).first(90));
    const auto [low, high] = std::ranges::minmax(expected);
    for (const StateType type : {StateType::Float32, StateType::Int8}) {
        const auto cache = emptyCache();
        cache->states()->limitCheckpoints({.bytes = 1 << 24, .type = type});
        ASSERT_TRUE(cache->states()->requestCheckpoint(80));
        feed(*cache, text);
        EXPECT_EQ(cache->stats().checkpointBytes, checkpointBytes(cacheModelOf(*model_), type));
        EXPECT_EQ(cache->tokensAgain(Position(90)), 10);
        ASSERT_TRUE(cache->rollback(120));
        const auto logits = feed(*cache, std::span(text).subspan(80, 10));
        float worst = 0.0F;
        for (std::size_t i = 0; i < logits.size(); ++i)
            worst = std::max(worst, std::fabs(logits[i] - expected[i]));
        EXPECT_LE(worst, type == StateType::Float32 ? 2e-4F : 0.05F * (high - low));
    }
}

TEST_P(RecurrentModel, copiesAndSavedBytes_continueEqually) {
    const auto cache = emptyCache();
    feed(*cache, std::span(prompt_).first(50));
    const auto twin = cache->share().value();
    const auto copy = cache->clone().value();
    const std::string bytes = cache->save().value();
    const KvChoice choice = cacheChoice(cacheModelOf(*model_), options_);
    auto loaded = loadCacheFor(bytes, choice);
    ASSERT_TRUE(loaded) << describe(loaded.error());
    const auto rest = std::span(prompt_).subspan(50);
    const auto expected = feed(*cache, rest);
    EXPECT_EQ(feed(*twin, rest), expected);
    EXPECT_EQ(feed(*copy, rest), expected);
    EXPECT_EQ(feed(**loaded, rest), expected);
    EXPECT_EQ((*loaded)->capabilities().rollbackLimit, cache->capabilities().rollbackLimit);
    EXPECT_GT(cache->stats().stateBytes, 0);
}

TEST_P(RecurrentModel, rejectedDrafts_leaveTheStatesOfTheAcceptedTokens) {
    const auto cache = emptyCache();
    feed(*cache, std::span(prompt_).first(40));
    for (std::size_t at = 40; at < 50; ++at) {
        ASSERT_TRUE(cache->speculation().begin(4));
        EXPECT_FALSE(cache->save().has_value());
        const std::vector<TokenId> drafts{prompt_[at], 11, 12, 13};
        feed(*cache, drafts);
        ASSERT_TRUE(cache->speculation().rewind(3));
        ASSERT_TRUE(cache->speculation().commit());
    }
    const auto logits = feed(*cache, std::span(prompt_).subspan(50));
    const auto expected = fresh(prompt_);
    for (std::size_t i = 0; i < logits.size(); ++i) ASSERT_NEAR(logits[i], expected[i], 2e-4);
}

TEST_P(RecurrentModel, cancelledStep_leavesTheCache) {
    const auto cache = emptyCache();
    feed(*cache, std::span(prompt_).first(30));
    for (int polls = 1; polls < 12; polls += 2) {
        int left = polls;
        const BatchRun run{std::span(prompt_).subspan(30, 5), cache.get(), LogitsFor::LastToken,
                           nullptr};
        const auto out =
            transformer_->forward({&run, 1}, {.cancelled = [&left] { return --left < 0; }});
        if (out) {
            ASSERT_TRUE(cache->rollback(5));
            break;
        }
        EXPECT_EQ(out.error().code, ErrorCode::Cancelled);
    }
    const auto logits = feed(*cache, std::span(prompt_).subspan(30));
    const auto expected = fresh(prompt_);
    for (std::size_t i = 0; i < logits.size(); ++i) ASSERT_NEAR(logits[i], expected[i], 2e-4);
}

TEST_P(RecurrentModel, severalSequencesInAPass_equalEachAlone) {
    const auto one = emptyCache();
    const auto other = emptyCache();
    const std::vector<TokenId> first(prompt_.begin(), prompt_.begin() + 20);
    const std::vector<TokenId> second(prompt_.begin() + 9, prompt_.begin() + 40);
    const BatchRun runs[] = {{first, one.get(), LogitsFor::LastToken, nullptr},
                             {second, other.get(), LogitsFor::LastToken, nullptr}};
    const auto out = transformer_->forward(runs, {});
    ASSERT_TRUE(out) << describe(out.error());
    const auto vocabulary = static_cast<std::size_t>(out->extent(1));
    const std::vector<float> together(out->data(), out->data() + out->size());
    const auto a = fresh(first);
    const auto b = fresh(second);
    for (std::size_t i = 0; i < vocabulary; ++i) {
        ASSERT_NEAR(together[i], a[i], 2e-4);
        ASSERT_NEAR(together[vocabulary + i], b[i], 2e-4);
    }
}

std::vector<Case> allCases() {
    std::vector<Case> cases;
    for (const std::string& model : foldersIn(fs::path(LACUNA_GOLDEN_DIR) / "models-2026")) {
        if (!fs::exists(folderOf(model) / "states.npy")) continue;
        for (const char* file : {"config.json", "model.gguf"})
            if (fs::exists(folderOf(model) / file))
                cases.push_back({model, file == std::string_view("config.json") ? "" : file});
    }
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Models, RecurrentModel, testing::ValuesIn(allCases()),
                         [](const auto& test) {
                             std::string name =
                                 test.param.model +
                                 (test.param.file.empty() ? "_safetensors" : "_gguf");
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace lacuna::test
