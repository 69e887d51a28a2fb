#include "engine/report/report_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <set>

#include "engine/base/string_format.h"
#include "engine/settings/conversation_settings.h"
#include "engine/settings/setting_spec.h"

namespace lacuna {
namespace {

/// Nearest-rank percentile of sorted values.
double percentile(const std::vector<double>& sorted, double share) {
    if (sorted.empty()) return 0;
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

CompactionFigures::Times timesOf(std::vector<double> times) {
    std::ranges::sort(times);
    return {.median = percentile(times, 0.5),
            .p90 = percentile(times, 0.9),
            .largest = times.empty() ? 0 : times.back()};
}

/// Returns "stored: diverging; the cache was compacted", for example.
std::string sourceText(const TurnStarted& started) {
    std::string text;
    if (started.match != PrefixMatch::None)
        text = format("stored: {}", keyOf(started.match));
    else if (started.reusedTokens > 0)
        text = "its own cache";
    if (started.reuseNote.empty()) return text;
    return text.empty() ? started.reuseNote : format("{}; {}", text, started.reuseNote);
}

}  // namespace

CompactionFigures compactionFigures(const Recording& recording) {
    CompactionFigures figures;
    std::vector<double> pauses, work;
    for (const CompactionHappened* happened : compactionsOf(recording)) {
        const CompactionReport& report = happened->report;
        const CompactionOutcome outcome = outcomeOf(report);
        ++figures.of[static_cast<std::size_t>(outcome)];
        if (!compacted(outcome)) continue;
        pauses.push_back(report.pauseMs());
        work.push_back(report.workMs());
        figures.bytesSaved += report.liveBytesBefore - report.liveBytesAfter;
    }
    figures.pause = timesOf(std::move(pauses));
    figures.work = timesOf(std::move(work));
    return figures;
}

std::vector<const CompactionHappened*> compactionsOf(const Recording& recording) {
    const auto running = [](const CompactionHappened& one) {
        return outcomeOf(one.report) == CompactionOutcome::Running;
    };
    std::set<std::int64_t> ended;
    for (const CompactionHappened& one : recording.compactions)
        if (!running(one) && one.report.id != 0) ended.insert(one.report.id);
    std::vector<const CompactionHappened*> all;
    for (const CompactionHappened& one : recording.compactions)
        if (!running(one) || !ended.contains(one.report.id)) all.push_back(&one);
    return all;
}

std::optional<QualityFigures> qualityFigures(const Recording& recording) {
    if (recording.quality.empty()) return std::nullopt;
    QualityFigures figures;
    double errors = 0, cost = 0, decode = 0;
    std::int64_t withError = 0, same = 0;
    for (const QualitySampled& sampled : recording.quality) {
        const LiveQuality& sample = sampled.sample;
        figures.klMean += sample.kl;
        figures.klLargest = std::max(figures.klLargest, sample.kl);
        same += sample.sameTop ? 1 : 0;
        cost += sample.costMs;
        decode += sample.decodeMs;
        if (!sample.outputError) continue;
        errors += *sample.outputError;
        ++withError;
    }
    figures.samples = static_cast<std::int64_t>(recording.quality.size());
    const auto count = static_cast<double>(figures.samples);
    figures.klMean /= count;
    figures.sameTop = static_cast<double>(same) / count;
    if (withError > 0) figures.outputError = errors / static_cast<double>(withError);
    if (cost + decode > 0) figures.costShare = cost / (cost + decode);
    return figures;
}

std::vector<ConversationFigures> conversationFigures(const Recording& recording) {
    std::vector<ConversationFigures> all;
    const auto of = [&all](ConversationId id) -> ConversationFigures& {
        const auto found = std::ranges::find(all, id, &ConversationFigures::conversation);
        if (found != all.end()) return *found;
        return all.emplace_back(ConversationFigures{.conversation = id});
    };
    for (const RecordedTurn& turn : recording.turns) {
        const TurnStarted& started = turn.started;
        ConversationFigures& one = of(started.conversation);
        one.promptTokens = started.promptTokens;
        one.reusedTokens = started.reusedTokens;
        one.from = sourceText(started);
    }
    for (const StepSample& sample : recording.samples) {
        ConversationFigures& one = of(sample.conversation);
        one.tokens = sample.kv.tokens;
        one.liveBytes = sample.kv.liveBytes;
    }
    for (const SpanRestored& back : recording.restores) {
        if (back.error || back.offered) continue;
        ConversationFigures& one = of(back.conversation);
        one.evictedRestored += back.count;
        one.keptTokens = back.keptTokens;
    }
    return all;
}

std::optional<double> achievedRatio(const Recording& recording) {
    if (recording.samples.empty()) return std::nullopt;
    const KvStats& kv = recording.samples.back().kv;
    if (kv.compactions == 0 || kv.liveBytes <= 0) return std::nullopt;
    return static_cast<double>(kv.logicalBytes) / static_cast<double>(kv.liveBytes);
}

std::optional<double> achievedRatioOfAll(const Recording& recording) {
    if (!achievedRatio(recording)) return std::nullopt;
    const KvStats& kv = recording.samples.back().kv;
    if (kv.recurrentBytes() == 0) return std::nullopt;
    return static_cast<double>(kv.logicalBytes + kv.recurrentBytes()) /
           static_cast<double>(kv.contentBytes());
}

std::optional<double> decodeSpeed(const TurnFinished& finished) {
    if (finished.stats.generatedTokens < 2 || finished.stats.decodeSeconds <= 0)
        return std::nullopt;
    return static_cast<double>(finished.stats.generatedTokens - 1) / finished.stats.decodeSeconds;
}

std::optional<double> firstTokenSeconds(const TurnFinished& finished) {
    if (finished.stats.generatedTokens == 0) return std::nullopt;
    return finished.stats.timeToFirstTokenSeconds;
}

std::optional<double> prefillSpeed(const TurnFinished& finished) {
    const std::int64_t computed = finished.stats.promptTokens - finished.stats.reusedTokens;
    if (computed <= 0 || finished.stats.prefillSeconds <= 0 || finished.stats.generatedTokens == 0)
        return std::nullopt;
    return static_cast<double>(computed) / finished.stats.prefillSeconds;
}

std::string utcTime(std::int64_t unixMs) {
    const auto seconds = static_cast<std::time_t>(unixMs / 1000);
    std::tm utc{};
    if (::gmtime_r(&seconds, &utc) == nullptr) return {};
    return format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                  utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string bytesText(std::int64_t bytes) {
    constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (std::abs(value) >= 1024 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    return unit == 0 ? format("{} B", bytes) : format("{:.1f} {}", value, kUnits[unit]);
}

std::string countText(std::int64_t count) {
    const std::string digits = format("{}", count);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        const std::size_t left = digits.size() - i;
        const bool afterDigit = i > 0 && digits[i - 1] != '-';
        if (afterDigit && left % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

std::string figureText(const std::optional<double>& value) {
    return value ? format("{:.1f}", *value) : "-";
}

std::string changeText(const SettingsDiff& changes) {
    std::string text;
    for (const SettingChange& change : changes)
        text += format("{}{} {} to {}", text.empty() ? "" : ", ", change.spec->key,
                       settingText(*change.spec, change.before),
                       settingText(*change.spec, change.after));
    return text.empty() ? "no change" : text;
}

std::vector<ChangeRow> changeRows(const Recording& recording) {
    std::vector<ChangeRow> rows;
    for (const ConfigApplied& applied : recording.generations) {
        ChangeRow row{&applied, "all", changeText(applied.changes)};
        if (applied.conversation) {
            row.scope = format("conversation {}", applied.conversation->value);
            if (!applied.ownBefore) row.change += " (own settings from here on)";
            if (!applied.own) row.change += " (shared settings from here on)";
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

const EngineConfig& lastShared(const Recording& recording) {
    const EngineConfig* last = &recording.initialConfig;
    for (const ConfigApplied& applied : recording.generations)
        if (!applied.conversation) last = &applied.config;
    return *last;
}

}  // namespace lacuna
