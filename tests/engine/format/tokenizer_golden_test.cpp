#include <gtest/gtest.h>

#include <filesystem>

#include "engine/base/file.h"
#include "engine/format/tokenizer_files.h"
#include "engine/text/tokenizer.h"
#include "tests/engine/text/tokenizer_vectors.h"

// Small vocabularies, one for each pre-tokenizer and each kind of model, with ids from Hugging Face
// tokenizers and the SentencePiece library.

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMegabyte = 1'000'000;

fs::path familyFolder(const std::string& name) {
    return fs::path(LACUNA_GOLDEN_DIR) / "tokenizers" / "families" / name;
}

Tokenizer family(const std::string& name) {
    auto data = tokenizerFromFolder(familyFolder(name));
    EXPECT_TRUE(data) << describe(data.error());
    auto tokenizer = Tokenizer::create(std::move(*data));
    EXPECT_TRUE(tokenizer) << describe(tokenizer.error());
    return std::move(*tokenizer);
}

Json vectorsOf(const std::string& name) {
    const auto text = readFile(familyFolder(name) / "vectors.json", 1 << 20);
    EXPECT_TRUE(text);
    auto parsed = parseJson(*text);
    EXPECT_TRUE(parsed);
    return parsed ? std::move(*parsed) : Json::array();
}

std::string streamed(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
    StreamDecoder decoder(tokenizer);
    std::string text;
    for (const TokenId id : ids) {
        const auto part = decoder.push(id);
        EXPECT_TRUE(part);
        for (const Utf8Run& run : utf8Runs(*part)) EXPECT_TRUE(run.valid) << "half a character";
        text += *part;
    }
    return text + decoder.finish();
}

class TokenizerFamily : public ::testing::TestWithParam<const char*> {};

TEST_P(TokenizerFamily, ids_equalTheReference) {
    const Tokenizer tokenizer = family(GetParam());
    // SentencePiece finds no control tokens in a text; Hugging Face does.
    const bool library = fs::exists(familyFolder(GetParam()) / "tokenizer.model");
    const EncodeOptions options{.special = library ? SpecialText::Plain : SpecialText::Parse};
    const Json vectors = vectorsOf(GetParam());
    ASSERT_GT(vectors.size(), 100U);
    for (const Json& one : vectors) {
        const auto ids = tokenizer.encode(one["text"].get<std::string>(), options);
        ASSERT_TRUE(ids) << describe(ids.error());
        EXPECT_EQ(*ids, one["ids"].get<std::vector<TokenId>>()) << one["text"];
    }
}

TEST_P(TokenizerFamily, edgeTokens_equalTheReference) {
    const Tokenizer tokenizer = family(GetParam());
    const EncodeOptions options{.special = SpecialText::Parse, .edges = EdgeTokens::AsConfigured};
    for (const Json& one : vectorsOf(GetParam())) {
        if (!one.contains("with_edges")) continue;
        const auto ids = tokenizer.encode(one["text"].get<std::string>(), options);
        ASSERT_TRUE(ids);
        EXPECT_EQ(*ids, one["with_edges"].get<std::vector<TokenId>>()) << one["text"];
    }
}

TEST_P(TokenizerFamily, decodedText_equalsTheReference_completeAndStreamed) {
    const Tokenizer tokenizer = family(GetParam());
    for (const Json& one : vectorsOf(GetParam())) {
        const auto ids = one["ids"].get<std::vector<TokenId>>();
        if (!one.contains("decoded")) continue;  // decoding with control tokens shown
        const auto text = tokenizer.decode(ids);
        ASSERT_TRUE(text);
        EXPECT_EQ(*text, one["decoded"].get<std::string>()) << one["text"];
        EXPECT_EQ(streamed(tokenizer, ids), one["decoded"].get<std::string>()) << one["text"];
    }
}

TEST_P(TokenizerFamily, megabytesOfRepetition_encodeWithinTwoSeconds) {
    const Tokenizer tokenizer = family(GetParam());
    for (const char* unit : {"a", " ", "\xF0\x9F\x91\xA9\xE2\x80\x8D", "\xFF", "\xE4\xB8\xAD"}) {
        std::string text;
        while (text.size() < kMegabyte) text += unit;
        const double begin = testing::threadSeconds();
        const auto ids = tokenizer.encode(text);
        EXPECT_LT(testing::threadSeconds() - begin, 2.0) << unit;
        EXPECT_TRUE(ids) << unit;
    }
}

TEST_P(TokenizerFamily, controlTokenText_staysTextUnlessParsed) {
    const Tokenizer tokenizer = family(GetParam());
    for (TokenId id = 0; id < tokenizer.vocabularySize(); ++id) {
        if (!tokenizer.isControl(id)) continue;
        const std::string& piece = tokenizer.data().pieces[static_cast<std::size_t>(id)];
        const auto ids = tokenizer.encode("x" + piece + " " + piece);
        ASSERT_TRUE(ids);
        for (const TokenId token : *ids) EXPECT_FALSE(tokenizer.isControl(token)) << piece;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Golden, TokenizerFamily,
    ::testing::Values("gpt-2", "gpt-2-prefix", "llama-3", "qwen2", "deepseek-llm", "deepseek-coder",
                      "deepseek-v3", "falcon", "mpt", "starcoder", "smollm", "tekken", "gpt-4o",
                      "split-merged", "split-removed", "spm-bpe-legacy", "spm-bpe-metaspace-always",
                      "spm-bpe-metaspace-first", "spm-bpe-metaspace-never", "unigram-metaspace",
                      "wordpiece-cased", "wordpiece-uncased", "spm-bpe", "spm-bpe-nfkc",
                      "spm-unigram", "spm-unigram-noprefix"),
    [](const auto& test) {
        std::string name = test.param;
        for (char& c : name)
            if (c == '-') c = '_';
        return name;
    });

/// Lossless vocabularies reproduce every text.
TEST(TokenizerRoundTrip, losslessFamilies_roundTripText) {
    const std::string text =
        " = A heading = \n\n The ship 's crew <unk> numbered 1 @,@ 234 men ; na\xC3\xAFve "
        "caf\xC3\xA9 , \xE4\xB8\xAD\xE6\x96\x87 \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7 "
        ".\n\n\n"
        "\tint main() { return 0; }  \n";
    for (const char* name : {"gpt-2", "llama-3", "qwen2", "deepseek-llm", "deepseek-coder",
                             "deepseek-v3", "falcon", "mpt", "starcoder", "smollm", "tekken",
                             "gpt-4o", "spm-bpe-legacy", "spm-bpe", "spm-unigram-noprefix"}) {
        const Tokenizer tokenizer = family(name);
        const auto ids = tokenizer.encode(text);
        ASSERT_TRUE(ids);
        EXPECT_EQ(*tokenizer.decode(*ids), text) << name;
    }
}

}  // namespace
}  // namespace lacuna
