#pragma once
/// \file
/// Whether two schemas can be shown to share no value, which oneOf needs. Internal to this room.

#include "engine/base/work_budget.h"
#include "engine/grammar/schema_place.h"

namespace lacuna {

/// True when no value is valid under both: types, listed values or a property that one of them
/// requires keep them apart. False when that is not seen, or `work` was over before. `document`
/// resolves $ref.
[[nodiscard]] bool schemasApart(const OrderedJson& a, const OrderedJson& b,
                                const OrderedJson& document, WorkBudget& work);
/// What `reference` ("#/...") names, or null.
[[nodiscard]] const OrderedJson* schemaAt(const OrderedJson& document, std::string_view reference,
                                          WorkBudget& work);

}  // namespace lacuna
