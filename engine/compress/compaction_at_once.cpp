#include "engine/compress/compaction_at_once.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/base/elapsed.h"
#include "engine/base/string_format.h"
#include "engine/compress/compaction_note.h"

namespace lacuna {
namespace {

/// Applies what was chosen.
CompactionReport finish(const std::function<Status()>& apply, const Clock& clock,
                        CompactionReport report) {
    const std::int64_t start = clock.nowNs();
    if (const Status status = apply(); !status) return failed(std::move(report), status.error());
    report.applyMs = millisecondsSince(clock, start);
    report.result = CompactionResult::Done;
    return report;
}

}  // namespace

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

CompactionReport skipped(CompactionReport report, std::string reason) {
    report.result = CompactionResult::Skipped;
    report.reason = std::move(reason);
    return report;
}

CompactionReport failed(CompactionReport report, const Error& error) {
    report.result = CompactionResult::Failed;
    report.reason = error.what + "; the cache is as it was before";
    return report;
}

MatchingRequest matchingRequest(const CompactorModel& model, const SelectionRule& rule,
                                const KvOptions& options) {
    MatchingRequest request;
    request.targets = {.rule = rule,
                       .budgets = options.headBudgets,
                       .profile = model.profile.get(),
                       .skipLayers = options.skipLayers,
                       .scale = model.scale,
                       .softCap = model.softCap};
    request.seed = model.seed;
    request.pinPercent = options.pinPercent;
    // What nobody asked needs nothing beside it that nobody asked either.
    if (options.fitQueries == QuerySource::Random) request.needy.queries = FitQueries::Captured;
    return request;
}

CompactionReport evictNow(KvCache& cache, const EvictionOptions& eviction,
                          const CompactionTools& tools, CompactionReport report) {
    const std::int64_t start = tools.clock.nowNs();
    const auto plan = markEviction(cache, eviction, tools.pool);
    report.selectMs = millisecondsSince(tools.clock, start);
    if (!plan) return failed(std::move(report), plan.error());
    if (plan->badSlots > 0)
        addNote(report.reason,
                format("{} slots with keys that are not finite went first", plan->badSlots));
    if (plan->ownChoice > 0)
        addNote(
            report.reason,
            format(
                "{} heads hold different tokens since an earlier compaction and chose on their own",
                plan->ownChoice));
    const bool touched = std::any_of(plan->marks.heads.begin(), plan->marks.heads.end(),
                                     [](const SlotMarks& head) { return head.slots() > 0; });
    if (!touched) return skipped(std::move(report), "no head has more slots than the target");
    return finish([&] { return cache.evict(plan->marks, tools.pool); }, tools.clock,
                  std::move(report));
}

CompactionReport matchNow(KvCache& cache, const ReferenceQueries& queries,
                          const MatchingRequest& request, const CompactionTools& tools,
                          CompactionReport report) {
    const std::int64_t start = tools.clock.nowNs();
    const auto plan = planMatching(cache, queries, request, tools.pool);
    if (!plan) return failed(std::move(report), plan.error());
    const double total = millisecondsSince(tools.clock, start);
    const double measured = plan->selectMs + plan->fitMs;
    report.selectMs = measured > 0 ? total * plan->selectMs / measured : 0.0;
    report.fitMs = total - report.selectMs;
    report.referenceQueries = plan->queriesPerHead;
    report.heldOutError = plan->heldOutError;
    const bool touched = std::any_of(plan->plan.heads.begin(), plan->plan.heads.end(),
                                     [](const HeadCompaction& head) { return head.touched; });
    if (!touched) return skipped(std::move(report), "no head has more slots than the target");
    return finish([&] { return cache.applyInPlace(plan->plan, tools.pool); }, tools.clock,
                  std::move(report));
}

}  // namespace lacuna
