#pragma once
/// \file
/// Saves caches of conversations to files and loads them. Called on the engine thread between two
/// steps.

#include <functional>

#include "engine/session/command.h"
#include "engine/session/event.h"
#include "engine/session/running_model.h"
#include "engine/session/sequence_pool.h"

namespace lacuna {

/// Destination of a loaded cache.
struct PromptCacheTarget {
    SequencePool& conversations;
    const RunningModel* model = nullptr;  ///< null if no model is loaded
    const KvOptions& kv;                  ///< current settings
    SequencePool::Maker make;             ///< creates an empty sequence under the current settings
    std::function<bool(ConversationId)> busy;
};

/// If `sequence` or `model` is null there is nothing to save, and the answer carries an error.
/// `checkpoints` are stored with the cache.
[[nodiscard]] PromptCacheMoved savePrompt(const SavePromptCache& command, const Sequence* sequence,
                                          const RunningModel* model,
                                          const Checkpoints& checkpoints);
/// On error the conversation keeps its cache.
[[nodiscard]] PromptCacheMoved loadPrompt(const LoadPromptCache& command,
                                          const PromptCacheTarget& place);

}  // namespace lacuna
