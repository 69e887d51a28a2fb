// Metadata keys and configuration fields that the reader does not use: those that would change the
// computation are refused by name, the others are reported by name.

#include <gtest/gtest.h>

#include <tuple>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/format/gguf_spec.h"
#include "engine/format/hf_config.h"
#include "engine/format/load_model.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using test::GgufBuilder;

GgufBuilder smallFile() {
    GgufBuilder builder;
    builder.text("general.architecture", "llama")
        .u32("llama.block_count", 4)
        .u32("llama.context_length", 64)
        .u32("llama.embedding_length", 8)
        .u32("llama.feed_forward_length", 16)
        .u32("llama.attention.head_count", 2)
        .f32("llama.attention.layer_norm_rms_epsilon", 1e-6F)
        .tensor("token_embd.weight", {8, 10});
    return builder;
}

Result<ModelSpec> specOf(const GgufBuilder& builder) {
    const std::string bytes = builder.build();
    const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)));
    if (!file) return tl::unexpected<Error>(file.error());
    return specFromGguf(*file);
}

TEST(GgufRope, factorWithoutType_isLinear) {
    const auto linear = specOf(
        smallFile().text("llama.rope.scaling.type", "linear").f32("llama.rope.scaling.factor", 2));
    const auto untyped = specOf(smallFile().f32("llama.rope.scaling.factor", 2));
    ASSERT_TRUE(linear && untyped);
    EXPECT_EQ(untyped->rope.scaling, RopeSpec::Scaling::Linear);
    EXPECT_EQ(untyped->rope.factor, linear->rope.factor);
    for (const float none : {0.0F, 1.0F}) {
        const auto spec = specOf(smallFile().f32("llama.rope.scaling.factor", none));
        ASSERT_TRUE(spec) << spec.error().what;
        EXPECT_EQ(spec->rope.scaling, RopeSpec::Scaling::None);
    }
    const auto off = specOf(
        smallFile().text("llama.rope.scaling.type", "none").f32("llama.rope.scaling.factor", 2));
    ASSERT_TRUE(off);
    EXPECT_EQ(off->rope.scaling, RopeSpec::Scaling::None);
}

struct KeyRow {
    const char* suffix;
    float refused;
    float taken;
};

TEST(GgufKeys, unusedKeyThatChangesTheComputation_isRefusedUnlessNeutral) {
    for (const KeyRow& row : {KeyRow{"attention.clamp_kqv", 8, 0},
                              {"attention.max_alibi_bias", 8, 0},
                              {"attention.temperature_scale", 0.1F, 0},
                              {"attention.output_scale", 2, 1},
                              {"router_logit_softcapping", 30, 0},
                              {"rope.scaling.attn_factor", 1.5F, 1},
                              {"rope.scaling.yarn_attn_factor", 1.5F, 1},
                              {"rope.scaling.yarn_ext_factor", 1, -1},
                              {"rope.scaling.alpha", 1000, 1},
                              {"attention.key_length_swa", 8, 4},
                              {"embedding_length_out", 16, 8},
                              {"leading_dense_block_count", 1, 0},
                              {"nextn_predict_layers", 1, 0},
                              {"use_parallel_residual", 1, 0},
                              {"ssm.conv_kernel", 4, 0}}) {
        const std::string key = std::string("llama.") + row.suffix;
        const auto refused = specOf(smallFile().f32(key, row.refused));
        ASSERT_FALSE(refused) << key;
        EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
        EXPECT_NE(refused.error().what.find(key), std::string::npos) << refused.error().what;
        const auto taken = specOf(smallFile().f32(key, row.taken));
        ASSERT_TRUE(taken) << taken.error().what;
        EXPECT_TRUE(taken->unusedKeys.empty()) << key;
    }
    EXPECT_FALSE(specOf(smallFile().raw("llama.attention.causal", 7, std::string(1, '\0'))));
    EXPECT_TRUE(specOf(smallFile().raw("llama.attention.causal", 7, std::string(1, '\1'))));
    EXPECT_FALSE(specOf(smallFile().text("llama.tensor_data_layout", "transposed")));
    EXPECT_TRUE(specOf(smallFile().text("llama.tensor_data_layout", "Meta AI original pth")));
    EXPECT_FALSE(specOf(smallFile().text("llama.hidden_activation", "gelu")));
    EXPECT_TRUE(specOf(smallFile().text("llama.hidden_activation", "silu")));
    EXPECT_FALSE(specOf(
        smallFile().numbers<std::int32_t>("llama.rope.dimension_sections", 5, {16, 24, 24, 0})));
}

TEST(GgufKeys, unknownKey_isReportedByName) {
    const auto spec = specOf(smallFile()
                                 .f32("llama.rope.scaling.surprise", 2)
                                 .u32("tokenizer.ggml.surprise", 1)
                                 .text("general.surprise", "x")
                                 .u32("qwen2.block_count", 3)
                                 .u32("llama.vocab_size", 10));
    ASSERT_TRUE(spec) << spec.error().what;
    EXPECT_EQ(spec->unusedKeys,
              (std::vector<std::string>{"llama.rope.scaling.surprise", "tokenizer.ggml.surprise"}));
    EXPECT_NE(spec->unusedKeysNote().find("llama.rope.scaling.surprise, tokenizer.ggml.surprise"),
              std::string::npos);
    EXPECT_TRUE(specOf(smallFile())->unusedKeysNote().empty());
}

