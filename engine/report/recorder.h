#pragma once
/// \file
/// Keeps what happened in a session: turns, configuration generations, samples, compactions, what
/// caches held after them, samples of quality, notices. Owned by one thread (the one that receives
/// events). Bounded: step samples beyond `maxSamples` are thinned pairwise and the report says so;
/// samples of quality and what caches held likewise.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/report/recorded_retention.h"
#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna {

/// How much of an answer there was at the end of a step.
struct AnswerMark {
    std::int64_t timeNs = 0;
    std::int64_t bytes = 0;  ///< of its text
};

/// A turn is asked with its whole conversation. Kept as it came, a session would grow with the
/// square of its turns; so each turn holds only what is new, and messagesOf() gives all of it.
struct RecordedTurn {
    TurnStarted started;  ///< `messages`: those after the `kept` ones, the newest always among them
    std::optional<TurnFinished> finished;
    std::string fingerprint;    ///< of the model that answered; empty when none was loaded
    std::size_t continues = 0;  ///< place in Recording::turns of the earlier turn it continues
    std::size_t kept = 0;       ///< messages of that one that it begins with; 0: it continues none
    std::vector<AnswerMark> marks;  ///< ascending; none in reports of before there were any
};
/// A command as it took effect, for the replay: SetConfig, SetCacheSettings, CompactNow,
/// BringBack, PinText, CancelTurn, UseHeadProfiles or FinishRecoding.
struct RecordedCommand {
    SafePoint at;
    Command command;
};

/// Size of the prefix cache from one moment on.
struct KeptBytes {
    std::int64_t timeNs = 0;
    std::int64_t memoryBytes = 0, diskBytes = 0;
};

struct Recording {
    std::optional<ModelFacts> model;        ///< in use last
    std::vector<ModelFacts> earlierModels;  ///< that answered before it, in the order of loading
    MachineFacts machine;
    EngineConfig initialConfig;
    std::vector<RecordedTurn> turns;
    std::vector<RecordedCommand> commands;
    std::vector<ConfigApplied> generations;
    std::vector<ConfigRejected> rejections;
    std::vector<StepSample> samples;
    std::int64_t samplesSeen = 0;  ///< more than are kept when they were thinned
    std::vector<CompactionHappened> compactions;
    std::vector<SpanBroughtBack> restores;   ///< their ends, of those that changed nothing too
    std::optional<PrefixCacheChanged> kept;  ///< what is kept of texts, as it was said last
    std::vector<KeptBytes> keptBytes;        ///< its sizes by time; none in older reports
    std::vector<QualitySampled> quality;
    std::int64_t qualitySeen = 0;              ///< more than are kept when they were thinned
    std::vector<RecordedRetention> retention;  ///< after compactions, by time
    std::int64_t retentionSeen = 0;            ///< more than are kept when they were thinned
    std::vector<std::string> notices;
    std::int64_t startedUnixMs = 0;
    /// The same on the clock of steps; 0: not known, as in reports from before it was written.
    std::int64_t startedNs = 0;
};

/// Facts of the model that answered a turn; null where they are not known or none did.
[[nodiscard]] const ModelFacts* modelOf(const Recording& recording, const RecordedTurn& turn);
/// All models that answered a turn and are known, in the order of loading.
[[nodiscard]] std::vector<const ModelFacts*> modelsOf(const Recording& recording);

/// All messages that a turn of `recording` was asked with.
[[nodiscard]] std::vector<ChatMessage> messagesOf(const Recording& recording,
                                                  const RecordedTurn& turn);

/// The command that had this effect.
[[nodiscard]] Command commandOf(const ConfigApplied& applied);

class Recorder {
  public:
    Recorder(MachineFacts machine, EngineConfig initialConfig, std::int64_t startedUnixMs,
             std::size_t maxSamples = 200'000);
    void add(const Event& event);
    [[nodiscard]] const Recording& recording() const { return recording_; }

  private:
    void on(const ModelLoaded& event);
    void on(const ModelUnloaded& event);
    void on(const PrecisionChosen& event);
    void on(const HeadProfilesInForce& event);
    void on(const TurnStarted& event);
    void on(const TurnFinished& event);
    void on(const ConfigApplied& event);
    void on(const CacheRecoded& event);
    void on(const CacheSettingsDropped& event) { recording_.notices.push_back(event.sentence); }
    void on(const ConfigRejected& event) { recording_.rejections.push_back(event); }
    void on(const CompactionHappened& event);
    void on(const SpanBroughtBack& event);
    void on(const TextPinned& event);
    void on(const PrefixCacheChanged& event);
    void on(const TokenText& event);
    void on(const StepSample& event);
    void on(const QualitySampled& event);
    void on(const RetentionSnapshot& event);
    void on(const Notice& event) { recording_.notices.push_back(event.sentence); }

    /// Where a message of a conversation stands.
    struct MessagePlace {
        std::size_t turn = 0;   ///< in Recording::turns
        std::size_t index = 0;  ///< in its own messages
    };
    /// The last turn of a conversation and all its messages.
    struct LastTurn {
        std::size_t turn = 0;  ///< in Recording::turns
        std::vector<MessagePlace> messages;
        std::int64_t answered = 0;  ///< bytes of the answer that is being written
    };
    [[nodiscard]] const ChatMessage& messageAt(const MessagePlace& place) const {
        return recording_.turns[place.turn].started.messages[place.index];
    }
    void shareMessages(RecordedTurn& turn, const LastTurn& last) const;
    void markAnswer(const StepSample& event);

    Recording recording_;
    std::int64_t newestNs_ = 0;       ///< time of the newest step or compaction
    std::size_t retentionCells_ = 0;  ///< kept: numbers of all runs, and bytes of texts
    std::map<ConversationId, LastTurn> lastTurns_;
    std::size_t maxSamples_;
    bool modelLoaded_ = false;
};

}  // namespace lacuna
