// JSON schemas as grammars: what they accept and refuse, and random schemas against a validator.

#include "engine/grammar/json_schema.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <tuple>

#include "engine/base/string_format.h"
#include "engine/grammar/grammar_reader.h"
#include "tests/support/grammar_vocabulary.h"
#include "tests/support/random_schema.h"
#include "tests/support/schema_validator.h"

namespace lacuna {
namespace {

Result<std::shared_ptr<const Pushdown>> compiled(std::string_view schema) {
    LACUNA_TRY(const GrammarTree tree, schemaGrammar(schema));
    return Pushdown::compile(tree);
}

bool spells(std::string_view schema, std::string_view text) {
    const auto states = compiled(schema);
    EXPECT_TRUE(states) << schema << ": " << (states ? "" : states.error().what);
    if (!states) return false;
    GrammarReader reader(*states);
    return reader.mayEnd(reader.next(reader.start(), text));
}

std::string refusal(std::string_view schema) {
    const auto states = compiled(schema);
    return states ? std::string() : states.error().what;
}

TEST(JsonSchema, properties_areInOrder_optionalOnesMayBeOmitted) {
    const char* schema = R"({"type":"object","properties":{"a":{"type":"integer"},
        "b":{"type":"boolean"},"c":{"type":"null"}},"required":["b"]})";
    EXPECT_TRUE(spells(schema, R"({"a":1,"b":true,"c":null})"));
    EXPECT_TRUE(spells(schema, R"({"b":false})"));
    EXPECT_TRUE(spells(schema, "{\n  \"b\": false, \"c\": null\n}"));
    EXPECT_FALSE(spells(schema, R"({"a":1})"));
    EXPECT_FALSE(spells(schema, R"({"b":true,"a":1})"));
    EXPECT_FALSE(spells(schema, R"({"b":true,"d":1})"));
    EXPECT_FALSE(spells(schema, R"({,"b":true})"));
    EXPECT_FALSE(spells(schema, R"({"b":true,})"));
}

TEST(JsonSchema, additionalProperties_areAcceptedOnlyIfAllowed) {
    EXPECT_TRUE(spells(R"({"type":"object"})", R"({"x":[1,{"y":null}],"z":"w"})"));
    const char* schema =
        R"({"properties":{"ab":{"type":"null"}},"additionalProperties":{"type":"integer"}})";
    EXPECT_TRUE(spells(schema, R"({"ab":null,"abc":1,"a":2})"));
    EXPECT_FALSE(spells(schema, R"({"ab":1})")) << "a declared name keeps its own schema";
    EXPECT_FALSE(spells(schema, R"({"x":null})"));
    EXPECT_FALSE(spells(R"({"type":"object","additionalProperties":false})", R"({"x":1})"));
    EXPECT_TRUE(spells(R"({"type":"object","required":["k"]})", R"({"k":"v"})"));
    EXPECT_FALSE(spells(R"({"type":"object","required":["k"]})", "{}"));
}

TEST(JsonSchema, arrays_respectItemCounts) {
    const char* schema = R"({"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":3})";
    EXPECT_FALSE(spells(schema, "[]"));
    EXPECT_TRUE(spells(schema, "[1]"));
    EXPECT_TRUE(spells(schema, "[1, 2,3]"));
    EXPECT_FALSE(spells(schema, "[1,2,3,4]"));
    EXPECT_TRUE(spells(R"({"type":"array","maxItems":0})", "[]"));
    const char* pair =
        R"({"type":"array","prefixItems":[{"type":"null"},{"type":"integer"}],"minItems":2,"items":false})";
    EXPECT_TRUE(spells(pair, "[null,7]"));
    EXPECT_FALSE(spells(pair, "[null,7,8]"));
    EXPECT_FALSE(spells(pair, "[null]"));
    // The notation of drafts before 2020-12.
    const char* older = R"({"items":[{"type":"null"},{"type":"integer"}]})";
    EXPECT_TRUE(spells(older, "[null,7]"));
    EXPECT_FALSE(spells(older, "[null,7,8]"));
    EXPECT_FALSE(spells(older, "[7,null]"));
    EXPECT_FALSE(schemaGrammar(R"({"items":[{}],"prefixItems":[{}]})"));
}

