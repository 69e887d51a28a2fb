// Table of broken GGUF files: the error code is stable, the message names the cause and its
// location, and sizes in the file cause no allocation.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <functional>
#include <ostream>

#include "engine/format/gguf.h"
#include "engine/format/gguf_spec.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/load_answers.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using test::Bytes;
using test::GgufBuilder;
using test::smallGguf;

std::span<const std::byte> bytesOf(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

struct BadRow {
    std::string id;
    ErrorCode code;
    std::vector<std::string> says;
    std::function<std::string()> make;
};

void PrintTo(const BadRow& row, std::ostream* out) {
    *out << row.id;
}

/// smallGguf with one change.
std::function<std::string()> small(std::function<void(GgufBuilder&)> change) {
    return [change = std::move(change)] {
        GgufBuilder builder = smallGguf();
        change(builder);
        return builder.build();
    };
}
std::function<std::string()> text(std::string content) {
    return [content = std::move(content)] { return content; };
}
/// smallGguf with one more metadata value of any type and bytes.
std::function<std::string()> value(std::uint32_t type, std::string bytes) {
    return small([=](GgufBuilder& b) { b.raw("odd.key", type, bytes); });
}
/// smallGguf with one more metadata entry whose key is encoded by hand.
std::function<std::string()> rawKey(std::uint64_t length, std::string key) {
    return small([=](GgufBuilder& b) {
        b.rawEntry(Bytes().put(length).raw(key).put<std::uint32_t>(4).put<std::uint32_t>(7).str());
    });
}
std::function<std::string()> tensor(std::function<void(test::BuiltTensor&)> change) {
    return small([change = std::move(change)](GgufBuilder& b) { change(b.find("first")); });
}

std::string arrayHead(std::uint32_t type, std::uint64_t count) {
    return Bytes().put(type).put(count).str();
}

std::string nested(int depth) {
    std::string bytes;
    for (int i = 1; i < depth; ++i) bytes += arrayHead(9, 1);
    return bytes + arrayHead(4, 0);
}

using enum ErrorCode;
constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

std::vector<BadRow> headRows() {
    return {
        {"G01_empty", GgufTruncated, {"0 bytes"}, text("")},
        {"G02_1byte", GgufTruncated, {"1 bytes"}, text("G")},
        {"G02_3bytes", GgufTruncated, {"3 bytes"}, text("GGU")},
        {"G02_4bytes", GgufTruncated, {"version"}, text("GGUF")},
        {"G02_7bytes", GgufTruncated, {"version"}, [] { return smallGguf().build().substr(0, 7); }},
        {"G02_23bytes",
         GgufTruncated,
         {"metadata count"},
         [] { return smallGguf().build().substr(0, 23); }},
        {"G03_ggml", GgufOldFormat, {"convert"}, text("GGML0000000000000000")},
        {"G03_ggjt", GgufOldFormat, {"convert"}, text("GGJT0000000000000000")},
        {"G04_html", GgufBadMagic, {"HTML"}, text("<!DOCTYPE html><html></html>")},
        {"G04_zip", GgufBadMagic, {"ZIP"}, text("PK\x03\x04 and more")},
        {"G04_png", GgufBadMagic, {"PNG"}, text("\x89PNG\r\n\x1a\n")},
        {"G04_pickle", GgufBadMagic, {"pickle"}, text("\x80\x02}q\x01.")},
        {"G04_noise", GgufBadMagic, {"\\x01"}, text("\x01\x02\x03\x04\x05")},
        {"G05_lfs",
         GgufLfsPointer,
         {"pointer"},
         text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")},
        {"G06_version0", GgufBadVersion, {"version 0"}, small([](GgufBuilder& b) {
             b.version = 0;
         })},
        {"G06_version1", GgufBadVersion, {"version 1"}, small([](GgufBuilder& b) {
             b.version = 1;
         })},
        {"G06_version4", GgufBadVersion, {"version 4", "2 and 3"}, small([](GgufBuilder& b) {
             b.version = 4;
         })},
        {"G06_versionMax", GgufBadVersion, {"4294967295"}, small([](GgufBuilder& b) {
             b.version = 0xFFFFFFFFU;
         })},
        {"G07_bigEndian", GgufBigEndian, {"big-endian"}, small([](GgufBuilder& b) {
             b.version = 0x03000000U;
         })},
        {"G08_tensors2to63", GgufLimit, {"65536"}, small([](GgufBuilder& b) {
             b.tensorCount = kHuge;
         })},
        {"G08_tensorsMax", GgufLimit, {"65536"}, small([](GgufBuilder& b) {
             b.tensorCount = kAll;
         })},
        {"G08_tensors65537", GgufLimit, {"65537"}, small([](GgufBuilder& b) {
             b.tensorCount = kMaxGgufTensors + 1;
             b.tail.assign(3'000'000, '\0');
         })},
        {"G09_entries2to63", GgufLimit, {"65536"}, small([](GgufBuilder& b) {
             b.entryCount = kHuge;
         })},
        {"G09_entriesMax", GgufLimit, {"65536"}, small([](GgufBuilder& b) {
             b.entryCount = kAll;
         })},
        {"G09_entries65537", GgufLimit, {"65537"}, small([](GgufBuilder& b) {
             b.entryCount = kMaxGgufEntries + 1;
             b.tail.assign(1'000'000, '\0');
         })},
        {"G10_millionTensors",
         GgufTruncated,
         {"1000000"},
         [] {
             GgufBuilder b;
             b.tensorCount = 1'000'000;
             b.tail.assign(176, '\0');
             return b.build();
         }},
    };
}

std::vector<BadRow> metadataRows() {
    return {
        {"G12_emptyKey", GgufBadKey, {"empty"}, rawKey(0, "")},
        {"G13_longKey", GgufLimit, {"65536", "65535"}, rawKey(65'536, std::string(65'536, 'k'))},
        {"G13_hugeKey", GgufLimit, {"65535"}, rawKey(kHuge, "k")},
        {"G14_keyPastEnd",
         GgufTruncated,
         {"key"},
         [] {
             GgufBuilder b;
             b.entryCount = 1;
             b.tail = Bytes().put<std::uint64_t>(9).raw("12345678").str();
             return b.build();
         }},
        {"G15_nul", GgufBadKey, {"\\x00"}, rawKey(3, std::string("a\0b", 3))},
        {"G15_control", GgufBadKey, {"\\x07"}, rawKey(3, "a\x07z")},
        {"G15_badUtf8", GgufBadKey, {"\\xff"}, rawKey(2, "a\xff")},
        {"G15_nonAscii", GgufBadKey, {"not plain ASCII"}, rawKey(3, "a\xc3\xa9")},
        {"G16_sameType",
         GgufDupKey,
         {"llama.block_count", "bytes 24", " and "},
         [] {
             GgufBuilder b;
             b.u32("llama.block_count", 1).u32("llama.block_count", 1);
             return b.build();
         }},
        {"G16_otherType", GgufDupKey, {"llama.block_count"}, small([](GgufBuilder& b) {
             b.text("llama.block_count", "1");
         })},
        {"G17_type13", GgufBadType, {"odd.key", "13"}, value(13, std::string(8, '\0'))},
        {"G17_type255", GgufBadType, {"255"}, value(255, std::string(8, '\0'))},
        {"G17_typeMinus1", GgufBadType, {"4294967295"}, value(0xFFFFFFFFU, std::string(8, '\0'))},
        {"G18_bool2", GgufBadBool, {"odd.key", "2"}, value(7, "\x02")},
        {"G18_bool255", GgufBadBool, {"255"}, value(7, "\xff")},
        {"G18_boolInArray", GgufBadBool, {"odd.key"}, value(9, arrayHead(7, 2) + "\x01\x03")},
        {"G19_stringPastEnd",
         GgufTruncated,
         {"odd.key"},
         [] {
             GgufBuilder b;
             b.entryCount = 1;
             b.tail = Bytes()
                          .text("odd.key")
                          .put<std::uint32_t>(8)
                          .put<std::uint64_t>(4)
                          .raw("abc")
                          .str();
             return b.build();
         }},
        {"G19_stringMax", GgufLimit, {"odd.key"}, value(8, Bytes().put(kAll).str())},
        {"G19_string64MiBplus1",
         GgufLimit,
         {"67108865"},
         value(8, Bytes().put(kMaxGgufStringBytes + 1).str())},
        {"G20_arrayWraps", GgufLimit, {"odd.key"}, value(9, arrayHead(10, std::uint64_t{1} << 61))},
        {"G21_manyStrings",
         GgufTruncated,
         {"odd.key"},
         value(9, arrayHead(8, 1'000'000'000) + std::string(100, '\0'))},
        {"G22_depth5", GgufLimit, {"deeper than 4"}, value(9, nested(5))},
        {"G22_depth60000", GgufLimit, {"deeper than 4"}, value(9, nested(60'000))},
        {"G23_elementType", GgufBadType, {"77"}, value(9, arrayHead(77, 1) + "x")},
        {"G26_zero", GgufBadAlign, {"general.alignment", "0"}, small([](GgufBuilder& b) {
             b.u32("general.alignment", 0);
         })},
        {"G26_three", GgufBadAlign, {"3"}, small([](GgufBuilder& b) {
             b.u32("general.alignment", 3);
         })},
        {"G26_4", GgufBadAlign, {"4"}, small([](GgufBuilder& b) {
             b.u32("general.alignment", 4);
         })},
        {"G26_2to31", GgufBadAlign, {"2147483648"}, small([](GgufBuilder& b) {
             b.u32("general.alignment", 1U << 31);
         })},
        {"G26_type", GgufBadAlign, {"i32"}, small([](GgufBuilder& b) {
             b.raw("general.alignment", 5, Bytes().put<std::int32_t>(32).str());
         })},
    };
}

std::vector<BadRow> tensorRows() {
    return {
        {"G27_empty", GgufBadName, {"0 bytes"}, tensor([](auto& t) { t.name = ""; })},
        {"G27_65bytes", GgufBadName, {"65 bytes"}, tensor([](auto& t) { t.name.assign(65, 'n'); })},
        {"G27_nul", GgufBadName, {"\\x00"}, tensor([](auto& t) {
             t.name = std::string("a\0b", 3);
         })},
        {"G28_twice", GgufDupTensor, {"second"}, tensor([](auto& t) { t.name = "second"; })},
        {"G29_0", GgufBadDims, {"first", "0 dimensions"}, tensor([](auto& t) {
             t.dimensionCount = 0;
         })},
        {"G29_5", GgufBadDims, {"5 dimensions"}, tensor([](auto& t) {
             t.dims = {1, 1, 1, 1, 1};
         })},
        {"G29_max", GgufBadDims, {"4294967295"}, tensor([](auto& t) {
             t.dimensionCount = 0xFFFFFFFFU;
         })},
        {"G30_zero", GgufBadShape, {"first", "is 0"}, tensor([](auto& t) {
             t.dims = {16, 0};
         })},
        {"G30_2to63", GgufBadShape, {"first"}, tensor([](auto& t) { t.dims = {kHuge}; })},
        {"G30_negative", GgufBadShape, {"first"}, tensor([](auto& t) {
             t.dims = {16, kAll};
         })},
        {"G31_wraps", GgufOverflow, {"first"}, tensor([](auto& t) {
             t.dims = {1ULL << 33, 1ULL << 33};
         })},
        {"G31_2to63", GgufOverflow, {"first"}, tensor([](auto& t) {
             t.dims = {1ULL << 31, 1ULL << 32};
         })},
        {"G32_bytesWrap", GgufOverflow, {"first"}, tensor([](auto& t) {
             t.dims = {1ULL << 31, 1ULL << 31};
         })},
        {"G33_partBlock", GgufBadShape, {"block length 32", "Q8_0"}, tensor([](auto& t) {
             t.type = 8;
             t.dims = {33};
         })},
        {"G35_unaligned", GgufBadOffset, {"first", "multiple of 32"}, tensor([](auto& t) {
             t.offset = 4;
         })},
        {"G35_pastEnd", GgufBadOffset, {"second", "outside"}, small([](GgufBuilder& b) {
             b.find("second").offset = 1ULL << 40;
         })},
        {"G35_wraps", GgufBadOffset, {"second"}, small([](GgufBuilder& b) {
             b.find("second").offset = kAll - 31;
         })},
        {"G36_overlap", GgufBadOffset, {"overlaps"}, small([](GgufBuilder& b) {
             b.find("second").offset = 96;
         })},
        {"G36_same", GgufBadOffset, {"overlaps"}, small([](GgufBuilder& b) {
             b.find("second").offset = 0;
         })},
        {"G38_sumWraps",
         GgufOverflow,
         {"together"},
         [] {
             GgufBuilder b = smallGguf();
             for (const char* name : {"a", "b", "c", "d"}) {
                 b.find(name).dims = {1ULL << 60};
                 b.find(name).offset = 0;
             }
             return b.build();
         }},
        {"G39_shortBy1",
         GgufTruncated,
         {"1 are missing"},
         [] {
             std::string whole = smallGguf().build();
             return whole.substr(0, whole.size() - 1);
         }},
        // The first of two tensors is truncated and the second is missing.
        {"G39_shortBy160",
         GgufTruncated,
         {"160 are missing"},
         [] {
             std::string whole = smallGguf().build();
             return whole.substr(0, whole.size() - 160);
         }},
        {"G39_half",
         GgufTruncated,
         {},
         [] {
             std::string whole = smallGguf().build();
             return whole.substr(0, whole.size() / 2);
         }},
    };
}

/// Returns a row for each removed or unknown tensor type.
std::vector<BadRow> typeRows() {
    std::vector<BadRow> rows;
    for (const std::uint32_t type : {4U, 5U, 31U, 32U, 33U, 37U, 38U, 43U, 0xFFFFFFFFU})
        rows.push_back({"G34_" + std::to_string(type),
                        GgufTensorType,
                        {"type " + std::to_string(type), "convert"},
                        tensor([type](auto& t) { t.type = type; })});
    for (const std::uint32_t type : {36U, 133U, 137U, 155U, 221U, 399U})
        rows.push_back({"G34_fork_" + std::to_string(type),
                        GgufTensorType,
                        {"type " + std::to_string(type), std::string(forkTypeName(type)), "fork"},
                        tensor([type](auto& t) { t.type = type; })});
    return rows;
}

class InvalidGguf : public testing::TestWithParam<BadRow> {};

TEST_P(InvalidGguf, invalidFile_isRefusedWithItsCodeAndAMessage) {
    const std::string bytes = GetParam().make();
    const auto file = GgufFile::parse(bytesOf(bytes));
    ASSERT_FALSE(file.has_value());
    EXPECT_EQ(errorName(file.error().code), errorName(GetParam().code)) << file.error().what;
    for (const std::string& part : GetParam().says)
        EXPECT_NE(file.error().what.find(part), std::string::npos) << file.error().what;
    EXPECT_LT(file.error().what.size(), 1000U);
    const test::TemporaryFolder folder;
    const auto path = folder.write("model.gguf", bytes);
    EXPECT_EQ(test::loadAnswer(path), errorName(GetParam().code));
    EXPECT_EQ(test::inspectAnswer(path), errorName(GetParam().code));
}

std::string rowName(const testing::TestParamInfo<BadRow>& info) {
    return info.param.id;
}

INSTANTIATE_TEST_SUITE_P(Head, InvalidGguf, testing::ValuesIn(headRows()), rowName);
INSTANTIATE_TEST_SUITE_P(Metadata, InvalidGguf, testing::ValuesIn(metadataRows()), rowName);
INSTANTIATE_TEST_SUITE_P(Tensors, InvalidGguf, testing::ValuesIn(tensorRows()), rowName);
INSTANTIATE_TEST_SUITE_P(Types, InvalidGguf, testing::ValuesIn(typeRows()), rowName);

TEST(GgufFile, G02_everyTruncation_isRefused) {
    const std::string whole = smallGguf().build();
    ASSERT_GT(whole.size(), 600U);
    ASSERT_TRUE(GgufFile::parse(bytesOf(whole)).has_value());
    for (std::size_t length = 0; length < whole.size(); ++length) {
        // An exact-size copy lets a sanitizer detect any read past the end.
        const std::vector<char> cut(whole.begin(),
                                    whole.begin() + static_cast<std::ptrdiff_t>(length));
        const auto file = GgufFile::parse(std::as_bytes(std::span(cut)));
        ASSERT_FALSE(file.has_value()) << length;
        EXPECT_EQ(file.error().code, GgufTruncated) << length << ": " << file.error().what;
    }
}

TEST(GgufFile, everyFlippedBit_isReadOrRefused) {
    const std::string whole = smallGguf().build();
    std::size_t refused = 0;
    for (std::size_t at = 0; at < whole.size() * 8; ++at) {
        std::string flipped = whole;
        flipped[at / 8] = static_cast<char>(flipped[at / 8] ^ (1 << at % 8));
        if (!GgufFile::parse(bytesOf(flipped))) ++refused;
    }
    EXPECT_GT(refused, 1000U);
}

TEST(GgufFile, refusal_allocatesNoMemoryForClaimedSizes) {
    rusage before{};
    getrusage(RUSAGE_SELF, &before);
    for (const auto& rows : {headRows(), metadataRows(), tensorRows()})
        for (const BadRow& row : rows)
            EXPECT_FALSE(GgufFile::parse(bytesOf(row.make())).has_value());
    rusage after{};
    getrusage(RUSAGE_SELF, &after);
    EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 * 1024) << "KiB";
}

TEST(GgufFile, G06_versions2And3_areRead) {
    for (const std::uint32_t version : {2U, 3U}) {
        GgufBuilder builder = smallGguf();
        builder.version = version;
        const std::string bytes = builder.build();
        const auto file = GgufFile::parse(bytesOf(bytes));
        ASSERT_TRUE(file.has_value()) << describe(file.error());
        EXPECT_EQ(file->header().version, version);
    }
}

TEST(GgufFile, G11_emptyContainer_isValid_butNoModel) {
    const std::string bytes = GgufBuilder().build();
    const auto file = GgufFile::parse(bytesOf(bytes));
    ASSERT_TRUE(file.has_value()) << describe(file.error());
    const auto spec = specFromGguf(*file);
    ASSERT_FALSE(spec.has_value());
    EXPECT_EQ(spec.error().code, GgufNoArch);
    EXPECT_NE(spec.error().what.find("llama, mistral, mixtral, qwen2, qwen3"), std::string::npos);
}

TEST(GgufFile, exactLimits_areAccepted) {
    const std::string key(kMaxGgufKeyBytes, 'k');
    const std::string name(kMaxTensorNameBytes, 'n');
    GgufBuilder builder = smallGguf();
    builder.u32(key, 7)
        .raw("deep", 9, nested(4))
        .u32("general.alignment", 32)
        .tensor(name, {2, 2, 2, 2});
    const std::string bytes = builder.build();
    const auto file = GgufFile::parse(bytesOf(bytes));
    ASSERT_TRUE(file.has_value()) << describe(file.error());
    EXPECT_TRUE(file->has(key));
    ASSERT_NE(file->find(name), nullptr);
    EXPECT_EQ(file->find(name)->shape, (std::vector<std::uint64_t>{2, 2, 2, 2}));
}

TEST(GgufFile, G23_emptyStringArray_isRead) {
    GgufBuilder builder = smallGguf();
    builder.texts("none", {});
    const std::string bytes = builder.build();
    const auto file = GgufFile::parse(bytesOf(bytes));
    ASSERT_TRUE(file.has_value()) << describe(file.error());
    const auto none = file->getTexts("none");
    ASSERT_TRUE(none.has_value() && none->has_value());
    EXPECT_TRUE((*none)->empty());
}

TEST(GgufFile, G24_valueOfAnotherType_isReportedWithBothTypes) {
    GgufBuilder builder;
    builder.text("as.text", "1").f32("as.f32", 1).raw("as.i8", 1, "\xff").u32("as.u32", 1);
    const std::string bytes = builder.build();
    const auto file = GgufFile::parse(bytesOf(bytes));
    ASSERT_TRUE(file.has_value());
    for (const auto& [key, found] :
         {std::pair{"as.text", "string"}, {"as.f32", "f32"}, {"as.i8", "i8 -1"}}) {
        const auto number = file->getUnsigned(key);
        ASSERT_FALSE(number.has_value()) << key;
        EXPECT_EQ(number.error().code, GgufMetaType);
        EXPECT_NE(number.error().what.find(key), std::string::npos);
        EXPECT_NE(number.error().what.find(found), std::string::npos) << number.error().what;
        EXPECT_NE(number.error().what.find("integer"), std::string::npos) << number.error().what;
    }
    EXPECT_EQ(file->getText("as.u32").error().code, GgufMetaType);
    EXPECT_EQ(file->getBool("as.u32").error().code, GgufMetaType);
    EXPECT_EQ(file->getFloat("as.u32").error().code, GgufMetaType);
    EXPECT_EQ(file->getTexts("as.u32").error().code, GgufMetaType);
}

TEST(GgufFile, G25_byteArrays_areNotReadAsWiderNumbers) {
    GgufBuilder builder;
    builder.numbers<std::uint8_t>("bytes", 0, {1, 2, 3});
    const std::string bytes = builder.build();
    const auto file = GgufFile::parse(bytesOf(bytes));
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ(file->getFloats("bytes").error().code, GgufMetaType);
    EXPECT_EQ(file->getInts("bytes").error().code, GgufMetaType);
    EXPECT_NE(file->getInts("bytes").error().what.find("array of 3 u8"), std::string::npos);
}

TEST(GgufFile, G37_unorderedTensorsGapsAndTail_areReadAndNoted) {
    GgufBuilder builder = smallGguf();
    builder.find("first").offset = 192;
    builder.find("second").offset = 0;
    builder.tail.assign(256, '\0');
    const std::string bytes = builder.build();
    const auto file = GgufFile::parse(bytesOf(bytes));
    ASSERT_TRUE(file.has_value()) << describe(file.error());
    ASSERT_EQ(file->notes().size(), 3U);
    EXPECT_NE(file->notes()[0].find("order"), std::string::npos);
    EXPECT_NE(file->notes()[1].find("unused"), std::string::npos);
    EXPECT_NE(file->notes()[2].find("follow"), std::string::npos);
    EXPECT_EQ(file->find("first")->data - file->find("second")->data, 192);
}

TEST(GgufFile, G44_nonRegularFile_isRefusedImmediately) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(GgufFile::open(folder.path()).error().code, NotAFile);
    const auto pipe = folder.path() / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(GgufFile::open(pipe).error().code, NotAFile);
    std::filesystem::create_symlink(folder.path() / "loop", folder.path() / "loop");
    EXPECT_EQ(GgufFile::open(folder.path() / "loop").error().code, NotAFile);
    EXPECT_EQ(GgufFile::open(folder.path() / "absent").error().code, NotFound);
}

TEST(GgufFile, G45_unusualNames_load_andAreShownEscaped) {
    const test::TemporaryFolder folder;
    for (const std::string& name : {std::string("new\nline"), std::string("quo\"te"),
                                    std::string("bad\xff utf8"), std::string(250, 'x')}) {
        const auto good = folder.write(name, smallGguf().build());
        EXPECT_TRUE(GgufFile::open(good).has_value()) << name;
        const auto bad = folder.write(name, "GGUF");
        const auto refused = GgufFile::open(bad);
        ASSERT_FALSE(refused.has_value());
        EXPECT_EQ(refused.error().what.find('\n'), std::string::npos);
        EXPECT_EQ(refused.error().what.find('\xff'), std::string::npos);
    }
}

TEST(GgufFile, fileChangedWhileOpen_isDetected) {
    const test::TemporaryFolder folder;
    const auto path = folder.write("model.gguf", smallGguf().build());
    const auto file = GgufFile::open(path);
    ASSERT_TRUE(file.has_value());
    EXPECT_TRUE(file->checkUnchanged().has_value());
    GgufBuilder longer = smallGguf();
    longer.tail.assign(64, '\0');
    static_cast<void>(folder.write("model.gguf", longer.build()));
    EXPECT_EQ(file->checkUnchanged().error().code, ModelChanged);
}

}  // namespace
}  // namespace lacuna
