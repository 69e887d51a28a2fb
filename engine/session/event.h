#pragma once
/// \file
/// What the engine says: plain structs, posted on the engine thread through one EventSink. They
/// hold no pointers into the engine and may be copied anywhere.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/compress/head_profile.h"
#include "engine/compress/retention.h"
#include "engine/generate/generation_options.h"
#include "engine/generate/text_pin.h"
#include "engine/kv/eviction/kept_spans.h"
#include "engine/kv/kv_values.h"
#include "engine/quality/quality_values.h"
#include "engine/session/model_page.h"
#include "engine/settings/config_check.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"
#include "engine/settings/settings_diff.h"
#include "engine/template/chat_message.h"
#include "engine/values/compaction_values.h"
#include "engine/values/prefix_values.h"
#include "engine/values/turn_values.h"

namespace lacuna {

/// A point between two steps where commands are taken. `turn` is the number of the newest turn
/// begun (from 1 in a session, 0 before the first). `index` counts from 0, since that turn began,
/// the steps, of whatever turns took part in them, and the ends of turns. So points only ever rise,
/// and what happens at one depends on what was reported before it and on nothing else: a recording
/// can be replayed with any number of turns in flight. A step that a cancel undid does not count.
struct SafePoint {
    std::int64_t turn = 0;
    std::int64_t index = 0;
    friend auto operator<=>(const SafePoint&, const SafePoint&) = default;
};

struct StateChanged {
    EngineState state = EngineState::NoModel;
};
struct ModelLoading {
    std::string path;
    double share = 0;  ///< 0..1
};
struct ModelLoaded {
    ModelFacts facts;
    double seconds = 0;
};
struct ModelFailed {
    std::string path;
    Error error;
    bool previousStillLoaded = false;
};
struct ModelUnloaded {};
/// What precision=auto stands for has changed since the model was loaded: it was measured, or the
/// setting was another one before. It counts from the next answer on; rows that caches hold stay.
struct PrecisionChosen {
    Precision precision = Precision::Fast;
    std::optional<double> klMean = std::nullopt;
    std::string note;
};
/// What is known of the heads of the model in use: after it was loaded, and when it has become more
/// since.
struct HeadProfilesInForce {
    std::string fingerprint;
    HeadProfiles profiles;
    SafePoint at;
    double seconds = 0;     ///< that measuring took just now; 0: it lay there
    double fitSeconds = 0;  ///< that fitting the surrogate took just now; 0: it lay there
};
/// While heads are measured by themselves (head_measuring.h); `total` 0: that was given up.
struct HeadsMeasured {
    int done = 0, total = 0;
    double share = 0;  ///< of the work, 0..1
};
/// While a surrogate of reconstruction scores is fitted by itself (surrogate_job.h).
struct SurrogateFitted {
    double share = 0;  ///< of the work, 0..1
    bool ended = false;
    std::optional<Error> error = std::nullopt;  ///< why it ended early; Cancelled: it was skipped
};
/// While the precision that the model needs is measured (precision_job.h).
struct PrecisionMeasured {
    double share = 0;  ///< of the work, 0..1
    bool ended = false;
    std::optional<Error> error = std::nullopt;  ///< why it ended early; Cancelled: it was skipped
};
/// Answer to InspectModel. `page` has no sections when `error` is set.
struct ModelInspected {
    ModelPage page;
    std::optional<Error> error;
};

struct TurnStarted {
    ConversationId conversation;
    std::int64_t turn = 0;
    SafePoint at;                       ///< where it began; its own points are counted from there
    std::vector<ChatMessage> messages;  ///< the whole conversation as submitted
    std::vector<std::string> stopStrings;
    AnswerRules rules;
    EngineConfig config;  ///< in force at the start
    Revision revision;
    std::uint64_t seed = 0;  ///< the one really used
    std::int64_t promptTokens = 0;
    std::int64_t reusedTokens = 0;  ///< of the prompt, already in the cache
    std::string reuseNote;          ///< why less was reused than could be, or empty
    PrefixUse prefix = {};
    PrefixMatch match = PrefixMatch::None;  ///< where tokens came from the prefix cache: how
    std::vector<TextPin> pins = {};         ///< of the messages, as submitted
    /// The arithmetic it is computed with; nothing in reports of before it was recorded.
    std::optional<Precision> precision = std::nullopt;
};
struct PrefillProgress {
    ConversationId conversation;
    /// Tokens of the prompt; `done` starts at `reused`, which the cache held already, and ends at
    /// `total` when the first token of the answer is ready.
    std::int64_t done = 0, total = 0, reused = 0;
};
struct TokenText {
    ConversationId conversation;
    std::int64_t turn = 0;
    /// Of the token in the answer, from 0. Repeats when text that was held back follows at the end.
    std::int64_t index = 0;
    TokenId token = 0;
    std::string text;                                    ///< whole characters; may be empty
    std::optional<TokenChances> chances = std::nullopt;  ///< when the rules ask for them
};
struct TurnStats {
    std::int64_t promptTokens = 0, reusedTokens = 0, generatedTokens = 0, compactions = 0;
    std::int64_t draftedTokens = 0, acceptedTokens = 0;  ///< proposals checked, and those drawn
    std::int64_t draftRounds = 0;                        ///< steps that checked some
    std::int64_t decodeSteps = 0;                        ///< forward passes that drew a token
    std::int64_t shiftedTokens = 0;   ///< older ones given up, because the context was full
    std::int64_t restoredTokens = 0;  ///< forgotten ones that came back for the question by itself
    double prefillSeconds = 0, decodeSeconds = 0, timeToFirstTokenSeconds = 0;
    /// Tokens that another answer to the same question would read, as things stood at the end.
    std::int64_t againTokens = 0;
    /// Tokens in front of the question that another one in its place would read again.
    std::int64_t editTokens = 0;
};
struct TurnFinished {
    ConversationId conversation;
    std::int64_t turn = 0;  ///< 0: the question was taken back before its turn began
    SafePoint at;
    FinishReason reason = FinishReason::Stop;
    std::optional<Error> error;
    std::vector<TokenId> tokens;  ///< of the answer, the end token included when one came
    std::string text;
    TurnStats stats;
    std::string stopString = {};  ///< that ended the answer, with FinishReason::StopString
};

/// Of all conversations, or of one.
struct ConfigApplied {
    Revision revision;
    /// Whose cache settings changed; nobody: the settings of all but those who have their own.
    std::optional<ConversationId> conversation = std::nullopt;
    bool own = false;  ///< it has cache settings of its own now; else it follows the shared ones
    bool ownBefore = false;  ///< it had some before
    EngineConfig config;     ///< in force: for all, or for that conversation
    SafePoint at = {};
    std::int64_t timeNs = 0;
    SettingsDiff changes = {};  ///< against what was in force there before
};
struct ConfigRejected {
    Revision revision;
    std::vector<RuleViolation> violations;
    std::int64_t timeNs = 0;
};
/// Cache settings of its own that do not suit the model now loaded: the conversation follows the
/// shared ones again.
struct CacheSettingsDropped {
    ConversationId conversation;
    std::string sentence;
};
struct ConfigSuperseded {
    Revision revision;
    Revision by;
};

/// One row of telemetry, after every step. Trivially small; latest-wins on screen, kept in
/// recordings.
struct StepSample {
    std::int64_t timeNs = 0;
    SafePoint at;
    ConversationId conversation;
    Revision revision;
    EngineState phase = EngineState::Idle;
    int tokens = 0;     ///< of this conversation, processed in this step
    double stepMs = 0;  ///< wall time of the step with all who took part, compaction excluded
    KvStats kv;
    CompactionState compaction;
    std::int64_t rssBytes = 0;         ///< resident memory of the process
    std::int64_t liveBytesAll = 0;     ///< of the caches of all conversations; within cache_limit
    std::int64_t prefixBytes = 0;      ///< of the prefix cache, without rows that those hold too
    std::int64_t prefixDiskBytes = 0;  ///< of its folder on disk, as it was looked at last
};
struct RetentionSnapshot;
struct CompactionHappened {
    std::int64_t timeNs = 0;
    SafePoint at;
    ConversationId conversation;
    Revision revision;
    CompactionReport report;
    /// Of the compacted cache, where the subscriber wants it (EventSink::wantsRetention); else
    /// null.
    std::shared_ptr<const RetentionSnapshot> retention = nullptr;
};
/// What a cache holds of each token: with CompactionHappened, and the answer to RequestRetention.
struct RetentionSnapshot {
    ConversationId conversation;
    RetentionRow row;
    std::vector<std::string> pieces;  ///< text of each token; control tokens spelled out
    int sinks = 0, recent = 0;
};
/// Answer to BringBack: before tokens are read again, and once more at the end. Said as well, once,
/// when a question looked for forgotten tokens by itself (setting bring_back); `count` is 0 where
/// it looked for none.
struct SpanBroughtBack {
    SafePoint at;
    ConversationId conversation;
    std::int64_t first = 0, count = 0;  ///< tokens that were asked for: where, and how many
    std::vector<TokenSpan> spans = {};  ///< they are, where they are several runs
    bool forQuestion = false;           ///< nobody asked but the question that is answered next
    bool offered = false;               ///< they are only named, for a person to decide
    std::int64_t restoredTokens = 0;    ///< of the start that was kept whole
    std::int64_t rereadTokens = 0;      ///< after it, which are read again
    std::int64_t keptTokens = 0;        ///< that no compaction forgets from now on
    double seconds = 0;
    bool ended = false;
    std::optional<Error> error = std::nullopt;  ///< why nothing has changed
};
/// Tokens of one pin.
struct PinnedTokens {
    std::int64_t first = 0, count = 0;  ///< count 0: its words are not in the prompt
    std::int64_t forgotten = 0;         ///< of them, those that some head had lost before
    friend bool operator==(const PinnedTokens&, const PinnedTokens&) = default;
};
/// Answer to PinText, and said when an answer begins with pins.
struct TextPinned {
    SafePoint at = {};
    ConversationId conversation;
    bool asked = false;                         ///< by PinText
    std::vector<PinnedTokens> pins = {};        ///< in the order in which they were given
    std::int64_t tokens = 0;                    ///< in all, each once
    KeptSpans spans = {};                       ///< that compactions leave as they are from now on
    std::optional<Error> error = std::nullopt;  ///< asked: why nothing has changed; else why
                                                ///< nothing is pinned
};
/// Answer to EstimateReading.
struct ReadingEstimated {
    ConversationId conversation;
    std::int64_t request = 0;
    std::int64_t promptTokens = 0;
    std::int64_t readTokens = 0;  ///< of them, those that nobody has: the last one always
    std::optional<Error> error = std::nullopt;
};
/// A sample of live quality, beside steps or in the pause after the answer; none comes before
/// something was evicted.
struct QualitySampled {
    std::int64_t timeNs = 0;
    SafePoint at;
    ConversationId conversation;
    Revision revision;
    LiveQuality sample;
};
/// Answer to RequestPreview: an estimate. `preview` counts for nothing when `error` is set.
struct CompactionPreviewed {
    ConversationId conversation;
    KvOptions kv;  ///< it was made for
    CompactionPreview preview;
    std::optional<Error> error;
};
/// The compaction that a preview was made for has come.
struct PreviewOutcome {
    ConversationId conversation;
    CompactionPreview preview;
    CompactionReport report;
};
/// Of the comparison or sweep that runs.
struct QualityJobProgress {
    std::int64_t done = 0, total = 0;
    /// Of a sweep: a row for each setting from what was measured so far, those that nothing beats
    /// until now marked; one that was not tried yet has neither `items` nor `refused`.
    std::vector<GridRow> rows = {};
};
/// Whole characters that an answer of the comparison that runs has grown by.
struct ComparedText {
    int side = 0;  ///< 0 is A, answered first, 1 is B
    std::string text;
};
/// Answer to CompareSettings. `comparison` counts for nothing when `error` is set.
struct SettingsCompared {
    std::array<EngineConfig, 2> sides;
    Comparison comparison;
    std::optional<Error> error;
};
/// Answer to SweepSettings: one row for each setting, those that nothing beats marked.
struct SettingsSwept {
    std::vector<GridRow> rows;
    std::optional<Error> error;
};
/// How far CalibrateRotations is. What was found counts once the model is loaded again.
struct RotationsCalibrated {
    std::int64_t done = 0, total = 0;  ///< tokens; total 0: the text is being made
    double seconds = 0;                ///< of work so far
    bool ended = false;
    std::optional<Error> error = std::nullopt;  ///< why it ended, unless it is complete
    std::string path = {}, hash = {};           ///< once it is complete
};
/// The rows of a cache are coded again, because its number format was changed while its
/// conversation goes on: published when that begins, after each slice, and at its end.
struct CacheRecoded {
    SafePoint at = {};
    ConversationId conversation;
    std::string from = {}, to = {};  ///< formats by name, "t4", or "t4/t2" where keys and values
                                     ///< differ
    double share = 0;                ///< of its rows that have a code by now, 0..1
    bool ended = false;
    /// It ended while nothing was asked, at a point that does not follow from the steps: a
    /// recording keeps it as FinishRecoding.
    bool inPause = false;
    /// Why the cache stays as it was. Cancelled: its settings went back to what it has.
    std::optional<Error> error = std::nullopt;
    /// Settings that mean the format it still has, by name: with them the change is cancelled
    /// (SetConfig::cancels). Empty: none are known.
    std::vector<std::pair<std::string, std::string>> back = {};
};
/// Answer to SavePromptCache and LoadPromptCache.
struct PromptCacheMoved {
    ConversationId conversation;
    std::string path;
    bool loaded = false;                        ///< from the file; else written to it
    std::int64_t tokens = 0;                    ///< the cache covers
    std::optional<Error> error = std::nullopt;  ///< then nothing has changed
    /// Fewest tokens that the cache can be cut back to; 0: any number.
    std::int64_t shortest = 0;
    /// Lengths in tokens of the checkpoints that are stored with it, longest first.
    std::vector<std::int64_t> checkpoints = {};
};
/// What the prefix cache holds and did so far: when something was looked up, stored or dropped.
struct PrefixCacheChanged {
    PrefixStats stats;
    PrefixDiskStats disk = {};  ///< of its disk tier
};
struct Notice {
    std::string sentence;  ///< something a person should know, e.g. a policy was replaced
};
struct Fatal {
    Error error;  ///< the engine thread ends after this
};

using Event = std::variant<
    StateChanged, ModelLoading, ModelLoaded, ModelFailed, ModelUnloaded, PrecisionChosen,
    PrecisionMeasured, HeadProfilesInForce, HeadsMeasured, SurrogateFitted, ModelInspected,
    TurnStarted, PrefillProgress, TokenText, TurnFinished, ConfigApplied, ConfigRejected,
    ConfigSuperseded, CacheSettingsDropped, StepSample, CompactionHappened, SpanBroughtBack,
    RetentionSnapshot, QualitySampled, CompactionPreviewed, PreviewOutcome, QualityJobProgress,
    ComparedText, SettingsCompared, SettingsSwept, RotationsCalibrated, PromptCacheMoved,
    PrefixCacheChanged, Notice, Fatal, TextPinned, ReadingEstimated, CacheRecoded>;

/// Called on the engine thread only; must not block.
class EventSink {
  public:
    virtual ~EventSink() = default;
    virtual void post(Event event) = 0;
    /// Whether compactions of this conversation come with a RetentionSnapshot, which takes a look
    /// at every slot of the cache and the text of every token.
    [[nodiscard]] virtual bool wantsRetention(ConversationId) const { return false; }
};

}  // namespace lacuna