TEST(JsonSchema, stringLengths_countCharacters) {
    const char* schema = R"({"type":"string","minLength":2,"maxLength":3})";
    EXPECT_FALSE(spells(schema, "\"a\""));
    EXPECT_TRUE(spells(schema, "\"\xC3\xA9\xF0\x9F\x98\x80\""));
    EXPECT_TRUE(spells(schema, "\"\\n\\\"\\u0001\""));
    EXPECT_FALSE(spells(schema, "\"abcd\""));
    EXPECT_FALSE(spells(schema, "\"a\nb\"")) << "a line end must be escaped";
}

TEST(JsonSchema, patterns_applyToUnescapedText) {
    EXPECT_TRUE(spells(R"({"type":"string","pattern":"^[a-z]+\\d{2}$"})", "\"ab12\""));
    EXPECT_FALSE(spells(R"({"type":"string","pattern":"^[a-z]+\\d{2}$"})", "\"ab1\""));
    EXPECT_TRUE(spells(R"({"type":"string","pattern":"b"})", "\"abc\""));
    EXPECT_FALSE(spells(R"({"type":"string","pattern":"b"})", "\"ac\""));
    EXPECT_TRUE(spells(R"({"type":"string","pattern":"^\"\\\\$"})", "\"\\\"\\\\\""));
    EXPECT_TRUE(spells(R"({"type":"string","pattern":"^(?:x|yy)?z$"})", "\"yyz\""));
    EXPECT_TRUE(spells(R"({"type":"string","format":"date"})", "\"2026-11-30\""));
    EXPECT_FALSE(spells(R"({"type":"string","format":"date"})", "\"2026-11-31\""));
    EXPECT_TRUE(spells(R"({"type":"string","format":"date-time"})", "\"2026-01-31T23:59:07.5Z\""));
    EXPECT_TRUE(
        spells(R"({"type":"string","format":"uuid"})", "\"123e4567-e89b-12d3-a456-426614174000\""));
}

TEST(JsonSchema, integerBounds_hold) {
    for (const auto& [least, most] :
         {std::pair{-7, 12}, {0, 0}, {95, 105}, {-1010, -99}, {3, 2047}}) {
        const std::string schema = R"({"type":"integer","minimum":)" + std::to_string(least) +
                                   R"(,"maximum":)" + std::to_string(most) + "}";
        const auto states = compiled(schema);
        ASSERT_TRUE(states);
        GrammarReader reader(*states);
        for (int n = least - 130; n <= most + 130; ++n)
            EXPECT_EQ(reader.mayEnd(reader.next(reader.start(), std::to_string(n))),
                      n >= least && n <= most)
                << n << " in " << schema;
        EXPECT_FALSE(reader.mayEnd(reader.next(reader.start(), "01")));
    }
    EXPECT_TRUE(spells(R"({"type":"integer","exclusiveMinimum":4})", "5"));
    EXPECT_FALSE(spells(R"({"type":"integer","exclusiveMinimum":4})", "4"));
    EXPECT_FALSE(spells(R"({"type":"integer"})", "1.5"));
    EXPECT_TRUE(spells(R"({"type":"integer"})", "-123456789012345"));
}

