#pragma once
/// \file
/// Parts of JSON text as grammar nodes. Each character of a string has exactly one spelling:
/// unescaped if JSON allows it, otherwise its shortest escape. Pure functions. Source: RFC 8259.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/grammar/grammar_tree.h"

namespace lacuna {

/// One character of `ranges` as spelled inside a JSON string.
[[nodiscard]] GrammarNode jsonChars(std::vector<CharRange> ranges);
/// `content` between quotation marks.
[[nodiscard]] GrammarNode quotedNode(GrammarNode content);
/// No space, one space, or a line break followed by up to 16 spaces or tabs.
[[nodiscard]] GrammarNode spaceNode();
/// Exactly this value, without spaces.
[[nodiscard]] GrammarNode valueNode(const OrderedJson& value);
/// Property names of up to 32 letters, digits, _ and -, except those in `taken`. Errors:
/// Unsupported if the taken names differ in too many positions.
[[nodiscard]] Result<GrammarNode> otherNames(std::span<const std::string> taken);

/// Any integer, with any number of digits.
[[nodiscard]] GrammarNode anyWholeNumberNode();
/// Any number with unlimited digits before the point, at most 40 after it, and exponents with which
/// it is finite in 64 bits.
[[nodiscard]] GrammarNode anyNumberNode();

}  // namespace lacuna
