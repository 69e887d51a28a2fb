#pragma once
/// \file
/// Public values about compactions: cause, result, state of the next one, and how to treat one that
/// runs in the background. Plain data, shared by the engine, reports and the window.

#include <cstdint>
#include <optional>

#include "engine/values/compaction_reasons.h"
#include "engine/values/value_keys.h"

namespace lacuna {

enum class CompactionMethod { None, Eviction, AttentionMatching };
template <>
inline constexpr KeyTable<3, CompactionMethod> kKeys<CompactionMethod>{
    {{CompactionMethod::None, "none"},
     {CompactionMethod::Eviction, "l2"},
     {CompactionMethod::AttentionMatching, "am"}}};

/// Restore: compaction of the entire cache after evicted tokens were restored.
enum class CompactionCause { Budget, Manual, ConfigChange, MemoryLimit, Restore };
template <>
inline constexpr KeyTable<5, CompactionCause> kKeys<CompactionCause>{
    {{CompactionCause::Budget, "budget"},
     {CompactionCause::Manual, "manual"},
     {CompactionCause::ConfigChange, "config_change"},
     {CompactionCause::MemoryLimit, "memory_limit"},
     {CompactionCause::Restore, "restore"}}};

/// Started applies only to background compactions, which may begin by reading the text. Aborted
/// also applies to synchronous ones whose query pass was cancelled.
enum class CompactionResult { Done, Skipped, Failed, Started, Aborted };
template <>
inline constexpr KeyTable<5, CompactionResult> kKeys<CompactionResult>{
    {{CompactionResult::Done, "done"},
     {CompactionResult::Skipped, "skipped"},
     {CompactionResult::Failed, "failed"},
     {CompactionResult::Started, "started"},
     {CompactionResult::Aborted, "aborted"}}};

/// Information about its text that a compacted cache preserves, measured on a teacher-forced
/// repetition (docs/quality.md, "A limit on the loss"). 1: like the full cache, 0: as if the text
/// had been dropped.
struct KeptInformation {
    double all = 1;               ///< over all measured tokens
    double worst = 1;             ///< of the worst passage
    double error = 0;             ///< standard error of `all`; 0 if the whole text was measured
    std::int64_t worstFirst = 0;  ///< first token of the worst passage
    std::int64_t worstEnd = 0;    ///< one past its last token; 0 if there is none
    double klMean = 0;            ///< nats, over the same tokens
    double klP99 = 0;
    double sameTop = 1;       ///< fraction of positions with the same most likely token
    std::int64_t tokens = 0;  ///< number of measured tokens
    friend bool operator==(const KeptInformation&, const KeptInformation&) = default;
};

struct CompactionReport {
    /// Unique within a session and constant from the start to the end of a background compaction. 0
    /// if unknown, as in older reports.
    std::int64_t id = 0;
    CompactionResult result = CompactionResult::Skipped;
    CompactionCause cause = CompactionCause::Budget;
    CompactionMethod method = CompactionMethod::None;
    CompactionNotes notes = {};  ///< reasons for the outcome and deviations from the request
    std::int64_t tokens = 0;     ///< logical length of the cache
    std::int64_t slotsBefore = 0, slotsAfter = 0;  ///< summed over layers and heads
    std::int64_t liveBytesBefore = 0, liveBytesAfter = 0;
    std::int64_t referenceQueries = 0;  ///< per KV head, AM only
    /// Mean over heads of the relative output error on queries held out of the fit; AM only.
    std::optional<double> heldOutError;
    /// Tokens per slot of the compacted heads: requested by the settings (0 if nothing is), and
    /// achieved, which is smaller if protected tokens need the slots.
    double requestedRatio = 0, achievedRatio = 0;
    bool limited = false;  ///< loss_limit allowed only a smaller ratio than requested, or none
    std::optional<KeptInformation> kept;  ///< nullopt if not measured
    double measureMs = 0;  ///< wall time of measuring `kept`, including trials of ratios
    double queriesMs = 0;  ///< wall time of the query pass; 0 if there was none
    double scoreMs = 0, selectMs = 0, fitMs = 0, applyMs = 0, totalMs = 0;  ///< wall time by stage
    bool background = false;
    double stallMs = 0;       ///< longest interruption of the conversation between two steps
    double backgroundMs = 0;  ///< wall time of the work in the background, part of totalMs

