#include "engine/text/text_steps.h"

#include <gtest/gtest.h>

#include "engine/text/normalizer.h"
#include "engine/text/pattern.h"
#include "engine/text/pretokenizer.h"
#include "engine/text/splitting_rules.h"
#include "tests/engine/text/tokenizer_vectors.h"

namespace lacuna {
namespace {

using Pieces = std::vector<std::string>;

Pieces split(const std::vector<SplitStep>& steps, const std::string& text,
             TextPosition place = TextPosition::Start) {
    const auto made = Pretokenizer::fromSteps(steps);
    EXPECT_TRUE(made) << describe(made.error());
    TextWork work(text.size());
    const auto parts = made->split(text, place, work);
    EXPECT_TRUE(parts) << describe(parts.error());
    Pieces out;
    for (const ByteRange range : parts->pieces)
        out.push_back(parts->text.substr(range.begin, range.end - range.begin));
    return out;
}

Pieces splitAt(const std::string& pattern, const std::string& text) {
    return split({{.pattern = pattern}}, text);
}

std::string normalized(const NormalizeStep& step, const std::string& text) {
    const auto made = Normalizer::create(std::vector<NormalizeStep>{step});
    EXPECT_TRUE(made) << describe(made.error());
    TextWork work(text.size());
    const auto out = made->apply(text, work);
    EXPECT_TRUE(out) << describe(out.error());
    return *out;
}

// Expected pieces: the documented results of Hugging Face tokenizers for "the-final--countdown".
TEST(Pretokenizer, splitBehaviours_treatMatchesAsNamed) {
    const auto with = [](SplitBehaviour behaviour) {
        return split({{.pattern = "-", .behaviour = behaviour}}, "the-final--countdown");
    };
    EXPECT_EQ(with(SplitBehaviour::Removed), (Pieces{"the", "final", "countdown"}));
    EXPECT_EQ(with(SplitBehaviour::Isolated), (Pieces{"the", "-", "final", "-", "-", "countdown"}));
    EXPECT_EQ(with(SplitBehaviour::MergedWithPrevious),
              (Pieces{"the-", "final-", "-", "countdown"}));
    EXPECT_EQ(with(SplitBehaviour::MergedWithNext), (Pieces{"the", "-final", "-", "-countdown"}));
    EXPECT_EQ(with(SplitBehaviour::Contiguous), (Pieces{"the", "-", "final", "--", "countdown"}));
}

TEST(Pretokenizer, inverted_appliesToTextBetweenMatches) {
    EXPECT_EQ(split({{.pattern = "[a-z]+", .behaviour = SplitBehaviour::Removed, .invert = true}},
                    "ab, cd.e"),
              (Pieces{"ab", "cd", "e"}));
}

TEST(Pretokenizer, emptyMatches_split) {
    EXPECT_EQ(splitAt("(?=[A-Z])", "camelCaseABC"), (Pieces{"camel", "Case", "A", "B", "C"}));
}

TEST(Pretokenizer, metaspace_prependsAtTheConfiguredStarts) {
    using Prepend = SplitStep::Prepend;
    const auto with = [](Prepend prepend, const std::string& text, TextPosition place) {
        return split({{.kind = SplitStep::Kind::Metaspace, .replacement = "_", .prepend = prepend}},
                     text, place);
    };
    EXPECT_EQ(with(Prepend::Always, "a b", TextPosition::Middle), (Pieces{"_a", "_b"}));
    EXPECT_EQ(with(Prepend::Always, " a", TextPosition::Start), (Pieces{"_a"}));
    EXPECT_EQ(with(Prepend::First, "a  b", TextPosition::Start), (Pieces{"_a", "_", "_b"}));
    EXPECT_EQ(with(Prepend::First, "a b", TextPosition::Middle), (Pieces{"a", "_b"}));
    EXPECT_EQ(with(Prepend::Never, "a b", TextPosition::Start), (Pieces{"a", "_b"}));
}

TEST(Pretokenizer, stepsAfterTheByteAlphabet_seeItsCharacters) {
    EXPECT_EQ(split({{.kind = SplitStep::Kind::PrefixSpace},
                     {.kind = SplitStep::Kind::ByteAlphabet},
                     {.pattern = "\xC4\xA0"}},
                    "a b"),
              (Pieces{"\xC4\xA0", "a", "\xC4\xA0", "b"}));
}

TEST(Pretokenizer, everyNamedRule_isSupported_andLosesNothing) {
    const std::string text = "It's 1234 na\xC3\xAFve\r\n\t  \xE4\xB8\xAD\xE6\x96\x87!? {x}_y \xFF";
    std::string names = knownSplittingRules() + ", ";
    for (std::size_t at = 0; at < names.size();) {
        const std::size_t comma = names.find(", ", at);
        const std::string name = names.substr(at, comma - at);
        at = comma + 2;
        SplittingRule rule = *findSplittingRule(name);
        rule.byteAlphabet = false;
        std::string joined;
        for (const std::string& piece : split(stepsOf(rule), text)) joined += piece;
        std::string kept = text;
        if (rule.dropsMatches) std::erase_if(kept, [](char c) { return c > 0 && c <= ' '; });
        EXPECT_EQ(joined, kept) << name;
        EXPECT_TRUE(Pretokenizer::named(name)) << name;
    }
}

// Expected pieces: worked out by hand from ggml's definitions of the rules.
TEST(Pretokenizer, namedRules_splitAsDefined) {
    const auto by = [](const char* name, const std::string& text) {
        SplittingRule rule = *findSplittingRule(name);
        rule.byteAlphabet = false;
        return split(stepsOf(rule), text);
    };
    EXPECT_EQ(
        by("afmoe", "x 1234567 12\xC3\xA9\xE6\xBC\xA2\xE5\xAD\x97"),
        (Pieces{"x", " ", "1", "234", "567", " ", "12", "\xC3\xA9", "\xE6\xBC\xA2\xE5\xAD\x97"}));
    EXPECT_EQ(by("afmoe", "\xE0\xB9\x81\xE0\xB8\xA1 123456!"),
              (Pieces{"\xE0\xB9\x81", "\xE0\xB8\xA1", " ", "123", "456", "!"}));
    EXPECT_EQ(by("laguna", "a b \n\n12"), (Pieces{"a", " b", " ", "\n\n", "1", "2"}));
    EXPECT_EQ(by("inkling", "can'T 1234/x"), (Pieces{"can'T", " ", "123", "4", "/x"}));
    EXPECT_EQ(by("inkling",
                 "e\xCC\x81"
                 "clair 5."),
              (Pieces{"e\xCC\x81"
                      "clair",
                      " ", "5", "."}));
    EXPECT_EQ(by("whitespace", " \xE4\xBD\xA0\xE5\xA5\xBD world\n x"),
              (Pieces{"\xE4\xBD\xA0\xE5\xA5\xBD", "world", "x"}));
}

TEST(PatternSyntax, onigurumaSyntax_isTranslated) {
    struct Case {
        const char* pattern;
        const char* text;
        Pieces pieces;
    };
    const std::vector<Case> cases = {
        {R"(\s)", "a\xE1\xA0\x8E b", {"a\xE1\xA0\x8E", " ", "b"}},  // U+180E is not a space
        {R"(\w+)", "a\xCC\x81_9 b", {"a\xCC\x81_9", " ", "b"}},     // marks belong to words
        {R"(\h+)", "xyzfa9", {"xyz", "fa9"}},                       // hexadecimal digits
        {R"(\u4e2d)", "a\xE4\xB8\xAD", {"a", "\xE4\xB8\xAD"}},      // a character
        {R"([a-z&&[^aeiou]]+)", "strength aid", {"str", "e", "ngth", " ai", "d"}},
        {R"([^a-z&&[^aeiou]]+)", "stra!", {"str", "a!"}},  // all except consonants
        {R"([0-9[ab]]+)", "x1a2bz", {"x", "1a2b", "z"}},   // a union
        {R"([^ ([.,])]+)", "a(b.c d", {"a", "(", "b", ".", "c", " ", "d"}},
        {R"([a[^a-z]]+)", "xa-1y", {"x", "a-1", "y"}},
        {R"([[:alpha:]]+)", "ab1", {"ab", "1"}},
        {R"((?m:.+))", "a\nb", {"a\nb"}},  // the dot matches line ends
        {R"(.+)", "a\nb", {"a", "\n", "b"}},
        {R"(\d{1,2}+)", "12345x", {"12345", "x"}},  // repeated, not possessive
        {R"(a++)", "aaab", {"aaa", "b"}},
        {R"([]a]+)", "]ab", {"]a", "b"}},
        {R"(\d{1,3}(?=(?:\d{3})*\b))", "1234567 12a x123", {"1", "234", "567", " 12a x", "123"}},
        {R"(\s+$)", "a  \n b  ", {"a", "  ", "\n b", "  "}},
    };
    for (const Case& one : cases)
        EXPECT_EQ(splitAt(one.pattern, one.text), one.pieces) << one.pattern;
}

// Patterns of known families that would rescan a long run from each of its characters.
TEST(PatternSyntax, longRuns_matchInLinearTime) {
    const std::string digits(100'000, '7');
    for (const char* pattern : {R"(\s+$)", R"(\d{1,3}(?=(?:\d{3})*\b))"}) {
        const double begin = testing::threadSeconds();
        splitAt(pattern, digits);
        splitAt(pattern, digits + "a");
        splitAt(pattern, std::string(100'000, ' ') + "a");
        EXPECT_LT(testing::threadSeconds() - begin, 1.0) << pattern;
    }
    EXPECT_EQ(split(stepsOf(*findSplittingRule("superbpe")), "12345 678"),
              (Pieces{"12", "345", "\xC4\xA0", "678"}));
}

TEST(PatternSyntax, invalidPatterns_areRefused_withinTheStepLimit) {
    for (const std::string& pattern :
         {std::string("["), std::string("[a&&"), std::string("[a[b]"), std::string("\\"),
          std::string("(?"), std::string(60'000, '['), std::string("a{2,1}+")})
        EXPECT_FALSE(Pattern::compile(pattern)) << pattern.substr(0, 20);
}

TEST(Normalizer, steps_normaliseTextAsNamed) {
    using Kind = NormalizeStep::Kind;
    EXPECT_EQ(normalized({.kind = Kind::Nfc}, "e\xCC\x81\xFF"), "\xC3\xA9\xFF");
    EXPECT_EQ(normalized({.kind = Kind::Nfd}, "\xC3\xA9"), "e\xCC\x81");
    EXPECT_EQ(normalized({.kind = Kind::Nfkc}, "\xEF\xAC\x81\xE2\x91\xA0"), "fi1");
    EXPECT_EQ(normalized({.kind = Kind::Nfkd}, "\xEF\xAC\x81\xC3\xA9"), "fie\xCC\x81");
    EXPECT_EQ(normalized({.kind = Kind::Lowercase}, "A\xC3\x89\xC4\xB0"), "a\xC3\xA9i\xCC\x87");
    EXPECT_EQ(normalized({.kind = Kind::StripAccents}, "e\xCC\x81x"), "ex");
    EXPECT_EQ(normalized({.kind = Kind::StripEdges}, "\xC2\xA0 a b\n"), "a b");
    EXPECT_EQ(normalized({.kind = Kind::StripEdges, .left = false}, " a "), " a");
    EXPECT_EQ(normalized({.kind = Kind::StripEdges, .right = false}, " a "), "a ");
    EXPECT_EQ(normalized({.kind = Kind::Replace, .pattern = " {2,}", .content = "_"}, "a   b c"),
              "a_b c");
    EXPECT_EQ(normalized({.kind = Kind::Prepend, .content = "_"}, "a"), "_a");
    EXPECT_EQ(normalized({.kind = Kind::Prepend, .content = "_"}, ""), "");
    EXPECT_EQ(normalized({.kind = Kind::Nmt}, std::string("a\x01\xE2\x80\x8B"
                                                          "b")),
              "a b");
    EXPECT_EQ(normalized({.kind = Kind::ByteAlphabet}, " \xFF"), "\xC4\xA0\xC3\xBF");
    EXPECT_EQ(normalized({.kind = Kind::Bert}, "H\xC3\xA9\tLLO\xE4\xB8\xAD\x01"),
              "he llo \xE4\xB8\xAD ");
    EXPECT_EQ(
        normalized({.kind = Kind::Bert, .stripAccents = false, .lowercase = false}, "\xC3\x89"),
        "\xC3\x89");
}

TEST(Charsmap, damagedTables_areRefusedOrMatchNothing) {
    for (const std::string& bytes :
         {std::string(), std::string("abc"), std::string("\0\0\0\0", 4),
          std::string("\x05\0\0\0aaaaaaa", 11), std::string("\xFC\xFF\xFF\xFF", 4)})
        EXPECT_FALSE(Charsmap::parse(bytes));
    // Offsets far outside of the table.
    const auto wild =
        Charsmap::parse(std::string("\x08\0\0\0\xFF\xFF\xFF\x7F\x61\xFF\xFF\x7F", 12));
    ASSERT_TRUE(wild);
    for (int byte = 0; byte < 256; ++byte)
        EXPECT_FALSE(wild->longest(std::string(3, static_cast<char>(byte))));
}

Tokenizer made(TokenizerData data) {
    auto tokenizer = Tokenizer::create(std::move(data));
    EXPECT_TRUE(tokenizer) << describe(tokenizer.error());
    return std::move(*tokenizer);
}

Pieces piecesOf(const Tokenizer& tokenizer, const std::string& text) {
    const auto ids = tokenizer.encode(text);
    EXPECT_TRUE(ids) << describe(ids.error());
    Pieces out;
    for (const TokenId id : *ids)
        out.push_back(tokenizer.data().pieces[static_cast<std::size_t>(id)]);
    return out;
}

TokenizerData withTool(AddedToken token) {
    TokenizerData data = testing::smallByteLevelData();
    for (std::size_t id = 0; id < data.pieces.size(); ++id)
        if (data.pieces[id] == "<tool>") token.id = static_cast<TokenId>(id);
    data.added = {token};
    return data;
}

TEST(AddedTokens, flags_determineTheMatches) {
    EXPECT_EQ(piecesOf(made(withTool({})), "a <tool> b"),
              (Pieces{"a", "\xC4\xA0", "<tool>", "\xC4\xA0", "b"}));
    EXPECT_EQ(piecesOf(made(withTool({.takesSpaceBefore = true})), "a  <tool> b"),
              (Pieces{"a", "<tool>", "\xC4\xA0", "b"}));
    EXPECT_EQ(piecesOf(made(withTool({.takesSpaceAfter = true})), "a <tool>\n b"),
              (Pieces{"a", "\xC4\xA0", "<tool>", "b"}));
    EXPECT_EQ(piecesOf(made(withTool({.takesSpaceBefore = true, .takesSpaceAfter = true})),
                       "<tool>  <tool>"),
              (Pieces{"<tool>", "<tool>"}));
}

TEST(AddedTokens, wholeWordsOnly_ignoresPartsOfWords) {
    const Tokenizer tokenizer = made(withTool({.wholeWordsOnly = true}));
    EXPECT_EQ(piecesOf(tokenizer, "a<tool>").size(), 7U);
    EXPECT_EQ(piecesOf(tokenizer, "<tool>\xC3\xA9").size(), 8U);
    EXPECT_EQ(piecesOf(tokenizer, "-<tool>.").size(), 3U);
}

TEST(AddedTokens, normalizedTokens_areFoundInTheNormalizedText) {
    TokenizerData data = withTool({.normalized = true});
    data.normalizer = {{.kind = NormalizeStep::Kind::Lowercase}};
    EXPECT_EQ(piecesOf(made(data), "<TOOL>"), Pieces{"<tool>"});
    data.added[0].normalized = false;
    EXPECT_EQ(piecesOf(made(data), "<TOOL>").size(), 6U);
}

TokenizerData characterData(std::vector<std::string> pieces, std::vector<std::string> merges) {
    TokenizerData data;
    data.kind = TokenizerKind::CharacterBpe;
    data.pieces = std::move(pieces);
    data.merges = std::move(merges);
    data.byteFallback = false;
    return data;
}

TEST(CharacterBpe, affixes_dependOnThePositionInTheWord) {
    TokenizerData data =
        characterData({"a", "##b", "b</w>", "##b</w>", "a##", "ab</w>"}, {"a ##b</w>"});
    data.bpe = {.continuingPrefix = "##", .wordSuffix = "</w>"};
    data.splits = {{.pattern = " ", .behaviour = SplitBehaviour::Removed}};
    EXPECT_EQ(piecesOf(made(data), "ab b abb"), (Pieces{"ab</w>", "b</w>", "a", "##b", "##b</w>"}));
    data.decoder = {{.kind = DecodeStep::Kind::WordSuffix, .pattern = "</w>"}};
    EXPECT_EQ(*made(data).decode(std::vector<TokenId>{5, 2}), "ab b");
}

TEST(CharacterBpe, unknownCharacters_areFusedIfConfigured) {
    TokenizerData data = characterData({"<unk>", "a"}, {});
    data.kinds = {TokenKind::Unknown, TokenKind::Normal};
    data.unknown = 0;
    EXPECT_EQ(piecesOf(made(data), "xyaz"), (Pieces{"<unk>", "<unk>", "a", "<unk>"}));
    data.bpe.fuseUnknown = true;
    EXPECT_EQ(piecesOf(made(data), "xyaz"), (Pieces{"<unk>", "a", "<unk>"}));
}

TEST(Unigram, bestSum_wins) {
    TokenizerData data;
    data.kind = TokenizerKind::Unigram;
    data.pieces = {"<unk>", "a", "b", "ab", "abc", "c", "<0x41>"};
    data.scores = {0, -1, -1, -3, -2.5, -1, 0};
    data.kinds.assign(7, TokenKind::Normal);
    data.kinds[0] = TokenKind::Unknown;
    data.kinds[6] = TokenKind::Byte;
    data.unknown = 0;
    data.byteFallback = false;
    data.addSpacePrefix = false;
    EXPECT_EQ(piecesOf(made(data), "abc"), Pieces{"abc"});
    EXPECT_EQ(piecesOf(made(data), "ab"), (Pieces{"a", "b"}));
    EXPECT_EQ(piecesOf(made(data), "axyb"), (Pieces{"a", "<unk>", "b"}));
    data.scores[3] = -2;  // the same score as "a" and "b": the first one found wins
    EXPECT_EQ(piecesOf(made(data), "ab"), Pieces{"ab"});
    data.kinds[0] = TokenKind::Control;
    EXPECT_FALSE(Tokenizer::create(data)) << "nothing stands for what is unknown";
}

TEST(WordPiece, longestPieces_win_andUnknownWordsBecomeOneToken) {
    TokenizerData data;
    data.kind = TokenizerKind::WordPiece;
    data.pieces = {"[UNK]", "un", "##aff", "##able", "##a", "affa"};
    data.kinds.assign(6, TokenKind::Normal);
    data.kinds[0] = TokenKind::Unknown;
    data.unknown = 0;
    data.byteFallback = false;
    data.splits = {{.pattern = R"(\s)", .behaviour = SplitBehaviour::Removed}};
    EXPECT_EQ(piecesOf(made(data), "unaffable unx affa"),
              (Pieces{"un", "##aff", "##able", "[UNK]", "affa"}));
    data.wordPiece.longestWord = 4;
    EXPECT_EQ(piecesOf(made(data), "affa unaffable"), (Pieces{"affa", "[UNK]"}));
    data.unknown.reset();
    EXPECT_FALSE(Tokenizer::create(data));
}

// Hostile tokenizer files. Their cost is counted in steps and bytes, independent of the clock.
struct HostileRules {
    std::string name;
    std::vector<NormalizeStep> normalizer;
    std::vector<SplitStep> splits;
    std::string text;
    ErrorCode code;
};

std::vector<NormalizeStep> chained(const NormalizeStep& step, std::size_t times) {
    return std::vector<NormalizeStep>(times, step);
}

class HostileTokenizers : public ::testing::TestWithParam<HostileRules> {
  protected:
    [[nodiscard]] static Tokenizer tokenizer() {
        TokenizerData data = testing::smallByteLevelData();
        data.normalizer = GetParam().normalizer;
        data.splits = GetParam().splits;
        if (!data.splits.empty()) data.preTokenizer.clear();
        return made(std::move(data));
    }
};

TEST_P(HostileTokenizers, hostileText_endsInAnError) {
    const auto ids = tokenizer().encode(GetParam().text);
    ASSERT_FALSE(ids);
    EXPECT_EQ(errorName(ids.error().code), errorName(GetParam().code)) << ids.error().what;
}

TEST_P(HostileTokenizers, stopRequest_endsBeforeTheLimit) {
    int questions = 0;
    const auto ids = tokenizer().encode(GetParam().text, {.stop = [&] { return ++questions > 2; }});
    ASSERT_FALSE(ids);
    // The length limit may be reached before the next poll.
    if (GetParam().code == ErrorCode::TokTooLong) return;
    EXPECT_EQ(ids.error().code, ErrorCode::Cancelled);
}

const NormalizeStep kDoubling{
    .kind = NormalizeStep::Kind::Replace, .pattern = "a", .content = "aa"};

INSTANTIATE_TEST_SUITE_P(
    TOK, HostileTokenizers,
    ::testing::Values(
        HostileRules{"chainedReplace", chained(kDoubling, 40), {}, "a", ErrorCode::TokTooLong},
        HostileRules{"largeReplacement",
                     {{.kind = NormalizeStep::Kind::Replace,
                       .pattern = "a",
                       .content = std::string(100'000, 'b')}},
                     {},
                     std::string(10'000, 'a'),
                     ErrorCode::TokTooLong},
        HostileRules{
            "chainedPrepend",
            chained({.kind = NormalizeStep::Kind::Prepend, .content = std::string(64 * 1024, 'b')},
                    64),
            {},
            "a",
            ErrorCode::TokTooLong},
        HostileRules{"prependToManySections",
                     {{.kind = NormalizeStep::Kind::Prepend, .content = std::string(500'000, ' ')}},
                     {},
                     [] {
                         std::string text;
                         for (int i = 0; i < 2'000; ++i) text += "a<tool>";
                         return text;
                     }(),
                     ErrorCode::TokTooLong},
        HostileRules{"chainedMetaspace",
                     {},
                     std::vector<SplitStep>(20, {.kind = SplitStep::Kind::Metaspace,
                                                 .replacement = "        "}),
                     " a",
                     ErrorCode::TokTooLong},
        HostileRules{"walkedFromEachPlace",
                     {},
                     {{.pattern = "a++b"}},
                     std::string(100'000, 'a') + "cb",
                     ErrorCode::TokRegex},
        HostileRules{"walkedFromEachPlaceOfEachPlace",
                     {},
                     {{.pattern = "(?:a++b|a)*c"}},
                     std::string(30'000, 'a') + "bbc",
                     ErrorCode::TokRegex},
        HostileRules{"everyWayOfAGroup",
                     {},
                     {{.pattern = "(x+x+)+y"}},
                     std::string(200, 'x') + "zy",
                     ErrorCode::TokRegex},
        HostileRules{"replacedWhereItBacktracks",
                     {{.kind = NormalizeStep::Kind::Replace, .pattern = "(a|aa)+b", .content = ""}},
                     {},
                     std::string(200, 'a') + "cb",
                     ErrorCode::TokRegex}),
    [](const auto& row) { return row.param.name; });

TEST(Tokenizer, excessiveSteps_areRefusedImmediately) {
    TokenizerData marks = testing::smallByteLevelData();
    marks.splits = {{.kind = SplitStep::Kind::Metaspace, .replacement = std::string(17, '_')}};
    EXPECT_EQ(Tokenizer::create(std::move(marks)).error().code, ErrorCode::TokConfig);
    TokenizerData decoder = testing::smallByteLevelData();
    decoder.decoder.assign(65, {.kind = DecodeStep::Kind::Fuse});
    EXPECT_EQ(Tokenizer::create(std::move(decoder)).error().code, ErrorCode::TokConfig);
    TokenizerData added = testing::smallByteLevelData();
    for (int i = 0; i < 6'000; ++i) {
        added.pieces.push_back(std::string(1'000, 'a') + std::to_string(i));
        added.kinds.push_back(TokenKind::UserDefined);
    }
    EXPECT_EQ(Tokenizer::create(std::move(added)).error().code, ErrorCode::TokVocab);
}

TEST(Tokenizer, doublingDecodeSteps_areLimited) {
    TokenizerData data = testing::smallByteLevelData();
    data.decoder.assign(40, {.kind = DecodeStep::Kind::Replace, .pattern = "a", .content = "aa"});
    const Tokenizer tokenizer = made(std::move(data));
    const auto id = tokenizer.find("a");
    ASSERT_TRUE(id);
    const auto text = tokenizer.decode(std::vector<TokenId>{*id});
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, ErrorCode::TokTooLong);
}

TEST(Tokenizer, stopRequest_endsBuildingTheTables) {
    const auto stopped = Tokenizer::create(testing::smallByteLevelData(), [] { return true; });
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::Cancelled);
}

// One long run without a boundary at which it could be normalised piece by piece.
TEST(Unicode, normalFormOfLongTexts_equalsTheUnsplitForm) {
    std::string text;
    std::string composed;
    for (int i = 0; i < 60'000; ++i) {
        text += i % 3 == 0 ? "e\xCC\x81" : i % 3 == 1 ? "\xE4\xB8\xAD" : "\xE1\x84\x80\xE1\x85\xA1";
        composed += i % 3 == 0 ? "\xC3\xA9" : i % 3 == 1 ? "\xE4\xB8\xAD" : "\xEA\xB0\x80";
    }
    EXPECT_EQ(toNfc(text), composed);
}

}  // namespace
}  // namespace lacuna
