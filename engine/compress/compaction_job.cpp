#include "engine/compress/compaction_job.h"

#include <algorithm>
#include <utility>

#include "engine/base/elapsed.h"

namespace lacuna {
namespace {

// So few tokens are copied at the exchange itself; more are fetched on the other thread before.
constexpr std::int64_t kFewTokens = 16;
constexpr int kMostRounds = 4;

}  // namespace

CompactionJob::CompactionJob(BackgroundWork work, CompactionReport begun, KvOptions options,
                             const Clock& clock)
    : clock_(clock),
      begun_(std::move(begun)),
      options_(std::move(options)),
      verbatim_(work.request.verbatim),
      work_(std::make_unique<BackgroundMatching>(std::move(work), clock)),
      stallMs_(begun_.stallMs) {}

std::optional<CompactionReport> CompactionJob::advance(KvCache& cache, BackgroundOrder order) {
    if (order == BackgroundOrder::Hold || order == BackgroundOrder::BreakOff) return std::nullopt;
    if (order == BackgroundOrder::Wait) work_->wait();
    if (work_->working()) return std::nullopt;
    if (!work_->status()) return failed(work_->status().error());
    if (!work_->touched()) {
        CompactionReport report = aborted("no head has more slots than the target");
        report.result = CompactionResult::Skipped;
        return report;
    }
    const std::int64_t behind = cache.offset().value - work_->successor().offset().value;
    const bool far = behind > kFewTokens && rounds_ < kMostRounds;
    if (!far || order == BackgroundOrder::Wait) return exchange(cache);
    const std::int64_t start = clock_.nowNs();
    auto later = cache.snapshot();
    if (!later) return failed(later.error());
    work_->follow(std::move(*later));
    ++rounds_;
    pausedSince(start);
    return std::nullopt;
}

std::optional<CompactionReport> CompactionJob::exchange(KvCache& cache) {
    const std::int64_t start = clock_.nowNs();
    const KvStats before = cache.stats();
    Status status = work_->successor().follow(cache);
    if (status) status = cache.adopt(work_->successor());
    // Proposed tokens are being checked: the next point will do.
    if (!status && status.error().code == ErrorCode::InvalidArgument) return std::nullopt;
    if (!status) return failed(status.error());
    pausedSince(start);
    CompactionReport report = done(cache, before);
    report.applyMs = millisecondsSince(clock_, start);
    return report;
}

CompactionReport CompactionJob::done(KvCache& cache, const KvStats& before) {
    const MatchingPlan& figures = work_->figures();
    const double measured = figures.selectMs + figures.fitMs;
    CompactionReport report = aborted(begun_.reason);
    report.result = CompactionResult::Done;
    const KvStats after = cache.stats();
    report.slotsBefore = before.slotsTotal;
    report.slotsAfter = after.slotsTotal;
    report.liveBytesBefore = before.liveBytes;
    report.liveBytesAfter = after.liveBytes;
    report.referenceQueries = figures.queriesPerHead;
    report.heldOutError = figures.heldOutError;
    report.selectMs = measured > 0 ? report.backgroundMs * figures.selectMs / measured : 0.0;
    report.fitMs = report.backgroundMs - report.selectMs;
    return report;
}

CompactionReport CompactionJob::aborted(std::string reason) const {
    CompactionReport report = begun_;
    report.result = CompactionResult::Aborted;
    report.reason = std::move(reason);
    report.stallMs = stallMs_;
    report.backgroundMs = work_->working() ? 0.0 : work_->milliseconds();
    report.totalMs = report.backgroundMs + report.stallMs;
    return report;
}

CompactionReport CompactionJob::failed(const Error& error) const {
    CompactionReport report = aborted(error.what + "; the cache is as it was before");
    if (error.code != ErrorCode::Incompatible && error.code != ErrorCode::Cancelled)
        report.result = CompactionResult::Failed;
    return report;
}

std::unique_ptr<BackgroundMatching> CompactionJob::dismiss() {
    work_->dismiss();
    return std::move(work_);
}

void CompactionJob::pausedSince(std::int64_t startNs) {
    stallMs_ = std::max(stallMs_, millisecondsSince(clock_, startNs));
}

}  // namespace lacuna
