#include "engine/text/tokenizer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "tests/engine/text/tokenizer_vectors.h"
#include "tests/support/small_stack.h"

namespace lacuna {
namespace {

using testing::smallByteLevelData;
using testing::smallSentencePieceData;

constexpr std::size_t kMegabyte = 1'000'000;

Tokenizer made(TokenizerData data) {
    auto tokenizer = Tokenizer::create(std::move(data));
    EXPECT_TRUE(tokenizer) << describe(tokenizer.error());
    return std::move(*tokenizer);
}

std::vector<TokenId> encoded(const Tokenizer& tokenizer, std::string_view text,
                             EncodeOptions options = {}) {
    auto ids = tokenizer.encode(text, options);
    EXPECT_TRUE(ids) << describe(ids.error());
    return ids ? *ids : std::vector<TokenId>();
}

std::string repeated(std::string_view text, std::size_t bytes) {
    std::string out;
    while (out.size() < bytes) out += text;
    return out;
}

void expectRefused(TokenizerData data, ErrorCode code, std::string_view part) {
    const auto tokenizer = Tokenizer::create(std::move(data));
    ASSERT_FALSE(tokenizer);
    EXPECT_EQ(errorName(tokenizer.error().code), errorName(code));
    EXPECT_NE(tokenizer.error().what.find(part), std::string::npos) << describe(tokenizer.error());
}

TEST(Tokenizer, merges_followTheirRankFromTheLeft) {
    const Tokenizer tokenizer = made(smallByteLevelData());
    EXPECT_EQ(encoded(tokenizer, "hello"), std::vector<TokenId>{*tokenizer.find("hello")});
    EXPECT_EQ(encoded(tokenizer, "aaa"),
              (std::vector<TokenId>{*tokenizer.find("aa"), *tokenizer.find("a")}));
    EXPECT_EQ(encoded(tokenizer, "aaaaaa"),
              (std::vector<TokenId>{*tokenizer.find("aaaa"), *tokenizer.find("aa")}));
}

TEST(Tokenizer, unknownSplittingRule_isRefused) {
    TokenizerData data = smallByteLevelData();
    data.preTokenizer = "made-up";
    expectRefused(std::move(data), ErrorCode::TokPreUnknown, "\"made-up\"");
}

TEST(Tokenizer, invalidPatterns_areRefused) {
    for (const char* pattern : {"(", "[z-a]", "a{2,1}", "\\p{Nonsense}", "(?<=a+)b"}) {
        TokenizerData data = smallByteLevelData();
        data.splits = {{.pattern = pattern}};
        expectRefused(std::move(data), ErrorCode::TokRegex, pattern);
    }
    TokenizerData data = smallByteLevelData();
    data.splits = {{.pattern = std::string(kMegabyte, 'a')}};
    expectRefused(std::move(data), ErrorCode::TokRegex, "65536");
}

TEST(Tokenizer, runawayPattern_stopsAtItsLimit) {
    TokenizerData data = smallByteLevelData();
    data.splits = {{.pattern = "(a+)+$b|((x+x+)+y)"}};
    const Tokenizer tokenizer = made(std::move(data));
    const auto ids = tokenizer.encode(std::string(60, 'x'));
    ASSERT_FALSE(ids);
    EXPECT_EQ(ids.error().code, ErrorCode::TokRegex);
}

TEST(Tokenizer, invalidMerges_areRefused) {
    for (const char* merge : {"ab", "a ", " b", "", "a zz", "h e"}) {
        TokenizerData data = smallByteLevelData();
        data.merges.emplace_back(merge);
        expectRefused(std::move(data), ErrorCode::TokMerges, "merge 7");
    }
    TokenizerData data = smallByteLevelData();
    data.merges.assign((1U << 20) + 1, "h e");
    expectRefused(std::move(data), ErrorCode::TokMerges, "1048576");
}

TEST(Tokenizer, inconsistentCounts_areRefused) {
    TokenizerData none = smallByteLevelData();
    none.pieces.clear();
    none.kinds.clear();
    expectRefused(std::move(none), ErrorCode::TokVocab, "no tokens");
    TokenizerData kinds = smallByteLevelData();
    kinds.kinds.pop_back();
    expectRefused(std::move(kinds), ErrorCode::TokVocab, "token types");
    TokenizerData scores = smallSentencePieceData();
    scores.scores.pop_back();
    expectRefused(std::move(scores), ErrorCode::TokVocab, "scores");
    TokenizerData nan = smallSentencePieceData();
    nan.scores[300 - 30] = std::numeric_limits<float>::quiet_NaN();
    expectRefused(std::move(nan), ErrorCode::TokVocab, "finite");
    TokenizerData many = smallByteLevelData();
    many.pieces.resize((1U << 20) + 1);
    expectRefused(std::move(many), ErrorCode::TokVocab, "1048577");
}

TEST(Tokenizer, invalidByteTokens_areRefused) {
    for (const char* piece : {"<0x-1>", "<0xZZ>", "<0x1>", "<0x100>", "", "0x41"}) {
        TokenizerData data = smallSentencePieceData();
        data.pieces[3 + 0x41] = piece;
        expectRefused(std::move(data), ErrorCode::TokByteToken, "68");
    }
    TokenizerData missing = smallSentencePieceData();
    missing.kinds[3 + 0x41] = TokenKind::Unused;
    expectRefused(std::move(missing), ErrorCode::TokByteToken, "<0x41>");
}

TEST(Tokenizer, specialIdsOutOfRange_areRefused) {
    for (const TokenId id : {-1, 100'000, std::numeric_limits<TokenId>::max()}) {
        for (auto slot : {&TokenizerData::bos, &TokenizerData::eos, &TokenizerData::unknown,
                          &TokenizerData::pad}) {
            TokenizerData data = smallByteLevelData();
            data.*slot = id;
            expectRefused(std::move(data), ErrorCode::TokSpecialId, format("{}", id));
        }
        TokenizerData data = smallByteLevelData();
        data.endOfTurn = {id};
        expectRefused(std::move(data), ErrorCode::TokSpecialId, "end-of-turn");
    }
}

TEST(Tokenizer, duplicatesAndEmptyPieces_keepTheirIds) {
    TokenizerData data = smallByteLevelData();
    const auto last = static_cast<TokenId>(data.pieces.size());
    for (const char* piece : {"", "hello", "\xFF"}) {
        data.pieces.emplace_back(piece);
        data.kinds.push_back(TokenKind::Normal);
    }
    const Tokenizer tokenizer = made(std::move(data));
    EXPECT_LT(*tokenizer.find("hello"), last);
    EXPECT_EQ(*tokenizer.decode(std::vector<TokenId>{last, last + 1, last + 2}), "hello\xFF");
}

TEST(Tokenizer, unusualTexts_roundTripThroughByteLevel) {
    const Tokenizer tokenizer = made(smallByteLevelData());
    const std::vector<std::string> texts = {"",
                                            std::string("\0a\0", 3),
                                            "\xED\xA0\x80",
                                            "\xC0\xAF",
                                            "\xF4\x8F\xBF\xBF",
                                            "\xF4\x90\x80\x80",
                                            "\xEF\xBB\xBFx",
                                            "a\r\nb\r\n",
                                            "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7",
                                            "\xE2\x82",
                                            "\xFF\xFE\xFD",
                                            "e\xCC\x81 vs \xC3\xA9",
                                            " \t\n\xC2\xA0\xE1\xA0\x8E "};
    for (const std::string& text : texts) {
        const auto back = tokenizer.decode(encoded(tokenizer, text));
        ASSERT_TRUE(back);
        EXPECT_EQ(*back, text);
    }
}

TEST(Tokenizer, randomBytes_roundTripThroughByteLevel) {
    RandomStream random(2026, 1);
    for (const char* rule : {"gpt-2", "llama-bpe", "qwen2", "default", "smollm"}) {
        TokenizerData data = smallByteLevelData();
        data.preTokenizer = rule;
        const Tokenizer tokenizer = made(std::move(data));
        for (int round = 0; round < 50; ++round) {
            std::string text;
            for (int i = 0; i < 200; ++i) text += static_cast<char>(random.below(256));
            const auto back = tokenizer.decode(encoded(tokenizer, text));
            ASSERT_TRUE(back);
            EXPECT_EQ(*back, text);
        }
    }
}

TEST(Tokenizer, sentencePiece_roundTripsTextThroughBytes) {
    const Tokenizer tokenizer = made(smallSentencePieceData());
    for (const std::string text :
         {"", "hello", " hello", "h\xC3\xA9llo \xFF x", "<s>hello</s>", "a  a"}) {
        const auto back = tokenizer.decode(encoded(tokenizer, text));
        ASSERT_TRUE(back);
        EXPECT_EQ(*back, text);
    }
    EXPECT_EQ(encoded(tokenizer, "hello"),
              std::vector<TokenId>{*tokenizer.find("\xE2\x96\x81hello")});
}

TEST(Tokenizer, unusedPieces_areSplitAgain) {
    const Tokenizer tokenizer = made(smallSentencePieceData());
    EXPECT_EQ(encoded(tokenizer, "ho"),
              (std::vector<TokenId>{*tokenizer.find("\xE2\x96\x81"), *tokenizer.find("h"),
                                    *tokenizer.find("o")}));
}

TEST(Tokenizer, noByteTokens_useTheUnknownToken) {
    TokenizerData data = smallSentencePieceData();
    data.byteFallback = false;
    const Tokenizer tokenizer = made(std::move(data));
    EXPECT_EQ(encoded(tokenizer, "a\xC3\xA9").back(), 0);
    EXPECT_EQ(*tokenizer.decode(std::vector<TokenId>{0}), " \xE2\x81\x87 ");
}

std::vector<Tokenizer> everyKind() {
    std::vector<Tokenizer> tokenizers;
    for (const char* rule : {"gpt-2", "llama-bpe", "qwen2", "default"}) {
        TokenizerData data = smallByteLevelData();
        data.preTokenizer = rule;
        if (std::string_view(rule) == "qwen2")
            data.normalizer = {{.kind = NormalizeStep::Kind::Nfc}};
        tokenizers.push_back(made(std::move(data)));
    }
    tokenizers.push_back(made(smallSentencePieceData()));
    TokenizerData unigram = smallSentencePieceData();
    unigram.kind = TokenizerKind::Unigram;
    tokenizers.push_back(made(std::move(unigram)));
    TokenizerData characters = smallByteLevelData();
    characters.kind = TokenizerKind::CharacterBpe;
    characters.preTokenizer.clear();
    characters.byteFallback = false;
    tokenizers.push_back(made(std::move(characters)));
    TokenizerData words = smallByteLevelData();
    words.kind = TokenizerKind::WordPiece;
    words.preTokenizer.clear();
    words.merges.clear();
    words.byteFallback = false;
    words.normalizer = {{.kind = NormalizeStep::Kind::Bert}};
    words.splits = {{.pattern = R"(\s)", .behaviour = SplitBehaviour::Removed},
                    {.pattern = R"([\p{P}$+<=>^`|~])"}};
    words.kinds.assign(words.pieces.size(), TokenKind::Normal);
    words.pieces.emplace_back("[UNK]");
    words.kinds.push_back(TokenKind::Unknown);
    words.unknown = static_cast<TokenId>(words.pieces.size() - 1);
    tokenizers.push_back(made(std::move(words)));
    return tokenizers;
}

// A megabyte of repeated units, which a quadratic method would not finish, on a stack that
// recursion would overflow.
TEST(Tokenizer, megabyteOfRepetition_encodesWithinTwoSeconds_onASmallStack) {
    const std::vector<Tokenizer> tokenizers = everyKind();
    constexpr std::size_t kStack = 256 * 1024;
    const auto encodeAll = [&] {
        std::size_t units = 0;
        for (const char* unit :
             {"A", " ", "7", "\xE4\xB8\xAD", "\xCC\x81", "\n", "\r", "<", "\xCC\x81\xCC\xA3",
              "\xFF", "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7\xE2\x80\x8D", "\xE2\x82",
              "a\xFF", " \n", "'", "A ", "<|im_"}) {
            const std::string text = repeated(unit, kMegabyte);
            // The first five units for every kind, the others only for the most used families.
            const std::size_t kinds = ++units <= 5 ? tokenizers.size() : 5;
            for (const Tokenizer& tokenizer : std::span(tokenizers).first(kinds)) {
                const double begin = testing::threadSeconds();
                const auto ids = tokenizer.encode(text, {.special = SpecialText::Parse});
                const double took = testing::threadSeconds() - begin;
                EXPECT_TRUE(ids) << describe(ids.error());
                EXPECT_LT(took, 2.0)
                    << '"' << unit << "\" " << tokenizerKindName(tokenizer.data().kind) << ' '
                    << tokenizer.data().preTokenizer;
            }
        }
    };
    ASSERT_TRUE(test::onSmallStack(kStack, encodeAll));
}

TEST(Tokenizer, textOverTwoGigabytes_isRefusedWithoutReading) {
    constexpr std::size_t kBytes = std::size_t{1} << 31;
    void* memory =
        mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    const Tokenizer tokenizer = made(smallByteLevelData());
    const auto ids = tokenizer.encode({static_cast<const char*>(memory), kBytes});
    munmap(memory, kBytes);
    ASSERT_FALSE(ids);
    EXPECT_EQ(ids.error().code, ErrorCode::TokTooLong);
}

TEST(Tokenizer, specialTokenText_staysTextUnlessParsed) {
    for (const TokenizerData& data : {smallByteLevelData(), smallSentencePieceData()}) {
        const Tokenizer tokenizer = made(data);
        for (TokenId id = 0; id < tokenizer.vocabularySize(); ++id) {
            if (!tokenizer.isControl(id)) continue;
            const std::string text = "x" + data.pieces[static_cast<std::size_t>(id)] + "y";
            const auto plain = encoded(tokenizer, text);
            EXPECT_TRUE(std::none_of(plain.begin(), plain.end(), [&](TokenId t) {
                return tokenizer.isControl(t);
            })) << text;
            const auto parsed = encoded(tokenizer, text, {.special = SpecialText::Parse});
            EXPECT_EQ(std::count(parsed.begin(), parsed.end(), id), 1) << text;
            EXPECT_EQ(*tokenizer.decode(plain), text);
        }
    }
}

// Merges in a tokenizer file that lead to a control token have no effect.
TEST(Tokenizer, mergesIntoAControlToken_areNotApplied) {
    TokenizerData data = smallByteLevelData();
    for (const char* piece : {"im", "im|"}) {
        data.pieces.emplace_back(piece);
        data.kinds.push_back(TokenKind::Normal);
    }
    for (const char* merge : {"i m", "im |"}) data.merges.emplace_back(merge);
    data.pieces.emplace_back("im|>");
    data.kinds.push_back(TokenKind::Control);
    data.merges.emplace_back("im| >");
    data.splits = {{.pattern = "(?s).+"}, {.kind = SplitStep::Kind::ByteAlphabet}};
    for (const bool ignoreMerges : {false, true}) {
        data.ignoreMerges = ignoreMerges;
        const Tokenizer tokenizer = made(data);
        for (const TokenId id : encoded(tokenizer, "im|>")) EXPECT_FALSE(tokenizer.isControl(id));
    }
}

TEST(Tokenizer, specialTokens_matchLongestFirst) {
    const Tokenizer tokenizer = made(smallByteLevelData());
    const TokenId tool = *tokenizer.find("<tool>");
    const TokenId tools = *tokenizer.find("<tool>s");
    EXPECT_EQ(encoded(tokenizer, "<tool>s"), std::vector<TokenId>{tools});
    EXPECT_EQ(encoded(tokenizer, "<tool><tool>s"), (std::vector<TokenId>{tool, tools}));
    EXPECT_EQ(encoded(tokenizer, "<|im|><|im_end|>", {.special = SpecialText::Parse}),
              (std::vector<TokenId>{*tokenizer.find("<|im|>"), *tokenizer.find("<|im_end|>")}));
}

TEST(Tokenizer, bosAndEos_areAddedAsConfigured) {
    TokenizerData data = smallByteLevelData();
    data.addBos = true;
    data.addEos = true;
    const Tokenizer tokenizer = made(data);
    const auto ids = encoded(tokenizer, "a", {.edges = EdgeTokens::AsConfigured});
    ASSERT_EQ(ids.size(), 3U);
    EXPECT_EQ(ids.front(), *data.bos);
    EXPECT_EQ(ids.back(), *data.eos);
    EXPECT_EQ(encoded(tokenizer, "a").size(), 1U);
}

TEST(Tokenizer, idsOutOfRange_areRefused) {
    const Tokenizer tokenizer = made(smallByteLevelData());
    for (const TokenId id : {-1, tokenizer.vocabularySize(), std::numeric_limits<TokenId>::max(),
                             std::numeric_limits<TokenId>::min()}) {
        const auto text = tokenizer.decode(std::vector<TokenId>{65, id});
        ASSERT_FALSE(text);
        EXPECT_EQ(text.error().code, ErrorCode::TokTokenId);
        EXPECT_FALSE(tokenizer.pieceBytes(id));
        EXPECT_FALSE(tokenizer.isControl(id));
        EXPECT_FALSE(tokenizer.isEndOfTurn(id));
    }
}

TEST(Tokenizer, controlTokens_areHiddenUnlessRequested) {
    const Tokenizer tokenizer = made(smallByteLevelData());
    const std::vector<TokenId> ids = {*tokenizer.find("<|im_start|>"), *tokenizer.find("hello"),
                                      *tokenizer.find("<|im_end|>")};
    EXPECT_EQ(*tokenizer.decode(ids), "hello");
    EXPECT_EQ(*tokenizer.decode(ids, SpecialOutput::Show), "<|im_start|>hello<|im_end|>");
    EXPECT_TRUE(tokenizer.isEndOfTurn(ids[2]));
    EXPECT_FALSE(tokenizer.isEndOfTurn(ids[1]));
}

TEST(Tokenizer, nfc_composesBeforeSplitting) {
    TokenizerData data = smallByteLevelData();
    data.normalizer = {{.kind = NormalizeStep::Kind::Nfc}};
    const Tokenizer tokenizer = made(std::move(data));
    EXPECT_EQ(*tokenizer.decode(encoded(tokenizer,
                                        "e\xCC\x81\xFF"
                                        "a\xCC\x8A")),
              "\xC3\xA9\xFF\xC3\xA5");
}

TEST(Tokenizer, manyThreads_giveTheSameIds) {
    const Tokenizer tokenizer = made(smallByteLevelData());
    const std::string text = repeated("hello <|im_end|> aaaa \xE4\xB8\xAD 12345\n", 2000);
    const auto expected = encoded(tokenizer, text);
    std::vector<int> equal(8, 0);
    std::vector<std::jthread> threads;
    for (int& result : equal)
        threads.emplace_back([&] {
            for (int round = 0; round < 4; ++round) {
                const auto ids = tokenizer.encode(text);
                const auto back = ids ? tokenizer.decode(*ids) : Result<std::string>("");
                if (ids && *ids == expected && back && *back == text) ++result;
            }
        });
    threads.clear();
    for (const int result : equal) EXPECT_EQ(result, 4);
}

// ---------------------------------------------------------------- minimum number of tokens

TEST(Tokenizer, minimumTokens_isALowerBound) {
    TokenizerData composing = smallByteLevelData();
    composing.normalizer = {{.kind = NormalizeStep::Kind::Nfc}};
    const Tokenizer plain = made(smallByteLevelData()), composed = made(composing);
    EXPECT_EQ(plain.minTokens(12'000), 1'000U) << "<|im_start|> is the longest";
    EXPECT_EQ(composed.minTokens(12'000), 250U);
    for (const std::string& text :
         {repeated("hello ", 6000), repeated("aaaa", 6000), repeated("<tool>s", 6000),
          repeated("<|im_start|>", 6000), repeated("\u1fbe\u0308\u0301", 7000),
          repeated("\u1112\u1161\u11ab", 9000), std::string(5000, '\xff'), std::string()}) {
        for (const Tokenizer* one : {&plain, &composed})
            for (const SpecialText special : {SpecialText::Plain, SpecialText::Parse})
                EXPECT_GE(encoded(*one, text, {.special = special}).size(),
                          one->minTokens(text.size()))
                    << text.substr(0, 12);
    }
}

TEST(Tokenizer, textDroppingSteps_giveNoMinimumTokens) {
    TokenizerData strips = smallByteLevelData();
    strips.added = {{.id = 266, .takesSpaceBefore = true}};
    TokenizerData removes = smallByteLevelData();
    removes.preTokenizer.clear();
    removes.splits = {{.pattern = " ", .behaviour = SplitBehaviour::Removed}};
    TokenizerData lowers = smallByteLevelData();
    lowers.normalizer = {{.kind = NormalizeStep::Kind::StripAccents}};
    for (TokenizerData& data : std::vector<TokenizerData>{strips, removes, lowers})
        EXPECT_EQ(made(std::move(data)).minTokens(kMegabyte), 0U);
    EXPECT_EQ(made(smallSentencePieceData()).minTokens(kMegabyte), 0U);
}

}  // namespace
}  // namespace lacuna
