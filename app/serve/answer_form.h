#pragma once
/// \file
/// Output format that a request demands of its answer: a JSON object, a schema or a grammar. A
/// format that cannot be enforced is refused, so every answer matches it. Pure functions.
/// docs/server.md, "Request members".

#include <string>

#include "app/serve/json_fields.h"
#include "engine/base/work_budget.h"
#include "engine/generate/generation_options.h"

namespace lacuna::app {

struct RequestedForm {
    AnswerForm kind = AnswerForm::Free;
    std::string text = {};         ///< text of the grammar or schema
    const char* member = nullptr;  ///< member that demands the format; null: none does
};

/// Reads `response_format`, `grammar` and `json_schema`, at most one of which may be present.
/// Error: 400 naming the member.
[[nodiscard]] RequestedForm readForm(JsonFields& fields, const StopRequested& stop);
/// Reads a schema demanded by another member; excludes the format in `before`. Error: 400 naming
/// the member.
[[nodiscard]] RequestedForm schemaForm(JsonFields& fields, const RequestedForm& before,
                                       const char* member, const OrderedJson& schema,
                                       const StopRequested& stop);

}  // namespace lacuna::app
