#pragma once
/// \file
/// Tokens of a conversation that its compactions forgot, brought back on request: from the start of
/// its text that the prefix cache keeps whole, in memory or on disk. Owned by the engine thread;
/// called between two steps. docs/bring-back.md.

#include <cstdint>
#include <functional>
#include <memory>

#include "engine/generate/bring_back.h"
#include "engine/session/command.h"
#include "engine/session/compaction_supervisor.h"
#include "engine/session/conversation_store.h"
#include "engine/session/engine_doors.h"
#include "engine/session/model_holder.h"
#include "engine/session/prefix_sharing.h"

namespace lacuna {

class SpanRestoring {
  public:
    struct Means {
        ConversationStore& conversations;
        ModelHolder& models;
        CompactionSupervisor& compactions;
        StepTelemetry& telemetry;
        PrefixSharing& prefixes;
        const ConversationSettings& settings;  ///< in force
        EngineDoors& doors;
        std::function<bool(ConversationId)> answers;  ///< an answer of it is running
    };
    /// What `means` refers to must outlive it.
    explicit SpanRestoring(Means means) : means_(std::move(means)) {}

    /// Answers with SpanBroughtBack. A cancel ends it; nothing has changed then.
    void bringBack(const BringBack& command);

    /// Why nothing of a conversation can be brought back now, whatever its tokens. Waits for the
    /// end of a compaction that was broken off. @pre a model is in use
    [[nodiscard]] Status ready(ConversationId id, Sequence& sequence);
    /// From a start of the conversation that is kept whole; the counts are noted. On error nothing
    /// has changed. @pre ready
    [[nodiscard]] Status restore(Sequence& sequence, const KeptSpans& spans,
                                 std::unique_ptr<KvCache> start, SpanBroughtBack& said);

  private:
    [[nodiscard]] Status obey(const BringBack& command, SpanBroughtBack& said);
    [[nodiscard]] Result<std::unique_ptr<KvCache>> startOf(const BringBack& command,
                                                           const Sequence& sequence);

    const Means means_;
};

}  // namespace lacuna
