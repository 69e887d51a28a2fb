#pragma once
/// \file
/// Parses text to JSON values as Results; the only code that catches the library's exceptions.
/// Values take far more memory than their text (60 MB of "[]," take a gigabyte), so the memory is
/// estimated and limited before a text is parsed.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace lacuna {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// Parses UTF-8 text. Refuses duplicate keys, nesting over `maxDepth`, trailing text, NaN literals,
/// NUL bytes, and values that take too much memory (JsonLimits). Errors: Json, with the byte
/// offset.
[[nodiscard]] Result<Json> parseJson(std::string_view text, int maxDepth = 128);
/// Serialises; replaces invalid UTF-8 in strings instead of throwing. `indent` < 0 prints one line.
[[nodiscard]] std::string dumpJson(const OrderedJson& value, int indent = -1);

/// Like parseJson, with keys in the order of the text. Errors: Json, with the byte offset.
[[nodiscard]] Result<OrderedJson> parseOrderedJson(std::string_view text, int maxDepth = 128);

/// Limits for the values of a text.
struct JsonLimits {
    int depth = 128;
    /// Memory limit as counted by jsonMemory: 64 MiB plus this many times the length of the text.
    /// The default is enough for words and for text with spaces; parseJson without limits uses it.
    int growth = 3;
};
/// For the tables of a tokenizer. Without spaces, pairs of short words take fifteen times their
/// length, but they are only part of the 16 MB of the largest tables.
inline constexpr JsonLimits kTableJson{.depth = 128, .growth = 6};
/// For the program's own documents that consist of short numbers and small objects, such as
/// reports.
inline constexpr JsonLimits kDenseJson{.depth = 128, .growth = 12};

/// Returns an upper estimate of the bytes that the values of a text take; reads the text once and
/// allocates nothing.
[[nodiscard]] std::size_t jsonMemory(std::string_view text);

/// parseJson within these limits. Errors: Json, with the byte offset, or with both sizes if the
/// values would take too much memory.
[[nodiscard]] Result<Json> parseJson(std::string_view text, const JsonLimits& limits);

/// Shortens the library's message `what`: removes its own code and position, which are reported
/// separately, and truncates it after 200 bytes, because it repeats the last token, which may be
/// long.
[[nodiscard]] std::string jsonErrorText(std::string_view what);

}  // namespace lacuna
