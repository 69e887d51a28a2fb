#pragma once
/// \file
/// Validates the messages and tools of a chat request and converts them for the model's template.
/// An inconsistent history (a tool result without its call, arguments that are not JSON) is a
/// client error. Pure functions.

#include <string>
#include <vector>

#include "app/serve/json_fields.h"
#include "engine/template/template_input.h"

namespace lacuna::app {

/// A function that the model may call.
struct ToolFunction {
    std::string name;
    OrderedJson parameters;  ///< a JSON schema
};

struct ChatTools {
    std::vector<ToolFunction> functions;
    OrderedJson asGiven = OrderedJson::array();  ///< in the form that the template reads
};

struct ChatHistory {
    OrderedJson messages = OrderedJson::array();  ///< in the form that the template reads
    std::string prefill;  ///< content of a trailing assistant message, which the answer continues
};

/// Reads the member `messages`. Error: 400 naming the path.
[[nodiscard]] ApiResult<ChatHistory> readMessages(JsonFields& fields);
/// Reads the member `tools`; empty if it is absent. Error: 400 naming the path.
[[nodiscard]] ApiResult<ChatTools> readTools(JsonFields& fields);

/// Returns a schema that matches every call of one of these functions: {"name": ..., "arguments":
/// {...}}.
[[nodiscard]] OrderedJson callSchema(const std::vector<ToolFunction>& functions);

}  // namespace lacuna::app
