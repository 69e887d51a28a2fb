#pragma once
/// \file
/// Converts text to token ids and back: BPE over bytes and over characters, SentencePiece,
/// WordPiece. A Tokenizer is immutable after creation and may be used from many threads. Sources:
/// Sennrich et al. 2016 (BPE); SentencePiece (Kudo & Richardson 2018); GPT-2 byte alphabet.

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
    ByteLevelBpe,      ///< merges by rank over bytes, encoded in the GPT-2 alphabet
    CharacterBpe,      ///< merges by rank over characters
    SentencePieceBpe,  ///< merges by score over characters
    Unigram,           ///< most probable segmentation
    WordPiece,         ///< longest pieces, word by word
};
/// Returns "byte-level BPE", "SentencePiece unigram", ...
[[nodiscard]] std::string_view tokenizerKindName(TokenizerKind kind);

enum class TokenKind : std::uint8_t { Normal, Unknown, Control, UserDefined, Unused, Byte };

/// Matching rules for the spelling of an added token.
struct AddedToken {
    TokenId id = 0;
    bool takesSpaceBefore = false;  ///< absorbs white space on this side
    bool takesSpaceAfter = false;
    bool wholeWordsOnly = false;  ///< no match next to letters, marks, digits or connectors
    bool normalized = false;      ///< matched in the normalised text, in normalised spelling
};

struct BpeOptions {
    std::string continuingPrefix;  ///< prefix of all characters of a piece except the first
    std::string wordSuffix;        ///< suffix of the last character of a piece
    bool fuseUnknown = false;      ///< adjacent unknown characters become one unknown piece
};

struct WordPieceOptions {
    std::string firstPrefix;              ///< prefix of the first piece of a word
    std::string continuingPrefix = "##";  ///< prefix of the other pieces
    std::size_t longestWord = 100;        ///< in characters; longer words are unknown
};

/// Tokenizer description from a model file: plain data, filled by engine/format, checked by
/// Tokenizer::create.
struct TokenizerData {
    TokenizerKind kind = TokenizerKind::ByteLevelBpe;
    std::vector<std::string> pieces;  ///< text of each id, in the alphabet of the file
    std::vector<double> scores;       ///< SentencePiece only; empty or one per piece
    std::vector<TokenKind> kinds;     ///< empty (all Normal) or one per piece
    std::vector<std::string> merges;  ///< for BPE by rank: "left right", best first
    std::vector<AddedToken> added;    ///< control and user-defined pieces not listed here match
                                      ///< exactly as spelled
    /// Name of the splitting rule: "gpt-2", "llama-bpe" (llama-3), "qwen2", "default"; empty if the
    /// file contains `splits`.
    std::string preTokenizer;
    std::vector<NormalizeStep> normalizer;
    std::vector<SplitStep> splits;
    std::vector<DecodeStep> decoder;  ///< empty: default steps of the kind
    SentencePieceRules sentencePiece;
    BpeOptions bpe;
    WordPieceOptions wordPiece;
    bool ignoreMerges = false;   ///< a split that is a piece of the vocabulary becomes that piece
                                 ///< without merging
    bool addSpacePrefix = true;  ///< SentencePiece: text starts with a space piece
    bool byteFallback = true;    ///< not for byte-level: unknown characters become byte pieces
    bool singleScores = false;   ///< for Unigram: accumulate in 32 bits, as the library does
    /// Text shown for an unknown piece; nullopt: its spelling.
    std::optional<std::string> unknownText;
    bool addBos = false;
    bool addEos = false;
    std::vector<TokenId> prefixTokens;  ///< replace bos if a text begins with several tokens
    std::vector<TokenId> suffixTokens;  ///< replace eos
    std::optional<TokenId> bos;
    std::optional<TokenId> eos;
    std::optional<TokenId> unknown;
    std::optional<TokenId> pad;
    std::vector<TokenId> endOfTurn;  ///< further ids that end an answer (eot, im_end, eom)
};

/// Treatment of a control token's spelling in the text.
enum class SpecialText {
    Plain,  ///< stays text, so user input cannot become a control token
    Parse,  ///< becomes the control token; only for text from a template
};
enum class EdgeTokens { AsConfigured, None };

struct EncodeOptions {
    SpecialText special = SpecialText::Plain;
    EdgeTokens edges = EdgeTokens::None;  ///< whether to add bos and eos as configured in the file
    StopRequested stop = {};              ///< polled while the text is encoded
};
enum class SpecialOutput { Hide, Show };

