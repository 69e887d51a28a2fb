#pragma once
/// \file
/// Parts of a tokenizer.json that its neighbours are read with too; the whole of it is
/// tokenizerFromJson (tokenizer_files.h). Pure functions; may be called from many threads. Source:
/// Hugging Face tokenizers, serialisation of these parts.

#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/text/text_steps.h"

namespace lacuna {

/// A member, or null when it is absent or `object` is no object.
[[nodiscard]] const Json& memberAt(const Json& object, const char* key);
/// Its text, or an empty one.
[[nodiscard]] std::string textAt(const Json& object, const char* key);
/// Its truth value, or `otherwise`.
[[nodiscard]] bool flagAt(const Json& object, const char* key, bool otherwise = false);

/// The part pre_tokenizer as steps. Errors: TokConfig naming a step that is not built.
[[nodiscard]] Result<std::vector<SplitStep>> splitSteps(const Json& part);

}  // namespace lacuna
