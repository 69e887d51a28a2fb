#pragma once
/// \file
/// What a question looks for among the tokens that compactions of its conversation forgot, found
/// when its prompt is read and before the first token of its answer, and brought back or named, as
/// the setting bring_back or the question says. Bounded in what is read for it, in the time that is
/// predicted to take, and in what comes back. Owned by the engine thread; called between two steps.
/// docs/bring-back.md, "What a question looks for".

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/generate/look_back.h"
#include "engine/session/compaction_supervisor.h"
#include "engine/session/engine_doors.h"
#include "engine/session/model_holder.h"
#include "engine/session/prefix_sharing.h"
#include "engine/session/span_restoring.h"

namespace lacuna {

class QuestionLookBack {
  public:
    struct Means {
        ModelHolder& models;
        CompactionSupervisor& compactions;
        PrefixSharing& prefixes;
        SpanRestoring& restoring;
        const ConversationSettings& settings;  ///< in force
        EngineDoors& doors;
        /// A replay: what came back is told by the recording, and nothing is looked for.
        bool told = false;
        LookBackBounds bounds = {};
    };
    /// What `means` refers to must outlive it.
    explicit QuestionLookBack(Means means) : means_(means) {}

    /// All of `prompt` but its last token is read, or, to Ask, all of it. Tokens that came back;
    /// nothing: a cancel broke it off, or a compaction is to come first; nothing has changed, and
    /// it is asked again before the next step. Says SpanBroughtBack, but for that and where nothing
    /// of the conversation was forgotten or is about to be. @pre a model is in use
    [[nodiscard]] std::optional<std::int64_t> promptRead(ConversationId id, BringBackMode mode,
                                                         std::span<const TokenId> prompt,
                                                         Sequence& sequence);

  private:
    /// What is known of one look.
    struct Look {
        ConversationId conversation;
        BringBackMode mode = BringBackMode::Off;
        Sequence& sequence;
        LookedFor asked;
        TokenSpan due;  ///< that a compaction which is due may forget
        bool forgets = false;
    };
    [[nodiscard]] Status act(const Look& look, SpanBroughtBack& said);
    [[nodiscard]] Result<std::unique_ptr<KvCache>> wholeStart(const Look& look);
    [[nodiscard]] Status checkCost(std::int64_t tokens) const;
    [[nodiscard]] TokenSpan dueTokens(ConversationId id, Sequence& sequence) const;

    const Means means_;
};

}  // namespace lacuna
