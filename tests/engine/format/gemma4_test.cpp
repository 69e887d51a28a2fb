// Gemma 4: layers of different sizes, shared caches, keys as values, proportional rotary
// embeddings, per-layer embeddings, and experts in parallel with a dense feed-forward, from both
// containers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/random.h"
#include "engine/format/convert.h"
#include "engine/format/cut_layers.h"
#include "engine/format/describe_model.h"
#include "engine/format/gguf.h"
#include "engine/format/gguf_spec.h"
#include "engine/format/hf_config.h"
#include "engine/format/load_model.h"
#include "engine/format/load_weights.h"
#include "engine/format/model_container.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::gemma4 {
namespace {

namespace fs = std::filesystem;

fs::path pathOf(const std::string& model, const char* file = "") {
    return fs::path(LACUNA_GOLDEN_DIR) / "models-2026" / model / file;
}

std::shared_ptr<const LoadedModel> loaded(const fs::path& path) {
    auto model = loadModel(path);
    EXPECT_TRUE(model.has_value()) << (model ? "" : describe(model.error()));
    return model ? *model : nullptr;
}

Json configOf(const std::string& model) {
    return *parseJson(*readFile(pathOf(model, "config.json"), 1 << 20));
}

Result<ModelSpec> specOf(const Json& config) {
    return specFromConfig(config.dump());
}

/// Expects that a configuration is refused with a code and words.
void expectRefusal(const Json& config, ErrorCode code, const char* words) {
    const auto spec = specOf(config);
    ASSERT_FALSE(spec.has_value()) << words;
    EXPECT_EQ(spec.error().code, code) << spec.error().what;
    EXPECT_NE(spec.error().what.find(words), std::string::npos) << spec.error().what;
}

class BothFiles : public testing::TestWithParam<const char*> {};

void expectRules(const ModelSpec& spec) {
    EXPECT_EQ(spec.architecture, "gemma4");
    EXPECT_EQ(spec.hidden, 64);
    EXPECT_EQ(spec.heads, 4);
    EXPECT_EQ(spec.headDim, 32);
    EXPECT_EQ(spec.window, 16);
    EXPECT_EQ(spec.attentionScale, 1.0F);
    EXPECT_EQ(spec.embeddingScale, 8.0F);
    EXPECT_EQ(spec.logitSoftCap, 30.0F);
    EXPECT_EQ(spec.attentionSoftCap, 0.0F);
    EXPECT_EQ(spec.activation, Activation::GeluTanh);
    EXPECT_EQ(spec.norms, NormPlacement::Both);
    EXPECT_EQ(spec.qkNorm, QkNorm::PerHead);
    EXPECT_TRUE(spec.valueNorm);
    EXPECT_TRUE(spec.tiedEmbeddings);
    EXPECT_FALSE(spec.uniformCache());
    EXPECT_TRUE(spec.unusedKeys.empty()) << spec.unusedKeysNote();
}

void expectRopes(const ModelSpec& spec) {
    EXPECT_EQ(spec.rope.dim, 32);
    EXPECT_EQ(spec.rope.base, 1e6F);
    std::vector<float> factors(16, kUnrotatedPair);
    std::fill_n(factors.begin(), 4, 1.0F);
    EXPECT_EQ(spec.rope.frequencyFactors, factors);
    ASSERT_TRUE(spec.localRope.has_value());
    EXPECT_EQ(spec.localRope->dim, 16);
    EXPECT_EQ(spec.localRope->base, 1e4F);
    EXPECT_TRUE(spec.localRope->frequencyFactors.empty());
}

TEST_P(BothFiles, spec_holdsTheRulesOfTheFamily) {
    for (const char* model : {"gemma4-e", "gemma4-moe", "gemma4-vl"}) {
        const auto found = loaded(pathOf(model, GetParam()));
        ASSERT_TRUE(found) << model;
        expectRules(found->spec);
        expectRopes(found->spec);
    }
}

TEST_P(BothFiles, e_hasSharedCachesAndWideLayers) {
    const auto model = loaded(pathOf("gemma4-e", GetParam()));
    ASSERT_TRUE(model);
    const ModelSpec& spec = model->spec;
    EXPECT_EQ(spec.layers, 8);
    EXPECT_EQ(spec.kvHeads, 1);
    EXPECT_EQ(spec.feedForward, 192);
    EXPECT_EQ(spec.layerEmbedding, 16);
    EXPECT_EQ(spec.experts.count, 0);
    for (int i = 0; i < 8; ++i) {
        const LayerSpec layer = spec.layer(i);
        const bool full = i == 3 || i == 7;
        EXPECT_EQ(layer.sliding, !full) << i;
        EXPECT_EQ(layer.headDim, full ? 32 : 16) << i;
        EXPECT_EQ(layer.feedForward, i < 4 ? 96 : 192) << i;
        EXPECT_FALSE(layer.keysAsValues) << i;
        EXPECT_EQ(spec.cacheLayer(i), i < 4 ? i : full ? 3 : 2) << i;
        const LayerWeights& weights = model->weights.layers[static_cast<std::size_t>(i)];
        EXPECT_EQ(weights.key.empty(), i >= 4) << i;
        EXPECT_EQ(weights.value.empty(), i >= 4) << i;
        EXPECT_EQ(weights.keyNorm.empty(), i >= 4) << i;
        EXPECT_EQ(weights.query.rows, full ? 128 : 64) << i;
        EXPECT_EQ(weights.layerGate.rows, 16) << i;
        EXPECT_EQ(weights.postLayerNorm.size(), 64U) << i;
        EXPECT_NE(weights.outputScale, 1.0F) << i;
    }
    EXPECT_EQ(model->weights.layerEmbedding.rows, 512);
    EXPECT_EQ(model->weights.layerEmbedding.columns, 128);
    EXPECT_EQ(model->weights.layerProjection.rows, 128);
    EXPECT_EQ(model->weights.layerProjectionNorm.size(), 16U);
    EXPECT_EQ(spec.parameters, 439112U);
    EXPECT_EQ(kvBytesPerToken(spec, DType::F32), 640U);
}

TEST_P(BothFiles, experts_runInParallelWithTheDenseFeedForward) {
    for (const char* name : {"gemma4-moe", "gemma4-vl"}) {
        const auto model = loaded(pathOf(name, GetParam()));
        ASSERT_TRUE(model);
        const ModelSpec& spec = model->spec;
        EXPECT_EQ(spec.experts.count, name == std::string("gemma4-moe") ? 8 : 6);
        EXPECT_EQ(spec.experts.perToken, 2);
        EXPECT_EQ(spec.experts.feedForward, 32);
        EXPECT_TRUE(spec.experts.normaliseWeights);
        EXPECT_TRUE(spec.experts.parallelToDense);
        EXPECT_EQ(spec.layerEmbedding, 0);
        EXPECT_EQ(spec.kvHeads, 2);
        for (int i = 0; i < 4; ++i) {
            const LayerSpec layer = spec.layer(i);
            EXPECT_TRUE(layer.experts) << i;
            EXPECT_EQ(layer.kvHeads, i == 3 ? 1 : 2) << i;
            EXPECT_EQ(layer.keysAsValues, i == 3) << i;
            EXPECT_EQ(spec.cacheLayer(i), i);
            const LayerWeights& weights = model->weights.layers[static_cast<std::size_t>(i)];
            EXPECT_FALSE(weights.key.empty()) << i;
            EXPECT_EQ(weights.value.empty(), i == 3) << i;
            EXPECT_EQ(weights.down.columns, 96) << i;
            ASSERT_EQ(weights.experts.size(), static_cast<std::size_t>(spec.experts.count));
            EXPECT_EQ(weights.experts[1].down.scale, 1.0F) << i;  // expertScale holds it
            EXPECT_EQ(weights.experts[1].gate.rows, 32) << i;
            EXPECT_EQ(weights.expertScale.size(), weights.experts.size()) << i;
            EXPECT_EQ(weights.routerScale.size(), 64U) << i;
            EXPECT_EQ(weights.postDenseNorm.size(), 64U) << i;
            EXPECT_EQ(weights.expertNorm.size(), 64U) << i;
            EXPECT_EQ(weights.postExpertNorm.size(), 64U) << i;
        }
        EXPECT_EQ(kvBytesPerToken(spec, DType::F32), 1024U);
    }
}

INSTANTIATE_TEST_SUITE_P(Containers, BothFiles, testing::Values("", "model.gguf"),
                         [](const auto& test) {
                             return std::string(*test.param == '\0' ? "safetensors" : "gguf");
                         });

TEST(Gemma4Files, imageEncoder_isIgnoredWithANotice) {
    const auto model = loaded(pathOf("gemma4-vl"));
    ASSERT_TRUE(model);
    EXPECT_TRUE(model->spec.imageEncoder);
}

TEST(Gemma4Files, description_namesRunsOfEqualLayers) {
    const auto json = describeModel(pathOf("gemma4-e", "model.gguf"));
    ASSERT_TRUE(json.has_value()) << describe(json.error());
    const OrderedJson expected{
        "layers 0-2: 4 heads of 16, 1 KV head, window 16, feed-forward 96",
        "layer 3: 4 heads of 32, 1 KV head, feed-forward 96",
        "layers 4-6: 4 heads of 16, 1 KV head, window 16, feed-forward 192, reads the cache of "
        "layer 2",
        "layer 7: 4 heads of 32, 1 KV head, feed-forward 192, reads the cache of layer 3"};
    EXPECT_EQ((*json)["layers"], expected) << (*json)["layers"].dump();
    EXPECT_EQ((*json)["rope"]["pairs_that_rotate"], 4);
    EXPECT_EQ((*json)["kv_bytes_per_token"]["F32"], 640);
}

TEST(Gemma4Files, layersOfDifferentKinds_areNotCut) {
    const test::TemporaryFolder folder;
    const std::vector<int> keep{0, 1};
    const auto report =
        cutLayers(pathOf("gemma4-e", "model.gguf"), folder.path() / "cut.gguf", keep);
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, ErrorCode::Unsupported);
}

