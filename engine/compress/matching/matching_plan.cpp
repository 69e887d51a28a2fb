#include "engine/compress/matching/matching_plan.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/compress/matching/compactable_span.h"
#include "engine/compress/matching/gathered_span.h"
#include "engine/compress/matching/pinned_spans.h"
#include "engine/compress/matching/reference_queries.h"
#include "engine/compress/matching/slot_influence.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

// Maximum number of reference queries of a head, captured and probe queries together.
constexpr int kMaxQueries = 2048;
// Maximum product of slots and queries of one head, which determines the cost of a fit
// (docs/attention-matching.md, "Reference queries").
constexpr int kMaxScores = 1 << 22;
constexpr float kProbeSize = 2.0F;
constexpr std::uint64_t kProbeStream = 0x70726f6265;  // "probe": separates this use of the seed
                                                      // from all others
constexpr std::int64_t kBadSlotsOneIn = 1000;
// A head is needy if it needs at least this share of what the neediest head needs.
constexpr double kNeedy = 0.05;
// At most one kept slot in this many is pinned.
constexpr int kPinnedOneIn = 4;
// One in this many of the remaining kept slots stays unchanged: those that a repetition attends to
// most.
constexpr int kLookedAtOneIn = 2;

/// Row `index` of a matched head, or a slot that stays unchanged.
struct KeptSlot {
    std::int32_t slot = 0;
    std::int32_t index = -1;
};

void appendKept(const HeadSpan& span, const MatchedHead& matched, const KeptSlot& kept,
                HeadCompaction& out) {
    const auto dim = static_cast<std::size_t>(span.valuesInKeys ? 0 : span.valueDim);
    const std::size_t end = out.values.size();
    out.keep.add(kept.slot);
    out.values.resize(end + dim);
    if (kept.index < 0) {
        out.bias.push_back(span.head.bias == nullptr ? 0.0F : span.head.bias[kept.slot]);
        // Decoding and re-encoding a value is lossless.
        if (dim > 0) readValues(span.head, span.valueDim, kept.slot, 1, out.values.data() + end);
        return;
    }
    const auto at = static_cast<std::size_t>(kept.index);
    out.bias.push_back(matched.bias[at]);
    std::copy_n(matched.values.begin() + static_cast<std::ptrdiff_t>(at * dim), dim,
                out.values.begin() + static_cast<std::ptrdiff_t>(end));
}

/// Inserts the matched slots between their neighbours; `matched` uses slot numbers of the head.
HeadCompaction aroundSpan(const HeadSpan& span, const MatchedHead& matched,
                          const std::vector<std::int32_t>& pinned) {
    std::vector<KeptSlot> kept;
    for (int slot = 0; slot < span.first; ++slot) kept.push_back({slot});
    for (const std::int32_t slot : pinned) kept.push_back({slot});
    for (int slot = span.last; slot < span.head.slots; ++slot) kept.push_back({slot});
    for (std::size_t i = 0; i < matched.keep.size(); ++i)
        kept.push_back({matched.keep[i], static_cast<std::int32_t>(i)});
    std::ranges::sort(kept, {}, &KeptSlot::slot);
    HeadCompaction out;
    out.keep = SlotMarks(span.head.slots);
    out.bias.reserve(kept.size());
    if (!span.valuesInKeys)
        out.values.reserve(kept.size() * static_cast<std::size_t>(span.valueDim));
    for (const KeptSlot& one : kept) appendKept(span, matched, one, out);
    return out;
}

/// Matches a span in which some slots stay verbatim.
Result<MatchedHead> matchBeside(const HeadSpan& span, const std::vector<std::int32_t>& pinned,
                                int target, const MatchingOptions& options) {
    if (pinned.empty()) return matchHead(span, target, options);
    const GatheredSpan rest = movedBehind(span, pinned);
    LACUNA_TRY(MatchedHead matched,
               matchHead(rest.span, target - static_cast<int>(pinned.size()), options));
    for (std::int32_t& slot : matched.keep) slot = rest.order[static_cast<std::size_t>(slot)];
    return matched;
}

/// Numbers of captured and probe queries of a head.
struct QueryCounts {
    int captured = 0;
    int probes = 0;
};

/// Long spans, whose queries are expensive, use five eighths of the queries. With probes, these are
/// a fifth of the queries in long spans and half in other spans.
QueryCounts queryCounts(int slots, int target, FitQueries kind) {
    const int most = std::min(kMaxQueries, kMaxScores / std::max(slots, 1));
    int wanted = std::max(kFittedQueries, std::min(2 * target, most));
    const bool longSpan = slots > kLongSpan;
    if (longSpan) wanted = wanted * 5 / 8;
    if (kind == FitQueries::Captured) return {.captured = wanted};
    const int probes = wanted / (longSpan ? 5 : 2);
    return {.captured = wanted - probes, .probes = probes};
}

