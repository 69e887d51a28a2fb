#pragma once
/// \file
/// Parts of JSON text as grammar nodes. Each character of a string has one spelling: itself where
/// JSON allows it, else its shortest escape. Pure functions. Source: RFC 8259.

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

/// Any whole number, without a limit to its digits.
[[nodiscard]] GrammarNode anyWholeNumberNode();
/// Any number: without a limit to the digits before the point, 40 after it, and the exponents with
/// which it is finite in 64 bits.
[[nodiscard]] GrammarNode anyNumberNode();

}  // namespace lacuna
