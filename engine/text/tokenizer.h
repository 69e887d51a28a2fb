#pragma once
/// \file
/// Text to token ids and back: byte-level BPE and SentencePiece BPE.
/// A Tokenizer is immutable after creation and may be used from many threads.
/// Sources: Sennrich et al. 2016 (BPE); SentencePiece (Kudo & Richardson 2018); GPT-2 byte
/// alphabet.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/text/unicode.h"

namespace lacuna {

enum class TokenizerKind { ByteLevelBpe, SentencePieceBpe };

enum class TokenKind : std::uint8_t { Normal, Unknown, Control, UserDefined, Unused, Byte };

/// What a model file says about its tokenizer: plain data, filled by the format room, checked by
/// Tokenizer::create.
struct TokenizerData {
    TokenizerKind kind = TokenizerKind::ByteLevelBpe;
    std::vector<std::string> pieces;  ///< text of each id, in the file's own alphabet
    std::vector<float> scores;        ///< SentencePiece only; empty or one per piece
    std::vector<TokenKind> kinds;     ///< empty (all Normal) or one per piece
    std::vector<std::string> merges;  ///< byte-level BPE: "left right", best first
    /// Name of the splitting rule: "gpt-2", "llama-bpe" (llama-3), "qwen2", "default"; or empty
    /// when `splitPatterns` are given by the file itself.
    std::string preTokenizer;
    std::vector<std::string> splitPatterns;  ///< PCRE patterns applied in turn, matches isolated
    bool ignoreMerges = false;  ///< a whole split that is a piece becomes that piece at once
    bool normalizeNfc = false;
    bool addSpacePrefix = true;  ///< SentencePiece: text starts with a space piece
    bool byteFallback = true;    ///< SentencePiece: unknown characters become byte pieces
    bool addBos = false;
    bool addEos = false;
    std::optional<TokenId> bos;
    std::optional<TokenId> eos;
    std::optional<TokenId> unknown;
    std::optional<TokenId> pad;
    std::vector<TokenId> endOfTurn;  ///< further ids that end an answer (eot, im_end, eom)
};

/// What to do with the spelling of a control token in the text.
enum class SpecialText {
    Plain,  ///< it stays text: nothing a person wrote becomes a control token
    Parse,  ///< it becomes the control token: only for text made by a template
};
enum class EdgeTokens { AsConfigured, None };

struct EncodeOptions {
    SpecialText special = SpecialText::Plain;
    EdgeTokens edges = EdgeTokens::None;  ///< whether bos/eos of the file's rule are added
};
enum class SpecialOutput { Hide, Show };

class Tokenizer {
  public:
    /// Checks everything (counts, ids in range, merges, byte pieces, known rule).
    /// Errors: TokVocab, TokByteToken, TokMerges, TokSpecialId, TokPreUnknown, TokRegex,
    /// TokTooLong.
    [[nodiscard]] static Result<Tokenizer> create(TokenizerData data);
    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;
    ~Tokenizer();

    /// Linear in the text. Invalid UTF-8 is legal input. Errors: TokTooLong (over 2^31-1 bytes),
    /// TokRegex, TokByteToken, TokVocab (a character this vocabulary cannot spell).
    [[nodiscard]] Result<std::vector<TokenId>> encode(std::string_view text,
                                                      EncodeOptions options = {}) const;
    /// The same for a text of several writers: the spelling of a control token becomes that token
    /// only where it lies whole inside one of the `marked` ranges, which are ordered and apart.
    [[nodiscard]] Result<std::vector<TokenId>> encodeMarked(
        std::string_view text, std::span<const ByteRange> marked) const;
    /// Bytes of all ids; control tokens only when shown. Errors: TokTokenId.
    [[nodiscard]] Result<std::string> decode(std::span<const TokenId> ids,
                                             SpecialOutput special = SpecialOutput::Hide) const;
    /// Raw bytes of one id inside a running text (may be half a character). Errors: TokTokenId.
    [[nodiscard]] Result<std::string> pieceBytes(TokenId id,
                                                 SpecialOutput special = SpecialOutput::Hide) const;

    [[nodiscard]] int vocabularySize() const;
    [[nodiscard]] const TokenizerData& data() const;
    [[nodiscard]] bool isEndOfTurn(TokenId id) const;  ///< eos or one of endOfTurn
    [[nodiscard]] bool isControl(TokenId id) const;
    /// Id of an exact piece text, e.g. "<|im_end|>".
    [[nodiscard]] std::optional<TokenId> find(std::string_view piece) const;

  private:
    struct Impl;
    explicit Tokenizer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace lacuna
