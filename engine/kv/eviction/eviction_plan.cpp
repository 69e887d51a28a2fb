#include "engine/kv/eviction/eviction_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kv/eviction/eviction_scores.h"
#include "engine/kv/eviction/prepared_scores.h"
#include "engine/kv/eviction/reconstruction_scores.h"
#include "engine/kv/eviction/shared_slots.h"
#include "engine/kv/eviction/structural_tokens.h"
#include "engine/kv/eviction/top_slots.h"

namespace lacuna {
namespace {

constexpr double kMinDeviation = 1e-6;
constexpr std::int64_t kBadSlotsOneIn = 1000;

SlotPositions positionsOf(const KvCache& cache, std::size_t index) {
    const KvHeadLocation place = cache.shape().placeOf(static_cast<int>(index));
    const KvHeadView view = cache.head(place.layer, place.head);
    return {view.positions, view.slots, cache.offset().value, view.bias};
}

int slotCount(const KvCache& cache, std::size_t index) {
    const KvHeadLocation place = cache.shape().placeOf(static_cast<int>(index));
    return cache.slots(place.layer, place.head);
}

bool samePositions(const SlotPositions& a, const SlotPositions& b) {
    if (a.slots != b.slots) return false;
    if (a.positions == nullptr && b.positions == nullptr) return true;
    for (int j = 0; j < a.slots; ++j)
        if (a.at(j) != b.at(j) || a.isHole(j) != b.isHole(j)) return false;
    return true;
}

/// Adds the scores, divided by their standard deviation among the competing slots. NaN stays NaN.
void addNormalised(std::span<const float> scores, const SlotPositions& slots,
                   const SelectionRule& rule, std::span<float> sum) {
    double total = 0;
    double squares = 0;
    std::int64_t count = 0;
    for (int j = 0; j < slots.slots; ++j) {
        const auto score = static_cast<double>(scores[static_cast<std::size_t>(j)]);
        if (!std::isfinite(score) || slots.isHole(j) ||
            isProtected(rule, slots.at(j), slots.tokens))
            continue;
        total += score;
        squares += score * score;
        ++count;
    }
    if (count == 0) return;
    const double mean = total / static_cast<double>(count);
    const double variance = squares / static_cast<double>(count) - mean * mean;
    const double deviation = std::max(std::sqrt(std::max(variance, 0.0)), kMinDeviation);
    for (std::size_t j = 0; j < sum.size(); ++j)
        sum[j] += static_cast<float>((static_cast<double>(scores[j]) - mean) / deviation);
}

/// Indices of the heads, in groups that choose jointly.
std::vector<std::vector<std::size_t>> headGroups(const KvCache& cache,
                                                 std::span<const int> skipLayers,
                                                 LayerCoherence together) {
    std::vector<std::vector<std::size_t>> groups;
    const KvShape& shape = cache.shape();
    for (int layer = 0; layer < shape.layers; ++layer) {
        if (isKeptFull(cache, skipLayers, layer)) continue;
        for (int h = 0; h < shape.heads(LayerIndex(layer)); ++h) {
            const bool opens = together == LayerCoherence::PerHead || groups.empty() ||
                               (together == LayerCoherence::PerLayer && h == 0);
            if (opens) groups.emplace_back();
            groups.back().push_back(
                static_cast<std::size_t>(shape.headIndex(LayerIndex(layer), HeadIndex(h))));
        }
    }
    return groups;
}

struct BadSlots {
    std::int64_t bad = 0;
    std::int64_t all = 0;
};

tl::unexpected<Error> badProtected(const KvCache& cache, std::size_t index, std::int64_t position) {
    const KvHeadLocation place = cache.shape().placeOf(static_cast<int>(index));
    return fail(ErrorCode::KvNonFinite,
                format("layer {} head {}: the key of the protected token {} is not a finite number",
                       place.layer.value, place.head.value, position));
}

Status checkBad(const BadSlots& count) {
    if (count.bad * kBadSlotsOneIn <= count.all) return {};
    return fail(ErrorCode::KvNonFinite,
                format("{} of {} keys are not finite numbers, at most one in {} is tolerated",
                       count.bad, count.all, kBadSlotsOneIn));
}

Result<BadSlots> countBad(const KvCache& cache, std::span<const SlotScores> scores,
                          const SelectionRule& rule) {
    BadSlots count;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const SlotPositions slots = positionsOf(cache, i);
        count.all += static_cast<std::int64_t>(scores[i].size());
        for (std::size_t j = 0; j < scores[i].size(); ++j) {
            if (std::isfinite(scores[i][j]) || slots.isHole(static_cast<int>(j))) continue;
            ++count.bad;
            const std::int64_t position = slots.at(static_cast<int>(j));
            if (isProtected(rule, position, slots.tokens)) return badProtected(cache, i, position);
        }
    }
    LACUNA_TRY_STATUS(checkBad(count));
    return count;
}

tl::unexpected<Error> atHead(const Error& error, std::size_t index, const KvCache& cache) {
    const KvHeadLocation place = cache.shape().placeOf(static_cast<int>(index));
    return tl::unexpected<Error>(
        withPrefix(error, format("layer {} head {}", place.layer.value, place.head.value)));
}

/// Selects the same slots for a group of heads with equal positions.
Result<SlotMarks> selectTogether(const KvCache& cache, std::span<const SlotScores> scores,
                                 std::span<const std::size_t> group, const SelectionRule& rule) {
    const SlotPositions slots = positionsOf(cache, group[0]);
    if (group.size() == 1) return selectSlots(scores[group[0]], slots, rule);
    std::vector<float> sum(static_cast<std::size_t>(slots.slots), 0.0F);
    for (const std::size_t index : group) addNormalised(scores[index], slots, rule, sum);
    return selectSlots(sum, slots, rule);
}

Status checkQueries(const KvCache& cache, const EvictionOptions& options) {
    if (options.policy == EvictionPolicy::Reconstruct && options.reconstruction == nullptr)
        return fail(ErrorCode::InvalidArgument, "no repetition of the text was read");
    if (!watchesQueries(options.policy)) return {};
    for (int layer = 0; layer < cache.shape().layers; ++layer)
        if (!isKeptFull(cache, options.skipLayers, layer) &&
            (options.attention == nullptr || options.attention->observed(LayerIndex(layer)) == 0))
            return fail(
                ErrorCode::InvalidArgument,
                format("layer {}: the policy needs attention, but no query was seen", layer));
    return {};
}

/// Plans the heads of a group; unchanged if they are small enough.
Result<HeadCompaction> planGroup(const KvCache& cache, std::span<const SlotScores> scores,
                                 std::span<const std::size_t> group, const SelectionRule& rule) {
    HeadCompaction head;
    if (slotCount(cache, group[0]) <= rule.budget) return head;
    auto keep = selectTogether(cache, scores, group, rule);
    if (!keep) return atHead(keep.error(), group[0], cache);
    head.keep = std::move(*keep);
    return head;
}

/// Plans the heads of a group that share one budget.
Status shareGroup(const KvCache& cache, std::span<const SlotScores> scores,
                  std::span<const std::size_t> group, const EvictionOptions& options,
                  CompactionPlan& plan) {
    std::int64_t live = 0;
    for (const std::size_t index : group) live += slotCount(cache, index);
    if (live <= static_cast<std::int64_t>(group.size()) * options.rule.budget) return {};
    // Probabilities are comparable between heads; norms and cosines are not.
    const bool asTheyAre = usesAttention(options.policy);
    std::vector<SlotScores> spread(asTheyAre ? 0 : group.size());
    std::vector<SharingHead> heads;
    for (std::size_t g = 0; g < group.size(); ++g) {
        const SlotPositions slots = positionsOf(cache, group[g]);
        std::span<const float> own = scores[group[g]];
        if (!asTheyAre) {
            spread[g].assign(own.size(), 0.0F);
            addNormalised(own, slots, options.rule, spread[g]);
            own = spread[g];
        }
        heads.push_back({own, slots});
    }
    const double safe = options.budgets == EvictionBudgets::Adaptive ? kSafeShare : 0.0;
    auto keep = selectShared(heads, options.rule, safe);
    if (!keep) return atHead(keep.error(), group[0], cache);
    for (std::size_t g = 0; g < group.size(); ++g)
        if ((*keep)[g].count() < slotCount(cache, group[g]))
            plan.heads[group[g]].keep = std::move((*keep)[g]);
    return {};
}

/// Plans an eviction that does not divide slots equally.
Result<EvictionPlan> planShared(const KvCache& cache, std::span<const SlotScores> scores,
                                const EvictionOptions& options, EvictionPlan plan) {
    const bool model = options.budgets == EvictionBudgets::WholeModel;
    const auto together = model ? LayerCoherence::CrossLayer : LayerCoherence::PerLayer;
    for (const auto& group : headGroups(cache, options.skipLayers, together))
        LACUNA_TRY_STATUS(shareGroup(cache, scores, group, options, plan.plan));
    return plan;
}

}  // namespace

