#pragma once
/// \file
/// Strings and numbers of a JSON schema. Internal to this module. Pure functions.

#include <string_view>

#include "engine/base/result.h"
#include "engine/base/work_budget.h"
#include "engine/grammar/grammar_tree.h"
#include "engine/grammar/schema_node.h"

namespace lacuna {

/// Converts a regular expression to a grammar for the content of a JSON string. Supported:
/// characters, ., [classes], \d \w \s \D \W \S and escaped characters, ( ), (?: ), |, * + ? {n,m},
/// ^ at the beginning and $ at the end. Without ^ or $ any text may precede or follow, as in JSON
/// Schema. \D, \W, \S and negated classes that contain a class only match ASCII, because engines
/// differ beyond it. Source: ECMA-262, its subset common to other engines. Errors: Unsupported
/// (look-around, back references, word boundaries, an anchor elsewhere), InvalidArgument (not a
/// regular expression, over 16 KiB), both with the position; Cancelled.
[[nodiscard]] Result<GrammarNode> patternNode(std::string_view pattern, WorkBudget& work);

/// Returns true if texts of this `format` are restricted by the grammar; other formats are
/// annotations.
[[nodiscard]] bool isStringFormat(const OrderedJson& format);

/// `character` matches any one character of a JSON string. Lengths count characters. A format is
/// ignored if there is a pattern, or lengths that it does not satisfy. Errors: InvalidArgument
/// (maxLength below minLength, an invalid pattern), Unsupported (a pattern with a length).
[[nodiscard]] Result<GrammarNode> stringOf(const SchemaNode& place, const GrammarNode& character,
                                           WorkBudget& work);

/// Integers within minimum, maximum, exclusiveMinimum and exclusiveMaximum (number_ranges.h).
/// Errors: InvalidArgument (an empty range), Unsupported (a bound of over 64 digits).
[[nodiscard]] Result<GrammarNode> integerOf(const SchemaNode& place);
/// Any number within these keywords. Errors: as integerOf.
[[nodiscard]] Result<GrammarNode> numberOf(const SchemaNode& place);

}  // namespace lacuna
