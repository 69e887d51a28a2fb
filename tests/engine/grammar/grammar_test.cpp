// Grammar text, its states and the reader.

#include <gtest/gtest.h>

#include "engine/grammar/grammar_parser.h"
#include "engine/grammar/grammar_reader.h"
#include "engine/grammar/pushdown.h"
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

TEST(ByteRuns, range_matchesExactlyItsCharacters) {
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

TEST(Grammar, literalsClassesAndRepetitions_matchTheirTexts) {
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

TEST(Grammar, rulesCommentsAndLineEnds_areParsed) {
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

TEST(Grammar, nesting_isMatchedToTheDepthOfTheText) {
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

TEST(Grammar, tailRecursiveRules_needNoReturnStack) {
    const auto states = compiled("root ::= \"a\" root | \"b\"");
    ASSERT_TRUE(states);
    GrammarReader reader(*states);
    auto place = reader.start();
    for (int i = 0; i < 10'000; ++i) place = reader.next(place, 'a');
    EXPECT_LT(reader.places(), 10U);
    EXPECT_TRUE(reader.mayEnd(reader.next(place, 'b')));
}

TEST(Grammar, droppedStates_keepTheCurrentState) {
    const auto states = compiled("root ::= \"(\" root* \")\" | \"x\"+");
    ASSERT_TRUE(states);
    GrammarReader reader(*states);
    auto place = reader.next(reader.start(), "((x(");
    place = reader.keepOnly(place);
    EXPECT_EQ(reader.next(place, "]"), GrammarReader::kNowhere);
    EXPECT_TRUE(reader.mayEnd(reader.next(place, "xx)x)()))")) == false);
    EXPECT_TRUE(reader.mayEnd(reader.next(place, "xx)x)())")));
    place = reader.keepOnly(reader.next(place, "x)x))"));
    EXPECT_TRUE(reader.mustEnd(place));
}

TEST(Grammar, syntaxErrors_areRefusedWithTheirLine) {
    EXPECT_NE(refusal("root ::= a\n\nb ::= \"x\"").find("line 1: rule a is used"),
              std::string::npos);
    EXPECT_NE(refusal("x ::= \"a\"").find("no rule named root"), std::string::npos);
    EXPECT_NE(refusal("").find("no rule named root"), std::string::npos);
    EXPECT_NE(refusal("root ::= \"a").find("line 1: a literal is not closed"), std::string::npos);
    EXPECT_NE(refusal("root ::= [a").find("a class is not closed"), std::string::npos);
    EXPECT_NE(refusal("root ::= (\"a\"\n").find("not closed with )"), std::string::npos);
    EXPECT_NE(refusal("root ::= \"a\" )").find("')' is not allowed"), std::string::npos);
    EXPECT_NE(refusal("root := \"a\"").find("expected ::="), std::string::npos);
    EXPECT_NE(refusal("root ::= \"a\"\nroot ::= \"b\"").find("line 2: rule root is defined twice"),
              std::string::npos);
    EXPECT_NE(refusal("root ::= \"\\q\"").find("escape \\q"), std::string::npos);
    EXPECT_NE(refusal("root ::= [z-a]").find("is before its start"), std::string::npos);
    EXPECT_NE(refusal("root ::= \"a\"{3,1}").find("is below its minimum"), std::string::npos);
    EXPECT_NE(refusal("root ::= \"a\"{999999999}").find("count of 0 to"), std::string::npos);
    EXPECT_NE(refusal("root ::= \"\\uD800\"").find("not a character"), std::string::npos);
    EXPECT_NE(refusal("root ::= <[12]>").find("angle brackets"), std::string::npos);
    EXPECT_NE(refusal("root ::= \"\xFF\"").find("UTF-8"), std::string::npos);
    EXPECT_NE(refusal("root ::= " + std::string(60'000, '(')).find("nested deeper than 200"),
              std::string::npos);
    EXPECT_NE(refusal(std::string(2 << 20, ' ')).find("at most"), std::string::npos);
}

TEST(Grammar, endlessOrEmptyGrammars_areRefused) {
    EXPECT_NE(refusal("root ::= root \"a\" | \"b\"").find("root is left-recursive"),
              std::string::npos);
    EXPECT_NE(
        refusal("root ::= a\na ::= b? a \"x\" | \"y\"\nb ::= \"z\"").find("is left-recursive"),
        std::string::npos);
    EXPECT_NE(refusal("root ::= \"a\" root").find("matches no text"), std::string::npos);
    EXPECT_NE(refusal("root ::= [] \"a\"").find("matches no text"), std::string::npos);
    EXPECT_NE(refusal("root ::= ((\"abcdefgh\"{1000}){1000})").find("too large"),
              std::string::npos);
    EXPECT_EQ(refusal("root ::= (\"a\"?)* \"b\""), "");
    EXPECT_TRUE(spells("root ::= (\"a\"?)* \"b\"", "aab"));
    EXPECT_TRUE(spells("root ::= \"a\" [] | \"b\"", "b"));
}

std::string repeated(std::string_view what, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += what;
    return out;
}

TEST(Grammar, stackedRepetitions_areSimplified) {
    for (const char* signs : {"*", "+*", "?+", "?*+", "*?"}) {
        const std::string grammar = "root ::= \"a\"" + repeated(signs, 100'000 / 2) + " \"b\"";
        EXPECT_TRUE(spells(grammar, "aaab")) << signs;
        EXPECT_TRUE(spells(grammar, "b")) << signs;
    }
    EXPECT_FALSE(spells("root ::= \"a\"++ \"b\"", "b"));
    EXPECT_FALSE(spells("root ::= \"a\"?? \"b\"", "aab"));
    EXPECT_TRUE(spells("root ::= \"a\"{2}? \"b\"", "b"));
    EXPECT_FALSE(spells("root ::= \"a\"{2}? \"b\"", "ab"));
    EXPECT_TRUE(spells("root ::= \"a\"" + repeated("{1}", 50'000), "a"));
    EXPECT_NE(refusal("root ::= \"a\"" + repeated("{2}", 50'000)).find("consecutive repetitions"),
              std::string::npos);
}

/// Returns rules that are each referenced once.
std::string numbered(int rules) {
    std::string names;
    for (int i = 0; i < rules; ++i) names += "r" + std::to_string(i) + " |\n";
    return names + "a";
}

/// Returns a grammar in which each rule is the next one and the last may be empty.
std::string nullableChain(int rules) {
    std::string grammar = "root ::= r1 \"x\"\n";
    for (int i = 1; i < rules; ++i)
        grammar += "r" + std::to_string(i) + " ::= r" + std::to_string(i + 1) + "\n";
    return grammar + "r" + std::to_string(rules) + " ::= \"a\"?\n";
}

std::string manyCharacters() {
    std::string set;
    for (char32_t c = 0x4E00; c < 0x9E00; c += 2) set += utf8Encode(c);
    return set;
}

// Hostile grammars from a web page. Their cost is counted in steps, independent of the clock.
struct HostileGrammar {
    std::string name;
    std::string text;
    std::string refusal;  ///< error message; empty if it builds
    std::uint64_t mostSteps;
};

class HostileGrammars : public ::testing::TestWithParam<HostileGrammar> {};

TEST_P(HostileGrammars, hostileGrammar_isBuiltOrRefusedInFewSteps) {
    const HostileGrammar& one = GetParam();
    WorkBudget work(kFormSteps);
    const auto tree = parseGrammar(one.text, work);
    const auto states = tree ? Pushdown::compile(*tree, work) : tl::unexpected<Error>(tree.error());
    if (one.refusal.empty()) {
        EXPECT_TRUE(states) << states.error().what;
    } else {
        ASSERT_FALSE(states);
        EXPECT_EQ(states.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(states.error().what.find(one.refusal), std::string::npos) << states.error().what;
    }
    EXPECT_LE(work.spent(), one.mostSteps);
}

INSTANTIATE_TEST_SUITE_P(
    P08, HostileGrammars,
    ::testing::Values(
        HostileGrammar{"nestedRepeats", "root ::= ((\"a\"{1000}){1000}){1000}", "too large",
                       2'000'000},
        HostileGrammar{"repeatsOfNothing", "root ::= (((\"\"){100000}){100000}){100000} \"a\"",
                       "steps to build", kFormSteps},
        HostileGrammar{"chainOfNullableRules", nullableChain(30'000), "", 2'000'000},
        HostileGrammar{"manyParts", "root ::= " + repeated(". ", 500'000), "more than 400000 parts",
                       1'000'000},
        HostileGrammar{"manyRuleNames", "root ::= " + numbered(100'000), "not defined", 1'000'000},
        HostileGrammar{"manyCharacters", "root ::= [" + manyCharacters() + "]", "", 1'000'000},
        HostileGrammar{"manyAlternatives", "root ::= " + repeated("\"a\" | ", 100'000) + "\"b\"",
                       "", 1'000'000}),
    [](const auto& row) { return row.param.name; });

TEST(Grammar, stopRequest_endsTheBuild) {
    WorkBudget work(kFormSteps, [] { return true; });
    const auto tree = parseGrammar("root ::= \"a\"", work);
    ASSERT_FALSE(tree);
    EXPECT_EQ(tree.error().code, ErrorCode::Cancelled);
    int questions = 0;
    WorkBudget later(kFormSteps, [&] { return ++questions > 2; });
    const auto read = parseGrammar("root ::= (((\"\"){100000}){100000}){100000} \"a\"", later);
    ASSERT_TRUE(read);
    const auto states = Pushdown::compile(*read, later);
    ASSERT_FALSE(states);
    EXPECT_EQ(states.error().code, ErrorCode::Cancelled);
    EXPECT_LE(later.spent(), 3 * WorkBudget::kStepsBetweenChecks);
}

// Alternatives with a common prefix share its states, so a long list costs nothing.
TEST(Grammar, literals_shareCommonPrefixes) {
    std::string grammar = "root ::= \"v0\"";
    for (int i = 1; i < 20'000; ++i) grammar += " | \"v" + std::to_string(i) + "\"";
    const auto states = compiled(grammar);
    ASSERT_TRUE(states) << states.error().what;
    EXPECT_LT((*states)->states(), 40'000U);
    GrammarReader reader(*states);
    reader.allowSteps(2'000);
    EXPECT_TRUE(reader.mayEnd(reader.next(reader.start(), "v19999")));
    EXPECT_FALSE(reader.mayEnd(reader.next(reader.start(), "v20000")));
    EXPECT_FALSE(reader.tooMuchWork());
}

TEST(GrammarReader, excessiveAmbiguity_isRejected) {
    // Each rule is twice the next and all may be empty, so the number of configurations doubles
    // with each rule.
    std::string grammar = "root ::= r1 \"x\"\n";
    for (int i = 1; i < 40; ++i) {
        const std::string next = "r" + std::to_string(i + 1);
        grammar += "r" + std::to_string(i) + " ::= " + next + " " + next + "\n";
    }
    const auto states = compiled(grammar + "r40 ::= \"a\"?");
    ASSERT_TRUE(states) << states.error().what;
    const GrammarReader reader(*states);
    EXPECT_TRUE(reader.tooAmbiguous());
    EXPECT_EQ(reader.start(), GrammarReader::kNowhere);
}

TEST(GrammarReader, stepLimit_isReported) {
    const auto states = compiled("root ::= [a-z]{1000} \"!\"");
    ASSERT_TRUE(states);
    GrammarReader reader(*states);
    reader.allowSteps(500);
    EXPECT_EQ(reader.next(reader.start(), std::string(900, 'a')), GrammarReader::kNowhere);
    EXPECT_TRUE(reader.tooMuchWork());
}

TEST(GrammarReader, sharedReturns_arePropagatedOnce) {
    // Deep nesting with two derivations at each position: a return is propagated once, not once per
    // thread.
    const auto states = compiled("root ::= \"(\" root? \")\" | \"(\" root? \"]\"");
    ASSERT_TRUE(states);
    GrammarReader reader(*states);
    auto place = reader.start();
    for (int i = 0; i < 9; ++i) place = reader.next(place, '(');
    place = reader.keepOnly(place);
    place = reader.next(place, ")])])])]");
    EXPECT_FALSE(reader.mayEnd(place));
    EXPECT_TRUE(reader.mustEnd(reader.next(place, ')')));
}

}  // namespace
}  // namespace lacuna