/// Gaussian queries of unit variance, [count, keyDim]. All heads scale the same ones to their own
/// size.
std::vector<float> unitProbes(int count, int keyDim, std::uint64_t seed) {
    RandomStream random(seed, kProbeStream);
    std::vector<float> rows(static_cast<std::size_t>(count) * static_cast<std::size_t>(keyDim));
    for (float& x : rows) x = static_cast<float>(random.normal());
    return rows;
}

/// Adds probes, scaled to kProbeSize times the size of the captured queries in each direction.
void addProbes(std::vector<float>& rows, int keyDim, std::span<const float> units) {
    const auto dim = static_cast<std::size_t>(keyDim);
    const std::size_t captured = rows.size() / dim;
    std::vector<float> deviation(dim, 0.0F);
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (std::isfinite(rows[i]))
            deviation[i % dim] += rows[i] * rows[i] / static_cast<float>(captured);
    for (float& x : deviation) x = kProbeSize * std::sqrt(x);
    rows.reserve(rows.size() + units.size());
    for (std::size_t i = 0; i < units.size(); ++i) rows.push_back(deviation[i % dim] * units[i]);
}

/// One head of a plan.
struct HeadTask {
    HeadCompaction compaction;
    MatchedHead matched;
    std::vector<std::int32_t> pinned;  ///< ascending
};

/// Data shared by all heads of a plan.
struct PlanInputs {
    const KvCache& cache;
    const ReferenceQueries& queries;
    const MatchingRequest& request;
    std::vector<int> targets;   ///< by KvShape::headIndex
    std::vector<double> needs;  ///< by KvShape::headIndex; empty if unknown
    std::vector<PinnedRun> pins;
    std::vector<float> probes;  ///< result of unitProbes
    BufferPool& buffers;
    [[nodiscard]] KvHeadLocation placeOf(int index) const { return cache.shape().placeOf(index); }
    [[nodiscard]] int slots(int index) const {
        const KvHeadLocation place = placeOf(index);
        return cache.slots(place.layer, place.head);
    }
};

const HeadMatching& matchingOf(const PlanInputs& in, std::size_t index) {
    const bool distant = in.needs.empty() || in.needs[index] >= kNeedy;
    return distant ? in.request.distant : in.request.others;
}

/// Queries that head `index` is fitted to, [n, keyDim].
std::vector<float> fitQueries(const PlanInputs& in, int index, int target, FitQueries kind) {
    const auto [layer, head] = in.placeOf(index);
    const QueryCounts wanted = queryCounts(in.cache.slots(layer, head), target, kind);
    std::vector<float> rows = in.queries.gather(layer, head, wanted.captured);
    if (wanted.probes == 0) return rows;
    // At most half of all, even if few were captured.
    const std::size_t captured = rows.size();
    const int keyDim = in.cache.shape().extent(layer).keyDim;
    const auto dim = static_cast<std::size_t>(keyDim);
    addProbes(rows, keyDim,
              std::span(in.probes).first(
                  std::min(captured, static_cast<std::size_t>(wanted.probes) * dim)));
    return rows;
}

/// Slots of a head that stay unchanged: those to be kept, and the rarest of the others.
std::vector<std::int32_t> verbatimSlots(const PlanInputs& in, const HeadSpan& span, int target) {
    std::vector<std::int32_t> slots = keptSlots(span, in.request.targets.rule);
    const auto kept = static_cast<std::ptrdiff_t>(slots.size());
    const auto rare =
        pinnedSlots(span, in.pins, (target - static_cast<int>(slots.size())) / kPinnedOneIn);
    std::ranges::set_difference(rare, std::vector(slots), std::back_inserter(slots));
    std::inplace_merge(slots.begin(), slots.begin() + kept, slots.end());
    return slots;
}

/// Adds the most influential other slots, up to half of the remaining budget, if a repetition
/// divides the slots. Merged keys answer unseen queries poorly, and names or numbers are read word
/// by word. The fit covers the rest.
std::vector<std::int32_t> slotsBeside(const PlanInputs& in, int index, const HeadSpan& span,
                                      int target) {
    std::vector<std::int32_t> slots = verbatimSlots(in, span, target);
    const HeadTargetsRequest& wanted = in.request.targets;
    if (wanted.budgets != HeadBudgets::Reconstruction || wanted.reconstruction == nullptr)
        return slots;
    const auto [layer, head] = in.placeOf(index);
    const SlotScores scores = slotInfluence(in.cache, *wanted.reconstruction, layer, head);
    std::vector<std::int32_t> others;
    for (int slot = span.first; slot < span.last; ++slot)
        if (!std::ranges::binary_search(slots, slot)) others.push_back(slot);
    const int left = std::max(target - static_cast<int>(slots.size()), 0);
    keepHighest(others, scores, left / kLookedAtOneIn);
    slots.insert(slots.end(), others.begin(), others.end());
    std::ranges::sort(slots);
    return slots;
}

