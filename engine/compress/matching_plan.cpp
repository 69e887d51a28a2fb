#include "engine/compress/matching_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/compress/compactable_span.h"
#include "engine/kv/stored_rows.h"

namespace lacuna {
namespace {

// Reference queries of a head, captured ones and probes together.
constexpr int kFewestQueries = 512;
constexpr int kMostQueries = 2048;
constexpr float kProbeSize = 2.0F;
constexpr std::uint64_t kProbeStream =
    0x70726f6265;  // "probe": apart from every other use of the seed
constexpr std::int64_t kBadSlotsOneIn = 1000;
// A head that needs at least this part of what the neediest one needs is needy itself.
constexpr double kNeedy = 0.05;

/// Appends slots [first, last) as they are. Decoding and storing a value again gives the same bits.
void appendUntouched(const HeadSpan& span, std::pair<int, int> slots, HeadCompaction& out) {
    const std::size_t size = rowBytes(span.head.type, static_cast<std::uint64_t>(span.valueDim));
    std::vector<float> row(static_cast<std::size_t>(span.valueDim));
    for (int j = slots.first; j < slots.second; ++j) {
        out.keep.push_back(j);
        out.bias.push_back(span.head.bias == nullptr ? 0.0F : span.head.bias[j]);
        loadRow(span.head.type, span.head.values + static_cast<std::size_t>(j) * size, row);
        out.values.insert(out.values.end(), row.begin(), row.end());
    }
}

/// A matched span between its neighbours.
HeadCompaction aroundSpan(const HeadSpan& span, const MatchedHead& matched) {
    HeadCompaction out;
    out.touched = true;
    appendUntouched(span, {0, span.first}, out);
    out.keep.insert(out.keep.end(), matched.keep.begin(), matched.keep.end());
    out.bias.insert(out.bias.end(), matched.bias.begin(), matched.bias.end());
    out.values.insert(out.values.end(), matched.values.begin(), matched.values.end());
    appendUntouched(span, {span.last, span.head.slots}, out);
    return out;
}

/// Doubles the queries with normal ones that have kProbeSize times their size in each direction.
void addProbes(std::vector<float>& rows, int keyDim, RandomStream random) {
    const auto dim = static_cast<std::size_t>(keyDim);
    const std::size_t captured = rows.size() / dim;
    std::vector<float> deviation(dim, 0.0F);
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (std::isfinite(rows[i]))
            deviation[i % dim] += rows[i] * rows[i] / static_cast<float>(captured);
    for (float& x : deviation) x = kProbeSize * std::sqrt(x);
    rows.reserve(2 * rows.size());
    for (std::size_t i = 0; i < captured * dim; ++i)
        rows.push_back(deviation[i % dim] * static_cast<float>(random.normal()));
}

/// One head of a plan; without a match the head stays as it is.
struct HeadTask {
    HeadCompaction compaction;
    std::optional<MatchedHead> matched;
};

/// What all heads of a plan share.
struct PlanInputs {
    const KvCache& cache;
    const ReferenceQueries& queries;
    const MatchingRequest& request;
    std::vector<int> targets;   ///< [layers * kvHeads]
    std::vector<double> needs;  ///< likewise; empty: not known
};

const HeadMatching& matchingOf(const PlanInputs& in, std::size_t index) {
    const bool needy = in.needs.empty() || in.needs[index] >= kNeedy;
    return needy ? in.request.needy : in.request.others;
}

/// The queries head `index` is fitted to, [n, keyDim].
std::vector<float> fitQueries(const PlanInputs& in, int index, int target, FitQueries kind) {
    const int heads = in.cache.shape().kvHeads;
    const bool probes = kind == FitQueries::CapturedAndProbes;
    const int wanted = std::max(kFewestQueries, std::min(2 * target, kMostQueries));
    std::vector<float> rows = in.queries.gather(LayerIndex(index / heads), HeadIndex(index % heads),
                                                probes ? wanted / 2 : wanted);
    if (probes)
        addProbes(rows, in.cache.shape().keyDim,
                  {in.request.seed, kProbeStream + static_cast<std::uint64_t>(index)});
    return rows;
}

Result<HeadTask> planHead(const PlanInputs& in, int index) {
    const int heads = in.cache.shape().kvHeads;
    const auto at = static_cast<std::size_t>(index);
    HeadTask task;
    HeadSpan span = compactableSpan(in.cache, LayerIndex(index / heads), HeadIndex(index % heads),
                                    in.request.targets.rule);
    if (span.head.slots <= in.targets[at]) return task;
    const HeadMatching& matching = matchingOf(in, at);
    const int target = in.targets[at] - guardedSlots(span);
    const std::vector<float> rows = fitQueries(in, index, target, matching.queries);
    span.scale = in.request.targets.scale;
    span.queries = {rows.data(),
                    {static_cast<std::int64_t>(rows.size()) / span.keyDim, span.keyDim}};
    LACUNA_TRY(task.matched, matchHead(span, target, matching.options));
    task.compaction = aroundSpan(span, *task.matched);
    return task;
}

/// Adds one head to the sums of the plan.
void account(const MatchedHead& matched, MatchingPlan& out) {
    ++out.matchedHeads;
    out.queriesPerHead = std::max(out.queriesPerHead, matched.queries);
    out.heldOutError += matched.heldOutError;
    out.selectMs += matched.selectMs;
    out.fitMs += matched.fitMs;
}

}  // namespace

HeadMatching cautiousMatching() {
    HeadMatching matching{.options = {}, .queries = FitQueries::CapturedAndProbes};
    matching.options.selector = KeySelector::DistinctCoverage;
    matching.options.values.anchor = 1.0F;
    return matching;
}

HeadMatching closeMatching() {
    return {};
}

Result<MatchingPlan> planMatching(const KvCache& cache, const ReferenceQueries& queries,
                                  const MatchingRequest& request, ThreadPool& pool) {
    const int heads = cache.shape().kvHeads;
    const int count = cache.shape().layers * heads;
    PlanInputs in{
        .cache = cache, .queries = queries, .request = request, .targets = {}, .needs = {}};
    LACUNA_TRY(in.targets, headTargets(cache, queries, request.targets, pool));
    const HeadProfile* profile = request.targets.profile;
    if (resolvedBudgets(request.targets.budgets, profile) == HeadBudgets::Profile)
        in.needs = profileNeeds(*profile);
    std::vector<std::optional<Result<HeadTask>>> tasks(static_cast<std::size_t>(count));
    pool.parallelFor(count, [&](int i) { tasks[static_cast<std::size_t>(i)] = planHead(in, i); });
    MatchingPlan out;
    out.plan.heads.resize(tasks.size());
    std::int64_t bad = 0;
    std::int64_t slots = 0;
    for (int i = 0; i < count; ++i) {
        Result<HeadTask>& task = *tasks[static_cast<std::size_t>(i)];
        if (!task)
            return tl::unexpected<Error>(
                withPrefix(task.error(), format("layer {} head {}", i / heads, i % heads)));
        slots += cache.slots(LayerIndex(i / heads), HeadIndex(i % heads));
        if (!task->matched) continue;
        bad += task->matched->badSlots;
        account(*task->matched, out);
        out.plan.heads[static_cast<std::size_t>(i)] = std::move(task->compaction);
    }
    if (bad * kBadSlotsOneIn > slots)
        return fail(ErrorCode::KvNonFinite,
                    format("{} of {} slots are not finite numbers, at most one in {} is tolerated",
                           bad, slots, kBadSlotsOneIn));
    const auto matched = static_cast<double>(std::max<std::int64_t>(out.matchedHeads, 1));
    out.heldOutError /= matched;
    out.selectMs /= pool.threads();
    out.fitMs /= pool.threads();
    return out;
}

}  // namespace lacuna
