// Families with recurrent layers: their layers and sizes from both containers, and refusals that
// name what is not supported.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "engine/base/file.h"
#include "engine/format/convert.h"
#include "engine/format/hf_config.h"
#include "engine/format/load_model.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::recurrent_families {
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

/// A letter for each layer: R recurrent, A attention, B both, F neither; small if the layer has no
/// feed-forward.
std::string layersOf(const ModelSpec& spec) {
    std::string letters;
    for (int i = 0; i < spec.layers; ++i) {
        const LayerSpec layer = spec.layer(i);
        const char letter = layer.mixer == LayerMixer::Attention   ? 'A'
                            : layer.mixer == LayerMixer::Recurrent ? 'R'
                            : layer.mixer == LayerMixer::Both      ? 'B'
                                                                   : 'F';
        letters += layer.mixerOnly ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return letters;
}

struct Expected {
    const char* model;
    const char* layers;
    MixerShape shape;
};

class RecurrentFamily : public testing::TestWithParam<Expected> {};

TEST_P(RecurrentFamily, bothContainers_giveTheSameLayersAndMixers) {
    const Expected& expected = GetParam();
    const auto folder = loaded(pathOf(expected.model));
    ASSERT_TRUE(folder);
    EXPECT_EQ(layersOf(folder->spec), expected.layers);
    EXPECT_EQ(folder->spec.recurrent.shape, expected.shape);
    ASSERT_NE(folder->spec.mixers, nullptr);
    EXPECT_EQ(static_cast<std::ptrdiff_t>(folder->spec.mixers->size()),
              std::ranges::count_if(std::string(expected.layers), [](char letter) {
                  return letter == 'R' || letter == 'r' || letter == 'B';
              }));
    if (!fs::exists(pathOf(expected.model) / "model.gguf")) return;
    const auto file = loaded(pathOf(expected.model) / "model.gguf");
    ASSERT_TRUE(file);
    EXPECT_EQ(layersOf(file->spec), expected.layers);
    MixerShape shape = file->spec.recurrent.shape;
    shape.order = expected.shape.order;  // GGUF files of qwen35 order value heads in tiles
    EXPECT_EQ(shape, expected.shape);
    EXPECT_EQ(file->spec.recurrent.outputGate, folder->spec.recurrent.outputGate);
    EXPECT_EQ(file->spec.attentionGate, folder->spec.attentionGate);
    if (shape.order != file->spec.recurrent.shape.order) return;
    for (std::size_t i = 0; i < folder->spec.mixers->size(); ++i)
        EXPECT_EQ((*file->spec.mixers)[i], (*folder->spec.mixers)[i]) << "mixer " << i;
}

constexpr MixerShape deltaNet(int keyHeads, int valueHeads) {
    return {.kind = MixerKind::DeltaNet,
            .kernel = 4,
            .keyHeads = keyHeads,
            .valueHeads = valueHeads,
            .keyDim = 32,
            .valueDim = 32};
}

constexpr MixerShape mamba(int groups) {
    return {.kind = MixerKind::Mamba2,
            .kernel = 4,
            .keyHeads = groups,
            .valueHeads = 8,
            .keyDim = 16,
            .valueDim = 16};
}

constexpr MixerShape kKimi{.kind = MixerKind::KimiDelta,
                           .kernel = 4,
                           .keyHeads = 2,
                           .valueHeads = 2,
                           .keyDim = 32,
                           .valueDim = 32};
constexpr MixerShape kConvolution{.kind = MixerKind::ShortConvolution, .kernel = 3, .width = 64};

INSTANTIATE_TEST_SUITE_P(Families, RecurrentFamily,
                         testing::Values(Expected{"lfm2", "RRARRA", kConvolution},
                                         Expected{"lfm2moe", "RRARR", kConvolution},
                                         Expected{"qwen35", "RRRARRRA", deltaNet(2, 4)},
                                         Expected{"qwen35-vl", "RRRA", deltaNet(2, 4)},
                                         Expected{"qwen35moe", "RRRA", deltaNet(2, 6)},
                                         Expected{"qwen3next", "RRRA", deltaNet(2, 4)},
                                         Expected{"kimi-linear", "RRRA", kKimi},
                                         Expected{"mamba2", "rrrr", mamba(1)},
                                         Expected{"granitemoehybrid", "RRAR", mamba(1)},
                                         Expected{"granitehybrid-dense", "RRAR", mamba(1)},
                                         Expected{"nemotron-h", "rFraFrF", mamba(2)},
                                         Expected{"nemotron-h-moe", "rFraFrF", mamba(2)},
                                         Expected{"nemotron-h-mixed", "rFrFaF", mamba(2)},
                                         Expected{"falcon-h1", "BB", mamba(1)}),
                         [](const auto& test) {
                             std::string name = test.param.model;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST(RecurrentFamilies, conversionToGguf_isRefusedWithTheReason) {
    const test::TemporaryFolder target;
    const auto report = convertToGguf(pathOf("lfm2"), target.path() / "out.gguf", {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::Unsupported);
    EXPECT_NE(report.error().what.find("lfm2 models are not converted"), std::string::npos);
}

/// Returns the error of a configuration in which a text is replaced.
std::string refusal(const std::string& model, const std::string& from, const std::string& to) {
    std::string text = readFile(pathOf(model) / "config.json", 1U << 20U).value();
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    const auto spec = specFromConfig(text);
    return spec ? "" : describe(spec.error());
}

TEST(RecurrentFamilies, unsupportedFields_areNamed) {
    const auto names = [](const std::string& error, const char* field) {
        return error.find(field) != std::string::npos;
    };
    EXPECT_TRUE(names(refusal("lfm2", "\"conv_bias\": false", "\"conv_bias\": true"), "conv_bias"));
    EXPECT_TRUE(names(refusal("lfm2", "\"conv\",", "\"sliding_attention\","), "sliding_attention"));
    EXPECT_TRUE(
        names(refusal("lfm2", "\"conv_L_cache\": 3", "\"conv_L_cache\": 0"), "convolution"));
    EXPECT_TRUE(
        names(refusal("qwen35", "\"linear_num_value_heads\": 4", "\"linear_num_value_heads\": 3"),
              "value heads is 3"));
    EXPECT_TRUE(names(refusal("nemotron-h", "M-M*-M-", "M-M*-MX"), "hybrid_override_pattern"));
    EXPECT_TRUE(
        names(refusal("nemotron-h-moe", "\"moe_latent_size\": null", "\"moe_latent_size\": 16"),
              "moe_latent_size"));
    EXPECT_TRUE(
        names(refusal("falcon-h1", "\"mamba_conv_bias\": true", "\"mamba_conv_bias\": false"),
              "mamba_conv_bias"));
    EXPECT_TRUE(
        names(refusal("mamba2", "\"conv_kernel\": 4", "\"conv_kernel\": -1"), "conv_kernel"));
}

}  // namespace
}  // namespace lacuna::recurrent_families
