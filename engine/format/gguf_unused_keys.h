#pragma once
/// \file
/// Classifies the metadata keys of a model's architecture that its reader did not use: some never
/// matter, some are refused unless their value does not change the computation, and the rest is
/// reported by name. Pure functions. Source: the key names of the GGUF format (ggml).

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/gguf.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Returns the keys of `prefix` ("llama") that are neither in `used` nor known, and unknown keys of
/// the tokenizer, in file order. Errors: Unsupported, naming a key that changes the computation and
/// its value.
[[nodiscard]] Result<std::vector<std::string>> unusedKeys(
    const GgufFile& file, std::string_view prefix, const std::set<std::string, std::less<>>& used,
    const ModelSpec& spec);

}  // namespace lacuna
