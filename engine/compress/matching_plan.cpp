#include "engine/compress/matching_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/kv/stored_rows.h"

namespace lacuna {
namespace {

// Reference queries of a head, half of them captured.
constexpr int kFewestQueries = 512;
constexpr int kMostQueries = 2048;
constexpr float kProbeSize = 2.0F;
constexpr std::uint64_t kProbeStream =
    0x70726f6265;  // "probe": apart from every other use of the seed
constexpr std::int64_t kBadSlotsOneIn = 1000;

/// The contiguous run of slots that may change: everything between the sinks and the newest tokens.
std::pair<int, int> compactable(const SlotPositions& slots, const SelectionRule& rule) {
    int first = 0;
    while (first < slots.slots && isProtected(rule, slots.at(first), slots.tokens)) ++first;
    int last = slots.slots;
    while (last > first && isProtected(rule, slots.at(last - 1), slots.tokens)) --last;
    return {first, last};
}

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

Result<HeadTask> planHead(const KvCache& cache, const ReferenceQueries& queries,
                          const MatchingRequest& request, int index) {
    const LayerIndex layer(index / cache.shape().kvHeads);
    const HeadIndex headIndex(index % cache.shape().kvHeads);
    HeadTask task;
    HeadSpan span;
    span.head = cache.head(layer, headIndex);
    if (span.head.slots <= request.rule.budget) return task;
    span.keyDim = cache.shape().keyDim;
    span.valueDim = cache.shape().valueDim;
    span.scale = request.scale;
    std::tie(span.first, span.last) =
        compactable({span.head.positions, span.head.slots, cache.offset().value}, request.rule);
    const int guarded = span.head.slots - (span.last - span.first);
    const int target = request.rule.budget - guarded;
    if (target <= 0)
        return fail(ErrorCode::Range, format("a target of {} slots leaves no room beside {} "
                                             "protected ones (n_sink {}, keep_recent {})",
                                             request.rule.budget, guarded, request.rule.nSink,
                                             request.rule.keepRecent));
    const int most = std::max(kFewestQueries, std::min(2 * target, kMostQueries)) / 2;
    std::vector<float> rows = queries.gather(layer, headIndex, most);
    addProbes(rows, span.keyDim, {request.seed, kProbeStream + static_cast<std::uint64_t>(index)});
    span.queries = {rows.data(),
                    {static_cast<std::int64_t>(rows.size()) / span.keyDim, span.keyDim}};
    LACUNA_TRY(task.matched, matchHead(span, target, request.options));
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

MatchingOptions liveMatching() {
    MatchingOptions options;
    options.selector = KeySelector::DistinctCoverage;
    options.values.anchor = 1.0F;
    return options;
}

Result<MatchingPlan> planMatching(const KvCache& cache, const ReferenceQueries& queries,
                                  const MatchingRequest& request, ThreadPool& pool) {
    const int heads = cache.shape().kvHeads;
    const int count = cache.shape().layers * heads;
    std::vector<std::optional<Result<HeadTask>>> tasks(static_cast<std::size_t>(count));
    pool.parallelFor(count, [&](int i) {
        tasks[static_cast<std::size_t>(i)] = planHead(cache, queries, request, i);
    });
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
