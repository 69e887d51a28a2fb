#include "engine/compress/driver/eviction_choice.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/compress/driver/compaction_report.h"
#include "engine/compress/driver/compactor.h"
#include "engine/kv/eviction/attention_scores.h"
#include "engine/kv/eviction/expected_attention.h"
#include "engine/kv/eviction/tri_attention.h"

namespace lacuna {
namespace {

// Minimum number of tokens whose queries tell enough about the keys.
constexpr int kMinTokens = 16;
// Newest queries of an observation window (arXiv:2404.14469).
constexpr int kWindow = 64;

constexpr std::array kByQueries{EvictionPolicy::SnapKV, EvictionPolicy::H2O,
                                EvictionPolicy::ExpectedAttention, EvictionPolicy::TriAttention};

bool usesNorms(EvictionPolicy policy) {
    return policy == EvictionPolicy::KeepLowNorm || policy == EvictionPolicy::KeepHighNorm;
}

/// A window keeps its own tokens, but leaves half of a small budget to the policy.
int windowFor(const SelectionRule& rule) {
    return std::max(1, std::min({kWindow, rule.budget / 2, rule.budget - rule.nSink - 1}));
}

}  // namespace

/// Forwards every query to several observers.
class EvictionChoice::Everyone final : public QueryObserver {
  public:
    explicit Everyone(std::vector<QueryObserver*> observers) : observers_(std::move(observers)) {}
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override {
        for (QueryObserver* one : observers_) one->observeQueries(layer, queries, first);
    }

