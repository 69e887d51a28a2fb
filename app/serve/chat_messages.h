#pragma once
/// \file
/// Messages and tools of a chat request: checked, and as the model's template reads them. A history
/// that does not fit together (a tool's answer to a call that nobody made, arguments that are no
/// JSON) is a mistake of the one who asks. Pure functions.

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
    OrderedJson asGiven = OrderedJson::array();  ///< for the template
};

struct ChatHistory {
    OrderedJson messages = OrderedJson::array();  ///< for the template
    std::string prefill;  ///< of a last message that is the assistant's: the answer goes on from it
};

/// The member `messages`. 400 with the place.
[[nodiscard]] ApiResult<ChatHistory> readMessages(JsonFields& fields);
/// The member `tools`; none where it is absent or empty. 400 with the place.
[[nodiscard]] ApiResult<ChatTools> readTools(JsonFields& fields);

/// A schema that every call of one of these functions fits: {"name": ..., "arguments": {...}}.
[[nodiscard]] OrderedJson callSchema(const std::vector<ToolFunction>& functions);

}  // namespace lacuna::app
