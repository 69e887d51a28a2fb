#pragma once
/// \file
/// The parts normalizer, pre_tokenizer and decoder of a tokenizer.json as steps. What is not built
/// is refused by name. Pure functions; may be called from many threads.
/// Source: Hugging Face tokenizers, serialisation of these parts.

#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/text/text_steps.h"

namespace lacuna {

/// Errors of all three: TokConfig naming the step.
[[nodiscard]] Result<std::vector<NormalizeStep>> normalizeSteps(const Json& part);
[[nodiscard]] Result<std::vector<SplitStep>> splitSteps(const Json& part);
[[nodiscard]] Result<std::vector<DecodeStep>> decodeSteps(const Json& part);
/// The bytes of a text in base64. Errors: TokConfig.
[[nodiscard]] Result<std::string> fromBase64(std::string_view text);

}  // namespace lacuna