  private:
    std::vector<QueryObserver*> observers_;
};

EvictionChoice::EvictionChoice(const CompactorModel& model, ThreadPool& pool)
    : model_(model), pool_(pool) {}
EvictionChoice::EvictionChoice(const EvictionChoice& other, const KvCache& cache)
    : model_(other.model_), pool_(other.pool_), firstNormSpread_(other.firstNormSpread_) {
    for (std::size_t i = 0; i < scores_.size(); ++i)
        if (other.scores_[i]) scores_[i] = other.scores_[i]->copyFor(cache);
}
EvictionChoice::~EvictionChoice() = default;

EvictionPolicy EvictionChoice::requestedPolicy(const KvOptions& options) const {
    if (options.evictionPolicy != EvictionPolicy::Auto) return options.evictionPolicy;
    const bool predicted =
        model_.profiles.surrogate != nullptr && options.scoreSource != ScoreSource::Repetition;
    return predicted ? EvictionPolicy::Reconstruct : model_.familyPolicy;
}

EvictionPolicy EvictionChoice::predictedPolicy(const KvOptions& options) const {
    const EvictionPolicy policy = requestedPolicy(options);
    const bool replaced = firstNormSpread_ && *firstNormSpread_ < kNearlyConstantNorms;
    if (usesNorms(policy) && replaced) return EvictionPolicy::KeyDiff;
    return predictsScores(policy) ? policy : EvictionPolicy::KeyDiff;
}

/// Returns true if the model allows a policy to predict the positions of later queries.
bool EvictionChoice::predictsScores(EvictionPolicy policy) const {
    const bool byPosition =
        policy == EvictionPolicy::ExpectedAttention || policy == EvictionPolicy::TriAttention;
    return !byPosition || !model_.rotation.variesWithLength;
}

/// Returns true if the policy uses calibration data of the model, so that no queries are observed.
bool EvictionChoice::calibrated(EvictionPolicy policy) const {
    return policy == EvictionPolicy::TriAttention && model_.profiles.centres != nullptr;
}

/// @pre watchesQueries(policy)
std::unique_ptr<QueryScores>& EvictionChoice::kept(EvictionPolicy policy) {
    return scores_[static_cast<std::size_t>(std::ranges::find(kByQueries, policy) -
                                            kByQueries.begin())];
}

/// Returns the scores, recreated for another cache or after a new calibration of the model.
QueryScores& EvictionChoice::watching(EvictionPolicy policy, const KvCache& cache) {
    std::unique_ptr<QueryScores>& scores = kept(policy);
    const bool tri = policy == EvictionPolicy::TriAttention;
    const auto current = [&] {
        return !tri ||
               static_cast<const TriAttention&>(*scores).calibrated() == model_.profiles.centres;
    };
    if (scores && scores->watches(cache) && current()) return *scores;
    const LogitScaling scaling{
        .scale = model_.scale, .softCap = model_.softCap, .sinks = model_.sinks.get()};
    if (policy == EvictionPolicy::ExpectedAttention)
        scores = std::make_unique<ExpectedAttention>(
            cache,
            Expectation{.heads = model_.heads, .scaling = scaling, .rotation = model_.rotation},
            pool_);
    else if (tri)
        scores =
            std::make_unique<TriAttention>(cache, TriScoring{.heads = model_.heads,
                                                             .scaling = scaling,
                                                             .rotation = model_.rotation,
                                                             .centres = model_.profiles.centres});
    else
        scores = std::make_unique<AttentionScores>(
            cache,
            AttentionScoring{.heads = model_.heads,
                             .scaling = scaling,
                             .accumulates = policy == EvictionPolicy::H2O,
                             .window = kWindow},
            pool_);
    return *scores;
}

QueryObserver* EvictionChoice::observer(const KvCache& cache, const KvOptions& options) {
    const bool evicts = options.method == CompactionMethod::Eviction;
    const EvictionPolicy policy = requestedPolicy(options);
    everyone_.reset();
    for (const EvictionPolicy other : kByQueries)
        if (!evicts || policy != other) kept(other).reset();
    if (!evicts || !watchesQueries(policy) || !predictsScores(policy)) return nullptr;
    if (calibrated(policy)) return nullptr;
    return &watching(policy, cache);
}

QueryObserver* EvictionChoice::observeAll(const KvCache& cache, QueryObserver& other) {
    std::vector<QueryObserver*> observers{&other};
    for (const EvictionPolicy policy : kByQueries)
        if (predictsScores(policy) && !calibrated(policy))
            observers.push_back(&watching(policy, cache));
    everyone_ = std::make_unique<Everyone>(std::move(observers));
    return everyone_.get();
}

namespace {

/// Layer whose number of observed queries stands for all: the first one that is compacted.
LayerIndex judgedLayer(const KvCache& cache) {
    for (int layer = 0; layer < cache.shape().layers; ++layer)
        if (!isKeptFull(cache, {}, layer)) return LayerIndex(layer);
    return LayerIndex(0);
}

}  // namespace

const QueryScores* EvictionChoice::predictedScores(EvictionPolicy policy, const KvCache& cache) {
    if (policy != EvictionPolicy::TriAttention) return nullptr;
    if (calibrated(policy)) return &watching(policy, cache);
    const QueryScores* scores = kept(policy).get();
    return scores != nullptr && scores->observed(judgedLayer(cache)) >= kMinTokens ? scores
                                                                                   : nullptr;
}

/// Returns KeyDiff if norms are uninformative. Decided once per sequence, because evictions by norm
/// narrow the distribution of norms.
EvictionPolicy EvictionChoice::checkNorms(KvCache& cache, EvictionPolicy policy,
                                          CompactionNotes& notes) {
    if (!firstNormSpread_) {
        const int heads = cache.shape().headCount();
        std::vector<double> spreads(static_cast<std::size_t>(heads));
        pool_.parallelFor(heads, [&](int i) {
            const KvHeadLocation place = cache.shape().placeOf(i);
            spreads[static_cast<std::size_t>(i)] =
                normSpread(cache.keyNorms(place.layer, place.head));
        });
        double sum = 0;
        for (const double spread : spreads) sum += spread;
        firstNormSpread_ = sum / heads;
    }
    if (*firstNormSpread_ >= kNearlyConstantNorms) return policy;
    notes.push_back(noteOf(CompactionReason::NormsConstant, *firstNormSpread_ * 100));
    return EvictionPolicy::KeyDiff;
}

/// Returns KeyDiff if too few queries were seen, after a saved cache was loaded or the setting
/// changed.
EvictionPolicy EvictionChoice::useQueries(EvictionPolicy policy, const KvCache& cache,
                                          EvictionOptions& eviction, CompactionNotes& notes) {
    if (!predictsScores(policy)) {
        notes.push_back({CompactionReason::QueriesUnpredictable});
        return EvictionPolicy::KeyDiff;
    }
    // Calibrated scores keep no state of a sequence, so a copy of its cache may create its own.
    QueryScores* scores = calibrated(policy) ? &watching(policy, cache) : kept(policy).get();
    const int seen = scores == nullptr ? 0 : scores->observed(judgedLayer(cache));
    if (seen < kMinTokens) {
        notes.push_back(noteOf(CompactionReason::FewQueriesSeen, seen, kMinTokens));
        return EvictionPolicy::KeyDiff;
    }
    scores->settle();
    eviction.attention = scores;
    if (policy == EvictionPolicy::TriAttention && !calibrated(policy))
        notes.push_back({CompactionReason::CentresNotCalibrated});
    if (policy != EvictionPolicy::SnapKV) return policy;
    eviction.queries = windowFor(eviction.rule);
    eviction.rule.keepRecent = std::max(eviction.rule.keepRecent, eviction.queries);
    return policy;
}

void EvictionChoice::complete(KvCache& cache, const KvOptions& options, EvictionOptions& eviction,
                              CompactionNotes& notes) {
    EvictionPolicy policy = requestedPolicy(options);
    if (usesNorms(policy)) policy = checkNorms(cache, policy, notes);
    if (policy == EvictionPolicy::Reconstruct && eviction.reconstruction == nullptr) {
        notes.push_back({CompactionReason::KeyDiffInstead});
        policy = EvictionPolicy::KeyDiff;
    }
    if (watchesQueries(policy)) policy = useQueries(policy, cache, eviction, notes);
    eviction.policy = policy;
    if (eviction.budgets == EvictionBudgets::WholeModel && !usesAttention(policy)) {
        eviction.budgets = EvictionBudgets::Equal;
        notes.push_back({CompactionReason::EqualSlots});
    }
}

void EvictionChoice::dropFrom(Position position) {
    for (const auto& scores : scores_)
        if (scores) scores->dropFrom(position);
    if (position.value <= 0) firstNormSpread_.reset();
}

void EvictionChoice::keepDecision(const EvictionChoice& copy) {
    if (!firstNormSpread_) firstNormSpread_ = copy.firstNormSpread_;
}

}  // namespace lacuna
