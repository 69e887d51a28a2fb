#pragma once
/// \file
/// What a converted file says about itself: names, hyperparameters, tokenizer, chat template.
/// Pure functions of the opened model.

#include <vector>

#include "engine/base/result.h"
#include "engine/format/convert.h"
#include "engine/format/gguf_writer.h"
#include "engine/format/model_container.h"
#include "engine/text/tokenizer.h"

namespace lacuna {

/// Layers of experts are those from `leading` on whose number, counted from 1, is a multiple of
/// `step`.
struct ExpertLayerRule {
    int leading = 0;
    int step = 1;
};
/// Nothing where no such rule gives the layers of the model.
[[nodiscard]] std::optional<ExpertLayerRule> expertLayersOf(const ModelSpec& spec);

/// All metadata of the target file. Errors: those of the tokenizer's files; TokPreUnknown;
/// ModelVocab.
[[nodiscard]] Result<GgufMetadata> metadataForGguf(const ModelContainer& model,
                                                   const ConvertOptions& options);

/// Adds tokens, types, scores or merges, splitting rule and special ids; pads the list of tokens up
/// to `vocabulary` with unused ones. Errors: TokPreUnknown when GGUF has no name for the splitting
/// rule; ModelVocab when there are more tokens than `vocabulary`.
[[nodiscard]] Status addTokenizer(GgufMetadata& metadata, const TokenizerData& data,
                                  int vocabulary);

}  // namespace lacuna
