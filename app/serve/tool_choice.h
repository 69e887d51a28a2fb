#pragma once
/// \file
/// Which functions an answer may call, which it must, and how its calls are found. Pure function.
/// docs/server.md, "Tools".

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
    Tagged,  ///< the model decides, and writes calls between <tool_call> and </tool_call>
    Whole,   ///< the model decides, and a call is an answer that is one JSON object
};

struct AskedCalls {
    CallForm form = CallForm::None;
    std::vector<std::string> functions;      ///< that may be called
    std::optional<OrderedJson> schema = {};  ///< of a forced call
    bool one = false;                        ///< no more than one (parallel_tool_calls)
};

/// Members `tool_choice` and `parallel_tool_calls`; `templateText` of the model. 400 naming the
/// member.
[[nodiscard]] AskedCalls readToolChoice(JsonFields& fields, const ChatTools& tools,
                                        const std::string& templateText);

}  // namespace lacuna::app
