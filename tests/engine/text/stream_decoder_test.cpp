#include "engine/text/tokenizer.h"

#include <gtest/gtest.h>

#include "engine/text/unicode.h"
#include "tests/engine/text/tokenizer_vectors.h"

namespace lacuna {
namespace {

Tokenizer made(TokenizerData data) {
    auto tokenizer = Tokenizer::create(std::move(data));
    EXPECT_TRUE(tokenizer) << describe(tokenizer.error());
    return std::move(*tokenizer);
}

std::string streamed(StreamDecoder& decoder, const std::vector<TokenId>& ids) {
    std::string text;
    for (const TokenId id : ids) {
        const auto part = decoder.push(id);
        EXPECT_TRUE(part);
        if (!part) return text;
        for (const Utf8Run& run : utf8Runs(*part)) EXPECT_TRUE(run.valid) << "half a character";
        text += *part;
    }
    return text + decoder.finish();
}

TEST(StreamDecoder, splitCharacters_areJoined) {
    const Tokenizer tokenizer = made(testing::smallByteLevelData());
    const std::string text = "h\xC3\xA9 \xE4\xB8\xAD \xF0\x9F\x91\xA9!";
    const auto ids = tokenizer.encode(text);
    ASSERT_TRUE(ids);
    StreamDecoder decoder(tokenizer);
    EXPECT_EQ(streamed(decoder, *ids), text);
}

TEST(StreamDecoder, incompleteCharacter_isHeldBack) {
    const Tokenizer tokenizer = made(testing::smallByteLevelData());
    const auto ids = tokenizer.encode("\xE4\xB8\xAD");
    ASSERT_TRUE(ids);
    ASSERT_EQ(ids->size(), 3U);
    StreamDecoder decoder(tokenizer);
    EXPECT_EQ(*decoder.push((*ids)[0]), "");
    EXPECT_EQ(*decoder.push((*ids)[1]), "");
    EXPECT_EQ(*decoder.push((*ids)[2]), "\xE4\xB8\xAD");
    EXPECT_EQ(decoder.finish(), "");
}

TEST(StreamDecoder, incompleteCharacterAtTheEnd_becomesOneReplacement) {
    const Tokenizer tokenizer = made(testing::smallByteLevelData());
    for (const char* text : {"a\xE4\xB8", "a\xF0\x9F\x91", "a\xC3"}) {
        const auto ids = tokenizer.encode(text);
        ASSERT_TRUE(ids);
        StreamDecoder decoder(tokenizer);
        EXPECT_EQ(streamed(decoder, *ids), "a\xEF\xBF\xBD");
    }
}

TEST(StreamDecoder, invalidBytes_becomeReplacements) {
    const Tokenizer tokenizer = made(testing::smallByteLevelData());
    const auto ids = tokenizer.encode("\xFFz\xE4z");
    ASSERT_TRUE(ids);
    StreamDecoder decoder(tokenizer);
    EXPECT_EQ(streamed(decoder, *ids), "\xEF\xBF\xBDz\xEF\xBF\xBDz");
}

TEST(StreamDecoder, sentencePieceSpace_isDroppedAtTheStartOfTextOnly) {
    const Tokenizer tokenizer = made(testing::smallSentencePieceData());
    const TokenId hello = *tokenizer.find("\xE2\x96\x81hello");
    StreamDecoder start(tokenizer);
    EXPECT_EQ(streamed(start, {*tokenizer.data().bos, hello, hello}), "hello hello");
    StreamDecoder middle(tokenizer, StreamStart::MidText);
    EXPECT_EQ(streamed(middle, {hello, hello}), " hello hello");
}

TEST(StreamDecoder, controlTokens_produceNoText) {
    const Tokenizer tokenizer = made(testing::smallByteLevelData());
    StreamDecoder decoder(tokenizer);
    EXPECT_EQ(*decoder.push(*tokenizer.find("<|im_end|>")), "");
    EXPECT_FALSE(decoder.push(-1));
    EXPECT_FALSE(decoder.push(tokenizer.vocabularySize()));
}

}  // namespace
}  // namespace lacuna
