#pragma once
/// \file
/// Restores tokens of a conversation that its compactions evicted, on request, starting from a
/// prefix of its text that the prefix cache keeps uncompressed in memory or on disk. Owned by the
/// engine thread; called between two steps. See docs/bring-back.md.

#include <cstdint>
#include <functional>
#include <memory>

#include "engine/generate/bring_back.h"
#include "engine/session/command.h"
#include "engine/session/compaction_supervisor.h"
#include "engine/session/engine_io.h"
#include "engine/session/model_holder.h"
#include "engine/session/prefix_sharing.h"
#include "engine/session/sequence_pool.h"

namespace lacuna {

class SpanRestorer {
  public:
    struct Dependencies {
        SequencePool& conversations;
        ModelHolder& models;
        CompactionSupervisor& compactions;
        StepTelemetry& telemetry;
        PrefixSharing& prefixes;
        const ConversationSettings& settings;  ///< current settings
        EngineIo& io;
        std::function<bool(ConversationId)> answers;  ///< true while a turn of it is running
    };
    /// All objects that `dependencies` refers to must outlive this one.
    explicit SpanRestorer(Dependencies dependencies) : dependencies_(std::move(dependencies)) {}

    /// Posts SpanRestored. A cancel ends it with nothing changed.
    void bringBack(const BringBack& command);

    /// Checks whether any tokens of a conversation can currently be restored. Waits for the end of
    /// a cancelled compaction. Errors: the reason why not. @pre a model is loaded
    [[nodiscard]] Status ready(ConversationId id, Sequence& sequence);
    /// Restores from an uncompressed prefix of the conversation and fills in the counts. On error
    /// nothing is changed. @pre ready
    [[nodiscard]] Status restore(Sequence& sequence, const KeptSpans& spans,
                                 std::unique_ptr<KvCache> start, SpanRestored& event);

  private:
    [[nodiscard]] Status execute(const BringBack& command, SpanRestored& event);
    [[nodiscard]] Result<std::unique_ptr<KvCache>> startOf(const BringBack& command,
                                                           const Sequence& sequence);

    const Dependencies dependencies_;
};

}  // namespace lacuna
