#include "engine/format/tokenizer_files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/base/file.h"
#include "engine/format/gguf_writer.h"
#include "engine/text/tokenizer.h"
#include "tests/engine/text/tokenizer_vectors.h"
#include "tests/support/load_answers.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;
using testing::VectorCase;
using testing::vectorCases;

constexpr std::size_t kPublishedCases = 47;

fs::path golden(const std::string& name) {
    return fs::path(LACUNA_GOLDEN_DIR) / name;
}

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

/// Checks against tests/golden/models/NAME/tokens.json, a list of {text, ids}.
void expectModelTokens(const Result<Tokenizer>& tokenizer, const std::string& name) {
    ASSERT_TRUE(tokenizer) << describe(tokenizer.error());
    const auto text = readFile(golden("models/" + name + "/tokens.json"), 1 << 20);
    ASSERT_TRUE(text);
    const auto cases = parseJson(*text);
    ASSERT_TRUE(cases);
    ASSERT_GT(cases->size(), 30U);
    for (const Json& one : *cases) {
        const auto ids =
            tokenizer->encode(one["text"].get<std::string>(), {.special = SpecialText::Parse});
        ASSERT_TRUE(ids) << describe(ids.error());
        EXPECT_EQ(*ids, one["ids"].get<std::vector<TokenId>>()) << one["text"];
    }
}

/// Checks that time is linear for a single piece of a megabyte under a real vocabulary.
void expectLinear(const Result<Tokenizer>& tokenizer) {
    ASSERT_TRUE(tokenizer) << describe(tokenizer.error());
    for (const std::string unit : {"a", " ", "\xE4\xB8\xAD", "\xFF", "=", "\xCC\x81", "\n"}) {
        std::string text;
        while (text.size() < 1'000'000) text += unit;
        const double begin = testing::threadSeconds();
        const auto ids = tokenizer->encode(text);
        EXPECT_LT(testing::threadSeconds() - begin, 2.0) << unit;
        ASSERT_TRUE(ids);
        EXPECT_EQ(*tokenizer->decode(*ids), text);
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
TEST(TokenizerFiles, bertVectors_allEqual) {
    expectVectors(fromGguf(golden("tokenizers/ggml-vocab-bert-bge.gguf")), "bert-bge");
}
TEST(TokenizerFiles, bertGguf_encodesTextBetweenItsMarkers) {
    const auto tokenizer = fromGguf(golden("tokenizers/ggml-vocab-bert-bge.gguf"));
    ASSERT_TRUE(tokenizer);
    const auto ids = tokenizer->encode("Hello world", {.edges = EdgeTokens::AsConfigured});
    EXPECT_EQ(*ids, (std::vector<TokenId>{101, 7592, 2088, 102}));
    EXPECT_EQ(*tokenizer->decode(*ids), "hello world");
}
TEST(TokenizerFiles, qwen2Vectors_allEqual) {
    expectVectors(fromFolder(golden("tokenizers/qwen2.5")), "qwen2");
}
TEST(TokenizerFiles, megabytesOfRepetition_encodeWithinTwoSeconds) {
    expectLinear(fromGguf(golden("tokenizers/ggml-vocab-gpt-2.gguf")));
    expectLinear(fromGguf(golden("tokenizers/ggml-vocab-llama-spm.gguf")));
    expectLinear(fromFolder(golden("tokenizers/qwen2.5")));
}
TEST(TokenizerFiles, qwen2Folder_hasItsSpecialTokens) {
    const auto tokenizer = fromFolder(golden("tokenizers/qwen2.5"));
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->data().eos, 151645);
    EXPECT_FALSE(tokenizer->data().bos);
    EXPECT_FALSE(tokenizer->data().addBos);
    EXPECT_TRUE(tokenizer->isEndOfTurn(151645));
    EXPECT_TRUE(tokenizer->isEndOfTurn(151643));
    EXPECT_FALSE(tokenizer->isControl(151657));
    EXPECT_EQ(*tokenizer->encode("<tool_call>"), std::vector<TokenId>{151657});
    EXPECT_EQ(*tokenizer->encode("<|im_end|>", {.special = SpecialText::Parse}),
              std::vector<TokenId>{151645});
}
TEST(TokenizerFiles, endsOfAnAnswer_dependOnChannels) {
    TokenizerData data;
    data.pieces = {"a", "<|end|>", "<|return|>", "<|call|>", "<|message|>"};
    data.kinds.assign(data.pieces.size(), TokenKind::Control);
    addKnownEnds(data);
    EXPECT_EQ(data.endOfTurn, std::vector<TokenId>{1});
    data.endOfTurn.clear();
    data.pieces.emplace_back("<|channel|>");
    data.kinds.push_back(TokenKind::Control);
    addKnownEnds(data);
    EXPECT_EQ(data.endOfTurn, (std::vector<TokenId>{2, 3})) << "<|end|> only ends a message";
}
// Rules whose pieces are plain text: jina-embeddings-v2-base-zh and sarvam-moe.
TEST(TokenizerFiles, rulesWithoutByteAlphabet_readCharacters) {
    const auto made = [](const char* rule, const std::vector<std::string>& pieces,
                         const std::vector<std::string>& merges) -> Result<Tokenizer> {
        const test::TemporaryFolder folder;
        GgufMetadata metadata;
        metadata.addText("general.architecture", "llama");
        metadata.addText("tokenizer.ggml.model", "gpt2");
        metadata.addText("tokenizer.ggml.pre", rule);
        metadata.addTexts("tokenizer.ggml.tokens", pieces);
        metadata.addTexts("tokenizer.ggml.merges", merges);
        metadata.addBool("tokenizer.ggml.normalizer.lowercase", true);
        LACUNA_TRY(GgufWriter writer, GgufWriter::create(folder.path() / "a.gguf", metadata, {}));
        LACUNA_TRY_STATUS(writer.commit());
        return fromGguf(folder.path() / "a.gguf");
    };
    const auto words = made(
        "whitespace", {"\xE4\xBD\xA0", "\xE5\xA5\xBD", "\xE4\xBD\xA0\xE5\xA5\xBD", "a", "b", "ab"},
        {"\xE4\xBD\xA0 \xE5\xA5\xBD", "a b"});
    ASSERT_TRUE(words) << describe(words.error());
    EXPECT_EQ(*words->encode(" \xE4\xBD\xA0\xE5\xA5\xBD\nA B aB"),
              (std::vector<TokenId>{2, 3, 4, 5}));
    const auto marked = made("sarvam-moe",
                             {"\xE2\x96\x81", "a",
                              "\xE2\x96\x81"
                              "a",
                              "\n"},
                             {"\xE2\x96\x81 a"});
    ASSERT_TRUE(marked) << describe(marked.error());
    EXPECT_EQ(*marked->encode("a a\n"), (std::vector<TokenId>{1, 2, 3}));
    EXPECT_EQ(*marked->decode(std::vector<TokenId>{1, 2, 3}), "a a\n");
}
TEST(TokenizerFiles, sentencePieceGguf_startsWithBos) {
    const auto tokenizer = fromGguf(golden("tokenizers/ggml-vocab-llama-spm.gguf"));
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(*tokenizer->encode("Hello", {.edges = EdgeTokens::AsConfigured}),
              (std::vector<TokenId>{1, 15043}));
    EXPECT_EQ(*tokenizer->decode(std::vector<TokenId>{1, 15043}), "Hello");
}

/// A small tokenizer.json; `change` is a merge patch over it.
Result<Json> smallTokenizerJson(const std::string& change) {
    Json document = *parseJson(R"({
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "<s>": 3}, "merges": ["a b"]},
        "added_tokens": [{"id": 3, "content": "<s>", "special": true},
                         {"id": 4, "content": "<t>", "special": false}],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
        "decoder": {"type": "ByteLevel"},
        "post_processor": {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A"}}]}})");
    LACUNA_TRY(const Json patch, parseJson(change));
    document.merge_patch(patch);
    return document;
}
Result<TokenizerData> fromJson(const std::string& change) {
    LACUNA_TRY(const Json document, smallTokenizerJson(change));
    return tokenizerFromJson(document);
}