Result<HeadTask> planHead(const PlanInputs& in, int index) {
    const auto [layer, head] = in.placeOf(index);
    const auto at = static_cast<std::size_t>(index);
    HeadTask task;
    in.request.watch.step();
    if (in.request.watch.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the compaction was cancelled");
    HeadSpan span = compactableSpan(in.cache, layer, head, in.request.targets.rule);
    const HeadMatching& matching = matchingOf(in, at);
    const int target = in.targets[at] - guardedSlots(span);
    const std::vector<float> rows = fitQueries(in, index, target, matching.queries);
    span.scale = in.request.targets.scale;
    span.softCap = in.request.targets.softCap;
    if (const auto& sinks = in.request.targets.sinks; sinks != nullptr)
        span.sinks = sinks->of(layer, head, in.queries.shape().group(layer));
    span.buffers = &in.buffers;
    span.queries = {rows.data(),
                    {static_cast<std::int64_t>(rows.size()) / span.keyDim, span.keyDim}};
    task.pinned = slotsBeside(in, index, span, target);
    auto matched = matchBeside(span, task.pinned, target, matching.options);
    if (!matched && matched.error().code == ErrorCode::KvNonFinite && !task.pinned.empty()) {
        // A slot that is not finite may be dropped, but not pinned.
        task.pinned.clear();
        matched = matchHead(span, target, matching.options);
    }
    if (!matched) return tl::unexpected<Error>(std::move(matched).error());
    task.matched = std::move(*matched);
    task.compaction = aroundSpan(span, task.matched, task.pinned);
    return task;
}

/// Indices of the heads that shrink, starting with those that keep least.
std::vector<int> shrinkingHeads(const PlanInputs& in) {
    std::vector<int> found;
    for (int i = 0; i < static_cast<int>(in.targets.size()); ++i)
        if (in.slots(i) > in.targets[static_cast<std::size_t>(i)]) found.push_back(i);
    std::ranges::stable_sort(found, {},
                             [&](int i) { return in.targets[static_cast<std::size_t>(i)]; });
    return found;
}

/// Upper bound of the product of a head's slots and the queries it is fitted to.
std::int64_t scoresOf(const PlanInputs& in, int index) {
    const int slots = in.slots(index);
    const HeadMatching& matching = matchingOf(in, static_cast<std::size_t>(index));
    const QueryCounts wanted =
        queryCounts(slots, in.targets[static_cast<std::size_t>(index)], matching.queries);
    return std::int64_t{slots} * (wanted.captured + wanted.probes);
}

/// Selects the heads to fit, evenly spaced over what heads keep; at least one.
std::vector<int> sampledHeads(const PlanInputs& in, const std::vector<int>& shrinking) {
    const FitSample& sample = *in.request.sample;
    const auto count = std::ssize(shrinking);
    std::int64_t wanted = sample.heads > 0 ? std::min<std::int64_t>(count, sample.heads) : count;
    std::int64_t scores = 0;
    for (const int index : shrinking) scores += scoresOf(in, index);
    if (sample.scores > 0 && scores > sample.scores)
        wanted = std::min(wanted, std::max<std::int64_t>(sample.scores * count / scores, 1));
    std::vector<int> chosen;
    for (std::int64_t i = 0; i < wanted; ++i)
        chosen.push_back(shrinking[static_cast<std::size_t>((2 * i + 1) * count / (2 * wanted))]);
    return chosen;
}

std::int64_t slotsLost(const PlanInputs& in, const std::vector<int>& indices) {
    std::int64_t lost = 0;
    for (const int i : indices) lost += in.slots(i) - in.targets[static_cast<std::size_t>(i)];
    return lost;
}

/// Standard error of the mean of `errors`, a sample of `all`, drawn without replacement.
double spreadOf(const std::vector<double>& errors, std::int64_t all) {
    const auto count = static_cast<double>(errors.size());
    if (std::ssize(errors) >= all || errors.size() < 2) return 0;
    double sum = 0;
    for (const double error : errors) sum += error;
    double squares = 0;
    for (const double error : errors) squares += (error - sum / count) * (error - sum / count);
    return std::sqrt(squares / (count - 1) / count * (1 - count / static_cast<double>(all)));
}

/// Plans the listed heads, in groups if a cancellation is possible; the others stay unchanged.
/// Errors: Cancelled.
Result<std::vector<std::optional<Result<HeadTask>>>> planHeads(const PlanInputs& in,
                                                               const std::vector<int>& indices,
                                                               ThreadPool& pool) {
    constexpr int kGroupOfAThread = 4;
    const MatchingWatch& watch = in.request.watch;
    const int count = static_cast<int>(indices.size());
    const int group = watch.cancelled ? kGroupOfAThread * pool.threads() : std::max(count, 1);
    std::vector<std::optional<Result<HeadTask>>> tasks(in.targets.size());
    for (int first = 0; first < count; first += group) {
        if (watch.cancelled && watch.cancelled())
            return fail(ErrorCode::Cancelled, "the compaction was cancelled");
        pool.parallelFor(std::min(group, count - first), [&](int i) {
            const int index = indices[static_cast<std::size_t>(first + i)];
            tasks[static_cast<std::size_t>(index)] = planHead(in, index);
        });
    }
    return tasks;
}

/// Adds one head to the sums of the plan.
void account(const MatchedHead& matched, MatchingPlan& out) {
    ++out.heads.fitted;
    out.queriesPerHead = std::max(out.queriesPerHead, matched.queries);
    out.heldOutError += matched.heldOutError;
    out.selectMs += matched.selectMs;
    out.fitMs += matched.fitMs;
}

}  // namespace

