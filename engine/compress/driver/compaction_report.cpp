#include "engine/compress/driver/compaction_report.h"

#include <utility>

#include "engine/base/clock.h"

namespace lacuna {
namespace {

CompactionReport opened(const KvCache& cache, CompactionMethod method, CompactionCause cause) {
    const KvStats stats = cache.stats();
    CompactionReport report;
    report.cause = cause;
    report.method = method;
    report.tokens = stats.tokens;
    report.slotsBefore = report.slotsAfter = stats.slotsTotal;
    report.liveBytesBefore = report.liveBytesAfter = stats.liveBytes;
    return report;
}

}  // namespace

CompactionEnd failedWith(const Error& error) {
    return {CompactionResult::Failed,
            {noteOf(CompactionReason::Failed, error), {CompactionReason::CacheUnchanged}}};
}

CompactionReportBuilder::CompactionReportBuilder(const KvCache& cache, CompactionMethod method,
                                                 CompactionCause cause, const Clock& clock,
                                                 std::int64_t startNs)
    : clock_(&clock), startNs_(startNs), report_(opened(cache, method, cause)) {}

void CompactionReportBuilder::left(const KvCache& cache, std::span<const int> skipLayers) {
    const KvStats stats = cache.stats();
    report_.slotsAfter = stats.slotsTotal;
    report_.liveBytesAfter = stats.liveBytes;
    const double slots = meanSlots(cache, skipLayers);
    report_.achievedRatio = slots > 0 ? static_cast<double>(stats.tokens) / slots : 0;
}

CompactionReport CompactionReportBuilder::closed(CompactionEnd end) const {
    CompactionReport report = report_;
    report.result = end.result;
    if (!end.notes.empty()) report.notes = std::move(end.notes);
    if (report.background && end.result != CompactionResult::Started) {
        report.totalMs = report.backgroundMs + report.stallMs;
    } else {
        report.totalMs = millisecondsSince(*clock_, startNs_);
        report.stallMs = report.totalMs;
    }
    return report;
}

CompactionReport refusal(const KvCache& cache, CompactionMethod method, CompactionCause cause,
                         CompactionReason reason) {
    CompactionReport report = opened(cache, method, cause);
    report.notes = {{reason}};
    return report;
}

}  // namespace lacuna
