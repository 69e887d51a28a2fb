#pragma once
/// \file
/// Counts the tokens of texts independently of the engine; only the tokenizer of the model file is
/// loaded. Immutable after open.

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string_view>

#include "engine/base/result.h"
#include "engine/text/tokenizer.h"

namespace lacuna {

class TokenCounter {
  public:
    /// Takes as long as reading the vocabulary: tenths of a second for a large one. Errors: as
    /// loadTokenizer.
    [[nodiscard]] static Result<TokenCounter> open(const std::filesystem::path& model,
                                                   std::stop_token stop = {});
    /// Returns the number of tokens of a message with this text, without those of the template
    /// around it. Linear in the text. Errors: as Tokenizer::encode; Cancelled if `stop` returns
    /// true.
    [[nodiscard]] Result<std::int64_t> count(std::string_view text, StopRequested stop = {}) const;

  private:
    explicit TokenCounter(Tokenizer tokenizer) : tokenizer_(std::move(tokenizer)) {}
    Tokenizer tokenizer_;
};

}  // namespace lacuna
