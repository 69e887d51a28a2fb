#include "app/serve/answer_form.h"

#include <utility>

#include "engine/base/string_format.h"
#include "engine/generate/token_constraint.h"

namespace lacuna::app {
namespace {

/// Compiles the format alone to check whether it can be enforced.
RequestedForm formOf(JsonFields& fields, const RequestedForm& before, RequestedForm wanted,
                     const StopRequested& stop) {
    if (before.member != nullptr) {
        fields.refuse(wanted.member,
                      format("{} and {} cannot be used together", before.member, wanted.member),
                      "EXCL-FORM");
        return before;
    }
    if (fields.error()) return wanted;
    AnswerRules rules;
    rules.kind = wanted.kind;
    rules.form = wanted.text;
    if (const auto grammar = formGrammar(rules, stop); !grammar) {
        ApiError wrong = apiErrorOf(grammar.error());
        wrong.status = 400;
        wrong.param = wanted.member;
        fields.refuse(std::move(wrong));
    }
    return wanted;
}

RequestedForm formOfResponse(JsonFields& fields, const OrderedJson& wanted,
                             const StopRequested& stop) {
    constexpr const char* kMember = "response_format";
    const auto refuse = [&](const char* message, const char* code) {
        fields.refuse(kMember, message, code);
        return RequestedForm{};
    };
    if (!wanted.is_object() || !wanted.contains("type") || !wanted["type"].is_string())
        return refuse("response_format has to be an object with a type", "TYPE");
    const auto type = wanted["type"].get<std::string>();
    if (type == "text") return {};
    if (type == "json_object") {
        OrderedJson schema{{"type", "object"}};
        if (wanted.contains("schema") && !wanted["schema"].is_null()) schema = wanted["schema"];
        if (!schema.is_object())
            return refuse("response_format.schema has to be a JSON schema", "TYPE");
        return schemaForm(fields, {}, kMember, schema, stop);
    }
    if (type == "json_schema") {
        const auto inner = wanted.find("json_schema");
        if (inner == wanted.end() || !inner->is_object() || !inner->contains("schema") ||
            !(*inner)["schema"].is_object())
            return refuse("response_format.json_schema.schema has to be a JSON schema", "TYPE");
        return schemaForm(fields, {}, kMember, (*inner)["schema"], stop);
    }
    return refuse("response_format.type has to be text, json_object or json_schema", "UNSUPPORTED");
}

}  // namespace

RequestedForm schemaForm(JsonFields& fields, const RequestedForm& before, const char* member,
                         const OrderedJson& schema, const StopRequested& stop) {
    return formOf(fields, before,
                  {.kind = AnswerForm::JsonSchema, .text = dumpJson(schema), .member = member},
                  stop);
}

RequestedForm readForm(JsonFields& fields, const StopRequested& stop) {
    RequestedForm form;
    if (const OrderedJson* wanted = fields.find("response_format"))
        form = formOfResponse(fields, *wanted, stop);
    if (const auto grammar = fields.text("grammar"); grammar && !grammar->empty())
        form = formOf(fields, form,
                      {.kind = AnswerForm::Grammar, .text = *grammar, .member = "grammar"}, stop);
    if (const OrderedJson* schema = fields.find("json_schema")) {
        if (schema->is_object())
            form = schemaForm(fields, form, "json_schema", *schema, stop);
        else
            fields.refuse("json_schema", "json_schema has to be a JSON schema", "TYPE");
    }
    return form;
}

}  // namespace lacuna::app