TEST(JsonSchema, integersOfAnySize_areBoundedExactly) {
    EXPECT_TRUE(spells(R"({"type":"integer"})", "1497549923779084388"));
    EXPECT_TRUE(spells(R"({"type":"integer"})", "-" + std::string(200, '9')));
    EXPECT_TRUE(spells("{}", "[" + std::string(60, '7') + "]"));
    EXPECT_FALSE(spells(R"({"type":"integer"})", "007"));
    struct Row {
        std::string keyword, bound, fits, fitsNot;
    };
    for (const auto& [keyword, bound, fits, fitsNot] :
         {Row{"maximum", "9007199254740991", "9007199254740991", "9007199254740992"},
          Row{"maximum", "9223372036854775807", "9223372036854775807", "9223372036854775808"},
          Row{"maximum", "18446744073709551615", "18446744073709551615", "18446744073709551616"},
          Row{"exclusiveMaximum", "18446744073709551616", "18446744073709551615",
              "18446744073709551616"},
          Row{"minimum", "18446744073709551616", "99999999999999999999999", "18446744073709551615"},
          Row{"minimum", "-9223372036854775808", "-9223372036854775808", "-9223372036854775809"},
          Row{"minimum", "-18446744073709551617", "-18446744073709551617", "-18446744073709551618"},
          Row{"exclusiveMinimum", "-9223372036854775809", "-9223372036854775808",
              "-9223372036854775809"},
          Row{"maximum", "-1000000000000000000", "-2000000000000000000", "-999999999999999999"},
          Row{"minimum", "1e20", "100000000000000000000", "99999999999999999999"},
          Row{"maximum", "1.7976931348623157e308", std::string(64, '9'), "1.5"}}) {
        const std::string schema = R"({"type":"integer",")" + keyword + "\":" + bound + "}";
        EXPECT_TRUE(spells(schema, fits)) << schema;
        EXPECT_FALSE(spells(schema, fitsNot)) << schema;
    }
    const char* between =
        R"({"type":"integer","minimum":1000000000000000000,"maximum":2000000000000000000})";
    EXPECT_TRUE(spells(between, "1497549923779084388"));
    EXPECT_TRUE(spells(between, "2000000000000000000"));
    EXPECT_FALSE(spells(between, "2000000000000000001"));
    EXPECT_FALSE(spells(between, "999999999999999999"));
    // Boolean exclusive bounds, as in drafts before 6 and OpenAPI 3.0.
    EXPECT_FALSE(spells(R"({"type":"integer","minimum":4,"exclusiveMinimum":true})", "4"));
    EXPECT_TRUE(spells(R"({"type":"integer","minimum":4,"exclusiveMinimum":false})", "4"));
}

TEST(JsonSchema, numbers_allowSeventeenDigitsAndExponents) {
    const char* bounded = R"({"type":"number","minimum":0,"maximum":1e30})";
    const char* wide = R"({"type":"number","minimum":-1e300,"exclusiveMaximum":1e300})";
    for (const char* schema : {R"({"type":"number"})", bounded, wide})
        for (const char* text :
             {"0", "0.00000000000000001234", "0.12345678901234567", "12345.678901234567", "1e-17",
              "6.02e23", "6.02E+23", "1e-07", "1497549923779084388", "2.2250738585072014e-300"})
            EXPECT_TRUE(spells(schema, text)) << schema << " " << text;
    for (const char* text : {"1e999", "1e400", "00", "1.", ".5", "1e", "+1"})
        EXPECT_FALSE(spells(R"({"type":"number"})", text)) << text;
    EXPECT_TRUE(spells(R"({"type":"number"})", "9.9e307"));
    EXPECT_FALSE(spells(bounded, "-1e-5"));
    EXPECT_FALSE(spells(bounded, "1.1e30"));
    EXPECT_TRUE(spells(bounded, "1e30"));
    EXPECT_FALSE(spells(bounded, "9e30"));
    const char* tenth = R"({"type":"number","minimum":0.1,"maximum":0.3})";
    for (const char* text : {"0.1", "0.10", "0.3", "0.30", "0.29999999999999999", "1e-1", "2.5e-1"})
        EXPECT_TRUE(spells(tenth, text)) << text;
    for (const char* text : {"0", "0.09", "0.300001", "0.31", "9.9e-2", "3.1e-1", "1", "-0.2"})
        EXPECT_FALSE(spells(tenth, text)) << text;
    const char* probability = R"({"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1})";
    for (const char* text : {"0.5", "0.0000001", "0.999999999999999", "1e-300"})
        EXPECT_TRUE(spells(probability, text)) << text;
    for (const char* text :
         {"0", "0.0", "0.000", "1", "1.0", "1e0", "-0.5", "0.99999999999999999999"})
        EXPECT_FALSE(spells(probability, text)) << text;
    const char* negative = R"({"type":"number","maximum":-2.5})";
    EXPECT_TRUE(spells(negative, "-2.5"));
    EXPECT_TRUE(spells(negative, "-123456789012345678901234567890.5"));
    EXPECT_FALSE(spells(negative, "-2.49"));
    EXPECT_FALSE(spells(negative, "2.5"));
}

