// Families with latent attention: the same facts and matrices from both containers, and refusals
// that name what is not supported.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "engine/base/file.h"
#include "engine/format/convert.h"
#include "engine/format/describe_model.h"
#include "engine/format/hf_config.h"
#include "engine/format/load_model.h"
#include "engine/tensor/block_formats.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::latent_families {
namespace {

namespace fs = std::filesystem;

fs::path pathOf(const std::string& model) {
    return fs::path(LACUNA_GOLDEN_DIR) / "models-2026" / model;
}

std::shared_ptr<const LoadedModel> loaded(const fs::path& path) {
    auto model = loadModel(path);
    EXPECT_TRUE(model.has_value()) << (model ? "" : describe(model.error()));
    return model ? *model : nullptr;
}

std::vector<float> decoded(const WeightMatrix& matrix) {
    const auto columns = static_cast<std::size_t>(matrix.columns);
    std::vector<float> all(static_cast<std::size_t>(matrix.rows) * columns);
    for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row)
        decodeRow(matrix.type, matrix.data + row * rowBytes(matrix.type, columns),
                  std::span(all).subspan(row * columns, columns));
    return all;
}

void expectSameHeads(const std::vector<WeightMatrix>& a, const std::vector<WeightMatrix>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t head = 0; head < a.size(); ++head) {
        EXPECT_EQ(a[head].rows, b[head].rows);
        EXPECT_EQ(decoded(a[head]), decoded(b[head])) << "head " << head;
    }
}

struct Expected {
    const char* model;
    LatentAttention latent;
    ExpertScoring scoring;
    bool normalised;
    double scale;
};

class LatentFamily : public testing::TestWithParam<Expected> {};

TEST_P(LatentFamily, bothContainers_giveTheSameFactsAndMatrices) {
    const Expected& expected = GetParam();
    const auto folder = loaded(pathOf(expected.model));
    const auto file = loaded(pathOf(expected.model) / "model.gguf");
    ASSERT_TRUE(folder && file);
    for (const ModelSpec& spec : {folder->spec, file->spec}) {
        ASSERT_TRUE(spec.latent.has_value());
        EXPECT_EQ(*spec.latent, expected.latent);
        EXPECT_EQ(spec.kvHeads, 1);
        EXPECT_EQ(spec.headDim, expected.latent.keyLength());
        EXPECT_EQ(spec.layer(spec.layers - 1).valueDim, expected.latent.length);
        EXPECT_NEAR(double{spec.attentionScale.value_or(0.0F)}, expected.scale, 1e-6);
        EXPECT_NEAR(double{spec.rope.magnitude}, 1.0, 1e-6);
        EXPECT_EQ(spec.experts.scoring, expected.scoring);
        EXPECT_EQ(spec.experts.normaliseWeights, expected.normalised);
        EXPECT_EQ(spec.experts.selectionBias, expected.scoring == ExpertScoring::Sigmoid);
        EXPECT_EQ(spec.unusedKeys, std::vector<std::string>());
        int attending = 0;
        for (int i = 0; i < spec.layers; ++i) attending += spec.attends(i) ? 1 : 0;
        EXPECT_EQ(kvBytesPerToken(spec, DType::F16),
                  static_cast<std::uint64_t>(2 * attending * expected.latent.keyLength()));
    }
    EXPECT_EQ(folder->spec.parameters, file->spec.parameters);
    EXPECT_EQ(folder->spec.experts.weightScale, file->spec.experts.weightScale);
    EXPECT_EQ(folder->spec.experts.groups, file->spec.experts.groups);
    EXPECT_EQ(folder->spec.experts.groupBest, file->spec.experts.groupBest);
    EXPECT_EQ(folder->spec.experts.sharedFeedForward, file->spec.experts.sharedFeedForward);
    for (int i = 0; i < folder->spec.layers; ++i) {
        const LayerWeights& a = folder->weights.layers[static_cast<std::size_t>(i)];
        const LayerWeights& b = file->weights.layers[static_cast<std::size_t>(i)];
        EXPECT_EQ(folder->spec.layer(i), file->spec.layer(i)) << "layer " << i;
        expectSameHeads(a.latent.keys, b.latent.keys);
        expectSameHeads(a.latent.values, b.latent.values);
        EXPECT_EQ(a.latent.norm, b.latent.norm);
    }
}

