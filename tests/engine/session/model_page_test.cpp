// The texts of `lacuna inspect` and the details page.

#include "engine/session/model_page.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

#include "engine/format/load_model.h"
#include "engine/kv/kv_factory.h"
#include "engine/model/activations.h"
#include "engine/model/experts.h"
#include "engine/model/latent_layer.h"
#include "engine/model/model_cache.h"
#include "engine/model/recurrent_layer.h"
#include "engine/session/memory_plan.h"

namespace lacuna {
namespace {

std::filesystem::path golden(const char* name) {
    return std::filesystem::path(LACUNA_GOLDEN_DIR) / "models" / name;
}

MachineFacts machine(std::int64_t available) {
    return {.cpu = "test",
            .isa = "scalar",
            .cores = 2,
            .memoryBytes = std::int64_t{8} << 30,
            .availableBytes = available,
            .system = "test"};
}

ModelSpec spec() {
    ModelSpec s;
    s.architecture = "llama";
    s.layers = 4;
    s.hidden = 128;
    s.heads = 4;
    s.kvHeads = 2;
    s.headDim = 32;
    s.feedForward = 256;
    s.vocabulary = 1000;
    s.context = 2048;
    s.residentBytes = 1'000'000;
    return s;
}

/// Settings with one answer at a time and no memory besides its cache.
EngineConfig alone() {
    EngineConfig config;
    config.parallel = 1;
    config.prefillChunk = 128;
    config.prefixCacheMiB = 0;
    return config;
}

TEST(MemoryPlan, bytes_followFromTheShape) {
    const MemoryPlan plan = planMemory(spec(), machine(std::int64_t{1} << 30), alone());
    // residual, normed, projected; queries, attended; keys, values; gate, up; one row of logits
    EXPECT_EQ(plan.activationBytes, 4 * (128 * (3 * 128 + 2 * 128 + 2 * 64 + 2 * 256) + 1000));
    const std::int64_t numbers = 2 * 4 * 2 * 32;
    std::map<std::string, std::int64_t> bytes;
    for (const CachePlan& cache : plan.caches) bytes[cache.type] = cache.bytesPerToken;
    std::map<std::string, std::int64_t> expected{
        {"F32", numbers * 4},        {"F16", numbers * 2},        {"BF16", numbers * 2},
        {"Q8_0", numbers / 32 * 36}, {"Q4_0", numbers / 32 * 20}, {"Q4_1", numbers / 32 * 20}};
    for (int bits = 1; bits <= 8; ++bits)
        expected["T" + std::to_string(bits)] = numbers / 32 * (4 * bits + 2);
    EXPECT_EQ(bytes, expected);
    EXPECT_EQ(plan.caches[0].type, "F16");
    EXPECT_EQ(plan.caches[0].fullBytes, plan.caches[0].bytesPerToken * 2048);
    // The first 4 and newest 128 tokens of rotated codes are also held in 16 bits, with a position
    // each.
    const auto t4 = std::ranges::find(plan.caches, "T4", &CachePlan::type);
    ASSERT_NE(t4, plan.caches.end());
    EXPECT_EQ(t4->fullBytes, t4->bytesPerToken * 2048 + 132 * (numbers * 2 + 4 * 2 * 8));
    EXPECT_TRUE(plan.caches[0].fits);
    EXPECT_EQ(plan.caches[0].largestContext,
              ((std::int64_t{1} << 30) - 1'000'000 - plan.activationBytes) / 1024);
}

TEST(MemoryPlan, draftBlock_takesMemoryIfItDrafts) {
    ModelSpec model = spec();
    model.draftBlock = true;
    EngineConfig config = alone();
    config.draftTokens = 3;
    const MemoryPlan without = planMemory(model, machine(std::int64_t{1} << 30), config);
    EXPECT_EQ(without.draftBytes, 0);
    config.draftSource = DraftSource::Mtp;
    const MemoryPlan with = planMemory(model, machine(std::int64_t{1} << 30), config);
    // keys and values of one layer in 16 bits, for the trained context
    EXPECT_EQ(with.draftBytes, std::int64_t{2} * 2 * 32 * 2 * 2048);
    EXPECT_GT(with.activationBytes, without.activationBytes);
    EXPECT_LT(with.caches[0].largestContext, without.caches[0].largestContext);
    model.draftBlock = false;
    EXPECT_EQ(planMemory(model, machine(std::int64_t{1} << 30), config).draftBytes, 0);
}

TEST(MemoryPlan, largestDeclaredShape_doesNotOverflow) {
    ModelSpec huge = spec();
    huge.layers = kMaxLayers;
    huge.heads = huge.kvHeads = kMaxHeads;
    huge.headDim = kMaxHeadDim;
    huge.context = kMaxContext;
    EngineConfig config = alone();
    config.parallel = 16;
    config.qualityEvery = 1;
    const MemoryPlan plan = planMemory(huge, machine(std::int64_t{1} << 30), config);
    ASSERT_FALSE(plan.caches.empty());
    for (const CachePlan& cache : plan.caches) {
        EXPECT_GT(cache.fullBytes, std::int64_t{1} << 40) << cache.type;
        EXPECT_GE(cache.allBytes, cache.fullBytes) << cache.type;
        EXPECT_GE(cache.slackBytes, 0) << cache.type;
        EXPECT_FALSE(cache.fits) << cache.type;
    }
}

// The buffers of a step, against those that the parts of a transformer allocate.
TEST(MemoryPlan, activations_areTheBuffersOfEachFamily) {
    const EngineConfig config = alone();
    for (const char* const family :
         {"qwen35moe", "gemma4-e", "gemma4-moe", "deepseek3", "glm4-moe-lite", "kimi-linear",
          "lfm2moe", "falcon-h1", "nemotron-h-moe", "gpt-oss-mxfp4", "granitemoehybrid", "olmo3"}) {
        const auto model =
            loadModel(std::filesystem::path(LACUNA_GOLDEN_DIR) / "models-2026" / family);
        ASSERT_TRUE(model.has_value()) << family << ": " << describe(model.error());
        const ModelSpec& one = (*model)->spec;
        const int tokens = config.prefillChunk;
        const std::size_t allocated = Activations::create(one, tokens).value().bytes() +
                                      Experts::create(one, tokens).value().bytes() +
                                      RecurrentLayer::create(one, tokens).value().bytes() +
                                      LatentLayer::create(one, tokens).value().bytes();
        const MemoryPlan plan = planMemory(one, machine(std::int64_t{1} << 30), config);
        const auto real = static_cast<double>(allocated);
        EXPECT_NEAR(static_cast<double>(plan.activationBytes), real, 0.01 * real) << family;
    }
}

// Layers with a window stop growing: HE-1 at small scale.
TEST(MemoryPlan, HE_01_slidingLayers_holdTheirWindowsOnly) {
    ModelSpec sliding = spec();
    sliding.window = 512;
    sliding.layerSpecs = {{.sliding = true}, {.sliding = true}, {.sliding = true}, {}};
    const MemoryPlan plan = planMemory(sliding, machine(std::int64_t{1} << 30), alone());
    const std::int64_t row = 2 * 2 * 32 * 2;
    EXPECT_EQ(plan.caches[0].bytesPerToken, 4 * row);
    EXPECT_EQ(plan.caches[0].fullBytes, row * (2048 + 3 * 512));
    EXPECT_GT(
        plan.caches[0].largestContext,
        3 * planMemory(spec(), machine(std::int64_t{1} << 30), alone()).caches[0].largestContext);
}

// Layers with other heads and sizes, of which the last two read the rows of the first two.
TEST(MemoryPlan, layersOfOtherSizes_countTheirOwnRows_andSharedRowsOnce) {
    ModelSpec mixed = spec();
    mixed.headDim = 64;
    mixed.window = 512;
    mixed.layerSpecs = {{.sliding = true, .kvHeads = 2, .headDim = 32},
                        {.kvHeads = 1, .headDim = 64},
                        {.sliding = true, .kvHeads = 2, .headDim = 32, .readsCacheOf = 0},
                        {.kvHeads = 1, .headDim = 64, .readsCacheOf = 1}};
    const MemoryPlan plan = planMemory(mixed, machine(std::int64_t{1} << 30), alone());
    const std::int64_t slidingRow = 2 * 2 * 32 * 2;
    const std::int64_t globalRow = 2 * 1 * 64 * 2;
    ASSERT_EQ(plan.caches[0].type, "F16");
    EXPECT_EQ(plan.caches[0].bytesPerToken, slidingRow + globalRow);
    EXPECT_EQ(plan.caches[0].fullBytes, slidingRow * 512 + globalRow * 2048);
    EXPECT_EQ(plan.activationBytes,
              4 * (128 * (3 * 128 + 2 * 4 * 64 + 2 * 1 * 64 + 2 * 256) + 1000));
}

// The estimate before loading, against a cache over the entire context.
TEST(MemoryPlan, estimate_isWithinFivePercentOfTheCache_PE6) {
    const MemoryPlan plan = planMemory(spec(), machine(std::int64_t{1} << 30), alone());
    const ModelSpec of = spec();
    for (const auto& [type, name] :
         {std::pair{DType::F16, "F16"}, {DType::BF16, "BF16"}, {DType::F32, "F32"}}) {
        const auto planned = std::ranges::find(plan.caches, name, &CachePlan::type);
        ASSERT_NE(planned, plan.caches.end());
        const auto cache = makeFullCache(of, type).value();
        const std::vector<float> rows(
            static_cast<std::size_t>(of.context * of.kvHeads * of.headDim), 0.5F);
        const View<const float, 3>::Extents extents{of.context, of.kvHeads, of.headDim};
        ASSERT_TRUE(cache->beginAppend(of.context));
        for (int layer = 0; layer < of.layers; ++layer)
            cache->writeLayer(LayerIndex(layer), {rows.data(), extents}, {rows.data(), extents});
        cache->commitAppend();
        const auto real = static_cast<double>(cache->stats().liveBytes);
        EXPECT_NEAR(static_cast<double>(planned->fullBytes), real, 0.05 * real) << planned->type;
    }
}

TEST(MemoryPlan, verdict_namesThePartThatDoesNotFit) {
    const std::int64_t activations = planMemory(spec(), machine(0), alone()).activationBytes;
    EXPECT_NE(planMemory(spec(), machine(500'000), alone()).verdict.find("smaller file"),
              std::string::npos);
    const MemoryPlan tight =
        planMemory(spec(), machine(1'000'000 + activations + 100 * 1024), alone());
    EXPECT_FALSE(tight.caches[0].fits);
    EXPECT_EQ(tight.caches[0].largestContext, 100);
    EXPECT_NE(tight.verdict.find("room for 100 of the 2,048"), std::string::npos) << tight.verdict;
    EXPECT_NE(planMemory(spec(), machine(0), alone()).verdict.find("unknown"), std::string::npos);
}

// Memory besides the cache of one conversation is counted before anything is loaded.
TEST(MemoryPlan, concurrentTurnsShadowAndSecondCopies_areCounted) {
    const std::int64_t token = 2 * 4 * 2 * 32 * 2;
    EngineConfig config = alone();
    config.parallel = 4;
    const MachineFacts large = machine(std::int64_t{1} << 30);
    MemoryPlan plan = planMemory(spec(), large, config);
    EXPECT_EQ(plan.caches[0].fullBytes, token * 2048);
    EXPECT_EQ(plan.caches[0].allBytes, token * 2048 * 4);
    const std::int64_t left = (std::int64_t{1} << 30) - 1'000'000 - plan.activationBytes;
    EXPECT_EQ(plan.caches[0].largestContext, left / (token * 4));
    EXPECT_NE(plan.verdict.find("for 4 parallel answers"), std::string::npos) << plan.verdict;
    config.qualityEvery = 64;
    plan = planMemory(spec(), large, config);
    EXPECT_EQ(plan.caches[0].allBytes, token * 2048 * 5) << "an uncompressed cache of one";
    config.kv.method = CompactionMethod::AttentionMatching;
    config.kv.compactionFloor = 0;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.amRatio = 4;
    plan = planMemory(spec(), large, config);
    EXPECT_EQ(plan.caches[0].allBytes, token * 2048 * 6) << "a quarter of each";
    config.kv.background = false;
    plan = planMemory(spec(), large, config);
    EXPECT_EQ(plan.caches[0].allBytes, token * 2048 * 5);
    config.qualityEvery = 0;
    config.cacheLimitMiB = 1;
    plan = planMemory(spec(), large, config);
    EXPECT_FALSE(plan.caches[0].fits);
    EXPECT_EQ(plan.caches[0].largestContext, (1 << 20) / (4 * token));
    EXPECT_NE(plan.verdict.find("limit of 1 MiB"), std::string::npos) << plan.verdict;
}

// The limit applies to the caches of conversations; other copies are bounded by memory.
TEST(MemoryPlan, totalCacheLimit_excludesShadowAndSecondCopies) {
    const std::int64_t token = 2 * 4 * 2 * 32 * 2;
    EngineConfig config = alone();
    config.parallel = 4;
    config.qualityEvery = 64;
    config.kv.method = CompactionMethod::AttentionMatching;
    config.kv.compactionFloor = 0;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.amRatio = 4;
    config.cacheLimitMiB = 1;
    MemoryPlan plan = planMemory(spec(), machine(std::int64_t{1} << 30), config);
    EXPECT_EQ(plan.caches[0].largestContext, (1 << 20) / (4 * token)) << "of four caches";
    EXPECT_EQ(plan.caches[0].allBytes, token * 2048 * 6) << "they are held all the same";
    // Four caches, a quarter of each and one shadow fit into less memory than the limit.
    const std::int64_t left = 600 * token;
    plan = planMemory(spec(), machine(1'000'000 + plan.activationBytes + left), config);
    EXPECT_EQ(plan.caches[0].largestContext, 100);
    EXPECT_FALSE(plan.caches[0].fits);
    // A limit above the total changes nothing.
    config.cacheLimitMiB = 1024;
    plan = planMemory(spec(), machine(std::int64_t{1} << 30), config);
    EXPECT_TRUE(plan.caches[0].fits);
    EXPECT_EQ(plan.caches[0].largestContext,
              ((std::int64_t{1} << 30) - 1'000'000 - plan.activationBytes) / (6 * token));
}

TEST(MemoryPlan, recurrentLayers_statesAndTheirCheckpointsAreCountedApart) {
    const auto model =
        loadModel(std::filesystem::path(LACUNA_GOLDEN_DIR) / "models-2026" / "qwen35").value();
    const MachineFacts large = machine(std::int64_t{1} << 30);
    EngineConfig config = alone();
    config.parallel = 3;
    config.kv.stateMemoryMiB = 0;
    const MemoryPlan none = planMemory(model->spec, large, config);
    EXPECT_GT(none.caches[0].stateBytes, 0);
    EXPECT_EQ(none.caches[0].stateBytes, 3 * stateBytes(cacheModelOf(model->spec), 2048));
    EXPECT_EQ(none.caches[0].checkpointBytes, 0);
    config.kv.stateMemoryMiB = 1;
    const MemoryPlan plan = planMemory(model->spec, large, config);
    EXPECT_EQ(plan.oneCheckpoint, checkpointBytes(cacheModelOf(model->spec), StateType::Int8));
    EXPECT_GT(plan.oneCheckpoint, 0);
    EXPECT_EQ(plan.checkpointBytes, (1 << 20) / plan.oneCheckpoint * plan.oneCheckpoint);
    EXPECT_EQ(plan.caches[0].checkpointBytes, 3 * plan.checkpointBytes);
    EXPECT_EQ(plan.caches[0].allBytes - none.caches[0].allBytes, 3 * plan.checkpointBytes);
    EXPECT_EQ(plan.caches[0].liveBytes, none.caches[0].liveBytes);
    config.precision = PrecisionChoice::Exact;
    EXPECT_GT(planMemory(model->spec, large, config).oneCheckpoint, 2 * plan.oneCheckpoint);
}

TEST(MemoryPlan, tablesReadByRow_areNotAmongTheWeights) {
    const auto model =
        loadModel(std::filesystem::path(LACUNA_GOLDEN_DIR) / "models-2026" / "gemma4-e").value();
    const MemoryPlan plan = planMemory(model->spec, machine(std::int64_t{1} << 30), alone());
    EXPECT_EQ(plan.weightBytes, static_cast<std::int64_t>(model->spec.residentBytes));
    EXPECT_GT(plan.tableBytes, 0);
    const auto json = inspectModel(model->path, machine(1 << 30), alone());
    ASSERT_TRUE(json.has_value()) << describe(json.error());
    EXPECT_EQ((*json)["memory_plan"]["table_bytes"], plan.tableBytes);
    EXPECT_NE(pageText(modelPage("model.gguf", *json)).find("read by row from the file"),
              std::string::npos);
}

TEST(MemoryPlan, prefixCache_isPlannedWithItsLimit) {
    const std::int64_t token = 2 * 4 * 2 * 32 * 2;
    EngineConfig config = alone();
    const MemoryPlan without = planMemory(spec(), machine(std::int64_t{1} << 30), config);
    config.prefixCacheMiB = 100;
    const MemoryPlan plan = planMemory(spec(), machine(std::int64_t{1} << 30), config);
    EXPECT_EQ(plan.prefixBytes, std::int64_t{100} << 20);
    EXPECT_EQ(plan.caches[0].allBytes - without.caches[0].allBytes, plan.prefixBytes);
    EXPECT_EQ(without.caches[0].largestContext - plan.caches[0].largestContext,
              plan.prefixBytes / token);
    EXPECT_NE(plan.verdict.find("100 MiB of prefix cache"), std::string::npos) << plan.verdict;
}

TEST(ModelPage, page_listsAllModelFacts) {
    const auto json = inspectModel(golden("qwen3-256") / "model.gguf", machine(1 << 30), alone());
    ASSERT_TRUE(json.has_value()) << describe(json.error());
    const ModelPage page = modelPage("model.gguf", *json);
    EXPECT_TRUE(page.supported);
    const std::string text = pageText(page);
    for (const char* part :
         {"Architecture", "qwen3", "Trained context", "tokens", "KV cache, bytes per token", "F16",
          "Tokenizer", "byte-level BPE", "Chat template", "Fingerprint", "Memory plan",
          "fits with an F16 cache", "BF16  ", "Caches", "1 conversation",
          "auto is reconstruct, scored by repeating the text"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(ModelPage, everyNumber_hasThousandsSeparators) {
    EngineConfig config = alone();
    config.prefillChunk = 2048;
    auto json =
        inspectModel(golden("qwen3-256") / "model.gguf", machine(std::int64_t{4} << 40), config);
    ASSERT_TRUE(json.has_value()) << describe(json.error());
    (*json)["experts"] = {{"count", 1024}, {"per_token", 8}, {"feed_forward", 2048}};
    (*json)["types"][0]["tensors"] = 1234;
    (*json)["rope"]["base"] = 1000000.0;
    const std::string text = pageText(modelPage("model.gguf", *json));
    EXPECT_NE(text.find("for steps of 2,048 tokens"), std::string::npos) << text;
    EXPECT_NE(text.find("1,024, 8 per token, inner width 2,048"), std::string::npos) << text;
    EXPECT_NE(text.find("base 1,000,000"), std::string::npos) << text;
    const std::regex four("[^0-9a-fA-F_.,]([0-9]{4,})[^0-9a-fA-F_]");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const bool checksum = line.find("Fingerprint") != std::string::npos;
        EXPECT_FALSE(!checksum && std::regex_search(line + ' ', four)) << line;
    }
}

TEST(ModelPage, unsupportedModel_showsTheReason) {
    const auto json =
        inspectModel(std::filesystem::path(LACUNA_GOLDEN_DIR) / "tokenizers/ggml-vocab-gpt-2.gguf",
                     machine(1 << 30), alone());
    ASSERT_TRUE(json.has_value()) << describe(json.error());
    const ModelPage page = modelPage("vocab.gguf", *json);
    EXPECT_FALSE(page.supported);
    EXPECT_FALSE(page.reason.empty());
    const std::string text = pageText(page);
    EXPECT_NE(text.find("no: "), std::string::npos) << text;
    EXPECT_EQ(text.find("Memory plan"), std::string::npos) << text;
}

}  // namespace
}  // namespace lacuna
