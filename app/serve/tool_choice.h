#pragma once
/// \file
/// Which functions an answer may call, which it must, and how its calls are found. Pure function.
/// docs/server.md, "What a request may ask".

#include <optional>
#include <string>
#include <vector>

#include "app/serve/chat_messages.h"
#include "app/serve/json_fields.h"

namespace lacuna::app {

/// How tool calls are found in an answer.
enum class CallForm {
    None,
    Forced,  ///< the whole answer is one call: its grammar leaves nothing else
    Found,   ///< the model decides, and its calls are found in the forms of call_forms.h
};

struct AskedCalls {
    CallForm form = CallForm::None;
    std::vector<ToolFunction> functions;     ///< those that may be called
    std::optional<OrderedJson> schema = {};  ///< of a forced call
    bool one = false;                        ///< no more than one (parallel_tool_calls)
};

/// Members `tool_choice` and `parallel_tool_calls`. 400 naming the member.
[[nodiscard]] AskedCalls readToolChoice(JsonFields& fields, const ChatTools& tools);

}  // namespace lacuna::app
