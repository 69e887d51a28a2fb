#include "engine/compress/driver/compaction_job.h"

#include <utility>

#include "engine/base/clock.h"

namespace lacuna {
namespace {

// At most this many tokens are copied during the swap; more are copied on the other thread first.
constexpr std::int64_t kFewTokens = 16;
constexpr int kMaxRounds = 4;

}  // namespace

CompactionJob::CompactionJob(BackgroundWork work, CompactionReportBuilder account,
                             KvOptions settings, const Clock& clock)
    : clock_(clock),
      account_(std::move(account)),
      settings_(std::move(settings)),
      beforeMs_(account_.figures().backgroundMs),
      verbatim_(work.matching.request.verbatim),
      work_(std::make_unique<BackgroundMatching>(std::move(work), clock)) {}

std::optional<CompactionReport> CompactionJob::advance(KvCache& cache, BackgroundPolicy policy) {
    if (policy == BackgroundPolicy::Hold || policy == BackgroundPolicy::Cancel) return std::nullopt;
    if (policy == BackgroundPolicy::Wait) work_->wait();
    if (work_->working()) return std::nullopt;
    if (!work_->status()) return failed(work_->status().error());
    if (!work_->figures().touched)
        return ended({CompactionResult::Skipped, {{CompactionReason::NothingOverTarget}}});
    const std::int64_t missing = cache.offset().value - work_->successor().offset().value;
    const bool far = missing > kFewTokens && rounds_ < kMaxRounds;
    if (!far || policy == BackgroundPolicy::Wait) return exchange(cache);
    const std::int64_t start = clock_.nowNs();
    auto later = cache.snapshots()->snapshot();
    if (!later) return failed(later.error());
    work_->follow(std::move(*later));
    ++rounds_;
    pausedSince(start);
    return std::nullopt;
}

std::optional<CompactionReport> CompactionJob::exchange(KvCache& cache) {
    const std::int64_t start = clock_.nowNs();
    const KvStats before = cache.stats();
    Status status = work_->successor().snapshots()->follow(cache);
    if (status) status = cache.snapshots()->adopt(work_->successor());
    // Speculative tokens are being verified: retry at the next safe point.
    if (!status && status.error().code == ErrorCode::InvalidArgument) return std::nullopt;
    if (!status) return failed(status.error());
    pausedSince(start);
    const MethodPlan& plan = work_->figures();
    CompactionReport& figures = account_.figures();
    figures.slotsBefore = before.slotsTotal;
    figures.liveBytesBefore = before.liveBytes;
    figures.referenceQueries = plan.referenceQueries;
    figures.heldOutError = plan.heldOutError;
    account_.planned(work_->milliseconds(), plan.selectShare);
    account_.left(cache, settings_.skipLayers);
    figures.applyMs = millisecondsSince(clock_, start);
    return ended({CompactionResult::Done});
}

CompactionReport CompactionJob::failed(const Error& error) {
    CompactionEnd end = failedWith(error);
    if (error.code == ErrorCode::Incompatible || error.code == ErrorCode::Cancelled)
        end.result = CompactionResult::Aborted;
    return ended(std::move(end));
}

CompactionReport CompactionJob::ended(CompactionEnd end) {
    account_.figures().backgroundMs = beforeMs_ + (work_->working() ? 0.0 : work_->milliseconds());
    return account_.closed(std::move(end));
}

std::unique_ptr<BackgroundMatching> CompactionJob::dismiss() {
    work_->dismiss();
    return std::move(work_);
}

void CompactionJob::pausedSince(std::int64_t startNs) {
    account_.paused(millisecondsSince(clock_, startNs));
}

}  // namespace lacuna
