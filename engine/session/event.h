#pragma once
/// \file
/// Events of the engine: plain structs, posted on the engine thread through one EventSink. They
/// hold no pointers into the engine and may be copied freely.

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
/// begun (from 1 in a session, 0 before the first). `index` counts the steps and the ends of turns
/// since that turn began, from 0 and whatever turns took part. Points therefore only increase and
/// depend only on earlier events, so a recording can be replayed with any number of turns in
/// flight. A step undone by a cancel does not count.
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
/// The precision that precision=auto resolves to has changed since the model was loaded, either by
/// a measurement or by a change of the setting. It takes effect with the next answer; existing
/// cache rows are unaffected.
struct PrecisionChosen {
    Precision precision = Precision::Fast;
    std::optional<double> klMean = std::nullopt;
    std::string note;
};
/// Head profiles of the loaded model: posted after loading, and again whenever they have been
/// extended.
struct HeadProfilesInEffect {
    std::string fingerprint;
    HeadProfiles profiles;
    SafePoint at;
    double seconds = 0;  ///< duration of the measurement just finished; 0 if the profile was loaded
    double fitSeconds = 0;  ///< duration of the surrogate fit just finished; 0 if it was loaded
};
/// Progress of the automatic head measurement (head_profile_job.h); `total` is 0 when it was given
/// up.
struct HeadsMeasured {
    int done = 0, total = 0;
    double share = 0;  ///< fraction of the work, 0..1
};
/// Progress of the automatic fit of a surrogate for reconstruction scores (surrogate_job.h).
struct SurrogateFitted {
    double share = 0;  ///< fraction of the work, 0..1
    bool ended = false;
    std::optional<Error> error = std::nullopt;  ///< why it ended early; Cancelled if it was skipped
};
/// Progress of measuring which precision the model needs (precision_job.h).
struct PrecisionMeasured {
    double share = 0;  ///< fraction of the work, 0..1
    bool ended = false;
    std::optional<Error> error = std::nullopt;  ///< why it ended early; Cancelled if it was skipped
};
/// Answer to InspectModel. `page` has no sections when `error` is set.
struct ModelInspected {
    ModelPage page;
    std::optional<Error> error;
};

struct TurnStarted {
    ConversationId conversation;
    std::int64_t turn = 0;
    SafePoint at;  ///< start of the turn; its own points are counted from there
    std::vector<ChatMessage> messages;  ///< the whole conversation as submitted
    std::vector<std::string> stopStrings;
    AnswerRules rules;
    EngineConfig config;  ///< settings at the start
    Revision revision;
    std::uint64_t seed = 0;  ///< the seed used
    std::int64_t promptTokens = 0;
    std::int64_t reusedTokens = 0;  ///< prompt tokens already in the cache
    std::string reuseNote;          ///< why fewer tokens were reused than possible; may be empty
    PrefixUse prefix = {};
    PrefixMatch match = PrefixMatch::None;  ///< kind of match in the prefix cache
    std::vector<TextPin> pins = {};         ///< pins in the messages, as submitted
    /// Arithmetic used for this turn; nullopt in older reports that did not record it.
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
    /// Index of the token in the answer, from 0. It repeats when held-back text follows at the end.
    std::int64_t index = 0;
    TokenId token = 0;
    std::string text;                                      ///< whole characters; may be empty
    std::optional<TokenLogprobs> logprobs = std::nullopt;  ///< set if the rules request them
};
struct TurnStats {
    std::int64_t promptTokens = 0, reusedTokens = 0, generatedTokens = 0, compactions = 0;
    std::int64_t draftedTokens = 0, acceptedTokens = 0;  ///< proposals verified and accepted
    std::int64_t draftRounds = 0;                        ///< steps that verified proposals
    std::int64_t decodeSteps = 0;                        ///< forward passes that sampled a token
    std::int64_t shiftedTokens = 0;   ///< older tokens dropped because the context was full
    std::int64_t restoredTokens = 0;  ///< evicted tokens restored automatically for this turn
    double prefillSeconds = 0, decodeSeconds = 0, timeToFirstTokenSeconds = 0;
    /// Tokens that would be read to regenerate the answer, as of the end of this turn.
    std::int64_t regenerateTokens = 0;
    /// Tokens in front of the user message that would be reread if the message were replaced.
    std::int64_t editTokens = 0;
};
struct TurnFinished {
    ConversationId conversation;
    std::int64_t turn = 0;  ///< 0 if the turn was cancelled before it began
    SafePoint at;
    FinishReason reason = FinishReason::Stop;
    std::optional<Error> error;
    std::vector<TokenId> tokens;  ///< tokens of the answer, including an end token
    std::string text;
    TurnStats stats;
    std::string stopString = {};  ///< string that ended the answer, with FinishReason::StopString
};

