#include "tests/engine/text/tokenizer_vectors.h"

#include <ctime>
#include <fstream>
#include <sstream>

#include "engine/base/string_format.h"
#include "engine/text/byte_alphabet.h"

namespace lacuna::testing {
namespace {

std::string contentOf(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

/// Returns the parts between separators. The last one, after the final separator, is empty in these
/// files.
std::vector<std::string> partsOf(const std::string& text, const std::string& separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t end = text.find(separator, begin);
        parts.push_back(text.substr(begin, end - begin));
        if (end == std::string::npos) return parts;
        begin = end + separator.size();
    }
}

void addToken(TokenizerData& data, const std::string& piece, TokenKind kind, double score = 0) {
    data.pieces.push_back(piece);
    data.kinds.push_back(kind);
    data.scores.push_back(score);
}

}  // namespace

std::vector<VectorCase> vectorCases(const std::string& name) {
    const std::filesystem::path folder = std::filesystem::path(LACUNA_GOLDEN_DIR) / "tokenizers";
    const auto texts = partsOf(contentOf(folder / (name + ".inp")), "\n__ggml_vocab_test__\n");
    const auto lines = partsOf(contentOf(folder / (name + ".out")), "\n");
    std::vector<VectorCase> cases;
    for (std::size_t i = 0; i < texts.size() && i < lines.size(); ++i) {
        VectorCase one{texts[i], {}};
        std::istringstream numbers(lines[i]);
        for (TokenId id = 0; numbers >> id;) one.ids.push_back(id);
        cases.push_back(std::move(one));
    }
    return cases;
}

double threadSeconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

TokenizerData smallByteLevelData() {
    TokenizerData data;
    data.kind = TokenizerKind::ByteLevelBpe;
    data.preTokenizer = "gpt-2";
    for (int byte = 0; byte < 256; ++byte)
        addToken(data, alphabetChar(static_cast<std::uint8_t>(byte)), TokenKind::Normal);
    for (const char* merge : {"h e", "l l", "ll o", "he llo", "a a", "aa aa", "< |"}) {
        data.merges.emplace_back(merge);
        std::string joined = merge;
        joined.erase(joined.find(' '), 1);
        addToken(data, joined, TokenKind::Normal);
    }
    addToken(data, "<|im_start|>", TokenKind::Control);
    addToken(data, "<|im_end|>", TokenKind::Control);
    addToken(data, "<|im|>", TokenKind::Control);
    addToken(data, "<tool>", TokenKind::UserDefined);
    addToken(data, "<tool>s", TokenKind::UserDefined);
    data.scores.clear();
    data.bos = 263;
    data.eos = 264;
    return data;
}

TokenizerData smallSentencePieceData() {
    TokenizerData data;
    data.kind = TokenizerKind::SentencePieceBpe;
    addToken(data, "<unk>", TokenKind::Unknown);
    addToken(data, "<s>", TokenKind::Control);
    addToken(data, "</s>", TokenKind::Control);
    for (int byte = 0; byte < 256; ++byte)
        addToken(data, format("<0x{:02X}>", byte), TokenKind::Byte);
    double score = -1;
    for (const char* piece :
         {"he", "\xE2\x96\x81he", "ll", "llo", "\xE2\x96\x81hello", "aa", "aaaa", "s>", "<s",
          "\xE2\x96\x81", "h", "e", "l", "o", "a", "s", "<", ">"})
        addToken(data, piece, TokenKind::Normal, score -= 1);
    addToken(data, "\xE2\x96\x81h", TokenKind::Unused, -0.5);
    addToken(data, "<tool>", TokenKind::UserDefined);
    data.bos = 1;
    data.eos = 2;
    data.unknown = 0;
    return data;
}

}  // namespace lacuna::testing
