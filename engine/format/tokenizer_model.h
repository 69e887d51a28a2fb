#pragma once
/// \file
/// tokenizer.model, SentencePiece's own file. Pure function; may be called from many threads.
/// Source: sentencepiece_model.proto.

#include <string_view>

#include "engine/base/result.h"
#include "engine/text/tokenizer.h"

namespace lacuna {

/// A vocabulary with its scores and the library's rules for preparing texts. Which tokens stand at
/// the edges of a text, the file does not say. Errors: TokConfig.
[[nodiscard]] Result<TokenizerData> tokenizerFromModel(std::string_view bytes);

}  // namespace lacuna