TEST(JsonSchema, nonConstrainingKeywords_areAccepted) {
    for (const char* more : {R"("x-order":1)",
                             R"("discriminator":{"propertyName":"a"})",
                             R"("enumNames":["a"])",
                             R"("format":"email")",
                             R"("format":"int64")",
                             R"("contentEncoding":"base64")",
                             R"("contentMediaType":"image/png")",
                             R"("contentSchema":{"type":"integer"})",
                             R"("$comment":"c")",
                             R"("examples":[1])",
                             R"("example":1)",
                             R"("deprecated":true)",
                             R"("readOnly":true)",
                             R"("writeOnly":true)",
                             R"("title":"t")",
                             R"("description":"d")",
                             R"("default":1)",
                             R"("externalDocs":{})",
                             R"("xml":{})",
                             R"("$id":"https://a.b/c")",
                             R"("$schema":"https://json-schema.org/draft/2020-12/schema")",
                             R"("$anchor":"a")",
                             R"("$dynamicAnchor":"a")",
                             R"("$vocabulary":{})",
                             R"("nullable":false)",
                             R"("uniqueItems":false)",
                             R"("uniqueItems":true)",
                             R"("minProperties":2)",
                             R"("minLength":0)",
                             R"("required":[])",
                             R"("patternProperties":{})",
                             R"("allOf":[{}])",
                             R"("not":false)",
                             R"("if":{"type":"string"})",
                             R"("then":false)",
                             R"("dependencies":{})",
                             R"("propertyNames":{"type":"string"})",
                             R"("unevaluatedProperties":false)",
                             R"("additionalItems":false)",
                             R"("minContains":2)",
                             R"("definitions":{})"}) {
        const std::string schema = std::string(R"({"type":"string",)") + more + "}";
        EXPECT_TRUE(spells(schema, "\"a\"")) << schema;
    }
    EXPECT_TRUE(
        spells(R"({"type":"array","items":{"type":"null"},"uniqueItems":false})", "[null]"));
    EXPECT_TRUE(spells(R"({"type":"integer","multipleOf":1})", "7"));
    EXPECT_TRUE(spells(R"({"$ref":"#/$defs/a","description":"d","x-a":1,"required":[],
        "$defs":{"a":{"type":"null"}}})",
                       "null"));
    EXPECT_TRUE(
        spells(R"({"anyOf":[{"type":"null"}],"discriminator":{},"nullable":true})", "null"));
    EXPECT_TRUE(spells(R"({"enum":["a"],"enumNames":["A"],"format":"x"})", "\"a\""));
    EXPECT_TRUE(spells(R"({"type":"object","propertyNames":{"type":"string"},
        "additionalProperties":{"type":"null"}})",
                       R"({"k":null})"));
    EXPECT_FALSE(spells(R"({"type":"object","unevaluatedProperties":false})", R"({"k":null})"));
    EXPECT_TRUE(spells(R"({"type":"string","nullable":true})", "null"));
    EXPECT_FALSE(spells(R"({"type":"string"})", "null"));
    // A format is only an annotation, so real constraints take precedence.
    EXPECT_TRUE(spells(R"({"type":"string","format":"date","pattern":"^x$"})", "\"x\""));
    EXPECT_TRUE(spells(R"({"type":"string","format":"date","maxLength":10})", "\"2026-01-31\""));
    EXPECT_FALSE(spells(R"({"type":"string","format":"date","maxLength":10})", "\"abc\""));
}

