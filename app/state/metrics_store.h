#pragma once
/// \file
/// Everything the charts show, kept for the whole session: one SampleSeries per metric, and the
/// lists of compactions, answers and configuration changes. Fed in batches on the GUI thread, read
/// there only. Charts never hold these samples: they ask for what fits their pixels.

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

#include "app/state/restored_row.h"
#include "app/state/sample_series.h"
#include "app/state/view_types.h"

namespace lacuna::app {

enum class Metric {
    LogicalBytes,     ///< bytes an uncompressed cache would hold
    LiveBytes,        ///< bytes of valid slots
    CodeBytes,        ///< what of the live bytes is neither of the next two, where rows are codes
    ScaleBytes,       ///< of the live bytes: scales and biases of codes; 0 while rows are numbers
    ExactBytes,       ///< of the live bytes: rows in 16 bits next to rotated codes
    AllocatedBytes,   ///< bytes of buffers
    TargetBytes,      ///< budget in bytes; 0 while compression is off
    TriggerBytes,     ///< a compaction fires above it; 0 while compression is off
    TokenRatio,       ///< tokens of the context per slot, mean over all heads
    ByteRatio,        ///< logical to live bytes
    ConfiguredRatio,  ///< asked for when a compaction ran
    DecodeRate,       ///< tokens per second, mean of one second of decoding
    DecodeTrend,      ///< the same, smoothed over about two seconds
    PrefillRate,      ///< tokens per second of a prefill chunk
    StepMs,           ///< wall time of a step, compaction excluded
    ResidentBytes,    ///< memory of the process
    WorkMs,           ///< wall time of a compaction, CompactionReport::workMs
    PauseMs,          ///< what of it the conversation waited for
    QualityKl,        ///< nats, next-token distribution against an uncompressed cache
    QualityTop1,      ///< share of the newest samples whose likeliest token is the same, 0..1
    QualityError,     ///< relative attention-output error of a few heads
    QualityCost,      ///< share of the time that measuring takes, 0..1
    ReuseShare,       ///< of the prompt of an answer, what was not read again, 0..1
    StoredBytes,      ///< of texts that are kept in memory for others that begin alike
    DiskBytes,        ///< of those that are kept on disk
    RestoredTokens,   ///< brought back after compactions forgot them, all of them so far
    KeptTokens,       ///< that no compaction forgets since they were brought back
    KeptBytes,        ///< of those, in an uncompressed cache
    CacheShare,       ///< of the cache of an engine elsewhere in use, 0..1
    AnswersRunning,   ///< that an engine elsewhere writes
    RequestsWaiting,  ///< for an engine elsewhere
    AnswerRate,       ///< tokens of an answer per second of its decoding, so far and in the end
};
inline constexpr std::size_t kMetricCount = 32;

/// Limited: carried out with a smaller ratio than asked for, because of the limit on the loss.
enum class Outcome { Done, Failed, Rejected, Skipped, Cancelled, Limited };
inline constexpr std::size_t kOutcomeCount = 6;
using OutcomeCounts = std::array<qint64, kOutcomeCount>;  ///< index: Outcome

struct CompactionMark {
    SeriesPoint place;  ///< value: milliseconds of work
    CompactionRow row;
};
struct ConfigMark {
    SeriesPoint place;
    ConfigRow row;
};
struct TurnMark {
    SeriesPoint place;  ///< of the first token; value: seconds to it. Answers without one have none
    TurnRow row;
};

struct Extent {
    double from = 0, to = 0;
};

/// A figure that somebody else measured.
struct MetricReading {
    Metric metric = Metric::CacheShare;
    double value = 0;
};

class MetricsStore {
  public:
    /// Gauges of the cache are those of the conversation shown. Until showConversation() names one,
    /// that is the conversation of the newest sample.
    void addSamples(const QVector<SampleRow>& rows);
    /// From now on the gauges are those of another cache: `row` is its newest sample, with the time
    /// of the change; without tokens: the conversation has no cache.
    void showConversation(const SampleRow& row);
    /// No conversation has a cache any more, as after a change of the model.
    void dropCaches(qint64 timeNs);
    void addCompactions(const QVector<CompactionRow>& rows);
    void addQuality(const QVector<QualityRow>& rows);
    void addConfigs(const QVector<ConfigRow>& rows);
    void addTurns(const QVector<TurnRow>& rows);
    void addStored(const StoredRow& row);
    void addRestored(const RestoredRow& row);
    /// Figures of an engine elsewhere, as of one moment; those that are not among them are absent.
    /// `tokens` were processed since the moment before.
    void addReadings(qint64 timeNs, qint64 tokens, const QVector<MetricReading>& readings);
    /// Whose figures these are: the name of an engine elsewhere; empty: the local one.
    void setSource(const QString& name);
    [[nodiscard]] const QString& source() const { return m_source; }
    /// Shows what the other has, and the other way round.
    void exchange(MetricsStore& other);
    /// Samples the bridge had to leave out; shown, never hidden.
    void addDropped(qint64 count);
    void clear();

