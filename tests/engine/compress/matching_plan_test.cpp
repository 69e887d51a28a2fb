// A complete cache matched against captured queries, including keys that no captured query attends
// to.

#include "engine/compress/matching/matching_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "../kv/kv_fixture.h"
#include "attention_fixture.h"
#include "engine/compress/matching/slot_influence.h"

namespace lacuna::test {
namespace {

constexpr int kTokens = 400;
constexpr int kRare = 150;  // position of the single unusual key
constexpr int kDim = 16;
constexpr float kScale = 0.25F;
const KvShape kShape{
    .layers = 1, .kvHeads = 1, .keyDim = kDim, .valueDim = kDim, .type = DType::F32};

/// Returns a cache with keys around one direction and one perpendicular key with a value of its
/// own.
std::unique_ptr<KvCache> cacheWithRareKey(int tokens = kTokens) {
    auto cache = makeSlotCache(kShape).value();
    RandomStream random(31, 0);
    std::vector<float> keys;
    std::vector<float> values;
    for (int i = 0; i < tokens; ++i) {
        for (int d = 0; d < kDim; ++d) {
            const double usual = (d == 0 ? 4.0 : 0.0) + random.normal();
            const double rare = d == 1 ? 8.0 : 0.0;
            keys.push_back(static_cast<float>(i == kRare ? rare : usual));
            values.push_back(static_cast<float>(i == kRare ? 5.0 : random.normal()));
        }
    }
    EXPECT_TRUE(cache->beginAppend(tokens));
    cache->writeLayer(LayerIndex(0), {keys.data(), {tokens, 1, kDim}},
                      {values.data(), {tokens, 1, kDim}});
    cache->commitAppend();
    return cache;
}

/// Captures queries of two heads along the usual direction and away from the rare key.
void captureUsualQueries(ReferenceQueries& queries, int tokens = kTokens) {
    RandomStream random(32, 0);
    std::vector<float> rows;
    for (int i = 0; i < tokens * 2; ++i)
        for (int d = 0; d < kDim; ++d)
            rows.push_back(static_cast<float>((d == 0   ? 2.0
                                               : d == 1 ? -2.0
                                                        : 0.0) +
                                              random.normal()));
    queries.observeQueries(LayerIndex(0), {rows.data(), {tokens, 2, kDim}}, Position(0));
}

/// Returns the first number of the output for a query that matches only the rare key.
double answerForRareKey(const KvCache& cache) {
    const KvHeadView view = cache.head(LayerIndex(0), HeadIndex(0));
    const auto numbers = static_cast<std::ptrdiff_t>(view.slots) * kDim;
    const auto* keys = reinterpret_cast<const float*>(view.keys);
    const auto* values = reinterpret_cast<const float*>(view.values);
    PlainHead head{.keys = {keys, keys + numbers},
                   .values = {values, values + numbers},
                   .bias = {},
                   .keyDim = kDim,
                   .valueDim = kDim};
    head.bias.assign(static_cast<std::size_t>(view.slots), 0.0F);
    if (view.bias != nullptr) head.bias.assign(view.bias, view.bias + view.slots);
    std::vector<float> query(kDim, 0.0F);
    query[1] = 8.0F;
    return attend(head, query.data(), static_cast<double>(kScale)).output[0];
}

/// Returns that output after a compaction to an eighth with these options.
double answerAfter(const HeadMatching& matching) {
    auto cache = cacheWithRareKey();
    ReferenceQueries queries({.layers = 1, .heads = 2, .kvHeads = 1, .keyDim = kDim}, 3);
    captureUsualQueries(queries);
    ThreadPool pool(1);
    MatchingRequest request;
    request.seed = 3;
    request.distant = matching;
    request.targets.rule = {.budget = kTokens / 8, .keepRecent = 8};
    request.targets.scale = kScale;
    const auto plan = planMatching(*cache, queries, request, pool);
    EXPECT_TRUE(plan) << describe(plan.error());
    EXPECT_TRUE(cache->compactable()->apply(plan->plan));
    EXPECT_EQ(cache->slots(LayerIndex(0), HeadIndex(0)), kTokens / 8);
    return answerForRareKey(*cache);
}

TEST(MatchingPlan, rareKeyWithoutQueries_isKept) {
    const double whole = answerForRareKey(*cacheWithRareKey());
    EXPECT_GT(whole, 4.5) << "the uncompacted head does answer";
    EXPECT_NEAR(answerAfter(distantMatching()), whole, 0.5);
}

TEST(MatchingPlan, longSpan_isFittedToFewerQueries_andKeepsTheRareKey) {
    constexpr int kLong = 4400;
    auto cache = cacheWithRareKey(kLong);
    const double whole = answerForRareKey(*cache);
    EXPECT_GT(whole, 4.5) << "the uncompacted head does answer";
    ReferenceQueries queries({.layers = 1, .heads = 2, .kvHeads = 1, .keyDim = kDim}, 3);
    captureUsualQueries(queries, kLong);
    ThreadPool pool(1);
    MatchingRequest request;
    request.targets.rule = {.budget = kLong / 32, .keepRecent = 8};
    request.targets.scale = kScale;
    request.seed = 3;
    const auto plan = planMatching(*cache, queries, request, pool);
    ASSERT_TRUE(plan) << describe(plan.error());
    EXPECT_EQ(plan->queriesPerHead, 320) << "256 captured ones and 64 probes";
    ASSERT_TRUE(cache->compactable()->apply(plan->plan));
    ASSERT_EQ(cache->slots(LayerIndex(0), HeadIndex(0)), kLong / 32);
    EXPECT_NEAR(answerForRareKey(*cache), whole, 0.5);
}

TEST(MatchingPlan, onlyCapturedQueries_loseTheRareKey) {
    // The captured queries give this key no attention, which is why a plan adds probes and prefers
    // distinct keys.
    auto cache = cacheWithRareKey();
    ReferenceQueries queries({.layers = 1, .heads = 2, .kvHeads = 1, .keyDim = kDim}, 3);
    captureUsualQueries(queries);
    const std::vector<float> rows = queries.gather(LayerIndex(0), HeadIndex(0), 1 << 20);
    HeadSpan span;
    span.head = cache->head(LayerIndex(0), HeadIndex(0));
    span.keyDim = kDim;
    span.valueDim = kDim;
    span.last = kTokens;
    span.scale = kScale;
    span.queries = {rows.data(), {static_cast<std::int64_t>(rows.size()) / kDim, kDim}};
    MatchingOptions options;
    options.selector = KeySelector::HighestRms;
    const auto matched = matchHead(span, kTokens / 8, options);
    ASSERT_TRUE(matched);
    ASSERT_EQ(matched->keep.size(), static_cast<std::size_t>(kTokens / 8));
    EXPECT_EQ(std::count(matched->keep.begin(), matched->keep.end(), kRare), 0);
}

TEST(MatchingPlan, headAtItsTarget_isUnchanged) {
    auto cache = cacheWithRareKey();
    ReferenceQueries queries({.layers = 1, .heads = 2, .kvHeads = 1, .keyDim = kDim}, 3);
    captureUsualQueries(queries);
    ThreadPool pool(1);
    MatchingRequest request;
    request.targets.rule = {.budget = kTokens};
    request.targets.scale = kScale;
    const auto plan = planMatching(*cache, queries, request, pool);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->heads.fitted, 0);
    EXPECT_FALSE(plan->plan.heads[0].touched());
}

/// Four heads in two layers whose keys serve as values, and queries of all of them.
struct SmallModel {
    static constexpr int kSlots = 160;
    std::unique_ptr<KvCache> cache;
    ReferenceQueries queries{{.layers = 2, .heads = 4, .kvHeads = 2, .keyDim = kDim}, 3};

