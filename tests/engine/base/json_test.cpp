#include "engine/base/json.h"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

TEST(ParseJson, badTexts_areRefusedWithoutThrowing) {
    for (const char* text :
         {"", "{", "[1,]", "{\"a\":NaN}", "{\"a\":1} x", "\"\xff\"", "{\"a\":1,\"a\":2}", "nul"}) {
        const auto parsed = parseJson(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().code, ErrorCode::Json) << text;
    }
}

TEST(ParseJson, complaint_isShortAndHasOneCodeAndOnePlace) {
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

TEST(ParseJson, sameKeyInDifferentObjects_isFine) {
    EXPECT_TRUE(parseJson(R"([{"a":1},{"a":{"a":2}}])"));
}

TEST(DumpJson, invalidUtf8_isReplaced) {
    EXPECT_EQ(dumpJson(OrderedJson{{"t", "\xff"}}), "{\"t\":\"\xEF\xBF\xBD\"}");
}

}  // namespace
}  // namespace lacuna
