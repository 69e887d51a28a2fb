#pragma once
/// \file
/// Compactions that run beside the conversations of a store: gone on with while nothing is
/// answered, broken off where what they work on goes away. Called on the engine thread, between
/// steps.

#include <functional>
#include <string>

#include "engine/session/conversation_store.h"

namespace lacuna {

/// Told of every end that was not announced by a step.
using CompactionTold = std::function<void(ConversationId, CompactionReport)>;

[[nodiscard]] bool anyInBackground(ConversationStore& conversations);
/// Goes on with all of them, each as `order` says for its conversation.
void settleCompactions(ConversationStore& conversations,
                       const std::function<BackgroundOrder(ConversationId)>& order,
                       const CompactionTold& told);
/// Breaks that of one conversation off, if there is one.
void abortCompaction(ConversationStore& conversations, ConversationId id, const std::string& reason,
                     const CompactionTold& told);
/// Breaks all of them off.
void abortCompactions(ConversationStore& conversations, const std::string& reason,
                      const CompactionTold& told);

}  // namespace lacuna
