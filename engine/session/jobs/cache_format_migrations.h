#pragma once
/// \file
/// Recodes caches whose number format was changed in the middle of a conversation. Rows are recoded
/// in slices, after steps while a turn is running and otherwise in pauses; the new cache then
/// replaces the old one.
///
/// Slices after steps are counted rather than timed, so that a replay replaces the cache at the
/// same point. Work done in a pause is discarded if a turn begins before it is complete. Progress
/// and end are published as CacheRecoded; an end in a pause is recorded as FinishRecoding. Setting
/// the format back before the end cancels the recoding, since the old cache is unchanged until
/// then.
///
/// Owned by the engine thread; called between two steps. See docs/number-formats.md, "Changing the
/// format".

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/kv/row_recoding.h"
#include "engine/session/compaction_supervisor.h"
#include "engine/session/engine_io.h"
#include "engine/session/jobs/idle_job.h"
#include "engine/session/model_holder.h"
#include "engine/session/sequence_pool.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class CacheFormatMigrations final : public IdleJob {
  public:
    struct Dependencies {
        SequencePool& conversations;
        ModelHolder& models;
        const ConversationSettings& settings;  ///< current settings
        CompactionSupervisor& compactions;
        StepTelemetry& telemetry;
        EngineIo& io;
        std::int64_t numbersAtOnce = 0;  ///< keys and values per slice (EngineOptions)
    };
    /// All objects that `dependencies` refers to must outlive this one.
    explicit CacheFormatMigrations(Dependencies dependencies)
        : dependencies_(std::move(dependencies)) {}

    /// Handles changed cache settings of `which`; `before` are the previous ones. Posts a notice if
    /// the new format has more bits than the rows. A recoding is cancelled if the cache already has
    /// the format that is set.
    void settingsChanged(const ConversationFilter& which, const ConversationSettings& before);
    /// Recodes one slice after a step, preferably of a conversation that is being answered.
    void afterStep(const ConversationFilter& answering);
    /// Prepares for the start of a turn. If no other turn is running (`first`), the work done in
    /// the pause is discarded and recoding restarts.
    void turnBegins(bool first);
    /// Returns true if the running recoding of this conversation produces the cache that `choice`
    /// describes.
    [[nodiscard]] bool leadsTo(ConversationId id, const KvChoice& choice) const;

    /// Returns true while the cache of this conversation is being recoded.
    [[nodiscard]] bool isRunning(ConversationId id) const { return running_.contains(id); }
    /// Returns true if a slice can be recoded while the engine is idle.
    [[nodiscard]] bool target() override;
    /// Recodes one slice, or exchanges all caches once every row is recoded.
    void advance(std::int64_t room) override;
    void reset() override {
        abandon([](ConversationId) { return true; });
    }
    /// Completes all recodings at once, or that of one conversation. A replay calls this where the
    /// recorded recoding ended in a pause.
    void finish(std::optional<ConversationId> only = std::nullopt);

    /// Cancels the recodings of conversations that `which` selects because their cache is released.
    void abandon(const ConversationFilter& which);

  private:
    using SettingTexts = std::vector<std::pair<std::string, std::string>>;
    struct Recoding {
        std::unique_ptr<RowRecoding> rows;
        CacheRecoded published;  ///< last event published
        std::int64_t slices = 0;
        double slowestMs = 0;  ///< duration of the slowest slice
        bool ready = false;    ///< every row is recoded, and no step has run since
    };
    using Running = std::map<ConversationId, Recoding>;

    void begin(ConversationId id, const Sequence& sequence, const KvChoice& target,
               SettingTexts back);
    /// Returns the row settings that describe the current format of the cache: those of `before` if
    /// they match it, otherwise none.
    [[nodiscard]] SettingTexts settingsOf(const KvCache& cache, const EngineConfig& before) const;
    [[nodiscard]] Result<std::unique_ptr<RowRecoding>> make(ConversationId id, const KvCache& cache,
                                                            const KvChoice& target) const;
    /// Drops recodings whose cache is gone or already has the target format.
    void dropUnneeded();
    /// Returns true if a slice is possible: no compaction refers to the rows of the cache.
    [[nodiscard]] bool free(ConversationId id);
    /// Recodes up to `rows` more rows; the recoding is dropped on failure.
    void advance(Running::iterator one, std::int64_t rows);
    void exchange(Running::iterator one, bool inPause);
    /// Publishes the progress.
    void publishProgress(Recoding& one, const KvCache& cache);
    void cancel(Running::iterator one, const KvCache& cache);
    /// Ends a recoding without changing the cache. Returns the iterator after it.
    Running::iterator drop(Running::iterator one, ErrorCode code, const char* reason);
    Running::iterator dropFailed(Running::iterator one, const Error& error);
    void publishFailure(ConversationId id, const Error& error) const;
    [[nodiscard]] std::int64_t rowsOfSlice(const Recoding& one) const;
    /// Releases a slice of the memory of old caches; returns false if there was none.
    bool release();

    const Dependencies dependencies_;
    Running running_;
    std::vector<std::unique_ptr<RowRecoding>> left_;  ///< rows of old caches to be released
};

}  // namespace lacuna
