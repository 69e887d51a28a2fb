#pragma once
/// \file
/// WordPiece: each word is cut into the longest pieces from the left; a word that cannot be cut is
/// unknown as a whole. Immutable after creation; may be used from many threads.
/// Source: Wu et al. 2016 (arXiv:1609.08144), as BERT applies it.

#include <string_view>
#include <vector>

#include "engine/text/token_model.h"
#include "engine/text/vocabulary.h"

namespace lacuna {

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
