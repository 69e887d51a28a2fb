#pragma once
/// \file
/// Caches whose number format was changed while their conversation goes on: their rows are coded
/// again a slice at a time, after steps while something is answered and in the pauses else, and the
/// new cache takes the place of the old one as a whole. Slices after steps are counted and not
/// timed, so that a replay exchanges at the same point. What a pause has coded counts for nothing
/// but its own end: where a question comes first, it begins again. How far each is and how it ended
/// is published as CacheRecoded; an end in a pause is what a recording keeps as FinishRecoding.
/// Setting the format back before the end cancels it: nothing of the old cache has changed until
/// then. Owned by the engine thread; called between two steps.
/// docs/number-formats.md, "Changing the format".

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/kv/row_recoding.h"
#include "engine/session/compaction_supervisor.h"
#include "engine/session/conversation_store.h"
#include "engine/session/engine_doors.h"
#include "engine/session/idle_job.h"
#include "engine/session/model_holder.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class CacheRecodings final : public IdleJob {
  public:
    struct Means {
        ConversationStore& conversations;
        ModelHolder& models;
        const ConversationSettings& settings;  ///< in force
        CompactionSupervisor& compactions;
        StepTelemetry& telemetry;
        EngineDoors& doors;
        std::int64_t numbersAtOnce = 0;  ///< of keys and values, in a slice (EngineOptions)
    };
    /// What `means` refers to must outlive it.
    explicit CacheRecodings(Means means) : means_(std::move(means)) {}

    /// Cache settings of `which` are others now than `before`. Says so where more bits are asked
    /// for than rows have. One whose cache is as it is wanted now is cancelled.
    void settingsChanged(const WhichConversations& which, const ConversationSettings& before);
    /// A step was taken: one slice, of an answer in progress where one of those waits.
    void afterStep(const WhichConversations& answering);
    /// A turn of a conversation is about to begin. `first`: nothing else is being answered; what a
    /// pause has coded so far begins again then.
    void turnBegins(bool first);
    /// Whether what goes on makes the cache of this conversation what `choice` would make.
    [[nodiscard]] bool leadsTo(ConversationId id, const KvChoice& choice) const;

    /// Whether the cache of this conversation is being coded again.
    [[nodiscard]] bool goesOn(ConversationId id) const { return running_.contains(id); }
    /// Whether a slice can be coded while nothing is asked.
    [[nodiscard]] bool wanted() override;
    /// One slice, or the end of all of them together.
    void advance(std::int64_t room) override;
    void reset() override {
        giveUp([](ConversationId) { return true; });
    }
    /// All at once, or that of one conversation: what ended in a pause of a recording ends there
    /// again.
    void finish(std::optional<ConversationId> only = std::nullopt);

    /// That of a conversation without a cache is over; of all while `which` says so.
    void giveUp(const WhichConversations& which);

  private:
    using SettingTexts = std::vector<std::pair<std::string, std::string>>;
    struct Recoding {
        std::unique_ptr<RowRecoding> rows;
        CacheRecoded said;  ///< last
        std::int64_t slices = 0;
        double slowestMs = 0;  ///< of its slices
        bool ready = false;    ///< every row is coded, and no step came since
    };
    using Running = std::map<ConversationId, Recoding>;

    void begin(ConversationId id, const Sequence& sequence, const KvChoice& wanted,
               SettingTexts back);
    /// Settings of rows that mean what the cache is: those that were in force before, where they
    /// do.
    [[nodiscard]] SettingTexts settingsOf(const KvCache& cache, const EngineConfig& before) const;
    [[nodiscard]] Result<std::unique_ptr<RowRecoding>> make(ConversationId id, const KvCache& cache,
                                                            const KvChoice& wanted) const;
    /// Drops those whose cache is gone or has become what was wanted by itself.
    void dropNeedless();
    /// Whether a slice is possible: nothing refers to the rows of the cache meanwhile.
    [[nodiscard]] bool free(ConversationId id);
    /// `rows` more of them; it is gone where that failed.
    void advance(Running::iterator one, std::int64_t rows);
    void exchange(Running::iterator one, bool inPause);
    /// How far it is.
    void say(Recoding& one, const KvCache& cache);
    void cancel(Running::iterator one, const KvCache& cache);
    /// It is over, and the cache is what it was. Gives the one after it.
    Running::iterator drop(Running::iterator one, ErrorCode code, const char* why);
    Running::iterator dropFailed(Running::iterator one, const Error& error);
    void sayFailed(ConversationId id, const Error& error) const;
    [[nodiscard]] std::int64_t rowsOfSlice(const Recoding& one) const;
    /// A slice of what old caches leave; whether there was any.
    bool giveBack();

    const Means means_;
    Running running_;
    std::vector<std::unique_ptr<RowRecoding>> left_;  ///< that hold rows of old caches
};

}  // namespace lacuna
