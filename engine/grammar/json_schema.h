#pragma once
/// \file
/// A JSON schema to a grammar whose every text is valid under it (the other way round it is
/// narrower: no text beyond what is said here is spelled). Pure function.
/// Source: JSON Schema 2020-12, core and validation.
///
/// Objects: declared properties come in the order of the schema, optional ones may be left out;
/// further ones only where additionalProperties or unevaluatedProperties says so, or where no
/// property is declared, with names of letters, digits, _ and -, and always after the declared
/// ones. Arrays: items, prefixItems (or a list under items), minItems, maxItems. Strings:
/// minLength, maxLength, pattern (schema_values.h), format date, time, date-time and uuid. Numbers:
/// minimum, maximum and their exclusive forms, exact at any size (number_ranges.h). enum, const,
/// anyOf, oneOf of choices that cannot both hold, allOf of one, $ref within the document, nullable
/// beside a type. Between values stand no spaces, one, or a line end with up to 16 blanks. Every
/// other keyword that constrains values is refused by name; one that only describes is skipped.

#include <string_view>

#include "engine/base/result.h"
#include "engine/base/work_budget.h"
#include "engine/grammar/grammar_tree.h"

namespace lacuna {

/// Errors: Json; Unsupported (a keyword or combination), InvalidArgument (a contradiction, more
/// than 1 MiB, 4,096 keys in one object or the steps of `work`), naming the place in the schema;
/// Cancelled.
[[nodiscard]] Result<GrammarTree> schemaGrammar(std::string_view text, WorkBudget& work);
/// The same with a budget of its own.
[[nodiscard]] Result<GrammarTree> schemaGrammar(std::string_view text);

}  // namespace lacuna
