// The golden models from both containers: equal facts and bit-identical weights.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/format/describe_model.h"
#include "engine/format/gguf.h"
#include "engine/format/load_model.h"
#include "engine/tensor/block_formats.h"
#include "tests/support/bundled_models.h"
#include "tests/support/npy_file.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

fs::path golden(const std::string& name) {
    return fs::path(LACUNA_GOLDEN_DIR) / "models" / name;
}

std::shared_ptr<const LoadedModel> load(const fs::path& path) {
    auto model = loadModel(path);
    EXPECT_TRUE(model.has_value()) << describe(model.error());
    return model ? *model : nullptr;
}

std::vector<float> decoded(const WeightMatrix& matrix) {
    std::vector<float> values(static_cast<std::size_t>(matrix.rows * matrix.columns));
    decodeRow(matrix.type, matrix.data, values);
    return values;
}

class GoldenFiles : public testing::TestWithParam<const char*> {};

TEST_P(GoldenFiles, bothContainers_giveTheSameFacts) {
    const auto folder = load(golden(GetParam()));
    const auto file = load(golden(GetParam()) / "model.gguf");
    ASSERT_TRUE(folder && file);
    const ModelSpec& a = folder->spec;
    const ModelSpec& b = file->spec;
    EXPECT_EQ(a.architecture, b.architecture);
    EXPECT_EQ(a.layers, b.layers);
    EXPECT_EQ(a.hidden, b.hidden);
    EXPECT_EQ(a.heads, b.heads);
    EXPECT_EQ(a.kvHeads, b.kvHeads);
    EXPECT_EQ(a.headDim, b.headDim);
    EXPECT_EQ(a.feedForward, b.feedForward);
    EXPECT_EQ(a.vocabulary, b.vocabulary);
    EXPECT_EQ(a.context, b.context);
    EXPECT_EQ(a.rmsEpsilon, b.rmsEpsilon);
    EXPECT_EQ(a.rope.base, b.rope.base);
    EXPECT_EQ(a.rope.dim, b.rope.dim);
    EXPECT_EQ(a.tiedEmbeddings, b.tiedEmbeddings);
    EXPECT_EQ(a.qkvBias, b.qkvBias);
    EXPECT_EQ(a.qkNorm, b.qkNorm);
    EXPECT_EQ(a.parameters, b.parameters);
    EXPECT_EQ(a.fileType, "BF16");
    EXPECT_EQ(b.fileType, "BF16");
    EXPECT_EQ(a.rope.pairing, RopePairing::Halves);
    EXPECT_EQ(b.rope.pairing,
              a.architecture == "llama" ? RopePairing::Interleaved : RopePairing::Halves);
    EXPECT_EQ(folder->templateText, file->templateText);
    EXPECT_EQ(folder->tokenizer.vocabularySize(), file->tokenizer.vocabularySize());
}

TEST_P(GoldenFiles, bothContainers_giveTheSameWeights) {
    const auto folder = load(golden(GetParam()));
    const auto file = load(golden(GetParam()) / "model.gguf");
    ASSERT_TRUE(folder && file);
    EXPECT_EQ(folder->weights.finalNorm, file->weights.finalNorm);
    EXPECT_EQ(decoded(folder->weights.output), decoded(file->weights.output));
    for (std::size_t i = 0; i < folder->weights.layers.size(); ++i) {
        const LayerWeights& a = folder->weights.layers[i];
        const LayerWeights& b = file->weights.layers[i];
        EXPECT_EQ(a.attentionNorm, b.attentionNorm);
        EXPECT_EQ(a.queryBias.empty(), !folder->spec.qkvBias);
        EXPECT_EQ(a.queryBias, b.queryBias);
        EXPECT_EQ(a.queryNorm.empty(), folder->spec.qkNorm == QkNorm::None);
        EXPECT_EQ(a.queryNorm, b.queryNorm);
        EXPECT_EQ(decoded(a.value), decoded(b.value));
        EXPECT_EQ(decoded(a.down), decoded(b.down));
        EXPECT_EQ(decoded(a.query) == decoded(b.query), folder->spec.architecture != "llama");
    }
}

