#pragma once
/// \file
/// Grammar text (GBNF, as llama.cpp spells it) to a tree. Rules are `name ::= alternatives`; the
/// text follows rule `root`. "literal", [class], [^class], . (any character), name, ( group ),
/// a | b, and after an item * + ? {n} {n,} {n,m}. Escapes \n \r \t \\ \" \[ \] \- \xHH \uHHHH
/// \UHHHHHHHH. A rule goes on over line ends inside a group and after |; # begins a comment. Pure
/// function.

#include <string_view>

#include "engine/base/result.h"
#include "engine/base/work_budget.h"
#include "engine/grammar/grammar_tree.h"

namespace lacuna {

/// Errors: InvalidArgument with the line: what is not understood, a rule that is missing or defined
/// twice, groups deeper than 200, more than four different repetitions after one item, more than
/// 400,000 parts, more than 1 MiB; Cancelled.
[[nodiscard]] Result<GrammarTree> parseGrammar(std::string_view text, WorkBudget& work);
/// The same with a budget of its own.
[[nodiscard]] Result<GrammarTree> parseGrammar(std::string_view text);

}  // namespace lacuna
