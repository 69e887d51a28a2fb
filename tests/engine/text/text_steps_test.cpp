#include "engine/text/text_steps.h"

#include <gtest/gtest.h>

#include "engine/text/charsmap.h"
#include "engine/text/normalizer.h"
#include "engine/text/pattern_syntax.h"
#include "engine/text/pretokenizer.h"
#include "engine/text/splitting_rules.h"
#include "tests/engine/text/tokenizer_vectors.h"

namespace lacuna {
namespace {

using Pieces = std::vector<std::string>;

Pieces split(const std::vector<SplitStep>& steps, const std::string& text,
             TextPlace place = TextPlace::Start) {
    const auto made = Pretokenizer::fromSteps(steps);
    EXPECT_TRUE(made) << describe(made.error());
    const auto parts = made->split(text, place);
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
    const auto out = made->apply(text);
    EXPECT_TRUE(out) << describe(out.error());
    return *out;
}

// Expected pieces: the documented results of Hugging Face tokenizers for "the-final--countdown".
TEST(Pretokenizer, behaviours_dealWithMatchesAsNamed) {
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

TEST(Pretokenizer, inverted_takesWhatLiesBetween) {
    EXPECT_EQ(split({{.pattern = "[a-z]+", .behaviour = SplitBehaviour::Removed, .invert = true}},
                    "ab, cd.e"),
              (Pieces{"ab", "cd", "e"}));
}

TEST(Pretokenizer, emptyMatches_cutAsWell) {
    EXPECT_EQ(splitAt("(?=[A-Z])", "camelCaseABC"), (Pieces{"camel", "Case", "A", "B", "C"}));
}

TEST(Pretokenizer, metaspace_marksTheBeginningsItIsToldTo) {
    using Prepend = SplitStep::Prepend;
    const auto with = [](Prepend prepend, const std::string& text, TextPlace place) {
        return split({{.kind = SplitStep::Kind::Metaspace, .replacement = "_", .prepend = prepend}},
                     text, place);
    };
    EXPECT_EQ(with(Prepend::Always, "a b", TextPlace::Middle), (Pieces{"_a", "_b"}));
    EXPECT_EQ(with(Prepend::Always, " a", TextPlace::Start), (Pieces{"_a"}));
    EXPECT_EQ(with(Prepend::First, "a  b", TextPlace::Start), (Pieces{"_a", "_", "_b"}));
    EXPECT_EQ(with(Prepend::First, "a b", TextPlace::Middle), (Pieces{"a", "_b"}));
    EXPECT_EQ(with(Prepend::Never, "a b", TextPlace::Start), (Pieces{"a", "_b"}));
}

TEST(Pretokenizer, stepsAfterTheByteAlphabet_seeItsCharacters) {
    EXPECT_EQ(split({{.kind = SplitStep::Kind::PrefixSpace},
                     {.kind = SplitStep::Kind::ByteAlphabet},
                     {.pattern = "\xC4\xA0"}},
                    "a b"),
              (Pieces{"\xC4\xA0", "a", "\xC4\xA0", "b"}));
}

TEST(Pretokenizer, everyNamedRule_isUnderstoodAndLosesNothing) {
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
        EXPECT_EQ(joined, text) << name;
        EXPECT_TRUE(Pretokenizer::named(name)) << name;
    }
}

TEST(PatternSyntax, oniguruma_meansWhatItMeansThere) {
    struct Case {
        const char* pattern;
        const char* text;
        Pieces pieces;
    };
    const std::vector<Case> cases = {
        {R"(\s)", "a\xE1\xA0\x8E b", {"a\xE1\xA0\x8E", " ", "b"}},  // U+180E is no space
        {R"(\w+)", "a\xCC\x81_9 b", {"a\xCC\x81_9", " ", "b"}},     // marks belong to words
        {R"(\h+)", "xyzfa9", {"xyz", "fa9"}},                       // hexadecimal digits
        {R"(\u4e2d)", "a\xE4\xB8\xAD", {"a", "\xE4\xB8\xAD"}},      // a character
        {R"([a-z&&[^aeiou]]+)", "strength aid", {"str", "e", "ngth", " ai", "d"}},
        {R"([^a-z&&[^aeiou]]+)", "stra!", {"str", "a!"}},  // all but consonants
        {R"([0-9[ab]]+)", "x1a2bz", {"x", "1a2b", "z"}},   // a union
        {R"([^ ([.,])]+)", "a(b.c d", {"a", "(", "b", ".", "c", " ", "d"}},
        {R"([a[^a-z]]+)", "xa-1y", {"x", "a-1", "y"}},
        {R"([[:alpha:]]+)", "ab1", {"ab", "1"}},
        {R"((?m:.+))", "a\nb", {"a\nb"}},  // the dot takes line ends
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

// Patterns of known families that would walk a long run anew from each of its characters.
TEST(PatternSyntax, longRuns_takeOneWalk) {
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

TEST(PatternSyntax, brokenPatterns_areRefusedAndNeverRunAway) {
    for (const std::string& pattern :
         {std::string("["), std::string("[a&&"), std::string("[a[b]"), std::string("\\"),
          std::string("(?"), std::string(60'000, '['), std::string("a{2,1}+")})
        EXPECT_FALSE(Pattern::compile(pattern)) << pattern.substr(0, 20);
}

TEST(Normalizer, steps_changeTextAsNamed) {
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
    // Offsets that lead far out of the table.
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

TEST(AddedTokens, theirFlags_decideWhatTheyTake) {
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

TEST(AddedTokens, normalizedOnes_areFoundInTheNormalizedText) {
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

TEST(CharacterBpe, affixes_belongToThePlaceInTheWord) {
    TokenizerData data =
        characterData({"a", "##b", "b</w>", "##b</w>", "a##", "ab</w>"}, {"a ##b</w>"});
    data.bpe = {.continuingPrefix = "##", .wordSuffix = "</w>"};
    data.splits = {{.pattern = " ", .behaviour = SplitBehaviour::Removed}};
    EXPECT_EQ(piecesOf(made(data), "ab b abb"), (Pieces{"ab</w>", "b</w>", "a", "##b", "##b</w>"}));
    data.decoder = {{.kind = DecodeStep::Kind::WordSuffix, .pattern = "</w>"}};
    EXPECT_EQ(*made(data).decode(std::vector<TokenId>{5, 2}), "ab b");
}

TEST(CharacterBpe, unknownCharacters_fuseWhereTheFileSaysSo) {
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
    data.scores[3] = -2;  // as good as "a" and "b": the one found first stays
    EXPECT_EQ(piecesOf(made(data), "ab"), Pieces{"ab"});
    data.kinds[0] = TokenKind::Control;
    EXPECT_FALSE(Tokenizer::create(data)) << "nothing stands for what is unknown";
}

TEST(WordPiece, longestPieces_winAndUnknownWordsStayWhole) {
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

}  // namespace
}  // namespace lacuna