TEST(JsonSchema, unsupportedKeywords_areRefusedByName) {
    for (const auto& [type, keyword, value] :
         {std::tuple{"object", "patternProperties", R"({"a":{}})"},
          {"object", "propertyNames", R"({"maxLength":2})"},
          {"object", "minProperties", "1"},
          {"object", "maxProperties", "1"},
          {"object", "dependencies", R"({"a":["b"]})"},
          {"object", "dependentRequired", R"({"a":["b"]})"},
          {"object", "dependentSchemas", R"({"a":{}})"},
          {"array", "uniqueItems", "true"},
          {"array", "contains", "{}"},
          {"integer", "multipleOf", "2"},
          {"number", "multipleOf", "1"},
          {"string", "not", R"({"const":"a"})"},
          {"string", "if", R"({},"then":false)"},
          {"string", "$dynamicRef", "\"#a\""},
          {"string", "$recursiveRef", "\"#\""}}) {
        const std::string schema = format(R"({{"type":"{}","{}":{}}})", type, keyword, value);
        EXPECT_NE(refusal(schema).find(format("keyword {} here", keyword)), std::string::npos)
            << schema << ": " << refusal(schema);
    }
}

TEST(JsonSchema, percentEncodedReferences_areDecoded) {
    const char* defs =
        R"(,"$defs":{"Record<string>":{"const":1},"a b":{"const":2},"c":{"d":{"const":3}},
        "e/f~g":{"const":4},"50%":{"const":5}}})";
    for (const auto& [reference, value] : {std::pair{"#/$defs/Record%3Cstring%3E", "1"},
                                           {"#/%24defs/Record%3cstring%3e", "1"},
                                           {"#/$defs/Record<string>", "1"},
                                           {"#/$defs/a%20b", "2"},
                                           {"#/$defs/c%2Fd", "3"},
                                           {"#%2F$defs/c/d", "3"},
                                           {"#/$defs/e~1f~0g", "4"},
                                           {"#/$defs/e%7E1f%7e0g", "4"},
                                           {"#/$defs/50%25", "5"}})
        EXPECT_TRUE(spells(format(R"({{"$ref":"{}"{})", reference, defs), value)) << reference;
    for (const char* reference : {"#/$defs/50%", "#/$defs/a%2", "#/$defs/a%zz", "#/$defs/a%20c"})
        EXPECT_NE(refusal(format(R"({{"$ref":"{}"{})", reference, defs)).find("does not exist"),
                  std::string::npos)
            << reference;
}

TEST(JsonSchema, numberBounds_hold) {
    const char* schema = R"({"type":"number","minimum":-0.5,"exclusiveMaximum":2.25})";
    EXPECT_TRUE(spells(schema, "-0.50"));
    EXPECT_FALSE(spells(schema, "-0.51"));
    EXPECT_TRUE(spells(schema, "2.24"));
    EXPECT_FALSE(spells(schema, "2.25"));
    EXPECT_TRUE(spells(schema, "2"));
    EXPECT_FALSE(spells(schema, "3"));
    EXPECT_TRUE(spells(R"({"type":"number"})", "-12.5e+3"));
}

TEST(JsonSchema, choicesAndReferences_acceptEachSchema) {
    EXPECT_TRUE(spells(R"({"enum":["a",1,null,{"k":[true]}]})", "{\"k\":[true]}"));
    EXPECT_FALSE(spells(R"({"enum":["a",1],"type":"string"})", "1"));
    EXPECT_TRUE(spells(R"({"const":"x\"y"})", "\"x\\\"y\""));
    EXPECT_TRUE(spells(R"({"anyOf":[{"type":"null"},{"type":"integer"}]})", "12"));
    EXPECT_TRUE(spells(R"({"type":["null","boolean"]})", "true"));
    const char* list = R"({"$ref":"#/$defs/list","$defs":{"list":{"type":"object","properties":
        {"v":{"type":"integer"},"next":{"$ref":"#/$defs/list"}},"required":["v"]}}})";
    EXPECT_TRUE(spells(list, R"({"v":1,"next":{"v":2,"next":{"v":3}}})"));
    EXPECT_FALSE(spells(list, R"({"v":1,"next":{}})"));
    EXPECT_TRUE(spells("true", "[1,\"a\",{\"b\":{}}]"));
    EXPECT_TRUE(spells("{}", "null"));
}

