#pragma once
/// \file
/// What is said of compactions outside of the compressor: why one was made, how it ended, where the
/// next one stands, and what may be ordered of one that runs in the background. Plain data, the
/// same in the engine, in reports and in the window.

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

/// Restore: of the whole cache, after tokens were brought back.
enum class CompactionCause { Budget, Manual, ConfigChange, MemoryLimit, Restore };
template <>
inline constexpr KeyTable<5, CompactionCause> kKeys<CompactionCause>{
    {{CompactionCause::Budget, "budget"},
     {CompactionCause::Manual, "manual"},
     {CompactionCause::ConfigChange, "config_change"},
     {CompactionCause::MemoryLimit, "memory_limit"},
     {CompactionCause::Restore, "restore"}}};

/// Started is of compactions in the background only, which may begin with a reading of the text;
/// Aborted also of those at once whose pass for queries was broken off.
enum class CompactionResult { Done, Skipped, Failed, Started, Aborted };
template <>
inline constexpr KeyTable<5, CompactionResult> kKeys<CompactionResult>{
    {{CompactionResult::Done, "done"},
     {CompactionResult::Skipped, "skipped"},
     {CompactionResult::Failed, "failed"},
     {CompactionResult::Started, "started"},
     {CompactionResult::Aborted, "aborted"}}};

/// What a compacted cache keeps of the information that the model has of its text: measured on a
/// teacher-forced repetition of it (docs/quality.md, "A limit on the loss"). 1: as the full cache,
/// 0: as if the text had been dropped.
struct KeptInformation {
    double all = 1;               ///< of all tokens measured
    double worst = 1;             ///< of the weakest passage
    double error = 0;             ///< standard error of `all`; 0 where the whole text was measured
    std::int64_t worstFirst = 0;  ///< first token of the weakest passage
    std::int64_t worstEnd = 0;    ///< one past its last token; 0: there is none
    double klMean = 0;            ///< nats, over the same tokens
    double klP99 = 0;
    double sameTop = 1;       ///< share of positions whose likeliest token is the same
    std::int64_t tokens = 0;  ///< measured
    friend bool operator==(const KeptInformation&, const KeptInformation&) = default;
};

struct CompactionReport {
    /// Unique in a session, and the same from the start to the end of one in the background; 0: not
    /// known, as in reports from before it was written.
    std::int64_t id = 0;
    CompactionResult result = CompactionResult::Skipped;
    CompactionCause cause = CompactionCause::Budget;
    CompactionMethod method = CompactionMethod::None;
    CompactionNotes notes = {};  ///< why it ended so, and what was done otherwise than requested
    std::int64_t tokens = 0;     ///< logical length
    std::int64_t slotsBefore = 0, slotsAfter = 0;  ///< summed over layers and heads
    std::int64_t liveBytesBefore = 0, liveBytesAfter = 0;
    std::int64_t referenceQueries = 0;  ///< per KV head, AM only
    /// Mean over heads of the relative output error on queries held out of the fit; AM only.
    std::optional<double> heldOutError;
    /// Tokens per slot of the compacted heads: what the settings ask for (0: nothing), and what the
    /// cache has now, which is less where protected tokens need the slots.
    double askedRatio = 0, achievedRatio = 0;
    bool limited = false;  ///< loss_limit left a smaller ratio than the settings ask for, or none
    std::optional<KeptInformation> kept;  ///< nothing: it was not measured
    double measureMs = 0;  ///< wall time of measuring what it keeps, trials of ratios included
    double queriesMs = 0;  ///< wall time of the pass for queries; 0 where none was made
    double scoreMs = 0, selectMs = 0, fitMs = 0, applyMs = 0, totalMs = 0;  ///< wall time by stage
    bool background = false;
    double stallMs = 0;       ///< longest time that the conversation waited between two steps
    double backgroundMs = 0;  ///< wall time of the work alongside the conversation, within totalMs

    /// Wall time that the conversation waited at a stretch.
    [[nodiscard]] double pauseMs() const { return background ? stallMs : totalMs; }
    /// Wall time of all work, in the background or not.
    [[nodiscard]] double workMs() const { return totalMs; }
};

/// What came of a compaction. Limited: done, to a smaller ratio than the settings ask for.
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
/// Whether the cache was compacted.
[[nodiscard]] constexpr bool compacted(CompactionOutcome outcome) {
    return outcome == CompactionOutcome::Done || outcome == CompactionOutcome::Limited;
}

/// Where a cache stands towards its next compaction. The sentences are in compaction_sentences.h.
enum class CompactionStanding : std::uint8_t {
    Unknown,          ///< no step was taken yet
    SettingsChanged,  ///< since the newest step
    NoMethod,
    // it never compacts
    NoBudget,
    RatioOne,
    LayersSkipped,
    // idle
    Waiting,  ///< for the trigger
    NotInSight,
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
/// Whether a compaction is due or runs.
[[nodiscard]] constexpr bool active(CompactionStanding standing) {
    return standing >= CompactionStanding::Due;
}

/// Protected tokens leave a smaller ratio than the settings ask for.
struct ProtectedLimit {
    double possible = 0, asked = 0;  ///< tokens per slot
    std::int64_t protectedTokens = 0;
    friend bool operator==(const ProtectedLimit&, const ProtectedLimit&) = default;
};

/// Where a cache stands, in numbers.
struct CompactionState {
    CompactionStanding standing = CompactionStanding::Unknown;
    bool enabled = false;     ///< a method is chosen
    bool due = false;         ///< over the trigger now
    int slots = 0;            ///< now: of the largest head, or the mean where heads differ by plan
    int target = 0;           ///< slots per head after a compaction now
    int trigger = 0;          ///< slots at which a compaction starts
    bool background = false;  ///< one is being worked on in the background
    double progress = 0;      ///< 0..1 of that
    /// ShortText: tokens of the conversation. TurnOpen: tokens before the turn.
    std::int64_t tokens = 0;
    std::int64_t floor = 0;  ///< ShortText: tokens below which nothing is compacted
    std::optional<ProtectedLimit> limit = std::nullopt;  ///< of the compaction to come
};

/// What to do with a compaction that may be ready in the background. A recording says where it was
/// taken over; a replay holds it back before and waits for it there. BreakOff: a compaction that
/// needs a pass for its queries is given up, as it was when a cancel came, and while nothing is
/// answered one in the background as well.
enum class BackgroundOrder { WhenReady, Hold, Wait, BreakOff };

}  // namespace lacuna
