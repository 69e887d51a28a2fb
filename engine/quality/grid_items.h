#pragma once
/// \file
/// What settings are measured on: questions about long texts, running text, a conversation. Pure
/// functions of model and text.

#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/quality/quality_grid.h"
#include "engine/quality/recall.h"
#include "engine/template/chat_template.h"

namespace lacuna {

struct CaseItemOptions {
    int answerTokens = 28;  ///< most tokens of an answer
    int headTokens = 8;     ///< tokens whose queries compare the heads
    int headEvery = 4;      ///< heads are compared on each n-th item, from the first
};
/// One item for each question: compacted when the text is read, before the question. Errors: as
/// promptTokens.
[[nodiscard]] Result<std::vector<GridItem>> caseItems(const LoadedModel& model,
                                                      std::span<const RecallCase> cases,
                                                      const CaseItemOptions& options);

struct TextItemOptions {
    int context = 768;       ///< tokens before the compaction
    int continuation = 256;  ///< tokens after it; windows move on by as many
    int headTokens = 8;
};
/// Windows of running text, as many as fit, of kind "text"; none when it is too short.
[[nodiscard]] std::vector<GridItem> textItems(std::span<const TokenId> tokens,
                                              const TextItemOptions& options);

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

}  // namespace lacuna