bool isKeptFull(const KvCache& cache, std::span<const int> named, int layer) {
    return std::find(named.begin(), named.end(), layer) != named.end() ||
           cache.shape().heads(LayerIndex(layer)) == 0 ||
           cache.head(LayerIndex(layer), HeadIndex(0)).window > 0;
}

bool isProtected(const SelectionRule& rule, std::int64_t position, std::int64_t tokens) {
    return position < rule.nSink || position >= tokens - rule.newest() ||
           (rule.kept != nullptr && keeps(*rule.kept, position));
}

Result<SlotMarks> selectSlots(std::span<const float> scores, const SlotPositions& slots,
                              const SelectionRule& rule) {
    TopScratch scratch;
    LACUNA_TRY(TopSlots top, topSlots(scores, 1.0F, slots, rule, scratch));
    return std::move(top.keep);
}

ScoreRequest scoreRequest(const EvictionOptions& options, std::int64_t tokens) {
    return {options.queries, tokens, keyDiffAnchorEnd(tokens, options.rule.keepRecent)};
}

SlotScores scoreHead(KvCache& cache, const EvictionOptions& options, std::int64_t tokens,
                     std::size_t head) {
    const auto [layer, number] = cache.shape().placeOf(static_cast<int>(head));
    if (isKeptFull(cache, options.skipLayers, layer.value)) return {};
    const std::span<const float> norms = cache.keyNorms(layer, number);
    const ScoreRequest request = scoreRequest(options, tokens);
    const ScoreInput input{
        cache.head(layer, number), cache.shape().extent(layer).keyDim, norms, options.seed, head,
        request.anchorEnd};
    if (!scoresByQueries(options.policy)) return evictionScores(options.policy, input);
    SlotScores scores = options.policy == EvictionPolicy::Reconstruct
                            ? options.reconstruction->ofSlots(input.head, layer, number)
                            : options.attention->scores(input.head, layer, number, request);
    if (options.structural != nullptr) demote(scores, input.head.positions, *options.structural);
    return markBadKeys(input, std::move(scores));
}