HeadMatching distantMatching() {
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
    const int count = cache.shape().headCount();
    BufferPool buffers;
    PlanInputs in{
        .cache = cache,
        .queries = queries,
        .request = request,
        .targets = {},
        .needs = {},
        .pins = {},
        .probes = unitProbes(kMaxQueries / 2, cache.shape().largest().keyDim, request.seed),
        .buffers = buffers};
    const HeadProfile* profile = request.targets.profile;
    const HeadBudgets budgets = resolvedBudgets(request.targets.budgets, profile);
    if (request.watch.progress != nullptr)
        request.watch.progress->expect(surveysHeads(budgets) ? 2 * count : count);
    LACUNA_TRY(in.targets, headTargets(cache, queries, request.targets, pool, request.watch));
    const bool known =
        usesProfile(budgets) || (budgets == HeadBudgets::Reconstruction && profile != nullptr);
    if (known) in.needs = profileNeeds(*profile);
    in.pins = pinnedRuns(cache,
                         {.rule = request.targets.rule,
                          .percent = request.pinPercent,
                          .skipLayers = request.targets.skipLayers},
                         pool);
    const std::vector<int> shrinking = shrinkingHeads(in);
    const std::vector<int> fitted = request.sample ? sampledHeads(in, shrinking) : shrinking;
    for (auto i = std::ssize(fitted); i < count; ++i) request.watch.step();
    LACUNA_TRY(auto tasks, planHeads(in, fitted, pool));
    MatchingPlan out;
    out.heads = {.all = std::ssize(shrinking),
                 .slotsLost = slotsLost(in, shrinking),
                 .lostByFitted = slotsLost(in, fitted)};
    std::vector<double> errors;
    out.plan.heads.resize(tasks.size());
    out.plan.verbatim = request.verbatim;
    std::int64_t bad = 0;
    std::int64_t slots = 0;
    for (int i = 0; i < count; ++i) {
        slots += in.slots(i);
        if (!tasks[static_cast<std::size_t>(i)]) continue;
        Result<HeadTask>& task = *tasks[static_cast<std::size_t>(i)];
        if (!task) {
            const KvHeadLocation place = in.placeOf(i);
            return tl::unexpected<Error>(withPrefix(
                task.error(), format("layer {} head {}", place.layer.value, place.head.value)));
        }
        out.plan.heads[static_cast<std::size_t>(i)] = std::move(task->compaction);
        bad += task->matched.badSlots;
        account(task->matched, out);
        errors.push_back(task->matched.heldOutError);
        out.pinnedSlots += static_cast<std::int64_t>(task->pinned.size());
    }
    if (bad * kBadSlotsOneIn > slots)
        return fail(ErrorCode::KvNonFinite,
                    format("{} of {} slots are not finite numbers, at most one in {} is tolerated",
                           bad, slots, kBadSlotsOneIn));
    out.heldOutError /= static_cast<double>(std::max<std::int64_t>(out.heads.fitted, 1));
    out.heads.spread = spreadOf(errors, out.heads.all);
    out.selectMs /= pool.threads();
    out.fitMs /= pool.threads();
    return out;
}

}  // namespace lacuna
