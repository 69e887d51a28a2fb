// Models in several GGUF files, as llama.cpp's gguf-split writes them.
#include <gtest/gtest.h>

#include <functional>

#include "engine/format/load_model.h"
#include "engine/tensor/block_formats.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using test::Bytes;
using test::GgufBuilder;
using test::tinyLlama;

constexpr std::uint16_t kParts = 3;

void mark(GgufBuilder& part, std::uint16_t number, std::uint16_t count) {
    part.raw("split.no", 2, Bytes().put<std::uint16_t>(number).str())
        .raw("split.count", 2, Bytes().put<std::uint16_t>(count).str());
}

/// Splits the tensors of a tiny model over three files. Only the first has all metadata.
std::vector<GgufBuilder> parts() {
    const GgufBuilder whole = tinyLlama();
    std::vector<GgufBuilder> all(kParts);
    all[0] = whole;
    for (GgufBuilder& part : all) part.tensors.clear();
    for (std::size_t i = 0; i < whole.tensors.size(); ++i)
        all[i % kParts].tensors.push_back(whole.tensors[i]);
    for (std::uint16_t i = 0; i < kParts; ++i) mark(all[i], i, kParts);
    return all;
}

std::filesystem::path write(const test::TemporaryFolder& folder, const GgufBuilder& part,
                            int number) {
    return folder.write("tiny-0000" + std::to_string(number) + "-of-00003.gguf", part.build());
}

void writeAll(const test::TemporaryFolder& folder, const std::vector<GgufBuilder>& all) {
    for (std::size_t i = 0; i < all.size(); ++i)
        static_cast<void>(write(folder, all[i], static_cast<int>(i) + 1));
}

TEST(GgufParts, anyPart_opensTheCompleteModel) {
    const test::TemporaryFolder folder;
    writeAll(folder, parts());
    const auto single = loadModel(folder.write("whole.gguf", tinyLlama().build()));
    ASSERT_TRUE(single.has_value());
    for (const char* name : {"tiny-00001-of-00003.gguf", "tiny-00003-of-00003.gguf"}) {
        const auto model = loadModel(folder.path() / name);
        ASSERT_TRUE(model.has_value()) << describe(model.error());
        EXPECT_EQ((*model)->spec.layers, 1);
        EXPECT_EQ((*model)->spec.parameters, (*single)->spec.parameters);
        EXPECT_EQ((*model)->source->tensors().size(), (*single)->source->tensors().size());
        EXPECT_EQ((*model)->tokenizer.vocabularySize(), 259);
    }
}

TEST(GgufParts, firstPartWithoutTensors_isNotTakenForAVocabulary) {
    const test::TemporaryFolder folder;
    std::vector<GgufBuilder> all = parts();
    for (const test::BuiltTensor& tensor : all[0].tensors) all[2].tensors.push_back(tensor);
    all[0].tensors.clear();
    writeAll(folder, all);
    const auto model = loadModel(folder.path() / "tiny-00001-of-00003.gguf");
    EXPECT_TRUE(model.has_value()) << describe(model.error());
}

struct BadRow {
    std::string id;
    ErrorCode code;
    std::string says;
    std::function<void(const test::TemporaryFolder&)> change;
};
void PrintTo(const BadRow& row, std::ostream* out) {
    *out << row.id;
}

std::vector<BadRow> rows() {
    using Folder = test::TemporaryFolder;
    return {
        {"missing", ErrorCode::GgufSplit, "part 2 of 3",
         [](const Folder& folder) {
             std::filesystem::remove(folder.path() / "tiny-00002-of-00003.gguf");
         }},
        {"damaged", ErrorCode::GgufSplit, "part 2 of 3",
         [](const Folder& folder) {
             static_cast<void>(folder.write("tiny-00002-of-00003.gguf", "GGUF"));
         }},
        {"exchanged", ErrorCode::GgufSplit, "states that it is part 3",
         [](const Folder& folder) { static_cast<void>(write(folder, parts()[2], 2)); }},
        {"of_another_model", ErrorCode::GgufSplit, "of 4",
         [](const Folder& folder) {
             GgufBuilder part;
             mark(part, 1, 4);
             static_cast<void>(write(folder, part, 2));
         }},
        {"twice", ErrorCode::GgufDupTensor, "two parts",
         [](const Folder& folder) {
             GgufBuilder part = parts()[1];
             part.tensors.push_back(parts()[0].tensors.front());
             static_cast<void>(write(folder, part, 2));
         }},
        {"count", ErrorCode::GgufSplit, "split.tensors.count is 99",
         [](const Folder& folder) {
             GgufBuilder part = parts()[0];
             part.u32("split.tensors.count", 99);
             static_cast<void>(write(folder, part, 1));
         }},
        {"of_another_architecture", ErrorCode::GgufSplit, "general.architecture",
         [](const Folder& folder) {
             GgufBuilder part = parts()[1];
             part.text("general.architecture", "qwen2");
             static_cast<void>(write(folder, part, 2));
         }},
        {"of_another_name", ErrorCode::GgufSplit, "parts of different models",
         [](const Folder& folder) {
             GgufBuilder part = parts()[2];
             part.text("general.architecture", "llama").u32("llama.block_count", 77);
             static_cast<void>(write(folder, part, 3));
         }},
        {"tensor_left_out", ErrorCode::ModelMissingTensor, "missing",
         [](const Folder& folder) {
             GgufBuilder part = parts()[1];
             part.tensors.clear();
             static_cast<void>(write(folder, part, 2));
         }},
    };
}

class InvalidParts : public testing::TestWithParam<BadRow> {};

TEST_P(InvalidParts, invalidParts_areRefusedWithAMessage) {
    const test::TemporaryFolder folder;
    writeAll(folder, parts());
    GetParam().change(folder);
    const auto model = loadModel(folder.path() / "tiny-00001-of-00003.gguf");
    ASSERT_FALSE(model.has_value());
    EXPECT_EQ(errorName(model.error().code), errorName(GetParam().code)) << model.error().what;
    EXPECT_NE(model.error().what.find(GetParam().says), std::string::npos) << model.error().what;
}
std::string rowName(const testing::TestParamInfo<BadRow>& info) {
    return info.param.id;
}
INSTANTIATE_TEST_SUITE_P(Rows, InvalidParts, testing::ValuesIn(rows()), rowName);

}  // namespace
}  // namespace lacuna
