#pragma once
/// \file
/// SentencePiece BPE: characters merge into the pair of best score first; what no piece covers
/// falls back to bytes or to the unknown piece. Immutable after creation; may be used from many
/// threads. Source: Kudo & Richardson 2018 (arXiv:1808.06226), model type BPE.

#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/vocabulary.h"

namespace lacuna {

class SentencePieceBpe {
  public:
    enum class Prefix { None, Space };
    /// `vocabulary` must outlive this.
    explicit SentencePieceBpe(const Vocabulary& vocabulary) : vocabulary_(&vocabulary) {}
    /// Appends the ids of a run of text to `out`: n log n in its characters. Spaces become U+2581.
    /// Errors: TokVocab when a character has neither piece nor bytes nor an unknown piece.
    [[nodiscard]] Status encodeInto(std::string_view text, Prefix prefix,
                                    std::vector<TokenId>& out) const;

  private:
    const Vocabulary* vocabulary_;
};

}  // namespace lacuna
