#pragma once
/// \file
/// Commands sent to the engine: plain values with many writers and one reader. The engine takes
/// them only at safe points (between decode steps and prefill chunks); a cancel is also noticed
/// inside a step.

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
    /// Smaller model with the same vocabulary for speculative decoding (draft_tokens); empty if
    /// there is none.
    std::filesystem::path draft = {};
};
struct UnloadModel {};
/// Reads the metadata of a model file without loading the weights; answered by ModelInspected.
struct InspectModel {
    std::filesystem::path path;
};
/// Generates the answer to a conversation whose last message is the user's. Rows that the cache
/// already holds are reused.
struct Submit {
    ConversationId conversation;
    std::vector<ChatMessage> messages;
    std::vector<std::string> stopStrings;
    std::optional<std::uint64_t> seed = std::nullopt;  ///< nullopt uses the settings
    AnswerRules rules = {};
    /// Prompt that the caller has already rendered and encoded; `messages` is ignored then. Such a
    /// turn cannot be replayed from a report.
    std::vector<TokenId> prompt = {};
    /// Number of tokens of `prompt` in front of the newest user message, if known.
    std::optional<std::int64_t> question = std::nullopt;
    /// Overrides the sampling settings for this answer; the seed is the one above.
    std::optional<SamplingOptions> sampling = std::nullopt;
    std::optional<int> maxTokens = std::nullopt;
    /// How this answer uses the prefix cache.
    PrefixUse prefix = {};
    /// Overrides the setting bring_back for this answer.
    std::optional<BringBackMode> bringBack = std::nullopt;
    /// Limits the number of prompt tokens that are reused; a replay reuses exactly what the
    /// recorded run reused.
    std::optional<std::int64_t> maxReused = std::nullopt;
    /// Replay only: the recorded turn reused the conversation's own cache, so the prefix cache is
    /// not consulted.
    bool ownCache = false;
    /// Words of `messages` that no compaction may evict; replaces the previous pins.
    std::vector<TextPin> pins = {};
    /// Turns of one group have the same prompt. The first one reads it and the others start from
    /// its rows, even if prefix sharing is off. 0 if the turn belongs to no group.
    std::int64_t promptGroup = 0;
};
/// Releases the prompt that a group of answers shares.
struct EndPromptGroup {
    std::int64_t group = 0;
};
/// Stops the running turn of a conversation and removes its queued turns. Without a conversation it
/// does so for all, and also ends a comparison or sweep.
struct CancelTurn {
    std::optional<ConversationId> conversation = std::nullopt;
    bool measurement = false;  ///< also ends a comparison or sweep, whatever the conversation
};
/// Sets the shared settings; conversations with their own cache settings keep those.
struct SetConfig {
    Revision revision;
    EngineConfig config;
    /// If set, the command takes effect only while the cache of this conversation is being recoded
    /// (CacheRecoded), and cancels the recoding. Otherwise it is answered by ConfigRejected without
    /// violations.
    std::optional<ConversationId> cancels = std::nullopt;
};
/// Gives one conversation its own cache settings, or returns it to the shared ones; answered like
/// SetConfig.
struct SetCacheSettings {
    Revision revision;
    ConversationId conversation;
    std::optional<CacheSettings> own;  ///< nullopt returns to the shared settings
    std::optional<ConversationId> cancels = std::nullopt;  ///< as in SetConfig
};
struct CompactNow {
    ConversationId conversation;
};
/// Restores tokens that compactions of a conversation evicted, and protects them from later
/// compactions. Answered by SpanRestored. @pre no turn of the conversation is running
struct BringBack {
    ConversationId conversation;
    std::int64_t first = 0;  ///< position of the first token
    std::int64_t count = 0;
    /// Several runs that are restored together, instead of `first` and `count`.
    std::vector<TokenSpan> spans = {};
    /// Replay only: number of tokens restored from the stored prefix; they are reread if the prefix
    /// is not stored.
    std::optional<std::int64_t> restored = std::nullopt;
    /// Replay only: the tokens were restored automatically for the turn that is being answered.
    bool forQuestion = false;
};
/// Pins words of a conversation until the next Submit replaces the pins; replaces the previous
/// ones. Answered by TextPinned.
struct PinText {
    ConversationId conversation;
    std::vector<ChatMessage> messages;  ///< text of the conversation
    std::vector<TextPin> pins;
    /// Replay only: the token spans that the pins resolved to; `pins` is not resolved again.
    std::optional<KeptSpans> spans = std::nullopt;
};
/// Estimates how many tokens submitting these messages would currently read; answered by
/// ReadingEstimated.
struct EstimateReading {
    ConversationId conversation;
    std::vector<ChatMessage> messages;
    PrefixUse prefix = {};
    std::int64_t request = 0;  ///< echoed in the answer
};
/// Releases the cache of a conversation.
struct ReleaseConversation {
    ConversationId conversation;
};
/// Writes the cache of a conversation to a file; answered by PromptCacheMoved.
struct SavePromptCache {
    ConversationId conversation;
    std::filesystem::path path;
};
/// Replaces the cache of a conversation by one from a file; answered by PromptCacheMoved. Settings
/// and model must match.
struct LoadPromptCache {
    ConversationId conversation;
    std::filesystem::path path;
};
/// Empties the prefix cache; the caches of conversations are unaffected.
struct ClearPrefixCache {
    bool memory = true;
    bool disk = false;  ///< also delete the pages of all models
};
/// Sets the fidelity of rows in disk pages written later; it applies to all programs that share the
/// folder.
struct SetPageFidelity {
    PageFidelity fidelity = PageFidelity::Auto;
};
struct RequestRetention {
    ConversationId conversation;
};

