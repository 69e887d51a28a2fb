#pragma once
/// \file
/// The form that a request asks of a whole answer: a JSON object, a schema, a grammar. One that
/// cannot be honoured is refused, so that no answer ever fails to fit. Pure functions.
/// docs/server.md, "What a request may ask".

#include <string>

#include "app/serve/json_fields.h"
#include "engine/base/work_budget.h"
#include "engine/generate/generation_options.h"

namespace lacuna::app {

struct AskedForm {
    AnswerForm kind = AnswerForm::Free;
    std::string text = {};         ///< of the grammar or schema
    const char* member = nullptr;  ///< that asks for it; null: none does
};

/// Members `response_format`, `grammar` and `json_schema`, of which one may be there. 400 naming
/// the member.
[[nodiscard]] AskedForm readForm(JsonFields& fields, const StopAsked& stop);
/// A schema that another member asks for; excludes the one before. 400 naming the member.
[[nodiscard]] AskedForm schemaForm(JsonFields& fields, const AskedForm& before, const char* member,
                                   const OrderedJson& schema, const StopAsked& stop);

}  // namespace lacuna::app