// ------------------------------------------------------------------ config.json

TEST(Gemma4Config, gemma_4_e2b) {
    Json text{{"model_type", "gemma4_text"},
              {"attention_k_eq_v", false},
              {"enable_moe_block", false},
              {"final_logit_softcapping", 30.0},
              {"global_head_dim", 512},
              {"head_dim", 256},
              {"hidden_activation", "gelu_pytorch_tanh"},
              {"hidden_size", 1536},
              {"hidden_size_per_layer_input", 256},
              {"intermediate_size", 6144},
              {"max_position_embeddings", 131072},
              {"num_attention_heads", 8},
              {"num_global_key_value_heads", nullptr},
              {"num_hidden_layers", 35},
              {"num_key_value_heads", 1},
              {"num_kv_shared_layers", 20},
              {"rms_norm_eps", 1e-6},
              {"rope_parameters", configOf("gemma4-e")["rope_parameters"]},
              {"sliding_window", 512},
              {"use_double_wide_mlp", true},
              {"vocab_size", 262144},
              {"vocab_size_per_layer_input", 262144}};
    for (int i = 0; i < 35; ++i)
        text["layer_types"].push_back((i + 1) % 5 == 0 ? "full_attention" : "sliding_attention");
    const auto spec = specOf(Json{{"model_type", "gemma4"},
                                  {"audio_config", {{"model_type", "gemma4_audio"}}},
                                  {"text_config", text}});
    ASSERT_TRUE(spec.has_value()) << describe(spec.error());
    EXPECT_EQ(spec->cacheLayer(14), 14);
    EXPECT_EQ(spec->cacheLayer(15), 13);
    EXPECT_EQ(spec->cacheLayer(34), 14);
    EXPECT_EQ(spec->layer(14).feedForward, 6144);
    EXPECT_EQ(spec->layer(15).feedForward, 12288);
    EXPECT_EQ(spec->rope.dim, 512);
    EXPECT_EQ(std::ranges::count(spec->rope.frequencyFactors, 1.0F), 64);
    EXPECT_EQ(spec->localRope->dim, 256);
    EXPECT_TRUE(spec->unusedKeys.empty()) << spec->unusedKeysNote();
    // 12 layers of 256 and 3 of 512 have a cache, keys and values of two bytes.
    EXPECT_EQ(kvBytesPerToken(*spec, DType::F16), (12U * 256U + 3U * 512U) * 4U);
}