/// Checks that a model folder with sound weights and this tokenizer is refused by loading and
/// inspecting.
void expectRefusedByBothDoors(const Json& tokenizer, ErrorCode code) {
    const test::TemporaryFolder folder;
    for (const char* name : {"config.json", "model.safetensors"})
        fs::copy_file(golden("models/llama") / name, folder.path() / name);
    static_cast<void>(folder.write("tokenizer.json", tokenizer.dump()));
    EXPECT_EQ(test::loadAnswer(folder.path()), errorName(code));
    EXPECT_EQ(test::inspectAnswer(folder.path()), errorName(code));
}

TEST(TokenizerFiles, tokenizerJson_readsEveryField) {
    const auto data = fromJson("{}");
    ASSERT_TRUE(data) << describe(data.error());
    EXPECT_EQ(data->kind, TokenizerKind::ByteLevelBpe);
    EXPECT_EQ(data->pieces, (std::vector<std::string>{"a", "b", "ab", "<s>", "<t>"}));
    EXPECT_EQ(data->kinds[3], TokenKind::Control);
    EXPECT_EQ(data->kinds[4], TokenKind::UserDefined);
    EXPECT_EQ(data->bos, 3);
    EXPECT_TRUE(data->addBos);
    EXPECT_EQ(data->splits.size(), 2U);
    EXPECT_EQ(data->splits[1].kind, SplitStep::Kind::ByteAlphabet);
    EXPECT_TRUE(data->normalizer.empty());
}

TEST(TokenizerFiles, tokenizerJsonMerges_mayBePairs) {
    const auto data = fromJson(R"({"model": {"merges": [["a", "b"]]}})");
    ASSERT_TRUE(data);
    EXPECT_EQ(data->merges, std::vector<std::string>{"a b"});
}

