// The memory of weights that is planned from a header, against what loading allocates.

#include "engine/format/weight_sizes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/format/draft_block.h"
#include "engine/format/load_model.h"
#include "engine/format/quantise_model.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {
namespace {

namespace fs = std::filesystem;

std::size_t floatsIn(std::initializer_list<const std::vector<float>*> all) {
    std::size_t count = 0;
    for (const std::vector<float>* const one : all) count += one->size();
    return count;
}

std::size_t floatsOf(const FeedForwardWeights& weights) {
    return floatsIn({&weights.gateBias, &weights.upBias, &weights.downBias});
}

std::size_t floatsOf(const LayerWeights& layer) {
    const RecurrentWeights& recurrent = layer.recurrent;
    std::size_t count = floatsIn({&layer.attentionNorm,
                                  &layer.attentionNormBias,
                                  &layer.queryBias,
                                  &layer.keyBias,
                                  &layer.valueBias,
                                  &layer.outputBias,
                                  &layer.queryNorm,
                                  &layer.keyNorm,
                                  &layer.postAttentionNorm,
                                  &layer.feedForwardNorm,
                                  &layer.feedForwardNormBias,
                                  &layer.postFeedForwardNorm,
                                  &layer.gateBias,
                                  &layer.upBias,
                                  &layer.downBias,
                                  &layer.routerBias,
                                  &layer.selectionBias,
                                  &layer.postDenseNorm,
                                  &layer.expertNorm,
                                  &layer.postExpertNorm,
                                  &layer.routerScale,
                                  &layer.expertScale,
                                  &recurrent.decayRate,
                                  &recurrent.stepBias,
                                  &recurrent.norm,
                                  &layer.latent.queryNorm,
                                  &layer.latent.norm,
                                  &layer.postLayerNorm});
    for (const FeedForwardWeights& expert : layer.experts) count += floatsOf(expert);
    return count + floatsOf(layer.sharedExpert);
}

std::size_t floatsOf(const Weights& weights) {
    std::size_t count =
        floatsIn({&weights.finalNorm, &weights.finalNormBias, &weights.logitBias,
                  &weights.layerProjectionNorm, &weights.embeddingNorm, &weights.hiddenNorm});
    for (const LayerWeights& layer : weights.layers) count += floatsOf(layer);
    return count;
}

/// Bytes of the matrices that were copied, and of the numbers that were decoded.
double allocatedBytes(const LoadedModel& model) {
    std::size_t floats = floatsOf(model.weights) + model.spec.sinkScores.size();
    if (model.weights.draft != nullptr) floats += floatsOf(model.weights.draft->weights);
    if (model.spec.mixers != nullptr)
        for (const MixerWeights& mixer : *model.spec.mixers)
            floats += floatsIn({&mixer.kernel, &mixer.bias, &mixer.skip});
    return static_cast<double>(model.weightMemory.size() + floats * sizeof(float));
}

void expectPlanned(const fs::path& path) {
    LoadOptions options;
    options.placement = {.resident = true, .keepFree = 0};
    const auto model = loadModel(path, options);
    ASSERT_TRUE(model.has_value()) << path << ": " << describe(model.error());
    const double allocated = allocatedBytes(**model);
    // Each copied matrix begins at a multiple of 64 bytes, which only counts in such small models.
    const ModelSpec& spec = (*model)->spec;
    const double matrices = spec.layers * (16.0 + 3.0 * spec.experts.count);
    EXPECT_NEAR(static_cast<double>(spec.residentBytes), allocated,
                0.03 * allocated + 64 * matrices)
        << path;
}

// Families with fused matrices, stacks of experts in every layout, tied and separate outputs,
// recurrent layers, latent attention and embeddings of layers, from both containers.
TEST(WeightSizes, everyFamily_takesThePlannedMemory) {
    int models = 0;
    for (const char* const collection : {"models", "models-2026"})
        for (const auto& entry : fs::directory_iterator(fs::path(LACUNA_GOLDEN_DIR) / collection)) {
            if (fs::exists(entry.path() / "model.gguf")) {
                expectPlanned(entry.path() / "model.gguf");
                ++models;
            }
            if (!fs::exists(entry.path() / "config.json")) continue;
            expectPlanned(entry.path());
            ++models;
        }
    EXPECT_GT(models, 80);
}

TEST(WeightSizes, blockTypes_takeThePlannedMemory) {
    const TemporaryFolder folder;
    ThreadPool pool(1);
    for (const char* const recipe : {"Q4_0", "Q8_0", "Q4_K_M", "Q5_K_M", "Q6_K"}) {
        QuantiseOptions options;
        options.recipe = recipeFromName(recipe).value();
        for (const char* const family : {"models/qwen3-256", "models/llama", "models/qwen3-moe",
                                         "models-2026/gemma4-e", "models-2026/deepseek2-lite"}) {
            const fs::path target = folder.path() / "model.gguf";
            const auto report = quantiseModel(fs::path(LACUNA_GOLDEN_DIR) / family / "model.gguf",
                                              target, pool, options);
            ASSERT_TRUE(report.has_value()) << family << " " << describe(report.error());
            SCOPED_TRACE(std::string(recipe) + " of " + family);
            expectPlanned(target);
        }
    }
}

TEST(WeightSizes, tablesReadByRow_areNotPlannedAsMemory) {
    const auto path = fs::path(LACUNA_GOLDEN_DIR) / "models-2026" / "gemma4-e" / "model.gguf";
    const auto model = loadModel(path);
    ASSERT_TRUE(model.has_value()) << describe(model.error());
    const ModelSpec& spec = (*model)->spec;
    EXPECT_GT(spec.tableBytes, 0U);
    EXPECT_LT(spec.residentBytes, spec.weightBytes - spec.tableBytes / 2);
    // A separate output matrix leaves the embedding in the file; a tied one needs it in memory.
    const auto untied = loadModel(fs::path(LACUNA_GOLDEN_DIR) / "models" / "llama");
    const auto tied = loadModel(fs::path(LACUNA_GOLDEN_DIR) / "models" / "qwen3-256");
    ASSERT_TRUE(untied.has_value() && tied.has_value());
    EXPECT_GT((*untied)->spec.tableBytes, 0U);
    EXPECT_EQ((*tied)->spec.tableBytes, 0U);
}

}  // namespace
}  // namespace lacuna::test
