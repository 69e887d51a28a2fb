#pragma once
/// \file
/// Searches the evicted tokens of a conversation for those relevant to a new user message. This
/// happens after the prompt is read and before the first token of the answer. The tokens are
/// restored or only proposed, according to the setting bring_back or the request. The reading, its
/// predicted time and the number of restored tokens are bounded. Owned by the engine thread; called
/// between two steps. See docs/bring-back.md, "Automatic restoration".

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/generate/look_back.h"
#include "engine/session/compaction_supervisor.h"
#include "engine/session/engine_io.h"
#include "engine/session/model_holder.h"
#include "engine/session/prefix_sharing.h"
#include "engine/session/span_restorer.h"

namespace lacuna {

class AutoRestore {
  public:
    struct Dependencies {
        ModelHolder& models;
        CompactionSupervisor& compactions;
        PrefixSharing& prefixes;
        SpanRestorer& restoring;
        const ConversationSettings& settings;  ///< current settings
        EngineIo& io;
        /// Replay only: the recording states what is restored, and no search is made.
        bool restoresAreRecorded = false;
        LookBackBounds bounds = {};
    };
    /// All objects that `dependencies` refers to must outlive this one.
    explicit AutoRestore(Dependencies dependencies) : dependencies_(dependencies) {}

    /// Called when all of `prompt` but its last token is read, or all of it in mode Ask. Returns
    /// the number of restored tokens. Returns nullopt, with nothing changed, if a cancel
    /// interrupted it or a compaction must come first; it is then called again before the next
    /// step. Posts SpanRestored unless it returns nullopt, or nothing has been or is about to be
    /// evicted. @pre a model is loaded
    [[nodiscard]] std::optional<std::int64_t> promptRead(ConversationId id, BringBackMode mode,
                                                         std::span<const TokenId> prompt,
                                                         Sequence& sequence);

  private:
    /// State of one search.
    struct Look {
        ConversationId conversation;
        BringBackMode mode = BringBackMode::Off;
        Sequence& sequence;
        LookBackQuestion asked;
        TokenSpan due;  ///< tokens that a due compaction may evict
        bool hasEvicted = false;
    };
    [[nodiscard]] Status act(const Look& look, SpanRestored& event);
    [[nodiscard]] Result<std::unique_ptr<KvCache>> fullStart(const Look& look);
    [[nodiscard]] Status checkCost(std::int64_t tokens) const;
    [[nodiscard]] TokenSpan dueTokens(ConversationId id, Sequence& sequence) const;

    const Dependencies dependencies_;
};

}  // namespace lacuna
