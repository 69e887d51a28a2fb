#pragma once
/// \file
/// Tokens to text while they arrive: emits whole UTF-8 characters only, holds back the rest.
/// Owned by one thread; keeps a reference to its tokenizer.

#include <string>

#include "engine/text/tokenizer.h"

namespace lacuna {

/// Where the stream stands: a SentencePiece text begins with a space that is not part of it.
enum class StreamStart { OfText, MidText };

class StreamDecoder {
  public:
    explicit StreamDecoder(const Tokenizer& tokenizer, StreamStart start = StreamStart::OfText)
        : tokenizer_(tokenizer) {
        state_.first = state_.stripping = start == StreamStart::OfText;
    }
    /// Text that became complete with this token; empty while a character is still open.
    /// Bytes that can begin no character become U+FFFD. Errors: TokTokenId.
    [[nodiscard]] Result<std::string> push(TokenId id);
    /// What is left at the end; an unfinished character becomes U+FFFD.
    [[nodiscard]] std::string finish();

  private:
    const Tokenizer& tokenizer_;
    std::string pending_;  ///< the open character: at most three bytes
    Tokenizer::DecodeState state_;
};

}  // namespace lacuna