TEST(Gemma4Config, formOfTransformers5_givesTheSameLayers) {
    for (const char* name : {"gemma4-e", "gemma4-moe"}) {
        const Json published = configOf(name);
        Json config = published;
        config.erase("global_head_dim");
        config.erase("num_global_key_value_heads");
        for (std::size_t i = 0; i < published["layer_types"].size(); ++i) {
            if (published["layer_types"][i] != "full_attention") continue;
            Json& own = config["per_layer_config"][std::to_string(i)];
            own["head_dim"] = 32;
            if (name == std::string("gemma4-moe")) own["num_key_value_heads"] = 1;
        }
        const auto spec = specOf(config);
        ASSERT_TRUE(spec.has_value()) << describe(spec.error());
        EXPECT_EQ(spec->layerSpecs, specOf(published)->layerSpecs) << name;
        EXPECT_EQ(spec->rope.dim, 32);
    }
}

TEST(Gemma4Config, globalHeadsSmallerThanLocalOnes_giveEachRopeItsWidth) {
    Json config = configOf("gemma4-moe");
    config["head_dim"] = 32;
    config["global_head_dim"] = 16;
    const auto spec = specOf(config);
    ASSERT_TRUE(spec.has_value()) << describe(spec.error());
    EXPECT_EQ(spec->headDim, 32);
    EXPECT_EQ(spec->layer(3).headDim, 16);
    EXPECT_EQ(spec->rope.dim, 16);
    EXPECT_EQ(spec->rope.frequencyFactors.size(), 8U);
    EXPECT_EQ(std::ranges::count(spec->rope.frequencyFactors, 1.0F), 2);
    EXPECT_EQ(spec->localRope->dim, 32);
}

