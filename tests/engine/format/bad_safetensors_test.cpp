// Table of broken safetensors files, indexes and folders.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <ostream>

#include "engine/format/safetensors.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/load_answers.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using enum ErrorCode;
using test::Bytes;

std::span<const std::byte> bytesOf(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

/// Returns a file with this header and `dataBytes` bytes of data.
std::string file(const std::string& header, std::size_t dataBytes) {
    return Bytes().text(header).raw(std::string(dataBytes, '\0')).str();
}
std::string entry(const std::string& name, const std::string& type, const std::string& shape,
                  const std::string& offsets) {
    return "\"" + name + "\":{\"dtype\":" + type + ",\"shape\":" + shape +
           ",\"data_offsets\":" + offsets + "}";
}
/// One F32 tensor of two elements.
const std::string kGood = entry("a", "\"F32\"", "[2]", "[0,8]");

struct BadRow {
    std::string id;
    ErrorCode code;
    std::string says;
    std::string bytes;
};
void PrintTo(const BadRow& row, std::ostream* out) {
    *out << row.id;
}

std::string withOffsets(const std::string& offsets) {
    return file("{" + entry("a", "\"F32\"", "[2]", offsets) + "}", 8);
}
std::string withType(const std::string& type) {
    return file("{" + entry("a", type, "[2]", "[0,8]") + "}", 8);
}
std::string withShape(const std::string& shape) {
    return file("{" + entry("a", "\"F32\"", shape, "[0,8]") + "}", 8);
}
std::string two(const std::string& first, const std::string& second, std::size_t bytes) {
    return file(
        "{" + entry("a", "\"U8\"", "[4]", first) + "," + entry("b", "\"U8\"", "[4]", second) + "}",
        bytes);
}
std::string deep(int depth) {
    const auto n = static_cast<std::size_t>(depth - 1);
    return file("{\"a\":" + std::string(n, '[') + std::string(n, ']') + "}", 0);
}
std::string dims100() {
    std::string shape = "[1";
    for (int i = 1; i < 100; ++i) shape += ",1";
    return withShape(shape + "]");
}
std::string tensorsOfNothing(std::size_t count) {
    std::string header = "{";
    for (std::size_t i = 0; i < count; ++i)
        header += (i > 0 ? "," : "") + entry("t" + std::to_string(i), "\"F32\"", "[0]", "[0,0]");
    return file(header + "}", 0);
}

std::vector<BadRow> frameRows() {
    return {
        {"S01_empty", StTruncated, "0 bytes", ""},
        {"S01_7bytes", StTruncated, "7 bytes", std::string(7, '\0')},
        {"S01_length0", StBadHeader, "JSON", file("", 8)},
        {"S01_length1", StBadHeader, "JSON", file("{", 8)},
        {"S02_pastEnd", StTruncated, "1000", Bytes().put<std::uint64_t>(1000).raw("{}").str()},
        {"S02_max", StLimit, "100000000", Bytes().put(~std::uint64_t{0}).raw("{}").str()},
        {"S02_limit", StLimit, "100000001",
         Bytes().put<std::uint64_t>(100'000'001).raw("{}").str()},
        {"S03_list", StBadHeader, "begins", file("[]", 0)},
        {"S03_bom", StBadHeader, "begins", file("\xef\xbb\xbf{}", 0)},
        {"S03_nul", StBadHeader, "begins", file("{" + kGood + "}" + std::string(3, '\0'), 8)},
        {"S03_utf8", StBadHeader, "UTF-8", file("{\"\xff\":1}", 0)},
        {"S03_surrogate", StBadHeader, "JSON", file("{\"\\ud800\":1}", 0)},
        {"S03_trailing", StBadHeader, "JSON", file("{" + kGood + "}x", 8)},
        {"S04_depth129", StLimit, "128", deep(129)},
        {"S04_depth100000", StLimit, "128", deep(100'000)},
        {"S05_name", StDupKey, "\"a\"", file("{" + kGood + "," + kGood + "}", 8)},
        {"S05_inside", StDupKey, "dtype",
         file("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
              8)},
        {"S05_metadata", StDupKey, "__metadata__",
         file("{\"__metadata__\":{},\"__metadata__\":{}}", 0)},
        {"S13_notText", StBadHeader, "__metadata__", file("{\"__metadata__\":{\"a\":1}}", 0)},
        {"S13_10MB", StLimit, "__metadata__",
         file("{\"__metadata__\":{\"a\":\"" + std::string(10'000'000, 'x') + "\"}}", 0)},
        {"S14_200001", StLimit, "200000", tensorsOfNothing(200'001)},
    };
}

std::vector<BadRow> entryRows() {
    return {
        {"S06_negative", StBadOffset, "data_offsets", withOffsets("[-1,8]")},
        {"S06_float", StBadOffset, "data_offsets", withOffsets("[0,8.0]")},
        {"S06_exponent", StBadOffset, "data_offsets", withOffsets("[0,1e3]")},
        {"S06_text", StBadOffset, "data_offsets", withOffsets("[\"0\",8]")},
        {"S06_2to64", StBadOffset, "data_offsets", withOffsets("[0,18446744073709551616]")},
        {"S06_reversed", StBadOffset, "data_offsets", withOffsets("[8,0]")},
        {"S06_three", StBadOffset, "data_offsets", withOffsets("[0,4,8]")},
        {"S06_one", StBadOffset, "data_offsets", withOffsets("[8]")},
        {"S06_number", StBadOffset, "data_offsets", withOffsets("8")},
        {"S07_overlap", StBadOffset, "overlap", two("[0,4]", "[2,6]", 6)},
        {"S07_same", StBadOffset, "overlap", two("[0,4]", "[0,4]", 4)},
        {"S08_hole", StBadOffset, "hole", two("[0,4]", "[8,12]", 12)},
        {"S08_first", StBadOffset, "hole", withOffsets("[4,12]")},
        {"S08_behind", StBadOffset, "follow", file("{" + kGood + "}", 9)},
        {"S08_short", StTruncated, "8 data bytes", file("{" + kGood + "}", 7)},
        {"S10_size", StShape, "64 bits", withOffsets("[0,4]")},
        {"S10_halfByte", StShape, "F4", file("{" + entry("a", "\"F4\"", "[3]", "[0,1]") + "}", 1)},
        {"S10_shapeText", StShape, "shape", withShape("[\"2\"]")},
        {"S10_shapeNegative", StShape, "shape", withShape("[-2]")},
        {"S11_wraps", StOverflow, "64 bits", withShape("[4294967296,4294967296]")},
        {"S11_2to63", StOverflow, "64 bits", withShape("[9223372036854775808]")},
        {"S11_100dims", StOverflow, "dimensions", dims100()},
        {"S12_unknown", StDtype, "F33", withType("\"F33\"")},
        {"S12_lower", StDtype, "f32", withType("\"f32\"")},
        {"S12_number", StDtype, "dtype", withType("32")},
        {"missing_field", StBadHeader, "data_offsets",
         file("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", 0)},
        {"unknown_field", StBadHeader, "extra", file("{\"a\":{\"extra\":1}}", 0)},
        {"not_an_object", StBadHeader, "object", file("{\"a\":3}", 0)},
    };
}

class InvalidSafetensors : public testing::TestWithParam<BadRow> {};

TEST_P(InvalidSafetensors, invalidFile_isRefusedWithItsCodeAndAMessage) {
    const auto header = readSafetensorsHeader(bytesOf(GetParam().bytes));
    ASSERT_FALSE(header.has_value());
    EXPECT_EQ(errorName(header.error().code), errorName(GetParam().code)) << header.error().what;
    EXPECT_NE(header.error().what.find(GetParam().says), std::string::npos) << header.error().what;
    EXPECT_LT(header.error().what.size(), 1000U);
    const test::TemporaryFolder folder;
    std::filesystem::copy_file(
        std::filesystem::path(LACUNA_GOLDEN_DIR) / "models" / "llama" / "config.json",
        folder.path() / "config.json");
    static_cast<void>(folder.write("model.safetensors", GetParam().bytes));
    EXPECT_EQ(test::loadAnswer(folder.path()), errorName(GetParam().code));
    EXPECT_EQ(test::inspectAnswer(folder.path()), errorName(GetParam().code));
}
std::string rowName(const testing::TestParamInfo<BadRow>& info) {
    return info.param.id;
}
INSTANTIATE_TEST_SUITE_P(Frame, InvalidSafetensors, testing::ValuesIn(frameRows()), rowName);
INSTANTIATE_TEST_SUITE_P(Entries, InvalidSafetensors, testing::ValuesIn(entryRows()), rowName);

TEST(SafetensorsHeader, everyTruncation_isRefused) {
    const std::string whole = file("{\"__metadata__\":{\"format\":\"pt\"}," + kGood + "}  ", 8);
    ASSERT_TRUE(readSafetensorsHeader(bytesOf(whole)).has_value());
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const std::vector<char> cut(whole.begin(),
                                    whole.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_FALSE(readSafetensorsHeader(std::as_bytes(std::span(cut))).has_value()) << length;
    }
}

TEST(SafetensorsHeader, S09_S11_emptyTensorsAndScalars_areRead) {
    const std::string bytes = file("{" + entry("none", "\"F32\"", "[0,4]", "[0,0]") + "," +
                                       entry("also", "\"F32\"", "[0]", "[0,0]") + "," +
                                       entry("one", "\"F32\"", "[]", "[0,4]") + "}",
                                   4);
    const auto header = readSafetensorsHeader(bytesOf(bytes));
    ASSERT_TRUE(header.has_value()) << describe(header.error());
    EXPECT_EQ(header->entries.size(), 3U);
}

TEST(SafetensorsHeader, S14_hundredThousandTensors_areRead) {
    const std::string bytes = tensorsOfNothing(100'000);
    const auto header = readSafetensorsHeader(bytesOf(bytes));
    ASSERT_TRUE(header.has_value()) << describe(header.error());
    EXPECT_EQ(header->entries.size(), 100'000U);
}

TEST(Safetensors, S15_unalignedWeights_areRead) {
    const test::TemporaryFolder folder;
    std::string header = "{" + kGood + "}";
    while (header.size() % 2 == 0) header += ' ';
    const auto path =
        folder.write("model.safetensors", Bytes().text(header).put(1.5F).put(-2.0F).str());
    const auto source = Safetensors::openFolder(folder.path());
    ASSERT_TRUE(source.has_value()) << describe(source.error());
    const TensorInfo* tensor = source->find("a");
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor->data) % 2, 1U);
    float value = 0;
    std::memcpy(&value, tensor->data, sizeof value);
    EXPECT_EQ(value, 1.5F);
    EXPECT_TRUE(source->checkUnchanged().has_value());
}

/// Opens a folder with two shards and this index, and returns the error code.
ErrorCode indexError(const std::string& index, bool secondShard = true) {
    const test::TemporaryFolder folder;
    static_cast<void>(folder.write("one.safetensors", file("{" + kGood + "}", 8)));
    if (secondShard)
        static_cast<void>(folder.write("two.safetensors",
                                       file("{" + entry("b", "\"F32\"", "[2]", "[0,8]") + "}", 8)));
    static_cast<void>(folder.write("model.safetensors.index.json", index));
    const auto source = Safetensors::openFolder(folder.path());
    return source ? Internal : source.error().code;
}

std::string map(const std::string& pairs) {
    return "{\"weight_map\":{" + pairs + "}}";
}

TEST(SafetensorsIndex, twoShards_areReadAsOneSource) {
    const test::TemporaryFolder folder;
    static_cast<void>(folder.write("one.safetensors", file("{" + kGood + "}", 8)));
    static_cast<void>(folder.write("two.safetensors",
                                   file("{" + entry("b", "\"F32\"", "[2]", "[0,8]") + "}", 8)));
    static_cast<void>(folder.write("model.safetensors.index.json",
                                   map("\"a\":\"one.safetensors\",\"b\":\"two.safetensors\"")));
    const auto source = Safetensors::openFolder(folder.path());
    ASSERT_TRUE(source.has_value()) << describe(source.error());
    EXPECT_NE(source->find("a"), nullptr);
    EXPECT_NE(source->find("b"), nullptr);
    EXPECT_EQ(source->find("c"), nullptr);
}

TEST(SafetensorsIndex, S16_namesOutsideTheFolder_areRefused) {
    for (const std::string& name :
         {std::string("../x"), std::string("/etc/passwd"), std::string("sub/x"), std::string(".."),
          std::string("a\\\\b"), std::string(2'000'000, 'n')})
        EXPECT_EQ(indexError(map("\"a\":\"" + name + "\"")), StPath) << name.substr(0, 20);
}

TEST(SafetensorsIndex, S16_linkOutOfTheFolder_isRefused) {
    const test::TemporaryFolder outside;
    const auto target = outside.write("one.safetensors", file("{" + kGood + "}", 8));
    const test::TemporaryFolder folder;
    std::filesystem::create_symlink(target, folder.path() / "one.safetensors");
    static_cast<void>(
        folder.write("model.safetensors.index.json", map("\"a\":\"one.safetensors\"")));
    EXPECT_EQ(Safetensors::openFolder(folder.path()).error().code, StPath);
}

TEST(SafetensorsIndex, S17_shardsInconsistentWithTheIndex_areRefused) {
    EXPECT_EQ(indexError(map("\"a\":\"one.safetensors\",\"b\":\"two.safetensors\""), false),
              StIndex);
    EXPECT_EQ(indexError(map("\"a\":\"two.safetensors\",\"b\":\"one.safetensors\"")), StIndex);
    EXPECT_EQ(indexError(map("\"a\":\"one.safetensors\",\"a\":\"two.safetensors\"")), StIndex);
    EXPECT_EQ(indexError(map("\"a\":\"one.safetensors\",\"absent\":\"two.safetensors\"")), StIndex);
    EXPECT_EQ(indexError(map("\"a\":1")), StIndex);
    EXPECT_EQ(indexError("{}"), StIndex);
    EXPECT_EQ(indexError("[]"), StIndex);
    EXPECT_EQ(indexError("{"), StIndex);
}

TEST(SafetensorsIndex, S17_tensorInTwoShards_isRefused) {
    const test::TemporaryFolder folder;
    static_cast<void>(folder.write("one.safetensors", file("{" + kGood + "}", 8)));
    static_cast<void>(
        folder.write("two.safetensors",
                     file("{" + kGood + "," + entry("b", "\"F32\"", "[2]", "[8,16]") + "}", 16)));
    static_cast<void>(folder.write("model.safetensors.index.json",
                                   map("\"a\":\"one.safetensors\",\"b\":\"two.safetensors\"")));
    EXPECT_EQ(Safetensors::openFolder(folder.path()).error().code, StIndex);
}

TEST(Safetensors, S20_pickledWeights_areNeverOpened) {
    const test::TemporaryFolder folder;
    static_cast<void>(folder.write("pytorch_model.bin", "not read"));
    const auto source = Safetensors::openFolder(folder.path());
    ASSERT_FALSE(source.has_value());
    EXPECT_EQ(source.error().code, StKind);
    EXPECT_NE(source.error().what.find("pickled"), std::string::npos);
    const test::TemporaryFolder empty;
    EXPECT_EQ(Safetensors::openFolder(empty.path()).error().code, NotFound);
}

TEST(Safetensors, S12_integerTensors_areRefusedAsWeights) {
    const test::TemporaryFolder folder;
    static_cast<void>(folder.write("model.safetensors",
                                   file("{" + entry("a", "\"I32\"", "[2]", "[0,8]") + "}", 8)));
    const auto source = Safetensors::openFolder(folder.path());
    ASSERT_TRUE(source.has_value()) << describe(source.error());
    EXPECT_EQ(source->find("a"), nullptr);
    EXPECT_EQ(source->checkAllUsable().error().code, StDtype);
}

TEST(Safetensors, S21_fileReplacedWhileOpen_isDetected) {
    const test::TemporaryFolder folder;
    static_cast<void>(folder.write("model.safetensors", file("{" + kGood + "}", 8)));
    const auto source = Safetensors::openFolder(folder.path());
    ASSERT_TRUE(source.has_value());
    static_cast<void>(folder.write("model.safetensors", file("{" + kGood + "}    ", 8)));
    EXPECT_EQ(source->checkUnchanged().error().code, ModelChanged);
}

}  // namespace
}  // namespace lacuna