std::string plainName(const testing::TestParamInfo<const char*>& info) {
    std::string name = info.param;
    for (char& c : name)
        if (c == '-') c = '_';
    return name;
}
INSTANTIATE_TEST_SUITE_P(Models, GoldenFiles,
                         testing::Values("llama", "llama3-rope", "qwen2", "qwen3", "qwen3-256"),
                         plainName);

TEST(LoadModel, llama3Scaling_isReadFromParametersOrFactors) {
    const auto folder = load(golden("llama3-rope"));
    const auto file = load(golden("llama3-rope") / "model.gguf");
    ASSERT_TRUE(folder && file);
    EXPECT_EQ(folder->spec.rope.scaling, RopeSpec::Scaling::Llama3);
    EXPECT_TRUE(folder->spec.rope.frequencyFactors.empty());
    EXPECT_EQ(file->spec.rope.scaling, RopeSpec::Scaling::None);
    ASSERT_EQ(file->spec.rope.frequencyFactors.size(), 16U);
    EXPECT_EQ(file->spec.rope.frequencyFactors.front(), 1.0F);
    EXPECT_EQ(file->spec.rope.frequencyFactors.back(), 8.0F);
}

TEST(LoadModel, llama2cMetadata_loads) {
    const auto model = load(fs::path(LACUNA_GOLDEN_DIR) / "stories260K" / "stories260Ktok512.gguf");
    ASSERT_TRUE(model);
    EXPECT_EQ(model->spec.layers, 5);
    EXPECT_EQ(model->spec.kvHeads, 4);
    EXPECT_EQ(model->spec.context, 128);
    EXPECT_EQ(model->spec.fileType, "F32");
}

TEST(LoadModel, q8Rows_decodeToTheReferenceBitForBit) {
    const fs::path folder = golden("qwen3-256") / "quantized";
    const auto file = GgufFile::open(folder / "Q8_0.gguf");
    ASSERT_TRUE(file.has_value()) << describe(file.error());
    for (const TensorInfo& tensor : file->tensors()) {
        const auto reference = test::readNpyMatrix(folder / "Q8_0" / (tensor.name + ".npy"));
        ASSERT_TRUE(reference.has_value()) << describe(reference.error());
        ASSERT_EQ(reference->columns, tensor.shape.back());
        std::vector<float> row(reference->columns);
        for (std::size_t r = 0; r < reference->rows; ++r) {
            decodeRow(tensor.type, tensor.data + r * rowBytes(tensor.type, row.size()), row);
            EXPECT_TRUE(std::equal(row.begin(), row.end(), reference->row(r)))
                << tensor.name << " row " << r;
        }
    }
}

TEST(LoadModel, q8Sums_equalTheReference) {
    const fs::path folder = golden("qwen3-256") / "quantized";
    const auto file = GgufFile::open(folder / "Q8_0.gguf");
    const auto sums = parseJson(readFile(folder / "Q8_0.json", 1 << 20).value());
    ASSERT_TRUE(file && sums);
    ASSERT_EQ(sums->size(), file->tensors().size());
    for (const TensorInfo& tensor : file->tensors()) {
        std::uint64_t elements = 1;
        for (const std::uint64_t extent : tensor.shape) elements *= extent;
        std::vector<float> values(elements);
        decodeRow(tensor.type, tensor.data, values);
        double sum = 0;
        double squares = 0;
        for (const float value : values) {
            sum += static_cast<double>(value);
            squares += static_cast<double>(value) * static_cast<double>(value);
        }
        const Json& expected = (*sums)[tensor.name];
        EXPECT_EQ(expected["type"], info(tensor.type).name);
        EXPECT_NEAR(sum, expected["sum"].get<double>(), 1e-6 * static_cast<double>(elements));
        EXPECT_NEAR(squares, expected["sum_of_squares"].get<double>(),
                    1e-6 * expected["sum_of_squares"].get<double>());
    }
}

