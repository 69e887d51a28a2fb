#pragma once
/// \file
/// Caches of conversations to files and back, as commands ask for it. Called on the engine thread
/// between two steps.

#include <functional>

#include "engine/session/command.h"
#include "engine/session/conversation_store.h"
#include "engine/session/event.h"
#include "engine/session/running_model.h"

namespace lacuna {

/// Where a loaded cache goes.
struct PromptCachePlace {
    ConversationStore& conversations;
    const RunningModel* model = nullptr;  ///< null while none is loaded
    const KvOptions& kv;                  ///< the settings in force
    ConversationStore::Maker make;        ///< an empty sequence under the settings in force
    std::function<bool(ConversationId)> busy;
};

/// `sequence` and `model` may be null: then there is nothing to save, and the answer says so.
/// `checkpoints` are stored with it.
[[nodiscard]] PromptCacheMoved savePrompt(const SavePromptCache& command, const Sequence* sequence,
                                          const RunningModel* model,
                                          const Checkpoints& checkpoints);
/// On error the conversation keeps what it had.
[[nodiscard]] PromptCacheMoved loadPrompt(const LoadPromptCache& command,
                                          const PromptCachePlace& place);

}  // namespace lacuna
