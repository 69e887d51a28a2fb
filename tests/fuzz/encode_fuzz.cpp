// libFuzzer target: arbitrary bytes as a text for tokenizers of each kind. Traps if a byte-level
// vocabulary does not reproduce the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "engine/text/byte_alphabet.h"
#include "engine/text/splitting_rules.h"
#include "engine/text/tokenizer.h"

namespace {

using lacuna::TokenId;
using lacuna::Tokenizer;
using lacuna::TokenizerData;
using lacuna::TokenizerKind;
using lacuna::TokenKind;

void addPiece(TokenizerData& data, std::string text, TokenKind kind) {
    data.pieces.push_back(std::move(text));
    data.kinds.push_back(kind);
}

TokenizerData byteLevel(std::string_view rule) {
    TokenizerData data;
    for (int byte = 0; byte < 256; ++byte)
        addPiece(data, lacuna::toByteAlphabet(std::string(1, static_cast<char>(byte))),
                 TokenKind::Normal);
    for (const char* merge : {"a b", "ab c", "t h", "th e", "1 2"}) {
        std::string joined(merge);
        joined.erase(joined.find(' '), 1);
        addPiece(data, joined, TokenKind::Normal);
        data.merges.emplace_back(merge);
    }
    addPiece(data, "<tool>", TokenKind::UserDefined);
    data.preTokenizer = rule;
    return data;
}

TokenizerData withScores(TokenizerKind kind) {
    TokenizerData data;
    data.kind = kind;
    addPiece(data, "<unk>", TokenKind::Unknown);
    data.unknown = 0;
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    for (std::size_t byte = 0; byte < 256; ++byte)
        addPiece(data, std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">",
                 TokenKind::Byte);
    for (const char* piece : {"\xE2\x96\x81", "a", "b", "ab", "the", "\xE2\x96\x81the", "\xC3\xA9",
                              "\xE4\xB8\xAD", "aa", "aaaa"})
        addPiece(data, piece, TokenKind::Normal);
    addPiece(data, "<tool>", TokenKind::UserDefined);
    for (std::size_t id = 0; id < data.pieces.size(); ++id)
        data.scores.push_back(-static_cast<double>(id));
    return data;
}

std::vector<Tokenizer> everyKind() {
    std::vector<TokenizerData> all;
    for (const char* rule : {"gpt-2", "llama-bpe", "qwen2", "deepseek-v3", "tekken"})
        if (lacuna::findSplittingRule(rule) != nullptr) all.push_back(byteLevel(rule));
    all.push_back(withScores(TokenizerKind::SentencePieceBpe));
    all.push_back(withScores(TokenizerKind::Unigram));
    std::vector<Tokenizer> made;
    for (TokenizerData& data : all) {
        auto tokenizer = Tokenizer::create(std::move(data));
        if (!tokenizer) std::abort();
        made.push_back(std::move(*tokenizer));
    }
    return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<Tokenizer> tokenizers = everyKind();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const Tokenizer& tokenizer : tokenizers) {
        const auto ids = tokenizer.encode(text, {.special = lacuna::SpecialText::Parse});
        if (!ids) std::abort();
        const auto back = tokenizer.decode(*ids, lacuna::SpecialOutput::Show);
        if (!back) std::abort();
        if (tokenizer.data().kind == TokenizerKind::ByteLevelBpe && *back != text) std::abort();
    }
    return 0;
}
