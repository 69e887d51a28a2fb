#pragma once
/// \file
/// Parts of JSON text as grammar nodes. Each character of a string has one spelling: itself where
/// JSON allows it, else its shortest escape. Pure functions. Source: RFC 8259.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/grammar/grammar_tree.h"

namespace lacuna {

/// One character of `ranges` as it is spelled inside a JSON string.
[[nodiscard]] GrammarNode jsonChars(std::vector<CharRange> ranges);
/// `content` between quotation marks.
[[nodiscard]] GrammarNode quotedNode(GrammarNode content);
/// Nothing, one space, or a line end with up to 16 spaces or tabs.
[[nodiscard]] GrammarNode spaceNode();
/// Exactly this value, without spaces.
[[nodiscard]] GrammarNode valueNode(const OrderedJson& value);
/// Property names of up to 32 letters, digits, _ and -, none of them one of `taken`.
/// Errors: Unsupported when the names taken differ in too many places.
[[nodiscard]] Result<GrammarNode> otherNames(std::span<const std::string> taken);

/// Numbers have at most this many digits before the point, so that every reader keeps them exact.
inline constexpr std::int64_t kMaxWhole = 999'999'999'999'999;

/// Whole numbers from `least` to `most`. @pre least <= most, both within kMaxWhole
[[nodiscard]] GrammarNode wholeNode(std::int64_t least, std::int64_t most);
/// Numbers with exactly `decimals` digits after the point, from `least` to `most` units of the
/// last one. @pre as wholeNode; decimals in [1, 6]
[[nodiscard]] GrammarNode fixedPointNode(std::int64_t least, std::int64_t most, int decimals);
/// Any number: at most 15 digits before the point, 15 after it and two of an exponent.
[[nodiscard]] GrammarNode anyNumberNode();

}  // namespace lacuna
