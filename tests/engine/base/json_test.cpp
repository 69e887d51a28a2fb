#include "engine/base/json.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "engine/base/big_integer.h"

namespace lacuna {
namespace {

TEST(ParseJson, invalidTexts_areRefusedWithoutThrowing) {
    for (const char* text :
         {"", "{", "[1,]", "{\"a\":NaN}", "{\"a\":1} x", "\"\xff\"", "{\"a\":1,\"a\":2}", "nul"}) {
        const auto parsed = parseJson(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().code, ErrorCode::Json) << text;
    }
}

TEST(ParseJson, error_isShort_withOneCodeAndOnePosition) {
    for (const std::string& text :
         {std::string("{\"a\": x}"), "[\"" + std::string(1'000'000, 'a') + "\n",
          std::string("[1e999]")}) {
        const auto parsed = parseJson(text);
        ASSERT_FALSE(parsed);
        EXPECT_EQ(parsed.error().what.find("json.exception"), std::string::npos)
            << parsed.error().what;
        EXPECT_EQ(parsed.error().what.find("line 1"), std::string::npos) << parsed.error().what;
        EXPECT_LT(parsed.error().what.size(), 260U);
    }
    EXPECT_NE(parseJson("{\"a\": x}").error().what.find("at byte 7: syntax error"),
              std::string::npos)
        << parseJson("{\"a\": x}").error().what;
}

TEST(ParseJson, depth_isLimited) {
    EXPECT_TRUE(parseJson(std::string(128, '[') + std::string(128, ']')));
    EXPECT_FALSE(parseJson(std::string(129, '[') + std::string(129, ']')));
    EXPECT_FALSE(parseJson(std::string(100'000, '[')));
}

TEST(ParseJson, sameKeyInDifferentObjects_isAccepted) {
    EXPECT_TRUE(parseJson(R"([{"a":1},{"a":{"a":2}}])"));
}

TEST(ParseJson, nulBytes_areRefusedAnywhere) {
    using namespace std::string_view_literals;
    for (const std::string_view text :
         {"{\"a\":1}\0"sv, "{\"a\":1}\0{\"b\":2}"sv, "\0{}"sv, "[1,\0 2]"sv, "\"a\0b\""sv}) {
        const auto parsed = parseJson(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_NE(parsed.error().what.find("NUL"), std::string::npos) << parsed.error().what;
    }
}

std::string repeated(std::string_view part, std::size_t bytes) {
    std::string text = "[";
    while (text.size() < bytes) text += part;
    text.back() = ']';
    return text;
}

// 60 MB of these would take a gigabyte as values. The parser must refuse them first: building the
// values would take minutes and exhaust the memory.
TEST(ParseJson, textsWithExcessiveMemory_areRefusedBeforeParsing) {
    for (const char* part : {"[],", "{},", "1,", "\"\",", "[[[]]],", "{\"a\":1},"}) {
        const std::string text =
            repeated(part, part[0] == '[' && part[1] == ']' ? 60'000'000 : 12'000'000);
        EXPECT_GT(jsonMemory(text), (std::size_t{64} << 20) + 3 * text.size()) << part;
        const auto parsed = parseJson(text);
        ASSERT_FALSE(parsed) << part;
        EXPECT_EQ(parsed.error().code, ErrorCode::Json);
        EXPECT_NE(parsed.error().what.find("memory"), std::string::npos) << parsed.error().what;
        EXPECT_FALSE(parseJson(text, kTableJson)) << part;
    }
}

// Rescanning a list after each of its objects would take quadratic time: a minute for these, hours
// for a file. The bound on processor time guards only against that.
TEST(ParseJson, longListsOfObjects_parseInLinearTime) {
    const std::string objects = repeated("{\"a\":{}},", 2'000'000);
    const std::clock_t begin = std::clock();
    const auto parsed = parseJson(objects);
    ASSERT_TRUE(parsed) << parsed.error().what;
    EXPECT_GT(parsed->size(), 200'000U);
    EXPECT_TRUE(parseOrderedJson(objects));
    EXPECT_LT(std::clock() - begin, 20 * CLOCKS_PER_SEC);
}

TEST(ParseJson, longOrdinaryTexts_areParsed) {
    const std::string words =
        repeated("\"a sentence of some length, as in a conversation\",", 8'000'000);
    EXPECT_TRUE(parseJson(words));
    // A vocabulary with merges in the usual notation.
    std::string table = "{\"vocab\":{";
    for (int i = 0; i < 60'000; ++i) table += "\n      \"word" + std::to_string(i) + "\": 1,";
    table.back() = '}';
    table += ",\"merges\":[";
    for (int i = 0; i < 140'000; ++i)
        table += "\n      [\n        \"ab\",\n        \"cd\"\n      ],";
    table.back() = ']';
    EXPECT_TRUE(parseJson(table + "}", kTableJson));
}

// The estimate must be an upper bound, and a tight one: it must not refuse real files.
TEST(ParseOrderedJson, objectsWithManyMembers_areRefusedBeforeQuadraticWork) {
    const auto object = [](int members) {
        std::string text = "{";
        for (int i = 0; i < members; ++i)
            text += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":1";
        return text + "}";
    };
    EXPECT_TRUE(parseOrderedJson(object(10'000)));
    const auto refused = parseOrderedJson(object(300'000));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("too many members"), std::string::npos);
    EXPECT_TRUE(parseJson(object(300'000))) << "sorted keys are found at once";
    std::string list = "[";
    for (int i = 0; i < 1000; ++i) list += (i > 0 ? "," : "") + object(100);
    EXPECT_TRUE(parseOrderedJson(list + "]"));
}

TEST(JsonMemory, estimate_isNotBelowTheMemoryOfTheValues) {
    struct Case {
        const char* part;
        std::size_t least;  ///< bytes of the library's values for one repetition
    };
    for (const Case& test : {Case{"[],", 16 + 24}, Case{"{},", 16 + 48}, Case{"1,", 16},
                             Case{"\"\",", 16 + 32}, Case{"{\"a\":1},", 16 + 48 + 96}}) {
        const std::string text = repeated(test.part, 100'000);
        const std::size_t parts = text.size() / std::string_view(test.part).size();
        EXPECT_GE(jsonMemory(text), parts * test.least) << test.part;
        EXPECT_LE(jsonMemory(text), parts * test.least * 3) << test.part;
    }
    EXPECT_LE(jsonMemory("\"" + std::string(100'000, 'x') + "\""), 101'000U);
    EXPECT_LE(jsonMemory("\"" + std::string(99'998, '[') + "\\\"\""), 101'000U);
}

TEST(ParseOrderedJson, integersBeyond64Bits_keepTheirDigits) {
    for (const char* text :
         {"18446744073709551615", "18446744073709551616", "-9223372036854775808",
          "-9223372036854775809", "123456789012345678901234567890",
          "[1,{\"a\":99999999999999999999}]",
          "{\"b\":[],\"a\":[-99999999999999999999,1.5,\"x\\n\",null,{}]}", "0.1", "1e+22"}) {
        const auto value = parseOrderedJson(text);
        ASSERT_TRUE(value) << text;
        EXPECT_EQ(dumpJson(*value), text);
    }
    const auto big = parseOrderedJson("18446744073709551616");
    EXPECT_TRUE(isBigInteger(*big) && isJsonNumber(*big) && !big->is_number());
    EXPECT_EQ(*big, *parseOrderedJson("18446744073709551616"));
    EXPECT_NE(*big, *parseOrderedJson("18446744073709551617"));
    EXPECT_EQ(dumpJson(*parseOrderedJson("{\"a\":[18446744073709551616,2]}"), 2),
              "{\n  \"a\": [\n    18446744073709551616,\n    2\n  ]\n}");
    const std::string digits(21, '9');
    std::string list = "[" + digits;
    for (int i = 0; i < 100'000; ++i) list += "," + digits;
    EXPECT_GE(jsonMemory(list), 100'000U * (16 + 40 + 21));
}

TEST(DumpJson, invalidUtf8_isReplaced) {
    EXPECT_EQ(dumpJson(OrderedJson{{"t", "\xff"}}), "{\"t\":\"\xEF\xBF\xBD\"}");
}

}  // namespace
}  // namespace lacuna
