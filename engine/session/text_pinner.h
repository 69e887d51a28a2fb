#pragma once
/// \file
/// Maps words pinned by the user to tokens that compactions keep, on request and for every prompt.
/// Owned by the engine thread; called between two steps. See docs/pinned-text.md.

#include "engine/session/command.h"
#include "engine/session/compaction_supervisor.h"
#include "engine/session/engine_io.h"
#include "engine/session/model_holder.h"
#include "engine/session/sequence_pool.h"

namespace lacuna {

class TextPinner {
  public:
    struct Dependencies {
        SequencePool& conversations;
        ModelHolder& models;
        CompactionSupervisor& compactions;
        const ConversationSettings& settings;  ///< current settings
        EngineIo& io;
    };
    /// All objects that `dependencies` refers to must outlive this one.
    explicit TextPinner(Dependencies dependencies) : dependencies_(dependencies) {}

    /// Posts TextPinned. If one pin fails, none is applied and the previous ones stay. May be
    /// called while the conversation is being answered.
    void pin(const PinText& command);
    /// Called when a turn begins. Locates the pins of the request in its prompt and publishes their
    /// positions, unless there are none. Pins that exceed the room of a later compaction are
    /// dropped and reported by that compaction.
    void turnBegins(const Submit& asked, std::span<const TokenId> prompt, Sequence& sequence);

  private:
    [[nodiscard]] Result<KeptSpans> placed(const PinText& command, TextPinned& event);
    [[nodiscard]] Status checkRoom(const PinText& command, const TextPinned& event,
                                   std::int64_t tokens) const;
    void take(ConversationId id, KeptSpans spans);

    const Dependencies dependencies_;
};

}  // namespace lacuna
