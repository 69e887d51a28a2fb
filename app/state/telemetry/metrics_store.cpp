#include "app/state/telemetry/metrics_store.h"

#include <cmath>

namespace lacuna::app {

namespace {

constexpr double kNsPerSecond = 1e9;
/// Time constant of the smoothed decode rate.
constexpr double kTrendSeconds = 2.0;
/// Number of samples averaged for the top-1 agreement.
constexpr std::size_t kTop1Samples = 16;
/// A shorter remainder of an answer gets no mean of its own.
constexpr double kMinSeconds = 0.25;

double ratioOf(qint64 whole, qint64 part) {
    return part > 0 ? static_cast<double>(whole) / static_cast<double>(part) : 0.0;
}

/// Maps the outcome of a finished compaction.
Outcome endOf(CompactionOutcome outcome) {
    switch (outcome) {
        case CompactionOutcome::Done:
            return Outcome::Done;
        case CompactionOutcome::Limited:
            return Outcome::Limited;
        case CompactionOutcome::Skipped:
            return Outcome::Skipped;
        case CompactionOutcome::Cancelled:
            return Outcome::Cancelled;
        case CompactionOutcome::Failed:
        case CompactionOutcome::Running:
            break;
    }
    return Outcome::Failed;
}

template <class Mark>
void keepAscending(std::vector<Mark>& marks, Mark mark) {
    if (!marks.empty()) {
        mark.place.timeNs = std::max(mark.place.timeNs, marks.back().place.timeNs);
        mark.place.tokens = std::max(mark.place.tokens, marks.back().place.tokens);
    }
    marks.push_back(std::move(mark));
}

}  // namespace

void MetricsStore::put(Metric metric, const SampleRow& row, double value) {
    m_series[static_cast<std::size_t>(metric)].appendRun({row.timeNs, m_tokens, value});
}

SeriesPoint MetricsStore::placeOf(std::int64_t timeNs, double value) const {
    return {timeNs, tokensAt(timeNs), value};
}

std::uint32_t MetricsStore::tokensAt(std::int64_t timeNs) const {
    // Series that receive a value with every sample or with every reading of a remote engine.
    std::uint32_t tokens = 0;
    for (const Metric metric :
         {Metric::LogicalBytes, Metric::StepMs, Metric::AnswersRunning, Metric::CacheShare})
        if (const auto found = series(metric).lastBefore(XAxis::Time, static_cast<double>(timeNs)))
            tokens = std::max(tokens, found->tokens);
    return tokens;
}

void MetricsStore::addSamples(const QVector<SampleRow>& rows) {
    for (const SampleRow& row : rows) addSample(row);
    if (!rows.isEmpty()) ++m_changes;
}

void MetricsStore::addSample(const SampleRow& row) {
    if (row.tokens > 0) m_tokens += static_cast<std::uint32_t>(row.tokens);
    const SeriesPoint place{row.timeNs, m_tokens, 0};
    if (!m_first) m_first = place;
    m_last = place;
    if (m_turn != row.turn) {
        // A turn starts at the beginning of its first step, while samples carry the time of the
        // end.
        SeriesPoint start{row.timeNs - static_cast<std::int64_t>(row.stepMs * 1e6), place.tokens,
                          0};
        start.tokens -= static_cast<std::uint32_t>(std::max(row.tokens, 0));
        if (!m_turnStarts.empty())
            start.timeNs = std::max(start.timeNs, m_turnStarts.back().timeNs);
        m_turnStarts.push_back(start);
    }
    m_turn = row.turn;
    const bool other = !m_shownByCaller && m_shown && m_shown != row.conversation;
    if (!m_shownByCaller) m_shown = row.conversation;
    if (m_shown == row.conversation) {
        if (other)
            startCache(row);
        else
            addGauges(row);
        m_latest = row;
    }
    if (row.rssBytes > 0) put(Metric::ResidentBytes, row, static_cast<double>(row.rssBytes));
    if (row.stepMs > 0) put(Metric::StepMs, row, row.stepMs);
    if (row.answerRate > 0) put(Metric::AnswerRate, row, row.answerRate);
    addRates(row);
}

namespace {

struct Gauge {
    Metric metric;
    double value = 0;
};

/// Returns all cache gauges; ratios are 0 if unknown.
std::vector<Gauge> gaugesOf(const SampleRow& row) {
    const qint64 codes = row.scaleBytes > 0 ? row.liveBytes - row.scaleBytes - row.exactBytes : 0;
    const qint64 recurrent = row.stateBytes + row.checkpointBytes;
    const auto real = [](qint64 bytes) { return static_cast<double>(bytes); };
    return {{Metric::LogicalBytes, real(row.logicalBytes)},
            {Metric::LiveBytes, real(row.liveBytes)},
            {Metric::CodeBytes, real(codes)},
            {Metric::ScaleBytes, real(row.scaleBytes)},
            {Metric::ExactBytes, real(row.exactBytes)},
            {Metric::AllocatedBytes, real(row.allocatedBytes)},
            {Metric::StateBytes, real(row.stateBytes)},
            {Metric::CheckpointBytes, real(row.checkpointBytes)},
            {Metric::TargetBytes, real(row.targetBytes)},
            {Metric::TriggerBytes, real(row.triggerBytes)},
            {Metric::TokenRatio, row.slotsTotal > 0 && row.heads > 0
                                     ? ratioOf(row.contextTokens * row.heads, row.slotsTotal)
                                     : 0},
            {Metric::ByteRatio, ratioOf(row.logicalBytes, row.liveBytes)},
            {Metric::MemoryRatio,
             recurrent > 0 ? ratioOf(row.logicalBytes + recurrent, row.liveBytes + recurrent) : 0}};
}

bool isRatio(Metric metric) {
    return metric == Metric::TokenRatio || metric == Metric::ByteRatio ||
           metric == Metric::MemoryRatio;
}

}  // namespace

void MetricsStore::addGauges(const SampleRow& row) {
    if (!m_firstShown) m_firstShown = row.conversation;
    for (const auto& [metric, value] : gaugesOf(row))
        if (value > 0 || !isRatio(metric)) put(metric, row, value);
}

/// Uses append instead of appendRun, because merging would hide the start of the other cache.
void MetricsStore::startCache(const SampleRow& row) {
    SeriesPoint start{row.timeNs, m_tokens, static_cast<double>(row.conversation)};
    if (!m_cacheStarts.empty()) start.timeNs = std::max(start.timeNs, m_cacheStarts.back().timeNs);
    m_cacheStarts.push_back(start);
    std::vector<Gauge> gauges = gaugesOf(row);
    gauges.push_back({Metric::ConfiguredRatio, m_requestedRatios.value(row.conversation)});
    for (const auto& [metric, value] : gauges) {
        SampleSeries& series = m_series[static_cast<std::size_t>(metric)];
        if (value > 0 || series.size() > 0) series.append({row.timeNs, m_tokens, value});
    }
}

qint64 MetricsStore::conversationAt(std::int64_t timeNs) const {
    const auto next = std::upper_bound(
        m_cacheStarts.begin(), m_cacheStarts.end(), timeNs,
        [](std::int64_t time, const SeriesPoint& start) { return time < start.timeNs; });
    return next == m_cacheStarts.begin() ? m_firstShown.value_or(0)
                                         : static_cast<qint64>(std::prev(next)->value);
}

void MetricsStore::showConversation(const SampleRow& row) {
    m_shownByCaller = true;
    m_shown = row.conversation;
    m_latest = row.contextTokens > 0 ? std::optional(row) : std::nullopt;
    const bool anything = series(Metric::LiveBytes).size() > 0 || row.liveBytes > 0;
    if (!anything) return;
    startCache(row);
    if (!m_first) m_first = SeriesPoint{row.timeNs, m_tokens, 0};
    if (!m_last || m_last->timeNs < row.timeNs) m_last = SeriesPoint{row.timeNs, m_tokens, 0};
    ++m_changes;
}

void MetricsStore::dropCaches(qint64 timeNs) {
    m_requestedRatios.clear();
    m_latest.reset();
    const auto live = series(Metric::LiveBytes).last();
    if (!live || live->value <= 0) return;
    SampleRow none;
    none.timeNs = timeNs;
    none.conversation = m_shown.value_or(0);
    startCache(none);
    if (m_last && m_last->timeNs < timeNs) m_last = SeriesPoint{timeNs, m_tokens, 0};
    ++m_changes;
}

void MetricsStore::addRates(const SampleRow& row) {
    if (row.tokens <= 0 || row.stepMs <= 0) return;
    const double stepSeconds = row.stepMs / 1000.0;
    if (row.phase == EngineState::Prefill) {
        // A chunk has a constant rate from its start to its end.
        const double rate = static_cast<double>(row.tokens) / stepSeconds;
        const auto began = row.timeNs - static_cast<std::int64_t>(stepSeconds * kNsPerSecond);
        auto& series = m_series[static_cast<std::size_t>(Metric::PrefillRate)];
        series.append({began, m_tokens - static_cast<std::uint32_t>(row.tokens), rate});
        series.append({row.timeNs, m_tokens, rate});
        return;
    }
    if (row.phase != EngineState::Decode) return;
    addDecoded(row, stepSeconds);
}

void MetricsStore::addDecoded(const SampleRow& row, double stepSeconds) {
    DecodeSecond& second = m_decode;
    if (second.turn != row.turn) {
        endDecodeSecond();
        second = DecodeSecond();
        second.turn = row.turn;
    }
    // The time since the previous token is used, so that compactions lower the rate.
    double seconds = stepSeconds;
    if (second.last) {
        const double since = static_cast<double>(row.timeNs - second.last->timeNs) / kNsPerSecond;
        seconds = std::max(since, stepSeconds);
    }
    const double fade = std::exp(-seconds / kTrendSeconds);
    second.trendTokens = second.trendTokens * fade + row.tokens;
    second.trendSeconds = second.trendSeconds * fade + seconds;
    // The first tokens are too few for a rate; the mean includes them.
    if (second.trendSeconds >= kMinSeconds) {
        put(Metric::DecodeTrend, row, second.trendTokens / second.trendSeconds);
    }
    if (!second.start) {
        const auto before = static_cast<std::uint32_t>(row.tokens);
        second.start = {row.timeNs - static_cast<std::int64_t>(seconds * kNsPerSecond),
                        m_tokens - before, 0};
    }
    second.last = {row.timeNs, m_tokens, 0};
    second.tokens += row.tokens;
    second.seconds += seconds;
    if (second.seconds >= 1.0) endDecodeSecond();
}

void MetricsStore::endDecodeSecond() {
    DecodeSecond& second = m_decode;
    // A short remainder gets no mean of its own unless it is the complete answer.
    const bool whole = second.seconds >= kMinSeconds || !second.drawn;
    if (second.tokens <= 0 || second.seconds <= 0 || !whole) return;
    auto& series = m_series[static_cast<std::size_t>(Metric::DecodeRate)];
    const double rate = second.tokens / second.seconds;
    // The first mean is drawn from the first token on.
    if (!second.drawn && second.start)
        series.append({second.start->timeNs, second.start->tokens, rate});
    if (second.last) series.append({second.last->timeNs, second.last->tokens, rate});
    second.drawn = true;
    second.tokens = second.seconds = 0;
}

void MetricsStore::note(Outcome outcome, const SeriesPoint& place) {
    auto& places = m_outcomes[static_cast<std::size_t>(outcome)];
    SeriesPoint kept = place;
    if (!places.empty()) {
        kept.timeNs = std::max(kept.timeNs, places.back().timeNs);
        kept.tokens = std::max(kept.tokens, places.back().tokens);
    }
    places.push_back(kept);
    if (!m_first) m_first = place;
    if (!m_last || m_last->timeNs < place.timeNs) m_last = place;
}

void MetricsStore::addCompactions(const QVector<CompactionRow>& rows) {
    for (const CompactionRow& row : rows) {
        const SeriesPoint place = placeOf(row.timeNs, row.workMs());
        keepAscending(m_compactions, CompactionMark{place, row});
        const CompactionOutcome outcome = outcomeOf(row);
        if (outcome == CompactionOutcome::Running) continue;  // Counted when it ends.
        note(endOf(outcome), place);
        if (!compacted(outcome) && outcome != CompactionOutcome::Failed) continue;
        m_series[static_cast<std::size_t>(Metric::WorkMs)].append(place);
        m_series[static_cast<std::size_t>(Metric::PauseMs)].append(
            placeOf(row.timeNs, row.pauseMs()));
        if (row.configuredRatio <= 0) continue;
        m_requestedRatios[row.conversation] = row.configuredRatio;
        if (m_shown && m_shown != row.conversation) continue;
        m_series[static_cast<std::size_t>(Metric::ConfiguredRatio)].appendRun(
            placeOf(row.timeNs, row.configuredRatio));
    }
    if (!rows.isEmpty()) ++m_changes;
}

void MetricsStore::addQuality(const QVector<QualityRow>& rows) {
    const auto add = [this](Metric metric, qint64 timeNs, double value) {
        m_series[static_cast<std::size_t>(metric)].append(placeOf(timeNs, value));
    };
    for (const QualityRow& row : rows) {
        if (m_sameTopOf != row.conversation) m_sameTop.clear();
        m_sameTopOf = row.conversation;
        m_sameTop.push_back(row.sameTop);
        if (m_sameTop.size() > kTop1Samples) m_sameTop.pop_front();
        const auto same = std::count(m_sameTop.begin(), m_sameTop.end(), true);
        add(Metric::QualityKl, row.timeNs, row.kl);
        add(Metric::QualityTop1, row.timeNs,
            static_cast<double>(same) / static_cast<double>(m_sameTop.size()));
        if (row.outputError) add(Metric::QualityError, row.timeNs, *row.outputError);
        add(Metric::QualityCost, row.timeNs, row.costShare);
    }
    if (!rows.isEmpty()) ++m_changes;
}

void MetricsStore::addConfigs(const QVector<ConfigRow>& rows) {
    for (const ConfigRow& row : rows) {
        const SeriesPoint place = placeOf(row.timeNs, 0);
        keepAscending(m_configs, ConfigMark{place, row});
        if (!row.applied) note(Outcome::Rejected, place);
    }
    if (!rows.isEmpty()) ++m_changes;
}

void MetricsStore::addTurns(const QVector<TurnRow>& rows) {
    for (const TurnRow& row : rows) {
        if (row.turn == m_decode.turn) endDecodeSecond();
        if (row.promptTokens > 0)
            m_series[static_cast<std::size_t>(Metric::ReuseShare)].append(
                placeOf(row.timeNs, ratioOf(row.reusedTokens, row.promptTokens)));
        if (const double rate = answerRate(row); rate > 0)
            m_series[static_cast<std::size_t>(Metric::AnswerRate)].append(
                placeOf(row.timeNs, rate));
        if (row.firstTokenSeconds <= 0) continue;  // The turn ended before the first token.
        // The row arrives at the end of the turn, but the mark belongs to the first token.
        const auto sinceFirst = static_cast<std::int64_t>(row.decodeSeconds * kNsPerSecond);
        const std::int64_t first = std::max<std::int64_t>(row.timeNs - sinceFirst, 0);
        keepAscending(m_turns, TurnMark{placeOf(first, row.firstTokenSeconds), row});
    }
    if (!rows.isEmpty()) ++m_changes;
}

void MetricsStore::addStored(const StoredRow& row) {
    const auto add = [&](Metric metric, qint64 bytes) {
        m_series[static_cast<std::size_t>(metric)].appendRun(
            placeOf(row.timeNs, static_cast<double>(bytes)));
    };
    add(Metric::StoredBytes, row.memoryBytes);
    add(Metric::DiskBytes, row.diskBytes);
    ++m_changes;
}

void MetricsStore::addRestored(const RestoredRow& row) {
    if (!row.ended || !row.problem.isEmpty() || row.offered || row.tokens == 0) return;
    m_restoredTokens += row.tokens;
    m_restored[row.conversation] = row;
    qint64 tokens = 0, bytes = 0;
    for (const RestoredRow& one : std::as_const(m_restored)) {
        tokens += one.keptTokens;
        bytes += one.keptBytes;
    }
    const auto add = [&](Metric metric, qint64 value) {
        m_series[static_cast<std::size_t>(metric)].append(
            placeOf(row.timeNs, static_cast<double>(value)));
    };
    add(Metric::RestoredTokens, m_restoredTokens);
    add(Metric::KeptTokens, tokens);
    add(Metric::KeptBytes, bytes);
    // May arrive after the last step of an idle conversation and must still be visible.
    const SeriesPoint place = placeOf(row.timeNs, 0);
    if (!m_first) m_first = place;
    if (!m_last || m_last->timeNs < place.timeNs) m_last = place;
    ++m_changes;
}

void MetricsStore::addReadings(qint64 timeNs, qint64 tokens,
                               const QVector<MetricReading>& readings) {
    m_tokens += static_cast<std::uint32_t>(std::max<qint64>(tokens, 0));
    const SeriesPoint place{timeNs, m_tokens, 0};
    if (!m_first) m_first = place;
    m_last = place;
    bool works = false;
    for (const MetricReading& reading : readings) {
        m_series[static_cast<std::size_t>(reading.metric)].append(
            {timeNs, m_tokens, reading.value});
        works |= reading.metric == Metric::DecodeRate || reading.metric == Metric::PrefillRate;
    }
    // Rates are not connected across idle time.
    if (works && !m_working) m_turnStarts.push_back(place);
    m_working = works;
    ++m_changes;
}

void MetricsStore::setSource(const QString& name) {
    m_source = name;
    ++m_changes;
}

void MetricsStore::exchange(MetricsStore& other) {
    std::swap(*this, other);
    m_changes = std::max(m_changes, other.m_changes) + 1;
}

void MetricsStore::addDropped(qint64 count) {
    if (count <= 0) return;
    m_dropped += count;
    ++m_changes;
}

void MetricsStore::clear() {
    const std::uint64_t changes = m_changes;
    *this = MetricsStore();
    m_changes = changes + 1;
}

OutcomeCounts MetricsStore::outcomes(XAxis axis, double from, double to) const {
    OutcomeCounts counts{};
    const auto before = [axis](const SeriesPoint& place, double x) { return place.at(axis) < x; };
    for (std::size_t i = 0; i < kOutcomeCount; ++i) {
        const auto& places = m_outcomes[i];
        const auto first = std::lower_bound(places.begin(), places.end(), from, before);
        const auto end = std::lower_bound(first, places.end(), to, before);
        counts[i] = static_cast<qint64>(end - first);
    }
    return counts;
}

OutcomeCounts MetricsStore::totals() const {
    OutcomeCounts counts{};
    for (std::size_t i = 0; i < kOutcomeCount; ++i)
        counts[i] = static_cast<qint64>(m_outcomes[i].size());
    return counts;
}

std::optional<Extent> MetricsStore::extent(XAxis axis) const {
    if (!m_first || !m_last) return std::nullopt;
    return Extent{m_first->at(axis), m_last->at(axis)};
}

std::size_t MetricsStore::bytes() const {
    std::size_t total = 0;
    for (const SampleSeries& series : m_series) total += series.bytes();
    return total;
}

}  // namespace lacuna::app
