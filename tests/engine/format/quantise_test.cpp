// Files written in block formats: error relative to another program's quantiser, mixes, metadata
// and failures.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "engine/base/json.h"
#include "engine/format/gguf.h"
#include "engine/format/load_model.h"
#include "engine/format/quantise_model.h"
#include "engine/tensor/block_formats.h"
#include "tests/support/npy_file.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

fs::path model(const std::string& name) {
    return fs::path(LACUNA_GOLDEN_DIR) / "models" / name;
}

fs::path quantised(const std::string& name) {
    return fs::path(LACUNA_GOLDEN_DIR) / "quantised" / name;
}

QuantiseOptions as(std::string_view recipe) {
    QuantiseOptions options;
    options.recipe = recipeFromName(recipe).value();
    return options;
}

Result<QuantiseReport> quantise(const fs::path& source, const fs::path& target,
                                const QuantiseOptions& options, int threads = 2) {
    ThreadPool pool(threads);
    return quantiseModel(source, target, pool, options);
}

std::vector<float> decoded(const TensorInfo& tensor) {
    std::size_t elements = 1;
    for (const std::uint64_t extent : tensor.shape) elements *= extent;
    std::vector<float> values(elements);
    decodeRow(tensor.type, tensor.data, values);
    return values;
}

double meanSquaredError(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double off = double{a[i]} - double{b[i]};
        sum += off * off;
    }
    return sum / static_cast<double>(a.size());
}

class QuantiseType : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        const auto text = readFile(quantised("peer_errors.json"), 1 << 20);
        ASSERT_TRUE(text.has_value());
        const auto errors = parseJson(*text);
        ASSERT_TRUE(errors.has_value());
        errors_ = (*errors)[GetParam()].get<std::map<std::string, double>>();
    }
    std::map<std::string, double> errors_;  ///< errors of the reference quantiser, by tensor
};

TEST_P(QuantiseType, errorOfEveryMatrix_isAtMostTheReference) {
    const test::TemporaryFolder folder;
    const auto target = folder.path() / "out.gguf";
    const auto report = quantise(model("qwen3-256") / "model.gguf", target, as(GetParam()));
    ASSERT_TRUE(report.has_value()) << describe(report.error());
    EXPECT_TRUE(report->fallbacks.empty());
    const auto source = GgufFile::open(model("qwen3-256") / "model.gguf");
    const auto made = GgufFile::open(target);
    ASSERT_TRUE(source && made);
    int compared = 0;
    for (const TensorInfo& tensor : made->tensors()) {
        const auto before = decoded(*source->find(tensor.name));
        if (tensor.shape.size() < 2) {
            EXPECT_EQ(decoded(tensor), before) << tensor.name;
            continue;
        }
        EXPECT_EQ(info(tensor.type).name, GetParam()) << tensor.name;
        ASSERT_TRUE(errors_.contains(tensor.name)) << tensor.name;
        EXPECT_LE(meanSquaredError(decoded(tensor), before), 1.0001 * errors_[tensor.name])
            << tensor.name;
        ++compared;
    }
    EXPECT_EQ(compared, 8);
}

