#pragma once
/// \file
/// How much a JSON text may ask for. Values take far more memory than their text: 60 MB of "[]," a
/// gigabyte. So the memory is estimated before anything is made of a text.

#include <cstddef>
#include <string_view>

#include "engine/base/json.h"

namespace lacuna {

struct JsonLimits {
    int depth = 128;
    /// Memory of the values as jsonMemory counts it: 64 MiB and this many times the length of the
    /// text. Enough for words and for what is written with spaces; parseJson without limits asks
    /// for this.
    int growth = 3;
};
/// For the tables of a tokenizer: without spaces, pairs of short words take fifteen times their
/// length, but not of all of the 16 MB that the largest have.
inline constexpr JsonLimits kTableJson{.depth = 128, .growth = 6};
/// For documents of our own that consist of short numbers and small objects, such as reports.
inline constexpr JsonLimits kDenseJson{.depth = 128, .growth = 12};

/// About how many bytes the values of a text take, from above; reads it once and allocates nothing.
[[nodiscard]] std::size_t jsonMemory(std::string_view text);

/// parseJson within these limits. Errors: Json, with the byte offset, or with both figures where
/// the values would take too much memory.
[[nodiscard]] Result<Json> parseJson(std::string_view text, const JsonLimits& limits);

}  // namespace lacuna
