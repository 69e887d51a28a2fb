#pragma once
/// \file
/// All data shown by the charts of a session: one SampleSeries per metric, and the lists of
/// compactions, turns and configuration changes. Filled in batches and read on the GUI thread only.
/// Charts do not copy samples; they query as many points as fit their pixels.

#include <QHash>
#include <QString>
#include <QVector>
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "app/state/chat/restored_row.h"
#include "app/state/telemetry/sample_series.h"
#include "app/state/view_types.h"

namespace lacuna::app {

enum class Metric {
    LogicalBytes,    ///< size of an uncompressed cache with the same tokens
    LiveBytes,       ///< size of the valid slots
    CodeBytes,       ///< part of LiveBytes: quantised codes; 0 if rows are not quantised
    ScaleBytes,      ///< part of LiveBytes: scales and biases of codes; 0 if rows are not quantised
    ExactBytes,      ///< part of LiveBytes: 16-bit rows next to rotated codes
    AllocatedBytes,  ///< size of the allocated buffers
    StateBytes,      ///< states of recurrent layers; 0 if there are none
    CheckpointBytes,  ///< checkpoints of these states
    TargetBytes,      ///< budget in bytes; 0 if compression is off
    TriggerBytes,     ///< bytes above which a compaction starts; 0 if compression is off
    TokenRatio,       ///< context tokens per slot, mean over all heads
    ByteRatio,        ///< logical bytes divided by live bytes
    MemoryRatio,      ///< the same with states and checkpoints on both sides; 0 if there are none
    ConfiguredRatio,  ///< ratio requested by the settings at a compaction
    DecodeRate,       ///< tokens per second, averaged over one second of decoding
    DecodeTrend,      ///< tokens per second, smoothed over about two seconds
    PrefillRate,      ///< tokens per second of a prefill chunk
    StepMs,           ///< wall time of a step, compaction excluded
    ResidentBytes,    ///< resident memory of the process
    WorkMs,           ///< duration of a compaction, CompactionReport::workMs
    PauseMs,          ///< time that the conversation was blocked by a compaction
    QualityKl,    ///< divergence of the next-token distribution from an uncompressed cache, in nats
    QualityTop1,  ///< share (0..1) of the latest samples with the same most likely token
    QualityError,     ///< relative attention output error of a few heads
    QualityCost,      ///< share (0..1) of time spent on quality monitoring
    ReuseShare,       ///< share (0..1) of a prompt that was reused
    StoredBytes,      ///< size of the prefix cache in memory
    DiskBytes,        ///< size of the prefix cache on disk
    RestoredTokens,   ///< evicted tokens restored so far
    KeptTokens,       ///< restored tokens that later compactions keep
    KeptBytes,        ///< size of KeptTokens in an uncompressed cache
    CacheShare,       ///< share (0..1) of a remote engine's cache in use
    AnswersRunning,   ///< answers being written by a remote engine
    RequestsWaiting,  ///< requests queued at a remote engine
    AnswerRate,       ///< tokens per second of decoding since the start of an answer
};
inline constexpr std::size_t kMetricCount = 35;

/// Limited: the loss limit enforced a smaller ratio than requested.
enum class Outcome { Done, Failed, Rejected, Skipped, Cancelled, Limited };
inline constexpr std::size_t kOutcomeCount = 6;
using OutcomeCounts = std::array<qint64, kOutcomeCount>;  ///< indexed by Outcome

struct CompactionMark {
    SeriesPoint place;  ///< value: duration in ms
    CompactionRow row;
};
struct ConfigMark {
    SeriesPoint place;
    ConfigRow row;
};
struct TurnMark {
    SeriesPoint place;  ///< position of the first token; value: seconds until it. Turns without a
                        ///< token have no mark.
    TurnRow row;
};

struct Extent {
    double from = 0, to = 0;
};

/// A figure reported by a remote engine.
struct MetricReading {
    Metric metric = Metric::CacheShare;
    double value = 0;
};

class MetricsStore {
  public:
    /// Adds samples. Cache gauges follow the shown conversation; before the first
    /// showConversation(), that is the conversation of the latest sample.
    void addSamples(const QVector<SampleRow>& rows);
    /// Switches the cache gauges to another cache. `row` is its latest sample with the time of the
    /// change; without tokens if the conversation has no cache.
    void showConversation(const SampleRow& row);
    /// Records that no conversation has a cache any more, for example after the model has changed.
    void dropCaches(qint64 timeNs);
    void addCompactions(const QVector<CompactionRow>& rows);
    void addQuality(const QVector<QualityRow>& rows);
    void addConfigs(const QVector<ConfigRow>& rows);
    void addTurns(const QVector<TurnRow>& rows);
    void addStored(const StoredRow& row);
    void addRestored(const RestoredRow& row);
    /// Adds figures of a remote engine at one time; missing figures are absent. `tokens` were
    /// processed since the previous call.
    void addReadings(qint64 timeNs, qint64 tokens, const QVector<MetricReading>& readings);
    /// Sets the source of the figures: the name of a remote engine, or empty for the local one.
    void setSource(const QString& name);
    [[nodiscard]] const QString& source() const { return m_source; }
    /// Swaps the contents of two stores and increments changes().
    void exchange(MetricsStore& other);
    /// Adds samples that were dropped by event delivery, which the charts disclose.
    void addDropped(qint64 count);
    void clear();