TEST(Gemma4Config, valuesOfTheirOwn_useTheUsualNumberOfKvHeads) {
    Json config = configOf("gemma4-moe");
    config["attention_k_eq_v"] = false;
    const auto spec = specOf(config);
    ASSERT_TRUE(spec.has_value()) << describe(spec.error());
    EXPECT_EQ(spec->layer(3).kvHeads, 2);
    EXPECT_FALSE(spec->layer(3).keysAsValues);
}

TEST(Gemma4Config, expertsSwitchedOff_areNotRead) {
    Json config = configOf("gemma4-moe");
    config["enable_moe_block"] = false;
    const auto spec = specOf(config);
    ASSERT_TRUE(spec.has_value()) << describe(spec.error());
    EXPECT_EQ(spec->experts.count, 0);
    EXPECT_FALSE(spec->layer(0).experts);
}

TEST(Gemma4Config, bidirectionalAttention_isAcceptedForImagesOnly) {
    Json config = configOf("gemma4-e");
    config["use_bidirectional_attention"] = "vision";
    EXPECT_TRUE(specOf(config).has_value());
    config["use_bidirectional_attention"] = true;
    expectRefusal(config, ErrorCode::Unsupported, "use_bidirectional_attention");
}

TEST(Gemma4Config, impossibleSizes_areRefused) {
    const auto refuses = [](const char* field, const Json& value, ErrorCode code,
                            const char* words) {
        Json config = configOf("gemma4-e");
        config[field] = value;
        expectRefusal(config, code, words);
    };
    refuses("num_kv_shared_layers", 8, ErrorCode::ModelBadLayers, "num_kv_shared_layers is 8");
    refuses("num_kv_shared_layers", 5, ErrorCode::ModelBadLayers, "lacks a sliding window");
    refuses("num_kv_shared_layers", -1, ErrorCode::ModelBadLayers, "num_kv_shared_layers");
    refuses("global_head_dim", 0, ErrorCode::ModelBadDim, "size 0");
    refuses("global_head_dim", 33, ErrorCode::ModelBadRope, "even number");
    refuses("num_key_value_heads", 0, ErrorCode::ModelBadHeads, "0 KV heads");
    refuses("num_key_value_heads", 3, ErrorCode::ModelBadHeads, "3 KV heads");
    refuses("intermediate_size", 1 << 22, ErrorCode::ModelBadDim, "feed-forward size");
    refuses("hidden_size_per_layer_input", 1 << 21, ErrorCode::ModelBadDim, "per-layer embedding");
    refuses("vocab_size_per_layer_input", 100, ErrorCode::Unsupported,
            "vocab_size_per_layer_input");
    refuses("layer_types", Json::array({"full_attention"}), ErrorCode::ModelBadLayers,
            "lists 1 layers");
    refuses("per_layer_config", Json{{"8", {{"head_dim", 16}}}}, ErrorCode::Config,
            "per_layer_config");
    refuses("per_layer_config", Json{{"x", {{"head_dim", 16}}}}, ErrorCode::Config,
            "per_layer_config");
    refuses("per_layer_config", Json{{"7", {{"num_key_value_heads", 2}}}},
            ErrorCode::ModelBadLayers, "layer 7 with 2 KV heads of 32 reads the cache of layer 3");
    refuses("per_layer_config", Json{{"2", {{"rope_theta", 1.0}}}}, ErrorCode::Unsupported,
            "rope_theta");
    refuses("rope_parameters", nullptr, ErrorCode::ModelMissingKey,
            "rope_parameters.full_attention");
}

