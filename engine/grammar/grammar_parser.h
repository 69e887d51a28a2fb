#pragma once
/// \file
/// Parses grammar text (GBNF, as in llama.cpp) to a tree. Rules have the form `name ::=
/// alternatives`; the start rule is `root`. Syntax: "literal", [class], [^class], . (any
/// character), name, ( group ), a | b, and after an item * + ? {n} {n,} {n,m}. Escapes \n \r \t
/// \\ \" \[ \] \- \xHH \uHHHH \UHHHHHHHH. A rule may contain line breaks inside a group and after
/// |; # begins a comment. Pure function.

#include <string_view>

#include "engine/base/result.h"
#include "engine/base/work_budget.h"
#include "engine/grammar/grammar_tree.h"

namespace lacuna {

/// Errors: InvalidArgument with the line number (a syntax error, a missing or duplicate rule,
/// groups nested deeper than 200, more than four different repetitions of one item, more than
/// 400,000 parts, more than 1 MiB); Cancelled.
[[nodiscard]] Result<GrammarTree> parseGrammar(std::string_view text, WorkBudget& work);
/// Same, with its own budget.
[[nodiscard]] Result<GrammarTree> parseGrammar(std::string_view text);

}  // namespace lacuna
