#pragma once
/// \file
/// Normalising, splitting and decoding steps of a tokenizer file, as plain data: filled by
/// engine/format, executed by Normalizer, Pretokenizer and PieceDecoder. Patterns are regular
/// expressions in Oniguruma's syntax; readers escape literal ones (escapedPattern). Source: the
/// normalizers, pre_tokenizers and decoders of Hugging Face tokenizers.

#include <cstddef>
#include <string>

namespace lacuna {

struct NormalizeStep {
    enum class Kind {
        Nfc,
        Nfd,
        Nfkc,
        Nfkd,
        Lowercase,
        StripAccents,  ///< drops every combining mark
        StripEdges,    ///< removes white space at the `left` and `right` ends
        Replace,       ///< replaces every match of `pattern` by `content`
        Prepend,       ///< prepends `content` to a non-empty text
        Bert,          ///< cleans, isolates Chinese characters, strips accents, lower-cases
        Nmt,           ///< drops control characters, replaces unusual spaces
        Charsmap,      ///< `content` is SentencePiece's precompiled table
        ByteAlphabet,  ///< encodes every byte in the GPT-2 alphabet
    };
    Kind kind = Kind::Nfc;
    std::string pattern{};
    std::string content{};
    bool left = true;
    bool right = true;
    bool cleanText = true;       ///< for Bert
    bool isolateChinese = true;  ///< for Bert
    bool stripAccents = true;    ///< for Bert
    bool lowercase = true;       ///< for Bert
};

/// Treatment of the matches of a splitting pattern.
enum class SplitBehaviour { Removed, Isolated, Contiguous, MergedWithPrevious, MergedWithNext };

struct SplitStep {
    enum class Kind {
        Pattern,       ///< splits at the matches of `pattern`
        PrefixSpace,   ///< prepends a space to each piece without one
        ByteAlphabet,  ///< encodes every byte in the GPT-2 alphabet
        Metaspace,     ///< replaces spaces by `replacement`, which then begins pieces
    };
    enum class Prepend { Never, First, Always };
    Kind kind = Kind::Pattern;
    std::string pattern{};
    SplitBehaviour behaviour = SplitBehaviour::Isolated;
    bool invert = false;  ///< swap matches and the text between them
    std::string replacement = "\xE2\x96\x81";
    Prepend prepend = Prepend::Always;
    bool cutBefore = true;  ///< for Metaspace: each replacement begins a piece
    friend bool operator==(const SplitStep&, const SplitStep&) = default;
};

struct DecodeStep {
    enum class Kind {
        ByteAlphabet,  ///< decodes characters of the GPT-2 alphabet to bytes
        Replace,       ///< replaces every `pattern`, here a plain text, by `content`
        Fuse,          ///< later steps apply to the whole text, not to its pieces
        Strip,         ///< removes up to `count` times `content` from the start
        Metaspace,     ///< replaces `pattern` by spaces; removes it from the first piece if
                       ///< `dropFirst`
        WordPiece,     ///< prepends a space to each piece without the prefix `pattern`
        WordSuffix,    ///< replaces `pattern` at the end of a word by a space between words
    };
    Kind kind = Kind::Fuse;
    std::string pattern{};
    std::string content{};
    std::size_t count = 0;
    bool dropFirst = true;
    bool cleanUp = false;  ///< for WordPiece: no space before punctuation and English contractions
};

/// SentencePiece's normalisation. Source: sentencepiece_model.proto, NormalizerSpec.
struct SentencePieceRules {
    bool used = false;     ///< use SentencePiece's normalisation
    std::string charsmap;  ///< precompiled table; empty: characters are unchanged
    bool removeExtraSpaces = false;
    bool spaceAsSuffix = false;
    /// Search user-defined pieces in the normalised text, as SentencePiece does, instead of in the
    /// original text.
    bool freezeUserDefined = false;
};

}  // namespace lacuna
