#pragma once
/// \file
/// Figures shared by the human-readable documents. Internal to this module. Pure functions.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/report/recorder.h"

namespace lacuna {

struct CompactionFigures {
    /// Milliseconds of wall time; 0 if there are none.
    struct Times {
        double median = 0, p90 = 0, largest = 0;
    };
    std::array<std::int64_t, kKeys<CompactionOutcome>.size()> of = {};  ///< counts by outcome
    Times pause, work;            ///< only includes events that compacted a cache
    std::int64_t bytesSaved = 0;  ///< total of live bytes before minus after

    [[nodiscard]] std::int64_t count(CompactionOutcome outcome) const {
        return of[static_cast<std::size_t>(outcome)];
    }
};
[[nodiscard]] CompactionFigures compactionFigures(const Recording& recording);
/// Returns one entry per compaction, omitting the start of those whose end, with the same id, was
/// recorded. Valid as long as the recording.
[[nodiscard]] std::vector<const CompactionHappened*> compactionsOf(const Recording& recording);

struct QualityFigures {
    std::int64_t samples = 0;
    double klMean = 0, klLargest = 0;   ///< nats
    double sameTop = 0;                 ///< share of samples, 0..1
    std::optional<double> outputError;  ///< mean over the samples that have one
    double costShare = 0;               ///< share of the time of steps and measurements, 0..1
};
/// Returns nullopt if there are no samples, as before the first eviction.
[[nodiscard]] std::optional<QualityFigures> qualityFigures(const Recording& recording);

/// State of one conversation after its latest step and turn.
struct ConversationFigures {
    ConversationId conversation;
    std::int64_t tokens = 0;     ///< tokens covered by its cache
    std::int64_t liveBytes = 0;  ///< live bytes of its cache
    std::int64_t promptTokens = 0, reusedTokens = 0;
    std::string from = {};             ///< origin of the reused tokens, and why there are not more
    std::int64_t evictedRestored = 0;  ///< total number of evicted tokens restored
    std::int64_t keptTokens = 0;  ///< tokens protected from compactions after the latest restore
};
/// Sorted by the first turn of each conversation.
[[nodiscard]] std::vector<ConversationFigures> conversationFigures(const Recording& recording);

/// Logical over live bytes in the latest sample; nullopt if nothing was compacted.
[[nodiscard]] std::optional<double> achievedRatio(const Recording& recording);
/// The same with the states of recurrent layers and their checkpoints on both sides; nullopt also
/// if there are none.
[[nodiscard]] std::optional<double> achievedRatioOfAll(const Recording& recording);
/// Seconds to the first token; nullopt if the answer ended before one.
[[nodiscard]] std::optional<double> firstTokenSeconds(const TurnFinished& finished);
/// Tokens per second after the first; nullopt for answers of at most one token.
[[nodiscard]] std::optional<double> decodeSpeed(const TurnFinished& finished);
/// Prompt tokens per second, excluding reused ones; nullopt if none was computed.
[[nodiscard]] std::optional<double> prefillSpeed(const TurnFinished& finished);

/// "2026-11-21T10:00:00Z".
[[nodiscard]] std::string utcTime(std::int64_t unixMs);
/// "17.2 MiB", "512 B".
[[nodiscard]] std::string bytesText(std::int64_t bytes);
/// "9,214".
[[nodiscard]] std::string countText(std::int64_t count);
/// One decimal, or "-" for nullopt.
[[nodiscard]] std::string figureText(const std::optional<double>& value);
/// Describes the changed settings as "am_ratio 4 to 2.5, budget off to 512".
[[nodiscard]] std::string changeText(const SettingsDiff& changes);

/// A change of settings that took effect.
struct ChangeRow {
    const ConfigApplied* applied = nullptr;
    std::string scope;   ///< "all", or the number of the conversation with its own settings
    std::string change;  ///< changeText, and whether the conversation has cache settings of its own
                         ///< from this point
};
/// Returns the changes in chronological order. Valid as long as the recording.
[[nodiscard]] std::vector<ChangeRow> changeRows(const Recording& recording);
/// Returns the shared configuration in effect at the end of the recording.
[[nodiscard]] const EngineConfig& lastShared(const Recording& recording);

}  // namespace lacuna