namespace {

/// Inputs shared by all heads.
struct Scoring {
    const EvictionOptions& options;
    std::int64_t tokens;
    PreparedScores* prepared;  ///< null if they do not fit
};

Scoring scoringOf(const KvCache& cache, const EvictionOptions& options) {
    const bool fit = options.prepared != nullptr && options.prepared->fit(cache, options);
    return {options, cache.offset().value, fit ? options.prepared : nullptr};
}

bool allFinite(std::span<const float> norms) {
    const KernelTable& kernels = bestKernels();
    const auto count = static_cast<std::int64_t>(norms.size());
    const float largest = std::numeric_limits<float>::max();
    return kernels.countAbove(norms.data(), -1.0F, count) -
               kernels.countAbove(norms.data(), largest, count) ==
           count;
}

/// Prepared scores of one head, or an empty span.
std::span<const float> preparedOf(const Scoring& scoring, std::size_t head,
                                  std::span<const float> norms) {
    if (scoring.prepared == nullptr || !allFinite(norms)) return {};
    return scoring.prepared->of(head, norms.size());
}

std::span<const float> normsOf(KvCache& cache, std::size_t head) {
    const KvHeadLocation place = cache.shape().placeOf(static_cast<int>(head));
    return cache.keyNorms(place.layer, place.head);
}

SlotScores scoresOf(KvCache& cache, const Scoring& scoring, std::size_t head) {
    if (scoring.prepared != nullptr) {
        const auto prepared = preparedOf(scoring, head, normsOf(cache, head));
        if (!prepared.empty()) return {prepared.begin(), prepared.end()};
    }
    return scoreHead(cache, scoring.options, scoring.tokens, head);
}

}  // namespace

std::vector<SlotScores> scoreCache(KvCache& cache, const EvictionOptions& options,
                                   ThreadPool& pool) {
    const int count = cache.shape().headCount();
    const Scoring scoring = scoringOf(cache, options);
    std::vector<SlotScores> scores(static_cast<std::size_t>(count));
    pool.parallelFor(count, [&](int i) {
        const auto head = static_cast<std::size_t>(i);
        scores[head] = scoresOf(cache, scoring, head);
    });
    return scores;
}

