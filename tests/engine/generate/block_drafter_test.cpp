// Drafting with a model's block for multi-token prediction: its numbers against a reference, the
// unchanged answer, its cache, and the passes that a good block saves.

#include "engine/generate/block_drafter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/random.h"
#include "engine/format/safetensors.h"
#include "engine/generate/batch_step.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/generation.h"
#include "engine/model/model_cache.h"
#include "engine/tensor/block_formats.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::block_drafter {
namespace {

namespace fs = std::filesystem;
using Tokens = std::vector<TokenId>;

fs::path golden(const std::string& name) {
    return fs::path(LACUNA_GOLDEN_DIR) / "models-2026" / name;
}

Tokens promptOf(int length, int salt = 0) {
    Tokens tokens;
    for (int i = 0; i < length; ++i) tokens.push_back((15 + 37 * i + salt) % 500 + 3);
    return tokens;
}

struct Tensor {
    std::string type;
    std::vector<std::uint64_t> shape;
    std::string bytes;
};
using Tensors = std::map<std::string, Tensor>;

Tensor bfloats(std::vector<std::uint64_t> shape, const std::vector<float>& values) {
    std::string bytes;
    for (const float value : values) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        bytes += static_cast<char>(bits >> 16U & 0xFFU);
        bytes += static_cast<char>(bits >> 24U);
    }
    return {"BF16", std::move(shape), std::move(bytes)};
}

Tensors tensorsOf(const std::string& model) {
    const std::string file = *readFile(golden(model) / "model.safetensors", 1U << 24U);
    const auto header = readSafetensorsHeader(std::as_bytes(std::span(file)));
    EXPECT_TRUE(header.has_value());
    Tensors tensors;
    for (const SafetensorsEntry& entry : header->entries)
        tensors[entry.name] = {
            std::string(entry.type.name), entry.shape,
            file.substr(static_cast<std::size_t>(header->dataStart + entry.begin),
                        static_cast<std::size_t>(entry.end - entry.begin))};
    return tensors;
}

constexpr int kHidden = 64;
constexpr int kLayers = 3;

/// The tensors of glm4moe with a draft block of this joining matrix: a copy of its last layer.
Tensors withBlock(const std::vector<float>& joining) {
    Tensors tensors = tensorsOf("glm4moe");
    const std::string last = "model.layers." + std::to_string(kLayers - 1) + ".";
    const std::string block = "model.layers." + std::to_string(kLayers) + ".";
    Tensors copied;
    for (const auto& [name, tensor] : tensors)
        if (name.starts_with(last)) copied[block + name.substr(last.size())] = tensor;
    tensors.merge(copied);
    const std::vector<float> ones(kHidden, 1.0F);
    tensors[block + "eh_proj.weight"] = bfloats({kHidden, 2 * kHidden}, joining);
    tensors[block + "enorm.weight"] = bfloats({kHidden}, ones);
    tensors[block + "hnorm.weight"] = bfloats({kHidden}, ones);
    tensors[block + "shared_head.norm.weight"] = tensors["model.norm.weight"];
    return tensors;
}

std::vector<float> randomJoining() {
    RandomStream random(5, 9);
    std::vector<float> values(2UL * kHidden * kHidden);
    for (float& value : values) value = static_cast<float>(0.4 * random.uniform() - 0.2);
    return values;
}

/// Passes on the embedding or the hidden state unchanged.
std::vector<float> identity(bool hidden) {
    std::vector<float> values(2UL * kHidden * kHidden, 0.0F);
    for (std::size_t i = 0; i < kHidden; ++i)
        values[i * 2 * kHidden + i + (hidden ? kHidden : 0)] = 1.0F;
    return values;
}

/// Removes what layers add to the residual, so that each token alone decides the next one.
void silenceLayers(Tensors& tensors) {
    for (auto& [name, tensor] : tensors)
        if (name.ends_with("o_proj.weight") || name.ends_with("down_proj.weight"))
            tensor.bytes.assign(tensor.bytes.size(), '\0');
}