/// Estimates what a compaction with these options would keep. Answered by CompactionPreviewed, and
/// by PreviewOutcome once the compaction has happened.
struct RequestPreview {
    ConversationId conversation;
    KvOptions kv;
    /// Also measures how much information the text would keep. This takes longer and is reported by
    /// a second CompactionPreviewed.
    bool measuresLoss = false;
};
/// Answers one conversation under two settings while no turn is running; answered by
/// SettingsCompared. A cancel ends it.
struct CompareSettings {
    std::vector<ChatMessage> messages;
    std::array<EngineConfig, 2> sides;
    std::optional<std::uint64_t> seed = std::nullopt;
};
/// Tries settings on the answers of a conversation; answered by SettingsSwept. Other requests take
/// precedence. A cancel ends it.
struct SweepSettings {
    std::vector<ChatMessage> messages;
    std::vector<GridSetting> settings;  ///< see measured_settings.h
};

/// Calibrates rotations of rotated codes on the loaded model while the engine is idle. Answered by
/// RotationsCalibrated, the last one with `ended`. Other requests take precedence.
struct CalibrateRotations {
    std::string book;  ///< running text; half of the calibration text is generated from its words
};
/// Cancels CalibrateRotations and discards its result.
struct StopCalibration {};

/// Measures which precision the loaded model needs while the engine is idle, even if it is already
/// known. Answered by PrecisionMeasured, the last one with `ended`.
struct MeasurePrecision {};
/// Cancels the measurement, or prevents it from starting, until MeasurePrecision or until the model
/// is loaded again.
struct SkipPrecision {};
/// Replay only: sets the precision that precision=auto resolves to from the next turn on.
struct UsePrecision {
    Precision precision = Precision::TwoTerms;
};

/// Fits a surrogate of the reconstruction scores to the loaded model while the engine is idle, even
/// if it has one. Answered by SurrogateFitted, the last one with `ended`.
struct FitSurrogate {};
/// Cancels the fit, or prevents it from starting, until FitSurrogate or until the model is loaded
/// again.
struct SkipSurrogate {};
/// Replay only: completes the recoding, so that the cache has its new number format from this point
/// on.
struct FinishRecoding {
    std::optional<ConversationId> conversation = std::nullopt;  ///< nullopt completes all recodings
};

/// Head profiles from a recording; they override those stored next to the model file.
struct UseHeadProfiles {
    std::string fingerprint;
    HeadProfiles profiles;
};

using Command = std::variant<
    LoadModel, UnloadModel, InspectModel, Submit, CancelTurn, SetConfig, SetCacheSettings,
    CompactNow, BringBack, ReleaseConversation, RequestRetention, RequestPreview, CompareSettings,
    SweepSettings, CalibrateRotations, StopCalibration, SavePromptCache, LoadPromptCache,
    ClearPrefixCache, SetPageFidelity, UseHeadProfiles, PinText, EstimateReading, EndPromptGroup,
    MeasurePrecision, SkipPrecision, UsePrecision, FitSurrogate, SkipSurrogate, FinishRecoding>;

/// Destination of commands: the host of an engine, a router above several engines, or a remote
/// engine. Never blocks.
class CommandSink {
  public:
    virtual ~CommandSink() = default;
    virtual void send(Command command) = 0;
};

/// Source of commands: the live queue or a recording.
class CommandSource {
  public:
    virtual ~CommandSource() = default;
    /// Returns the commands due at this safe point, in order; never blocks.
    [[nodiscard]] virtual std::vector<Command> take(SafePoint at) = 0;
    /// Waits until a command may be due or `stop` is requested. Only called while the engine is
    /// idle.
    virtual void wait(std::stop_token stop) = 0;
    /// Waits at most the given time.
    virtual void waitFor(std::stop_token stop, std::chrono::milliseconds /*most*/) { wait(stop); }
    /// True when a cancel is waiting; polled inside steps, from the engine thread.
    [[nodiscard]] virtual bool cancelWaiting(SafePoint at) const = 0;
    /// True when any command is waiting; polled during idle jobs.
    [[nodiscard]] virtual bool waiting() const { return false; }
    /// Returns what to do with a background compaction at this point.
    [[nodiscard]] virtual BackgroundPolicy backgroundPolicy(SafePoint /*at*/,
                                                            ConversationId /*conversation*/) {
        return BackgroundPolicy::WhenReady;
    }
};

/// The live queue. push may be called from any thread. If several SetConfig are taken at once, only
/// the newest takes effect; likewise the newest SetCacheSettings of each conversation. The engine
/// reports the older ones as superseded. Taking does not allocate, so that a turn is answered with
/// an error even after bad_alloc.
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
