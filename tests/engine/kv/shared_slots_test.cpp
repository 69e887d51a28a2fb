// Evictions with a budget shared by all heads: the number of slots per head, against a NumPy
// program and a plain model, and the memory released.

#include "engine/kv/eviction/shared_slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/base/random.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

using Slots = std::vector<std::int32_t>;

constexpr int kHeads = 3;
constexpr int kStoredTokens = 24;
const SelectionRule kRule{.budget = 10, .keepRecent = 3, .nSink = 2};

/// Scores of the golden lists: all distinct, those of head 2 four times as large as those of
/// head 1.
std::vector<std::vector<float>> goldenScores() {
    std::vector<std::vector<float>> scores;
    for (int h = 0; h < kHeads; ++h) {
        const float size = h == 0 ? 1.0F : h == 1 ? 0.5F : 2.0F;
        std::vector<float> row;
        for (int j = 0; j < kStoredTokens; ++j)
            row.push_back((static_cast<float>((31 * j + 17 * h * h + 5 * j * j + 7 * h) % 97) +
                           static_cast<float>(h) / 10) *
                          size);
        scores.push_back(std::move(row));
    }
    return scores;
}

std::vector<Slots> shared(const std::vector<std::vector<float>>& scores, const SelectionRule& rule,
                          double safeShare) {
    std::vector<SharingHead> heads;
    for (const auto& row : scores) {
        const int slots = static_cast<int>(row.size());
        heads.push_back({row, {nullptr, slots, slots}});
    }
    const auto keep = selectShared(heads, rule, safeShare);
    EXPECT_TRUE(keep) << keep.error().what;
    std::vector<Slots> out;
    if (keep)
        for (const SlotMarks& marks : *keep) out.push_back(marks.list());
    return out;
}

// Made with NumPy 2 in float64 after the published description (kvpress's AdaKVPress): protected
// slots of all heads are set to infinity, then each head's largest floor(0.2 (10 - 5)) = 1 (or
// none), then the 3 (24 - 10) smallest of the pool, by argsort, are dropped.
TEST(SelectShared, goldenLists_matchNumPy) {
    EXPECT_EQ(shared(goldenScores(), kRule, kSafeShare),
              (std::vector<Slots>{{0, 1, 5, 8, 13, 21, 22, 23},
                                  {0, 1, 19, 21, 22, 23},
                                  {0, 1, 2, 4, 5, 6, 7, 8, 9, 11, 13, 19, 20, 21, 22, 23}}));
    EXPECT_EQ(shared(goldenScores(), kRule, 0),
              (std::vector<Slots>{{0, 1, 5, 8, 13, 21, 22, 23},
                                  {0, 1, 21, 22, 23},
                                  {0, 1, 2, 4, 5, 6, 7, 8, 9, 11, 13, 14, 19, 20, 21, 22, 23}}));
}

/// A cache of one layer whose keys have the golden scores as their lengths.
std::unique_ptr<KvCache> goldenCache() {
    auto cache =
        makeSlotCache(
            {.layers = 1, .kvHeads = kHeads, .keyDim = 4, .valueDim = 2, .type = DType::F32})
            .value();
    const auto scores = goldenScores();
    std::vector<float> keys(kStoredTokens * kHeads * 4, 0.0F);
    const std::vector<float> values(kStoredTokens * kHeads * 2, 1.0F);
    for (std::size_t i = 0; i < kStoredTokens; ++i)
        for (std::size_t h = 0; h < kHeads; ++h) keys[(i * kHeads + h) * 4 + i % 4] = scores[h][i];
    EXPECT_TRUE(cache->beginAppend(kStoredTokens));
    cache->writeLayer(LayerIndex(0), {keys.data(), {kStoredTokens, kHeads, 4}},
                      {values.data(), {kStoredTokens, kHeads, 2}});
    cache->commitAppend();
    return cache;
}

EvictionPlan planned(KvCache& cache, const EvictionOptions& options) {
    ThreadPool pool(2);
    auto plan = planEviction(cache, options, pool);
    EXPECT_TRUE(plan) << describe(plan.error());
    return plan.value_or(EvictionPlan{});
}

