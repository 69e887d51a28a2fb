#pragma once
/// \file
/// What settings are measured on: the answers of a conversation. Pure functions of model and text.

#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/quality/quality_grid.h"
#include "engine/template/chat_template.h"

namespace lacuna {

struct ConversationItemOptions {
    int answerTokens = 64;  ///< of the greedy answer where the last message has none yet
    int headTokens = 8;
};
/// One item for each answer of a conversation ("answer 1", ...), and one for a last message that
/// waits for its answer: compacted with everything read but the last paragraph of the message that
/// is answered, followed by that and the answer as it was given. Items that would have no context,
/// or pass the model's, are left out and counted in `left`. Errors: InvalidArgument (none is left,
/// an unknown order of roles), as promptTokens.
struct ConversationItems {
    std::vector<GridItem> items;
    int left = 0;
};
[[nodiscard]] Result<ConversationItems> conversationItems(const LoadedModel& model,
                                                          std::span<const ChatMessage> messages,
                                                          const ConversationItemOptions& options);
/// A list of {role, content}, or an object with `messages`. Errors: Config, naming the field.
[[nodiscard]] Result<std::vector<ChatMessage>> messagesFromJson(const Json& json);

/// The prompt of `messages`, split before the last paragraph of the last one. Errors: as
/// promptTokens.
[[nodiscard]] Result<ShadowText> splitPrompt(const LoadedModel& model,
                                             std::span<const ChatMessage> messages);

}  // namespace lacuna
