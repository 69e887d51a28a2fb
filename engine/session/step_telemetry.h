#pragma once
/// \file
/// Publishes the state of a cache after a step, a compaction or any other change. Owned by the
/// engine thread.

#include "engine/generate/generation.h"
#include "engine/session/engine_io.h"
#include "engine/session/prefix_sharing.h"
#include "engine/session/sequence_pool.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class StepTelemetry {
  public:
    /// All arguments must outlive this object.
    StepTelemetry(SequencePool& conversations, PrefixSharing& prefixes,
                  const ConversationSettings& settings, EngineIo& io)
        : conversations_(conversations), prefixes_(prefixes), settings_(settings), io_(io) {}

    /// Publishes the cache of a conversation; `step` is null if no step led to it.
    void publish(ConversationId id, Sequence& sequence, const GenerationStep* step = nullptr);
    /// Publishes that the cache was released.
    void publishReleased(ConversationId id);

  private:
    void addBytes(StepSample& row);

    SequencePool& conversations_;
    PrefixSharing& prefixes_;
    const ConversationSettings& settings_;
    EngineIo& io_;
};

}  // namespace lacuna
