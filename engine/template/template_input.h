#pragma once
/// \file
/// All input of a chat template, as JSON: messages with tool calls or parts, tools, documents and
/// other variables. It counts as message text, so it cannot become control tokens. Only the
/// standard roles count as template text, because some templates build control tokens from roles.

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/template/jinja_value.h"

namespace lacuna {

struct TemplateInput {
    OrderedJson messages = OrderedJson::array();  ///< objects with a `role` each
    /// By name: `tools`, `documents`, `enable_thinking` ...; excludes the names set by the
    /// renderer.
    OrderedJson variables = OrderedJson::object();
};

/// Errors: TplMessages with the path: not a list of objects with a role, an empty list, or nesting
/// that exceeds the limit of the template language.
[[nodiscard]] Result<jinja::Value> messagesValue(const OrderedJson& messages);
/// Converts any JSON value to message text. Errors: TplMessages.
[[nodiscard]] Result<jinja::Value> variableValue(const OrderedJson& value);

}  // namespace lacuna
