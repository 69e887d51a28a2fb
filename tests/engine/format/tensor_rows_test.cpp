#include "engine/format/tensor_rows.h"

#include <gtest/gtest.h>

#include "engine/format/load_model.h"

namespace lacuna {
namespace {

std::filesystem::path golden(const char* name) {
    return std::filesystem::path(LACUNA_GOLDEN_DIR) / "models" / name;
}

TEST(TensorRows, bothContainers_giveTheSameRows) {
    const auto file = readTensorRows(golden("qwen2") / "model.gguf", "blk.0.attn_v.weight", 3);
    const auto folder =
        readTensorRows(golden("qwen2"), "model.layers.0.self_attn.v_proj.weight", 3);
    ASSERT_TRUE(file.has_value()) << describe(file.error());
    ASSERT_TRUE(folder.has_value()) << describe(folder.error());
    EXPECT_EQ(file->rows, 3);
    EXPECT_EQ(file->columns, 128);
    EXPECT_EQ(file->values, folder->values);
}

TEST(TensorRows, noRowCount_returnsAllRows) {
    const auto rows = readTensorRows(golden("qwen2") / "model.gguf", "output_norm.weight", 0);
    ASSERT_TRUE(rows.has_value()) << describe(rows.error());
    EXPECT_EQ(rows->rows, 1);
    EXPECT_EQ(rows->columns, 128);
}

TEST(TensorRows, unknownTensor_isRefused_listingSimilarNames) {
    const auto rows = readTensorRows(golden("qwen2") / "model.gguf", "attn_v", 1);
    ASSERT_FALSE(rows.has_value());
    EXPECT_EQ(rows.error().code, ErrorCode::NotFound);
    EXPECT_NE(rows.error().what.find("blk.0.attn_v.weight"), std::string::npos)
        << rows.error().what;
}

}  // namespace
}  // namespace lacuna