    /// Returns the longest time for which the conversation was blocked.
    [[nodiscard]] double pauseMs() const { return background ? stallMs : totalMs; }
    /// Returns the wall time of all work, in the background or not.
    [[nodiscard]] double workMs() const { return totalMs; }
};

/// Outcome of a compaction. Limited: done, but with a smaller ratio than requested.
enum class CompactionOutcome { Running, Done, Limited, Skipped, Failed, Cancelled };
template <>
inline constexpr KeyTable<6, CompactionOutcome> kKeys<CompactionOutcome>{
    {{CompactionOutcome::Running, "running"},
     {CompactionOutcome::Done, "done"},
     {CompactionOutcome::Limited, "limited"},
     {CompactionOutcome::Skipped, "skipped"},
     {CompactionOutcome::Failed, "failed"},
     {CompactionOutcome::Cancelled, "cancelled"}}};

[[nodiscard]] constexpr CompactionOutcome outcomeOf(const CompactionReport& report) {
    switch (report.result) {
        case CompactionResult::Done:
            return report.limited ? CompactionOutcome::Limited : CompactionOutcome::Done;
        case CompactionResult::Skipped:
            return CompactionOutcome::Skipped;
        case CompactionResult::Failed:
            return CompactionOutcome::Failed;
        case CompactionResult::Started:
            return CompactionOutcome::Running;
        case CompactionResult::Aborted:
            return CompactionOutcome::Cancelled;
    }
    return CompactionOutcome::Failed;
}
/// Returns true if the cache was compacted.
[[nodiscard]] constexpr bool compacted(CompactionOutcome outcome) {
    return outcome == CompactionOutcome::Done || outcome == CompactionOutcome::Limited;
}

/// State of a cache with respect to its next compaction. The sentences are in
/// compaction_sentences.h.
enum class CompactionPhase : std::uint8_t {
    Unknown,          ///< no step has run yet
    SettingsChanged,  ///< settings changed since the last step
    NoMethod,
    // it never compacts
    NoBudget,
    RatioOne,
    LayersSkipped,
    // idle
    Waiting,  ///< trigger not reached yet
    NotNear,
    ShortText,
    NextTurnDecides,
    FirstTurnOpen,
    TurnOpen,
    // due
    Due,
    MeasuredAfterThisAnswer,
    MeasuredAfterNextAnswer,
    ReadAfterThisAnswer,
    ReadAfterNextAnswer,
    // in the background
    Compacting,
    Reading,
    Measuring,
};
/// Returns true if a compaction is due or running.
[[nodiscard]] constexpr bool active(CompactionPhase phase) {
    return phase >= CompactionPhase::Due;
}

/// Protected tokens allow only a smaller ratio than the settings request.
struct ProtectedLimit {
    double possible = 0, asked = 0;  ///< tokens per slot
    std::int64_t protectedTokens = 0;
    friend bool operator==(const ProtectedLimit&, const ProtectedLimit&) = default;
};

/// State of a cache in numbers.
struct CompactionState {
    CompactionPhase phase = CompactionPhase::Unknown;
    bool enabled = false;  ///< a method is set
    bool due = false;      ///< the trigger is exceeded
    int slots = 0;    ///< slots of the largest head, or the mean if budgets differ between heads
    int target = 0;   ///< slots per head after a compaction at this point
    int trigger = 0;  ///< slots per head at which a compaction starts
    bool background = false;  ///< a compaction is running in the background
    double progress = 0;      ///< progress of that compaction, 0..1
    /// ShortText: tokens of the conversation. TurnOpen: tokens before the turn.
    std::int64_t tokens = 0;
    std::int64_t floor = 0;  ///< ShortText: number of tokens below which nothing is compacted
    std::optional<ProtectedLimit> limit = std::nullopt;  ///< limit of the next compaction
};

/// Action for a background compaction that may be ready. A recording states where its result was
/// applied; a replay holds it back until that point and waits for it there. Cancel cancels a
/// compaction that needs a query pass, as a cancel did in the recorded run; while no turn is
/// running it also cancels a background compaction.
enum class BackgroundPolicy { WhenReady, Hold, Wait, Cancel };

}  // namespace lacuna
