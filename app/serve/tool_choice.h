#pragma once
/// \file
/// Reads which functions an answer may or must call and how calls are recognised. Pure function.
/// docs/server.md, "Request members".

#include <optional>
#include <string>
#include <vector>

#include "app/serve/chat_messages.h"
#include "app/serve/json_fields.h"

namespace lacuna::app {

/// How tool calls are recognised in an answer.
enum class CallForm {
    None,
    Forced,  ///< the grammar forces the whole answer to be one call
    Found,   ///< the model decides; calls are parsed in the formats of call_forms.h
};

struct RequestedCalls {
    CallForm form = CallForm::None;
    std::vector<ToolFunction> functions;     ///< functions that may be called
    std::optional<OrderedJson> schema = {};  ///< grammar schema of a forced call
    bool one = false;                        ///< at most one call (parallel_tool_calls is false)
};

/// Reads `tool_choice` and `parallel_tool_calls`. Error: 400 naming the member.
[[nodiscard]] RequestedCalls readToolChoice(JsonFields& fields, const ChatTools& tools);

}  // namespace lacuna::app
