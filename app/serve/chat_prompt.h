#pragma once
/// \file
/// Renders the messages of a request with the model's template, up to where the answer begins.
/// Compensates for templates without support for tools, a system message or a reasoning switch.
/// Pure function. docs/server.md, "Request members".

#include <optional>
#include <vector>

#include "app/serve/chat_messages.h"
#include "app/serve/json_fields.h"
#include "app/serve/served_model.h"

namespace lacuna::app {

struct RenderedChat {
    std::vector<PromptSpan> spans;
    ChatTools tools;
    std::vector<ChatMessage> messages;  ///< roles and contents
};
struct RenderRequest {
    /// Reasoning on or off; nullopt: on if the template supports it.
    std::optional<bool> reasoning = std::nullopt;
    bool formed = false;  ///< the answer is constrained from its first token, so it has no
                          ///< reasoning
};
/// Error: 400 naming the path.
[[nodiscard]] ApiResult<RenderedChat> renderChat(JsonFields& fields, const ServedModel& model,
                                                 const RenderRequest& request,
                                                 const StopRequested& stop);

}  // namespace lacuna::app
