#pragma once
/// \file
/// All that a chat template may look at, as JSON gives it: messages with tool calls or parts,
/// tools, documents and any other variable. Everything in it counts as message text, so none of it
/// can become a control token; only a role of the usual list is the template's own word, because
/// some templates make control tokens of roles.

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/template/jinja_value.h"

namespace lacuna {

struct TemplateInput {
    OrderedJson messages = OrderedJson::array();  ///< objects, each with a `role`
    /// By name: `tools`, `documents`, `enable_thinking` ...; none of the names in use here.
    OrderedJson variables = OrderedJson::object();
};

/// Errors: TplMessages, naming the place: not a list of objects with a role, a list that is empty,
/// nesting deeper than the template language takes.
[[nodiscard]] Result<jinja::Value> messagesValue(const OrderedJson& messages);
/// Any JSON value as message text. Errors: TplMessages.
[[nodiscard]] Result<jinja::Value> variableValue(const OrderedJson& value);

}  // namespace lacuna