TEST(LoadModel, bundledModel_loads_withItsFacts) {
    const auto model = load(test::boxModel());
    ASSERT_TRUE(model);
    EXPECT_EQ(model->spec.architecture, "llama");
    EXPECT_EQ(model->spec.parameters, 134'515'008U);
    EXPECT_EQ(model->spec.fileType, "Q4_1");
    EXPECT_EQ(model->spec.context, 8192);
    EXPECT_EQ(model->spec.licence, "apache-2.0");
    EXPECT_EQ(model->templateNote, "") << "its own template is understood";
    EXPECT_EQ(kvBytesPerToken(model->spec, DType::F16), 22.5 * 1024);
}

TEST(LoadModel, testModel_loads_withItsFacts) {
    const auto model = load(test::pilotModel());
    ASSERT_TRUE(model);
    EXPECT_EQ(model->spec.parameters, 29'368'832U);
    EXPECT_EQ(model->spec.fileType, "Q8_0");
    EXPECT_EQ(model->spec.licence, "GPL-3.0-or-later");
    EXPECT_TRUE(model->templateText.has_value());
    EXPECT_EQ(model->templateNote, "");
    EXPECT_EQ(kvBytesPerToken(model->spec, DType::F16), 8192U);
}

TEST(LoadModel, unsupportedTemplate_isReplaced_andReported) {
    const test::TemporaryFolder folder;
    fs::copy(golden("qwen2"), folder.path(), fs::copy_options::recursive);
    static_cast<void>(folder.write("chat_template.jinja", "{% surprise %}"));
    const auto model = load(folder.path());
    ASSERT_TRUE(model);
    EXPECT_NE(model->templateNote.find("not understood"), std::string::npos);
    EXPECT_NE(model->templateNote.find("built-in chatml"), std::string::npos);
}

TEST(LoadTokenizer, vocabulary_isReadFromEveryContainer) {
    for (const fs::path& path :
         {golden("qwen2"), golden("qwen2") / "model.gguf", golden("qwen2") / "tokenizer.json"}) {
        const auto tokenizer = loadTokenizer(path);
        ASSERT_TRUE(tokenizer.has_value()) << describe(tokenizer.error());
        EXPECT_EQ(tokenizer->vocabularySize(), 512);
    }
    EXPECT_EQ(loadTokenizer(golden("absent")).error().code, ErrorCode::NotFound);
}

TEST(DescribeModel, description_hasShapeTypesCacheAndTokenizer) {
    const auto json = describeModel(golden("qwen3-256") / "quantized" / "Q8_0.gguf");
    ASSERT_TRUE(json.has_value()) << describe(json.error());
    EXPECT_EQ((*json)["supported"], true);
    EXPECT_EQ((*json)["architecture"], "qwen3");
    EXPECT_EQ((*json)["shape"]["head_size"], 64);
    EXPECT_EQ((*json)["kv_bytes_per_token"]["F16"], 2 * 2 * 64 * 2);
    EXPECT_EQ((*json)["types"].size(), 2U);
    EXPECT_EQ((*json)["tokenizer"]["tokens"], 512);
    EXPECT_EQ((*json)["rms_epsilon"], 1e-6);
    EXPECT_EQ((*json)["qk_norm"], "per head");
}

TEST(DescribeModel, unsupportedFile_isDescribedWithTheReason) {
    const test::TemporaryFolder folder;
    static_cast<void>(folder.write("config.json", "{\"model_type\":\"mamba\"}"));
    fs::copy_file(golden("llama") / "model.safetensors", folder.path() / "model.safetensors");
    const auto json = describeModel(folder.path());
    ASSERT_TRUE(json.has_value()) << describe(json.error());
    EXPECT_EQ((*json)["supported"], false);
    EXPECT_EQ((*json)["reason"]["code"], "MODEL_ARCH_UNKNOWN");
    EXPECT_EQ(describeModel(golden("absent")).error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace lacuna
