// Logits and greedy ids against independent programs: tiny models of every family against Hugging
// Face transformers, from both containers; stories260K against llama2.c; the bundled model against
// float32 NumPy on the numbers of its file.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/kernels/cpu_features.h"
#include "engine/model/model_cache.h"
#include "engine/model/transformer.h"
#include "engine/model/weight_placement.h"
#include "tests/support/bundled_models.h"
#include "tests/support/folder_names.h"
#include "tests/support/npy_file.h"

namespace lacuna::test {
namespace {

struct Golden {
    std::vector<TokenId> prompt;
    std::vector<TokenId> greedy;
    NpyMatrix logits;  ///< [tokens, vocabulary], of the last tokens of the prompt or all
    double largest = 0;
};

struct Case {
    std::string model;  ///< its folder within models or models-2026
    std::string file;   ///< path within the model's folder; empty = the folder itself
};

std::filesystem::path folderOf(const std::string& model) {
    const std::filesystem::path goldens(LACUNA_GOLDEN_DIR);
    const std::filesystem::path folder = goldens / "models" / model;
    return std::filesystem::exists(folder) ? folder : goldens / "models-2026" / model;
}

Json jsonOf(const std::filesystem::path& path) {
    return parseJson(readFile(path, 1U << 20U).value()).value();
}

Golden readGolden(const std::string& model) {
    Golden golden;
    const Json json = jsonOf(folderOf(model) / "golden.json");
    golden.prompt = json["prompt"].get<std::vector<TokenId>>();
    golden.greedy = json["greedy"].get<std::vector<TokenId>>();
    golden.logits = readNpyMatrix(folderOf(model) / "logits.npy").value();
    for (const float v : golden.logits.values)
        golden.largest = std::max(golden.largest, std::fabs(double{v}));
    return golden;
}

TokenId argMax(std::span<const float> row) {
    return static_cast<TokenId>(std::max_element(row.begin(), row.end()) - row.begin());
}

/// A model with a cache, fed in pieces.
struct Runner {
    std::unique_ptr<ThreadPool> pool;
    std::unique_ptr<Transformer> transformer;
    std::unique_ptr<KvCache> cache;

