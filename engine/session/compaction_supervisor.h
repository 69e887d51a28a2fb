#pragma once
/// \file
/// Runs the compactions of all conversations, whatever triggers them: a command, a change of
/// settings, the shared memory limit, or the background between steps. If a compaction needs its
/// text reread or its loss measured, that happens here in chunks while the engine is idle. Every
/// finished compaction is published with a sample of the cache and compared with its estimate.
/// Compactions that a step decides itself (generation.h) are published here as well. Owned by the
/// engine thread; called between two steps.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/generate/text_pass.h"
#include "engine/session/cache_limit.h"
#include "engine/session/engine_io.h"
#include "engine/session/jobs/loss_measuring.h"
#include "engine/session/jobs/pending_previews.h"
#include "engine/session/model_holder.h"
#include "engine/session/prefix_sharing.h"
#include "engine/session/sequence_pool.h"
#include "engine/session/settings_service.h"
#include "engine/session/step_telemetry.h"
#include "engine/session/turn.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class CompactionSupervisor {
  public:
    /// All arguments must outlive this object. `count` is called for every compaction that made a
    /// cache smaller, before it is published.
    CompactionSupervisor(SequencePool& conversations, PrefixSharing& prefixes,
                         const ConversationSettings& settings, EngineIo& io,
                         const ModelHolder& models, StepTelemetry& telemetry,
                         std::function<void(ConversationId)> count)
        : conversations_(conversations),
          prefixes_(prefixes),
          settings_(settings),
          io_(io),
          models_(models),
          telemetry_(telemetry),
          count_(std::move(count)) {}

    // --- commands ---
    /// Answered by CompactionHappened. `model` is null if none is loaded.
    void compactNow(ConversationId id, RunningModel* model);
    /// Answered by RetentionSnapshot with what compactions left of each token.
    void showRetention(ConversationId id) { io_.post(retentionOf(id)); }

    // --- on behalf of other owners ---
    /// Handles changed cache settings of `which`: cancels compactions that run under the old
    /// settings and applies a tighter setting to the turns in progress at once instead of at the
    /// next growth. @pre a model is loaded if any turn is running
    void settingsChanged(const ConversationFilter& which, std::span<Turn* const> answering,
                         RunningModel* model);
    /// Stores the estimate of a compaction that may come; its outcome is published together with
    /// it.
    void estimated(ConversationId id, const KvOptions& kv, const CompactionPreview& preview) {
        previews_.estimated(id, kv, preview);
    }
    /// Adds the measured loss to that estimate.
    void measured(ConversationId id, const KvOptions& kv, const KeptInformation& kept) {
        previews_.measured(id, kv, kept);
    }
    /// Publishes a compaction, and its outcome if it was estimated.
    void happened(ConversationId id, CompactionReport report);
    /// Returns the parameters for rereading a text. The chunk size is the one at the time the
    /// compaction started, because other chunks round differently and a replay may read later.
    [[nodiscard]] QueryPass passFor(ConversationId id, const Sequence& sequence,
                                    RunningModel& model) const;
    /// Makes room below the shared limit for what the next step of `answering` may append. Errors:
    /// as enforceCacheLimit.
    [[nodiscard]] Status makeRoom(std::span<Turn* const> answering, RunningModel& model);
    /// Returns how many bytes below that limit a temporary cache for a pass may take.
    [[nodiscard]] std::int64_t passBytes() const;

    // --- in the background ---
    [[nodiscard]] bool anyInBackground() const;
    /// Advances background compactions while no turn is running. In a replay it also cancels them
    /// here, even while turns are running. @pre a model is loaded if there are any
    void settle(RunningModel* model, bool answering);
    /// Returns true if a background compaction needs a text reread or its loss measured at this
    /// point.
    [[nodiscard]] bool needsReading();
    /// Reads or measures the next chunk. A command interrupts it; the chunk is then repeated later.
    /// @pre needsReading
    void readNextChunk(RunningModel& model);
    /// Called when a turn of this conversation begins. A compaction whose loss is being measured is
    /// continued in the next pause; one that only needs reading is cancelled and retried there. In
    /// a replay of one that was read in time, the text is read here.
    void answerBegins(ConversationId id, RunningModel& model);
    /// In a replay, measures what is left before a step of this conversation after which its
    /// compaction ends. In the recorded run that happened in an earlier pause, with the same
    /// result.
    void stepBegins(ConversationId id, SafePoint after, RunningModel& model);
    /// Cancels the compaction of one conversation, if there is one.
    void abort(ConversationId id, CompactionReason reason);
    /// Cancels the compactions of `which` on request, after their turns have ended.
    void stop(const ConversationFilter& which);
    /// Cancels all compactions and drops all estimates before their model is unloaded.
    void release();

  private:
    [[nodiscard]] RetentionSnapshot retentionOf(ConversationId id);
    void compact(ConversationId id, Sequence& sequence, CompactionCause cause, RunningModel& model);
    void ended(ConversationId id, CompactionReport report);
    [[nodiscard]] QueryPass requestedPass(ConversationId id, Sequence& sequence,
                                          RunningModel& model) const;
    void continueFeeding(RunningModel& model);
    void continueMeasuring(RunningModel& model);
    [[nodiscard]] Result<std::optional<KeptInformation>> measureSlice(ConversationId id,
                                                                      Sequence& sequence,
                                                                      RunningModel& model);
    void sampleProgress(std::int64_t& publishedNs, std::int64_t now, ConversationId id,
                        Sequence& sequence);
    void readAtOnce(ConversationId id, Sequence& sequence, RunningModel& model);
    [[nodiscard]] static bool pause(Sequence& sequence);
    [[nodiscard]] std::int64_t pausedBytes() const;
    [[nodiscard]] bool cancelPaused();
    void readFor(ConversationId id, Sequence& sequence, Result<TextReading> result);

    /// The single text being read. Dropped when its compaction no longer waits for it.
    struct Pass {
        ConversationId conversation;
        std::shared_ptr<const QueryRequest> request;
        std::unique_ptr<TextPass> text;  ///< null before its first chunk
        std::int64_t publishedNs = 0;    ///< time at which progress was last published
    };

    SequencePool& conversations_;
    PrefixSharing& prefixes_;
    const ConversationSettings& settings_;
    EngineIo& io_;
    const ModelHolder& models_;
    StepTelemetry& telemetry_;
    const std::function<void(ConversationId)> count_;
    PendingPreviews previews_;
    /// The single loss being measured, under the same rule.
    struct Measurement {
        ConversationId conversation;
        std::unique_ptr<LossMeasuring> loss = nullptr;  ///< null before its first slice
        const Transformer* model = nullptr;             ///< model that it runs
        int chunk = 0;                                  ///< tokens per forward pass
        std::int64_t publishedNs = 0;
    };

    std::optional<Pass> pass_;
    std::optional<Measurement> measurement_;
    bool atOnce_ = false;                   ///< commands do not interrupt the work
    std::map<ConversationId, int> chunks_;  ///< chunk sizes for texts that must be reread
};

}  // namespace lacuna
