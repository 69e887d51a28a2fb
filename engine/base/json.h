#pragma once
/// \file
/// Text to JSON values as Results; the only place that catches the library's exceptions. And how
/// much a text may ask for: values take far more memory than their text (60 MB of "[]," a
/// gigabyte), so the memory is estimated before anything is made of a text.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace lacuna {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// Parses UTF-8 text. Refuses duplicate keys, nesting over `maxDepth`, trailing text, NaN literals,
/// NUL bytes, what takes too much memory (JsonLimits). Errors: Json, with the byte offset.
[[nodiscard]] Result<Json> parseJson(std::string_view text, int maxDepth = 128);
/// Serialises; invalid UTF-8 in strings is replaced, never thrown. `indent` < 0 prints one line.
[[nodiscard]] std::string dumpJson(const OrderedJson& value, int indent = -1);

/// As parseJson, with keys in the order of the text. Errors: Json, with the byte offset.
[[nodiscard]] Result<OrderedJson> parseOrderedJson(std::string_view text, int maxDepth = 128);

/// How much a text may ask for.
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

/// `what` the library says is wrong, without its own code and place, which is said once already,
/// and without the end of what passes 200 bytes: it repeats what was read last, however long that
/// is.
[[nodiscard]] std::string jsonComplaint(std::string_view what);

}  // namespace lacuna