    /// The values of head `loud` are ten times as long; -1 = of no head.
    explicit SmallModel(int loud = -1) {
        KvShape shape = kShape;
        shape.layers = 2;
        shape.kvHeads = 2;
        cache = makeSlotCache(shape).value();
        EXPECT_TRUE(cache->beginAppend(kSlots));
        for (int layer = 0; layer < 2; ++layer) {
            const std::vector<float> keys = noise(layer, 2);
            std::vector<float> values = keys;
            for (std::size_t i = 0; i < values.size(); ++i)
                if (2 * layer + static_cast<int>(i / kDim % 2) == loud) values[i] *= 10;
            cache->writeLayer(LayerIndex(layer), {keys.data(), {kSlots, 2, kDim}},
                              {values.data(), {kSlots, 2, kDim}});
            const std::vector<float> asked = noise(7 + layer, 4);
            queries.observeQueries(LayerIndex(layer), {asked.data(), {kSlots, 4, kDim}},
                                   Position(0));
        }
        cache->commitAppend();
    }
    [[nodiscard]] static std::vector<float> noise(int stream, int heads) {
        RandomStream random(33, static_cast<std::uint64_t>(stream));
        std::vector<float> rows(static_cast<std::size_t>(kSlots * heads * kDim));
        for (float& x : rows) x = static_cast<float>(random.normal());
        return rows;
    }
    [[nodiscard]] std::vector<int> slotsAfter(HeadTargetsRequest targets) {
        targets.scale = kScale;
        ThreadPool pool(1);
        const auto plan = planMatching(*cache, queries, {.targets = targets, .seed = 3}, pool);
        EXPECT_TRUE(plan) << describe(plan.error());
        EXPECT_TRUE(cache->compactable()->apply(plan->plan));
        std::vector<int> slots;
        for (int i = 0; i < 4; ++i)
            slots.push_back(cache->slots(LayerIndex(i / 2), HeadIndex(i % 2)));
        return slots;
    }
};

const SelectionRule kQuarter{.budget = SmallModel::kSlots / 4, .keepRecent = 8, .nSink = 4};

TEST(MatchingPlan, profile_keepsTheSensitiveHeadInFull_withinTheSameTotal) {
    const HeadProfile profile{.layers = 2, .kvHeads = 2, .loss = {0, 0.001F, 5, 0}};
    SmallModel model;
    const std::vector<int> slots =
        model.slotsAfter({.rule = kQuarter, .budgets = HeadBudgets::TaskFree, .profile = &profile});
    EXPECT_EQ(slots[2], SmallModel::kSlots - 3 * (12 + 8)) << "all but what the others must keep";
    EXPECT_EQ(slots[0] + slots[1] + slots[2] + slots[3], SmallModel::kSlots);
}

TEST(MatchingPlan, everyHeadBudget_sumsToTheTotal) {
    const HeadProfile profile{.layers = 2, .kvHeads = 2, .loss = {0.1F, 0.2F, 0.3F, 0.4F}};
    for (const HeadBudgets budgets :
         {HeadBudgets::Auto, HeadBudgets::Uniform, HeadBudgets::Entropy, HeadBudgets::Coverage,
          HeadBudgets::TaskFree, HeadBudgets::Questions}) {
        SmallModel model;
        const std::vector<int> slots =
            model.slotsAfter({.rule = kQuarter, .budgets = budgets, .profile = &profile});
        EXPECT_EQ(slots[0] + slots[1] + slots[2] + slots[3], SmallModel::kSlots)
            << static_cast<int>(budgets);
    }
}

/// Returns scores of a repetition in which head `wide` attends to everything and the others to six
/// tokens.
std::shared_ptr<const ReconstructionScores> repetition(std::size_t wide) {
    ReconstructionScores scores{
        .layers = 2, .kvHeads = 2, .tokens = SmallModel::kSlots, .shares = {}, .pieces = 1};
    for (std::size_t head = 0; head < 4; ++head)
        for (int j = 0; j < SmallModel::kSlots; ++j)
            scores.shares.push_back(head == wide || (j >= 50 && j < 56)
                                        ? 0.5F + 0.001F * static_cast<float>(j)
                                        : 0.001F);
    return std::make_shared<const ReconstructionScores>(std::move(scores));
}

TEST(MatchingPlan, reconstruction_givesAHeadItsShareOfTheTopScores) {
    SmallModel model;
    const std::vector<int> slots = model.slotsAfter({.rule = kQuarter,
                                                     .budgets = HeadBudgets::Reconstruction,
                                                     .reconstruction = repetition(1)});
    EXPECT_EQ(slots[0] + slots[1] + slots[2] + slots[3], SmallModel::kSlots);
    // 112 of the 160 slots are not reserved. 18 of them are the best of the three other heads,
    // whose floors of eight free slots round this up.
    EXPECT_EQ(slots[1], SmallModel::kSlots - 3 * (12 + 8));
    EXPECT_EQ(slots[0], 12 + 8);
}

/// Reference implementation of the value length of a head.
double valueLength(const KvHeadView& head, int slot) {
    const auto* value = reinterpret_cast<const float*>(head.values) + slot * kDim;
    double square = 0;
    for (int d = 0; d < kDim; ++d) square += double{value[d]} * double{value[d]};
    return std::sqrt(square);
}

TEST(MatchingPlan, reconstructionWithEqualShares_favoursTheHeadWithLongValues) {
    const auto even = std::make_shared<const ReconstructionScores>(
        ReconstructionScores{.layers = 2,
                             .kvHeads = 2,
                             .tokens = SmallModel::kSlots,
                             .shares = std::vector<float>(4 * SmallModel::kSlots, 0.1F),
                             .pieces = 1});
    SmallModel model(2);
    const SlotScores influence = slotInfluence(*model.cache, *even, LayerIndex(1), HeadIndex(0));
    const KvHeadView head = model.cache->head(LayerIndex(1), HeadIndex(0));
    ASSERT_EQ(std::ssize(influence), SmallModel::kSlots);
    for (int slot = 0; slot < SmallModel::kSlots; ++slot)
        EXPECT_NEAR(static_cast<double>(influence[static_cast<std::size_t>(slot)]),
                    0.1 * valueLength(head, slot), 1e-4);
    const std::vector<int> slots = model.slotsAfter(
        {.rule = kQuarter, .budgets = HeadBudgets::Reconstruction, .reconstruction = even});
    EXPECT_EQ(slots[2], SmallModel::kSlots - 3 * (12 + 8)) << "all but what the others must keep";
    EXPECT_EQ(slots[0] + slots[1] + slots[2] + slots[3], SmallModel::kSlots);
}

// Half of the unprotected slots of a head hold the rows with the most influence on a repetition,
// bit for bit. The fit covers the rest.
TEST(MatchingPlan, reconstruction_keepsHalfOfTheFreeSlotsVerbatim) {
    SmallModel model;
    ThreadPool pool(1);
    const auto plan = planMatching(*model.cache, model.queries,
                                   {.targets = {.rule = kQuarter,
                                                .budgets = HeadBudgets::Reconstruction,
                                                .scale = kScale,
                                                .reconstruction = repetition(1)}},
                                   pool);
    ASSERT_TRUE(plan) << describe(plan.error());
    EXPECT_EQ(plan->heads.fitted, 4);
    const KvHeadView head = model.cache->head(LayerIndex(0), HeadIndex(1));
    const auto* values = reinterpret_cast<const float*>(head.values);
    const HeadCompaction& widest = plan->plan.heads[1];
    const int free = SmallModel::kSlots - 3 * (12 + 8) - kQuarter.nSink - kQuarter.keepRecent;
    const int newest = SmallModel::kSlots - kQuarter.keepRecent;
    std::vector<int> order;
    for (int slot = kQuarter.nSink; slot < newest; ++slot) order.push_back(slot);
    std::ranges::sort(order, std::greater<>(),
                      [&](int slot) { return (0.5 + 0.001 * slot) * valueLength(head, slot); });
    order.resize(static_cast<std::size_t>(free / 2));
    int same = 0;
    std::size_t kept = 0;
    for (int slot = 0; slot < SmallModel::kSlots; ++slot) {
        const bool stays = slot < kQuarter.nSink || slot >= newest ||
                           std::ranges::find(order, slot) != order.end();
        ASSERT_TRUE(widest.keep.has(slot) || !stays) << slot;
        if (!widest.keep.has(slot)) continue;
        bool asItWas = widest.bias[kept] == 0;
        for (int d = 0; d < kDim; ++d)
            asItWas = asItWas && widest.values[kept * kDim + static_cast<std::size_t>(d)] ==
                                     values[slot * kDim + d];
        EXPECT_TRUE(asItWas || !stays) << slot;
        same += asItWas ? 1 : 0;
        ++kept;
    }
    EXPECT_LT(same, static_cast<int>(kept) - free / 4) << "the rest was fitted";
    // Heads with less attention keep the tokens they attend to: half of eight slots.
    for (const int other : {0, 2, 3}) {
        int looked = 0;
        for (int slot = 50; slot < 56; ++slot)
            looked += plan->plan.heads[static_cast<std::size_t>(other)].keep.has(slot) ? 1 : 0;
        EXPECT_GE(looked, 4) << other;
    }
}

// The repetition attends to head 1 most, whereas the profile prefers head 2.
TEST(MatchingPlan, reconstructionWithProfile_averagesBoth) {
    const HeadProfile profile{.layers = 2, .kvHeads = 2, .loss = {0, 0, 1, 0}};
    const HeadTargetsRequest byText{
        .rule = kQuarter, .budgets = HeadBudgets::Reconstruction, .reconstruction = repetition(1)};
    const HeadTargetsRequest byModel{
        .rule = kQuarter, .budgets = HeadBudgets::TaskFree, .profile = &profile};
    HeadTargetsRequest both = byText;
    both.profile = &profile;
    const auto one = SmallModel().slotsAfter(byText);
    const auto other = SmallModel().slotsAfter(byModel);
    const auto mean = SmallModel().slotsAfter(both);
    EXPECT_GT(one[1], one[2]);
    EXPECT_GT(other[2], other[1]);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(mean[i], (one[i] + other[i]) / 2.0, 0.5) << i;
}

TEST(MatchingPlan, reconstructionWithoutRepetition_returnsAnError) {
    SmallModel model;
    ThreadPool pool(1);
    HeadTargetsRequest targets{
        .rule = kQuarter, .budgets = HeadBudgets::Reconstruction, .scale = kScale};
    EXPECT_EQ(planMatching(*model.cache, model.queries, {.targets = targets}, pool).error().code,
              ErrorCode::Unsupported);
    ReconstructionScores other = *repetition(1);
    other.kvHeads = 1;
    targets.reconstruction = std::make_shared<const ReconstructionScores>(std::move(other));
    EXPECT_EQ(planMatching(*model.cache, model.queries, {.targets = targets}, pool).error().code,
              ErrorCode::Unsupported);
}

TEST(MatchingPlan, skippedLayer_staysUncompacted_outsideTheBudget) {
    SmallModel model;
    const std::vector<int> slots =
        model.slotsAfter({.rule = kQuarter, .budgets = HeadBudgets::Coverage, .skipLayers = {1}});
    EXPECT_EQ(slots[0] + slots[1], SmallModel::kSlots / 2);
    EXPECT_EQ(slots[2], SmallModel::kSlots);
    EXPECT_EQ(slots[3], SmallModel::kSlots);
}

TEST(MatchingPlan, missingProfile_isReportedWithTheCommandToMeasureIt) {
    SmallModel model;
    ThreadPool pool(1);
    const auto plan = planMatching(
        *model.cache, model.queries,
        {.targets = {.rule = kQuarter, .budgets = HeadBudgets::Questions, .scale = kScale}}, pool);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, ErrorCode::Unsupported);
    EXPECT_NE(plan.error().what.find("calibrate-kv"), std::string::npos);
}

TEST(MatchingPlan, budgetBelowProtectedSlots_isRefusedWithBothNumbers) {
    SmallModel model;
    ThreadPool pool(1);
    const auto plan = planMatching(
        *model.cache, model.queries,
        {.targets = {.rule = {.budget = 12, .keepRecent = 8, .nSink = 4}, .scale = kScale}}, pool);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, ErrorCode::Range);
    EXPECT_NE(plan.error().what.find("n_sink 4"), std::string::npos) << plan.error().what;
}

}  // namespace
}  // namespace lacuna::test
