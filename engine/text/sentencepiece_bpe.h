#pragma once
/// \file
/// SentencePiece BPE: characters merge into the pair of best score first; what no piece covers
/// falls back to bytes or to the unknown piece. Immutable after creation; may be used from many
/// threads. Source: Kudo & Richardson 2018 (arXiv:1808.06226), model type BPE.

#include <string_view>
#include <vector>

#include "engine/text/piece_trie.h"
#include "engine/text/token_model.h"
#include "engine/text/vocabulary.h"

namespace lacuna {

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

}  // namespace lacuna