    std::vector<float> feed(std::span<const TokenId> tokens, LogitsFor logits) {
        const BatchRun run{tokens, cache.get(), logits, nullptr};
        const auto out = transformer->forward({&run, 1}, {});
        EXPECT_TRUE(out.has_value()) << (out ? "" : describe(out.error()));
        return out ? std::vector<float>(out->data(), out->data() + out->size())
                   : std::vector<float>();
    }
    /// Reads the prompt in chunks and returns greedy ids.
    std::vector<TokenId> greedy(std::span<const TokenId> prompt, std::size_t chunk,
                                std::size_t count) {
        std::vector<float> logits;
        for (std::size_t at = 0; at < prompt.size(); at += chunk)
            logits =
                feed(prompt.subspan(at, std::min(chunk, prompt.size() - at)), LogitsFor::LastToken);
        std::vector<TokenId> ids;
        while (ids.size() < count) {
            ids.push_back(argMax(logits));
            logits = feed({&ids.back(), 1}, LogitsFor::LastToken);
        }
        return ids;
    }
};

struct RunnerOptions {
    Precision precision = Precision::Exact;
    DType cacheType = DType::F32;
    KvQuant quant = {};
    LayerCaches layers = LayerCaches::Uniform;
    int threads = 2;
    WeightPlacement placement{};
};

Runner makeRunner(const std::filesystem::path& path, const RunnerOptions& options = {}) {
    Runner runner;
    runner.pool = std::make_unique<ThreadPool>(options.threads);
    LoadOptions load;
    load.placement = options.placement;
    auto model = loadModel(path, load);
    EXPECT_TRUE(model.has_value()) << (model ? "" : describe(model.error()));
    if (!model) return runner;
    KvOptions kv;
    kv.type = options.cacheType;
    kv.quant = options.quant;
    kv.exactWindow = 0;
    kv.layerCaches = options.layers;
    runner.cache = makeModelCache(**model, kv).value();
    runner.transformer = Transformer::create(*model, *runner.pool,
                                             {.precision = options.precision, .maxTokens = 256})
                             .value();
    return runner;
}

class GoldenModel : public ::testing::TestWithParam<Case> {
  protected:
    [[nodiscard]] static std::filesystem::path path() {
        return folderOf(GetParam().model) / GetParam().file;
    }
};

TEST_P(GoldenModel, exact_fullPrompt_logitsEqualTransformers) {
    const Golden golden = readGolden(GetParam().model);
    Runner runner = makeRunner(path());
    ASSERT_NE(runner.transformer, nullptr);
    const std::vector<float> logits = runner.feed(golden.prompt, LogitsFor::AllTokens);
    ASSERT_EQ(logits.size(), golden.prompt.size() * golden.logits.columns);
    const auto last = std::span<const float>(logits).last(golden.logits.values.size());
    double worst = 0;
    for (std::size_t i = 0; i < last.size(); ++i)
        worst = std::max(worst, std::fabs(double{last[i]} - double{golden.logits.values[i]}));
    EXPECT_LE(worst, 1e-5 * golden.largest);
}

TEST_P(GoldenModel, exact_tokenByToken_logitsEqualTheFullPrompt) {
    const Golden golden = readGolden(GetParam().model);
    Runner whole = makeRunner(path());
    Runner single = makeRunner(path());
    ASSERT_NE(whole.transformer, nullptr);
    const std::vector<float> logits = whole.feed(golden.prompt, LogitsFor::AllTokens);
    const std::size_t vocabulary = golden.logits.columns;
    double worst = 0;
    for (std::size_t t = 0; t < golden.prompt.size(); ++t) {
        const std::vector<float> row = single.feed({&golden.prompt[t], 1}, LogitsFor::LastToken);
        ASSERT_EQ(row.size(), vocabulary);
        for (std::size_t i = 0; i < vocabulary; ++i)
            worst = std::max(worst, std::fabs(double{row[i]} - double{logits[t * vocabulary + i]}));
    }
    // Its 27 layers amplify rounding: transformers differs from itself by 4.4e-5.
    const double bound = GetParam().model == "deepseek2-lite" ? 5e-5 : 1e-5;
    EXPECT_LE(worst, bound * golden.largest);
}

// The expected logits use the decoded weights times the scale of each matrix.
TEST(GoldenScales, nvfp4WithMatrixScales_exact_logitsEqualFloat32) {
    const std::filesystem::path folder = std::filesystem::path(LACUNA_GOLDEN_DIR) / "quantised";
    const NpyMatrix expected = readNpyMatrix(folder / "NVFP4-scale.npy").value();
    const std::vector<TokenId> prompt = readGolden("qwen3-256").prompt;
    for (const bool resident : {false, true}) {
        Runner runner =
            makeRunner(folder / "NVFP4-scale.gguf", {.placement = {.resident = resident}});
        ASSERT_NE(runner.transformer, nullptr);
        const std::vector<float> logits =
            runner.feed(std::span(prompt).first(expected.rows), LogitsFor::AllTokens);
        ASSERT_EQ(logits.size(), expected.values.size());
        double worst = 0;
        double largest = 0;
        for (std::size_t i = 0; i < logits.size(); ++i) {
            worst = std::max(worst, std::fabs(double{logits[i]} - double{expected.values[i]}));
            largest = std::max(largest, std::fabs(double{expected.values[i]}));
        }
        EXPECT_LE(worst, 1e-5 * largest) << resident;
    }
}

// Sliding layers with caches that keep every token and with caches that keep only their windows.
TEST_P(GoldenModel, exact_anyChunk_greedyIdsEqualTransformers) {
    const Golden golden = readGolden(GetParam().model);
    ASSERT_EQ(golden.greedy.size(), 24U);
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{56}}) {
        for (const LayerCaches layers : {LayerCaches::Uniform, LayerCaches::Auto}) {
            Runner runner = makeRunner(path(), {.layers = layers});
            ASSERT_NE(runner.transformer, nullptr);
            const bool list = runner.cache->capabilities().kind == KvKind::List;
            if (layers == LayerCaches::Auto && !list) continue;  // no sliding layers
            EXPECT_EQ(runner.greedy(golden.prompt, chunk, golden.greedy.size()), golden.greedy)
                << chunk << (list ? " list" : " dense");
        }
    }
}

TEST_P(GoldenModel, halfCache_fullPrompt_argMaxMostlyEqual) {
    const Golden golden = readGolden(GetParam().model);
    for (const DType type : {DType::F16, DType::BF16}) {
        Runner runner = makeRunner(path(), {.cacheType = type});
        ASSERT_NE(runner.transformer, nullptr);
        const std::vector<float> logits = runner.feed(golden.prompt, LogitsFor::AllTokens);
        const std::size_t vocabulary = golden.logits.columns;
        const std::size_t first = golden.prompt.size() - golden.logits.rows;
        std::size_t equal = 0;
        for (std::size_t t = 0; t < golden.logits.rows; ++t)
            equal += argMax(std::span(logits).subspan((first + t) * vocabulary, vocabulary)) ==
                     argMax({golden.logits.row(t), vocabulary});
        const std::size_t allowed = std::max<std::size_t>(1, golden.logits.rows / 16);
        EXPECT_GE(equal, golden.logits.rows - allowed) << info(type).name;
    }
}

