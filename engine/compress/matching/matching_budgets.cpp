#include "engine/compress/matching/matching_budgets.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/base/string_format.h"
#include "engine/compress/head_budgets.h"
#include "engine/compress/matching/buffer_pool.h"
#include "engine/compress/matching/compactable_span.h"
#include "engine/compress/matching/head_survey.h"
#include "engine/compress/matching/slot_influence.h"
#include "engine/kv/eviction/layer_heads.h"
#include "engine/kv/eviction/shared_slots.h"

namespace lacuna {
namespace {

constexpr int kMinFree = 8;  // minimum number of slots of every head besides the protected ones
// Minimum need of a head relative to the most demanding one, because a profile is only a sample.
constexpr double kUnknownNeed = 0.01;
constexpr double kEntropyExponent = 0.5;
// Curves are computed up to this multiple of the mean budget.
constexpr std::int64_t kCurveReach = 4;

/// Heads that share the budget.
struct SharedHeads {
    std::vector<int> indices;
    std::vector<HeadRoom> rooms;
};

bool skipped(const HeadTargetsRequest& request, int layer) {
    return std::find(request.skipLayers.begin(), request.skipLayers.end(), layer) !=
           request.skipLayers.end();
}

Result<SharedHeads> sharedHeads(const KvCache& cache, const HeadTargetsRequest& request) {
    SharedHeads shared;
    for (int i = 0; i < cache.shape().headCount(); ++i) {
        const auto [layer, head] = cache.shape().placeOf(i);
        if (skipped(request, layer.value)) continue;
        const HeadSpan span = compactableSpan(cache, layer, head, request.rule);
        const int guarded =
            guardedSlots(span) + static_cast<int>(keptSlots(span, request.rule).size());
        if (guarded >= request.rule.budget && span.first < span.last)
            return fail(ErrorCode::Range,
                        format("layer {} head {}: a target of {} slots leaves no room besides the "
                               "{} protected ones (n_sink {}, keep_recent {})",
                               layer.value, head.value, request.rule.budget, guarded,
                               request.rule.nSink, request.rule.keepRecent));
        // A small budget is valid as long as it leaves one slot: it is then divided evenly.
        const int least = std::min({guarded + kMinFree, request.rule.budget, span.head.slots});
        shared.indices.push_back(i);
        shared.rooms.push_back({least, span.head.slots});
    }
    return shared;
}

/// Surveys each shared head; nullopt for heads without a choice.
Result<std::vector<HeadSurvey>> surveyAll(const KvCache& cache, const ReferenceQueries& queries,
                                          const HeadTargetsRequest& request,
                                          const SharedHeads& shared, SurveyKind kind,
                                          ThreadPool& pool, const MatchingWatch& watch) {
    BufferPool buffers;
    std::vector<std::optional<Result<HeadSurvey>>> found(shared.indices.size());
    pool.parallelFor(static_cast<int>(found.size()), [&](int task) {
        const auto at = static_cast<std::size_t>(task);
        watch.step();
        if (watch.stop.stop_requested()) return;
        const auto [layer, head] = cache.shape().placeOf(shared.indices[at]);
        HeadSpan span = compactableSpan(cache, layer, head, request.rule);
        if (span.first == span.last) return;
        const std::vector<float> rows =
            queries.gather(layer, head, surveyQueries(span.last - span.first));
        span.scale = request.scale;
        span.softCap = request.softCap;
        if (request.sinks != nullptr)
            span.sinks = request.sinks->of(layer, head, queries.shape().group(layer));
        span.buffers = &buffers;
        span.queries = {rows.data(),
                        {static_cast<std::int64_t>(rows.size()) / span.keyDim, span.keyDim}};
        const std::int64_t most =
            std::min<std::int64_t>(kCurveReach * request.rule.budget, shared.rooms[at].most);
        found[at] = surveyHead(span, kind, static_cast<int>(most));
    });
    if (watch.stop.stop_requested())
        return fail(ErrorCode::Cancelled, "the compaction was cancelled");
    std::vector<HeadSurvey> surveys(found.size());
    for (std::size_t at = 0; at < found.size(); ++at) {
        if (!found[at]) continue;
        if (!*found[at]) {
            const KvHeadLocation place = cache.shape().placeOf(shared.indices[at]);
            return tl::unexpected<Error>(
                withPrefix(found[at]->error(),
                           format("layer {} head {}", place.layer.value, place.head.value)));
        }
        surveys[at] = std::move(**found[at]);
    }
    return surveys;
}

Result<std::vector<double>> profileWeights(const KvCache& cache, const SharedHeads& shared,
                                           const HeadProfile* profile) {
    if (profile == nullptr)
        return fail(ErrorCode::Unsupported,
                    "this model has no head profile of the kind that head_budgets needs; make it "
                    "with lacuna calibrate-kv");
    if (!sameHeads(profile->layers, profile->kvHeads, profile->layerHeads, cache.shape()))
        return fail(ErrorCode::Unsupported,
                    format("the head profile has {} layers with {} heads; the cache has {} with {}",
                           profile->layers, profile->loss.size(), cache.shape().layers,
                           cache.shape().headCount()));
    const std::vector<double> needs = profileNeeds(*profile);
    std::vector<double> weights;
    for (const int index : shared.indices)
        weights.push_back(needs[static_cast<std::size_t>(index)] + kUnknownNeed);
    return weights;
}

/// Number of slots each head would keep if the most influential slots of all heads stayed.
Result<std::vector<double>> reconstructionWeights(const KvCache& cache,
                                                  const HeadTargetsRequest& request,
                                                  const SharedHeads& shared) {
    if (request.reconstruction == nullptr)
        return fail(
            ErrorCode::Unsupported,
            "head_budgets=reconstruction needs a repetition of the text, but there is none");
    const KvShape& shape = cache.shape();
    const ReconstructionScores& found = *request.reconstruction;
    if (!sameHeads(found.layers, found.kvHeads, found.layerHeads, shape))
        return fail(
            ErrorCode::Unsupported,
            format("the repetition has {} layers with {} heads; the cache has {} with {}",
                   found.layers, headsBeforeLayer(found.kvHeads, found.layerHeads, found.layers),
                   shape.layers, shape.headCount()));
    std::vector<SlotScores> scores;
    std::vector<SlotPositions> places;
    std::int64_t live = 0;
    for (const int index : shared.indices) {
        const auto [layer, number] = shape.placeOf(index);
        const KvHeadView head = cache.head(layer, number);
        scores.push_back(slotInfluence(cache, found, layer, number));
        places.push_back({head.positions, head.slots, cache.offset().value, head.bias});
        live += cache.slots(layer, number);
    }
    std::vector<double> weights;
    if (live <= static_cast<std::int64_t>(shared.indices.size()) * request.rule.budget) {
        for (const HeadRoom& room : shared.rooms) weights.push_back(room.most);
        return weights;
    }
    std::vector<SharingHead> heads;
    for (std::size_t g = 0; g < scores.size(); ++g) heads.push_back({scores[g], places[g]});
    LACUNA_TRY(const auto best, selectShared(heads, request.rule, 0.0));
    for (const SlotMarks& keep : best) weights.push_back(keep.count());
    return weights;
}

/// Mean of two divisions of `total`: by what this text attends to, and by what any text may need.
Result<std::vector<double>> halfway(std::span<const HeadRoom> rooms, std::span<const double> first,
                                    std::span<const double> second, std::int64_t total) {
    LACUNA_TRY(const auto one, shareByWeight(rooms, first, total));
    LACUNA_TRY(const auto other, shareByWeight(rooms, second, total));
    std::vector<double> mean;
    for (std::size_t g = 0; g < one.size(); ++g) mean.push_back((one[g] + other[g]) / 2.0);
    return mean;
}

Result<std::vector<int>> shareAmong(const KvCache& cache, const ReferenceQueries& queries,
                                    const HeadTargetsRequest& request, const SharedHeads& shared,
                                    ThreadPool& pool, const MatchingWatch& watch) {
    const auto total = static_cast<std::int64_t>(shared.indices.size()) * request.rule.budget;
    std::vector<double> weights(shared.indices.size(), 1.0);
    switch (resolvedBudgets(request.budgets, request.profile)) {
        case HeadBudgets::Auto:
        case HeadBudgets::Uniform:
            break;
        case HeadBudgets::TaskFree:
        case HeadBudgets::Questions: {
            LACUNA_TRY(weights, profileWeights(cache, shared, request.profile));
            break;
        }
        case HeadBudgets::Reconstruction: {
            LACUNA_TRY(weights, reconstructionWeights(cache, request, shared));
            if (request.profile != nullptr) {
                LACUNA_TRY(const auto needed, profileWeights(cache, shared, request.profile));
                LACUNA_TRY(weights, halfway(shared.rooms, weights, needed, total));
            }
            break;
        }
        case HeadBudgets::Entropy: {
            LACUNA_TRY(const auto surveys, surveyAll(cache, queries, request, shared,
                                                     SurveyKind::Entropy, pool, watch));
            for (std::size_t g = 0; g < weights.size(); ++g)
                weights[g] = std::pow(surveys[g].support, kEntropyExponent);
            break;
        }
        case HeadBudgets::Coverage: {
            LACUNA_TRY(const auto surveys, surveyAll(cache, queries, request, shared,
                                                     SurveyKind::Coverage, pool, watch));
            std::vector<ErrorCurve> curves;
            for (const HeadSurvey& survey : surveys) curves.push_back(survey.curve);
            return shareByCurves(shared.rooms, curves, total);
        }
    }
    return shareByWeight(shared.rooms, weights, total);
}

}  // namespace

HeadBudgets resolvedBudgets(HeadBudgets asked, const HeadProfile* profile) {
    if (asked != HeadBudgets::Auto && asked != HeadBudgets::TaskFree) return asked;
    return profile != nullptr ? HeadBudgets::TaskFree : HeadBudgets::Coverage;
}

bool usesProfile(HeadBudgets resolved) {
    return resolved == HeadBudgets::TaskFree || resolved == HeadBudgets::Questions;
}

bool surveysHeads(HeadBudgets resolved) {
    return resolved == HeadBudgets::Entropy || resolved == HeadBudgets::Coverage;
}

std::vector<double> profileNeeds(const HeadProfile& profile) {
    double top = 0;
    for (const float loss : profile.loss) top = std::max(top, static_cast<double>(loss));
    std::vector<double> needs;
    for (const float loss : profile.loss)
        needs.push_back(top > 0 ? static_cast<double>(loss) / top : 0.0);
    return needs;
}

Result<std::vector<int>> headTargets(const KvCache& cache, const ReferenceQueries& queries,
                                     const HeadTargetsRequest& request, ThreadPool& pool,
                                     const MatchingWatch& watch) {
    std::vector<int> targets;
    for (int i = 0; i < cache.shape().headCount(); ++i) {
        const KvHeadLocation place = cache.shape().placeOf(i);
        targets.push_back(cache.slots(place.layer, place.head));
    }
    LACUNA_TRY(const SharedHeads shared, sharedHeads(cache, request));
    LACUNA_TRY(const std::vector<int> shares,
               shareAmong(cache, queries, request, shared, pool, watch));
    for (std::size_t g = 0; g < shares.size(); ++g)
        targets[static_cast<std::size_t>(shared.indices[g])] = shares[g];
    return targets;
}

}  // namespace lacuna
