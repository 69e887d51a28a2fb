#pragma once
/// \file
/// Readers of parts of a tokenizer.json that its neighbours share; tokenizerFromJson
/// (tokenizer_files.h) reads a complete one. Pure functions; may be called from many threads.
/// Source: Hugging Face tokenizers, serialisation of these parts.

#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/text/text_steps.h"

namespace lacuna {

/// Returns a member, or null if it is absent or `object` is not an object.
[[nodiscard]] const Json& memberAt(const Json& object, const char* key);
/// Returns the member's text, or an empty one.
[[nodiscard]] std::string textAt(const Json& object, const char* key);
/// Returns the member's truth value, or `otherwise`.
[[nodiscard]] bool flagAt(const Json& object, const char* key, bool otherwise = false);

/// Reads the part pre_tokenizer as steps. Errors: TokConfig naming an unsupported step.
[[nodiscard]] Result<std::vector<SplitStep>> splitSteps(const Json& part);

}  // namespace lacuna
