#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>

#include "engine/format/convert.h"
#include "engine/format/convert_metadata.h"
#include "engine/format/gguf.h"
#include "engine/format/load_model.h"
#include "engine/tensor/block_formats.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

fs::path golden(const std::string& name) {
    return fs::path(LACUNA_GOLDEN_DIR) / "models" / name;
}

ConvertOptions as(DType type) {
    ConvertOptions options;
    options.type = type;
    return options;
}

/// Checks that every tensor of `made` has the type, shape and bytes of that in `reference`.
void expectSameTensors(const GgufFile& made, const GgufFile& reference) {
    ASSERT_EQ(made.tensors().size(), reference.tensors().size());
    for (const TensorInfo& expected : reference.tensors()) {
        const TensorInfo* found = made.find(expected.name);
        ASSERT_NE(found, nullptr) << expected.name;
        EXPECT_EQ(found->type, expected.type) << expected.name;
        EXPECT_EQ(found->shape, expected.shape) << expected.name;
        ASSERT_EQ(found->bytes, expected.bytes) << expected.name;
        EXPECT_EQ(std::memcmp(found->data, expected.data, expected.bytes), 0) << expected.name;
    }
}

class ConvertGolden : public testing::TestWithParam<const char*> {};

TEST_P(ConvertGolden, bf16File_equalsTheReferenceConverter) {
    const test::TemporaryFolder folder;
    const auto report =
        convertToGguf(golden(GetParam()), folder.path() / "out.gguf", as(DType::BF16));
    ASSERT_TRUE(report.has_value()) << describe(report.error());
    const auto made = GgufFile::open(folder.path() / "out.gguf");
    const auto reference = GgufFile::open(golden(GetParam()) / "model.gguf");
    ASSERT_TRUE(made.has_value()) << describe(made.error());
    ASSERT_TRUE(reference.has_value());
    expectSameTensors(*made, *reference);
    EXPECT_EQ(report->bytes, made->fileBytes());
    EXPECT_TRUE(made->notes().empty());
    for (const char* key :
         {"tokenizer.ggml.model", "tokenizer.ggml.pre", "tokenizer.chat_template"})
        EXPECT_EQ(made->getText(key).value(), reference->getText(key).value()) << key;
    for (const char* key : {"tokenizer.ggml.tokens", "tokenizer.ggml.merges"})
        EXPECT_EQ(made->getTexts(key).value(), reference->getTexts(key).value()) << key;
    EXPECT_EQ(made->getInts("tokenizer.ggml.token_type").value(),
              reference->getInts("tokenizer.ggml.token_type").value());
    EXPECT_EQ(made->getUnsigned("tokenizer.ggml.eos_token_id").value(),
              reference->getUnsigned("tokenizer.ggml.eos_token_id").value());
}

TEST_P(ConvertGolden, q8File_loads_withinHalfAStep) {
    const test::TemporaryFolder folder;
    const auto report =
        convertToGguf(golden(GetParam()), folder.path() / "out.gguf", as(DType::Q8_0));
    ASSERT_TRUE(report.has_value()) << describe(report.error());
    const auto made = loadModel(folder.path() / "out.gguf");
    ASSERT_TRUE(made.has_value()) << describe(made.error());
    EXPECT_EQ((*made)->spec.fileType, "Q8_0");
    const auto exact = GgufFile::open(golden(GetParam()) / "model.gguf");
    ASSERT_TRUE(exact.has_value());
    for (const TensorInfo& tensor : (*made)->source->tensors()) {
        if (tensor.type != DType::Q8_0) continue;
        const std::size_t elements = tensor.shape[0] * tensor.shape[1];
        std::vector<float> got(elements);
        std::vector<float> wanted(elements);
        decodeRow(tensor.type, tensor.data, got);
        decodeRow(DType::BF16, exact->find(tensor.name)->data, wanted);
        for (std::size_t block = 0; block < elements; block += 32) {
            float largest = 0;
            for (std::size_t i = block; i < block + 32; ++i)
                largest = std::max(largest, std::fabs(wanted[i]));
            // The tolerance is half a step plus the rounding of the step to 11 bits.
            const float allowed = largest / 127.0F * 0.5F + largest * 0x1p-11F;
            for (std::size_t i = block; i < block + 32; ++i)
                ASSERT_LE(std::fabs(got[i] - wanted[i]), allowed) << tensor.name;
        }
    }
}

