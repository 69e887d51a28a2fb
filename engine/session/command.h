#pragma once
/// \file
/// What the engine is told. Commands are plain values; many writers, one reader. The engine takes
/// them only at safe points (between decode steps and prefill chunks); cancel is also seen inside a
/// step.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/mutex.h"
#include "engine/generate/generation_options.h"
#include "engine/generate/text_pin.h"
#include "engine/kv/eviction/kept_spans.h"
#include "engine/session/event.h"
#include "engine/settings/conversation_settings.h"
#include "engine/settings/engine_config.h"
#include "engine/template/chat_message.h"

namespace lacuna {

struct LoadModel {
    std::filesystem::path path;
    /// A smaller model of the same vocabulary that guesses ahead (draft_tokens); empty: none.
    std::filesystem::path draft = {};
};
struct UnloadModel {};
/// Reads what a model file is, without loading it; answered by ModelInspected.
struct InspectModel {
    std::filesystem::path path;
};
/// Answers the conversation, whose last message is the person's. What the cache already holds of it
/// is reused.
struct Submit {
    ConversationId conversation;
    std::vector<ChatMessage> messages;
    std::vector<std::string> stopStrings;
    std::optional<std::uint64_t> seed = std::nullopt;  ///< for this answer; none: as the settings
                                                       ///< say
    AnswerRules rules = {};
    /// The prompt, where whoever asks has rendered and encoded it; `messages` are then not looked
    /// at. What a report holds of such a turn cannot be replayed.
    std::vector<TokenId> prompt = {};
    /// Of it, tokens in front of the newest user message, where that is known.
    std::optional<std::int64_t> question = std::nullopt;
    /// In place of the settings in force, for this answer; the seed is the one above.
    std::optional<SamplingOptions> sampling = std::nullopt;
    std::optional<int> maxTokens = std::nullopt;
    /// How this answer uses what is stored of other conversations.
    PrefixUse prefix = {};
    /// In place of the setting bring_back, for this answer.
    std::optional<BringBackMode> bringBack = std::nullopt;
    /// Most tokens of the prompt that are not read again: a replay reuses what was reused then.
    std::optional<std::int64_t> mostReused = std::nullopt;
    /// Of a replay: what was reused was the conversation's own, whatever is stored.
    bool ownCache = false;
    /// Words of `messages` that no compaction forgets, in place of those pinned before.
    std::vector<TextPin> pins = {};
    /// Answers of one group have the same prompt: the first one reads it, and the others begin with
    /// its rows, also where nothing else is shared. 0: none.
    std::int64_t promptGroup = 0;
};
/// Releases the prompt that a group of answers shares.
struct EndPromptGroup {
    std::int64_t group = 0;
};
/// Stops the answer of a conversation and takes back its questions that wait; without one, those of
/// all, and a comparison or sweep.
struct CancelTurn {
    std::optional<ConversationId> conversation = std::nullopt;
    bool measurement = false;  ///< ends a comparison or sweep, whatever the conversation
};
/// For all conversations; those with cache settings of their own keep them.
struct SetConfig {
    Revision revision;
    EngineConfig config;
    /// It counts only while the cache of this conversation is being coded again (CacheRecoded),
    /// which it ends; else it is answered by ConfigRejected without a violation.
    std::optional<ConversationId> cancels = std::nullopt;
};
/// Gives one conversation cache settings of its own, or the shared ones again; answered as
/// SetConfig.
struct SetCacheSettings {
    Revision revision;
    ConversationId conversation;
    std::optional<CacheSettings> own;                      ///< nothing: those of all conversations
    std::optional<ConversationId> cancels = std::nullopt;  ///< as of SetConfig
};
struct CompactNow {
    ConversationId conversation;
};
/// Brings tokens back that compactions of a conversation forgot, and keeps them from then on;
/// answered by SpanBroughtBack. No answer of the conversation may be running.
struct BringBack {
    ConversationId conversation;
    std::int64_t first = 0;  ///< position of the first token
    std::int64_t count = 0;
    /// In place of that run, several, which come back together.
    std::vector<TokenSpan> spans = {};
    /// Of a replay: tokens of the start that was kept then; it is read again where it is not kept.
    std::optional<std::int64_t> restored = std::nullopt;
    /// Of a replay: it happened by itself for the question whose answer is being written.
    bool forQuestion = false;
};
/// Pins words of a conversation, in place of those pinned before, until it is asked with others;
/// answered by TextPinned.
struct PinText {
    ConversationId conversation;
    std::vector<ChatMessage> messages;  ///< its text
    std::vector<TextPin> pins;
    /// Of a replay: the tokens that they were then; nothing else is looked at.
    std::optional<KeptSpans> spans = std::nullopt;
};
/// How much asking this would read, as things are now; answered by ReadingEstimated.
struct EstimateReading {
    ConversationId conversation;
    std::vector<ChatMessage> messages;
    PrefixUse prefix = {};
    std::int64_t request = 0;  ///< comes back with the answer
};
/// Gives the cache of a conversation back.
struct ForgetConversation {
    ConversationId conversation;
};
/// Writes the cache of a conversation to a file; answered by PromptCacheMoved.
struct SavePromptCache {
    ConversationId conversation;
    std::filesystem::path path;
};
/// Takes the cache of a conversation from a file, in place of the one it has; answered by
/// PromptCacheMoved. Settings and model must suit it.
struct LoadPromptCache {
    ConversationId conversation;
    std::filesystem::path path;
};
/// Empties the prefix cache; what conversations hold themselves stays.
struct ClearPrefixCache {
    bool memory = true;
    bool disk = false;  ///< the pages of all models
};
/// How closely pages that are written from now on keep rows on disk, by all programs that share the
/// folder.
struct KeepPagesAs {
    PageFidelity fidelity = PageFidelity::Auto;
};
struct RequestRetention {
    ConversationId conversation;
};

/// What a compaction with these options would leave; answered by CompactionPreviewed, and by
/// PreviewOutcome when it comes.
struct RequestPreview {
    ConversationId conversation;
    KvOptions kv;
    /// Also measures what the text would keep of its information, which takes longer: a second
    /// CompactionPreviewed says it.
    bool measuresLoss = false;
};
/// Answers one conversation under two settings, while no answer is running; answered by
/// SettingsCompared. A cancel ends it.
struct CompareSettings {
    std::vector<ChatMessage> messages;
    std::array<EngineConfig, 2> sides;
    std::optional<std::uint64_t> seed = std::nullopt;
};
/// Tries settings on the answers of a conversation; answered by SettingsSwept. What else is asked
/// meanwhile comes first. A cancel ends it.
struct SweepSettings {
    std::vector<ChatMessage> messages;
    std::vector<GridSetting> settings;  ///< see measured_settings.h
};

/// Calibrates rotations of rotated codes on the model in use while nothing is answered; answered by
/// RotationsCalibrated, the last one with `ended`. What else is asked meanwhile comes first.
struct CalibrateRotations {
    std::string book;  ///< running text; half of what is read is invented of its words
};
/// Ends that; nothing of it is kept.
struct StopCalibration {};

/// Measures the precision that the model in use needs, even where that is known, while nothing is
/// answered; answered by PrecisionMeasured, the last one with `ended`.
struct MeasurePrecision {};
/// Ends that, or keeps it from beginning, until MeasurePrecision or until the model is loaded
/// again.
struct SkipPrecision {};
/// Of a replay: what precision=auto stands for from the next answer on.
struct UsePrecision {
    Precision precision = Precision::TwoTerms;
};

/// Fits a surrogate of reconstruction scores to the model in use, even where it has one, while
/// nothing is answered; answered by SurrogateFitted, the last one with `ended`.
struct FitSurrogate {};
/// Ends that, or keeps it from beginning, until FitSurrogate or until the model is loaded again.
struct SkipSurrogate {};
/// Of a replay: the cache that is being coded again has its new number format from here on.
struct FinishRecoding {
    std::optional<ConversationId> conversation = std::nullopt;  ///< nothing: every such cache
};

/// What a recording knows of the heads of a model, in place of what lies next to its file.
struct UseHeadProfiles {
    std::string fingerprint;
    HeadProfiles profiles;
};

using Command =
    std::variant<LoadModel, UnloadModel, InspectModel, Submit, CancelTurn, SetConfig,
                 SetCacheSettings, CompactNow, BringBack, ForgetConversation, RequestRetention,
                 RequestPreview, CompareSettings, SweepSettings, CalibrateRotations,
                 StopCalibration, SavePromptCache, LoadPromptCache, ClearPrefixCache, KeepPagesAs,
                 UseHeadProfiles, PinText, EstimateReading, EndPromptGroup, MeasurePrecision,
                 SkipPrecision, UsePrecision, FitSurrogate, SkipSurrogate, FinishRecoding>;

/// Where commands are sent: to the host of an engine, to a router above several, to a remote
/// engine. Never blocks.
class CommandSink {
  public:
    virtual ~CommandSink() = default;
    virtual void send(Command command) = 0;
};

/// Where commands come from: the live queue or a recording.
class CommandSource {
  public:
    virtual ~CommandSource() = default;
    /// Commands due at this safe point, in order; never blocks.
    [[nodiscard]] virtual std::vector<Command> take(SafePoint at) = 0;
    /// Waits until a command may be due or `stop` is asked for. Only called while the engine is
    /// idle.
    virtual void wait(std::stop_token stop) = 0;
    /// The same, but no longer than that.
    virtual void waitFor(std::stop_token stop, std::chrono::milliseconds /*most*/) { wait(stop); }
    /// True when a cancel is waiting; polled inside steps, from the engine thread.
    [[nodiscard]] virtual bool cancelWaiting(SafePoint at) const = 0;
    /// True when any command is waiting; polled while the engine works by itself.
    [[nodiscard]] virtual bool waiting() const { return false; }
    /// Whether a compaction in the background may be taken over at this point.
    [[nodiscard]] virtual BackgroundOrder backgroundOrder(SafePoint /*at*/,
                                                          ConversationId /*conversation*/) {
        return BackgroundOrder::WhenReady;
    }
};

/// The live queue. push may be called from any thread. Of several SetConfig taken at
/// once the newest counts, and of several SetCacheSettings the newest of each conversation; the
/// engine reports the older ones as superseded. Taking needs no memory: where there is none left,
/// a question is still answered, with an error.
class CommandQueue final : public CommandSource {
  public:
    void push(Command command);
    [[nodiscard]] std::vector<Command> take(SafePoint at) override;
    void wait(std::stop_token stop) override;
    void waitFor(std::stop_token stop, std::chrono::milliseconds most) override;
    [[nodiscard]] bool cancelWaiting(SafePoint at) const override;
    [[nodiscard]] bool waiting() const override;

  private:
    mutable Mutex mutex_;
    StoppableCondition ready_;
    std::vector<Command> commands_ LACUNA_GUARDED_BY(mutex_);
    std::atomic<int> cancels_{0};
};

}  // namespace lacuna
