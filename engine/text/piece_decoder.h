#pragma once
/// \file
/// Decodes ids to bytes one by one, with the decoding steps of a tokenizer file or the default
/// steps of its kind. Immutable after creation; the caller holds the state. Source: the decoders of
/// Hugging Face tokenizers; SentencePiece for its own files.

#include <string>
#include <vector>

#include "engine/text/text_steps.h"
#include "engine/text/vocabulary.h"

namespace lacuna {

class PieceDecoder {
  public:
    using State = Tokenizer::DecodeState;

    /// `vocabulary` must outlive this object.
    explicit PieceDecoder(const Vocabulary& vocabulary);
    /// Returns the bytes that the next id adds to a text. @pre the vocabulary holds(id). Errors:
    /// TokTooLong if the steps produce more than 16 times the piece plus 4 KiB.
    [[nodiscard]] Result<std::string> next(TokenId id, State& state, SpecialOutput special) const;

  private:
    [[nodiscard]] Result<std::string> decoded(TokenId id, State& state) const;
    void apply(const DecodeStep& step, TokenId id, State& state, std::string& text) const;
    /// Limit of the decoded size of a piece.
    [[nodiscard]] std::size_t maxBytes(TokenId id) const;

    const Vocabulary* vocabulary_;
    std::vector<DecodeStep> steps_;
    bool fused_ = false;  // stripping applies to the whole text, not to each piece
};

}  // namespace lacuna
