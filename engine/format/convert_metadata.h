#pragma once
/// \file
/// Metadata of a converted file: names, hyperparameters, tokenizer, chat template. Pure functions
/// of the opened model.

#include <vector>

#include "engine/base/result.h"
#include "engine/format/convert.h"
#include "engine/format/gguf_writer.h"
#include "engine/format/model_container.h"
#include "engine/text/tokenizer.h"

namespace lacuna {

/// The expert layers are those from `leading` on whose 1-based number is a multiple of `step`.
struct ExpertLayerRule {
    int leading = 0;
    int step = 1;
};
/// Returns the rule that gives the expert layers of the model; nullopt if there is none.
[[nodiscard]] std::optional<ExpertLayerRule> expertLayersOf(const ModelSpec& spec);

/// Returns all metadata of the target file. Errors: those of the tokenizer's files; TokPreUnknown;
/// ModelVocab.
[[nodiscard]] Result<GgufMetadata> metadataForGguf(const ModelContainer& model,
                                                   const ConvertOptions& options);

/// Adds tokens, types, scores or merges, splitting rule and special ids; pads the list of tokens up
/// to `vocabulary` with unused ones. Errors: TokPreUnknown if GGUF has no name for the splitting
/// rule; ModelVocab if there are more tokens than `vocabulary`.
[[nodiscard]] Status addTokenizer(GgufMetadata& metadata, const TokenizerData& data,
                                  int vocabulary);

}  // namespace lacuna
