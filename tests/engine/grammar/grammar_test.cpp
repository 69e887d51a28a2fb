// Grammar text, its states, and reading along it.

#include <gtest/gtest.h>

#include "engine/grammar/grammar_parser.h"
#include "engine/grammar/grammar_reader.h"
#include "engine/grammar/utf8_ranges.h"
#include "engine/text/unicode.h"

namespace lacuna {
namespace {

Result<std::shared_ptr<const Pushdown>> compiled(std::string_view text) {
    LACUNA_TRY(const GrammarTree tree, parseGrammar(text));
    return Pushdown::compile(tree);
}

bool spells(std::string_view grammar, std::string_view text) {
    const auto states = compiled(grammar);
    EXPECT_TRUE(states) << (states ? "" : states.error().what);
    if (!states) return false;
    GrammarReader reader(*states);
    return reader.mayEnd(reader.next(reader.start(), text));
}

std::string refusal(std::string_view grammar) {
    const auto states = compiled(grammar);
    return states ? std::string() : states.error().what;
}

TEST(ByteRuns, ofARange_spellExactlyItsCharacters) {
    for (const CharRange range :
         {CharRange{0, kLastChar}, CharRange{0x61, 0x7A}, CharRange{0x7F, 0x801},
          CharRange{0x123, 0xFFFF}, CharRange{0xD000, 0x10FFFE}}) {
        const auto runs = byteRuns(range);
        std::uint64_t spelled = 0;
        for (const ByteRun& run : runs) {
            std::uint64_t product = 1;
            for (const ByteRangeOf& byte : run) product *= byte.last - byte.first + 1U;
            spelled += product;
        }
        const std::uint64_t surrogates = range.first <= 0xD800 && range.last >= 0xDFFF ? 0x800 : 0;
        EXPECT_EQ(spelled, range.last - range.first + 1 - surrogates);
        for (const std::uint32_t c : {range.first, (range.first + range.last) / 2, range.last}) {
            if (c >= 0xD800 && c <= 0xDFFF) continue;
            const std::string bytes = utf8Encode(static_cast<char32_t>(c));
            int matches = 0;
            for (const ByteRun& run : runs) {
                bool fits = run.size() == bytes.size();
                for (std::size_t i = 0; fits && i < run.size(); ++i) {
                    const auto byte = static_cast<std::uint8_t>(bytes[i]);
                    fits = byte >= run[i].first && byte <= run[i].last;
                }
                matches += fits ? 1 : 0;
            }
            EXPECT_EQ(matches, 1) << c;
        }
    }
}

TEST(Grammar, literalsClassesAndRepetitions_spellWhatTheySay) {
    EXPECT_TRUE(spells("root ::= \"yes\" | \"no\"", "no"));
    EXPECT_FALSE(spells("root ::= \"yes\" | \"no\"", "n"));
    EXPECT_FALSE(spells("root ::= \"yes\" | \"no\"", "noo"));
    EXPECT_TRUE(spells("root ::= [a-c^-]+ [^0-9] .", "a^-bxy"));
    EXPECT_FALSE(spells("root ::= [a-c]+ [^0-9]", "ab7"));
    EXPECT_TRUE(spells("root ::= \"a\"{2,3} \"b\"{2} \"c\"{1,} \"d\"?", "aabbccc"));
    EXPECT_FALSE(spells("root ::= \"a\"{2,3}", "aaaa"));
    EXPECT_FALSE(spells("root ::= \"a\"{2,3}", "a"));
    EXPECT_TRUE(spells("root ::= (\"ab\" | \"c\")* \"!\"", "abcab!"));
    EXPECT_TRUE(spells("root ::= \"\\x41\\u00e9\\U0001F600\\n\\\"\\\\\"",
                       "A\xC3\xA9\xF0\x9F\x98\x80\n\"\\"));
    EXPECT_TRUE(spells("root ::= [\\]\\[\\-x]+", "]-[x"));
    EXPECT_TRUE(spells("root ::= .", "\xE4\xB8\xAD"));
    EXPECT_FALSE(spells("root ::= .", "\xE4\xB8"));
}

TEST(Grammar, rulesCommentsAndLineEnds_areReadAsWritten) {
    const std::string_view text = R"g(# a list of sums
root ::= sum ("," sum)*   # comma between
sum  ::= term (
    "+" term              # inside a group lines go on
)*
term ::= [0-9]+ |
         "(" sum ")"
)g";
    EXPECT_TRUE(spells(text, "1+(2+3),4"));
    EXPECT_FALSE(spells(text, "1+(2+3,4"));
    EXPECT_FALSE(spells(text, "1+"));
}

TEST(Grammar, nestingIsFollowedAsDeepAsTheTextGoes) {
    const auto states = compiled("root ::= \"(\" root? \")\"");
    ASSERT_TRUE(states);
    GrammarReader reader(*states);
    auto place = reader.start();
    constexpr int kDeep = 60'000;
    for (int i = 0; i < kDeep; ++i) place = reader.next(place, '(');
    for (int i = 0; i < kDeep; ++i) {
        EXPECT_FALSE(reader.mayEnd(place));
        place = reader.next(place, ')');
    }
    EXPECT_TRUE(reader.mustEnd(place));
}

TEST(Grammar, rulesThatEndWithThemselves_needNoReturns) {
    const auto states = compiled("root ::= \"a\" root | \"b\"");
    ASSERT_TRUE(states);
    GrammarReader reader(*states);
    auto place = reader.start();
    for (int i = 0; i < 10'000; ++i) place = reader.next(place, 'a');
    EXPECT_LT(reader.places(), 10U);
    EXPECT_TRUE(reader.mayEnd(reader.next(place, 'b')));
}

TEST(Grammar, placesForgotten_leaveTheTextWhereItStood) {
    const auto states = compiled("root ::= \"(\" root* \")\" | \"x\"+");
    ASSERT_TRUE(states);
    GrammarReader reader(*states);
    auto place = reader.next(reader.start(), "((x(");
    place = reader.forgetAllBut(place);
    EXPECT_EQ(reader.next(place, "]"), GrammarReader::kNowhere);
    EXPECT_TRUE(reader.mayEnd(reader.next(place, "xx)x)()))")) == false);
    EXPECT_TRUE(reader.mayEnd(reader.next(place, "xx)x)())")));
    place = reader.forgetAllBut(reader.next(place, "x)x))"));
    EXPECT_TRUE(reader.mustEnd(place));
}

TEST(Grammar, whatIsNotUnderstood_isRefusedWithItsLine) {
    EXPECT_NE(refusal("root ::= a\n\nb ::= \"x\"").find("line 1: rule a is used"),
              std::string::npos);
    EXPECT_NE(refusal("x ::= \"a\"").find("no rule named root"), std::string::npos);
    EXPECT_NE(refusal("").find("no rule named root"), std::string::npos);
    EXPECT_NE(refusal("root ::= \"a").find("line 1: a literal is not closed"), std::string::npos);
    EXPECT_NE(refusal("root ::= [a").find("a class is not closed"), std::string::npos);
    EXPECT_NE(refusal("root ::= (\"a\"\n").find("not closed with )"), std::string::npos);
    EXPECT_NE(refusal("root ::= \"a\" )").find("')' is not understood"), std::string::npos);
    EXPECT_NE(refusal("root := \"a\"").find("expected ::="), std::string::npos);
    EXPECT_NE(refusal("root ::= \"a\"\nroot ::= \"b\"").find("line 2: rule root is defined twice"),
              std::string::npos);
    EXPECT_NE(refusal("root ::= \"\\q\"").find("escape \\q"), std::string::npos);
    EXPECT_NE(refusal("root ::= [z-a]").find("ends before it begins"), std::string::npos);
    EXPECT_NE(refusal("root ::= \"a\"{3,1}").find("ends before it begins"), std::string::npos);
    EXPECT_NE(refusal("root ::= \"a\"{999999999}").find("count of 0 to"), std::string::npos);
    EXPECT_NE(refusal("root ::= \"\\uD800\"").find("no character"), std::string::npos);
    EXPECT_NE(refusal("root ::= <[12]>").find("angle brackets"), std::string::npos);
    EXPECT_NE(refusal("root ::= \"\xFF\"").find("UTF-8"), std::string::npos);
    EXPECT_NE(refusal("root ::= " + std::string(60'000, '(')).find("nested deeper than 200"),
              std::string::npos);
    EXPECT_NE(refusal(std::string(2 << 20, ' ')).find("at most"), std::string::npos);
}

TEST(Grammar, endlessOrEmptyGrammars_areRefused) {
    EXPECT_NE(refusal("root ::= root \"a\" | \"b\"").find("root can begin with itself"),
              std::string::npos);
    EXPECT_NE(
        refusal("root ::= a\na ::= b? a \"x\" | \"y\"\nb ::= \"z\"").find("can begin with itself"),
        std::string::npos);
    EXPECT_NE(refusal("root ::= \"a\" root").find("spells no text"), std::string::npos);
    EXPECT_NE(refusal("root ::= [] \"a\"").find("spells no text"), std::string::npos);
    EXPECT_NE(refusal("root ::= ((\"abcdefgh\"{1000}){1000})").find("too large"),
              std::string::npos);
    EXPECT_EQ(refusal("root ::= (\"a\"?)* \"b\""), "");
    EXPECT_TRUE(spells("root ::= (\"a\"?)* \"b\"", "aab"));
    EXPECT_TRUE(spells("root ::= \"a\" [] | \"b\"", "b"));
}

}  // namespace
}  // namespace lacuna