    [[nodiscard]] const SampleSeries& series(Metric metric) const {
        return m_series[static_cast<std::size_t>(metric)];
    }
    [[nodiscard]] const std::vector<CompactionMark>& compactions() const { return m_compactions; }
    [[nodiscard]] const std::vector<ConfigMark>& configs() const { return m_configs; }
    [[nodiscard]] const std::vector<TurnMark>& turns() const { return m_turns; }
    /// Start positions of the turns, ascending. Curves are not connected across them after idle
    /// time.
    [[nodiscard]] const std::vector<SeriesPoint>& turnStarts() const { return m_turnStarts; }
    /// Positions at which the gauges switched to another cache, ascending; value: its conversation.
    [[nodiscard]] const std::vector<SeriesPoint>& cacheStarts() const { return m_cacheStarts; }
    /// Conversation that the cache gauges showed at that time.
    [[nodiscard]] qint64 conversationAt(std::int64_t timeNs) const;
    /// The latest sample of the shown cache.
    [[nodiscard]] const std::optional<SampleRow>& latest() const { return m_latest; }
    [[nodiscard]] qint64 dropped() const { return m_dropped; }

    /// Counts compactions and changes by outcome in [from, to).
    [[nodiscard]] OutcomeCounts outcomes(XAxis axis, double from, double to) const;
    [[nodiscard]] OutcomeCounts totals() const;
    /// Range of all stored data on the axis; nullopt if there are none.
    [[nodiscard]] std::optional<Extent> extent(XAxis axis) const;
    /// Returns the number of tokens processed at that time, to position data that have only a time.
    [[nodiscard]] std::uint32_t tokensAt(std::int64_t timeNs) const;
    /// Change counter that lets views skip redundant redraws.
    [[nodiscard]] std::uint64_t changes() const { return m_changes; }
    /// Memory used by all series, in bytes.
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct DecodeSecond {  ///< accumulator for the current second of decoding
        std::optional<qint64> turn;
        std::optional<SeriesPoint> start, last;  ///< start of the answer's decoding, and its latest
                                                 ///< token
        double tokens = 0, seconds = 0;
        double trendTokens = 0, trendSeconds = 0;  ///< exponentially decaying sums
        bool drawn = false;                        ///< true once the answer has a mean
    };
    void addSample(const SampleRow& row);
    void addGauges(const SampleRow& row);
    void startCache(const SampleRow& row);
    void addRates(const SampleRow& row);
    void addDecoded(const SampleRow& row, double stepSeconds);
    void endDecodeSecond();
    void put(Metric metric, const SampleRow& row, double value);
    [[nodiscard]] SeriesPoint placeOf(std::int64_t timeNs, double value) const;
    void note(Outcome outcome, const SeriesPoint& place);

    QString m_source;
    bool m_working = false;  ///< true if the latest readings contained a rate
    std::array<SampleSeries, kMetricCount> m_series;
    std::vector<CompactionMark> m_compactions;
    std::vector<ConfigMark> m_configs;
    std::vector<TurnMark> m_turns;
    std::vector<SeriesPoint> m_turnStarts;
    std::array<std::vector<SeriesPoint>, kOutcomeCount> m_outcomes;
    std::vector<SeriesPoint> m_cacheStarts;
    std::optional<qint64> m_firstShown;  ///< conversation of the gauges before the first switch
    std::optional<SampleRow> m_latest;
    std::optional<qint64> m_shown;            ///< conversation shown by the cache gauges
    bool m_shownByCaller = false;             ///< false if m_shown follows the latest sample
    QHash<qint64, double> m_requestedRatios;  ///< requested ratio of each conversation's latest
                                              ///< compaction
    std::optional<qint64> m_turn;             ///< turn of the latest sample
    std::optional<SeriesPoint> m_first, m_last;
    DecodeSecond m_decode;
    std::deque<bool> m_sameTop;  ///< latest quality samples of one conversation
    std::optional<qint64> m_sameTopOf;
    qint64 m_restoredTokens = 0;
    QHash<qint64, RestoredRow> m_restored;  ///< latest row of each conversation
    std::uint32_t m_tokens = 0;
    qint64 m_dropped = 0;
    std::uint64_t m_changes = 0;
};

/// Returns the index range [first, end) of the marks whose `place` lies in [from, to].
template <class Mark>
[[nodiscard]] std::pair<std::size_t, std::size_t> marksWithin(const std::vector<Mark>& marks,
                                                              XAxis axis, Extent range) {
    const auto before = [axis](const Mark& mark, double x) { return mark.place.at(axis) < x; };
    const auto after = [axis](double x, const Mark& mark) { return x < mark.place.at(axis); };
    const auto first = std::lower_bound(marks.begin(), marks.end(), range.from, before);
    const auto end = std::upper_bound(first, marks.end(), range.to, after);
    return {static_cast<std::size_t>(first - marks.begin()),
            static_cast<std::size_t>(end - marks.begin())};
}

}  // namespace lacuna::app
