#pragma once
/// \file
/// What a converted file says about itself: names, hyperparameters, tokenizer, chat template.
/// Pure functions of the opened model.

#include <vector>

#include "engine/base/result.h"
#include "engine/format/convert.h"
#include "engine/format/gguf_writer.h"
#include "engine/format/model_container.h"

namespace lacuna {

/// All metadata of the target file. Errors: those of the tokenizer's files; TokPreUnknown;
/// ModelVocab.
[[nodiscard]] Result<GgufMetadata> metadataForGguf(const ModelContainer& model,
                                                   const ConvertOptions& options);

/// Divisors [dim/2] of the rotary frequencies for the Llama-3 rule, as `rope_freqs.weight` stores
/// them.
[[nodiscard]] std::vector<float> llama3Factors(const RopeSpec& rope);

}  // namespace lacuna
