#pragma once
/// \file
/// Maps words pinned by the user to tokens that compactions keep, on request and for every prompt.
/// Owned by the engine thread; called between two steps. See docs/pinned-text.md.

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
        const ConversationSettings& settings;  ///< current settings
        EngineDoors& doors;
    };
    /// All objects that `means` refers to must outlive this one.
    explicit TextPinning(Means means) : means_(means) {}

    /// Posts TextPinned. If one pin fails, none is applied and the previous ones stay. May be
    /// called while the conversation is being answered.
    void pin(const PinText& command);
    /// Called when a turn begins. Locates the pins of the request in its prompt and publishes their
    /// positions, unless there are none. Pins that exceed the room of a later compaction are
    /// dropped and reported by that compaction.
    void turnBegins(const Submit& asked, std::span<const TokenId> prompt, Sequence& sequence);

  private:
    [[nodiscard]] Result<KeptSpans> placed(const PinText& command, TextPinned& said);
    [[nodiscard]] Status checkRoom(const PinText& command, const TextPinned& said,
                                   std::int64_t tokens) const;
    void take(ConversationId id, KeptSpans spans);

    const Means means_;
};

}  // namespace lacuna
