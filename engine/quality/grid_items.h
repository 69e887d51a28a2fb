#pragma once
/// \file
/// Derives items to measure settings on from the answers of a conversation. Pure functions of model
/// and text.

#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/quality/quality_grid.h"
#include "engine/template/chat_template.h"

namespace lacuna {

struct ConversationItemOptions {
    int answerTokens = 64;  ///< length of the greedy answer if the last message has none yet
    int headTokens = 8;
};
/// Makes one item per answer of a conversation ("answer 1", ...), and one for a last message
/// without answer. The context is everything up to the last paragraph of the answered message; that
/// paragraph and the given answer follow the compaction. Items without context, or longer than the
/// model's, are skipped and counted in `left`. Errors: InvalidArgument (none is left, invalid order
/// of roles), as promptTokens.
struct ConversationItems {
    std::vector<GridItem> items;
    int left = 0;
};
[[nodiscard]] Result<ConversationItems> conversationItems(const LoadedModel& model,
                                                          std::span<const ChatMessage> messages,
                                                          const ConversationItemOptions& options);
/// Reads a list of {role, content}, or an object with `messages`. Errors: Config, naming the field.
[[nodiscard]] Result<std::vector<ChatMessage>> messagesFromJson(const Json& json);

/// Splits the prompt of `messages` before the last paragraph of the last one. Errors: as
/// promptTokens.
[[nodiscard]] Result<ShadowText> splitPrompt(const LoadedModel& model,
                                             std::span<const ChatMessage> messages);

}  // namespace lacuna
