#pragma once
/// \file
/// Words that a person pinned, made tokens that compactions leave as they are: on request, and for
/// every prompt. Owned by the engine thread; called between two steps. docs/pinned-text.md.

#include "engine/session/command.h"
#include "engine/session/compaction_supervisor.h"
#include "engine/session/conversation_store.h"
#include "engine/session/engine_doors.h"
#include "engine/session/model_holder.h"

namespace lacuna {

class TextPinning {
  public:
    struct Means {
        ConversationStore& conversations;
        ModelHolder& models;
        CompactionSupervisor& compactions;
        const ConversationSettings& settings;  ///< in force
        EngineDoors& doors;
    };
    /// What `means` refers to must outlive it.
    explicit TextPinning(Means means) : means_(means) {}

    /// Answers with TextPinned. All pins of the conversation, or none of these where one cannot be:
    /// those before stay then. May come while it is answered.
    void pin(const PinText& command);
    /// An answer begins from this prompt: finds its pins in it and says where, unless there are
    /// none. Those that no longer fit go with the compaction that says so.
    void turnBegins(const Submit& asked, std::span<const TokenId> prompt, Sequence& sequence);

  private:
    [[nodiscard]] Result<KeptSpans> placed(const PinText& command, TextPinned& said);
    [[nodiscard]] Status checkRoom(const PinText& command, const TextPinned& said,
                                   std::int64_t tokens) const;
    void take(ConversationId id, KeptSpans spans);

    const Means means_;
};

}  // namespace lacuna