/// New settings have taken effect, either the shared ones or those of one conversation.
struct ConfigApplied {
    Revision revision;
    /// Conversation whose cache settings changed; nullopt if the shared settings changed.
    std::optional<ConversationId> conversation = std::nullopt;
    bool own = false;  ///< true: it has its own cache settings; false: it follows the shared ones
    bool ownBefore = false;  ///< the same before the change
    EngineConfig config;     ///< settings that apply, shared or of that conversation
    SafePoint at = {};
    std::int64_t timeNs = 0;
    SettingsDiff changes = {};  ///< difference from the previous settings
};
struct ConfigRejected {
    Revision revision;
    std::vector<RuleViolation> violations;
    std::int64_t timeNs = 0;
};
/// A conversation's own cache settings do not suit the newly loaded model, so it follows the shared
/// ones again.
struct CacheSettingsDropped {
    ConversationId conversation;
    std::string sentence;
};
struct ConfigSuperseded {
    Revision revision;
    Revision by;
};

/// One row of telemetry, posted after every step and kept in recordings. Cheap to copy; only the
/// latest one is displayed.
struct StepSample {
    std::int64_t timeNs = 0;
    SafePoint at;
    ConversationId conversation;
    Revision revision;
    EngineState phase = EngineState::Idle;
    int tokens = 0;     ///< tokens of this conversation processed in this step
    double stepMs = 0;  ///< wall time of the step for all participating turns, without compaction
    KvStats kv;
    CompactionState compaction;
    std::int64_t rssBytes = 0;      ///< resident memory of the process
    std::int64_t liveBytesAll = 0;  ///< live bytes of all conversation caches (cache_limit)
    // Parts of liveBytesAll: states of recurrent layers, and their checkpoints kept on request.
    std::int64_t stateBytesAll = 0, checkpointBytesAll = 0;
    std::int64_t prefixBytes = 0;      ///< bytes of the prefix cache not shared with those caches
    std::int64_t prefixDiskBytes = 0;  ///< size of its folder on disk when it was last checked
};
struct RetentionSnapshot;
struct CompactionHappened {
    std::int64_t timeNs = 0;
    SafePoint at;
    ConversationId conversation;
    Revision revision;
    CompactionReport report;
    /// State of the compacted cache if the subscriber requests it (EventSink::retentionRequested);
    /// otherwise null.
    std::shared_ptr<const RetentionSnapshot> retention = nullptr;
};
/// Contents of a cache for each token. Attached to CompactionHappened, and the answer to
/// RequestRetention.
struct RetentionSnapshot {
    ConversationId conversation;
    RetentionRow row;
    std::vector<std::string> pieces;  ///< text of each token; control tokens spelled out
    int sinks = 0, recent = 0;
};
/// Answer to BringBack, posted before tokens are reread and at the end. It is also posted once when
/// a turn has looked for evicted tokens automatically (setting bring_back); `count` is 0 if none
/// were relevant.
struct SpanRestored {
    SafePoint at;
    ConversationId conversation;
    std::int64_t first = 0, count = 0;  ///< requested tokens: first position and number
    std::vector<TokenSpan> spans = {};  ///< the requested runs, if there are several
    bool forQuestion = false;  ///< triggered by the turn that is about to begin, not by a command
    bool offered = false;      ///< only a proposal for the user to confirm
    std::int64_t restoredTokens = 0;  ///< tokens of the prefix that was stored uncompressed
    std::int64_t rereadTokens = 0;    ///< tokens after that prefix, which are reread
    std::int64_t keptTokens = 0;      ///< tokens protected from later compactions
    double seconds = 0;
    bool ended = false;
    std::optional<Error> error = std::nullopt;  ///< why nothing has changed
};
/// Tokens of one pin.
struct PinnedTokens {
    std::int64_t first = 0, count = 0;  ///< count is 0 if the words are not in the prompt
    std::int64_t evicted = 0;  ///< number of those tokens that some head had evicted before
    friend bool operator==(const PinnedTokens&, const PinnedTokens&) = default;
};
/// Answer to PinText; also posted when a turn begins with pins.
struct TextPinned {
    SafePoint at = {};
    ConversationId conversation;
    bool asked = false;                         ///< true for the answer to PinText
    std::vector<PinnedTokens> pins = {};        ///< in the order in which the pins were given
    std::int64_t tokens = 0;                    ///< total number of tokens, each counted once
    KeptSpans spans = {};                       ///< spans that compactions keep from this point on
    std::optional<Error> error = std::nullopt;  ///< why nothing has changed, or nothing is pinned
};
/// Answer to EstimateReading.
struct ReadingEstimated {
    ConversationId conversation;
    std::int64_t request = 0;
    std::int64_t promptTokens = 0;
    std::int64_t readTokens = 0;  ///< tokens that must be read, always including the last one
    std::optional<Error> error = std::nullopt;
};
/// A sample of live quality, measured between steps or in the pause after the answer. There are
/// none before the first eviction.
struct QualitySampled {
    std::int64_t timeNs = 0;
    SafePoint at;
    ConversationId conversation;
    Revision revision;
    LiveQuality sample;
};
/// Answer to RequestPreview: an estimate. `preview` is not valid when `error` is set.
struct CompactionPreviewed {
    ConversationId conversation;
    KvOptions kv;  ///< options that the estimate was made for
    CompactionPreview preview;
    std::optional<Error> error;
};
/// The compaction that a preview estimated has happened.
struct PreviewOutcome {
    ConversationId conversation;
    CompactionPreview preview;
    CompactionReport report;
};
/// Progress of the running comparison or sweep.
struct QualityJobProgress {
    std::int64_t done = 0, total = 0;
    /// Sweeps only: one row for each setting from the measurements so far, with those that are not
    /// dominated marked. A setting that has not been tried yet has neither `items` nor `refused`.
    std::vector<GridRow> rows = {};
};
/// Text that was appended to one of the answers of the running comparison; whole characters.
struct ComparedText {
    int side = 0;  ///< 0 for A, which is answered first; 1 for B
    std::string text;
};
/// Answer to CompareSettings. `comparison` is not valid when `error` is set.
struct SettingsCompared {
    std::array<EngineConfig, 2> sides;
    Comparison comparison;
    std::optional<Error> error;
};
/// Answer to SweepSettings: one row for each setting, with those that are not dominated marked.
struct SettingsSwept {
    std::vector<GridRow> rows;
    std::optional<Error> error;
};
/// Progress of CalibrateRotations. The result takes effect once the model is loaded again.
struct RotationsCalibrated {
    std::int64_t done = 0, total = 0;  ///< tokens; `total` is 0 while the text is being generated
    double seconds = 0;                ///< working time so far
    bool ended = false;
    std::optional<Error> error = std::nullopt;  ///< why it ended before completion
    std::string path = {}, hash = {};           ///< set once it is complete
};
/// Progress of recoding the rows of a cache after its number format changed in the middle of a
/// conversation. Published when it begins, after each slice, and at its end.
struct CacheRecoded {
    SafePoint at = {};
    ConversationId conversation;
    std::string from = {}, to = {};  ///< formats by name: "t4", or "t4/t2" for keys and values
    double share = 0;                ///< fraction of rows already recoded, 0..1
    bool ended = false;
    /// True if it ended while the engine was idle. That point cannot be derived from the steps, so
    /// a recording stores it as FinishRecoding.
    bool inPause = false;
    /// Why the cache is unchanged. Cancelled if its settings returned to the format it has.
    std::optional<Error> error = std::nullopt;
    /// Settings by name for the format that the cache still has; applying them cancels the change
    /// (SetConfig::cancels). Empty if none are known.
    std::vector<std::pair<std::string, std::string>> back = {};
};
/// Answer to SavePromptCache and LoadPromptCache.
struct PromptCacheMoved {
    ConversationId conversation;
    std::string path;
    bool loaded = false;      ///< true if read from the file, false if written to it
    std::int64_t tokens = 0;  ///< tokens covered by the cache
    std::optional<Error> error = std::nullopt;  ///< if set, nothing has changed
    /// Smallest number of tokens that the cache can be truncated to; 0 if any length is possible.
    std::int64_t shortest = 0;
    /// Lengths in tokens of the checkpoints that are stored with it, longest first.
    std::vector<std::int64_t> checkpoints = {};
};
/// Statistics of the prefix cache, posted after a lookup, an insertion or a removal.
struct PrefixCacheChanged {
    PrefixStats stats;
    PrefixDiskStats disk = {};  ///< statistics of its disk tier
};
struct Notice {
    std::string sentence;  ///< shown to the user, e.g. that a policy was replaced
};
struct Fatal {
    Error error;  ///< the engine thread ends after this
};

using Event = std::variant<
    StateChanged, ModelLoading, ModelLoaded, ModelFailed, ModelUnloaded, PrecisionChosen,
    PrecisionMeasured, HeadProfilesInEffect, HeadsMeasured, SurrogateFitted, ModelInspected,
    TurnStarted, PrefillProgress, TokenText, TurnFinished, ConfigApplied, ConfigRejected,
    ConfigSuperseded, CacheSettingsDropped, StepSample, CompactionHappened, SpanRestored,
    RetentionSnapshot, QualitySampled, CompactionPreviewed, PreviewOutcome, QualityJobProgress,
    ComparedText, SettingsCompared, SettingsSwept, RotationsCalibrated, PromptCacheMoved,
    PrefixCacheChanged, Notice, Fatal, TextPinned, ReadingEstimated, CacheRecoded>;

/// Receives events on the engine thread only; must not block.
class EventSink {
  public:
    virtual ~EventSink() = default;
    virtual void post(Event event) = 0;
    /// Returns true if compactions of this conversation should carry a RetentionSnapshot, which
    /// visits every slot of the cache and the text of every token.
    [[nodiscard]] virtual bool retentionRequested(ConversationId) const { return false; }
};

}  // namespace lacuna
