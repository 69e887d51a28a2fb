#pragma once
/// \file
/// Text to token ids and back: BPE over bytes and over characters, SentencePiece, WordPiece.
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
#include "engine/base/work_budget.h"
#include "engine/text/text_steps.h"
#include "engine/text/unicode.h"

namespace lacuna {

enum class TokenizerKind {
    ByteLevelBpe,      ///< merges by rank over bytes, spelled in the GPT-2 alphabet
    CharacterBpe,      ///< merges by rank over characters
    SentencePieceBpe,  ///< merges by score over characters
    Unigram,           ///< the most probable pieces
    WordPiece,         ///< the longest pieces, word by word
};
/// "byte-level BPE", "SentencePiece unigram", ...
[[nodiscard]] std::string_view tokenizerKindName(TokenizerKind kind);

enum class TokenKind : std::uint8_t { Normal, Unknown, Control, UserDefined, Unused, Byte };

/// How the spelling of a token that was added to a vocabulary is found in a text.
struct AddedToken {
    TokenId id = 0;
    bool takesSpaceBefore = false;  ///< white space on this side belongs to the token
    bool takesSpaceAfter = false;
    bool wholeWordsOnly = false;  ///< not alongside letters, marks, digits or connectors
    bool normalized = false;      ///< looked for in the normalised text, itself normalised
};

struct BpeOptions {
    std::string continuingPrefix;  ///< on every character of a piece but the first
    std::string wordSuffix;        ///< on the last character of a piece
    bool fuseUnknown = false;      ///< one unknown piece for unknown characters side by side
};

struct WordPieceOptions {
    std::string firstPrefix;              ///< on the first piece of a word
    std::string continuingPrefix = "##";  ///< on the others
    std::size_t longestWord = 100;        ///< characters; longer words are unknown
};

/// What a model file says about its tokenizer: plain data, filled by the format room, checked by
/// Tokenizer::create.
struct TokenizerData {
    TokenizerKind kind = TokenizerKind::ByteLevelBpe;
    std::vector<std::string> pieces;  ///< text of each id, in the file's own alphabet
    std::vector<double> scores;       ///< SentencePiece only; empty or one per piece
    std::vector<TokenKind> kinds;     ///< empty (all Normal) or one per piece
    std::vector<std::string> merges;  ///< BPE by rank: "left right", best first
    std::vector<AddedToken> added;    ///< control and user-defined ones that are not listed here
                                      ///< are found as they stand
    /// Name of the splitting rule: "gpt-2", "llama-bpe" (llama-3), "qwen2", "default"; or empty
    /// when `splits` are given by the file itself.
    std::string preTokenizer;
    std::vector<NormalizeStep> normalizer;
    std::vector<SplitStep> splits;
    std::vector<DecodeStep> decoder;  ///< empty: what belongs to the kind
    SentencePieceRules sentencePiece;
    BpeOptions bpe;
    WordPieceOptions wordPiece;
    bool ignoreMerges = false;   ///< a whole split that is a piece becomes that piece at once
    bool addSpacePrefix = true;  ///< SentencePiece: text starts with a space piece
    bool byteFallback = true;    ///< not byte-level: unknown characters become byte pieces
    bool singleScores = false;   ///< Unigram: sums are kept in 32 bits, as the library keeps them
    /// What an unknown piece shows; nothing set: its own spelling.
    std::optional<std::string> unknownText;
    bool addBos = false;
    bool addEos = false;
    std::vector<TokenId> prefixTokens;  ///< instead of bos, where several stand before a text
    std::vector<TokenId> suffixTokens;  ///< instead of eos
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
    StopAsked stop = {};                  ///< asked while the text is encoded
};
enum class SpecialOutput { Hide, Show };

class Tokenizer {
  public:
    /// Checks everything (counts, ids in range, merges, byte pieces, known rule).
    /// Errors: TokVocab, TokByteToken, TokMerges, TokSpecialId, TokPreUnknown, TokRegex,
    /// TokTooLong; Cancelled once `stop` says so.
    [[nodiscard]] static Result<Tokenizer> create(TokenizerData data, StopAsked stop = {});
    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;
    ~Tokenizer();

    /// Linear in the text. Invalid UTF-8 is legal input. Errors: TokTooLong (over 2^31-1 bytes, or
    /// rules that make too much of it: TextWork), TokRegex, TokVocab, Cancelled. What a vocabulary
    /// can neither spell nor call unknown leaves no token.
    [[nodiscard]] Result<std::vector<TokenId>> encode(std::string_view text,
                                                      EncodeOptions options = {}) const;
    /// The same for a text of several writers: the spelling of a control token becomes that token
    /// only where it lies whole inside one of the `marked` ranges, which are ordered and apart.
    [[nodiscard]] Result<std::vector<TokenId>> encodeMarked(std::string_view text,
                                                            std::span<const ByteRange> marked,
                                                            StopAsked stop = {}) const;
    /// Bytes of all ids; control tokens only when shown. Errors: TokTokenId, TokTooLong for a token
    /// that the decoding steps make too much of.
    [[nodiscard]] Result<std::string> decode(std::span<const TokenId> ids,
                                             SpecialOutput special = SpecialOutput::Hide) const;
    /// Where decoding stands in a text, from one id to the next.
    struct DecodeState {
        bool first = true;         ///< nothing was shown yet
        bool owesSpace = false;    ///< the last piece ended a word
        std::size_t stripped = 0;  ///< how often the start was stripped already
        bool stripping = true;     ///< nothing else than what is stripped was seen
    };
    /// Bytes that the next id adds (may end in half a character). Errors: TokTokenId.
    [[nodiscard]] Result<std::string> decodeNext(TokenId id, DecodeState& state,
                                                 SpecialOutput special = SpecialOutput::Hide) const;
    /// Raw bytes of one id inside a running text (may be half a character). Errors: TokTokenId.
    [[nodiscard]] Result<std::string> pieceBytes(TokenId id,
                                                 SpecialOutput special = SpecialOutput::Hide) const;

    /// Tokens that no text of so many bytes is encoded in fewer of. 0 where that is not known: only
    /// byte-level vocabularies spell every byte, and some of their files drop or shorten text
    /// first.
    [[nodiscard]] std::size_t leastTokens(std::size_t bytes) const;
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

/// Where the stream stands: a SentencePiece text begins with a space that is not part of it.
enum class StreamStart { OfText, MidText };

/// Tokens to text while they arrive: emits whole UTF-8 characters only, holds back the rest.
/// Owned by one thread; keeps a reference to its tokenizer.
class StreamDecoder {
  public:
    explicit StreamDecoder(const Tokenizer& tokenizer, StreamStart start = StreamStart::OfText)
        : tokenizer_(tokenizer) {
        state_.first = state_.stripping = start == StreamStart::OfText;
    }
    /// Text that became complete with this token; empty while a character is still open.
    /// Bytes that can begin no character become U+FFFD. Errors: TokTokenId.
    [[nodiscard]] Result<std::string> push(TokenId id);
    /// What is left at the end; an unfinished character becomes U+FFFD.
    [[nodiscard]] std::string finish();

  private:
    const Tokenizer& tokenizer_;
    std::string pending_;  ///< the open character: at most three bytes
    Tokenizer::DecodeState state_;
};

}  // namespace lacuna
