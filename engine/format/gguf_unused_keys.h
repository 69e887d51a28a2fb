#pragma once
/// \file
/// What the metadata keys of a model's architecture that its reader did not use mean for the
/// computation: some never matter, some are refused unless they state what is computed anyway, and
/// the rest is reported by name. Pure functions. Source: the key names of the GGUF format (ggml).

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/gguf.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Keys of `prefix` ("llama") that are neither in `used` nor known, and keys of the tokenizer that
/// are not known, in the order of the file. Errors: Unsupported, naming a key that changes the
/// computation and its value.
[[nodiscard]] Result<std::vector<std::string>> unusedKeys(
    const GgufFile& file, std::string_view prefix, const std::set<std::string, std::less<>>& used,
    const ModelSpec& spec);

}  // namespace lacuna
