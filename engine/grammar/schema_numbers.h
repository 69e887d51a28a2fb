#pragma once
/// \file
/// Numbers of a JSON schema with their bounds. Internal to this room. Pure functions.

#include "engine/grammar/grammar_tree.h"
#include "engine/grammar/schema_place.h"

namespace lacuna {

/// Whole numbers within minimum, maximum, exclusiveMinimum and exclusiveMaximum; at most 15 digits.
/// Errors: InvalidArgument (nothing between the bounds).
[[nodiscard]] Result<GrammarNode> integerOf(const SchemaPlace& place);
/// Any number without bounds; with bounds those with as many decimals as the bounds have, two at
/// least. Errors: InvalidArgument (nothing between the bounds), Unsupported (more than 6 decimals).
[[nodiscard]] Result<GrammarNode> numberOf(const SchemaPlace& place);

}  // namespace lacuna