TEST(JsonSchema, oneOf_isAcceptedOnlyIfExclusive) {
    EXPECT_TRUE(spells(R"({"oneOf":[{"type":"string"},{"type":"integer"}]})", "5"));
    EXPECT_NE(
        refusal(R"({"oneOf":[{"type":"number"},{"type":"integer"}]})").find("entries 0 and 1"),
        std::string::npos);
    EXPECT_EQ(
        refusal(R"({"oneOf":[{"type":"object","properties":{"k":{"const":1}},"required":["k"]},
        {"type":"object","properties":{"k":{"const":2}},"required":["k"]}]})"),
        "");
    EXPECT_NE(refusal(R"({"oneOf":[{"type":"object","properties":{"k":{"const":1}}},
        {"type":"object","properties":{"k":{"const":2}}}]})")
                  .find("oneOf"),
              std::string::npos);
}

struct Refused {
    const char* schema;
    const char* named;
    friend std::ostream& operator<<(std::ostream& out, const Refused& r) { return out << r.schema; }
};
class RefusedSchemas : public testing::TestWithParam<Refused> {};

TEST_P(RefusedSchemas, refusedSchema_isReportedByName) {
    EXPECT_NE(refusal(GetParam().schema).find(GetParam().named), std::string::npos)
        << refusal(GetParam().schema);
}

