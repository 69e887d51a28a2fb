// The golden models rewritten with the tensor names and stackings of real checkpoints, then loaded.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "engine/base/json.h"
#include "engine/format/convert.h"
#include "engine/format/load_model.h"
#include "engine/format/safetensors.h"
#include "engine/tensor/block_formats.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

struct Tensor {
    std::vector<std::uint64_t> shape;
    std::string bytes;  ///< bfloat16
};
using Tensors = std::map<std::string, Tensor>;

fs::path golden(const char* name) {
    const fs::path folder = fs::path(LACUNA_GOLDEN_DIR) / "models" / name;
    return fs::exists(folder) ? folder : fs::path(LACUNA_GOLDEN_DIR) / "models-2026" / name;
}

Tensors tensorsOf(const char* name) {
    const auto source = Safetensors::openFolder(golden(name));
    EXPECT_TRUE(source.has_value());
    Tensors tensors;
    for (const TensorInfo& tensor : source->tensors())
        tensors[tensor.name] = {tensor.shape,
                                std::string(reinterpret_cast<const char*>(tensor.data),
                                            static_cast<std::size_t>(tensor.bytes))};
    return tensors;
}

Json configOf(const char* name) {
    return *parseJson(*readFile(golden(name) / "config.json", 1 << 20));
}