TEST(Gemma4Config, expertsWithoutTheirWidth_areRefused) {
    Json config = configOf("gemma4-moe");
    config["moe_intermediate_size"] = nullptr;
    expectRefusal(config, ErrorCode::ModelMissingKey, "moe_intermediate_size");
    config["moe_intermediate_size"] = 32;
    config["top_k_experts"] = nullptr;
    expectRefusal(config, ErrorCode::ModelMissingKey, "top_k_experts");
}

// ------------------------------------------------------------------ GGUF metadata

constexpr std::uint32_t kInt32 = 5;
constexpr std::uint32_t kBool = 7;

/// Metadata of four layers, the last of which is full, and one that shares a cache.
test::GgufBuilder metadata() {
    test::GgufBuilder builder;
    builder.text("general.architecture", "gemma4")
        .u32("gemma4.block_count", 4)
        .u32("gemma4.context_length", 64)
        .u32("gemma4.embedding_length", 8)
        .numbers<std::int32_t>("gemma4.feed_forward_length", kInt32, {16, 16, 16, 32})
        .u32("gemma4.attention.head_count", 4)
        .numbers<std::int32_t>("gemma4.attention.head_count_kv", kInt32, {2, 1, 2, 1})
        .u32("gemma4.attention.key_length", 8)
        .u32("gemma4.attention.value_length", 8)
        .u32("gemma4.attention.key_length_swa", 4)
        .u32("gemma4.attention.value_length_swa", 4)
        .u32("gemma4.rope.dimension_count", 8)
        .u32("gemma4.rope.dimension_count_swa", 4)
        .u32("gemma4.attention.sliding_window", 16)
        .numbers<std::uint8_t>("gemma4.attention.sliding_window_pattern", kBool, {1, 0, 1, 0})
        .u32("gemma4.attention.shared_kv_layers", 1)
        .f32("gemma4.attention.layer_norm_rms_epsilon", 1e-6F)
        .tensor("token_embd.weight", {8, 10});
    return builder;
}

Result<ModelSpec> specOf(const test::GgufBuilder& builder) {
    const std::string bytes = builder.build();
    const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)));
    EXPECT_TRUE(file.has_value());
    return specFromGguf(*file);
}

TEST(Gemma4Gguf, sizesByLayer_areRead) {
    const auto spec = specOf(metadata());
    ASSERT_TRUE(spec.has_value()) << describe(spec.error());
    EXPECT_EQ(spec->kvHeads, 2);
    EXPECT_EQ(spec->layer(0).headDim, 4);
    EXPECT_EQ(spec->layer(1).kvHeads, 1);
    EXPECT_EQ(spec->layer(3).feedForward, 32);
    EXPECT_EQ(spec->cacheLayer(3), 1);
    EXPECT_EQ(spec->localRope->dim, 4);
    EXPECT_EQ(spec->localRope->base, 1e4F);
}

TEST(Gemma4Gguf, wrongListsAndSizes_areRefused) {
    using enum ErrorCode;
    struct BadKey {
        const char* key;
        std::function<void(test::GgufBuilder&, const std::string&)> change;
        ErrorCode code;
        const char* words;
    };
    const auto list = [](std::vector<std::int32_t> values) {
        return [values](test::GgufBuilder& b, const std::string& key) {
            b.numbers<std::int32_t>(key, kInt32, values);
        };
    };
    const auto number = [](std::uint32_t value) {
        return [value](test::GgufBuilder& b, const std::string& key) { b.u32(key, value); };
    };
    const std::vector<BadKey> cases{
        {"attention.head_count_kv", list({2, 1}), ModelBadHeads, "lists 2 layers"},
        {"attention.head_count_kv", list({}), ModelBadHeads, "lists 0 layers"},
        {"attention.head_count_kv", list({2, 0, 2, 1}), ModelBadHeads, "layer 1 has 0 KV heads"},
        {"attention.head_count_kv", list({2, -1, 2, 1}), ModelBadHeads, "layer 1 has -1 KV heads"},
        {"attention.head_count_kv", list({2, 1, 3, 1}), ModelBadHeads, "3 KV heads"},
        {"attention.head_count_kv", list({2, 2, 2, 1}), ModelBadLayers, "same kind and size"},
        {"feed_forward_length", list({16, 16, 16}), ModelBadDim, "lists 3 layers"},
        {"feed_forward_length", list({16, 0, 16, 16}), ModelBadDim, "size 0"},
        {"attention.key_length_swa", number(0), ModelBadDim, "differ"},
        {"attention.value_length_swa", number(8), ModelBadDim, "value_length_swa 8 differ"},
        {"attention.shared_kv_layers", number(4), ModelBadLayers, "shared_kv_layers is 4"},
        {"attention.shared_kv_layers", number(3), ModelBadLayers, "lacks a sliding window"},
        {"attention.shared_kv_layers", number(0xFFFFFFFF), ModelBadLayers, "4294967295"},
        {"rope.dimension_count_swa", number(8), ModelBadRope, "head size 4"},
        {"rope.dimension_count", number(10), ModelBadRope, "head size 8"},
        {"embedding_length_per_layer_input", number(1U << 21), ModelBadDim, "per-layer embedding"},
    };
    for (const BadKey& bad : cases) {
        test::GgufBuilder builder = metadata();
        const std::string key = std::string("gemma4.") + bad.key;
        builder.without(key);
        bad.change(builder, key);
        const auto spec = specOf(builder);
        ASSERT_FALSE(spec.has_value()) << bad.key << " " << bad.words;
        EXPECT_EQ(spec.error().code, bad.code) << spec.error().what;
        EXPECT_NE(spec.error().what.find(bad.words), std::string::npos) << spec.error().what;
    }
}

