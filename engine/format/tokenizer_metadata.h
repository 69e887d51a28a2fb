#pragma once
/// \file
/// TokenizerData to the GGUF keys that other programs and tokenizerFromGguf read. Pure function.

#include "engine/base/result.h"
#include "engine/format/gguf_writer.h"
#include "engine/text/tokenizer.h"

namespace lacuna {

/// Adds tokens, types, scores or merges, splitting rule and special ids; pads the list of tokens up
/// to `vocabulary` with unused ones. Errors: TokPreUnknown when GGUF has no name for the splitting
/// rule; ModelVocab when there are more tokens than `vocabulary`.
[[nodiscard]] Status addTokenizer(GgufMetadata& metadata, const TokenizerData& data,
                                  int vocabulary);

}  // namespace lacuna
