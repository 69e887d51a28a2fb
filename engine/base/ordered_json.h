#pragma once
/// \file
/// JSON text to values that keep the order of their keys, for what is written out again as it was
/// read.

#include <string_view>

#include "engine/base/json.h"

namespace lacuna {

/// As parseJson, with keys in the order of the text. Errors: Json, with the byte offset.
[[nodiscard]] Result<OrderedJson> parseOrderedJson(std::string_view text, int maxDepth = 128);

}  // namespace lacuna