// The same program with standardised scores: each head's mean and deviation over the 19 competing
// slots. Raw lengths would have left only the safe slot to head 1.
TEST(SharedEviction, norms_areScaledByTheirOwnSpread) {
    auto cache = goldenCache();
    const EvictionPlan plan = planned(*cache, {.rule = kRule,
                                               .policy = EvictionPolicy::KeepHighNorm,
                                               .budgets = EvictionBudgets::Adaptive,
                                               .skipLayers = {}});
    EXPECT_EQ(plan.plan.heads[0].keep.list(), (Slots{0, 1, 2, 5, 6, 7, 8, 11, 13, 21, 22, 23}));
    EXPECT_EQ(plan.plan.heads[1].keep.list(), (Slots{0, 1, 3, 14, 15, 18, 19, 21, 22, 23}));
    EXPECT_EQ(plan.plan.heads[2].keep.list(), (Slots{0, 1, 4, 9, 20, 21, 22, 23}));
}

/// Reference implementation that takes the best remaining slot, one at a time.
std::vector<Slots> naive(const std::vector<std::vector<float>>& scores, const SelectionRule& rule,
                         double safeShare) {
    struct One {
        float score;
        int head;
        int slot;
        bool safe;
    };
    std::vector<Slots> kept(scores.size());
    std::vector<One> others;
    std::size_t count = 0;
    for (std::size_t h = 0; h < scores.size(); ++h) {
        std::vector<One> own;
        const int slots = static_cast<int>(scores[h].size());
        for (int j = 0; j < slots; ++j) {
            const float score = scores[h][static_cast<std::size_t>(j)];
            if (isProtected(rule, j, slots))
                kept[h].push_back(j);
            else
                own.push_back(
                    {std::isfinite(score) ? score : -1e30F, static_cast<int>(h), j, false});
        }
        const auto safe = static_cast<std::size_t>(
            safeShare * static_cast<double>(rule.budget - static_cast<int>(kept[h].size())));
        std::sort(own.begin(), own.end(), [](const One& a, const One& b) {
            return a.score != b.score ? a.score > b.score : a.slot > b.slot;
        });
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (i < std::max(safe, kept[h].empty() ? std::size_t{1} : safe)) own[i].safe = true;
            others.push_back(own[i]);
        }
        count += kept[h].size();
    }
    std::sort(others.begin(), others.end(), [](const One& a, const One& b) {
        if (a.safe != b.safe) return a.safe;
        if (a.score != b.score) return a.score > b.score;
        return a.slot != b.slot ? a.slot > b.slot : a.head < b.head;
    });
    const std::size_t total = scores.size() * static_cast<std::size_t>(rule.budget);
    for (const One& one : others) {
        if (count++ >= total) break;
        kept[static_cast<std::size_t>(one.head)].push_back(one.slot);
    }
    for (Slots& slots : kept) std::sort(slots.begin(), slots.end());
    return kept;
}

TEST(SelectShared, anyScores_matchThePlainModel) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        RandomStream random(seed, 4);
        const int heads = 1 + static_cast<int>(random.uniform() * 6);
        const int slots = 12 + static_cast<int>(random.uniform() * 150);
        const SelectionRule rule{.budget = 8 + static_cast<int>(random.uniform() * (slots - 9)),
                                 .keepRecent = static_cast<int>(random.uniform() * 4),
                                 .nSink = static_cast<int>(random.uniform() * 4)};
        const double safe = seed % 3 == 0 ? 0.0 : seed % 3 == 1 ? kSafeShare : 1.0;
        std::vector<std::vector<float>> scores(static_cast<std::size_t>(heads));
        for (auto& row : scores)
            for (int j = 0; j < slots; ++j) {
                // Few distinct values, so that many are equal.
                const auto level = static_cast<float>(static_cast<int>(random.uniform() * 9));
                row.push_back(random.uniform() < 0.02 ? std::numeric_limits<float>::quiet_NaN()
                                                      : level);
            }
        const auto kept = shared(scores, rule, safe);
        EXPECT_EQ(kept, naive(scores, rule, safe)) << "seed " << seed;
        std::size_t total = 0;
        for (const Slots& one : kept) total += one.size();
        EXPECT_EQ(total, static_cast<std::size_t>(heads * rule.budget)) << "seed " << seed;
    }
}

