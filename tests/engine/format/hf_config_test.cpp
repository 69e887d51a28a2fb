#include <gtest/gtest.h>

#include <ostream>

#include "engine/base/json.h"
#include "engine/format/hf_config.h"
#include "tests/support/load_answers.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

Json goodConfig() {
    return Json{{"model_type", "llama"},    {"num_hidden_layers", 2},
                {"hidden_size", 128},       {"intermediate_size", 256},
                {"vocab_size", 512},        {"max_position_embeddings", 2048},
                {"num_attention_heads", 4}, {"num_key_value_heads", 2},
                {"rms_norm_eps", 1e-6},     {"rope_theta", 500000.0}};
}

TEST(HfConfig, oldAndNewRopeForms_areEquivalent) {
    const Json scaling{{"rope_type", "llama3"},
                       {"factor", 8.0},
                       {"low_freq_factor", 1.0},
                       {"high_freq_factor", 4.0},
                       {"original_max_position_embeddings", 64}};
    Json old = goodConfig();
    old["rope_scaling"] = scaling;
    Json fresh = goodConfig();
    fresh.erase("rope_theta");
    fresh["rope_parameters"] = scaling;
    fresh["rope_parameters"]["rope_theta"] = 500000.0;
    Json oldest = old;
    oldest["rope_scaling"].erase("rope_type");
    oldest["rope_scaling"]["type"] = "llama3";
    for (const Json& config : {old, fresh, oldest}) {
        const auto spec = specFromConfig(config.dump());
        ASSERT_TRUE(spec.has_value()) << describe(spec.error());
        EXPECT_EQ(spec->rope.base, 500000.0F);
        EXPECT_EQ(spec->rope.scaling, RopeSpec::Scaling::Llama3);
        EXPECT_EQ(spec->rope.factor, 8.0F);
        EXPECT_EQ(spec->rope.lowFrequencyFactor, 1.0F);
        EXPECT_EQ(spec->rope.highFrequencyFactor, 4.0F);
        EXPECT_EQ(spec->rope.originalContext, 64);
        EXPECT_EQ(spec->rope.dim, 32);
    }
}

TEST(HfConfig, missingFields_useTheDefaultsOfTheFamily) {
    Json config = goodConfig();
    for (const char* name : {"num_key_value_heads", "rms_norm_eps", "rope_theta"})
        config.erase(name);
    const auto spec = specFromConfig(config.dump());
    ASSERT_TRUE(spec.has_value()) << describe(spec.error());
    EXPECT_EQ(spec->kvHeads, 4);
    EXPECT_EQ(spec->headDim, 32);
    EXPECT_EQ(spec->rmsEpsilon, 1e-6F);
    EXPECT_EQ(spec->rope.base, 10000.0F);
    EXPECT_FALSE(spec->tiedEmbeddings);
    config["model_type"] = "qwen3";
    config["num_key_value_heads"] = nullptr;  // null is the number of heads; an absent key is 32
    const auto qwen3 = specFromConfig(config.dump());
    ASSERT_TRUE(qwen3.has_value()) << describe(qwen3.error());
    EXPECT_EQ(qwen3->headDim, 128);
    EXPECT_EQ(qwen3->kvHeads, 4);
}

struct BadRow {
    std::string id;
    ErrorCode code;
    std::string says;
    std::string text;
};
void PrintTo(const BadRow& row, std::ostream* out) {
    *out << row.id;
}

std::string with(const char* field, const Json& value) {
    Json config = goodConfig();
    config[field] = value;
    return config.dump();
}
std::string without(const char* field) {
    Json config = goodConfig();
    config.erase(field);
    return config.dump();
}

