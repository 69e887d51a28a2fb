#pragma once
/// \file
/// A regular expression of a JSON schema as a grammar for the inside of a JSON string. Understood:
/// characters, ., [classes], \d \w \s \D \W \S and escaped characters, ( ), (?: ), |, * + ? {n,m},
/// ^ at the beginning and $ at the end. Without ^ or $ any text may stand before or after, as
/// JSON Schema says. \D, \W, \S and negated classes with a class inside them draw from ASCII only,
/// because engines differ beyond it. Pure function. Source: ECMA-262, its common part with others.

#include <string_view>

#include "engine/base/result.h"
#include "engine/base/work_budget.h"
#include "engine/grammar/grammar_tree.h"

namespace lacuna {

/// Errors: Unsupported (look-around, back references, word borders, an anchor elsewhere),
/// InvalidArgument (not a regular expression, over 16 KiB), both saying where; Cancelled.
[[nodiscard]] Result<GrammarNode> patternNode(std::string_view pattern, WorkBudget& work);

}  // namespace lacuna
