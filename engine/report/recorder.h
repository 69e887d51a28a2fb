#pragma once
/// \file
/// Records the events of a session: turns, configuration generations, step samples, compactions,
/// retention after them, quality samples and notices. Owned by the thread that receives events.
/// Memory is bounded: beyond `maxSamples` every second step sample is dropped, which the report
/// states; quality samples and retention are thinned likewise.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/report/recorded_retention.h"
#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna {

/// Length of an answer at the end of a step.
struct AnswerMark {
    std::int64_t timeNs = 0;
    std::int64_t bytes = 0;  ///< size of its text
};

/// A turn and its messages. TurnStarted carries the complete conversation; storing that would grow
/// with the square of the number of turns. So each turn only stores its new messages, and
/// messagesOf() returns all.
struct RecordedTurn {
    TurnStarted started;  ///< `messages` without the first `kept`; always includes the newest
    std::optional<TurnFinished> finished;
    std::string fingerprint;  ///< fingerprint of the model that answered; empty if none was loaded
    std::size_t continues = 0;  ///< index in Recording::turns of the earlier turn it continues
    std::size_t kept = 0;  ///< number of messages shared with that turn; 0 if it continues none
    std::vector<AnswerMark> marks;  ///< ascending; empty in older reports
};
/// A command at the time it took effect, for the replay: SetConfig, SetCacheSettings, CompactNow,
/// BringBack, PinText, CancelTurn, UseHeadProfiles or FinishRecoding.
struct RecordedCommand {
    SafePoint at;
    Command command;
};

/// Size of the prefix cache from `timeNs` on.
struct KeptBytes {
    std::int64_t timeNs = 0;
    std::int64_t memoryBytes = 0, diskBytes = 0;
};

struct Recording {
    std::optional<ModelFacts> model;        ///< the model used last
    std::vector<ModelFacts> earlierModels;  ///< other models that answered, in loading order
    MachineFacts machine;
    EngineConfig initialConfig;
    std::vector<RecordedTurn> turns;
    std::vector<RecordedCommand> commands;
    std::vector<ConfigApplied> generations;
    std::vector<ConfigRejected> rejections;
    std::vector<StepSample> samples;
    std::int64_t samplesSeen = 0;  ///< total number; more than stored if thinned
    std::vector<CompactionHappened> compactions;
    std::vector<SpanRestored> restores;      ///< their ends, including those that changed nothing
    std::optional<PrefixCacheChanged> kept;  ///< latest published state of the prefix cache
    std::vector<KeptBytes> keptBytes;        ///< its size over time; empty in older reports
    std::vector<QualitySampled> quality;
    std::int64_t qualitySeen = 0;              ///< total number; more than stored if thinned
    std::vector<RecordedRetention> retention;  ///< snapshots after compactions, by time
    std::int64_t retentionSeen = 0;            ///< total number; more than stored if thinned
    std::vector<std::string> notices;
    std::int64_t startedUnixMs = 0;
    /// Start on the step clock; 0 if unknown, as in older reports.
    std::int64_t startedNs = 0;
};

/// Returns the model that answered a turn; null if unknown or none.
[[nodiscard]] const ModelFacts* modelOf(const Recording& recording, const RecordedTurn& turn);
/// Returns all known models that answered a turn, in loading order.
[[nodiscard]] std::vector<const ModelFacts*> modelsOf(const Recording& recording);

/// Returns all messages of the conversation that a turn was started with.
[[nodiscard]] std::vector<ChatMessage> messagesOf(const Recording& recording,
                                                  const RecordedTurn& turn);

/// Returns the command that had this effect.
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
    void on(const HeadProfilesInEffect& event);
    void on(const TurnStarted& event);
    void on(const TurnFinished& event);
    void on(const ConfigApplied& event);
    void on(const CacheRecoded& event);
    void on(const CacheSettingsDropped& event) { recording_.notices.push_back(event.sentence); }
    void on(const ConfigRejected& event) { recording_.rejections.push_back(event); }
    void on(const CompactionHappened& event);
    void on(const SpanRestored& event);
    void on(const TextPinned& event);
    void on(const PrefixCacheChanged& event);
    void on(const TokenText& event);
    void on(const StepSample& event);
    void on(const QualitySampled& event);
    void on(const RetentionSnapshot& event);
    void on(const Notice& event) { recording_.notices.push_back(event.sentence); }

    /// Location of a message of a conversation.
    struct MessageLocation {
        std::size_t turn = 0;   ///< index in Recording::turns
        std::size_t index = 0;  ///< index in that turn's own messages
    };
    /// The last turn of a conversation and all its messages.
    struct LastTurn {
        std::size_t turn = 0;  ///< index in Recording::turns
        std::vector<MessageLocation> messages;
        std::int64_t answered = 0;  ///< bytes of the answer so far
    };
    [[nodiscard]] const ChatMessage& messageAt(const MessageLocation& place) const {
        return recording_.turns[place.turn].started.messages[place.index];
    }
    void shareMessages(RecordedTurn& turn, const LastTurn& last) const;
    void markAnswer(const StepSample& event);

    Recording recording_;
    std::int64_t newestNs_ = 0;       ///< time of the latest step or compaction
    std::size_t retentionCells_ = 0;  ///< memory used by retention: numbers in all runs plus the
                                      ///< size of texts
    std::map<ConversationId, LastTurn> lastTurns_;
    std::size_t maxSamples_;
    bool modelLoaded_ = false;
};

}  // namespace lacuna
