#pragma once
/// \file
/// The steps by which a tokenizer file changes, cuts and joins text, as plain data: filled by the
/// format room, run by Normalizer, Pretokenizer and PieceDecoder. Patterns are regular expressions
/// in Oniguruma's syntax; a reader escapes literal ones (escapedPattern). Values; no threads.
/// Source: the normalizers, pre_tokenizers and decoders of Hugging Face tokenizers.

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
        StripEdges,    ///< white space at `left` and `right` end
        Replace,       ///< every match of `pattern` by `content`
        Prepend,       ///< `content` before a text that is not empty
        Bert,          ///< clean, isolate Chinese characters, strip accents, lower case
        Nmt,           ///< drops control characters, makes odd spaces plain ones
        Charsmap,      ///< `content` is SentencePiece's precompiled table
        ByteAlphabet,  ///< every byte by its character of the GPT-2 alphabet
    };
    Kind kind = Kind::Nfc;
    std::string pattern{};
    std::string content{};
    bool left = true;
    bool right = true;
    bool cleanText = true;       ///< Bert
    bool isolateChinese = true;  ///< Bert
    bool stripAccents = true;    ///< Bert
    bool lowercase = true;       ///< Bert
};

/// What becomes of the matches of a splitting pattern.
enum class SplitBehaviour { Removed, Isolated, Contiguous, MergedWithPrevious, MergedWithNext };

struct SplitStep {
    enum class Kind {
        Pattern,       ///< cuts at the matches of `pattern`
        PrefixSpace,   ///< a space before each piece that has none
        ByteAlphabet,  ///< every byte by its character of the GPT-2 alphabet
        Metaspace,     ///< spaces become `replacement`, and pieces begin with it
    };
    enum class Prepend { Never, First, Always };
    Kind kind = Kind::Pattern;
    std::string pattern{};
    SplitBehaviour behaviour = SplitBehaviour::Isolated;
    bool invert = false;  ///< what lies between the matches counts as matched
    std::string replacement = "\xE2\x96\x81";
    Prepend prepend = Prepend::Always;
    bool cutBefore = true;  ///< Metaspace: each replacement begins a piece
    friend bool operator==(const SplitStep&, const SplitStep&) = default;
};

struct DecodeStep {
    enum class Kind {
        ByteAlphabet,  ///< characters of the GPT-2 alphabet to bytes
        Replace,       ///< every `pattern`, a plain text here, by `content`
        Fuse,          ///< what follows sees the whole text, not its pieces
        Strip,         ///< up to `count` times `content` from the start
        Metaspace,     ///< `pattern` to spaces; dropped from the first piece when `dropFirst`
        WordPiece,     ///< a space before each piece without the prefix `pattern`
        WordSuffix,    ///< `pattern` at the end of a word to a space between words
    };
    Kind kind = Kind::Fuse;
    std::string pattern{};
    std::string content{};
    std::size_t count = 0;
    bool dropFirst = true;
    bool cleanUp = false;  ///< WordPiece: no space before punctuation and English contractions
};

/// How SentencePiece prepares a text. Source: sentencepiece_model.proto, NormalizerSpec.
struct SentencePieceRules {
    bool used = false;     ///< texts are prepared in the library's way at all
    std::string charsmap;  ///< precompiled table; empty: characters stay as they are
    bool removeExtraSpaces = false;
    bool spaceAsSuffix = false;
    /// User-defined pieces are found inside the prepared text, as the library does, instead of
    /// before it is prepared.
    bool freezeUserDefined = false;
};

}  // namespace lacuna
