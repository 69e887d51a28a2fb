#pragma once
/// \file
/// The kinds of tokenizers: a piece of text in, ids out. Merges by rank, merges by score, the most
/// probable cut, the longest pieces; and the tree of pieces that two of them search. Models are
/// immutable after creation and may be used from many threads.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/text/text_work.h"
#include "engine/text/vocabulary.h"

namespace lacuna {

/// What the kinds have in common.
class TokenModel {
  public:
    virtual ~TokenModel() = default;
    /// Appends the ids of one piece, normalised and pre-split, to `out`.
    /// Errors: TokVocab when the vocabulary can neither spell it nor call it unknown; those of
    /// `work` once it is over.
    [[nodiscard]] virtual Status encodeInto(std::string_view piece, TextWork& work,
                                            std::vector<TokenId>& out) const = 0;
};

/// The pieces of a vocabulary as a tree of bytes: which of them begin at a place is found in one
/// walk.
class PieceTrie {
  public:
    PieceTrie() = default;
    /// Of two equal texts the first one counts. Views are not kept.
    explicit PieceTrie(std::vector<std::pair<std::string_view, TokenId>> pieces);

    using Node = std::uint32_t;
    static constexpr Node kRoot = 0;
    [[nodiscard]] std::optional<Node> child(Node node, unsigned char byte) const;
    /// The piece that ends at a node.
    [[nodiscard]] std::optional<TokenId> piece(Node node) const;
    /// Bytes of the longest piece at the start of `text`; 0 when there is none.
    [[nodiscard]] std::size_t longestPrefix(std::string_view text) const;

  private:
    struct Entry {
        std::uint32_t firstChild = 0;
        std::uint16_t children = 0;
        unsigned char byte = 0;
        TokenId id = -1;
    };
    std::vector<Entry> nodes_ = std::vector<Entry>(1);  // children side by side, by rising byte
};

/// Byte-pair encoding by ranked merges: the characters of a piece merge pair by pair, the
/// best-ranked pair first. In a byte-level vocabulary each character stands for a byte.
/// Source: Sennrich et al. 2016 (arXiv:1508.07909); Radford et al. 2019 (GPT-2).
class MergeBpe : public TokenModel {
  public:
    /// Reads the merges of `vocabulary`, which must outlive this. Errors: TokMerges,
    /// Cancelled.
    [[nodiscard]] static Result<MergeBpe> create(const Vocabulary& vocabulary, WorkBudget& work);

    /// n log n in the bytes of the piece.
    [[nodiscard]] Status encodeInto(std::string_view piece, TextWork& work,
                                    std::vector<TokenId>& out) const override;

  private:
    struct Merge {
        std::int32_t rank = 0;
        TokenId result = 0;
    };
    /// Pair of ids to merge: open addressing, because this look-up is all that encoding does.
    struct Entry {
        std::uint64_t pair = 0;
        Merge merge;
        bool used = false;
    };
    /// Where a character stands in its piece.
    struct Place {
        bool first = false;
        bool last = false;
    };
    explicit MergeBpe(const Vocabulary& vocabulary) : vocabulary_(&vocabulary) {}
    [[nodiscard]] Status readMerges(WorkBudget& work);
    [[nodiscard]] bool insert(std::uint64_t pair, Merge merge);
    [[nodiscard]] const Merge* find(TokenId left, TokenId right) const;
    [[nodiscard]] std::optional<TokenId> firstId(std::string_view character, Place place) const;
    [[nodiscard]] std::vector<TokenId> firstIds(std::string_view piece, TextWork& work) const;
    [[nodiscard]] bool spell(std::string_view character, Place place,
                             std::vector<TokenId>& ids) const;
    void mergeInto(const std::vector<TokenId>& first, TextWork& work,
                   std::vector<TokenId>& out) const;

    const Vocabulary* vocabulary_;
    std::vector<Entry> table_;       // size a power of two, at most half full
    std::vector<TokenId> firstIds_;  // by code point, for the first ones
};

/// SentencePiece BPE: characters merge into the pair of best score first; what no piece covers
/// falls back to bytes or to the unknown piece. Source: Kudo & Richardson 2018 (arXiv:1808.06226),
/// model type BPE.
class SentencePieceBpe : public TokenModel {
  public:
    /// `vocabulary` must outlive this.
    explicit SentencePieceBpe(const Vocabulary& vocabulary);
    /// A text in which U+2581 stands for spaces: n log n in its characters.
    [[nodiscard]] Status encodeInto(std::string_view piece, TextWork& work,
                                    std::vector<TokenId>& out) const override;

  private:
    const Vocabulary* vocabulary_;
    PieceTrie frozen_;  // user-defined pieces, where the model finds them itself
};

/// SentencePiece unigram: of all ways to cut a text into pieces, the one with the greatest sum of
/// log probabilities. Source: Kudo 2018 (arXiv:1804.10959); the search is Viterbi's.
class Unigram : public TokenModel {
  public:
    /// `vocabulary` must outlive this. Errors: TokVocab when there is neither an unknown piece nor
    /// byte pieces for what no piece covers.
    [[nodiscard]] static Result<Unigram> create(const Vocabulary& vocabulary);
    /// Linear in the text times the longest piece; those over 1,024 bytes take no part. Needs 16 to
    /// 24 bytes for each byte of the text.
    [[nodiscard]] Status encodeInto(std::string_view piece, TextWork& work,
                                    std::vector<TokenId>& out) const override;

  private:
    explicit Unigram(const Vocabulary& vocabulary);
    template <class Sum>
    [[nodiscard]] std::vector<ByteRange> bestCut(std::string_view text, TextWork& work,
                                                 std::vector<TokenId>& ids) const;
    template <class Sum>
    [[nodiscard]] Sum scoreOf(TokenId id, std::size_t bytes) const;
    void emitUnknown(std::string_view text, std::vector<TokenId>& out) const;

    const Vocabulary* vocabulary_;
    PieceTrie trie_;
    double unknownScore_ = 0;
    double greatestScore_ = 0;
    bool bonus_ = false;  // user-defined pieces always win
};

/// WordPiece: each word is cut into the longest pieces from the left; a word that cannot be cut is
/// unknown as a whole. Source: Wu et al. 2016 (arXiv:1609.08144), as BERT applies it.
class WordPiece : public TokenModel {
  public:
    /// `vocabulary` must outlive this. Errors: TokVocab without an unknown piece.
    [[nodiscard]] static Result<WordPiece> create(const Vocabulary& vocabulary);
    /// One word, at most square in its bytes, which WordPieceOptions limits.
    [[nodiscard]] Status encodeInto(std::string_view word, TextWork& work,
                                    std::vector<TokenId>& out) const override;

  private:
    explicit WordPiece(const Vocabulary& vocabulary) : vocabulary_(&vocabulary) {}
    const Vocabulary* vocabulary_;
};

}  // namespace lacuna
