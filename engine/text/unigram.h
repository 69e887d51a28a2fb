#pragma once
/// \file
/// SentencePiece unigram: of all ways to cut a text into pieces, the one with the greatest sum of
/// log probabilities. Immutable after creation; may be used from many threads.
/// Source: Kudo 2018 (arXiv:1804.10959); the search is Viterbi's.

#include <string_view>
#include <vector>

#include "engine/text/piece_trie.h"
#include "engine/text/token_model.h"
#include "engine/text/vocabulary.h"

namespace lacuna {

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

}  // namespace lacuna
