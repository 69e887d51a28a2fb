// Every block format against numbers decoded by the format's reference reader.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/base/json.h"
#include "engine/format/gguf.h"
#include "engine/format/gguf_types.h"
#include "engine/tensor/block_formats.h"
#include "tests/support/npy_file.h"

namespace lacuna {
namespace {

std::filesystem::path golden(const std::string& name) {
    return std::filesystem::path(LACUNA_GOLDEN_DIR) / "quantised" / name;
}

struct Expected {
    const char* name;  ///< name of the file and of its recipe
    DType type;
};

class QuantisedFile : public testing::TestWithParam<Expected> {
  protected:
    void SetUp() override {
        auto file = GgufFile::open(golden(std::string(GetParam().name) + ".gguf"));
        ASSERT_TRUE(file.has_value()) << describe(file.error());
        file_ = std::make_unique<GgufFile>(std::move(*file));
    }
    std::unique_ptr<GgufFile> file_;
};

TEST_P(QuantisedFile, rows_decodeToTheReferenceBitForBit) {
    const auto reference = test::readNpyMatrix(golden(std::string(GetParam().name) + ".npy"));
    ASSERT_TRUE(reference.has_value()) << describe(reference.error());
    const float* expected = reference->values.data();
    for (const TensorInfo& tensor : file_->tensors()) {
        const bool matrix = tensor.shape.size() > 1;
        EXPECT_EQ(tensor.type, matrix ? GetParam().type : DType::F32) << tensor.name;
        const std::size_t rows = matrix ? std::min<std::size_t>(tensor.shape.front(), 4) : 1;
        std::vector<float> values(rows * tensor.shape.back());
        decodeRow(tensor.type, tensor.data, values);
        EXPECT_EQ(std::memcmp(values.data(), expected, values.size() * sizeof(float)), 0)
            << tensor.name;
        expected += values.size();
    }
    EXPECT_EQ(expected, reference->values.data() + reference->values.size());
}

TEST_P(QuantisedFile, sumsOfATensor_equalTheReference) {
    const auto text = readFile(golden(std::string(GetParam().name) + ".json"), 1 << 20);
    ASSERT_TRUE(text.has_value());
    const auto sums = parseJson(*text);
    ASSERT_TRUE(sums.has_value());
    const TensorInfo* tensor = file_->find((*sums)["tensor"].get<std::string>());
    ASSERT_NE(tensor, nullptr);
    std::vector<float> values(tensor->shape[0] * tensor->shape[1]);
    decodeRow(tensor->type, tensor->data, values);
    double sum = 0;
    double squares = 0;
    for (const float value : values) {
        sum += double{value};
        squares += double{value} * double{value};
    }
    const auto wantedSquares = (*sums)["sum_of_squares"].get<double>();
    EXPECT_NEAR(squares, wantedSquares, 1e-10 * wantedSquares);
    EXPECT_NEAR(sum, (*sums)["sum"].get<double>(), 1e-10 * wantedSquares);
}

TEST_P(QuantisedFile, fileType_isNamed) {
    const auto number = file_->getUnsigned("general.file_type");
    ASSERT_TRUE(number && *number);
    EXPECT_EQ(fileTypeName(static_cast<std::uint32_t>(**number)), GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(
    Types, QuantisedFile,
    testing::Values(Expected{"Q8_0", DType::Q8_0}, Expected{"Q4_0", DType::Q4_0},
                    Expected{"Q4_1", DType::Q4_1}, Expected{"Q5_0", DType::Q5_0},
                    Expected{"Q5_1", DType::Q5_1}, Expected{"Q2_K", DType::Q2_K},
                    Expected{"Q3_K_M", DType::Q3_K}, Expected{"Q4_K_M", DType::Q4_K},
                    Expected{"Q5_K_M", DType::Q5_K}, Expected{"Q6_K", DType::Q6_K},
                    Expected{"IQ4_NL", DType::IQ4_NL}, Expected{"IQ4_XS", DType::IQ4_XS},
                    Expected{"MXFP4", DType::MXFP4}, Expected{"NVFP4", DType::NVFP4},
                    Expected{"IQ3_S", DType::IQ3_S}, Expected{"IQ3_XXS", DType::IQ3_XXS},
                    Expected{"IQ2_S", DType::IQ2_S}, Expected{"IQ2_XS", DType::IQ2_XS},
                    Expected{"IQ2_XXS", DType::IQ2_XXS}, Expected{"IQ1_S", DType::IQ1_S},
                    Expected{"IQ1_M", DType::IQ1_M}, Expected{"TQ1_0", DType::TQ1_0},
                    Expected{"TQ2_0", DType::TQ2_0}, Expected{"Q1_0", DType::Q1_0},
                    Expected{"Q2_0", DType::Q2_0}),
    [](const testing::TestParamInfo<Expected>& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace lacuna