std::vector<Case> allCases() {
    std::vector<Case> cases;
    for (const char* model : {"gemma2", "granite", "llama", "llama3-rope", "olmo2", "phi3", "qwen2",
                              "qwen3", "qwen3-256", "qwen3-moe"})
        for (const char* file : {"", "model.gguf"}) cases.push_back({model, file});
    // These have no GGUF file.
    for (const char* model : {"gemma3", "mistral", "smollm3"}) cases.push_back({model, ""});
    for (const std::string& model :
         foldersIn(std::filesystem::path(LACUNA_GOLDEN_DIR) / "models-2026"))
        for (const char* file : {"config.json", "model.gguf"})
            if (std::filesystem::exists(folderOf(model) / file))
                cases.push_back({model, file == std::string_view("config.json") ? "" : file});
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenModel, ::testing::ValuesIn(allCases()),
                         [](const auto& test) {
                             std::string name =
                                 test.param.model +
                                 (test.param.file.empty() ? "_safetensors" : "_gguf");
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

/// Root mean square of the difference, relative to that of `exact`.
double relativeError(const std::vector<float>& exact, const std::vector<float>& found) {
    EXPECT_EQ(exact.size(), found.size());
    double squares = 0;
    double reference = 0;
    for (std::size_t i = 0; i < std::min(exact.size(), found.size()); ++i) {
        squares += std::pow(double{exact[i]} - double{found[i]}, 2);
        reference += std::pow(double{exact[i]}, 2);
    }
    return std::sqrt(squares / reference);
}

/// Median over the rows of logits. An error that changes the choice of an expert affects one row.
double medianRowError(const std::vector<float>& exact, const std::vector<float>& found,
                      std::size_t rows) {
    const std::size_t length = exact.size() / rows;
    std::vector<double> errors;
    for (std::size_t row = 0; row < rows; ++row) {
        const auto part = [&](const std::vector<float>& all) {
            const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * length);
            return std::vector<float>(first, first + static_cast<std::ptrdiff_t>(length));
        };
        errors.push_back(relativeError(part(exact), part(found)));
    }
    std::ranges::nth_element(errors, errors.begin() + static_cast<std::ptrdiff_t>(rows / 2));
    return errors[rows / 2];
}

class GoldenLatents : public ::testing::TestWithParam<const char*> {};

// A code of 8 bits moves a number of a latent by 1/255 of the range of its group over the square
// root of 12, which is half a percent of a normal number; a code of 4 bits moves it by 17 times as
// much. The bound leaves a factor of ten for the layers.
TEST_P(GoldenLatents, codedRows_changeLogitsLittle_andHaveTheirBytes) {
    const Golden golden = readGolden(GetParam());
    const auto logits = [&](const KvQuant& quant, DType type, std::int64_t* bytes = nullptr) {
        Runner runner = makeRunner(folderOf(GetParam()), {.cacheType = type, .quant = quant});
        const auto found = runner.feed(golden.prompt, LogitsFor::AllTokens);
        if (bytes != nullptr) *bytes = runner.cache->stats().liveBytes;
        return found;
    };
    const std::vector<float> exact = logits({}, DType::F32);
    std::int64_t bytes = 0;
    const std::size_t rows = golden.prompt.size();
    const double error = medianRowError(exact, logits({8, 32}, DType::F16, &bytes), rows);
    const double coarse = medianRowError(exact, logits({4, 32}, DType::F16), rows);
    RecordProperty("q8_0", std::to_string(error));
    RecordProperty("q4_0", std::to_string(coarse));
    EXPECT_GT(error, 0);
    EXPECT_LT(error, 0.05);
    EXPECT_LT(error, coarse);
    const auto model = loadModel(folderOf(GetParam())).value();
    const LatentAttention& latent = *model->spec.latent;
    int attending = 0;
    for (int i = 0; i < model->spec.layers; ++i) attending += model->spec.attends(i) ? 1 : 0;
    // 16 bits before the latent; 8 bits and an f16 scale and bias for each 32 numbers of it.
    const int row = 2 * latent.rotated + latent.length + latent.length / 32 * 4;
    EXPECT_EQ(bytes, static_cast<std::int64_t>(golden.prompt.size()) * attending * row);
}

TEST_P(GoldenLatents, codedRows_tokenByToken_staysCloseToTheFullPrompt) {
    const Golden golden = readGolden(GetParam());
    const RunnerOptions options{.cacheType = DType::F16, .quant = {8, 0}};
    Runner whole = makeRunner(folderOf(GetParam()), options);
    Runner single = makeRunner(folderOf(GetParam()), options);
    const std::vector<float> expected = whole.feed(golden.prompt, LogitsFor::AllTokens);
    std::vector<float> found;
    for (const TokenId& token : golden.prompt) {
        const std::vector<float> row = single.feed({&token, 1}, LogitsFor::LastToken);
        found.insert(found.end(), row.begin(), row.end());
    }
    // Rounding may move a number across the border between two codes.
    EXPECT_LT(relativeError(expected, found), 0.02);
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenLatents,
                         ::testing::Values("deepseek3", "glm4-moe-lite", "kimi-linear"),
                         [](const auto& test) {
                             std::string name = test.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

// Its latent has 16 numbers, less than a group.
TEST(GoldenShortLatents, latentShorterThanAGroup_isRefused) {
    const auto model = loadModel(folderOf("deepseek2-lite")).value();
    KvOptions options;
    options.quant = {8, 32};
    const auto cache = makeModelCache(*model, options);
    ASSERT_FALSE(cache);
    EXPECT_NE(cache.error().what.find("latent length 16"), std::string::npos) << cache.error().what;
}

// The golden file is from the bf16 weights. Quantising the weights moves the logits by a few
// percent of the largest, and activation rounding must not add noticeably to that.
TEST(GoldenQuantised, fastAndExact_q8Weights_agree) {
    const Golden golden = readGolden("qwen3-256");
    const auto path = folderOf("qwen3-256") / "quantized" / "Q8_0.gguf";
    Runner exact = makeRunner(path);
    Runner fast = makeRunner(path, {.precision = Precision::Fast, .cacheType = DType::F16});
    ASSERT_NE(exact.transformer, nullptr);
    const std::vector<float> a = exact.feed(golden.prompt, LogitsFor::AllTokens);
    const std::vector<float> b = fast.feed(golden.prompt, LogitsFor::AllTokens);
    const std::size_t vocabulary = golden.logits.columns;
    double squares = 0;
    double reference = 0;
    std::size_t equal = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        squares += (double{a[i]} - double{b[i]}) * (double{a[i]} - double{b[i]});
        reference += double{a[i]} * double{a[i]};
    }
    for (std::size_t t = 0; t < golden.prompt.size(); ++t)
        equal += argMax(std::span(a).subspan(t * vocabulary, vocabulary)) ==
                 argMax(std::span(b).subspan(t * vocabulary, vocabulary));
    EXPECT_LE(std::sqrt(squares / reference), 0.03);
    EXPECT_GE(equal, golden.prompt.size() - 4);
}

std::filesystem::path storiesFile(const char* name) {
    return std::filesystem::path(LACUNA_GOLDEN_DIR) / "stories260K" / name;
}

TEST(Stories260K, exact_prompt_logitsEqualGolden) {
    const auto text = readFile(storiesFile("golden_logits.json"), 1U << 20U);
    const Json golden = parseJson(text.value()).value();
    const auto tokens = golden["tokens"].get<std::vector<TokenId>>();
    Runner runner = makeRunner(storiesFile("stories260Ktok512.gguf"));
    ASSERT_NE(runner.transformer, nullptr);
    const std::vector<float> logits = runner.feed(tokens, LogitsFor::AllTokens);
    const std::size_t vocabulary = logits.size() / tokens.size();
    for (const Json& step : golden["steps"]) {
        const auto at = step["pos"].get<std::size_t>();
        ASSERT_LT(at, tokens.size());
        const auto row = std::span(logits).subspan(at * vocabulary, vocabulary);
        double sum = 0;
        for (const float v : row) sum += std::exp(double{v});
        EXPECT_EQ(argMax(row), step["argmax"].get<TokenId>());
        EXPECT_NEAR(double{*std::max_element(row.begin(), row.end())}, step["max"].get<double>(),
                    2e-3);
        EXPECT_NEAR(std::log(sum), step["lse"].get<double>(), 2e-3);
        for (std::size_t i = 0; i < step["first8"].size(); ++i)
            EXPECT_NEAR(double{row[i]}, step["first8"][i].get<double>(), 2e-3);
    }
}

TEST(Stories260K, exact_greedy_textEqualsGolden) {
    const std::string expected = readFile(storiesFile("golden_greedy_256.txt"), 1U << 20U).value();
    Runner runner = makeRunner(storiesFile("stories260Ktok512.gguf"));
    ASSERT_NE(runner.transformer, nullptr);
    const Tokenizer& tokenizer = runner.transformer->model().tokenizer;
    std::vector<TokenId> ids{tokenizer.data().bos.value()};
    const std::vector<TokenId> more = runner.greedy(ids, 1, 256);
    ids.insert(ids.end(), more.begin(), more.end());
    const std::string found = tokenizer.decode(ids).value();
    const auto trimmed = [](const std::string& text) {
        const std::size_t first = text.find_first_not_of(" \n");
        return text.substr(first, text.find_last_not_of(" \n") + 1 - first);
    };
    EXPECT_EQ(trimmed(found), trimmed(expected));
}

struct BoxGolden {
    std::string text;  ///< the prompt as ChatML
    std::string answer;
    std::vector<TokenId> prompt;
    std::vector<TokenId> greedy;  ///< ids of the answer, including its end token
    NpyMatrix logits;             ///< [8, vocabulary], after the last 8 tokens of the prompt
    double largest = 0;
};

BoxGolden readBoxGolden() {
    const std::filesystem::path folder = std::filesystem::path(LACUNA_GOLDEN_DIR) / "box";
    const Json json = jsonOf(folder / "case.json");
    BoxGolden golden{.text = json["text"],
                     .answer = json["answer"],
                     .prompt = json["prompt"],
                     .greedy = json["greedy"],
                     .logits = readNpyMatrix(folder / "logits-last8.npy").value()};
    for (const float v : golden.logits.values)
        golden.largest = std::max(golden.largest, std::fabs(double{v}));
    return golden;
}

// Q4_1 weights, Q8_0 embeddings shared with the output matrix and thirty layers, none of which the
// tiny models have. Weights are repacked as in normal use.
TEST(BundledModel, exact_promptAndAnswer_matchNumPy) {
    const BoxGolden golden = readBoxGolden();
    ASSERT_EQ(golden.logits.rows, 8U);
    Runner runner = makeRunner(boxModel(), {.placement = placementFor(bestKernels()).value()});
    ASSERT_NE(runner.transformer, nullptr);
    std::vector<float> logits = runner.feed(golden.prompt, LogitsFor::AllTokens);
    ASSERT_EQ(logits.size(), golden.prompt.size() * golden.logits.columns);
    auto last = std::span<const float>(logits).last(golden.logits.values.size());
    double worst = 0;
    for (std::size_t i = 0; i < last.size(); ++i)
        worst = std::max(worst, std::fabs(double{last[i]} - double{golden.logits.values[i]}));
    EXPECT_LE(worst, 2e-5 * golden.largest);

    std::vector<TokenId> answer{argMax(last.last(golden.logits.columns))};
    while (answer.size() < golden.greedy.size()) {
        logits = runner.feed({&answer.back(), 1}, LogitsFor::LastToken);
        answer.push_back(argMax(logits));
    }
    EXPECT_EQ(answer, golden.greedy);
    const Tokenizer& tokenizer = runner.transformer->model().tokenizer;
    EXPECT_EQ(answer.back(), tokenizer.data().eos);
    EXPECT_EQ(tokenizer.decode(answer).value(), golden.answer);
}

// ChatML without a default system message, unlike the model it was trained from.
TEST(BundledModel, oneMessage_promptAndIds_equalTheGoldenFiles) {
    const BoxGolden golden = readBoxGolden();
    const auto model = loadModel(boxModel());
    ASSERT_TRUE(model) << describe(model.error());
    const std::string before = "<|im_start|>user\n";
    const std::string after = "<|im_end|>\n<|im_start|>assistant\n";
    ASSERT_TRUE(golden.text.starts_with(before) && golden.text.ends_with(after));
    const std::vector<ChatMessage> messages{
        {"user",
         golden.text.substr(before.size(), golden.text.size() - before.size() - after.size())}};
    const auto spans = (*model)->chatTemplate.render(messages, {});
    ASSERT_TRUE(spans) << describe(spans.error());
    EXPECT_EQ(promptText(*spans), golden.text);
    EXPECT_EQ(encodePrompt((*model)->tokenizer, *spans).value(), golden.prompt);
}

}  // namespace
}  // namespace lacuna::test
