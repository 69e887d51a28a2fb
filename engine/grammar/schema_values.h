#pragma once
/// \file
/// Strings and numbers of a JSON schema. Internal to this room. Pure functions.

#include <string_view>

#include "engine/base/result.h"
#include "engine/base/work_budget.h"
#include "engine/grammar/grammar_tree.h"
#include "engine/grammar/schema_place.h"

namespace lacuna {

/// A regular expression of a JSON schema as a grammar for the inside of a JSON string. Understood:
/// characters, ., [classes], \d \w \s \D \W \S and escaped characters, ( ), (?: ), |, * + ? {n,m},
/// ^ at the beginning and $ at the end. Without ^ or $ any text may stand before or after, as
/// JSON Schema says. \D, \W, \S and negated classes with a class inside them draw from ASCII only,
/// because engines differ beyond it. Source: ECMA-262, its common part with others.
/// Errors: Unsupported (look-around, back references, word borders, an anchor elsewhere),
/// InvalidArgument (not a regular expression, over 16 KiB), both saying where; Cancelled.
[[nodiscard]] Result<GrammarNode> patternNode(std::string_view pattern, WorkBudget& work);

/// Whether `format` is one whose texts are spelled by its rules; others only describe.
[[nodiscard]] bool isStringFormat(const OrderedJson& format);

/// `character` is any one character of a JSON string. Lengths count characters.
/// Errors: InvalidArgument (maxLength below minLength, a broken pattern), Unsupported (a pattern
/// with a length). A format gives way to a pattern, and to lengths that it does not keep.
[[nodiscard]] Result<GrammarNode> stringOf(const SchemaPlace& place, const GrammarNode& character,
                                           WorkBudget& work);

/// Whole numbers within minimum, maximum, exclusiveMinimum and exclusiveMaximum (number_ranges.h).
/// Errors: InvalidArgument (nothing between the bounds), Unsupported (a bound of over 64 digits).
[[nodiscard]] Result<GrammarNode> integerOf(const SchemaPlace& place);
/// Any number within the same keywords. Errors: as integerOf.
[[nodiscard]] Result<GrammarNode> numberOf(const SchemaPlace& place);

}  // namespace lacuna