TEST(TokenizerFiles, unsupportedTokenizerJson_isRefused) {
    struct Case {
        const char* change;
        ErrorCode code;
        const char* part;
    };
    const std::vector<Case> cases = {
        {R"({"model": {"type": "Lattice"}})", ErrorCode::TokConfig, "Lattice"},
        {R"({"model": {"type": "Unigram"}})", ErrorCode::TokConfig, "list of pieces"},
        {R"({"model": {"type": "Unigram", "vocab": [["a", 0], ["b"]]}})", ErrorCode::TokConfig,
         "vocab[1]"},
        {R"({"model": {"type": "Unigram", "vocab": [["a", 0]], "unk_id": 7}})",
         ErrorCode::TokSpecialId, "unk_id is 7"},
        {R"({"model": {"vocab": null}})", ErrorCode::TokConfig, "vocab"},
        {R"({"model": {"vocab": {"a": -1}}})", ErrorCode::TokConfig, "-1"},
        {R"({"model": {"vocab": {"a": 4000000000}}})", ErrorCode::TokConfig, "4000000000"},
        {R"({"model": {"vocab": {"a": 1.5}}})", ErrorCode::TokConfig, "not an integer"},
        {R"({"model": {"vocab": {"a": 1}}})", ErrorCode::TokConfig, "id 1 represents"},
        {R"({"model": {"merges": [["a"]]}})", ErrorCode::TokMerges, "merges[0]"},
        {R"({"added_tokens": [{"id": 2, "content": "<x>"}]})", ErrorCode::TokConfig, "id 2"},
        {R"({"added_tokens": [{"content": "<x>"}]})", ErrorCode::TokConfig, "added token"},
        {R"({"normalizer": {"type": "Reversed"}})", ErrorCode::TokConfig, "Reversed"},
        {R"({"normalizer": {"type": "Replace"}})", ErrorCode::TokConfig, "no pattern"},
        {R"({"normalizer": {"type": "Precompiled", "precompiled_charsmap": "#"}})",
         ErrorCode::TokConfig, "base64"},
        {R"({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Scripts"}]}})",
         ErrorCode::TokConfig, "Scripts"},
        {R"({"pre_tokenizer": {"type": "Split", "pattern": {"String": "a"}, "behavior": "Odd"}})",
         ErrorCode::TokConfig, "Odd"},
        {R"({"pre_tokenizer": {"type": "Metaspace", "replacement": "_",
            "prepend_scheme": "often"}})",
         ErrorCode::TokConfig, "often"},
        {R"({"decoder": {"type": "CTC"}})", ErrorCode::TokConfig, "CTC"},
        {R"({"decoder": {"type": "Strip", "content": " ", "start": 0, "stop": 1}})",
         ErrorCode::TokConfig, "Strip.stop"},
        {R"({"post_processor": {"type": "Odd"}})", ErrorCode::TokConfig, "Odd"},
    };
    for (const Case& one : cases) {
        const auto data = fromJson(one.change);
        ASSERT_FALSE(data) << one.change;
        EXPECT_EQ(errorName(data.error().code), errorName(one.code)) << one.change;
        EXPECT_NE(data.error().what.find(one.part), std::string::npos) << describe(data.error());
        SCOPED_TRACE(one.change);
        expectRefusedByBothDoors(*smallTokenizerJson(one.change), one.code);
    }
}

TEST(TokenizerFiles, sentencePieceTokenizerJson_derivesScoresFromMerges) {
    const auto data = fromJson(R"({
        "model": {"vocab": {"\u2581": 5, "\u2581a": 6}, "merges": ["\u2581 a", "a b"],
                  "byte_fallback": false, "unk_token": "b"},
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "\u2581"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]},
        "pre_tokenizer": null, "decoder": null})");
    ASSERT_TRUE(data) << describe(data.error());
    EXPECT_EQ(data->kind, TokenizerKind::CharacterBpe);
    EXPECT_TRUE(data->addSpacePrefix);
    EXPECT_GT(data->scores[6], data->scores[2]);
    EXPECT_GT(data->scores[2], data->scores[0]);
    EXPECT_EQ(data->unknown, 1);
}

TEST(TokenizerFiles, folderWithoutTokenizer_reportsTheExpectedFiles) {
    const auto data = tokenizerFromFolder(golden("templates"));
    ASSERT_FALSE(data);
    EXPECT_EQ(data.error().code, ErrorCode::NotFound);
    EXPECT_NE(data.error().what.find("merges.txt"), std::string::npos);
}

#ifdef LACUNA_LLAMA3_DIR
TEST(TokenizerFiles, llama3Vectors_allEqual) {
    expectVectors(fromFolder(LACUNA_LLAMA3_DIR), "llama-bpe");
}
#endif

}  // namespace
}  // namespace lacuna
