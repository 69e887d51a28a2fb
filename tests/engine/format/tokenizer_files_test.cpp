#include "engine/format/tokenizer_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/base/file.h"
#include "engine/text/tokenizer.h"
#include "tests/engine/text/tokenizer_vectors.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;
using testing::VectorCase;
using testing::vectorCases;

constexpr std::size_t kPublishedCases = 47;

fs::path golden(const std::string& name) { return fs::path(LACUNA_GOLDEN_DIR) / name; }

Result<Tokenizer> fromGguf(const fs::path& path) {
    LACUNA_TRY(const GgufFile file, GgufFile::open(path));
    LACUNA_TRY(TokenizerData data, tokenizerFromGguf(file));
    return Tokenizer::create(std::move(data));
}

Result<Tokenizer> fromFolder(const fs::path& path) {
    LACUNA_TRY(TokenizerData data, tokenizerFromFolder(path));
    return Tokenizer::create(std::move(data));
}

void expectVectors(const Result<Tokenizer>& tokenizer, const std::string& name) {
    ASSERT_TRUE(tokenizer) << describe(tokenizer.error());
    const std::vector<VectorCase> cases = vectorCases(name);
    ASSERT_EQ(cases.size(), kPublishedCases);
    for (const VectorCase& one : cases) {
        const auto ids = tokenizer->encode(one.text);
        ASSERT_TRUE(ids) << describe(ids.error());
        EXPECT_EQ(*ids, one.ids) << "text: \"" << one.text << '"';
    }
}

/// tests/golden/models/NAME/tokens.json: a list of {text, ids}.
void expectModelTokens(const Result<Tokenizer>& tokenizer, const std::string& name) {
    ASSERT_TRUE(tokenizer) << describe(tokenizer.error());
    const auto text = readFile(golden("models/" + name + "/tokens.json"), 1 << 20);
    ASSERT_TRUE(text);
    const auto cases = parseJson(*text);
    ASSERT_TRUE(cases);
    ASSERT_GT(cases->size(), 30U);
    for (const Json& one : *cases) {
        const auto ids = tokenizer->encode(one["text"].get<std::string>(),
                                           {.special = SpecialText::Parse});
        ASSERT_TRUE(ids) << describe(ids.error());
        EXPECT_EQ(*ids, one["ids"].get<std::vector<TokenId>>()) << one["text"];
    }
}

class GoldenModelTokens : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenModelTokens, fromTokenizerJson_equalReference) {
    expectModelTokens(fromFolder(golden("models") / GetParam()), GetParam());
}
TEST_P(GoldenModelTokens, fromGguf_equalReference) {
    expectModelTokens(fromGguf(golden("models") / GetParam() / "model.gguf"), GetParam());
}
INSTANTIATE_TEST_SUITE_P(TokenizerFiles, GoldenModelTokens,
                         ::testing::Values("llama", "llama3-rope", "qwen2", "qwen3", "qwen3-256"),
                         [](const auto& test) {
                             std::string name = test.param;
                             for (char& c : name)
                                 if (c == '-') c = '_';
                             return name;
                         });

TEST(TokenizerFiles, gpt2Vectors_allEqual) {
    expectVectors(fromGguf(golden("tokenizers/ggml-vocab-gpt-2.gguf")), "gpt-2");
}
TEST(TokenizerFiles, llamaSentencePieceVectors_allEqual) {
    expectVectors(fromGguf(golden("tokenizers/ggml-vocab-llama-spm.gguf")), "llama-spm");
}
TEST(TokenizerFiles, qwen2Vectors_allEqual) {
    expectVectors(fromFolder(golden("tokenizers/qwen2.5")), "qwen2");
}
#ifdef LACUNA_LLAMA3_DIR
TEST(TokenizerFiles, llama3Vectors_allEqual) {
    expectVectors(fromFolder(LACUNA_LLAMA3_DIR), "llama-bpe");
}
#endif

}  // namespace
}  // namespace lacuna
