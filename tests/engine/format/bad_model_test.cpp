// Table of files with a valid container and invalid content: hyperparameters against tensors. Every
// row is loaded through the public interface, which must not return a partial model.
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <limits>
#include <ostream>
#include <thread>

#include "engine/format/load_model.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/load_answers.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using enum ErrorCode;
using test::Bytes;
using test::GgufBuilder;
using test::tinyLlama;

/// Loads the model and checks that inspecting it gives the same result.
Result<std::shared_ptr<const LoadedModel>> load(const GgufBuilder& builder,
                                                const LoadOptions& options = {}) {
    const test::TemporaryFolder folder;
    const auto path = folder.write("model.gguf", builder.build());
    EXPECT_EQ(test::inspectAnswer(path), test::loadAnswer(path));
    return loadModel(path, options);
}

struct BadRow {
    std::string id;
    ErrorCode code;
    std::string says;
    std::function<void(GgufBuilder&)> change;
};
void PrintTo(const BadRow& row, std::ostream* out) {
    *out << row.id;
}

std::function<void(GgufBuilder&)> number(std::string key, std::uint32_t value) {
    return [=](GgufBuilder& b) { b.without(key).u32(key, value); };
}
std::function<void(GgufBuilder&)> real(std::string key, float value) {
    return [=](GgufBuilder& b) { b.without(key).f32(key, value); };
}
std::function<void(GgufBuilder&)> words(std::string key, std::string value) {
    return [=](GgufBuilder& b) { b.without(key).text(key, value); };
}
std::function<void(GgufBuilder&)> list(std::string key, std::vector<std::int32_t> values) {
    return [=](GgufBuilder& b) { b.without(key).numbers<std::int32_t>(key, 5, values); };
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
const std::string kHeads = "llama.attention.head_count";
const std::string kKvHeads = "llama.attention.head_count_kv";
const std::string kBase = "llama.rope.freq_base";
const std::string kEpsilon = "llama.attention.layer_norm_rms_epsilon";

std::vector<BadRow> metadataRows() {
    return {
        {"G24_text", GgufMetaType, "found string", words("llama.block_count", "1")},
        {"G24_float", GgufMetaType, "found f32", real("llama.block_count", 1)},
        {"G24_negative", GgufMetaType, "found i8 -1",
         [](GgufBuilder& b) {
             b.without("llama.block_count").raw("llama.block_count", 1, "\xff");
         }},
        {"G25_scores", GgufMetaType, "u8",
         [](GgufBuilder& b) {
             b.without("tokenizer.ggml.scores")
                 .numbers<std::uint8_t>("tokenizer.ggml.scores", 0, std::vector<std::uint8_t>(259));
         }},
        {"G42_part", GgufSplit, "part 2 of a model in 3",
         [](GgufBuilder& b) {
             b.raw("split.no", 2, Bytes().put<std::uint16_t>(1).str())
                 .raw("split.count", 2, Bytes().put<std::uint16_t>(3).str());
         }},
        {"G43_count", GgufSplit, "65535",
         [](GgufBuilder& b) { b.u32("split.no", 0).u32("split.count", 65'535); }},
        {"G43_number", GgufSplit, "split.no 3",
         [](GgufBuilder& b) { b.u32("split.no", 3).u32("split.count", 3); }},
        {"M01_missing", ModelArchUnknown, "llama, mistral, mixtral, qwen2, qwen3, qwen2moe",
         [](GgufBuilder& b) { b.without("general.architecture"); }},
        {"M01_unknown", ModelArchUnknown, "\"mamba\"", words("general.architecture", "mamba")},
        {"M01_1MB", ModelArchUnknown, "llama, mistral, mixtral, qwen2, qwen3, qwen2moe",
         words("general.architecture", std::string(1 << 20, 'a'))},
        {"M04_0", ModelBadLayers, "0 layers", number("llama.block_count", 0)},
        {"M04_1025", ModelBadLayers, "1025", number("llama.block_count", 1025)},
        {"M04_max", ModelBadLayers, "4294967295", number("llama.block_count", 0xFFFFFFFFU)},
        {"M04_more", ModelBadLayers, "states 2", number("llama.block_count", 2)},
        {"M04_fewer", ModelBadLayers, "of 2 layers",
         [](GgufBuilder& b) { b.tensor("blk.1.attn_norm.weight", {8}); }},
        {"M05_0", ModelBadHeads, "0 heads", number(kHeads, 0)},
        {"M05_kv0", ModelBadHeads, "0 KV heads", number(kKvHeads, 0)},
        {"M05_kvMore", ModelBadHeads, "3 KV heads", number(kKvHeads, 3)},
        {"M05_notMultiple", ModelBadHeads, "multiple",
         [](GgufBuilder& b) {
             number(kHeads, 4)(b);
             number(kKvHeads, 3)(b);
         }},
        {"M05_1025", ModelBadHeads, "1024",
         [](GgufBuilder& b) {
             number(kHeads, 1025)(b);
             number("llama.attention.key_length", 4)(b);
         }},
        {"M06_short", ModelBadHeads, "lists 0", list(kKvHeads, {})},
        {"M06_long", ModelBadHeads, "lists 2", list(kKvHeads, {1, 1})},
        {"M06_zeros", ModelBadHeads, "0 KV heads", list(kKvHeads, {0})},
        {"M06_nested", ModelBadHeads, "list of lists",
         [](GgufBuilder& b) {
             b.without(kKvHeads).raw(kKvHeads, 9,
                                     Bytes()
                                         .put<std::uint32_t>(9)
                                         .put<std::uint64_t>(1)
                                         .put<std::uint32_t>(5)
                                         .put<std::uint64_t>(1)
                                         .put<std::int32_t>(1)
                                         .str());
         }},
        {"M07_0", ModelBadDim, "hidden size is 0", number("llama.embedding_length", 0)},
        {"M07_notMultiple", ModelBadDim, "multiple of 2 heads",
         number("llama.embedding_length", 9)},
        {"M07_valueLength", ModelBadDim, "value_length", number("llama.attention.value_length", 8)},
        {"M08_oddHead", ModelBadRope, "even number", number("llama.attention.key_length", 3)},
        {"M08_more", ModelBadRope, "head size 4", number("llama.rope.dimension_count", 6)},
        {"M08_odd", ModelBadRope, "even number", number("llama.rope.dimension_count", 3)},
        {"M09_0", ModelBadRope, "base", real(kBase, 0)},
        {"M09_negative", ModelBadRope, "base", real(kBase, -10'000)},
        {"M09_nan", ModelBadRope, "base is nan", real(kBase, kNan)},
        {"M09_inf", ModelBadRope, "base is inf", real(kBase, kInf)},
        {"M09_tiny", ModelBadRope, "base", real(kBase, 1e-38F)},
        {"M09_scale0", ModelBadRope, "factor is 0",
         [](GgufBuilder& b) {
             b.text("llama.rope.scaling.type", "linear").f32("llama.rope.scaling.factor", 0);
         }},
        {"M09_scaleNan", ModelBadRope, "factor is nan",
         [](GgufBuilder& b) {
             b.text("llama.rope.scaling.type", "linear").f32("llama.rope.scaling.factor", kNan);
         }},
        {"M09_kind", ModelBadRope, "\"su\"", words("llama.rope.scaling.type", "su")},
        {"M09_factors", ModelBadRope, "rope_freqs.weight",
         [](GgufBuilder& b) { b.tensor("rope_freqs.weight", {3}); }},
        {"M09_factorZero", ModelBadRope, "frequency factors is 0",
         [](GgufBuilder& b) { b.tensor("rope_freqs.weight", {2}); }},
        {"M10_0", ModelBadEps, "epsilon", real(kEpsilon, 0)},
        {"M10_negative", ModelBadEps, "epsilon", real(kEpsilon, -1e-5F)},
        {"M10_nan", ModelBadEps, "nan", real(kEpsilon, kNan)},
        {"M10_huge", ModelBadEps, "1e+30", real(kEpsilon, 1e30F)},
        {"M11_0", ModelBadCtx, "context length 0", number("llama.context_length", 0)},
        {"M11_2to31", ModelBadCtx, "2147483648", number("llama.context_length", 1U << 31)},
        {"M11_2to63", ModelBadCtx, "9223372036854775808",
         [](GgufBuilder& b) {
             b.without("llama.context_length")
                 .raw("llama.context_length", 10, Bytes().put(std::uint64_t{1} << 63).str());
         }},
        {"M12_window", ModelBadDim, "3000000000",
         number("llama.attention.sliding_window", 3'000'000'000U)},
        {"M12_pattern", ModelBadLayers, "lists 2 layers",
         [](GgufBuilder& b) {
             number("llama.attention.sliding_window", 16)(b);
             list("llama.attention.sliding_window_pattern", {1, 0})(b);
         }},
        {"M13_experts", ModelMissingKey, "expert_used_count", number("llama.expert_count", 8)},
        {"M13_more", ModelBadDim, "9 of 8 experts",
         [](GgufBuilder& b) {
             number("llama.expert_count", 8)(b);
             number("llama.expert_used_count", 9)(b);
         }},
        {"M13_many", ModelBadDim, "4097 experts",
         [](GgufBuilder& b) {
             number("llama.expert_count", 4097)(b);
             number("llama.expert_used_count", 2)(b);
         }},
        {"M15_key", ModelVocab, "260", number("llama.vocab_size", 260)},
        {"M15_tokens", ModelVocab, "258",
         [](GgufBuilder& b) {
             b.without("tokenizer.ggml.tokens")
                 .texts("tokenizer.ggml.tokens", std::vector<std::string>(258, "x"));
         }},
        {"M15_rows", ModelVocab, "260",
         [](GgufBuilder& b) {
             b.reshape("token_embd.weight", {8, 260});
         }},
        {"M16_type", ModelTypeUse, "Q8_1",
         [](GgufBuilder& b) {
             b = tinyLlama(32);
             b.find("token_embd.weight").type = 9;
             b.find("token_embd.weight").data.assign(259 * 36, '\0');
         }},
        {"M16_norm", ModelTypeUse, "attn_norm",
         [](GgufBuilder& b) {
             b = tinyLlama(32);
             b.find("blk.0.attn_norm.weight").type = 8;
             b.find("blk.0.attn_norm.weight").data.assign(34, '\0');
         }},
        {"scale_shape", ModelShape, "blk.0.attn_q.scale",
         [](GgufBuilder& b) { b.tensor("blk.0.attn_q.scale", {2}); }},
        {"scale_nan", ModelNonFinite, "blk.0.attn_q.scale",
         [](GgufBuilder& b) {
             b.tensor("blk.0.attn_q.scale", {1});
             b.find("blk.0.attn_q.scale").data.assign(4, '\xFF');
         }},
        {"scale_of_no_matrix", Unsupported, "blk.0.surprise.scale",
         [](GgufBuilder& b) { b.tensor("blk.0.surprise.scale", {1}); }},
        {"scale_of_a_norm", Unsupported, "blk.0.attn_norm.scale",
         [](GgufBuilder& b) { b.tensor("blk.0.attn_norm.scale", {1}); }},
        {"M19_lora", ModelKind, "LoRA", words("general.type", "adapter")},
        {"M19_mmproj", ModelKind, "image", words("general.architecture", "clip")},
        {"M19_vocabulary", ModelKind, "vocabulary", [](GgufBuilder& b) { b.tensors.clear(); }},
        {"stray_tensor", Unsupported, "blk.0.attn_q_norm.weight",
         [](GgufBuilder& b) { b.tensor("blk.0.attn_q_norm.weight", {4}); }},
        {"lone_bias", ModelMissingTensor, "blk.0.attn_k.bias",
         [](GgufBuilder& b) { b.tensor("blk.0.attn_q.bias", {8}); }},
        {"unknown_tensor", Unsupported, "blk.0.surprise",
         [](GgufBuilder& b) { b.tensor("blk.0.surprise", {8}); }},
    };
}

class InvalidModel : public testing::TestWithParam<BadRow> {};

TEST_P(InvalidModel, invalidModel_isRefusedWithItsCodeAndAMessage) {
    GgufBuilder builder = tinyLlama();
    GetParam().change(builder);
    const auto model = load(builder);
    ASSERT_FALSE(model.has_value());
    EXPECT_EQ(errorName(model.error().code), errorName(GetParam().code)) << model.error().what;
    EXPECT_NE(model.error().what.find(GetParam().says), std::string::npos) << model.error().what;
    EXPECT_NE(model.error().what.find("model.gguf"), std::string::npos) << model.error().what;
    EXPECT_LT(model.error().what.size(), 1000U);
}
std::string rowName(const testing::TestParamInfo<BadRow>& info) {
    return info.param.id;
}
INSTANTIATE_TEST_SUITE_P(Metadata, InvalidModel, testing::ValuesIn(metadataRows()), rowName);

TEST(LoadModel, M18_zeroWeights_load) {
    const auto model = load(tinyLlama());
    ASSERT_TRUE(model.has_value()) << describe(model.error());
    const ModelSpec& spec = (*model)->spec;
    EXPECT_EQ(spec.layers, 1);
    EXPECT_EQ(spec.headDim, 4);
    EXPECT_EQ(spec.vocabulary, 259);
    EXPECT_TRUE(spec.tiedEmbeddings);
    EXPECT_EQ(spec.fileType, "F32");
    EXPECT_EQ((*model)->weights.output.data, (*model)->weights.embedding.data);
    EXPECT_NE((*model)->templateNote.find("no chat template"), std::string::npos);
}

TEST(LoadModel, M02_missingRequiredKey_isNamed) {
    for (const char* key : {"llama.block_count", "llama.context_length", "llama.embedding_length",
                            "llama.feed_forward_length", "llama.attention.head_count",
                            "llama.attention.layer_norm_rms_epsilon", "tokenizer.ggml.model",
                            "tokenizer.ggml.tokens", "tokenizer.ggml.scores"}) {
        const auto model = load(tinyLlama().without(key));
        ASSERT_FALSE(model.has_value()) << key;
        EXPECT_EQ(model.error().code, ModelMissingKey) << model.error().what;
        EXPECT_NE(model.error().what.find(key), std::string::npos) << model.error().what;
    }
}

TEST(LoadModel, M03_missingTensor_isNamed) {
    for (const test::BuiltTensor& tensor : tinyLlama().tensors) {
        const auto model = load(tinyLlama().withoutTensor(tensor.name));
        ASSERT_FALSE(model.has_value()) << tensor.name;
        EXPECT_EQ(model.error().code, ModelMissingTensor) << model.error().what;
        EXPECT_NE(model.error().what.find(tensor.name), std::string::npos) << model.error().what;
    }
}

TEST(LoadModel, M14_wrongShape_isRefusedWithBothShapes) {
    for (const test::BuiltTensor& tensor : tinyLlama().tensors) {
        std::vector<std::vector<std::uint64_t>> wrong;
        for (std::size_t d = 0; d < tensor.dims.size(); ++d)
            for (const int step : {-1, 1}) {
                wrong.push_back(tensor.dims);
                wrong.back()[d] += static_cast<std::uint64_t>(step);
            }
        if (tensor.dims.size() == 2 && tensor.dims[0] != tensor.dims[1])
            wrong.push_back({tensor.dims[1], tensor.dims[0]});
        for (const auto& dims : wrong) {
            const auto model = load(tinyLlama().reshape(tensor.name, dims));
            ASSERT_FALSE(model.has_value()) << tensor.name;
            const bool vocabulary =
                tensor.name == "token_embd.weight" && dims.back() != tensor.dims.back();
            EXPECT_EQ(errorName(model.error().code),
                      errorName(vocabulary ? ModelVocab : ModelShape))
                << model.error().what;
            EXPECT_NE(model.error().what.find(tensor.name), std::string::npos)
                << model.error().what;
        }
    }
}

TEST(LoadModel, M17_nonFiniteWeights_load) {
    GgufBuilder builder = tinyLlama();
    builder.find("blk.0.attn_q.weight").data.replace(0, 4, Bytes().put(kNan).str());
    EXPECT_TRUE(load(builder).has_value());
}

TEST(LoadModel, M20_stopAtAnyProgress_returnsNoModel) {
    const test::TemporaryFolder folder;
    const auto path = folder.write("model.gguf", tinyLlama().build());
    for (const double share : {0.0, 0.3, 0.5, 0.9}) {
        std::stop_source source;
        LoadOptions options;
        options.stop = source.get_token();
        options.progress = [&](double reached) {
            if (reached >= share) source.request_stop();
        };
        const auto model = loadModel(path, options);
        ASSERT_FALSE(model.has_value()) << share;
        EXPECT_EQ(model.error().code, Cancelled);
    }
}

TEST(LoadModel, M21_oneFile_loadsTwiceConcurrently) {
    const test::TemporaryFolder folder;
    const auto path = folder.write("model.gguf", tinyLlama().build());
    Result<std::shared_ptr<const LoadedModel>> first;
    std::thread other([&] { first = loadModel(path); });
    const auto second = loadModel(path);
    other.join();
    ASSERT_TRUE(first.has_value() && second.has_value());
    EXPECT_EQ((*first)->spec.fingerprint, (*second)->spec.fingerprint);
}

TEST(LoadModel, G40_weightsBeyondMemory_areRefusedWithTheSize) {
    GgufBuilder builder = tinyLlama();
    builder.tensors.push_back({"blk.0.attn_k_norm.weight", {8, std::uint64_t{1} << 38}});
    builder.tensors.back().name = "output.weight";
    const test::TemporaryFolder folder;
    const std::string bytes = builder.build();
    const auto path = folder.write("model.gguf", bytes);
    const std::uint64_t whole = bytes.size() + (std::uint64_t{1} << 43);
    if (::truncate(path.c_str(), static_cast<off_t>(whole)) != 0)
        GTEST_SKIP() << "no sparse files of 8 TiB here";
    const auto model = loadModel(path);
    ASSERT_FALSE(model.has_value());
    EXPECT_EQ(model.error().code, NoMemory) << model.error().what;
}

TEST(LoadModel, fingerprint_changesWithMetadataAndWeights) {
    const auto plain = load(tinyLlama());
    GgufBuilder renamed = tinyLlama();
    words("general.name", "other")(renamed);
    GgufBuilder trained = tinyLlama();
    trained.find("blk.0.ffn_up.weight").data[5] = '\1';
    const auto other = load(renamed);
    const auto changed = load(trained);
    ASSERT_TRUE(plain && other && changed);
    EXPECT_EQ((*plain)->spec.fingerprint.size(), 32U);
    EXPECT_EQ((*plain)->spec.fingerprint, (*load(tinyLlama()))->spec.fingerprint);
    EXPECT_NE((*plain)->spec.fingerprint, (*other)->spec.fingerprint);
    EXPECT_NE((*plain)->spec.fingerprint, (*changed)->spec.fingerprint);
}

}  // namespace
}  // namespace lacuna
