// Mixtures of experts: the configurations of published models, the layouts of their weights, and
// the refusal of unsupported ones.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/format/convert.h"
#include "engine/format/hf_config.h"
#include "engine/format/load_model.h"
#include "engine/format/safetensors.h"
#include "engine/tensor/block_formats.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

ModelSpec specOf(const Json& config) {
    const auto spec = specFromConfig(config.dump());
    EXPECT_TRUE(spec.has_value()) << (spec ? "" : describe(spec.error()));
    return spec.value_or(ModelSpec());
}

/// Returns the error message for a configuration; empty if it is accepted.
std::string complaintAbout(const Json& config) {
    const auto spec = specFromConfig(config.dump());
    return spec ? std::string() : spec.error().what;
}

bool names(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
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

/// Returns the indices of the expert layers.
std::vector<int> expertLayers(const ModelSpec& spec) {
    std::vector<int> found;
    for (int i = 0; i < spec.layers; ++i)
        if (spec.layer(i).experts) found.push_back(i);
    return found;
}

TEST(ExpertConfig, granite_3_1_1b_a400m) {
    Json config = sizes("granitemoe", {24, 1024, 512, 16, 8, 49155, 131072});
    config.update(Json{{"attention_multiplier", 0.015625},
                       {"embedding_multiplier", 12.0},
                       {"hidden_act", "silu"},
                       {"logits_scaling", 6.0},
                       {"num_experts_per_tok", 8},
                       {"num_local_experts", 32},
                       {"residual_multiplier", 0.22},
                       {"rms_norm_eps", 1e-6},
                       {"rope_scaling", nullptr},
                       {"rope_theta", 1500000},
                       {"tie_word_embeddings", true}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.experts.count, 32);
    EXPECT_EQ(spec.experts.perToken, 8);
    EXPECT_EQ(spec.experts.feedForward, 512);
    EXPECT_EQ(spec.experts.scoring, ExpertScoring::Softmax);
    EXPECT_TRUE(spec.experts.normaliseWeights);
    EXPECT_EQ(expertLayers(spec).size(), 24U);
}

Json ernie21b() {
    Json config = sizes("ernie4_5_moe", {28, 2560, 12288, 20, 4, 103424, 131072});
    config.update(Json{{"hidden_act", "silu"},
                       {"moe_capacity", {64, 64, 64}},
                       {"moe_gate", "topk"},
                       {"moe_intermediate_size", 1536},
                       {"moe_k", 6},
                       {"moe_layer_end_index", 27},
                       {"moe_layer_interval", 1},
                       {"moe_layer_start_index", 1},
                       {"moe_num_experts", 64},
                       {"moe_num_shared_experts", 2},
                       {"moe_use_aux_free", true},
                       {"rms_norm_eps", 1e-5},
                       {"rope_theta", 500000},
                       {"tie_word_embeddings", true},
                       {"use_bias", false}});
    return config;
}

TEST(ExpertConfig, ernie_4_5_21b_a3b) {
    const ModelSpec spec = specOf(ernie21b());
    EXPECT_EQ(spec.experts.count, 64);
    EXPECT_EQ(spec.experts.perToken, 6);
    EXPECT_EQ(spec.experts.feedForward, 1536);
    EXPECT_EQ(spec.experts.sharedFeedForward, 3072);
    EXPECT_TRUE(spec.experts.selectionBias);
    EXPECT_FALSE(spec.experts.sharedExpertGate);
    EXPECT_EQ(spec.experts.smallestSum, 1e-12F);
    EXPECT_EQ(expertLayers(spec).size(), 27U);
    EXPECT_EQ(expertLayers(spec).front(), 1);
}

TEST(ExpertConfig, ernieLayers_areThoseBetweenTwoNumbers) {
    Json config = ernie21b();
    config["moe_layer_start_index"] = 3;
    config["moe_layer_end_index"] = -1;
    config["moe_layer_interval"] = 2;
    config["num_hidden_layers"] = 9;
    EXPECT_EQ(expertLayers(specOf(config)), (std::vector<int>{3, 5, 7}));
    config["moe_layer_end_index"] = 5;
    EXPECT_EQ(expertLayers(specOf(config)), (std::vector<int>{3, 5}));
    config["moe_num_shared_experts"] = 0;
    EXPECT_EQ(specOf(config).experts.sharedFeedForward, 0);
    config["use_bias"] = true;
    EXPECT_TRUE(names(complaintAbout(config), "use_bias"));
}

TEST(ExpertConfig, hunyuan_a13b) {
    Json config = sizes("hunyuan_v1_moe", {32, 4096, 3072, 32, 8, 128167, 32768});
    config.update(Json{{"attention_bias", false},
                       {"cla_share_factor", 2},
                       {"head_dim", 128},
                       {"mlp_bias", false},
                       {"moe_intermediate_size", std::vector<int>(32, 3072)},
                       {"moe_layer_num_skipped", 0},
                       {"moe_topk", std::vector<int>(32, 8)},
                       {"num_experts", 64},
                       {"num_shared_expert", std::vector<int>(32, 1)},
                       {"rms_norm_eps", 1e-5},
                       {"rope_scaling", {{"alpha", 1000.0}, {"factor", 1.0}, {"type", "dynamic"}}},
                       {"rope_theta", 10000.0},
                       {"tie_word_embeddings", true},
                       {"use_cla", false},
                       {"use_mixed_mlp_moe", true},
                       {"use_qk_norm", true}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.experts.perToken, 8);
    EXPECT_EQ(spec.experts.sharedFeedForward, 3072);
    EXPECT_TRUE(spec.experts.normaliseWeights);
    EXPECT_TRUE(spec.qkNormAfterRotary);
    config["moe_topk"][5] = 4;
    EXPECT_TRUE(names(complaintAbout(config), "moe_topk"));
    config["moe_topk"] = 8;
    config["moe_intermediate_size"] = 1024;
    EXPECT_TRUE(names(complaintAbout(config), "moe_intermediate_size"));
}

Json glmAir() {
    Json config = sizes("glm4_moe", {46, 4096, 10944, 96, 8, 151552, 131072});
    config.update(Json{{"attention_bias", true},
                       {"first_k_dense_replace", 1},
                       {"head_dim", 128},
                       {"hidden_act", "silu"},
                       {"moe_intermediate_size", 1408},
                       {"n_group", 1},
                       {"n_routed_experts", 128},
                       {"n_shared_experts", 1},
                       {"norm_topk_prob", true},
                       {"num_experts_per_tok", 8},
                       {"num_nextn_predict_layers", 1},
                       {"partial_rotary_factor", 0.5},
                       {"rms_norm_eps", 1e-5},
                       {"rope_scaling", nullptr},
                       {"rope_theta", 1000000},
                       {"routed_scaling_factor", 1.0},
                       {"topk_group", 1},
                       {"use_qk_norm", false}});
    return config;
}

TEST(ExpertConfig, glm_4_5_air) {
    Json config = glmAir();
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.experts.scoring, ExpertScoring::Sigmoid);
    EXPECT_TRUE(spec.experts.selectionBias);
    EXPECT_TRUE(spec.experts.normaliseWeights);
    EXPECT_EQ(spec.experts.sharedFeedForward, 1408);
    EXPECT_EQ(spec.draftLayers, 1);
    EXPECT_EQ(spec.rope.dim, 64);
    EXPECT_TRUE(spec.qkvBias);
    EXPECT_FALSE(spec.outputBias);
    EXPECT_EQ(spec.qkNorm, QkNorm::None);
    EXPECT_EQ(expertLayers(spec).front(), 1);
    config.update(Json{{"first_k_dense_replace", 3},
                       {"n_group", 8},
                       {"n_shared_experts", 2},
                       {"norm_topk_prob", false},
                       {"routed_scaling_factor", 2.5},
                       {"topk_group", 4},
                       {"use_qk_norm", true}});
    const ModelSpec other = specOf(config);
    EXPECT_EQ(other.experts.groups, 8);
    EXPECT_EQ(other.experts.groupsPerToken, 4);
    EXPECT_EQ(other.experts.weightScale, 2.5F);
    EXPECT_FALSE(other.experts.normaliseWeights);
    EXPECT_EQ(other.experts.sharedFeedForward, 2816);
    EXPECT_EQ(other.qkNorm, QkNorm::PerHead);
    EXPECT_EQ(expertLayers(other).front(), 3);
}

TEST(ExpertConfig, groupsThatDoNotDivideTheExperts_areRefused) {
    Json config = glmAir();
    config["n_group"] = 5;
    EXPECT_TRUE(names(complaintAbout(config), "expert groups"));
    config["n_group"] = 64;  // groups of two experts, four of which have enough
    config["topk_group"] = 3;
    EXPECT_TRUE(names(complaintAbout(config), "expert groups"));
    config["topk_group"] = 4;
    EXPECT_EQ(specOf(config).experts.groups, 64);
}

TEST(ExpertConfig, minimax_m2) {
    Json config = sizes("minimax_m2", {62, 3072, 1536, 48, 8, 200064, 196608});
    config.update(Json{{"attn_type_list", std::vector<int>(62, 1)},
                       {"head_dim", 128},
                       {"hidden_act", "silu"},
                       {"mtp_transformer_layers", 1},
                       {"num_experts_per_tok", 8},
                       {"num_local_experts", 256},
                       {"num_mtp_modules", 3},
                       {"qk_norm_type", "per_layer"},
                       {"rms_norm_eps", 1e-6},
                       {"rope_theta", 5000000},
                       {"rotary_dim", 64},
                       {"scoring_func", "sigmoid"},
                       {"shared_intermediate_size", 0},
                       {"use_mtp", true},
                       {"use_qk_norm", true},
                       {"use_routing_bias", true}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.rope.dim, 64);
    EXPECT_EQ(spec.qkNorm, QkNorm::FullWidth);
    EXPECT_EQ(spec.experts.scoring, ExpertScoring::Sigmoid);
    EXPECT_TRUE(spec.experts.selectionBias);
    EXPECT_EQ(spec.experts.feedForward, 1536);
    EXPECT_TRUE(spec.unusedKeys.empty()) << spec.unusedKeysNote();
    config["use_routing_bias"] = false;
    EXPECT_FALSE(specOf(config).experts.selectionBias);
    for (const auto& [key, value] : {std::pair<const char*, Json>{"scoring_func", "softmax"},
                                     {"qk_norm_type", "per_head"},
                                     {"attn_type_list", std::vector<int>(62, 0)},
                                     {"quantization_config", {{"quant_method", "fp8"}}}}) {
        Json other = config;
        other[key] = value;
        EXPECT_TRUE(names(complaintAbout(other), key)) << key;
    }
}

TEST(ExpertConfig, phi_3_5_moe) {
    Json config = sizes("phimoe", {32, 4096, 6400, 32, 8, 32064, 131072});
    config.update(Json{{"attention_bias", true},
                       {"hidden_act", "silu"},
                       {"input_jitter_noise", 0.01},
                       {"lm_head_bias", true},
                       {"num_experts_per_tok", 2},
                       {"num_local_experts", 16},
                       {"original_max_position_embeddings", 4096},
                       {"rms_norm_eps", 1e-5},
                       {"rope_scaling",
                        {{"long_factor", std::vector<double>(64, 2.0)},
                         {"long_mscale", 1.243163121016122},
                         {"original_max_position_embeddings", 4096},
                         {"short_factor", std::vector<double>(64, 1.0)},
                         {"short_mscale", 1.243163121016122},
                         {"type", "longrope"}}},
                       {"rope_theta", 10000.0},
                       {"router_jitter_noise", 0.01},
                       {"sliding_window", 131072}});
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.experts.scoring, ExpertScoring::SparseMixer);
    EXPECT_EQ(spec.experts.jitter, 0.01F);
    EXPECT_EQ(spec.normKind, NormKind::Layer);
    EXPECT_TRUE(spec.normBias);
    EXPECT_TRUE(spec.logitBias);
    EXPECT_EQ(spec.rope.magnitude, 1.243163121016122F);
    config["rope_scaling"]["short_mscale"] = 1.0;
    EXPECT_TRUE(names(complaintAbout(config), "short_mscale"));
    config["rope_scaling"] = nullptr;
    config["num_experts_per_tok"] = 3;
    EXPECT_TRUE(names(complaintAbout(config), "sparse mixer"));
    config["num_experts_per_tok"] = 2;
    config["lm_head_bias"] = false;
    EXPECT_FALSE(specOf(config).logitBias);
}

Json llama4Text(int layers, int experts) {
    Json config = sizes("llama4_text", {layers, 5120, 8192, 40, 8, 202048, 262144});
    config.update(Json{{"attention_bias", false},
                       {"attention_chunk_size", 8192},
                       {"attn_scale", 0.1},
                       {"attn_temperature_tuning", 4},
                       {"floor_scale", 8192},
                       {"head_dim", 128},
                       {"hidden_act", "silu"},
                       {"interleave_moe_layer_step", 1},
                       {"intermediate_size_mlp", 16384},
                       {"num_experts_per_tok", 1},
                       {"num_local_experts", experts},
                       {"rms_norm_eps", 1e-5},
                       {"rope_scaling", nullptr},
                       {"rope_theta", 500000.0},
                       {"use_qk_norm", true}});
    return config;
}

TEST(ExpertConfig, llama_4_scout_insideAModelWithImages) {
    const Json config{{"model_type", "llama4"},
                      {"text_config", llama4Text(48, 16)},
                      {"vision_config", Json::object()}};
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(spec.architecture, "llama4");
    EXPECT_EQ(spec.feedForward, 16384);
    EXPECT_EQ(spec.experts.feedForward, 8192);
    EXPECT_EQ(spec.experts.sharedFeedForward, 8192);
    EXPECT_TRUE(spec.experts.weighsInput);
    EXPECT_FALSE(spec.experts.normaliseWeights);
    EXPECT_TRUE(spec.chunked);
    EXPECT_EQ(spec.window, 8192);
    EXPECT_EQ(spec.qkNorm, QkNorm::RotatedHeads);
    EXPECT_EQ(spec.temperature.scale, 0.1F);
    EXPECT_EQ(spec.temperature.length, 8192);
    for (int i = 0; i < 48; ++i) {
        EXPECT_EQ(spec.layer(i).rotary, i % 4 != 3) << i;
        EXPECT_EQ(spec.layer(i).sliding, i % 4 != 3) << i;
        EXPECT_TRUE(spec.layer(i).experts);
    }
}

TEST(ExpertConfig, llama_4_maverick_andSwitches) {
    Json config = llama4Text(8, 128);
    config["interleave_moe_layer_step"] = 2;
    config["use_qk_norm"] = false;
    config["attn_temperature_tuning"] = false;
    config["no_rope_layers"] = {1, 0, 1, 1, 0, 1, 1, 1};
    const ModelSpec spec = specOf(config);
    EXPECT_EQ(expertLayers(spec), (std::vector<int>{1, 3, 5, 7}));
    EXPECT_EQ(spec.qkNorm, QkNorm::None);
    EXPECT_EQ(spec.temperature.scale, 0.0F);
    EXPECT_FALSE(spec.layer(1).rotary);
    EXPECT_FALSE(spec.layer(4).sliding);
    EXPECT_TRUE(spec.layer(3).sliding);
    config["moe_layers"] = {0, 6};
    EXPECT_EQ(expertLayers(specOf(config)), (std::vector<int>{0, 6}));
    config["moe_layers"] = {8};
    EXPECT_TRUE(names(complaintAbout(config), "moe_layers"));
    config.erase("moe_layers");
    config["attention_chunk_size"] = nullptr;
    EXPECT_EQ(specOf(config).window, 0);
}

Json gptOss20b() {
    Json config = sizes("gpt_oss", {24, 2880, 2880, 64, 8, 201088, 131072});
    config.update(Json{{"attention_bias", true},
                       {"experts_per_token", 4},
                       {"head_dim", 64},
                       {"hidden_act", "silu"},
                       {"initial_context_length", 4096},
                       {"num_experts_per_tok", 4},
                       {"num_local_experts", 32},
                       {"quantization_config", {{"quant_method", "mxfp4"}}},
                       {"rms_norm_eps", 1e-5},
                       {"rope_scaling",
                        {{"beta_fast", 32.0},
                         {"beta_slow", 1.0},
                         {"factor", 32.0},
                         {"original_max_position_embeddings", 4096},
                         {"rope_type", "yarn"},
                         {"truncate", false}}},
                       {"rope_theta", 150000},
                       {"sliding_window", 128},
                       {"swiglu_limit", 7.0}});
    return config;
}

TEST(ExpertConfig, gpt_oss_20b) {
    Json config = gptOss20b();
    const ModelSpec spec = specOf(config);
    EXPECT_TRUE(spec.sinks);
    EXPECT_TRUE(spec.qkvBias);
    EXPECT_TRUE(spec.outputBias);
    EXPECT_EQ(spec.activation, Activation::SwigluClamped);
    EXPECT_EQ(spec.swiglu, (ClampedSwiglu{1.702F, 7.0F}));
    EXPECT_TRUE(spec.experts.routerBias);
    EXPECT_TRUE(spec.experts.biases);
    EXPECT_EQ(spec.experts.feedForward, 2880);
    EXPECT_FALSE(spec.rope.truncate);
    EXPECT_TRUE(spec.layer(0).sliding);
    EXPECT_FALSE(spec.layer(1).sliding);
    EXPECT_EQ(spec.window, 128);
    EXPECT_TRUE(spec.unusedKeys.empty()) << spec.unusedKeysNote();
    config["quantization_config"]["quant_method"] = "fp8";
    EXPECT_TRUE(names(complaintAbout(config), "quantization_config"));
    config.erase("quantization_config");
    config["hidden_act"] = "gelu";
    EXPECT_TRUE(names(complaintAbout(config), "hidden_act"));
}

// ------------------------------------------------------------------ weights

struct Tensor {
    std::string type;
    std::vector<std::uint64_t> shape;
    std::string bytes;
};
using Tensors = std::map<std::string, Tensor>;

fs::path golden(const char* name) {
    return fs::path(LACUNA_GOLDEN_DIR) / "models-2026" / name;
}

Json configOf(const char* name) {
    return *parseJson(*readFile(golden(name) / "config.json", 1 << 20));
}

Tensors tensorsOf(const char* name) {
    const std::string file = *readFile(golden(name) / "model.safetensors", 1 << 24);
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

/// A model folder with these weights and the golden model's tokenizer.
class ModelFolder {
  public:
    ModelFolder(const char* model, const Json& config, const Tensors& tensors) {
        fs::copy_file(golden(model) / "tokenizer.json", folder_.path() / "tokenizer.json");
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

std::vector<float> decoded(const WeightMatrix& m) {
    std::vector<float> values(static_cast<std::size_t>(m.rows * m.columns));
    const auto stride = rowBytes(m.type, static_cast<std::uint64_t>(m.columns));
    const auto columns = static_cast<std::size_t>(m.columns);
    for (std::size_t row = 0; row < static_cast<std::size_t>(m.rows); ++row)
        decodeRow(m.type, m.data + row * stride, std::span(values).subspan(row * columns, columns));
    return values;
}

void expectSameExperts(const LoadedModel& a, const LoadedModel& b) {
    EXPECT_EQ(a.spec.sinkScores, b.spec.sinkScores);
    ASSERT_EQ(a.weights.layers.size(), b.weights.layers.size());
    for (std::size_t i = 0; i < a.weights.layers.size(); ++i) {
        const LayerWeights& x = a.weights.layers[i];
        const LayerWeights& y = b.weights.layers[i];
        EXPECT_EQ(decoded(x.router), decoded(y.router));
        EXPECT_EQ(x.routerBias, y.routerBias);
        EXPECT_EQ(x.selectionBias, y.selectionBias);
        ASSERT_EQ(x.experts.size(), y.experts.size());
        for (std::size_t e = 0; e < x.experts.size(); ++e) {
            EXPECT_EQ(decoded(x.experts[e].gate), decoded(y.experts[e].gate)) << i << " " << e;
            EXPECT_EQ(decoded(x.experts[e].up), decoded(y.experts[e].up)) << i << " " << e;
            EXPECT_EQ(decoded(x.experts[e].down), decoded(y.experts[e].down)) << i << " " << e;
            EXPECT_EQ(x.experts[e].gateBias, y.experts[e].gateBias);
            EXPECT_EQ(x.experts[e].upBias, y.experts[e].upBias);
            EXPECT_EQ(x.experts[e].downBias, y.experts[e].downBias);
        }
    }
}

/// Converts codes of four bits and their scales, [experts, out, in / 32, 16], to bfloat16 [experts,
/// in, out], the other storage format of gpt-oss.
Tensor inBfloat(const Tensor& codes, const Tensor& scales) {
    constexpr std::array<float, 8> kLevels{0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
    const std::uint64_t experts = codes.shape[0];
    const std::uint64_t outputs = codes.shape[1];
    const std::uint64_t inputs = codes.shape[2] * 32;
    Tensor out{"BF16", {experts, inputs, outputs}, std::string(experts * inputs * outputs * 2, 0)};
    for (std::uint64_t e = 0; e < experts; ++e)
        for (std::uint64_t o = 0; o < outputs; ++o)
            for (std::uint64_t i = 0; i < inputs; ++i) {
                const std::uint64_t at = (e * outputs + o) * inputs + i;
                const auto pair = static_cast<unsigned char>(codes.bytes[at / 2]);
                const unsigned code = i % 2 == 0 ? pair & 15U : pair >> 4U;
                const auto scale = static_cast<unsigned char>(scales.bytes[at / 32]);
                const float value = (code > 7 ? -1.0F : 1.0F) * kLevels[code & 7U] *
                                    std::exp2(static_cast<float>(scale) - 127.0F);
                std::uint32_t bits = 0;
                std::memcpy(&bits, &value, sizeof bits);
                const std::uint16_t half = static_cast<std::uint16_t>(bits >> 16U);
                std::memcpy(out.bytes.data() + ((e * inputs + i) * outputs + o) * 2, &half, 2);
            }
    return out;
}

TEST(ExpertLayouts, gptOss_mxfp4AndBfloat16Files_haveTheSameExperts) {
    Tensors tensors = tensorsOf("gpt-oss-mxfp4");
    Json config = configOf("gpt-oss-mxfp4");
    config.erase("quantization_config");
    for (int layer = 0; layer < config["num_hidden_layers"].get<int>(); ++layer)
        for (const char* part : {"gate_up_proj", "down_proj"}) {
            const std::string name =
                "model.layers." + std::to_string(layer) + ".mlp.experts." + part;
            tensors[name] = inBfloat(tensors.at(name + "_blocks"), tensors.at(name + "_scales"));
            tensors.erase(name + "_blocks");
            tensors.erase(name + "_scales");
        }
    const ModelFolder folder("gpt-oss-mxfp4", config, tensors);
    const auto wide = loadModel(folder.path());
    const auto narrow = loadModel(golden("gpt-oss-mxfp4"));
    ASSERT_TRUE(wide.has_value()) << describe(wide.error());
    ASSERT_TRUE(narrow.has_value()) << describe(narrow.error());
    EXPECT_EQ((*wide)->weights.layers[0].experts[0].gate.type, DType::BF16);
    EXPECT_EQ((*narrow)->weights.layers[0].experts[0].gate.type, DType::MXFP4);
    expectSameExperts(**wide, **narrow);
    EXPECT_EQ((*wide)->spec.parameters, (*narrow)->spec.parameters);
}

TEST(ExpertLayouts, separateScales_ofOtherMatrices_areRefused) {
    Tensors tensors = tensorsOf("gpt-oss-mxfp4");
    const std::string name = "model.layers.0.self_attn.o_proj.weight";
    const std::vector<std::uint64_t> shape = tensors.at(name).shape;
    const std::uint64_t blocks = shape[0] * shape[1] / 32;
    tensors.erase(name);
    tensors[name + "_blocks"] = {
        "U8", {shape[0], shape[1] / 32, 16}, std::string(blocks * 16, '\1')};
    tensors[name + "_scales"] = {"U8", {shape[0], shape[1] / 32}, std::string(blocks, '\x7F')};
    const ModelFolder folder("gpt-oss-mxfp4", configOf("gpt-oss-mxfp4"), tensors);
    const auto model = loadModel(folder.path());
    ASSERT_FALSE(model.has_value());
    EXPECT_EQ(model.error().code, ErrorCode::ModelTypeUse);
    tensors.erase(name + "_scales");
    const ModelFolder alone("gpt-oss-mxfp4", configOf("gpt-oss-mxfp4"), tensors);
    const auto second = loadModel(alone.path());
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, ErrorCode::StDtype);
}

TEST(ExpertLayouts, copiedWeights_equalThoseInTheFiles) {
    for (const char* name : {"gpt-oss-mxfp4", "llama4"}) {
        LoadOptions options;
        options.placement.resident = true;
        options.placement.keepFree = 0;
        const auto copied = loadModel(golden(name), options);
        const auto mapped = loadModel(golden(name));
        ASSERT_TRUE(copied.has_value()) << describe(copied.error());
        ASSERT_TRUE(mapped.has_value());
        EXPECT_TRUE((*copied)->weights.rearranged.empty());
        EXPECT_FALSE((*mapped)->weights.rearranged.empty());
        expectSameExperts(**copied, **mapped);
    }
}

// Readers of a llama4 file assume the values of the published models where it has no keys.
TEST(ExpertLayouts, llama4_withUnpublishedValues_isNotConverted) {
    Json config = configOf("llama4");
    const ModelFolder own("llama4", config, tensorsOf("llama4"));
    const test::TemporaryFolder target;
    const auto refused = convertToGguf(own.path(), target.path() / "own.gguf", {});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    config["attention_chunk_size"] = 8192;
    config["floor_scale"] = 8192;
    const ModelFolder published("llama4", config, tensorsOf("llama4"));
    ConvertOptions options;
    options.type = DType::BF16;
    const auto report = convertToGguf(published.path(), target.path() / "out.gguf", options);
    ASSERT_TRUE(report.has_value()) << describe(report.error());
    const auto folder = loadModel(published.path());
    const auto file = loadModel(target.path() / "out.gguf");
    ASSERT_TRUE(folder.has_value() && file.has_value()) << describe(file.error());
    const ModelSpec& a = (*folder)->spec;
    const ModelSpec& b = (*file)->spec;
    EXPECT_EQ(a.layerSpecs, b.layerSpecs);
    EXPECT_EQ(a.window, b.window);
    EXPECT_TRUE(b.chunked);
    EXPECT_EQ(a.qkNorm, b.qkNorm);
    EXPECT_EQ(a.temperature.scale, b.temperature.scale);
    EXPECT_EQ(a.temperature.length, b.temperature.length);
    EXPECT_EQ(a.temperature.offset, b.temperature.offset);
    EXPECT_EQ(a.experts.sharedFeedForward, b.experts.sharedFeedForward);
    EXPECT_EQ(a.experts.scoring, b.experts.scoring);
    EXPECT_TRUE(b.experts.weighsInput);
    expectSameExperts(**folder, **file);
}

// granitemoe with an expert that every token uses: granitemoeshared.
TEST(ExpertLayouts, graniteSharedExpert_isLoaded) {
    Json config = configOf("granitemoe");
    Tensors tensors = tensorsOf("granitemoe");
    const auto hidden = config["hidden_size"].get<std::uint64_t>();
    constexpr std::uint64_t kWidth = 48;
    config["model_type"] = "granitemoeshared";
    config["shared_intermediate_size"] = kWidth;
    for (int layer = 0; layer < config["num_hidden_layers"].get<int>(); ++layer) {
        const std::string prefix = "model.layers." + std::to_string(layer) + ".shared_mlp.";
        tensors[prefix + "input_linear.weight"] = {
            "BF16", {2 * kWidth, hidden}, std::string(4 * kWidth * hidden, '\x3C')};
        tensors[prefix + "output_linear.weight"] = {
            "BF16", {hidden, kWidth}, std::string(2 * kWidth * hidden, '\x3C')};
    }
    const ModelFolder folder("granitemoe", config, tensors);
    const auto model = loadModel(folder.path());
    const auto plain = loadModel(golden("granitemoe"));
    ASSERT_TRUE(model.has_value()) << describe(model.error());
    EXPECT_EQ((*model)->spec.experts.sharedFeedForward, static_cast<int>(kWidth));
    expectSameExperts(**model, **plain);
    const FeedForwardWeights& shared = (*model)->weights.layers[0].sharedExpert;
    EXPECT_EQ(shared.gate.rows, static_cast<std::int64_t>(kWidth));
    EXPECT_EQ(shared.up.rows, static_cast<std::int64_t>(kWidth));
    EXPECT_EQ(shared.down.columns, static_cast<std::int64_t>(kWidth));
    const test::TemporaryFolder target;
    const auto report = convertToGguf(folder.path(), target.path() / "out.gguf", {});
    ASSERT_TRUE(report.has_value()) << describe(report.error());
    const auto file = loadModel(target.path() / "out.gguf");
    ASSERT_TRUE(file.has_value()) << describe(file.error());
    EXPECT_EQ((*file)->spec.architecture, "granitemoe");
    EXPECT_EQ((*file)->spec.experts.sharedFeedForward, static_cast<int>(kWidth));
}

TEST(ExpertLayouts, draftLayers_withoutAJoiningMatrix_areNotLoaded) {
    Json config = configOf("glm4moe");
    Tensors tensors = tensorsOf("glm4moe");
    const int layers = config["num_hidden_layers"].get<int>();
    const std::string behind = "model.layers." + std::to_string(layers) + ".";
    tensors[behind + "input_layernorm.weight"] = {"BF16", {2}, std::string(4, '\0')};
    const ModelFolder without("glm4moe", config, tensors);
    EXPECT_FALSE(loadModel(without.path()).has_value());
    config["num_nextn_predict_layers"] = 1;
    const ModelFolder with("glm4moe", config, tensors);
    const auto model = loadModel(with.path());
    const auto plain = loadModel(golden("glm4moe"));
    ASSERT_TRUE(model.has_value()) << describe(model.error());
    EXPECT_EQ((*model)->spec.layers, layers);
    EXPECT_EQ((*model)->spec.draftLayers, 1);
    EXPECT_EQ((*model)->spec.parameters, (*plain)->spec.parameters);
    expectSameExperts(**model, **plain);
}

}  // namespace
}  // namespace lacuna
