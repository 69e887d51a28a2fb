#pragma once
/// \file
/// Publishes the state of a cache after a step, a compaction or any other change. Owned by the
/// engine thread.

#include "engine/generate/generation.h"
#include "engine/session/conversation_store.h"
#include "engine/session/engine_doors.h"
#include "engine/session/prefix_sharing.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class StepTelemetry {
  public:
    /// All arguments must outlive this object.
    StepTelemetry(ConversationStore& conversations, PrefixSharing& prefixes,
                  const ConversationSettings& settings, EngineDoors& doors)
        : conversations_(conversations), prefixes_(prefixes), settings_(settings), doors_(doors) {}

    /// Publishes the cache of a conversation; `step` is null if no step led to it.
    void publish(ConversationId id, Sequence& sequence, const GenerationStep* step = nullptr);
    /// Publishes that the cache was released.
    void publishReleased(ConversationId id);

  private:
    ConversationStore& conversations_;
    PrefixSharing& prefixes_;
    const ConversationSettings& settings_;
    EngineDoors& doors_;
};

}  // namespace lacuna
