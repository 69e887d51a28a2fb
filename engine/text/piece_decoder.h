#pragma once
/// \file
/// Ids to bytes, one after the other: runs the decoding steps of a tokenizer file, or those that
/// belong to its kind. Immutable after creation; the state belongs to the caller.
/// Source: the decoders of Hugging Face tokenizers; SentencePiece for its own files.

#include <string>
#include <vector>

#include "engine/text/text_steps.h"
#include "engine/text/vocabulary.h"

namespace lacuna {

class PieceDecoder {
  public:
    using State = Tokenizer::DecodeState;

    /// `vocabulary` must outlive this.
    explicit PieceDecoder(const Vocabulary& vocabulary);
    /// Bytes that the next id adds to a text. @pre the vocabulary holds(id)
    /// Errors: TokTooLong when the steps make more than 16 times the piece and 4 KiB of it.
    [[nodiscard]] Result<std::string> next(TokenId id, State& state, SpecialOutput special) const;

  private:
    [[nodiscard]] Result<std::string> decoded(TokenId id, State& state) const;
    void apply(const DecodeStep& step, TokenId id, State& state, std::string& text) const;
    /// What the steps may make of a piece.
    [[nodiscard]] std::size_t mostBytes(TokenId id) const;

    const Vocabulary* vocabulary_;
    std::vector<DecodeStep> steps_;
    bool fused_ = false;  // stripping counts for the whole text, not for each piece
};

}  // namespace lacuna
