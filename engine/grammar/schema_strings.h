#pragma once
/// \file
/// Strings of a JSON schema. Internal to this room. Pure function.

#include "engine/base/work_budget.h"
#include "engine/grammar/grammar_tree.h"
#include "engine/grammar/schema_place.h"

namespace lacuna {

/// `character` is any one character of a JSON string. Lengths count characters.
/// Errors: InvalidArgument (maxLength below minLength, a broken pattern), Unsupported (a pattern
/// with a length, a pattern or format that is not known).
[[nodiscard]] Result<GrammarNode> stringOf(const SchemaPlace& place, const GrammarNode& character,
                                           WorkBudget& work);

}  // namespace lacuna