// ------------------------------------------------------------------ tensors

/// Overwrites a tensor's name in a copy of a golden file by another of the same length, and loads
/// it.
Result<std::shared_ptr<const LoadedModel>> withRenamed(const char* model, std::string_view name,
                                                       std::string_view replacement) {
    std::string bytes = *readFile(pathOf(model, "model.gguf"), 1 << 24);
    const std::size_t at = bytes.find(name);
    EXPECT_NE(at, std::string::npos) << name;
    EXPECT_EQ(name.size(), replacement.size());
    if (at != std::string::npos) bytes.replace(at, name.size(), replacement);
    const test::TemporaryFolder folder;
    return loadModel(folder.write("model.gguf", bytes));
}

TEST(Gemma4Gguf, missingAndUnknownTensors_areNamed) {
    const auto unknown = [](const char* model, const std::string& name) {
        const auto found = withRenamed(model, name, name.substr(0, name.size() - 7) + ".xxxxxx");
        ASSERT_FALSE(found.has_value()) << name;
        EXPECT_EQ(found.error().code, ErrorCode::Unsupported) << found.error().what;
        EXPECT_NE(found.error().what.find(".xxxxxx"), std::string::npos) << found.error().what;
    };
    unknown("gemma4-e", "per_layer_token_embd.weight");
    unknown("gemma4-e", "blk.5.layer_output_scale.weight");
    // A sliding layer needs its values; only full layers may use their keys instead.
    const auto values = withRenamed("gemma4-moe", "blk.1.attn_v.weight", "blk.3.attn_v.weight");
    ASSERT_FALSE(values.has_value());
    EXPECT_NE(values.error().what.find("attn_v.weight"), std::string::npos) << values.error().what;
}

/// All steps of loading on a file in memory, except its tokenizer.
Status loadBytes(const std::string& bytes) {
    LACUNA_TRY(const GgufFile file, GgufFile::parse(std::as_bytes(std::span(bytes))));
    LACUNA_TRY(ModelSpec spec, specFromGguf(file));
    LACUNA_TRY(spec, withTensorFacts(std::move(spec), file, Container::Gguf, file.headerBytes()));
    return loadWeights(spec, file, Container::Gguf, {}).map([](const Weights&) {});
}

// The seed is fixed so that failures can be reproduced.
TEST(Gemma4Gguf, randomlyDamagedMetadata_isReadOrRefused) {
    constexpr std::uint64_t kSeed = 20261129;
    constexpr int kRounds = 600;
    RandomStream random(kSeed, 1);
    for (const char* model : {"gemma4-e", "gemma4-moe"}) {
        std::string bytes = *readFile(pathOf(model, "model.gguf"), 1 << 24);
        ASSERT_TRUE(loadBytes(bytes).has_value());
        const std::size_t first = bytes.find("gemma4.block_count");
        const std::size_t end = bytes.find("tokenizer.ggml");
        ASSERT_LT(first, end);
        int refused = 0;
        for (int round = 0; round < kRounds; ++round) {
            const std::size_t at = first + random.below(end - first);
            const char before = bytes[at];
            bytes[at] = static_cast<char>(random.below(256));
            refused += loadBytes(bytes).has_value() ? 0 : 1;
            bytes[at] = before;
        }
        EXPECT_GT(refused, kRounds / 4) << model;
    }
}

}  // namespace
}  // namespace lacuna::gemma4