std::string plainName(const testing::TestParamInfo<const char*>& info) {
    std::string name = info.param;
    for (char& c : name)
        if (c == '-') c = '_';
    return name;
}
INSTANTIATE_TEST_SUITE_P(Models, ConvertGolden,
                         testing::Values("llama", "llama3-rope", "qwen2", "qwen3", "qwen3-256"),
                         plainName);

TEST(Convert, q8Matrices_equalTheReferenceQuantiser) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(convertToGguf(golden("qwen3-256"), folder.path() / "out.gguf", as(DType::Q8_0))
                    .has_value());
    const auto made = GgufFile::open(folder.path() / "out.gguf");
    const auto reference = GgufFile::open(golden("qwen3-256") / "quantized" / "Q8_0.gguf");
    ASSERT_TRUE(made && reference);
    expectSameTensors(*made, *reference);
}

TEST(Convert, llamaQueryAndKeyRows_areInterleaved) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(
        convertToGguf(golden("llama"), folder.path() / "out.gguf", as(DType::BF16)).has_value());
    const auto made = loadModel(folder.path() / "out.gguf");
    const auto source = loadModel(golden("llama"));
    ASSERT_TRUE(made && source);
    const WeightMatrix& halves = (*source)->weights.layers[0].query;
    const WeightMatrix& pairs = (*made)->weights.layers[0].query;
    const std::size_t row = rowBytes(DType::BF16, 128);
    // In head 1 (rows 32..63), pair 3 consists of rows 3 and 3 + 16 and becomes rows 6 and 7.
    EXPECT_EQ(std::memcmp(pairs.data + (32 + 6) * row, halves.data + (32 + 3) * row, row), 0);
    EXPECT_EQ(std::memcmp(pairs.data + (32 + 7) * row, halves.data + (32 + 19) * row, row), 0);
}

TEST(Convert, widerTypes_keepEveryBit) {
    for (const DType type : {DType::F32, DType::F16}) {
        const test::TemporaryFolder folder;
        ASSERT_TRUE(
            convertToGguf(golden("qwen2"), folder.path() / "out.gguf", as(type)).has_value());
        const auto made = GgufFile::open(folder.path() / "out.gguf");
        const auto reference = GgufFile::open(golden("qwen2") / "model.gguf");
        ASSERT_TRUE(made && reference);
        const TensorInfo* found = made->find("blk.1.ffn_up.weight");
        ASSERT_EQ(found->type, type);
        std::vector<float> got(found->shape[0] * found->shape[1]);
        std::vector<float> wanted(got.size());
        decodeRow(type, found->data, got);
        decodeRow(DType::BF16, reference->find("blk.1.ffn_up.weight")->data, wanted);
        for (std::size_t i = 0; i < got.size(); ++i)
            ASSERT_LE(std::fabs(got[i] - wanted[i]), type == DType::F32 ? 0.0F : 0x1p-25F);
    }
}

TEST(Convert, nameLicenceAndProgress_arePassedOn) {
    const test::TemporaryFolder folder;
    fs::copy(golden("qwen2"), folder.path() / "model");
    std::ofstream(folder.path() / "model" / "README.md")
        << "---\nlanguage: en\nlicense: apache-2.0\n---\n# A model\n";
    ConvertOptions options = as(DType::BF16);
    options.name = "My model";
    std::vector<double> shares;
    options.progress = [&](double share) { shares.push_back(share); };
    ASSERT_TRUE(
        convertToGguf(folder.path() / "model", folder.path() / "out.gguf", options).has_value());
    const auto made = GgufFile::open(folder.path() / "out.gguf");
    ASSERT_TRUE(made.has_value());
    EXPECT_EQ(made->getText("general.name").value(), "My model");
    EXPECT_EQ(made->getText("general.license").value(), "apache-2.0");
    ASSERT_FALSE(shares.empty());
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_EQ(shares.back(), 1.0);
}

