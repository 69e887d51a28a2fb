#pragma once
/// \file
/// Tokens to text while they arrive: emits whole UTF-8 characters only, holds back the rest.
/// Owned by one thread; keeps a reference to its tokenizer.

#include <string>

#include "engine/text/tokenizer.h"

namespace lacuna {

class StreamDecoder {
 public:
    explicit StreamDecoder(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
    /// Text that became complete with this token; empty while a character is still open.
    [[nodiscard]] Result<std::string> push(TokenId id);
    /// What is left at the end; an unfinished character becomes U+FFFD.
    [[nodiscard]] std::string finish();

 private:
    const Tokenizer& tokenizer_;
    std::string pending_;
    bool first_ = true;
};

}  // namespace lacuna