class Tokenizer {
  public:
    /// Validates everything: counts, id ranges, merges, byte pieces, splitting rule. Errors:
    /// TokVocab, TokByteToken, TokMerges, TokSpecialId, TokPreUnknown, TokRegex, TokTooLong;
    /// Cancelled if `stop` returns true.
    [[nodiscard]] static Result<Tokenizer> create(TokenizerData data, StopRequested stop = {});
    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;
    ~Tokenizer();

    /// Takes linear time. Invalid UTF-8 is allowed. Text that the vocabulary can neither spell nor
    /// represent as unknown produces no token. Errors: TokTooLong (over 2^31-1 bytes, or rules that
    /// expand it too much: TextWork), TokRegex, TokVocab, Cancelled.
    [[nodiscard]] Result<std::vector<TokenId>> encode(std::string_view text,
                                                      EncodeOptions options = {}) const;
    /// Encodes a text with several authors: the spelling of a control token becomes that token only
    /// if it lies within one of the `marked` ranges, which are ordered and disjoint.
    [[nodiscard]] Result<std::vector<TokenId>> encodeMarked(std::string_view text,
                                                            std::span<const ByteRange> marked,
                                                            StopRequested stop = {}) const;
    /// Returns the bytes of all ids; control tokens only if `special` shows them. Errors:
    /// TokTokenId, TokTooLong if the decoding steps expand a token too much.
    [[nodiscard]] Result<std::string> decode(std::span<const TokenId> ids,
                                             SpecialOutput special = SpecialOutput::Hide) const;
    /// State of decoding between two ids.
    struct DecodeState {
        bool first = true;          ///< nothing was output yet
        bool pendingSpace = false;  ///< the last piece ended a word
        std::size_t stripped = 0;   ///< number of `content` already removed from the start
        bool stripping = true;      ///< only removed text was seen so far
    };
    /// Returns the bytes that the next id adds, which may end in a partial character. Errors:
    /// TokTokenId.
    [[nodiscard]] Result<std::string> decodeNext(TokenId id, DecodeState& state,
                                                 SpecialOutput special = SpecialOutput::Hide) const;
    /// Returns the raw bytes of one id in the middle of a text, possibly a partial character.
    /// Errors: TokTokenId.
    [[nodiscard]] Result<std::string> pieceBytes(TokenId id,
                                                 SpecialOutput special = SpecialOutput::Hide) const;

    /// Returns a lower bound of the number of tokens for a text of this many bytes. 0 if it is
    /// unknown: only byte-level vocabularies spell every byte, and some of their files drop or
    /// shorten text first.
    [[nodiscard]] std::size_t minTokens(std::size_t bytes) const;
    [[nodiscard]] int vocabularySize() const;
    [[nodiscard]] const TokenizerData& data() const;
    [[nodiscard]] bool isEndOfTurn(TokenId id) const;  ///< eos or one of endOfTurn
    [[nodiscard]] bool isControl(TokenId id) const;
    /// Returns the id of an exact piece text, e.g. "<|im_end|>".
    [[nodiscard]] std::optional<TokenId> find(std::string_view piece) const;

  private:
    struct Impl;
    explicit Tokenizer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Position of the stream: a SentencePiece text begins with a space that is not part of it.
enum class StreamStart { OfText, MidText };

/// Decodes tokens to text as they arrive; returns complete UTF-8 characters only and holds back the
/// rest. Owned by one thread; keeps a reference to its tokenizer.
class StreamDecoder {
  public:
    explicit StreamDecoder(const Tokenizer& tokenizer, StreamStart start = StreamStart::OfText)
        : tokenizer_(tokenizer) {
        state_.first = state_.stripping = start == StreamStart::OfText;
    }
    /// Returns the text completed by this token; empty while a character is incomplete. Bytes that
    /// cannot begin a character become U+FFFD. Errors: TokTokenId.
    [[nodiscard]] Result<std::string> push(TokenId id);
    /// Returns the rest at the end; an incomplete character becomes U+FFFD.
    [[nodiscard]] std::string finish();

  private:
    const Tokenizer& tokenizer_;
    std::string pending_;  ///< the incomplete character, at most three bytes
    Tokenizer::DecodeState state_;
};

}  // namespace lacuna
