#pragma once
/// \file
/// Text to JSON values as Results; the only place that catches the library's exceptions.

#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/base/result.h"

namespace lacuna {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// Parses UTF-8 text. Refuses duplicate keys, nesting over `maxDepth`, trailing text, NaN literals,
/// NUL bytes, what takes too much memory (json_limits.h). Errors: Json, with the byte offset.
[[nodiscard]] Result<Json> parseJson(std::string_view text, int maxDepth = 128);
/// Serialises; invalid UTF-8 in strings is replaced, never thrown. `indent` < 0 prints one line.
[[nodiscard]] std::string dumpJson(const OrderedJson& value, int indent = -1);

}  // namespace lacuna
