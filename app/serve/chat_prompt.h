#pragma once
/// \file
/// Messages of a request in the words of the model's template: what stands before the answer. A
/// template that knows no tools, no system or no way to ask for thoughts is helped out. Pure
/// function. docs/server.md, "What a request may ask".

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
struct RenderWish {
    /// Thoughts on, off, or on where the template knows of them.
    std::optional<bool> reasoning = std::nullopt;
    bool formed = false;  ///< the answer has a form from its first token on: no thoughts
};
/// 400 with the place.
[[nodiscard]] ApiResult<RenderedChat> renderChat(JsonFields& fields, const ServedModel& model,
                                                 const RenderWish& wish, const StopAsked& stop);

}  // namespace lacuna::app
