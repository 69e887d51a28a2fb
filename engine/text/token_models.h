#pragma once
/// \file
/// Tokenizer models, which convert a piece of text to ids: merges by rank, merges by score, most
/// probable segmentation, longest pieces. Also the trie that two of them search. Models are
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

/// Common interface of the models.
class TokenModel {
  public:
    virtual ~TokenModel() = default;
    /// Appends the ids of one normalised, pre-split piece to `out`. Errors: TokVocab if the
    /// vocabulary can neither spell it nor has an unknown piece; those of `work` if it is
    /// exhausted.
    [[nodiscard]] virtual Status encodeInto(std::string_view piece, TextWork& work,
                                            std::vector<TokenId>& out) const = 0;
};

/// Trie over the bytes of a vocabulary's pieces; finds all pieces at a position in one walk.
class PieceTrie {
  public:
    PieceTrie() = default;
    /// If two texts are equal, the first one is used. The views are not stored.
    explicit PieceTrie(std::vector<std::pair<std::string_view, TokenId>> pieces);

    using Node = std::uint32_t;
    static constexpr Node kRoot = 0;
    [[nodiscard]] std::optional<Node> child(Node node, unsigned char byte) const;
    /// Returns the piece that ends at a node.
    [[nodiscard]] std::optional<TokenId> piece(Node node) const;
    /// Returns the length in bytes of the longest piece at the start of `text`; 0 if there is none.
    [[nodiscard]] std::size_t longestPrefix(std::string_view text) const;

  private:
    struct Entry {
        std::uint32_t firstChild = 0;
        std::uint16_t children = 0;
        unsigned char byte = 0;
        TokenId id = -1;
    };
    std::vector<Entry> nodes_ = std::vector<Entry>(1);  // children are contiguous and sorted by
                                                        // byte
};

/// Byte-pair encoding by ranked merges: merges the characters of a piece pair by pair, best rank
/// first. In a byte-level vocabulary, each character represents a byte. Source: Sennrich et al.
/// 2016 (arXiv:1508.07909); Radford et al. 2019 (GPT-2).
class MergeBpe : public TokenModel {
  public:
    /// Reads the merges of `vocabulary`, which must outlive this object. Errors: TokMerges,
    /// Cancelled.
    [[nodiscard]] static Result<MergeBpe> create(const Vocabulary& vocabulary, WorkBudget& work);

    /// Cost: n log n in the bytes of the piece.
    [[nodiscard]] Status encodeInto(std::string_view piece, TextWork& work,
                                    std::vector<TokenId>& out) const override;

  private:
    struct Merge {
        std::int32_t rank = 0;
        TokenId result = 0;
    };
    /// Maps a pair of ids to a merge. Uses open addressing, because encoding consists almost only
    /// of this look-up.
    struct Entry {
        std::uint64_t pair = 0;
        Merge merge;
        bool used = false;
    };
    /// Position of a character in its piece.
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
    std::vector<Entry> table_;       // size is a power of two, at most half full
    std::vector<TokenId> firstIds_;  // direct look-up for the first code points
};

/// SentencePiece BPE: merges the pair with the best score first; characters without a piece fall
/// back to bytes or to the unknown piece. Source: Kudo & Richardson 2018 (arXiv:1808.06226), model
/// type BPE.
class SentencePieceBpe : public TokenModel {
  public:
    /// `vocabulary` must outlive this object.
    explicit SentencePieceBpe(const Vocabulary& vocabulary);
    /// `piece` has U+2581 in place of spaces. Cost: n log n in its characters.
    [[nodiscard]] Status encodeInto(std::string_view piece, TextWork& work,
                                    std::vector<TokenId>& out) const override;

  private:
    const Vocabulary* vocabulary_;
    PieceTrie frozen_;  // user-defined pieces, if the model matches them itself
};

/// SentencePiece unigram: finds the segmentation with the largest sum of log probabilities by
/// Viterbi search. Source: Kudo 2018 (arXiv:1804.10959).
class Unigram : public TokenModel {
  public:
    /// `vocabulary` must outlive this object. Errors: TokVocab if there is neither an unknown piece
    /// nor byte pieces.
    [[nodiscard]] static Result<Unigram> create(const Vocabulary& vocabulary);
    /// Cost: text length times the longest piece; pieces over 1,024 bytes are ignored. Needs 16 to
    /// 24 bytes of memory per byte of text.
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

/// WordPiece: splits each word greedily into the longest pieces from the left; a word that cannot
/// be split is unknown as a whole. Source: Wu et al. 2016 (arXiv:1609.08144), as BERT applies it.
class WordPiece : public TokenModel {
  public:
    /// `vocabulary` must outlive this object. Errors: TokVocab without an unknown piece.
    [[nodiscard]] static Result<WordPiece> create(const Vocabulary& vocabulary);
    /// Encodes one word. Cost: at most quadratic in its bytes, which WordPieceOptions limits.
    [[nodiscard]] Status encodeInto(std::string_view word, TextWork& work,
                                    std::vector<TokenId>& out) const override;

  private:
    explicit WordPiece(const Vocabulary& vocabulary) : vocabulary_(&vocabulary) {}
    const Vocabulary* vocabulary_;
};

}  // namespace lacuna
