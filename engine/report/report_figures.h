#pragma once
/// \file
/// Figures that the documents made for eyes share. Internal to this room. Pure functions.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/report/recorder.h"

namespace lacuna {

struct CompactionFigures {
    /// Milliseconds of wall time; 0 when there are none.
    struct Times {
        double median = 0, p90 = 0, largest = 0;
    };
    std::array<std::int64_t, kKeys<CompactionOutcome>.size()> of = {};  ///< index: the outcome
    Times pause, work;            ///< of those that compacted a cache
    std::int64_t bytesSaved = 0;  ///< live bytes before minus after, summed

    [[nodiscard]] std::int64_t count(CompactionOutcome outcome) const {
        return of[static_cast<std::size_t>(outcome)];
    }
};
[[nodiscard]] CompactionFigures compactionFigures(const Recording& recording);
/// One entry for each compaction: without the starts of those whose end was recorded, which has the
/// same id. Valid as long as the recording.
[[nodiscard]] std::vector<const CompactionHappened*> compactionsOf(const Recording& recording);

struct QualityFigures {
    std::int64_t samples = 0;
    double klMean = 0, klLargest = 0;   ///< nats
    double sameTop = 0;                 ///< share of samples, 0..1
    std::optional<double> outputError;  ///< mean of those that have one
    double costShare = 0;               ///< of the time of steps and measuring, 0..1
};
/// Nothing where nothing was measured, as before the first eviction.
[[nodiscard]] std::optional<QualityFigures> qualityFigures(const Recording& recording);

/// What is where of one conversation, as its newest step and its newest question left it.
struct ConversationFigures {
    ConversationId conversation;
    std::int64_t tokens = 0;     ///< its cache covers
    std::int64_t liveBytes = 0;  ///< of that cache
    std::int64_t promptTokens = 0, reusedTokens = 0;
    std::string from = {};         ///< where the reused ones came from, and why not more
    std::int64_t broughtBack = 0;  ///< tokens that it forgot and got back, in all
    std::int64_t keptTokens = 0;   ///< that no compaction forgot after the newest of them
};
/// In the order of their first questions.
[[nodiscard]] std::vector<ConversationFigures> conversationFigures(const Recording& recording);

/// Logical over live bytes of the newest sample; nothing while nothing was compacted.
[[nodiscard]] std::optional<double> achievedRatio(const Recording& recording);
/// Seconds to the first token; nothing for answers that ended before one came.
[[nodiscard]] std::optional<double> firstTokenSeconds(const TurnFinished& finished);
/// Tokens a second after the first token; nothing for answers of one token or none.
[[nodiscard]] std::optional<double> decodeSpeed(const TurnFinished& finished);
/// Prompt tokens a second, those reused not counted; nothing when none was computed.
[[nodiscard]] std::optional<double> prefillSpeed(const TurnFinished& finished);

/// "2026-11-21T10:00:00Z".
[[nodiscard]] std::string utcTime(std::int64_t unixMs);
/// "17.2 MiB", "512 B".
[[nodiscard]] std::string bytesText(std::int64_t bytes);
/// "9,214".
[[nodiscard]] std::string countText(std::int64_t count);
/// One decimal, or "-" for nothing.
[[nodiscard]] std::string figureText(const std::optional<double>& value);
/// The settings that changed, as "am_ratio 4 to 2.5, budget off to 512".
[[nodiscard]] std::string changeText(const SettingsDiff& changes);

/// A change of settings that took effect.
struct ChangeRow {
    const ConfigApplied* applied = nullptr;
    std::string scope;   ///< "all", or the number of the conversation whose own they are
    std::string change;  ///< changeText, and whether it has cache settings of its own from here
};
/// In the order in which they came. Valid as long as the recording.
[[nodiscard]] std::vector<ChangeRow> changeRows(const Recording& recording);
/// In force for all when the recording ended.
[[nodiscard]] const EngineConfig& lastShared(const Recording& recording);

}  // namespace lacuna