INSTANTIATE_TEST_SUITE_P(
    Table, RefusedSchemas,
    testing::Values(
        Refused{"{", "byte"}, Refused{"[]", "expected an object"},
        Refused{"false", "allows no value"},
        Refused{R"({"type":"object","patternProperties":{"a":{}}})", "keyword patternProperties"},
        Refused{R"({"type":"array","uniqueItems":true})", "keyword uniqueItems"},
        Refused{R"({"not":{}})", "keyword not"},
        Refused{R"({"type":"integer","multipleOf":3})", "keyword multipleOf"},
        Refused{R"({"allOf":[{"type":"string"},{"type":"integer"}]})", "allOf of more than one"},
        Refused{R"({"properties":{"a":{"if":{},"then":false}}})", "#/properties/a"},
        Refused{R"({"$ref":"http://example.org/x"})", "does not exist"},
        Refused{R"({"$ref":"#/$defs/none"})", "does not exist"},
        Refused{R"({"$ref":"#"})", "rule # never ends"},
        Refused{
            R"({"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"})",
            "rule # never ends"},
        Refused{R"({"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]})",
                "matches no text"},
        Refused{R"({"type":"colour"})", "\"colour\" is unknown"},
        Refused{R"({"type":"string","minLength":5,"maxLength":2})", "maxLength is below"},
        Refused{R"({"type":"string","minLength":-1})", "minLength is -1"},
        Refused{R"({"type":"string","maxLength":100001})", "0 to 100000"},
        Refused{R"({"type":"string","pattern":"^a","minLength":3})",
                "a length together with a pattern"},
        Refused{R"({"type":"string","pattern":"(?=a)b"})", "(?"},
        Refused{R"({"type":"string","pattern":"a\\b"})", "escape \\b"},
        Refused{R"({"type":"string","pattern":"(a)\\1"})", "escape \\1"},
        Refused{R"({"type":"string","pattern":"*"})", "nothing before"},
        Refused{R"({"type":"string","pattern":"a$b"})", "anchor inside"},
        Refused{R"({"type":"string","pattern":"^a|b$"})", "| next to an anchor"},
        Refused{R"({"type":"string","pattern":"(a"})", "not closed"},
        Refused{R"({"type":"integer","minimum":5,"maximum":4})", "no number is between"},
        Refused{R"({"type":"integer","minimum":0.1,"maximum":0.9})", "no number is between"},
        Refused{R"({"type":"number","exclusiveMinimum":2,"maximum":2})", "no number is between"},
        Refused{R"({"type":"integer","minimum":1e65})", "more than 64 digits"},
        Refused{R"({"type":"integer","minimum":"1"})", "expected a number"},
        Refused{R"({"type":"string","nullable":1})", "nullable is neither"},
        Refused{R"({"type":"array","minItems":3,"maxItems":2})", "maxItems is below"},
        Refused{R"({"enum":[]})", "no listed value"},
        Refused{R"({"enum":["a"],"type":"integer"})", "no listed value"},
        Refused{R"({"required":["a"],"additionalProperties":false})",
                "additional properties are not allowed"}));

TEST(JsonSchema, schemaDepth_isBounded) {
    std::string deep;
    for (int i = 0; i < 60'000; ++i) deep += R"({"items":)";
    deep += "{}" + std::string(60'000, '}');
    EXPECT_FALSE(compiled(deep));
    std::string over = R"({"type":"null"})";
    for (int i = 0; i < 70; ++i) over = R"({"anyOf":[)" + over + "]}";
    EXPECT_NE(refusal(over), "");
}

/// Draws an answer from random logits for each of a thousand random schemas.
/// LACUNA_SCHEMA_SAMPLES=FILE writes them for an independent validator
/// (tests/golden/json-schema/validate.py).
TEST(JsonSchema, GR_randomAnswers_areValidUnderTheirSchema) {
    const auto tokenizer = test::tokenizerOf(test::jsonTexts());
    const auto tries = VocabularyTries::create(tokenizer);
    ASSERT_TRUE(tries);
    const char* file = std::getenv("LACUNA_SCHEMA_SAMPLES");
    OrderedJson samples = OrderedJson::array();
    int checked = 0;
    std::size_t bytes = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        const OrderedJson schema = test::RandomSchema(seed).make();
        const std::string text = dumpJson(schema);
        SCOPED_TRACE(text);
        const auto states = compiled(text);
        ASSERT_TRUE(states) << seed << ": " << states.error().what;
        const auto drawn = test::randomText(*states, *tries, seed);
        ASSERT_TRUE(drawn) << seed << ": " << drawn.error().what;
        const std::string& answer = *drawn;
        const Json value = Json::parse(answer, nullptr, false);
        ASSERT_FALSE(value.is_discarded()) << seed << ": " << answer;
        const Json document = Json::parse(text);
        ASSERT_TRUE(test::validUnder(document, value, document)) << seed << ": " << answer;
        ++checked;
        bytes += answer.size();
        if (file != nullptr) samples.push_back({{"schema", schema}, {"answer", answer}});
    }
    EXPECT_EQ(checked, 1000);
    EXPECT_GT(bytes, 20'000U);
    if (file != nullptr) std::ofstream(file) << dumpJson(samples);
}

std::string listOf(const std::string& one, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += (i > 0 ? "," : "") + one;
    return out;
}

std::string numbered(const std::string& before, int times, const std::string& after) {
    std::string out;
    for (int i = 0; i < times; ++i) out += (i > 0 ? "," : "") + before + std::to_string(i) + after;
    return out;
}

struct HostileSchema {
    std::string name;
    std::string text;
    std::string refusal;  ///< error message; empty if it builds
};

class HostileSchemas : public ::testing::TestWithParam<HostileSchema> {};

TEST_P(HostileSchemas, hostileSchema_isBuiltOrRefusedWithinItsSteps) {
    const HostileSchema& one = GetParam();
    WorkBudget work(kFormSteps);
    const auto tree = schemaGrammar(one.text, work);
    const auto states = tree ? Pushdown::compile(*tree, work) : tl::unexpected<Error>(tree.error());
    if (one.refusal.empty()) {
        EXPECT_TRUE(states) << states.error().what;
        return;
    }
    ASSERT_FALSE(states);
    EXPECT_NE(states.error().what.find(one.refusal), std::string::npos) << states.error().what;
    EXPECT_LT(states.error().what.size(), 1'000U) << "a sentence, not the schema again";
}

INSTANTIATE_TEST_SUITE_P(
    P08, HostileSchemas,
    ::testing::Values(
        HostileSchema{"oneOfSixtyThousand",
                      R"({"oneOf":[)" + numbered(R"({"const":)", 60'000, "}") + "]}",
                      "60000 entries of oneOf"},
        HostileSchema{"anyOfSixtyThousand",
                      R"({"anyOf":[)" + listOf(R"({"type":"null"})", 60'000) + "]}", ""},
        HostileSchema{"enumOfSixtyThousand", R"({"enum":[)" + numbered("\"v", 60'000, "\"") + "]}",
                      ""},
        HostileSchema{"sixtyThousandProperties",
                      R"({"properties":{)" + numbered("\"p", 60'000, R"(":{})") + "}}",
                      "60000 keys"},
        HostileSchema{"circleOfReferences", R"({"$ref":"#"})", "never ends"},
        HostileSchema{"longCircleOfReferences",
                      R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},)"
                      R"("b":{"$ref":"#/$defs/a"}}})",
                      "never ends"},
        HostileSchema{"longReferences",
                      R"({"prefixItems":[)" + numbered(R"({"$ref":"#/x)", 40'000, R"("})") + "]}",
                      "does not exist"},
        HostileSchema{"namesTaken",
                      R"({"properties":{)" +
                          numbered("\"", 4'000, R"(abcdefghijklmnopqrstuvwxyz":true)") +
                          R"(},"additionalProperties":true})",
                      "4000 declared names"},
        HostileSchema{"requiredWithALargeSchema",
                      R"({"required":[)" + numbered("\"r", 40'000, "\"") +
                          R"(],"additionalProperties":{"anyOf":[)" +
                          listOf(R"({"minimum":1})", 15'000) + "]}}",
                      "too large"},
        HostileSchema{"largePattern",
                      R"({"type":"string","pattern":")" + std::string(500'000, 'a') + "\"}",
                      "at most 16384"},
        HostileSchema{"manyPatterns",
                      R"({"anyOf":[)" +
                          listOf(R"({"pattern":")" + std::string(10'000, 'a') + "\"}", 100) + "]}",
                      "too large"},
        HostileSchema{"patternOfRepeats", R"x({"pattern":"(((a{1000}){1000}){1000})"})x",
                      "too large"},
        HostileSchema{"patternOfEmptyRepeats",
                      R"x({"pattern":"((((){9999}){9999}){9999}){9999}b"})x", "steps to build"},
        HostileSchema{"starAlone", R"({"pattern":"*"})", "nothing before"}),
    [](const auto& row) { return row.param.name; });

// Schemas of a realistic size must keep working.
TEST(JsonSchema, largeReasonableSchemas_areBuilt) {
    std::string defs;
    std::string properties;
    for (int i = 0; i < 300; ++i) {
        const std::string name = "d" + std::to_string(i);
        const std::string comma = i > 0 ? "," : "";
        defs +=
            comma + '"' + name +
            R"(":{"type":"object","properties":{"name":{"type":"string"},"kind":{"enum":["a","b","c"]},)"
            R"("size":{"type":"integer","minimum":0},"next":{"$ref":"#"}},"required":["name"]})";
        properties += comma + '"' + name + R"(":{"$ref":"#/$defs/)" + name + "\"}";
    }
    const std::string schema =
        R"({"type":"object","properties":{)" + properties + R"(},"$defs":{)" + defs + "}}";
    EXPECT_TRUE(spells(schema, R"({"d0":{"name":"x","kind":"b","size":12},"d299":{"name":"y"}})"));
    const std::string variants = R"({"oneOf":[)" +
                                 numbered(R"({"type":"object","properties":{"t":{"const":"k)", 200,
                                          R"("},"v":{"type":"integer"}},"required":["t","v"]})") +
                                 "]}";
    EXPECT_TRUE(spells(variants, R"({"t":"k17","v":3})"));
}

TEST(JsonSchema, stopRequest_endsTheBuild) {
    int questions = 0;
    WorkBudget work(kFormSteps, [&] { return ++questions > 2; });
    const auto tree =
        schemaGrammar(R"({"oneOf":[)" + numbered(R"({"const":)", 20'000, "}") + "]}", work);
    ASSERT_FALSE(tree);
    EXPECT_EQ(tree.error().code, ErrorCode::Cancelled);
    EXPECT_LE(work.spent(), 4 * WorkBudget::kStepsBetweenChecks);
}

}  // namespace
}  // namespace lacuna