namespace {

/// Result for one head of an eviction that divides slots equally.
struct HeadChoice {
    std::optional<Error> error;
    std::int64_t slots = 0;  ///< number of scored slots
    std::int64_t bad = 0;
    std::int64_t badProtected = -1;
};

/// Scores of a policy: norms and prepared scores are used in place.
struct Ranking {
    std::span<const float> scores;
    float factor = 1.0F;
};

Ranking rankingOf(KvCache& cache, const Scoring& scoring, std::size_t head, TopScratch& scratch) {
    const EvictionPolicy policy = scoring.options.policy;
    const std::span<const float> norms = normsOf(cache, head);
    if (policy == EvictionPolicy::KeepLowNorm) return {norms, -1.0F};
    if (policy == EvictionPolicy::KeepHighNorm) return {norms, 1.0F};
    const std::span<const float> prepared = preparedOf(scoring, head, norms);
    if (!prepared.empty()) return {prepared, 1.0F};
    scratch.scores = scoreHead(cache, scoring.options, scoring.tokens, head);
    return {scratch.scores, 1.0F};
}

HeadChoice chooseHead(KvCache& cache, const Scoring& scoring, std::size_t i, SlotMarks& keep) {
    static thread_local TopScratch scratch;
    HeadChoice choice;
    const EvictionOptions& options = scoring.options;
    const int layer = cache.shape().placeOf(static_cast<int>(i)).layer.value;
    if (isKeptFull(cache, options.skipLayers, layer) || slotCount(cache, i) <= options.rule.budget)
        return choice;
    const Ranking ranking = rankingOf(cache, scoring, i, scratch);
    auto top =
        topSlots(ranking.scores, ranking.factor, positionsOf(cache, i), options.rule, scratch);
    if (!top) {
        choice.error = atHead(top.error(), i, cache).value();
        return choice;
    }
    choice.slots = slotCount(cache, i);
    choice.bad = top->notFinite;
    choice.badProtected = top->badProtected;
    keep = std::move(top->keep);
    return choice;
}

}  // namespace

Result<EvictionPlan> planEviction(KvCache& cache, const EvictionOptions& options,
                                  ThreadPool& pool) {
    LACUNA_TRY_STATUS(checkQueries(cache, options));
    if (options.coherence != LayerCoherence::PerHead || options.budgets != EvictionBudgets::Equal)
        return planEviction(cache, scoreCache(cache, options, pool), options);
    const int heads = cache.shape().headCount();
    EvictionPlan out;
    out.plan.verbatim = options.verbatim;
    out.plan.heads.resize(static_cast<std::size_t>(heads));
    std::vector<HeadChoice> choices(static_cast<std::size_t>(heads));
    const Scoring scoring = scoringOf(cache, options);
    pool.parallelFor(heads, [&](int index) {
        const auto i = static_cast<std::size_t>(index);
        choices[i] = chooseHead(cache, scoring, i, out.plan.heads[i].keep);
    });
    BadSlots bad;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (choices[i].error) return tl::unexpected<Error>(*choices[i].error);
        if (choices[i].badProtected >= 0) return badProtected(cache, i, choices[i].badProtected);
        bad.bad += choices[i].bad;
        bad.all += choices[i].slots;
    }
    LACUNA_TRY_STATUS(checkBad(bad));
    out.badSlots = bad.bad;
    return out;
}

Result<EvictionPlan> planEviction(const KvCache& cache, std::span<const SlotScores> scores,
                                  const EvictionOptions& options) {
    EvictionPlan out;
    out.plan.verbatim = options.verbatim;
    out.plan.heads.resize(scores.size());
    LACUNA_TRY(const BadSlots bad, countBad(cache, scores, options.rule));
    out.badSlots = bad.bad;
    if (options.budgets != EvictionBudgets::Equal)
        return planShared(cache, scores, options, std::move(out));
    for (const auto& group : headGroups(cache, options.skipLayers, options.coherence)) {
        const SlotPositions first = positionsOf(cache, group[0]);
        const bool together = std::all_of(group.begin(), group.end(), [&](std::size_t index) {
            return samePositions(first, positionsOf(cache, index));
        });
        if (together) {
            LACUNA_TRY(const HeadCompaction head, planGroup(cache, scores, group, options.rule));
            for (const std::size_t index : group) out.plan.heads[index] = head;
            continue;
        }
        out.ownChoice += static_cast<int>(group.size());
        for (const std::size_t index : group) {
            LACUNA_TRY(out.plan.heads[index],
                       planGroup(cache, scores, std::span(&index, 1), options.rule));
        }
    }
    return out;
}

}  // namespace lacuna