TEST(Convert, stopOrError_keepsTheOldFile) {
    const test::TemporaryFolder folder;
    const auto target = folder.write("out.gguf", "old");
    std::stop_source source;
    ConvertOptions options = as(DType::Q8_0);
    options.stop = source.get_token();
    options.progress = [&](double share) {
        if (share > 0.5) source.request_stop();
    };
    EXPECT_EQ(convertToGguf(golden("llama"), target, options).error().code, ErrorCode::Cancelled);
    EXPECT_EQ(convertToGguf(golden("llama") / "model.gguf", target, as(DType::F16)).error().code,
              ErrorCode::InvalidArgument);
    EXPECT_EQ(convertToGguf(folder.path(), target, as(DType::F16)).error().code, ErrorCode::Config);
    EXPECT_EQ(convertToGguf(golden("llama"), folder.path() / "absent" / "out.gguf", as(DType::F16))
                  .error()
                  .code,
              ErrorCode::Write);
    EXPECT_EQ(readFile(target, 100).value(), "old");
    EXPECT_EQ(folder.fileCount(), 1U);
}

/// Limits the size of files that this process writes, like a full disk.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) : oldHandler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &old_);
        const rlimit limited{bytes, old_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limited);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &old_);
        std::signal(SIGXFSZ, oldHandler_);
    }

  private:
    rlimit old_{};
    void (*oldHandler_)(int);
};

TEST(Convert, fullDisk_keepsTheOldFile) {
    const test::TemporaryFolder folder;
    const auto target = folder.write("out.gguf", "old");
    for (const rlim_t bytes : {rlim_t{0}, rlim_t{1000}, rlim_t{100'000}, rlim_t{400'000}}) {
        const FileSizeLimit limit(bytes);
        const auto report = convertToGguf(golden("llama"), target, as(DType::Q8_0));
        ASSERT_FALSE(report.has_value()) << bytes;
        EXPECT_EQ(report.error().code, ErrorCode::Write) << report.error().what;
    }
    EXPECT_EQ(readFile(target, 100).value(), "old");
    EXPECT_EQ(folder.fileCount(), 1U);
}

TEST(Convert, tokenizer_givesTheSameIdsAfterConversion) {
    const test::TemporaryFolder folder;
    const auto target = folder.path() / "out.gguf";
    ASSERT_TRUE(convertToGguf(golden("llama"), target, as(DType::Q8_0)).has_value());
    const auto before = loadTokenizer(golden("llama"));
    const auto after = loadTokenizer(target);
    ASSERT_TRUE(before && after);
    for (const char* text :
         {"Hello, world! 12345", " leading and  double  spaces ", "Line\r\nbreaks\n\n\tand\ttabs"})
        EXPECT_EQ(after->encode(text, {.edges = EdgeTokens::AsConfigured}).value(),
                  before->encode(text, {.edges = EdgeTokens::AsConfigured}).value());
}

TEST(TokenizerMetadata, tokens_arePaddedToTheRowCount) {
    const test::TemporaryFolder folder;
    const auto tokenizer = loadTokenizer(golden("qwen2"));
    ASSERT_TRUE(tokenizer.has_value());
    GgufMetadata metadata;
    ASSERT_TRUE(addTokenizer(metadata, tokenizer->data(), 515).has_value());
    auto writer = GgufWriter::create(folder.path() / "out.gguf", metadata, {});
    ASSERT_TRUE(writer.has_value() && writer->commit().has_value());
    const auto file = GgufFile::open(folder.path() / "out.gguf");
    ASSERT_TRUE(file.has_value()) << describe(file.error());
    const auto tokens = file->getTexts("tokenizer.ggml.tokens").value();
    ASSERT_EQ(tokens->size(), 515U);
    EXPECT_EQ(tokens->back(), "[PAD514]");
    EXPECT_EQ(file->getInts("tokenizer.ggml.token_type").value()->back(), 5);
}

TEST(TokenizerMetadata, tokenizerWithoutGgufForm_isRefused) {
    const auto tokenizer = loadTokenizer(golden("qwen2"));
    ASSERT_TRUE(tokenizer.has_value());
    GgufMetadata metadata;
    EXPECT_EQ(addTokenizer(metadata, tokenizer->data(), 511).error().code, ErrorCode::ModelVocab);
    TokenizerData odd = tokenizer->data();
    odd.preTokenizer.clear();
    odd.splits = {{.pattern = "a+"}};
    EXPECT_EQ(addTokenizer(metadata, odd, 512).error().code, ErrorCode::TokPreUnknown);
}

}  // namespace
}  // namespace lacuna