std::vector<BadRow> rows() {
    std::vector<BadRow> all{
        {"S18_empty", ErrorCode::Config, "model_type", "{}"},
        {"S18_list", ErrorCode::Config, "object", "[]"},
        {"S18_nothing", ErrorCode::Config, "JSON", ""},
        {"S18_nan", ErrorCode::Config, "JSON", "{\"rms_norm_eps\": NaN}"},
        {"S18_1e400", ErrorCode::Config, "config.json",
         "{\"model_type\":\"llama\",\"rms_norm_eps\":1e400}"},
        {"S18_headsText", ErrorCode::Config, "num_attention_heads",
         with("num_attention_heads", "32")},
        {"S18_headsFloat", ErrorCode::Config, "num_attention_heads",
         with("num_attention_heads", 4.5)},
        {"S18_twice", ErrorCode::Config, "twice",
         "{\"model_type\":\"llama\",\"model_type\":\"llama\"}"},
        {"S18_typeNumber", ErrorCode::Config, "model_type", with("model_type", 3)},
        {"S18_ropeText", ErrorCode::Config, "rope_scaling", with("rope_scaling", "linear")},
        {"S18_flagText", ErrorCode::Config, "tie_word_embeddings",
         with("tie_word_embeddings", "no")},
        {"S18_factorText", ErrorCode::Config, "rope_scaling.factor",
         with("rope_scaling", Json{{"type", "linear"}, {"factor", "2"}})},
        {"S19_quantised", ErrorCode::ModelTypeUse, "quantization_config",
         with("quantization_config", Json{{"bits", 4}})},
        {"architecture", ErrorCode::ModelArchUnknown, "llama, mistral, mixtral, qwen2",
         with("model_type", "mamba")},
        {"headsNegative", ErrorCode::ModelBadHeads, "num_attention_heads",
         with("num_attention_heads", -1)},
        {"headsZero", ErrorCode::ModelBadHeads, "0 heads", with("num_attention_heads", 0)},
        {"layersHuge", ErrorCode::ModelBadLayers, "num_hidden_layers",
         with("num_hidden_layers", 18446744073709551615ULL)},
        {"contextHuge", ErrorCode::ModelBadCtx, "max_position_embeddings",
         with("max_position_embeddings", 1ULL << 31)},
        {"vocabularyZero", ErrorCode::ModelVocab, "0 tokens", with("vocab_size", 0)},
        {"hiddenOdd", ErrorCode::ModelBadDim, "hidden_size", with("hidden_size", 129)},
        {"epsilon", ErrorCode::ModelBadEps, "epsilon", with("rms_norm_eps", 0)},
        {"ropeKind", ErrorCode::ModelBadRope, "mrope",
         with("rope_scaling", Json{{"rope_type", "mrope"}, {"factor", 2}})},
        {"ropeFactorMissing", ErrorCode::ModelMissingKey, "rope_scaling.factor",
         with("rope_scaling", Json{{"type", "linear"}})},
        {"ropeBase", ErrorCode::ModelBadRope, "base", with("rope_theta", 0)},
        {"ropeShare", ErrorCode::ModelBadRope, "partial_rotary_factor",
         with("partial_rotary_factor", 1.5)},
        {"activation", ErrorCode::Unsupported, "gelu", with("hidden_act", "gelu")},
        {"window", ErrorCode::Unsupported, "use_sliding_window", with("use_sliding_window", true)},
        {"layerTypes", ErrorCode::Unsupported, "sliding_attention",
         with("layer_types", Json{"full_attention", "sliding_attention"})},
    };
    for (const char* field : {"num_hidden_layers", "hidden_size", "intermediate_size", "vocab_size",
                              "max_position_embeddings", "num_attention_heads"})
        all.push_back(
            {std::string("M02_") + field, ErrorCode::ModelMissingKey, field, without(field)});
    return all;
}

class InvalidConfig : public testing::TestWithParam<BadRow> {};

TEST_P(InvalidConfig, invalidField_isRefusedWithItsCodeAndName) {
    const auto spec = specFromConfig(GetParam().text);
    ASSERT_FALSE(spec.has_value());
    EXPECT_EQ(errorName(spec.error().code), errorName(GetParam().code)) << spec.error().what;
    EXPECT_NE(spec.error().what.find(GetParam().says), std::string::npos) << spec.error().what;
    const test::TemporaryFolder folder;
    static_cast<void>(folder.write("config.json", GetParam().text));
    std::filesystem::copy_file(
        std::filesystem::path(LACUNA_GOLDEN_DIR) / "models" / "llama" / "model.safetensors",
        folder.path() / "model.safetensors");
    EXPECT_EQ(test::loadAnswer(folder.path()), errorName(GetParam().code));
    EXPECT_EQ(test::inspectAnswer(folder.path()), errorName(GetParam().code));
}
std::string rowName(const testing::TestParamInfo<BadRow>& info) {
    return info.param.id;
}
INSTANTIATE_TEST_SUITE_P(Rows, InvalidConfig, testing::ValuesIn(rows()), rowName);

TEST(HfConfig, S18_folderWithoutConfiguration_isNotAModel) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(readConfigText(folder.path()).error().code, ErrorCode::Config);
}

}  // namespace
}  // namespace lacuna