    [[nodiscard]] const SampleSeries& series(Metric metric) const {
        return m_series[static_cast<std::size_t>(metric)];
    }
    [[nodiscard]] const std::vector<CompactionMark>& compactions() const { return m_compactions; }
    [[nodiscard]] const std::vector<ConfigMark>& configs() const { return m_configs; }
    [[nodiscard]] const std::vector<TurnMark>& turns() const { return m_turns; }
    /// Beginnings of the first step of each answer, ascending: a curve is not joined across them
    /// when idle.
    [[nodiscard]] const std::vector<SeriesPoint>& turnStarts() const { return m_turnStarts; }
    /// Places at which the gauges became those of another cache, ascending.
    [[nodiscard]] const std::vector<SeriesPoint>& cacheStarts() const { return m_cacheStarts; }
    /// The newest sample of the cache shown.
    [[nodiscard]] const std::optional<SampleRow>& latest() const { return m_latest; }
    [[nodiscard]] qint64 dropped() const { return m_dropped; }

    /// Attempts of each kind whose place lies in [from, to).
    [[nodiscard]] OutcomeCounts outcomes(XAxis axis, double from, double to) const;
    [[nodiscard]] OutcomeCounts totals() const;
    /// First and last place of anything stored.
    [[nodiscard]] std::optional<Extent> extent(XAxis axis) const;
    /// Tokens processed at that time, for things that carry a time only.
    [[nodiscard]] std::uint32_t tokensAt(std::int64_t timeNs) const;
    /// Grows with every change; a view that saw this number need not draw again.
    [[nodiscard]] std::uint64_t changes() const { return m_changes; }
    /// Memory of all series, in bytes.
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct DecodeSecond {  ///< the second of decoding being summed up
        std::optional<qint64> turn;
        std::optional<SeriesPoint> start, last;  ///< begin of the answer's decoding, newest token
        double tokens = 0, seconds = 0;
        double trendTokens = 0, trendSeconds = 0;  ///< fading sums
        bool drawn = false;                        ///< the answer has a mean already
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
    bool m_working = false;  ///< the newest readings had a rate
    std::array<SampleSeries, kMetricCount> m_series;
    std::vector<CompactionMark> m_compactions;
    std::vector<ConfigMark> m_configs;
    std::vector<TurnMark> m_turns;
    std::vector<SeriesPoint> m_turnStarts;
    std::array<std::vector<SeriesPoint>, kOutcomeCount> m_outcomes;
    std::vector<SeriesPoint> m_cacheStarts;
    std::optional<SampleRow> m_latest;
    std::optional<qint64> m_shown;        ///< conversation whose cache the gauges show
    bool m_shownByCaller = false;         ///< else by the newest sample
    QHash<qint64, double> m_askedRatios;  ///< of the newest compaction of each conversation
    std::optional<qint64> m_turn;         ///< of the newest sample
    std::optional<SeriesPoint> m_first, m_last;
    DecodeSecond m_decode;
    std::deque<bool> m_sameTop;  ///< of the newest quality samples of one conversation
    std::optional<qint64> m_sameTopOf;
    qint64 m_restoredTokens = 0;
    QHash<qint64, RestoredRow> m_restored;  ///< the newest of each conversation
    std::uint32_t m_tokens = 0;
    qint64 m_dropped = 0;
    std::uint64_t m_changes = 0;
};

/// Elements of `marks` (anything with a `place`) whose place lies in [from, to]: first index and
/// end.
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