TEST(SelectShared, impossibleSelection_reportsTheNumbers) {
    const std::vector<float> scores(10, 1.0F);
    const SharingHead head{scores, {nullptr, 10, 10}};
    const std::vector<SharingHead> two{head, head};
    const auto enough = selectShared(two, {.budget = 10, .keepRecent = 1, .nSink = 0}, 0);
    ASSERT_FALSE(enough);
    EXPECT_EQ(enough.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(enough.error().what.find("20"), std::string::npos) << enough.error().what;
    const auto tight = selectShared(two, {.budget = 4, .keepRecent = 3, .nSink = 1}, 0);
    ASSERT_FALSE(tight);
    EXPECT_EQ(tight.error().code, ErrorCode::Range);
    EXPECT_NE(tight.error().what.find("keep_recent 3"), std::string::npos) << tight.error().what;
    const std::vector<SharingHead> odd{head, {std::span(scores).first(9), {nullptr, 10, 10}}};
    EXPECT_EQ(selectShared(odd, {.budget = 4, .keepRecent = 1, .nSink = 0}, 0).error().code,
              ErrorCode::InvalidArgument);
}

TEST(SelectShared, nothingProtected_keepsTheBestSlotOfEveryHead) {
    const auto kept =
        shared({{1, 2, 3, 4}, {10, 20, 30, 40}}, {.budget = 2, .keepRecent = 0, .nSink = 0}, 0);
    EXPECT_EQ(kept, (std::vector<Slots>{{3}, {1, 2, 3}}));
}

/// Two layers of two heads; head (1, 1) holds the highest scores.
struct UnequalCache {
    UnequalCache() {
        const KvShape shape{
            .layers = 2, .kvHeads = 2, .keyDim = 64, .valueDim = 64, .type = DType::F16};
        cache = makeSlotCache(shape).value();
        EXPECT_TRUE(append(*cache, kMany));
        for (int head = 0; head < 4; ++head) {
            SlotScores row(kMany);
            for (int j = 0; j < kMany; ++j)
                row[static_cast<std::size_t>(j)] =
                    static_cast<float>((j * 37 + head) % kMany) / kMany * (head == 3 ? 1.0F : 0.1F);
            scores.push_back(std::move(row));
        }
    }
    [[nodiscard]] std::vector<int> slots() const {
        std::vector<int> out;
        for (int i = 0; i < 4; ++i)
            out.push_back(cache->slots(LayerIndex(i / 2), HeadIndex(i % 2)));
        return out;
    }
    static constexpr int kMany = 2000;
    std::unique_ptr<KvCache> cache;
    std::vector<SlotScores> scores;
};

EvictionOptions byAttention(EvictionBudgets budgets, int budget) {
    EvictionOptions options;
    options.rule = {.budget = budget};
    options.policy = EvictionPolicy::H2O;
    options.budgets = budgets;
    return options;
}

TEST(SharedEviction, sharedBudgets_keepTheTotal_andReleaseMemory) {
    std::vector<std::int64_t> live;
    std::vector<std::int64_t> allocated;
    for (const EvictionBudgets budgets :
         {EvictionBudgets::Equal, EvictionBudgets::Adaptive, EvictionBudgets::WholeModel}) {
        UnequalCache one;
        ThreadPool pool(1);
        const auto plan =
            planEviction(std::as_const(*one.cache), one.scores, byAttention(budgets, 500));
        ASSERT_TRUE(plan) << plan.error().what;
        ASSERT_TRUE(one.cache->compactable()->applyInPlace(plan->plan, pool));
        while (one.cache->compactable()->defragment(1 << 30, pool, true)) {
        }
        const std::vector<int> slots = one.slots();
        EXPECT_EQ(std::accumulate(slots.begin(), slots.end(), 0), 4 * 500);
        if (budgets == EvictionBudgets::Equal) {
            EXPECT_EQ(slots, (std::vector<int>(4, 500)));
        }
        if (budgets == EvictionBudgets::Adaptive) {
            EXPECT_EQ(slots[0] + slots[1], 1000) << "a layer keeps what is its own";
            EXPECT_EQ(slots[2], 36 + (500 - 36) / 5) << "protected, and the safe fifth";
        }
        if (budgets == EvictionBudgets::WholeModel) {
            EXPECT_GT(slots[3], 1700);
            EXPECT_LT(slots[0], 200);
        }
        live.push_back(one.cache->stats().liveBytes);
        allocated.push_back(one.cache->stats().allocatedBytes);
    }
    EXPECT_EQ(live[1], live[0]);
    EXPECT_EQ(live[2], live[0]);
    UnequalCache whole;
    for (const std::int64_t bytes : allocated)
        EXPECT_LT(bytes, whole.cache->stats().allocatedBytes / 2) << "of 2000 slots to 500";
}

TEST(SharedEviction, unequalHeads_areSharedAgain_andSkippedLayersAreUnchanged) {
    UnequalCache one;
    EvictionOptions options = byAttention(EvictionBudgets::WholeModel, 500);
    auto first = planEviction(std::as_const(*one.cache), one.scores, options);
    ASSERT_TRUE(first && one.cache->compactable()->apply(first->plan));
    const std::vector<int> before = one.slots();
    ASSERT_TRUE(append(*one.cache, 100));
    for (std::size_t h = 0; h < 4; ++h)
        one.scores[h].assign(static_cast<std::size_t>(before[h] + 100), h == 0 ? 1.0F : 0.5F);
    const auto second = planEviction(std::as_const(*one.cache), one.scores, options);
    ASSERT_TRUE(second) << second.error().what;
    EXPECT_FALSE(second->plan.heads[0].touched()) << "the smallest head keeps all it has";
    ASSERT_TRUE(one.cache->compactable()->apply(second->plan));
    const std::vector<int> after = one.slots();
    EXPECT_EQ(after[0], before[0] + 100);
    EXPECT_EQ(std::accumulate(after.begin(), after.end(), 0), 4 * 500);
    // The total is within the budget, so no eviction is needed even if one head holds more.
    for (std::size_t h = 0; h < 4; ++h)
        one.scores[h].assign(static_cast<std::size_t>(after[h]), 1.0F);
    EXPECT_FALSE(planEviction(std::as_const(*one.cache), one.scores, options)->plan.touched());

    UnequalCache other;
    options.skipLayers = {1};
    const auto skipped = planEviction(std::as_const(*other.cache), other.scores, options);
    ASSERT_TRUE(skipped);
    EXPECT_FALSE(skipped->plan.heads[2].touched());
    EXPECT_FALSE(skipped->plan.heads[3].touched());
    EXPECT_EQ(skipped->plan.heads[0].keep.count() + skipped->plan.heads[1].keep.count(), 1000);
}

TEST(SharedEviction, everyPolicy_sharesWithinALayer) {
    for (const EvictionPolicy policy :
         {EvictionPolicy::KeepLowNorm, EvictionPolicy::KeepHighNorm, EvictionPolicy::KeyDiff,
          EvictionPolicy::StreamingLLM, EvictionPolicy::Random}) {
        UnequalCache one;
        const EvictionPlan plan = planned(*one.cache, {.rule = {.budget = 400},
                                                       .policy = policy,
                                                       .budgets = EvictionBudgets::Adaptive,
                                                       .skipLayers = {}});
        for (const std::size_t layer : {0U, 2U})
            EXPECT_EQ(plan.plan.heads[layer].keep.count() + plan.plan.heads[layer + 1].keep.count(),
                      800);
    }
}

TEST(SharedEviction, nonFiniteKeys_areEvictedFirst_andTooManyAbort) {
    UnequalCache one;
    one.scores[3][1234] = std::numeric_limits<float>::quiet_NaN();
    const EvictionOptions options = byAttention(EvictionBudgets::WholeModel, 1999);
    const auto plan = planEviction(std::as_const(*one.cache), one.scores, options);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->badSlots, 1);
    EXPECT_FALSE(plan->plan.heads[3].keep.has(1234));
    for (std::size_t j = 100; j < 200; ++j)
        one.scores[2][j] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(planEviction(std::as_const(*one.cache), one.scores, options).error().code,
              ErrorCode::KvNonFinite);
}

}  // namespace
}  // namespace lacuna::test