TEST(GgufKeys, modelsOfThisProject_haveNoUnknownKeys) {
    for (const char* name : {"pilot-29m-q8_0.gguf", "smollm2-135m-lacuna-q4_1.gguf"}) {
        const auto file =
            GgufFile::open(std::filesystem::path(LACUNA_RESOURCE_DIR) / "models" / name);
        ASSERT_TRUE(file) << file.error().what;
        const auto spec = specFromGguf(*file);
        ASSERT_TRUE(spec) << spec.error().what;
        EXPECT_EQ(spec->unusedKeysNote(), "");
    }
}

Json smallConfig() {
    return Json{{"model_type", "llama"},    {"num_hidden_layers", 2},
                {"hidden_size", 128},       {"intermediate_size", 256},
                {"vocab_size", 512},        {"max_position_embeddings", 2048},
                {"num_attention_heads", 4}, {"num_key_value_heads", 2},
                {"rms_norm_eps", 1e-6},     {"torch_dtype", "bfloat16"}};
}

Result<ModelSpec> specWith(const char* field, const Json& value) {
    Json config = smallConfig();
    config[field] = value;
    return specFromConfig(config.dump());
}

TEST(HfConfig, unusedFieldThatChangesTheComputation_isRefusedUnlessNeutral) {
    for (const auto& [field, refused, taken] :
         {std::tuple<const char*, Json, Json>{"logits_scaling", 8.0, 1.0},
          {"embedding_multiplier", 12.0, 1.0},
          {"residual_multiplier", 0.2, 1},
          {"final_logit_softcapping", 30.0, nullptr},
          {"query_pre_attn_scalar", 256, nullptr},
          {"clip_qkv", 8.0, nullptr},
          {"use_mrope", true, false},
          {"rope_interleaved", true, false},
          {"use_qk_norm", true, false},
          {"first_k_dense_replace", 1, 0},
          {"scoring_func", "sigmoid", "softmax"},
          {"routed_scaling_factor", 2.5, 1.0},
          {"q_lora_rank", 1536, nullptr},
          {"is_causal", false, true}}) {
        const auto bad = specWith(field, refused);
        ASSERT_FALSE(bad) << field;
        EXPECT_EQ(bad.error().code, ErrorCode::Unsupported);
        EXPECT_NE(bad.error().what.find(field), std::string::npos) << bad.error().what;
        const auto good = specWith(field, taken);
        ASSERT_TRUE(good) << good.error().what;
        EXPECT_TRUE(good->unusedKeys.empty()) << field;
    }
}

TEST(HfConfig, unknownRopeField_isRefused) {
    for (const auto& [field, value] : {std::pair<const char*, Json>{"mrope_section", {16, 24, 24}},
                                       {"short_mscale", 1.2},
                                       {"llama_4_scaling_beta", 0.1},
                                       {"surprise", "yes"}}) {
        const auto spec = specWith("rope_scaling",
                                   Json{{"rope_type", "linear"}, {"factor", 2.0}, {field, value}});
        ASSERT_FALSE(spec) << field;
        EXPECT_NE(spec.error().what.find(std::string("rope_scaling.") + field), std::string::npos)
            << spec.error().what;
    }
}

TEST(HfConfig, unknownField_isReportedByName) {
    const auto spec = specWith("surprise", 3);
    ASSERT_TRUE(spec) << spec.error().what;
    EXPECT_EQ(spec->unusedKeys, std::vector<std::string>{"surprise"});
    EXPECT_TRUE(specFromConfig(smallConfig().dump())->unusedKeys.empty());
}

TEST(LoadModel, tiedOutput_isCountedOnce) {
    const auto loaded =
        loadModel(std::filesystem::path(LACUNA_GOLDEN_DIR) / "models" / "llama" / "model.gguf");
    ASSERT_TRUE(loaded) << loaded.error().what;
    const ModelSpec& spec = (*loaded)->spec;
    ASSERT_FALSE(spec.tiedEmbeddings);
    const auto matrix =
        static_cast<std::uint64_t>(spec.hidden) * static_cast<std::uint64_t>(spec.vocabulary);
    auto bytes =
        readFile(std::filesystem::path(LACUNA_GOLDEN_DIR) / "models" / "llama" / "model.gguf",
                 std::size_t{64} << 20)
            .value();
    const auto file = GgufFile::parse(std::as_bytes(std::span(bytes)));
    ASSERT_TRUE(file);
    const TensorInfo* const embedding = file->find("token_embd.weight");
    const TensorInfo* const output = file->find("output.weight");
    ASSERT_TRUE(embedding != nullptr && output != nullptr);
    ASSERT_EQ(embedding->bytes, output->bytes);
    const auto placeOf = [&](const TensorInfo& tensor) {
        return static_cast<std::size_t>(tensor.data -
                                        reinterpret_cast<const std::byte*>(bytes.data()));
    };
    bytes.replace(placeOf(*output), output->bytes,
                  bytes.substr(placeOf(*embedding), embedding->bytes));
    const test::TemporaryFolder folder;
    const auto path = folder.write("twice.gguf", bytes);
    const auto twice = loadModel(path);
    ASSERT_TRUE(twice) << twice.error().what;
    EXPECT_EQ((*twice)->spec.parameters + matrix, spec.parameters);
    EXPECT_EQ((*twice)->spec.weightBytes, spec.weightBytes);
}

}  // namespace
}  // namespace lacuna
