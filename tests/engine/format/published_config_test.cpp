// The configurations of published models, reduced to the fields of a specification, with the values
// that transformers 5 derives from them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "engine/base/json.h"
#include "engine/format/hf_config.h"

namespace lacuna {
namespace {

ModelSpec specOf(const Json& config) {
    const auto spec = specFromConfig(config.dump());
    EXPECT_TRUE(spec.has_value()) << (spec ? "" : describe(spec.error()));
    return spec.value_or(ModelSpec());
}

Json sizes(const char* type, std::array<int, 7> numbers) {
    return Json{{"model_type", type},
                {"num_hidden_layers", numbers[0]},
                {"hidden_size", numbers[1]},
                {"intermediate_size", numbers[2]},
                {"num_attention_heads", numbers[3]},
                {"num_key_value_heads", numbers[4]},
                {"vocab_size", numbers[5]},
                {"max_position_embeddings", numbers[6]}};
}

std::vector<bool> sliding(const ModelSpec& spec) {
    std::vector<bool> out;
    for (int i = 0; i < spec.layers; ++i) out.push_back(spec.layer(i).sliding);
    return out;
}

TEST(PublishedConfig, llama_3_2_1b) {
    Json config = sizes("llama", {16, 2048, 8192, 32, 8, 128256, 131072});
    config.update(Json{{"attention_bias", false},
                       {"head_dim", 64},
                       {"hidden_act", "silu"},
                       {"mlp_bias", false},
                       {"rms_norm_eps", 1e-5},
                       {"rope_theta", 500000.0},
                       {"tie_word_embeddings", true},
                       {"rope_scaling",
                        {{"factor", 32.0},
                         {"high_freq_factor", 4.0},
                         {"low_freq_factor", 1.0},
                         {"original_max_position_embeddings", 8192},
                         {"rope_type", "llama3"}}}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.rope.scaling, RopeSpec::Scaling::Llama3);
    EXPECT_EQ(spec.rope.factor, 32.0F);
    EXPECT_EQ(spec.rope.originalContext, 8192);
    EXPECT_TRUE(spec.tiedEmbeddings);
    EXPECT_EQ(spec.rmsEpsilon, 1e-5F);
    EXPECT_TRUE(spec.layerSpecs.empty());
    EXPECT_FALSE(spec.attentionScale.has_value());
}

TEST(PublishedConfig, mistral_7b_v0_1) {
    Json config = sizes("mistral", {32, 4096, 14336, 32, 8, 32000, 32768});
    config.update(Json{{"rms_norm_eps", 1e-5}, {"rope_theta", 10000.0}, {"sliding_window", 4096}});
    EXPECT_EQ(specOf(config).window, 4096);
    EXPECT_EQ(sliding(specOf(config)), std::vector<bool>(32, true));
    config["sliding_window"] = nullptr;  // version 0.2
    EXPECT_EQ(specOf(config).window, 0);
    EXPECT_TRUE(specOf(config).layerSpecs.empty());
    config.erase("sliding_window");  // the class's default
    EXPECT_EQ(specOf(config).window, 4096);
}

TEST(PublishedConfig, mixtral_8x7b) {
    Json config = sizes("mixtral", {32, 4096, 14336, 32, 8, 32000, 32768});
    config.update(Json{{"num_experts_per_tok", 2},
                       {"num_local_experts", 8},
                       {"rms_norm_eps", 1e-5},
                       {"rope_theta", 1e6},
                       {"sliding_window", nullptr}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.experts.count, 8);
    EXPECT_EQ(spec.experts.perToken, 2);
    EXPECT_EQ(spec.experts.feedForward, 14336);
    EXPECT_EQ(spec.experts.sharedFeedForward, 0);
    EXPECT_TRUE(spec.experts.normaliseWeights);
    EXPECT_TRUE(spec.layer(31).experts);
    EXPECT_EQ(spec.window, 0);
}

TEST(PublishedConfig, qwen2_57b_a14b) {
    Json config = sizes("qwen2_moe", {28, 3584, 18944, 28, 4, 151936, 131072});
    config.update(Json{{"decoder_sparse_step", 1},
                       {"max_window_layers", 28},
                       {"moe_intermediate_size", 2560},
                       {"norm_topk_prob", false},
                       {"num_experts", 64},
                       {"num_experts_per_tok", 8},
                       {"rms_norm_eps", 1e-6},
                       {"rope_theta", 1e6},
                       {"shared_expert_intermediate_size", 20480},
                       {"sliding_window", 65536},
                       {"use_sliding_window", false}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.architecture, "qwen2moe");
    EXPECT_EQ(spec.headDim, 128);
    EXPECT_TRUE(spec.qkvBias);
    EXPECT_EQ(spec.experts.feedForward, 2560);
    EXPECT_EQ(spec.experts.sharedFeedForward, 20480);
    EXPECT_FALSE(spec.experts.normaliseWeights);
    EXPECT_EQ(spec.window, 0);
    config["use_sliding_window"] = true;  // even layers below max_window_layers
    config["max_window_layers"] = 4;
    std::vector<bool> wanted(28, false);
    wanted[0] = wanted[2] = true;
    EXPECT_EQ(sliding(specOf(config)), wanted);
}

TEST(PublishedConfig, qwen3_30b_a3b) {
    Json config = sizes("qwen3_moe", {48, 2048, 6144, 32, 4, 151936, 40960});
    config.update(Json{{"attention_bias", false},
                       {"decoder_sparse_step", 1},
                       {"head_dim", 128},
                       {"max_window_layers", 48},
                       {"mlp_only_layers", Json::array()},
                       {"moe_intermediate_size", 768},
                       {"norm_topk_prob", true},
                       {"num_experts", 128},
                       {"num_experts_per_tok", 8},
                       {"rope_scaling", nullptr},
                       {"rope_theta", 1e6},
                       {"sliding_window", nullptr},
                       {"use_sliding_window", false}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.architecture, "qwen3moe");
    EXPECT_EQ(spec.headDim, 128);
    EXPECT_EQ(spec.qkNorm, QkNorm::PerHead);
    EXPECT_EQ(spec.experts.count, 128);
    EXPECT_TRUE(spec.experts.normaliseWeights);
    config["mlp_only_layers"] = {0, 5};
    config["decoder_sparse_step"] = 2;
    const ModelSpec sparse = specOf(config);
    EXPECT_FALSE(sparse.layer(0).experts);
    EXPECT_TRUE(sparse.layer(1).experts);
    EXPECT_FALSE(sparse.layer(5).experts);  // sparse by its step, but listed as dense
}

TEST(PublishedConfig, qwen2_5_7b_with_yarn) {
    Json config = sizes("qwen2", {28, 3584, 18944, 28, 4, 152064, 32768});
    config.update(
        Json{{"max_window_layers", 28},
             {"rope_theta", 1e6},
             {"sliding_window", 131072},
             {"use_sliding_window", false},
             {"rope_scaling",
              {{"factor", 4.0}, {"original_max_position_embeddings", 32768}, {"type", "yarn"}}}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.rope.scaling, RopeSpec::Scaling::Yarn);
    EXPECT_EQ(spec.rope.factor, 4.0F);
    EXPECT_EQ(spec.rope.originalContext, 32768);
    EXPECT_FLOAT_EQ(spec.rope.magnitude, 1.138629436F);  // 1 + 0.1 ln 4
    EXPECT_EQ(spec.rope.betaFast, 32.0F);
    EXPECT_TRUE(spec.rope.truncate);
    config["rope_scaling"]["mscale"] = 2.0;
    config["rope_scaling"]["mscale_all_dim"] = 1.0;
    EXPECT_FLOAT_EQ(specOf(config).rope.magnitude, 1.277258872F / 1.138629436F);
    config["rope_scaling"]["attention_factor"] = 1.5;
    EXPECT_EQ(specOf(config).rope.magnitude, 1.5F);
    config["use_sliding_window"] = true;
    config["max_window_layers"] = 20;
    EXPECT_EQ(sliding(specOf(config))[19], false);
    EXPECT_EQ(sliding(specOf(config))[20], true);
}

TEST(PublishedConfig, gemma_2_9b) {
    Json config = sizes("gemma2", {42, 3584, 14336, 16, 8, 256000, 8192});
    config.update(Json{{"attn_logit_softcapping", 50.0},
                       {"final_logit_softcapping", 30.0},
                       {"head_dim", 256},
                       {"hidden_act", "gelu_pytorch_tanh"},
                       {"hidden_activation", "gelu_pytorch_tanh"},
                       {"query_pre_attn_scalar", 256},
                       {"sliding_window", 4096},
                       {"sliding_window_size", 4096}});
    const ModelSpec spec = specOf(config);
    EXPECT_TRUE(spec.tiedEmbeddings);  // the class's default; absent from the file
    EXPECT_EQ(spec.norms, NormPlacement::Both);
    EXPECT_EQ(spec.activation, Activation::GeluTanh);
    EXPECT_EQ(spec.attentionScale, 1.0F / 16.0F);
    EXPECT_EQ(spec.attentionSoftCap, 50.0F);
    EXPECT_EQ(spec.logitSoftCap, 30.0F);
    EXPECT_FLOAT_EQ(spec.embeddingScale, 59.86652F);
    EXPECT_TRUE(sliding(spec)[0]);
    EXPECT_FALSE(sliding(spec)[1]);
    EXPECT_FALSE(spec.localRope.has_value());
    config["attn_logit_softcapping"] = nullptr;
    EXPECT_EQ(specOf(config).attentionSoftCap, 0.0F);
}

TEST(PublishedConfig, gemma_3_1b) {
    Json config = sizes("gemma3_text", {26, 1152, 6912, 4, 1, 262144, 32768});
    config.update(Json{{"attn_logit_softcapping", nullptr},
                       {"final_logit_softcapping", nullptr},
                       {"head_dim", 256},
                       {"hidden_activation", "gelu_pytorch_tanh"},
                       {"query_pre_attn_scalar", 256},
                       {"rope_local_base_freq", 10000},
                       {"rope_scaling", nullptr},
                       {"rope_theta", 1000000},
                       {"sliding_window", 512},
                       {"sliding_window_pattern", 6}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.architecture, "gemma3");
    EXPECT_EQ(spec.window, 512);
    const std::vector<bool> slides = sliding(spec);
    EXPECT_EQ(std::count(slides.begin(), slides.end(), false), 4);  // 5, 11, 17, 23
    EXPECT_FALSE(slides[5]);
    EXPECT_FALSE(slides[23]);
    EXPECT_EQ(spec.rope.base, 1e6F);
    ASSERT_TRUE(spec.localRope.has_value());
    EXPECT_EQ(spec.localRope->base, 1e4F);
    EXPECT_EQ(spec.logitSoftCap, 0.0F);
}

TEST(PublishedConfig, gemma_3_4b_textPartOfAMultimodalModel) {
    const Json config{{"model_type", "gemma3"},
                      {"mm_tokens_per_image", 256},
                      {"vision_config", {{"model_type", "siglip_vision_model"}}},
                      {"text_config",
                       {{"model_type", "gemma3_text"},
                        {"hidden_size", 2560},
                        {"intermediate_size", 10240},
                        {"num_hidden_layers", 34},
                        {"rope_scaling", {{"factor", 8.0}, {"rope_type", "linear"}}},
                        {"sliding_window", 1024}}}};
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.heads, 8);
    EXPECT_EQ(spec.kvHeads, 4);
    EXPECT_EQ(spec.headDim, 256);
    EXPECT_EQ(spec.vocabulary, 262208);
    EXPECT_EQ(spec.context, 131072);
    EXPECT_EQ(spec.rope.scaling, RopeSpec::Scaling::Linear);
    EXPECT_EQ(spec.rope.factor, 8.0F);
    ASSERT_TRUE(spec.localRope.has_value());
    EXPECT_EQ(spec.localRope->scaling, RopeSpec::Scaling::None);
    EXPECT_TRUE(spec.tiedEmbeddings);
}

TEST(PublishedConfig, phi_3_mini_128k) {
    Json config = sizes("phi3", {32, 3072, 8192, 32, 32, 32064, 131072});
    config.update(Json{{"original_max_position_embeddings", 4096},
                       {"rms_norm_eps", 1e-5},
                       {"rope_theta", 10000.0},
                       {"sliding_window", 262144},
                       {"rope_scaling",
                        {{"long_factor", std::vector<double>(48, 32.5)},
                         {"short_factor", std::vector<double>(48, 1.05)},
                         {"type", "longrope"}}}});
    for (const char* kind : {"longrope", "su", "yarn"}) {  // one kind of scaling under its three
                                                           // names
        config["rope_scaling"]["type"] = kind;
        const ModelSpec spec = specOf(config);
        EXPECT_EQ(spec.rope.scaling, RopeSpec::Scaling::LongRope);
        EXPECT_EQ(spec.rope.originalContext, 4096);
        EXPECT_EQ(spec.rope.longFactors.size(), 48U);
        EXPECT_EQ(spec.rope.shortFactors.front(), 1.05F);
        EXPECT_FLOAT_EQ(spec.rope.magnitude, 1.19023807F);  // (1 + ln 32 / ln 4096)^1/2
        EXPECT_EQ(spec.window, 262144);
    }
}

TEST(PublishedConfig, phi_4_mini) {
    Json config = sizes("phi3", {32, 3072, 8192, 24, 8, 200064, 131072});
    config.update(Json{{"original_max_position_embeddings", 4096},
                       {"partial_rotary_factor", 0.75},
                       {"tie_word_embeddings", true},
                       {"sliding_window", 262144},
                       {"rope_scaling",
                        {{"long_factor", std::vector<double>(48, 32.0)},
                         {"short_factor", std::vector<double>(48, 1.0)},
                         {"type", "longrope"}}}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.headDim, 128);
    EXPECT_EQ(spec.rope.dim, 96);
    EXPECT_EQ(spec.rmsEpsilon, 1e-5F);  // the class's default
    EXPECT_TRUE(spec.tiedEmbeddings);
}

TEST(PublishedConfig, smollm3_3b) {
    Json config = sizes("smollm3", {36, 2048, 11008, 16, 4, 128256, 65536});
    std::vector<int> rotates;
    for (int i = 0; i < 36; ++i) rotates.push_back((i + 1) % 4 != 0 ? 1 : 0);
    config.update(Json{{"layer_types", std::vector<std::string>(36, "full_attention")},
                       {"no_rope_layer_interval", 4},
                       {"no_rope_layers", rotates},
                       {"rope_theta", 5e6},
                       {"sliding_window", nullptr},
                       {"use_sliding_window", false}});
    const ModelSpec listed = specOf(config);
    EXPECT_TRUE(listed.layer(2).rotary);
    EXPECT_FALSE(listed.layer(3).rotary);
    EXPECT_TRUE(listed.tiedEmbeddings);
    config.erase("no_rope_layers");
    EXPECT_EQ(specOf(config).layerSpecs, listed.layerSpecs);
    config.erase("rope_theta");
    EXPECT_EQ(specOf(config).rope.base, 2e6F);
}

TEST(PublishedConfig, olmo_2_7b) {
    Json config = sizes("olmo2", {32, 4096, 11008, 32, 32, 100352, 4096});
    config.update(Json{{"attention_bias", false}, {"rope_theta", 500000}, {"rms_norm_eps", 1e-6}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.norms, NormPlacement::After);
    EXPECT_EQ(spec.qkNorm, QkNorm::FullWidth);
    config.erase("rms_norm_eps");
    EXPECT_EQ(specOf(config).rmsEpsilon, 1e-5F);
}

// Published before rope_parameters existed: one scaling, which does not apply to sliding layers.
TEST(PublishedConfig, olmo_3_7b) {
    Json config = sizes("olmo3", {32, 4096, 11008, 32, 32, 100278, 65536});
    config.update(Json{{"attention_bias", false},
                       {"rope_theta", 500000},
                       {"sliding_window", 4096},
                       {"rms_norm_eps", 1e-6},
                       {"rope_scaling",
                        {{"attention_factor", 1.2079441541679836},
                         {"beta_fast", 32.0},
                         {"beta_slow", 1.0},
                         {"factor", 8.0},
                         {"original_max_position_embeddings", 8192},
                         {"rope_type", "yarn"}}}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.norms, NormPlacement::After);
    EXPECT_EQ(spec.rope.scaling, RopeSpec::Scaling::Yarn);
    ASSERT_TRUE(spec.localRope.has_value());
    EXPECT_EQ(spec.localRope->scaling, RopeSpec::Scaling::None);
    EXPECT_EQ(spec.localRope->base, 500000.0F);
    EXPECT_TRUE(spec.layer(2).sliding);
    EXPECT_FALSE(spec.layer(3).sliding);
}

TEST(PublishedConfig, hunyuan_7b) {
    Json config = sizes("hunyuan_v1_dense", {32, 4096, 14336, 32, 8, 128167, 262144});
    config.update(Json{{"attention_bias", false},
                       {"head_dim", 128},
                       {"use_qk_norm", true},
                       {"use_cla", false},
                       {"rope_theta", 10000.0},
                       {"rope_scaling",
                        {{"alpha", 1000.0},
                         {"beta_fast", 32},
                         {"beta_slow", 1},
                         {"factor", 1.0},
                         {"mscale", 1.0},
                         {"mscale_all_dim", 1.0},
                         {"type", "dynamic"}}}});
    const ModelSpec spec = specOf(config);
    EXPECT_TRUE(spec.qkNormAfterRotary);
    EXPECT_EQ(spec.rope.scaling, RopeSpec::Scaling::None);
    EXPECT_NEAR(spec.rope.base, 11158840.0F, 2.0F);
}

TEST(PublishedConfig, exaone_4_32b_letterPattern) {
    Json config = sizes("exaone4", {64, 5120, 27392, 40, 8, 102400, 131072});
    config.update(Json{
        {"rope_theta", 1000000}, {"sliding_window", 4096}, {"sliding_window_pattern", "LLLG"}});
    const ModelSpec spec = specOf(config);
    EXPECT_TRUE(spec.layer(0).rotary);
    EXPECT_TRUE(spec.layer(0).sliding);
    EXPECT_FALSE(spec.layer(3).rotary);
    EXPECT_FALSE(spec.layer(3).sliding);
    config["sliding_window"] = nullptr;
    EXPECT_TRUE(specOf(config).layer(3).rotary) << "without windows every layer rotates";
}

TEST(PublishedConfig, granite_4_0_micro_readsThePositionEmbeddingType) {
    Json config = sizes("granitemoehybrid", {40, 2560, 8192, 40, 8, 100352, 131072});
    config.update(Json{{"shared_intermediate_size", 8192},
                       {"layer_types", std::vector<std::string>(40, "attention")},
                       {"num_local_experts", 0},
                       {"num_experts_per_tok", 0},
                       {"mamba_d_state", 256},
                       {"logits_scaling", 10.0},
                       {"position_embedding_type", "rope"},
                       {"rope_theta", 10000000}});
    EXPECT_TRUE(specOf(config).layer(0).rotary);
    config["position_embedding_type"] = "nope";
    EXPECT_FALSE(specOf(config).layer(0).rotary);
    config["layer_types"][0] = "mamba";
    EXPECT_EQ(specFromConfig(config.dump()).error().code, ErrorCode::ModelMissingKey);
    config.update(Json{
        {"mamba_d_conv", 4}, {"mamba_n_groups", 1}, {"mamba_n_heads", 64}, {"mamba_d_head", 64}});
    EXPECT_EQ(specOf(config).layer(0).mixer, LayerMixer::Recurrent);
}

TEST(PublishedConfig, cohere2_7b) {
    Json config = sizes("cohere2", {32, 4096, 14336, 32, 8, 256000, 132096});
    config.update(Json{{"attention_bias", false},
                       {"layer_norm_eps", 1e-5},
                       {"logit_scale", 0.25},
                       {"position_embedding_type", "rope_gptj"},
                       {"rope_theta", 50000},
                       {"rotary_pct", 1.0},
                       {"sliding_window", 4096},
                       {"sliding_window_pattern", 4},
                       {"use_gated_activation", true},
                       {"use_parallel_block", true},
                       {"use_qk_norm", false}});
    const ModelSpec spec = specOf(config);
    EXPECT_TRUE(spec.parallelResidual);
    EXPECT_EQ(spec.normKind, NormKind::Layer);
    EXPECT_EQ(spec.logitScale, 0.25F);
    EXPECT_EQ(spec.rope.pairing, RopePairing::Interleaved);
    EXPECT_FALSE(spec.layer(3).rotary);
    config["use_parallel_block"] = false;
    EXPECT_EQ(specFromConfig(config.dump()).error().code, ErrorCode::Unsupported);
}

TEST(PublishedConfig, stablelm_2_12b) {
    Json config = sizes("stablelm", {40, 5120, 13824, 32, 8, 100352, 4096});
    config.update(Json{{"hidden_act", "silu"},
                       {"layer_norm_eps", 1e-5},
                       {"partial_rotary_factor", 0.25},
                       {"qk_layernorm", true},
                       {"rope_theta", 10000},
                       {"use_parallel_residual", true},
                       {"use_qkv_bias", false}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.qkNorm, QkNorm::HeadGains);
    EXPECT_TRUE(spec.parallelResidual);
    EXPECT_EQ(spec.rope.dim, 40);
    config.erase("qk_layernorm");
    EXPECT_EQ(specOf(config).qkNorm, QkNorm::None);
}

TEST(PublishedConfig, phi_2) {
    Json config = sizes("phi", {32, 2560, 10240, 32, 32, 51200, 2048});
    config.update(Json{{"hidden_act", "gelu_new"},
                       {"layer_norm_eps", 1e-5},
                       {"partial_rotary_factor", 0.4},
                       {"qk_layernorm", false},
                       {"rope_theta", 10000.0}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.rope.dim, 32);
    EXPECT_FALSE(spec.gated);
    EXPECT_TRUE(spec.qkvBias && spec.outputBias && spec.feedForwardBias && spec.logitBias);
    config["qk_layernorm"] = true;
    EXPECT_EQ(specFromConfig(config.dump()).error().code, ErrorCode::Unsupported);
}

TEST(PublishedConfig, mistral_small_3_2_textPartOfAMultimodalModel) {
    Json text = sizes("mistral", {40, 5120, 32768, 32, 8, 131072, 131072});
    text.update(Json{{"head_dim", 128}, {"rope_theta", 1e9}, {"sliding_window", nullptr}});
    const Json config{{"model_type", "mistral3"}, {"text_config", text}};
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.architecture, "mistral");
    EXPECT_EQ(spec.window, 0);
}

TEST(PublishedConfig, granite_3_0_2b) {
    Json config = sizes("granite", {40, 2048, 8192, 32, 8, 49155, 4096});
    config.update(Json{{"attention_multiplier", 0.015625},
                       {"embedding_multiplier", 12.0},
                       {"logits_scaling", 8.0},
                       {"residual_multiplier", 0.22},
                       {"rms_norm_eps", 1e-5},
                       {"rope_theta", 10000.0},
                       {"tie_word_embeddings", true}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.attentionScale, 0.015625F);
    EXPECT_EQ(spec.embeddingScale, 12.0F);
    EXPECT_EQ(spec.residualScale, 0.22F);
    EXPECT_EQ(spec.logitScale, 0.125F);
    config.erase("attention_multiplier");
    EXPECT_EQ(specOf(config).attentionScale, 1.0F);  // the class's default, not headDim^-1/2
}

}  // namespace
}  // namespace lacuna
