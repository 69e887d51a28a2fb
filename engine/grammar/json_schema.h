#pragma once
/// \file
/// Converts a JSON schema to a grammar that only generates valid texts, though not all of them: it
/// excludes texts beyond the forms described here. Pure function. Source: JSON Schema 2020-12, core
/// and validation.
///
/// Objects: declared properties in the order of the schema, optional ones may be omitted; further
/// ones only if additionalProperties or unevaluatedProperties allows them, or if no property is
/// declared. Their names consist of letters, digits, _ and -, and they follow the declared ones.
/// Arrays: items, prefixItems (or a list under items), minItems, maxItems. Strings: minLength,
/// maxLength, pattern (schema_values.h), format date, time, date-time and uuid. Numbers: minimum,
/// maximum and their exclusive forms, exact at any size (number_ranges.h).
///
/// Also enum, const, anyOf, oneOf with mutually exclusive choices, allOf with a single schema, $ref
/// within the document, nullable next to a type. Between values there is no space, one space, or a
/// line break with up to 16 blanks. Any other keyword that constrains values is rejected by name;
/// purely descriptive ones are skipped.

#include <string_view>

#include "engine/base/result.h"
#include "engine/base/work_budget.h"
#include "engine/grammar/grammar_tree.h"

namespace lacuna {

/// Errors: Json; Unsupported (a keyword or combination), InvalidArgument (a contradiction, or more
/// than 1 MiB, 4,096 keys in one object or the steps of `work`), naming the location in the schema;
/// Cancelled.
[[nodiscard]] Result<GrammarTree> schemaGrammar(std::string_view text, WorkBudget& work);
/// Same, with its own budget.
[[nodiscard]] Result<GrammarTree> schemaGrammar(std::string_view text);

}  // namespace lacuna
