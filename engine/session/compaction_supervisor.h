#pragma once
/// \file
/// Compactions of all conversations, whatever causes them: by hand, by a change of settings, by the
/// limit of all caches together, and those that go on in the background between steps; where one
/// needs its text read again or its loss measured, that is done here, a chunk at a time while
/// nothing is asked. Each one that ends is published here, with a sample of the cache after it, and
/// compared with the estimate that was made of it. A step decides itself what it compacts
/// (generation.h); that is published here, too. Owned by the engine thread; called between two
/// steps.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/generate/text_pass.h"
#include "engine/session/cache_limit.h"
#include "engine/session/conversation_store.h"
#include "engine/session/engine_doors.h"
#include "engine/session/loss_measuring.h"
#include "engine/session/model_holder.h"
#include "engine/session/prefix_sharing.h"
#include "engine/session/preview_book.h"
#include "engine/session/settings_desk.h"
#include "engine/session/step_telemetry.h"
#include "engine/session/turn.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class CompactionSupervisor {
  public:
    /// What is given must outlive it. `count` is called for every compaction that made a cache
    /// smaller, before it is said.
    CompactionSupervisor(ConversationStore& conversations, PrefixSharing& prefixes,
                         const ConversationSettings& settings, EngineDoors& doors,
                         const ModelHolder& models, StepTelemetry& telemetry,
                         std::function<void(ConversationId)> count)
        : conversations_(conversations),
          prefixes_(prefixes),
          settings_(settings),
          doors_(doors),
          models_(models),
          telemetry_(telemetry),
          count_(std::move(count)) {}

    // --- commands ---
    /// Answers with CompactionHappened. `model` is null while none is in use.
    void compactNow(ConversationId id, RunningModel* model);
    /// Answers with RetentionSnapshot: what compactions left of each token.
    void showRetention(ConversationId id) { doors_.post(retentionOf(id)); }

    // --- on behalf of other owners ---
    /// Cache settings of `which` are others now: what goes on under the old ones is broken off, and
    /// a tighter setting takes effect on the answers being written now, not only when a cache
    /// grows. @pre a model is in use where something is answered
    void settingsChanged(const WhichConversations& which, std::span<Turn* const> answering,
                         RunningModel* model);
    /// What was told of a compaction that may come; its outcome is said beside it.
    void estimated(ConversationId id, const KvOptions& kv, const CompactionPreview& preview) {
        previews_.estimated(id, kv, preview);
    }
    /// What it would keep was measured afterwards.
    void measured(ConversationId id, const KvOptions& kv, const KeptInformation& kept) {
        previews_.measured(id, kv, kept);
    }
    /// Says a compaction, and its outcome where it was estimated.
    void happened(ConversationId id, CompactionReport report);
    /// What a text is read again with; in chunks as they were when that began to wait, since others
    /// round otherwise, and a replay may read later.
    [[nodiscard]] QueryPass passFor(ConversationId id, const Sequence& sequence,
                                    RunningModel& model) const;
    /// Makes room for what the next step of `answering` may append, below the limit of all caches
    /// together. Errors: as keepWithinLimit.
    [[nodiscard]] Status makeRoom(std::span<Turn* const> answering, RunningModel& model);
    /// Bytes below that limit that a cache which is made for a pass may take.
    [[nodiscard]] std::int64_t passBytes() const;

    // --- in the background ---
    [[nodiscard]] bool anyInBackground() const;
    /// Goes on with them while nothing is answered; a replay also breaks them off here, whatever is
    /// answered. @pre a model is in use where any is there
    void settle(RunningModel* model, bool answering);
    /// Whether a text is to be read again, or a loss measured, for one of them now.
    [[nodiscard]] bool readsOn();
    /// Feeds the next chunk of that, unless a command comes meanwhile: it is fed again then.
    /// @pre readsOn
    void readOn(RunningModel& model);
    /// A turn of this conversation begins: a compaction that is still to be read or measured for is
    /// broken off, and comes with the next pause. In a replay of one that was read for in time it
    /// is read now.
    void answerBegins(ConversationId id, RunningModel& model);
    /// Breaks that of one conversation off, if there is one.
    void abort(ConversationId id, CompactionReason reason);
    /// Those of `which` that nothing is answered in, on request.
    void stop(const WhichConversations& which);
    /// The model they were made for goes: all are broken off, estimates are forgotten.
    void letGo();

  private:
    [[nodiscard]] RetentionSnapshot retentionOf(ConversationId id);
    void compact(ConversationId id, Sequence& sequence, CompactionCause cause, RunningModel& model);
    void ended(ConversationId id, CompactionReport report);
    void feedOn(RunningModel& model);
    void measureOn(RunningModel& model);
    [[nodiscard]] Result<std::optional<KeptInformation>> measureSlice(ConversationId id,
                                                                      Sequence& sequence,
                                                                      RunningModel& model);
    void sampleProgress(std::int64_t& saidNs, std::int64_t now, ConversationId id,
                        Sequence& sequence);
    void readAtOnce(ConversationId id, Sequence& sequence, RunningModel& model);
    void readFor(ConversationId id, Sequence& sequence, Result<TextReading> result);

    /// The one text that is being read. It goes where its compaction does not wait for it any more.
    struct Pass {
        ConversationId conversation;
        std::shared_ptr<const QueryWish> wish;
        std::unique_ptr<TextPass> text;  ///< null before its first chunk
        std::int64_t saidNs = 0;         ///< when its progress was said last
    };

    ConversationStore& conversations_;
    PrefixSharing& prefixes_;
    const ConversationSettings& settings_;
    EngineDoors& doors_;
    const ModelHolder& models_;
    StepTelemetry& telemetry_;
    const std::function<void(ConversationId)> count_;
    PreviewBook previews_;
    /// The one loss that is being measured; likewise.
    struct Measurement {
        ConversationId conversation;
        std::unique_ptr<LossMeasuring> loss = nullptr;  ///< null before its first slice
        std::int64_t saidNs = 0;
    };

    std::optional<Pass> pass_;
    std::optional<Measurement> measurement_;
    bool atOnce_ = false;                   ///< no command interrupts it
    std::map<ConversationId, int> chunks_;  ///< of texts that are to be read again
};

}  // namespace lacuna