/// 0.1 m ln(40) + 1 for YaRN by 40.
double magnitude(double m) {
    return 0.1 * m * std::log(40.0) + 1.0;
}

INSTANTIATE_TEST_SUITE_P(
    Families, LatentFamily,
    testing::Values(
        Expected{"deepseek2-lite",
                 {.length = 16, .rotated = 8, .unrotated = 16, .value = 16},
                 ExpertScoring::Softmax,
                 false,
                 std::pow(magnitude(0.707), 2) / std::sqrt(24.0)},
        Expected{"deepseek3",
                 {.length = 32, .rotated = 16, .unrotated = 16, .value = 16, .queryRank = 48},
                 ExpertScoring::Sigmoid,
                 true,
                 std::pow(magnitude(1.0), 2) / std::sqrt(32.0)},
        Expected{"glm4-moe-lite",
                 {.length = 32, .rotated = 8, .unrotated = 24, .value = 32, .queryRank = 48},
                 ExpertScoring::Sigmoid,
                 true,
                 1.0 / std::sqrt(32.0)},
        Expected{"kimi-linear",
                 {.length = 32, .rotated = 16, .unrotated = 32, .value = 32},
                 ExpertScoring::Sigmoid,
                 true,
                 1.0 / std::sqrt(48.0)}),
    [](const auto& test) {
        std::string name = test.param.model;
        std::ranges::replace(name, '-', '_');
        return name;
    });

TEST(LatentFamilies, conversionToGguf_isRefusedWithTheReason) {
    const test::TemporaryFolder target;
    const auto report = convertToGguf(pathOf("deepseek3"), target.path() / "out.gguf", {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::Unsupported);
    EXPECT_NE(report.error().what.find("latent attention"), std::string::npos);
}

Result<ModelSpec> changed(const std::string& model, const std::string& from,
                          const std::string& to) {
    std::string text = readFile(pathOf(model) / "config.json", 1U << 20U).value();
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    return specFromConfig(text);
}

TEST(LatentFamilies, unsupportedFields_areNamed) {
    const auto refuses = [](const std::string& model, const char* from, const char* to,
                            const char* name) {
        const auto spec = changed(model, from, to);
        ASSERT_FALSE(spec.has_value()) << name;
        EXPECT_NE(describe(spec.error()).find(name), std::string::npos) << describe(spec.error());
    };
    refuses("deepseek3", "\"rope_interleave\": true", "\"rope_interleave\": false",
            "rope_interleave");
    refuses("deepseek3", "\"noaux_tc\"", "\"greedy\"", "topk_method");
    refuses("deepseek3", "\"kv_lora_rank\": 32,", "", "kv_lora_rank");
    refuses("deepseek3", "\"attention_bias\": false", "\"attention_bias\": true", "attention_bias");
    refuses("kimi-linear", "\"mla_use_nope\": true", "\"mla_use_nope\": false", "mla_use_nope");
}

TEST(LatentFamilies, groupsOfDeepseek2_areComparedByTheirBestExpert) {
    const auto spec = changed("deepseek2-lite", "\"n_group\": 1", "\"n_group\": 2");
    ASSERT_TRUE(spec) << describe(spec.error());
    EXPECT_EQ(spec->experts.groups, 1);  // the method "greedy" ignores groups
    const auto limited = changed("deepseek2-lite", "\"topk_method\": \"greedy\"",
                                 "\"topk_method\": \"group_limited_greedy\"");
    ASSERT_TRUE(limited) << describe(limited.error());
    EXPECT_EQ(limited->experts.groupBest, 1);
}

}  // namespace
}  // namespace lacuna::latent_families