TEST_P(QuantiseType, errorOfHeavyTails_isAtMostTheReference) {
    const auto type = dtypeFromName(GetParam()).value();
    for (const char* name : {"student_t.npy", "spikes.npy"}) {
        const auto numbers = test::readNpyMatrix(quantised(name));
        ASSERT_TRUE(numbers.has_value());
        std::vector<std::byte> bytes(
            static_cast<std::size_t>(rowBytes(type, numbers->values.size())));
        encodeRow(type, numbers->values, bytes.data());
        std::vector<float> back(numbers->values.size());
        decodeRow(type, bytes.data(), back);
        EXPECT_LE(meanSquaredError(back, numbers->values), 1.0001 * errors_[name]) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Types, QuantiseType,
                         testing::Values("Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q4_K", "Q5_K",
                                         "Q6_K"));

TEST(QuantiseModel, anyThreadCount_givesTheSameBytes) {
    const test::TemporaryFolder folder;
    std::string first;
    for (const int threads : {1, 3}) {
        const auto target = folder.path() / "out.gguf";
        ASSERT_TRUE(
            quantise(model("qwen3-256") / "model.gguf", target, as("Q4_K_M"), threads).has_value());
        const std::string bytes = readFile(target, 1 << 24).value();
        if (first.empty()) first = bytes;
        EXPECT_TRUE(bytes == first) << threads;
    }
}

TEST(QuantiseModel, folderAndFileOfOneModel_giveTheSameWeights) {
    const test::TemporaryFolder folder;
    const auto a = folder.path() / "a.gguf";
    const auto b = folder.path() / "b.gguf";
    ASSERT_TRUE(quantise(model("qwen3-256"), a, as("Q6_K")).has_value());
    ASSERT_TRUE(quantise(model("qwen3-256") / "model.gguf", b, as("Q6_K")).has_value());
    const auto left = GgufFile::open(a);
    const auto right = GgufFile::open(b);
    ASSERT_TRUE(left && right);
    ASSERT_EQ(left->tensors().size(), right->tensors().size());
    for (const TensorInfo& tensor : left->tensors()) {
        const TensorInfo* other = right->find(tensor.name);
        ASSERT_TRUE(other != nullptr && other->bytes == tensor.bytes) << tensor.name;
        EXPECT_EQ(std::memcmp(tensor.data, other->data, tensor.bytes), 0) << tensor.name;
    }
    EXPECT_EQ(folder.fileCount(), 2U);
}

TEST(QuantiseModel, metadata_areKept_andTheFileTypeIsSet) {
    const test::TemporaryFolder folder;
    const auto target = folder.path() / "out.gguf";
    ASSERT_TRUE(quantise(model("qwen3-256") / "model.gguf", target, as("Q4_K_M")).has_value());
    const auto before = GgufFile::open(model("qwen3-256") / "model.gguf");
    const auto after = GgufFile::open(target);
    ASSERT_TRUE(before && after);
    EXPECT_EQ(after->getUnsigned("general.file_type").value(), 15U);
    EXPECT_EQ(after->getUnsigned("general.quantization_version").value(), 2U);
    for (const GgufEntry& entry : before->header().metadata)
        EXPECT_TRUE(after->has(entry.key)) << entry.key;
    EXPECT_EQ(after->getTexts("tokenizer.ggml.tokens").value(),
              before->getTexts("tokenizer.ggml.tokens").value());
    const auto loaded = loadModel(target);
    ASSERT_TRUE(loaded.has_value()) << describe(loaded.error());
    EXPECT_EQ((*loaded)->spec.fileType, "Q4_K_M");
    EXPECT_EQ((*loaded)->weights.embedding.type, DType::Q6_K);  // shared with the output matrix
}

TEST(QuantiseModel, rowsNotDivisibleBy256_fallBack_andAreNamed) {
    const test::TemporaryFolder folder;
    const auto report =
        quantise(model("llama") / "model.gguf", folder.path() / "out.gguf", as("Q4_K"));
    ASSERT_TRUE(report.has_value()) << describe(report.error());
    ASSERT_FALSE(report->fallbacks.empty());
    for (const auto& fallback : report->fallbacks) {
        EXPECT_EQ(fallback.preferred, DType::Q4_K);
        EXPECT_EQ(fallback.stored, DType::Q5_0);
    }
    EXPECT_EQ(report->tensorsByType.at(DType::Q5_0), report->fallbacks.size());
}

TEST(QuantiseModel, stopOrError_keepsTheOldFile) {
    const test::TemporaryFolder folder;
    const auto target = folder.write("out.gguf", "old");
    const auto source = model("qwen3-256") / "model.gguf";
    for (const fs::path& from : {source, model("qwen3-256")}) {
        std::stop_source stop;
        QuantiseOptions options = as("Q4_K");
        options.stop = stop.get_token();
        options.progress = [&](double share) {
            if (share > 0.3) stop.request_stop();
        };
        EXPECT_EQ(quantise(from, target, options).error().code, ErrorCode::Cancelled);
    }
    EXPECT_EQ(quantise(quantised("Q8_0.gguf"), target, as("Q4_K")).error().code,
              ErrorCode::Unsupported);
    EXPECT_EQ(quantise(folder.path() / "absent.gguf", target, as("Q4_K")).error().code,
              ErrorCode::NotFound);
    EXPECT_EQ(quantise(source, folder.path() / "absent" / "out.gguf", as("Q4_K")).error().code,
              ErrorCode::Write);
    EXPECT_EQ(readFile(target, 100).value(), "old");
    EXPECT_EQ(folder.fileCount(), 1U);
}

TEST(QuantiseModel, sourceAsTarget_isRefused) {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "model.gguf";
    fs::copy(model("qwen3-256") / "model.gguf", path);
    const auto refused = quantise(path, path, as("Q8_0"));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    EXPECT_TRUE(loadModel(path).has_value());
}

TEST(QuantiseRecipe, names_areCaseInsensitive) {
    EXPECT_EQ(recipeFromName("q4_k_m")->name, "Q4_K_M");
    EXPECT_FALSE(recipeFromName("Q4_K_X"));
    EXPECT_EQ(fileTypeNumber(*recipeFromName("Q5_K_M")), 17U);
    EXPECT_EQ(fileTypeNumber(*recipeFromName("Q5_K_S")), 16U);
    EXPECT_EQ(fileTypeNumber(*recipeFromName("Q6_K")), 18U);
}

TEST(QuantiseRecipe, mediumMix_widensOutputAndSomeValues) {
    const QuantiseRecipe recipe = *recipeFromName("Q4_K_M");
    const RecipeModel dense{.layers = 32};
    const auto typeOf = [&](std::string_view name) { return recipeType(recipe, name, dense); };
    EXPECT_EQ(typeOf("output.weight"), DType::Q6_K);
    EXPECT_EQ(typeOf("token_embd.weight"), DType::Q4_K);
    EXPECT_EQ(typeOf("blk.0.attn_v.weight"), DType::Q6_K);
    EXPECT_EQ(typeOf("blk.4.ffn_down.weight"), DType::Q4_K);
    EXPECT_EQ(typeOf("blk.6.ffn_down.weight"), DType::Q6_K);
    EXPECT_EQ(typeOf("blk.28.ffn_down.weight"), DType::Q6_K);
    EXPECT_EQ(typeOf("blk.0.attn_q.weight"), DType::Q4_K);
    const RecipeModel tied{.layers = 32, .tiedEmbeddings = true};
    EXPECT_EQ(recipeType(recipe, "token_embd.weight", tied), DType::Q6_K);
}

TEST(QuantiseRecipe, routersNormsAndVectors_areNotQuantised) {
    const std::uint64_t matrix[] = {4, 256};
    const std::uint64_t vector[] = {256};
    EXPECT_TRUE(isQuantised("blk.0.ffn_up_exps.weight", matrix));
    EXPECT_FALSE(isQuantised("blk.0.ffn_gate_inp.weight", matrix));
    EXPECT_FALSE(isQuantised("blk.0.attn_norm.weight", vector));
    EXPECT_FALSE(isQuantised("blk.0.attn_q.bias", vector));
    EXPECT_EQ(fittingType(DType::Q5_K, 96), DType::Q5_1);
    EXPECT_EQ(fittingType(DType::Q6_K, 96), DType::Q8_0);
    EXPECT_EQ(fittingType(DType::Q4_0, 40), DType::F16);
}

}  // namespace
}  // namespace lacuna
