#include "engine/compress/eviction_choice.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/compress/compaction_report.h"
#include "engine/compress/compactor.h"

namespace lacuna {
namespace {

// Fewer tokens with queries than this say too little about the keys.
constexpr int kMinTokens = 16;
// Newest queries of an observation window (arXiv 2404.14469).
constexpr int kWindow = 64;

bool usesNorms(EvictionPolicy policy) {
    return policy == EvictionPolicy::KeepLowNorm || policy == EvictionPolicy::KeepHighNorm;
}

/// A window keeps its own tokens, but leaves half of a small budget to be chosen.
int windowFor(const SelectionRule& rule) {
    return std::max(1, std::min({kWindow, rule.budget / 2, rule.budget - rule.nSink - 1}));
}

}  // namespace

/// Hands every query to several.
class EvictionChoice::Everyone final : public QueryObserver {
  public:
    explicit Everyone(std::array<QueryObserver*, 3> observers) : observers_(observers) {}
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override {
        for (QueryObserver* one : observers_) one->observeQueries(layer, queries, first);
    }

  private:
    std::array<QueryObserver*, 3> observers_;
};

EvictionChoice::EvictionChoice(const CompactorModel& model, ThreadPool& pool)
    : model_(model), pool_(pool) {}
EvictionChoice::~EvictionChoice() = default;

EvictionPolicy EvictionChoice::wanted(const KvOptions& options) const {
    return options.evictionPolicy == EvictionPolicy::Auto ? model_.familyPolicy
                                                          : options.evictionPolicy;
}

EvictionPolicy EvictionChoice::foreseen(const KvOptions& options) const {
    const EvictionPolicy policy = wanted(options);
    const bool replaced = firstNormSpread_ && *firstNormSpread_ < kNearlyConstantNorms;
    return usesNorms(policy) && replaced ? EvictionPolicy::KeyDiff : policy;
}

/// Rebuilt where another cache was watched before.
AttentionScores& EvictionChoice::watching(std::unique_ptr<AttentionScores>& scores,
                                          const KvCache& cache, bool accumulates) {
    if (!scores || !scores->watches(cache))
        scores = std::make_unique<AttentionScores>(
            cache,
            AttentionScoring{.heads = model_.heads,
                             .scaling = {.scale = model_.scale, .softCap = model_.softCap},
                             .accumulates = accumulates,
                             .window = kWindow},
            pool_);
    return *scores;
}

QueryObserver* EvictionChoice::observer(const KvCache& cache, const KvOptions& options) {
    const bool evicts = options.method == CompactionMethod::Eviction;
    const EvictionPolicy policy = wanted(options);
    everyone_.reset();
    if (!evicts || policy != EvictionPolicy::SnapKV) window_.reset();
    if (!evicts || policy != EvictionPolicy::H2O) accumulated_.reset();
    if (!evicts || !watchesQueries(policy)) return nullptr;
    if (policy == EvictionPolicy::SnapKV) return &watching(window_, cache, false);
    return &watching(accumulated_, cache, true);
}

QueryObserver* EvictionChoice::observeAll(const KvCache& cache, QueryObserver& other) {
    everyone_ = std::make_unique<Everyone>(std::array<QueryObserver*, 3>{
        &other, &watching(window_, cache, false), &watching(accumulated_, cache, true)});
    return everyone_.get();
}

/// KeyDiff where norms say nothing. Decided once a sequence, because evictions by norm narrow the
/// norms.
EvictionPolicy EvictionChoice::checkNorms(KvCache& cache, EvictionPolicy policy,
                                          std::string& reason) {
    if (!firstNormSpread_) {
        const int heads = cache.shape().layers * cache.shape().kvHeads;
        std::vector<double> spreads(static_cast<std::size_t>(heads));
        pool_.parallelFor(heads, [&](int i) {
            const LayerIndex layer(i / cache.shape().kvHeads);
            const HeadIndex head(i % cache.shape().kvHeads);
            spreads[static_cast<std::size_t>(i)] = normSpread(cache.keyNorms(layer, head));
        });
        double sum = 0;
        for (const double spread : spreads) sum += spread;
        firstNormSpread_ = sum / heads;
    }
    if (*firstNormSpread_ >= kNearlyConstantNorms) return policy;
    addNote(
        reason,
        format(
            "key norms of this model are nearly constant (spread {:.1f} %), KeyDiff chose instead",
            *firstNormSpread_ * 100));
    return EvictionPolicy::KeyDiff;
}

/// KeyDiff where too few queries were seen: after a saved cache was loaded, or the setting changed.
EvictionPolicy EvictionChoice::useQueries(EvictionPolicy policy, EvictionOptions& eviction,
                                          std::string& reason) {
    AttentionScores* scores = policy == EvictionPolicy::SnapKV ? window_.get() : accumulated_.get();
    const int seen = scores == nullptr ? 0 : scores->observed(LayerIndex(0));
    if (seen < kMinTokens) {
        addNote(reason, format("queries of {} tokens were seen, at least {} are needed: KeyDiff "
                               "chose instead",
                               seen, kMinTokens));
        return EvictionPolicy::KeyDiff;
    }
    scores->settle();
    eviction.attention = scores;
    if (policy != EvictionPolicy::SnapKV) return policy;
    eviction.queries = windowFor(eviction.rule);
    eviction.rule.keepRecent = std::max(eviction.rule.keepRecent, eviction.queries);
    return policy;
}

void EvictionChoice::complete(KvCache& cache, const KvOptions& options, EvictionOptions& eviction,
                              std::string& reason) {
    EvictionPolicy policy = wanted(options);
    if (usesNorms(policy)) policy = checkNorms(cache, policy, reason);
    if (policy == EvictionPolicy::Reconstruct && eviction.reconstruction == nullptr) {
        addNote(reason, "KeyDiff chose instead");
        policy = EvictionPolicy::KeyDiff;
    }
    if (watchesQueries(policy)) policy = useQueries(policy, eviction, reason);
    eviction.policy = policy;
    if (eviction.budgets == EvictionBudgets::WholeModel && !usesAttention(policy)) {
        eviction.budgets = EvictionBudgets::Equal;
        addNote(reason,
                "its scores cannot be compared between layers, so every head kept the same");
    }
}

void EvictionChoice::forgetFrom(Position position) {
    if (window_) window_->forgetFrom(position);
    if (accumulated_) accumulated_->forgetFrom(position);
    if (position.value <= 0) firstNormSpread_.reset();
}

}  // namespace lacuna
