#include "engine/session/background_compactions.h"

#include <utility>

namespace lacuna {
namespace {

void abortIn(ConversationId id, Sequence& sequence, const std::string& reason,
             const CompactionTold& told) {
    if (auto report = sequence.compactor().abort(reason)) told(id, std::move(*report));
}

}  // namespace

bool anyInBackground(ConversationStore& conversations) {
    bool any = false;
    conversations.forEachNamed(
        [&any](ConversationId, Sequence& sequence) { any = any || sequence.compactor().busy(); });
    return any;
}

void settleCompactions(ConversationStore& conversations,
                       const std::function<BackgroundOrder(ConversationId)>& order,
                       const CompactionTold& told) {
    conversations.forEachNamed([&](ConversationId id, Sequence& sequence) {
        if (!sequence.compactor().busy()) return;
        sequence.compactor().direct(order(id));
        if (auto report = sequence.compactor().settle(sequence.cache()))
            told(id, std::move(*report));
    });
}

void abortCompaction(ConversationStore& conversations, ConversationId id, const std::string& reason,
                     const CompactionTold& told) {
    if (Sequence* sequence = conversations.find(id)) abortIn(id, *sequence, reason, told);
}

void abortCompactions(ConversationStore& conversations, const std::string& reason,
                      const CompactionTold& told) {
    conversations.forEachNamed(
        [&](ConversationId id, Sequence& sequence) { abortIn(id, sequence, reason, told); });
}

}  // namespace lacuna
