#pragma once
/// \file
/// Reasons for the outcome of a compaction and for deviations from what was requested: an
/// enumerator with its arguments. The sentences are in compaction_sentences.h. Plain data.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

/// In the order of the sentence table (compaction_sentences.cpp), which names the arguments.
enum class CompactionReason : std::uint8_t {
    Recorded,  ///< untyped sentence from an older report
    // skipped
    NoModel,
    NoCache,
    NoMethod,
    NoBudget,
    RatioOne,
    ShortText,
    NothingToGain,
    NothingOverTarget,
    AlreadyRunning,
    FollowsAnswer,
    LossNotMeasured,
    LimitNotReached,
    MeasuredAfterwards,
    CodesExceedLimit,
    // failed
    Failed,
    CacheUnchanged,
    // cancelled
    QueriesCancelled,
    ReadingCancelled,
    MeasuringCancelled,
    OtherCompaction,
    SettingsChanged,
    ConversationContinued,
    ConversationRolledBack,
    ConversationReread,
    ConversationDropped,
    LossAfterAnswer,
    ReadingAfterAnswer,
    AnswerFromStorage,
    AnswerStopped,
    MemoryRanOut,
    OtherWordsPinned,
    ThreadsReplaced,
    ModelReleased,
    Stopped,
    StoppedInRecording,
    // started
    MeasuredFirst,
    ReadFirst,
    // limited
    LimitedByLoss,
    LimitedByProtected,
    CacheLimitReached,
    QuestionCompacted,
    CacheLimitIgnoresLoss,
    SpansEvicted,
    // queries and scores
    CapturedFewQueries,
    QueriesFromReading,
    QueriesFromRepetition,
    NoQueriesByReading,
    NoQueriesByRepetition,
    QueriesFromCapture,
    QueriesFromNewestTurn,
    NewestTurnTooShort,
    QueriesFromRandom,
    TooFewQueriesToMatch,
    ScoredByRepetition,
    NoRepetitionScores,
    NoScoresGathered,
    ScoresPredicted,
    ScoresPredictedAgain,
    SurrogateBehind,
    SurrogateReadingFailed,
    // choices that were replaced
    NormsConstant,
    QueriesUnpredictable,
    FewQueriesSeen,
    CentresNotCalibrated,
    KeyDiffInstead,
    EqualSlots,
    DividedByCoverage,
    DividedByTaskFree,
    DividedByCopyScores,
    UnmeasuredByCopyScores,
    UnmeasuredByCoverage,
    ProfileMissing,
    TextUnknown,
    BadKeys,
    HeadsChoseAlone,
    NoSnapshots,
};

/// A count, a number, or a text: the sentence of an error, or a value in the notation of the
/// settings.
using NoteValue = std::variant<std::int64_t, double, std::string>;

struct CompactionNote {
    CompactionReason reason = CompactionReason::Recorded;
    std::vector<NoteValue> values = {};             ///< in the order of the sentence's placeholders
    std::optional<ErrorCode> error = std::nullopt;  ///< set if the last value is its sentence
    friend bool operator==(const CompactionNote&, const CompactionNote&) = default;
};
using CompactionNotes = std::vector<CompactionNote>;

template <class T>
[[nodiscard]] NoteValue noteValue(T&& value) {
    using Value = std::remove_cvref_t<T>;
    if constexpr (std::is_integral_v<Value>)
        return static_cast<std::int64_t>(value);
    else if constexpr (std::is_floating_point_v<Value>)
        return static_cast<double>(value);
    else
        return std::string(std::forward<T>(value));
}
template <class... Values>
requires(!std::is_same_v<std::remove_cvref_t<Values>, Error> && ...) [[nodiscard]] CompactionNote
    noteOf(CompactionReason reason, Values&&... values) {
    CompactionNote note{.reason = reason};
    (note.values.push_back(noteValue(std::forward<Values>(values))), ...);
    return note;
}
[[nodiscard]] inline CompactionNote noteOf(CompactionReason reason, const Error& error) {
    return {.reason = reason, .values = {error.what}, .error = error.code};
}
[[nodiscard]] inline bool mentions(const CompactionNotes& notes, CompactionReason reason) {
    return std::ranges::find(notes, reason, &CompactionNote::reason) != notes.end();
}

}  // namespace lacuna