class GlmFolder {
  public:
    explicit GlmFolder(const Tensors& tensors) {
        fs::copy_file(golden("glm4moe") / "tokenizer.json", path() / "tokenizer.json");
        Json config = *parseJson(*readFile(golden("glm4moe") / "config.json", 1U << 20U));
        config["num_nextn_predict_layers"] = 1;
        static_cast<void>(folder_.write("config.json", config.dump()));
        Json header = Json::object();
        std::string data;
        for (const auto& [name, tensor] : tensors) {
            header[name] = {{"dtype", tensor.type},
                            {"shape", tensor.shape},
                            {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
            data += tensor.bytes;
        }
        std::string text = header.dump();
        text.resize((text.size() + 7) / 8 * 8, ' ');
        const std::uint64_t length = text.size();
        std::string bytes(sizeof length, '\0');
        std::memcpy(bytes.data(), &length, sizeof length);
        static_cast<void>(folder_.write("model.safetensors", bytes + text + data));
    }
    [[nodiscard]] const fs::path& path() const { return folder_.path(); }

  private:
    test::TemporaryFolder folder_;
};

std::unique_ptr<Transformer> transformerOf(const std::shared_ptr<const LoadedModel>& model,
                                           ThreadPool& pool, bool draftBlock) {
    auto made = Transformer::create(
        model, pool, {.precision = Precision::Exact, .maxTokens = 64, .draftBlock = draftBlock});
    EXPECT_TRUE(made.has_value()) << (made ? "" : describe(made.error()));
    return made ? std::move(*made) : nullptr;
}

/// One model with its block and any number of conversations.
struct Stage {
    explicit Stage(const fs::path& path) {
        auto loaded = loadModel(path);
        EXPECT_TRUE(loaded.has_value()) << (loaded ? "" : describe(loaded.error()));
        loadedModel = *loaded;
        model = transformerOf(loadedModel, pool, false);
        block.loaded = loadedModel;
        block.transformer = transformerOf(loadedModel, pool, true);
        settings.sampling.temperature = 0;
        settings.maxTokens = 60;
        settings.context = 400;
        settings.prefillChunk = 16;
    }
    /// Drafts with the block if `drafted`, whose cache then has at most `most` rows.
    std::unique_ptr<Sequence> conversation(bool drafted, std::int64_t most = 4096) {
        auto made =
            Sequence::create([this] { return makeModelCache(*loadedModel, KvOptions{}); },
                             [this](const KvShape& shape) {
                                 return std::make_unique<Compactor>(
                                     compactorModel(*loadedModel, 1, {}), shape, pool, clock);
                             });
        if (drafted) (*made)->setDrafter(*BlockDrafter::create(block, DType::F32, most));
        return std::move(*made);
    }
    struct Answer {
        Tokens tokens;
        int steps = 0;  ///< steps that drew a token
        int drafted = 0;
        int accepted = 0;
        int shifted = 0;
        std::int64_t reused = 0;
    };
    Answer answer(Sequence& sequence, const Tokens& prompt, int draftTokens) {
        settings.draftTokens = draftTokens;
        auto generation =
            Generation::start(*model, sequence, {.prompt = prompt, .seed = 7}, settings);
        EXPECT_TRUE(generation.has_value());
        Answer result;
        result.reused = (*generation)->reuse().tokens;
        while (!(*generation)->finished()) {
            const auto step = (*generation)->step(*model, settings, {}, clock);
            EXPECT_TRUE(step.has_value()) << (step ? "" : describe(step.error()));
            if (!step) break;
            result.steps += step->drawn.empty() ? 0 : 1;
            result.drafted += step->drafted;
            result.accepted += step->accepted;
            result.shifted += step->shifted;
            sequence.cache().checkInvariants();
        }
        result.tokens.assign((*generation)->answer().begin(), (*generation)->answer().end());
        return result;
    }
    Answer plain(const Tokens& prompt) {
        const auto sequence = conversation(false);
        return answer(*sequence, prompt, 0);
    }

    ThreadPool pool{1};
    SteadyClock clock;
    std::shared_ptr<const LoadedModel> loadedModel;
    std::unique_ptr<Transformer> model;
    DraftModel block;
    GenerationSettings settings;
};

const BlockDrafter& drafterOf(Sequence& sequence) {
    return dynamic_cast<const BlockDrafter&>(*sequence.drafter());
}

TEST(DraftBlock, qwen35Block_inBothContainers_givesTheLogitsOfTheReference) {
    const Json reference =
        *parseJson(*readFile(golden("qwen35-vl") / "draft_block.json", 1U << 20U));
    const auto tokens = reference["tokens"].get<Tokens>();
    std::vector<float> before;
    for (std::size_t t = 0; t < tokens.size(); ++t)
        for (std::size_t i = 0; i < kHidden; ++i)
            before.push_back(static_cast<float>(
                std::sin(0.37 * static_cast<double>(t + 1) * static_cast<double>(i + 1))));
    for (const char* file : {"", "model.gguf"}) {
        Stage stage(golden("qwen35-vl") / file);
        ASSERT_NE(stage.block.transformer, nullptr);
        const auto cache =
            makeFullCache(stage.loadedModel->weights.draft->spec, DType::F32).value();
        std::vector<float> hidden;
        const BatchRun run{.tokens = tokens,
                           .cache = cache.get(),
                           .logits = LogitsFor::AllTokens,
                           .hidden = &hidden,
                           .before = {before.data(), {std::ssize(tokens), kHidden}}};
        const auto rows = stage.block.transformer->forward(std::span(&run, 1), {});
        ASSERT_TRUE(rows.has_value()) << describe(rows.error());
        ASSERT_EQ(hidden.size(), tokens.size() * kHidden);
        for (std::size_t t = 0; t < tokens.size(); ++t) {
            const Json& expected = reference["rows"][t];
            const auto row = rows->row(static_cast<std::int64_t>(t));
            EXPECT_EQ(std::ranges::max_element(row) - row.begin(), expected["argmax"].get<int>());
            for (std::size_t i = 0; i < expected["logits"].size(); ++i)
                EXPECT_NEAR(row[i * 16], expected["logits"][i].get<float>(), 2e-3) << file << t;
            for (std::size_t i = 0; i < expected["hidden"].size(); ++i)
                EXPECT_NEAR(hidden[t * kHidden + i * 4], expected["hidden"][i].get<float>(), 1e-3);
        }
    }
}

TEST(DraftBlock, runWithoutHiddenStatesBefore_isRefused) {
    Stage stage(golden("qwen35-vl"));
    const auto cache = makeFullCache(stage.loadedModel->weights.draft->spec, DType::F32).value();
    const Tokens tokens = promptOf(3);
    const BatchRun run{.tokens = tokens, .cache = cache.get()};
    EXPECT_FALSE(stage.block.transformer->forward(std::span(&run, 1), {}).has_value());
}

TEST(DraftBlock, hiddenStatesOfAPass_areTheRowsThatTheOutputMatrixReads) {
    Stage stage(golden("qwen35-vl"));
    const Tokens tokens = promptOf(9);
    std::vector<std::vector<float>> logits;
    std::vector<float> hidden;
    for (std::vector<float>* const wanted : {static_cast<std::vector<float>*>(nullptr), &hidden}) {
        const auto cache = makeModelCache(*stage.loadedModel, KvOptions{}).value();
        const BatchRun run{.tokens = tokens, .cache = cache.get(), .hidden = wanted};
        const auto rows = stage.model->forward(std::span(&run, 1), {});
        ASSERT_TRUE(rows.has_value());
        ASSERT_EQ(rows->extent(0), 1);
        logits.emplace_back(rows->data(), rows->data() + rows->size());
    }
    ASSERT_EQ(hidden.size(), tokens.size() * kHidden);
    const WeightMatrix& output = stage.loadedModel->weights.output;
    std::vector<float> row(kHidden);
    for (const std::size_t id : {std::size_t{0}, std::size_t{77}, std::size_t{511}}) {
        EXPECT_NEAR(logits[0][id], logits[1][id], 1e-4);
        decodeRow(output.type,
                  output.data + id * rowBytes(output.type, static_cast<std::uint64_t>(kHidden)),
                  row);
        double product = 0;
        for (std::size_t i = 0; i < kHidden; ++i)
            product += double{row[i]} * double{hidden[hidden.size() - kHidden + i]};
        EXPECT_NEAR(product, logits[0][id], 1e-3);
    }
}

TEST(DraftBlock, incompleteBlock_isRefused_andItsBytesCount) {
    Tensors tensors = withBlock(randomJoining());
    const GlmFolder whole(tensors);
    const auto with = loadModel(whole.path());
    const auto without = loadModel(golden("glm4moe"));
    ASSERT_TRUE(with.has_value()) << describe(with.error());
    ASSERT_TRUE(without.has_value());
    EXPECT_NE((*with)->weights.draft, nullptr);
    EXPECT_EQ((*without)->weights.draft, nullptr);
    EXPECT_EQ((*with)->spec.parameters, (*without)->spec.parameters);
    EXPECT_GT((*with)->spec.weightBytes, (*without)->spec.weightBytes + 2UL * 2 * 64 * 64);
    tensors.erase("model.layers.3.hnorm.weight");
    const GlmFolder part(tensors);
    const auto refused = loadModel(part.path());
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::ModelMissingTensor);
    EXPECT_NE(refused.error().what.find("hnorm"), std::string::npos) << refused.error().what;
}

TEST(DraftBlock, weightsThatAreCopied_giveTheSameProposals) {
    const GlmFolder folder(withBlock(randomJoining()));
    LoadOptions options;
    options.placement.resident = true;
    options.placement.keepFree = 0;
    const auto copied = loadModel(folder.path(), options);
    const auto mapped = loadModel(folder.path());
    ASSERT_TRUE(copied.has_value() && mapped.has_value());
    EXPECT_NE((*copied)->weights.draft->weights.joining.data,
              (*mapped)->weights.draft->weights.joining.data);
    EXPECT_EQ((*copied)->weights.draft->weights.output.data, (*copied)->weights.output.data);
    ThreadPool pool(1);
    std::vector<std::vector<float>> logits;
    const std::vector<float> before(kHidden, 0.5F);
    const Tokens token{41};
    for (const auto& model : {*copied, *mapped}) {
        const auto transformer = transformerOf(model, pool, true);
        const auto cache = makeFullCache(model->weights.draft->spec, DType::F32).value();
        const BatchRun run{
            .tokens = token, .cache = cache.get(), .before = {before.data(), {1, kHidden}}};
        const auto rows = transformer->forward(std::span(&run, 1), {});
        ASSERT_TRUE(rows.has_value());
        logits.emplace_back(rows->data(), rows->data() + rows->size());
    }
    for (std::size_t i = 0; i < logits[0].size(); ++i)
        EXPECT_NEAR(logits[0][i], logits[1][i], 1e-4);
}

TEST(BlockDrafter, randomBlocks_changeNoToken) {
    const GlmFolder glm(withBlock(randomJoining()));
    for (const fs::path& path :
         {golden("qwen35-vl"), golden("qwen35-vl") / "model.gguf", glm.path()}) {
        Stage stage(path);
        const Tokens prompt = promptOf(40);
        const auto expected = stage.plain(prompt);
        ASSERT_GT(expected.tokens.size(), 3U);
        for (const int k : {1, 4}) {
            const auto sequence = stage.conversation(true);
            const auto answer = stage.answer(*sequence, prompt, k);
            EXPECT_EQ(answer.tokens, expected.tokens) << path << " " << k;
            EXPECT_GT(answer.drafted, 0);
            EXPECT_EQ(answer.steps + answer.accepted, std::ssize(answer.tokens));
            EXPECT_EQ(drafterOf(*sequence).problem(), "");
            const std::int64_t covered = sequence->cache().offset().value;
            EXPECT_LT(std::ssize(drafterOf(*sequence).rows()), covered);
            EXPECT_GE(std::ssize(drafterOf(*sequence).rows()), covered - k - 2)
                << "the tokens of the newest steps wait";
        }
    }
}

// A block that computes what the model computes predicts every token.
TEST(BlockDrafter, blockThatAgreesWithTheModel_savesPasses) {
    for (const bool hidden : {false, true}) {
        Tensors tensors = withBlock(identity(hidden));
        silenceLayers(tensors);
        // The hidden state of a token predicts that token, so the model has to repeat it.
        if (hidden) {
            tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"];
            tensors["model.norm.weight"] = tensors["model.layers.3.enorm.weight"];
        }
        const GlmFolder folder(tensors);
        Stage stage(folder.path());
        const Tokens prompt = promptOf(20);
        const auto expected = stage.plain(prompt);
        ASSERT_GT(expected.tokens.size(), 20U);
        const auto sequence = stage.conversation(true);
        const auto answer = stage.answer(*sequence, prompt, 4);
        EXPECT_EQ(answer.tokens, expected.tokens);
        // The hidden state before the newest token of the prompt predicts another token.
        EXPECT_EQ(answer.accepted, answer.drafted - (hidden ? 4 : 0));
        EXPECT_LE(answer.steps, expected.steps / 5 + 1) << "each pass yields five tokens";
    }
}

TEST(BlockDrafter, repeatedAndEditedPrompts_keepTheRowsOfTheCommonText) {
    const GlmFolder folder(withBlock(randomJoining()));
    Stage stage(folder.path());
    const auto sequence = stage.conversation(true);
    const BlockDrafter& drafter = drafterOf(*sequence);
    const Tokens prompt = promptOf(40);
    static_cast<void>(stage.answer(*sequence, prompt, 3));
    const auto again = stage.answer(*sequence, prompt, 3);
    EXPECT_EQ(again.tokens, stage.plain(prompt).tokens);
    EXPECT_GE(again.reused, 39);
    EXPECT_GE(std::ssize(drafter.rows()), 32 + std::ssize(again.tokens));
    Tokens edited = prompt;
    edited.resize(30);
    const Tokens more = promptOf(12, 100);
    edited.insert(edited.end(), more.begin(), more.end());
    const auto other = stage.answer(*sequence, edited, 3);
    EXPECT_EQ(other.tokens, stage.plain(edited).tokens);
    EXPECT_TRUE(std::ranges::is_sorted(drafter.rows(), std::less_equal<>()));
    EXPECT_LT(drafter.rows().back(), sequence->cache().offset().value);
    EXPECT_EQ(drafter.rows().front(), 0);
    EXPECT_EQ(drafter.problem(), "");
}

TEST(BlockDrafter, draftsSwitchedOnDuringAConversation_beginWithTheNextTokens) {
    const GlmFolder folder(withBlock(randomJoining()));
    Stage stage(folder.path());
    const auto sequence = stage.conversation(true);
    Tokens text = promptOf(40);
    const auto first = stage.answer(*sequence, text, 0);
    EXPECT_EQ(first.drafted, 0);
    text.insert(text.end(), first.tokens.begin(), first.tokens.end());
    const Tokens more = promptOf(8, 50);
    text.insert(text.end(), more.begin(), more.end());
    const auto second = stage.answer(*sequence, text, 2);
    EXPECT_GT(second.drafted, 10);
    EXPECT_EQ(second.tokens, stage.plain(text).tokens);
    EXPECT_GT(drafterOf(*sequence).rows().front(), 40) << "earlier hidden states are unknown";
}

TEST(BlockDrafter, cacheOfLimitedRows_dropsTheOlderHalf) {
    const GlmFolder folder(withBlock(randomJoining()));
    Stage stage(folder.path());
    const auto sequence = stage.conversation(true, 32);
    const Tokens prompt = promptOf(90);
    const auto answer = stage.answer(*sequence, prompt, 3);
    EXPECT_EQ(answer.tokens, stage.plain(prompt).tokens);
    EXPECT_LE(drafterOf(*sequence).rows().size(), 32U);
    EXPECT_GE(drafterOf(*sequence).rows().size(), 8U);
    EXPECT_EQ(drafterOf(*sequence).problem(), "");
}

TEST(BlockDrafter, shiftedContext_givesTheSameAnswer) {
    const GlmFolder folder(withBlock(randomJoining()));
    Stage stage(folder.path());
    stage.settings.context = 48;
    stage.settings.contextShift = 4;
    stage.settings.maxTokens = 90;
    const Tokens prompt = promptOf(30);
    const auto expected = stage.plain(prompt);
    const auto sequence = stage.conversation(true);
    const auto answer = stage.answer(*sequence, prompt, 3);
    EXPECT_EQ(answer.tokens, expected.tokens);
    ASSERT_GT(expected.tokens.size(), 20U);
    EXPECT_GT(answer.shifted, 0);
}

TEST(BlockDrafter, cancelDuringADraft_leavesNothingBehind) {
    const GlmFolder folder(withBlock(randomJoining()));
    Stage stage(folder.path());
    stage.settings.draftTokens = 3;
    const Tokens prompt = promptOf(40);
    const auto sequence = stage.conversation(true);
    auto generation =
        Generation::start(*stage.model, *sequence, {.prompt = prompt, .seed = 7}, stage.settings);
    ASSERT_TRUE(generation.has_value());
    int steps = 0;
    while (!(*generation)->finished()) {
        int polls = 0;
        const int limit = ++steps % 3 == 0 ? 2 + steps : 1000000;
        const ForwardOptions options{.cancelled = [&] { return ++polls > limit; }};
        const auto step = (*generation)->step(*stage.model, stage.settings, options, stage.clock);
        if (!step) {
            ASSERT_EQ(step.error().code, ErrorCode::Cancelled);
        }
        ASSERT_LT(steps, 400);
    }
    const auto tokens = (*generation)->answer();
    EXPECT_EQ(Tokens(tokens.begin(), tokens.end()), stage.plain(prompt).tokens);
    EXPECT_EQ(drafterOf(*sequence).problem(), "");
}

TEST(BlockDrafter, severalConversationsInAPass_eachFollowTheirOwnText) {
    const GlmFolder folder(withBlock(randomJoining()));
    Stage stage(folder.path());
    stage.settings.draftTokens = 2;
    std::vector<std::unique_ptr<Sequence>> sequences;
    std::vector<std::unique_ptr<Generation>> generations;
    for (int i = 0; i < 3; ++i) {
        sequences.push_back(stage.conversation(true));
        generations.push_back(
            Generation::start(*stage.model, *sequences.back(),
                              {.prompt = promptOf(20 + 13 * i, 31 * i), .seed = 7}, stage.settings)
                .value());
    }
    const ForwardOptions forward;
    for (int steps = 0; steps < 400; ++steps) {
        std::vector<BatchEntry> entries;
        for (const auto& one : generations)
            if (!one->finished())
                entries.push_back({.generation = one.get(), .settings = stage.settings});
        if (entries.empty()) break;
        const StepContext context{
            .model = *stage.model, .room = 40, .forward = forward, .clock = stage.clock};
        for (const EntryResult& one : stepTogether(entries, context))
            ASSERT_TRUE(one.step.has_value()) << describe(one.step.error());
    }
    for (int i = 0; i < 3; ++i) {
        const auto tokens = generations[static_cast<std::size_t>(i)]->answer();
        EXPECT_EQ(Tokens(tokens.begin(), tokens.end()),
                  stage.plain(promptOf(20 + 13 * i, 31 * i)).tokens);
    }
}

}  // namespace
}  // namespace lacuna::block_drafter