/// A folder with these weights and the golden model's tokenizer.
class ModelFolder {
  public:
    ModelFolder(const char* model, const Json& config, const Tensors& tensors) {
        fs::copy_file(golden(model) / "tokenizer.json", folder_.path() / "tokenizer.json");
        static_cast<void>(folder_.write("config.json", config.dump()));
        Json header = Json::object();
        std::string data;
        for (const auto& [name, tensor] : tensors) {
            header[name] = {{"dtype", "BF16"},
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
    [[nodiscard]] auto load() const { return loadModel(path()); }

  private:
    test::TemporaryFolder folder_;
};

/// Returns the tensors with `from` replaced by `to` in every name.
Tensors renamed(const Tensors& tensors, const std::string& from, const std::string& to) {
    Tensors out;
    for (const auto& [name, tensor] : tensors) {
        std::string fresh = name;
        if (const auto at = fresh.find(from); at != std::string::npos)
            fresh.replace(at, from.size(), to);
        out[fresh] = tensor;
    }
    return out;
}

bool sameMatrix(const WeightMatrix& a, const WeightMatrix& b) {
    const auto bytes =
        static_cast<std::size_t>(rowBytes(a.type, static_cast<std::uint64_t>(a.columns)) *
                                 static_cast<std::uint64_t>(a.rows));
    return a.type == b.type && a.rows == b.rows && a.columns == b.columns &&
           std::memcmp(a.data, b.data, bytes) == 0;
}

void expectSameExperts(const LoadedModel& a, const LoadedModel& b) {
    for (std::size_t i = 0; i < a.weights.layers.size(); ++i) {
        const LayerWeights& x = a.weights.layers[i];
        const LayerWeights& y = b.weights.layers[i];
        EXPECT_TRUE(sameMatrix(x.router, y.router));
        ASSERT_EQ(x.experts.size(), y.experts.size());
        for (std::size_t e = 0; e < x.experts.size(); ++e) {
            EXPECT_TRUE(sameMatrix(x.experts[e].gate, y.experts[e].gate)) << i << " " << e;
            EXPECT_TRUE(sameMatrix(x.experts[e].up, y.experts[e].up)) << i << " " << e;
            EXPECT_TRUE(sameMatrix(x.experts[e].down, y.experts[e].down)) << i << " " << e;
        }
    }
}

constexpr int kExperts = 8;

/// The golden mixture with its experts stacked as transformers 5 holds them in memory.
Tensors stackedExperts() {
    Tensors tensors = tensorsOf("qwen3-moe");
    for (int layer = 0; layer < 2; ++layer) {
        const std::string at = "model.layers." + std::to_string(layer) + ".mlp.experts.";
        Tensor gateUp{{kExperts, 128, 128}, ""};
        Tensor down{{kExperts, 128, 64}, ""};
        for (int e = 0; e < kExperts; ++e) {
            const std::string one = at + std::to_string(e);
            gateUp.bytes += tensors[one + ".gate_proj.weight"].bytes;
            gateUp.bytes += tensors[one + ".up_proj.weight"].bytes;
            down.bytes += tensors[one + ".down_proj.weight"].bytes;
            for (const char* part : {".gate_proj.weight", ".up_proj.weight", ".down_proj.weight"})
                tensors.erase(one + part);
        }
        tensors[at + "gate_up_proj"] = gateUp;
        tensors[at + "down_proj"] = down;
    }
    return tensors;
}

TEST(TensorLayouts, stackedExperts_equalSeparateExperts) {
    const ModelFolder folder("qwen3-moe", configOf("qwen3-moe"), stackedExperts());
    const auto stacked = folder.load();
    const auto single = loadModel(golden("qwen3-moe"));
    ASSERT_TRUE(stacked.has_value()) << describe(stacked.error());
    ASSERT_TRUE(single.has_value());
    expectSameExperts(**stacked, **single);
    EXPECT_EQ((*stacked)->spec.parameters, (*single)->spec.parameters);
}

TEST(TensorLayouts, transposedExperts_areRefusedByShape) {
    Tensors tensors = stackedExperts();
    tensors["model.layers.1.mlp.experts.down_proj"].shape = {kExperts, 64, 128};
    const auto model = ModelFolder("qwen3-moe", configOf("qwen3-moe"), tensors).load();
    ASSERT_FALSE(model.has_value());
    EXPECT_EQ(model.error().code, ErrorCode::ModelShape);
    EXPECT_NE(model.error().what.find("[8, 64, 128]; [8, 128, 64]"), std::string::npos)
        << model.error().what;
}

/// The golden mixture without query and key norms, under mixtral's names.
Tensors mixtralTensors() {
    Tensors tensors = tensorsOf("qwen3-moe");
    std::erase_if(tensors, [](const auto& item) {
        return item.first.ends_with("q_norm.weight") || item.first.ends_with("k_norm.weight");
    });
    tensors = renamed(tensors, ".mlp.", ".block_sparse_moe.");
    tensors = renamed(tensors, "gate_proj", "w1");
    tensors = renamed(tensors, "down_proj", "w2");
    return renamed(tensors, "up_proj", "w3");
}

Json mixtralConfig() {
    Json config = configOf("qwen3-moe");
    config["model_type"] = "mixtral";
    config["intermediate_size"] = 64;
    return config;
}

TEST(TensorLayouts, mixtralNames_areReadAndConverted) {
    const ModelFolder folder("qwen3-moe", mixtralConfig(), mixtralTensors());
    const auto model = folder.load();
    ASSERT_TRUE(model.has_value()) << describe(model.error());
    const auto reference = loadModel(golden("qwen3-moe"));
    ASSERT_TRUE(reference.has_value());
    expectSameExperts(**model, **reference);
    ConvertOptions options;
    options.type = DType::BF16;
    const auto report = convertToGguf(folder.path(), folder.path() / "out.gguf", options);
    ASSERT_TRUE(report.has_value()) << describe(report.error());
    const auto converted = loadModel(folder.path() / "out.gguf");
    ASSERT_TRUE(converted.has_value()) << describe(converted.error());
    EXPECT_EQ((*converted)->spec.architecture, "llama");
    EXPECT_EQ((*converted)->spec.experts.feedForward, 64);
    EXPECT_TRUE((*converted)->spec.experts.normaliseWeights);
    EXPECT_EQ((*converted)->spec.layerSpecs, (*model)->spec.layerSpecs);
    EXPECT_EQ((*converted)->weights.layers[1].experts.size(), 8U);
}

/// qwen2moe: the experts of the golden mixture, biases, and a shared expert with its gate.
TEST(TensorLayouts, sharedExpert_isReadFromBothContainers) {
    Tensors tensors = mixtralTensors();
    tensors = renamed(tensors, ".block_sparse_moe.", ".mlp.");
    tensors = renamed(tensors, "w1", "gate_proj");
    tensors = renamed(tensors, "w2", "down_proj");
    tensors = renamed(tensors, "w3", "up_proj");
    for (int layer = 0; layer < 2; ++layer) {
        const std::string at = "model.layers." + std::to_string(layer);
        const std::string expert = at + ".mlp.experts.3.";
        for (const char* part : {"gate_proj.weight", "up_proj.weight", "down_proj.weight"})
            tensors[at + ".mlp.shared_expert." + part] = tensors[expert + part];
        const std::string row = tensors[at + ".input_layernorm.weight"].bytes;
        tensors[at + ".mlp.shared_expert_gate.weight"] = {{1, 128}, row};
        tensors[at + ".self_attn.q_proj.bias"] = {{128}, row};
        tensors[at + ".self_attn.k_proj.bias"] = {{64}, row.substr(0, 128)};
        tensors[at + ".self_attn.v_proj.bias"] = {{64}, row.substr(128)};
    }
    Json config = configOf("qwen3-moe");
    config["model_type"] = "qwen2_moe";
    config["num_experts"] = kExperts;
    config["norm_topk_prob"] = false;
    config["shared_expert_intermediate_size"] = 64;
    const ModelFolder folder("qwen3-moe", config, tensors);
    ConvertOptions options;
    options.type = DType::BF16;
    const auto report = convertToGguf(folder.path(), folder.path() / "out.gguf", options);
    ASSERT_TRUE(report.has_value()) << describe(report.error());
    const auto a = folder.load();
    const auto b = loadModel(folder.path() / "out.gguf");
    ASSERT_TRUE(a && b) << (b ? "" : describe(b.error()));
    EXPECT_EQ((*b)->spec.architecture, "qwen2moe");
    EXPECT_FALSE((*b)->spec.experts.normaliseWeights);
    EXPECT_EQ((*b)->spec.experts.sharedFeedForward, 64);
    const LayerWeights& x = (*a)->weights.layers[1];
    const LayerWeights& y = (*b)->weights.layers[1];
    EXPECT_TRUE(sameMatrix(x.sharedExpert.down, y.sharedExpert.down));
    EXPECT_EQ(x.keyBias, y.keyBias);
    EXPECT_EQ(y.sharedExpertGate.rows, 1);
    EXPECT_EQ(y.sharedExpertGate.type, DType::F32);
}

TEST(TensorLayouts, textPartOfAMultimodalModel_isRead) {
    const auto plain = loadModel(golden("gemma3"));
    ASSERT_TRUE(plain.has_value());
    for (const char* prefix : {"language_model.model.", "model.language_model."}) {
        Tensors tensors = renamed(tensorsOf("gemma3"), "model.", prefix);
        tensors["vision_tower.vision_model.x.weight"] = {{2, 2}, std::string(8, '\0')};
        tensors["multi_modal_projector.y.weight"] = {{2, 2}, std::string(8, '\0')};
        const Json config{{"model_type", "gemma3"}, {"text_config", configOf("gemma3")}};
        const auto model = ModelFolder("gemma3", config, tensors).load();
        ASSERT_TRUE(model.has_value()) << describe(model.error());
        EXPECT_EQ((*model)->spec.parameters, (*plain)->spec.parameters);
        EXPECT_EQ((*model)->weights.layers[6].keyNorm, (*plain)->weights.layers[6].keyNorm);
    }
}

/// The gains of a head of the golden stablelm as a tensor: 1 and the next bfloat16 numbers.
Tensor headGains(int layer, int head, bool keys) {
    Tensor tensor{{16}, ""};
    for (int i = 0; i < 16; ++i) {
        const int bits = 0x3F80 + (keys ? 64 : 0) + layer * 16 + head * 4 + i;
        tensor.bytes += static_cast<char>(bits & 255);
        tensor.bytes += static_cast<char>(bits >> 8);
    }
    return tensor;
}

TEST(TensorLayouts, gainsOfEachHead_areReadFromBothContainers) {
    constexpr int kHeads = 4;
    Json config = configOf("stablelm");
    config["qk_layernorm"] = true;
    Tensors tensors = tensorsOf("stablelm");
    const auto nameOf = [](int layer, const char* side, int head) {
        return "model.layers." + std::to_string(layer) + ".self_attn." + side +
               "_layernorm.norms." + std::to_string(head) + ".weight";
    };
    for (int layer = 0; layer < 3; ++layer) {
        for (int head = 0; head < kHeads; ++head) {
            tensors[nameOf(layer, "q", head)] = headGains(layer, head, false);
            tensors[nameOf(layer, "k", head)] = headGains(layer, head, true);
        }
    }
    const ModelFolder folder("stablelm", config, tensors);
    const auto model = folder.load();
    ASSERT_TRUE(model.has_value()) << describe(model.error());
    EXPECT_EQ((*model)->spec.qkNorm, QkNorm::HeadGains);
    const LayerWeights& layer = (*model)->weights.layers[2];
    ASSERT_EQ(layer.queryNorm.size(), 64U);
    ASSERT_EQ(layer.keyNorm.size(), 64U);
    constexpr float kStep = 1.0F / 128;  // between bfloat16 numbers from 1 to 2
    EXPECT_EQ(layer.queryNorm[3 * 16 + 5], 1 + (2 * 16 + 3 * 4 + 5) * kStep);
    EXPECT_EQ(layer.keyNorm[1 * 16 + 7], 1 + (64 + 2 * 16 + 1 * 4 + 7) * kStep);

    const test::TemporaryFolder target;
    ConvertOptions options;
    options.type = DType::BF16;
    const auto report = convertToGguf(folder.path(), target.path() / "out.gguf", options);
    ASSERT_TRUE(report.has_value()) << describe(report.error());
    const auto file = loadModel(target.path() / "out.gguf");
    ASSERT_TRUE(file.has_value()) << describe(file.error());
    EXPECT_EQ((*file)->spec.qkNorm, QkNorm::HeadGains);
    EXPECT_EQ((*file)->spec.parameters, (*model)->spec.parameters);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ((*file)->weights.layers[i].queryNorm, (*model)->weights.layers[i].queryNorm);
        EXPECT_EQ((*file)->weights.layers[i].keyNorm, (*model)->weights.layers[i].keyNorm);
    }

    config["qk_layernorm"] = false;
    EXPECT_EQ(ModelFolder("stablelm", config, tensors).load().error().code, ErrorCode::Unsupported);
    config["qk_layernorm"] = true;
    tensors[nameOf(0, "k", kHeads)] = headGains(0, 0, true);
    EXPECT_EQ(ModelFolder("stablelm", config, tensors).load().error().code, ErrorCode::Unsupported)
        << "the model has fewer heads";
    tensors.erase(nameOf(0, "k", kHeads));
    tensors.erase(nameOf(1, "q", 3));
    EXPECT_EQ(ModelFolder("stablelm", config, tensors).load().error().code,
              ErrorCode::ModelMissingTensor);
}

struct BadRow {
    std::string id;
    ErrorCode code;
    std::string says;
    std::function<void(Tensors&, Json&)> change;
};
void PrintTo(const BadRow& row, std::ostream* out) {
    *out << row.id;
}

std::vector<BadRow> rows() {
    const std::string expert = "model.layers.1.mlp.experts.";
    return {
        {"expert_missing", ErrorCode::ModelMissingTensor, "experts.7.up_proj",
         [=](Tensors& t, Json&) { t.erase(expert + "7.up_proj.weight"); }},
        {"expert_too_many", ErrorCode::Unsupported, "experts.8.up_proj",
         [=](Tensors& t, Json&) {
             t[expert + "8.up_proj.weight"] = t[expert + "7.up_proj.weight"];
         }},
        {"expert_number_overflows", ErrorCode::Unsupported, "99999999999",
         [=](Tensors& t, Json&) {
             t[expert + "99999999999.up_proj.weight"] = t[expert + "7.up_proj.weight"];
         }},
        {"expert_shape", ErrorCode::ModelShape, "experts.0.gate_proj",
         [=](Tensors& t, Json&) {
             t[expert + "0.gate_proj.weight"].shape = {128, 64};
         }},
        {"router_missing", ErrorCode::ModelMissingTensor, "mlp.gate.weight",
         [](Tensors& t, Json&) { t.erase("model.layers.0.mlp.gate.weight"); }},
        {"both_layouts", ErrorCode::Unsupported, "would be ignored",
         [=](Tensors& t, Json&) {
             t[expert + "down_proj"] = {{8, 128, 64}, std::string(8 * 128 * 64 * 2, '\0')};
         }},
        {"dense_beside_experts", ErrorCode::Unsupported, "mlp.gate_proj",
         [=](Tensors& t, Json&) {
             t["model.layers.1.mlp.gate_proj.weight"] = t[expert + "7.gate_proj.weight"];
         }},
        {"more_used_than_there", ErrorCode::ModelBadDim, "9 of 8 experts",
         [](Tensors&, Json& c) { c["num_experts_per_tok"] = 9; }},
        {"step_zero", ErrorCode::Config, "decoder_sparse_step",
         [](Tensors&, Json& c) { c["decoder_sparse_step"] = 0; }},
        {"experts_negative", ErrorCode::ModelBadDim, "num_local_experts",
         [](Tensors&, Json& c) { c["num_local_experts"] = -1; }},
        {"experts_huge", ErrorCode::ModelBadDim, "4097 experts",
         [](Tensors&, Json& c) { c["num_local_experts"] = 4097; }},
        {"expert_size_overflows", ErrorCode::ModelBadDim, "experts of size 2147483647",
         [](Tensors&, Json& c) { c["moe_intermediate_size"] = 2147483647; }},
        {"dense_layers_text", ErrorCode::Config, "mlp_only_layers",
         [](Tensors&, Json& c) { c["mlp_only_layers"] = "none"; }},
        {"window_negative", ErrorCode::ModelBadDim, "sliding_window is -1",
         [](Tensors&, Json& c) {
             c["use_sliding_window"] = true;
             c["sliding_window"] = -1;
         }},
        {"window_zero", ErrorCode::Config, "sliding_window",
         [](Tensors&, Json& c) {
             c["use_sliding_window"] = true;
             c["sliding_window"] = 0;
         }},
        {"layer_types_short", ErrorCode::ModelBadLayers, "lists 1 layers",
         [](Tensors&, Json& c) { c["layer_types"] = Json::array({"full_attention"}); }},
        {"layer_types_strange", ErrorCode::Unsupported, "chunked_attention",
         [](Tensors&, Json& c) {
             c["layer_types"] = Json::array({"full_attention", "chunked_attention"});
         }},
        {"long_factors_short", ErrorCode::ModelBadRope, "number of long factors is 3",
         [](Tensors&, Json& c) {
             c["rope_parameters"] = {{"rope_type", "longrope"},
                                     {"short_factor", std::vector<double>(16, 1.0)},
                                     {"long_factor", std::vector<double>(3, 1.0)}};
         }},
        {"long_factor_zero", ErrorCode::ModelBadRope, "long factors is 0",
         [](Tensors&, Json& c) {
             c["rope_parameters"] = {{"rope_type", "longrope"},
                                     {"short_factor", std::vector<double>(16, 1.0)},
                                     {"long_factor", std::vector<double>(16, 0.0)}};
         }},
        {"yarn_betas", ErrorCode::ModelBadRope, "beta_fast",
         [](Tensors&, Json& c) {
             c["rope_parameters"] = {
                 {"rope_type", "yarn"}, {"factor", 2.0}, {"beta_fast", 1.0}, {"beta_slow", 32.0}};
         }},
    };
}

class InvalidMixture : public testing::TestWithParam<BadRow> {};

TEST_P(InvalidMixture, invalidMixture_isRefusedWithAMessage) {
    Tensors tensors = tensorsOf("qwen3-moe");
    Json config = configOf("qwen3-moe");
    GetParam().change(tensors, config);
    const auto model = ModelFolder("qwen3-moe", config, tensors).load();
    ASSERT_FALSE(model.has_value());
    EXPECT_EQ(errorName(model.error().code), errorName(GetParam().code)) << model.error().what;
    EXPECT_NE(model.error().what.find(GetParam().says), std::string::npos) << model.error().what;
}
std::string rowName(const testing::TestParamInfo<BadRow>& info) {
    return info.param.id;
}
INSTANTIATE_TEST_SUITE_P(Rows, InvalidMixture, testing::ValuesIn(rows()), rowName);

TEST(Convert, settingWithoutGgufKey_isRefusedByName) {
    Json config = configOf("llama");
    config["rope_parameters"] = {{"rope_type", "dynamic"}, {"factor", 2.0}};
    const ModelFolder dynamic("llama", config, tensorsOf("llama"));
    const auto report = convertToGguf(dynamic.path(), dynamic.path() / "out.gguf", {});
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, ErrorCode::Unsupported);
    EXPECT_NE(report.error().what.find("dynamic scaling"), std::string::npos);
    EXPECT_FALSE(fs::exists(dynamic.path() / "out.gguf"));
}

TEST(Convert, yarnLongropeAndWindows_roundTrip) {
    const auto roundTrip = [](const char* model, const Json& config) {
        const ModelFolder folder(model, config, tensorsOf(model));
        const auto report = convertToGguf(folder.path(), folder.path() / "out.gguf", {});
        EXPECT_TRUE(report.has_value()) << describe(report.error());
        const auto a = folder.load();
        const auto b = loadModel(folder.path() / "out.gguf");
        EXPECT_TRUE(a && b);
        return std::pair((*a)->spec, (*b)->spec);
    };
    Json config = configOf("qwen2");
    config["rope_parameters"] = {{"rope_type", "yarn"},
                                 {"factor", 4.0},
                                 {"attention_factor", 1.5},
                                 {"beta_fast", 16.0},
                                 {"original_max_position_embeddings", 512}};
    config.erase("layer_types");
    config["use_sliding_window"] = true;
    config["sliding_window"] = 100;
    config["max_window_layers"] = 1;
    const auto [yarnA, yarnB] = roundTrip("qwen2", config);
    EXPECT_EQ(yarnA.rope.scaling, RopeSpec::Scaling::Yarn);
    EXPECT_EQ(yarnB.rope.scaling, RopeSpec::Scaling::Yarn);
    EXPECT_EQ(yarnA.rope.factor, yarnB.rope.factor);
    EXPECT_EQ(yarnB.rope.originalContext, 512);
    EXPECT_EQ(yarnB.rope.betaFast, 16.0F);
    EXPECT_FLOAT_EQ(yarnA.rope.magnitude, yarnB.rope.magnitude);
    EXPECT_EQ(yarnB.window, 100);
    EXPECT_EQ(yarnA.layerSpecs, yarnB.layerSpecs);
    Json phi = configOf("phi3");
    phi["original_max_position_embeddings"] = 256;
    phi["rope_parameters"] = {{"rope_type", "longrope"},
                              {"short_factor", std::vector<double>(16, 1.25)},
                              {"long_factor", std::vector<double>(16, 4.5)}};
    const auto [longA, longB] = roundTrip("phi3", phi);
    EXPECT_EQ(longB.rope.scaling, RopeSpec::Scaling::LongRope);
    EXPECT_EQ(longA.rope.longFactors, longB.rope.longFactors);
    EXPECT_EQ(longA.rope.shortFactors, longB.rope.shortFactors);
    EXPECT_EQ(longB.rope.originalContext, 256);
    EXPECT_EQ(longA.rope.magnitude, longB.rope.magnitude);
}

}  // namespace
}  // namespace lacuna
