// Attention matching, retention and head profiles of a cache whose layers differ in KV heads and
// head sizes: each layer is planned as it would be alone.

#include <gtest/gtest.h>

#include <memory>

#include "../../support/temporary_folder.h"
#include "../kv/mixed_cache.h"
#include "engine/base/file.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/head_profile.h"
#include "engine/compress/matching/matching_budgets.h"
#include "engine/compress/matching/matching_plan.h"
#include "engine/compress/retention.h"
#include "engine/kv/eviction/layer_heads.h"

namespace lacuna::test {
namespace {

constexpr int kTokens = 160;
constexpr int kBudget = 60;

ReferenceQueries queriesOf(const MixedCase& of) {
    const KvShape& shape = of.cache->shape();
    ReferenceQueries queries(
        {shape.layers, kMixedQueryHeads, shape.kvHeads, shape.keyDim, shape.extents}, 3);
    of.observeAll(queries);
    return queries;
}

/// Losses whose largest is 1 in every layer, so that each layer alone has the same needs.
HeadProfile profileOf(const MixedCase& of) {
    const std::vector<std::vector<float>> losses{{1.0F, 0.2F}, {1.0F}, {}, {0.5F, 1.0F}};
    const KvShape& shape = of.cache->shape();
    HeadProfile profile{
        .layers = shape.layers, .kvHeads = shape.kvHeads, .layerHeads = layerHeadsOf(shape)};
    for (const int layer : of.holds)
        for (const float loss : losses[static_cast<std::size_t>(layer)])
            profile.loss.push_back(loss);
    return profile;
}

Result<MatchingPlan> matched(const MixedCase& of, HeadBudgets budgets,
                             std::vector<int> skipLayers = {}) {
    ThreadPool pool(2);
    const HeadProfile profile = profileOf(of);
    MatchingRequest request;
    request.seed = 3;
    request.targets.rule = {.budget = kBudget, .keepRecent = 8};
    request.targets.scale = kMixedScale;
    request.targets.budgets = budgets;
    request.targets.skipLayers = std::move(skipLayers);
    if (usesProfile(budgets)) request.targets.profile = &profile;
    if (budgets == HeadBudgets::Reconstruction) {
        ReconstructionObserver observer(*of.cache, kTokens, kMixedQueryHeads,
                                        {.scale = kMixedScale}, pool);
        of.observeAll(observer);
        request.targets.reconstruction =
            std::make_shared<const ReconstructionScores>(observer.take());
    }
    return planMatching(*of.cache, queriesOf(of), request, pool);
}

class MixedMatching : public ::testing::TestWithParam<HeadBudgets> {};

TEST_P(MixedMatching, everyLayer_isPlannedAsAlone) {
    const MixedCase whole = mixedCase(kTokens);
    for (const int layer : mixedLayersWithRows()) {
        std::vector<int> others{0, 1, 2, 3};
        std::erase(others, layer);
        const auto mixed = matched(whole, GetParam(), others);
        const auto alone = matched(aloneCase(layer, kTokens), GetParam());
        ASSERT_TRUE(mixed) << describe(mixed.error());
        ASSERT_TRUE(alone) << describe(alone.error());
        ASSERT_EQ(mixed->plan.heads.size(), 5U);
        EXPECT_TRUE(alone->plan.touched());
        EXPECT_EQ(partOf(mixed->plan, layer), alone->plan.heads) << "layer " << layer;
        EXPECT_DOUBLE_EQ(mixed->heldOutError, alone->heldOutError);
    }
}

TEST_P(MixedMatching, allLayersTogether_spendTheTotal) {
    const MixedCase whole = mixedCase(kTokens, 101);
    const auto plan = matched(whole, GetParam());
    ASSERT_TRUE(plan) << describe(plan.error());
    ASSERT_TRUE(whole.cache->compactable()->apply(plan->plan));
    int slots = 0;
    for (int i = 0; i < 5; ++i) {
        const KvHeadLocation place = whole.cache->shape().placeOf(i);
        slots += whole.cache->slots(place.layer, place.head);
    }
    EXPECT_EQ(slots, 5 * kBudget);
}

INSTANTIATE_TEST_SUITE_P(Budgets, MixedMatching,
                         ::testing::Values(HeadBudgets::Uniform, HeadBudgets::TaskFree,
                                           HeadBudgets::Entropy, HeadBudgets::Coverage,
                                           HeadBudgets::Reconstruction));

TEST(MixedMatching, queriesOfTheSecondReader_changeTheLayer_andNoOther) {
    const auto one = matched(mixedCase(kTokens, 101), HeadBudgets::Uniform);
    const auto other = matched(mixedCase(kTokens, 102), HeadBudgets::Uniform);
    const auto unread = matched(mixedCase(kTokens), HeadBudgets::Uniform);
    ASSERT_TRUE(one && other && unread);
    EXPECT_NE(partOf(one->plan, kReadTwice), partOf(other->plan, kReadTwice));
    EXPECT_NE(partOf(one->plan, kReadTwice), partOf(unread->plan, kReadTwice));
    for (const int layer : {0, 3}) {
        EXPECT_EQ(partOf(one->plan, layer), partOf(other->plan, layer)) << "layer " << layer;
        EXPECT_EQ(partOf(one->plan, layer), partOf(unread->plan, layer)) << "layer " << layer;
    }
}

TEST(MixedMatching, profileOfOtherHeads_isRefused) {
    const MixedCase of = mixedCase(kTokens);
    HeadProfile profile = profileOf(of);
    profile.layerHeads = {1, 2, 0, 2};
    ThreadPool pool(1);
    HeadTargetsRequest request;
    request.rule = {.budget = kBudget, .keepRecent = 8};
    request.budgets = HeadBudgets::TaskFree;
    request.profile = &profile;
    request.scale = kMixedScale;
    const auto targets = headTargets(*of.cache, queriesOf(of), request, pool);
    ASSERT_FALSE(targets);
    EXPECT_EQ(targets.error().code, ErrorCode::Unsupported);
}

TEST(ReferenceQueries, rowsThatTwoLayersRead_haveTheQueriesOfBoth) {
    const MixedCase of = mixedCase(kTokens, 101);
    const ReferenceQueries queries = queriesOf(of);
    EXPECT_EQ(queries.tokens(), kTokens);
    const auto owner = queriesOf(mixedCase(kTokens)).gather(LayerIndex(1), HeadIndex(0), 8);
    const auto both = queries.gather(LayerIndex(1), HeadIndex(0), 16);
    ASSERT_EQ(owner.size(), 8U * 16U) << "two tokens of four query heads";
    ASSERT_EQ(both.size(), 16U * 16U);
    for (std::size_t token = 0; token < 2; ++token)
        for (std::size_t i = 0; i < 4 * 16; ++i)
            EXPECT_EQ(both[token * 128 + i], owner[token * 64 + i]) << "the owner comes first";
    EXPECT_EQ(queries.gather(LayerIndex(3), HeadIndex(1), 8).size(), 8U * 8U);
}

TEST(ReferenceQueries, abandonedFirstPass_leavesNothing) {
    const MixedCase of = mixedCase(kTokens, 101);
    const KvShape& shape = of.cache->shape();
    ReferenceQueries queries({shape.layers, kMixedQueryHeads, 0, 0, shape.extents}, 3);
    const std::vector<float> rows(static_cast<std::size_t>(10 * kMixedQueryHeads * 16));
    queries.observeQueries(LayerIndex(0), {rows.data(), {10, kMixedQueryHeads, 8}}, Position(0));
    queries.observeQueries(LayerIndex(1), {rows.data(), {10, kMixedQueryHeads, 16}}, Position(0));
    EXPECT_EQ(queries.tokens(), 0);
    of.observe(queries, 0, 10);
    EXPECT_EQ(queries.tokens(), 10);
    ReferenceQueries straight({shape.layers, kMixedQueryHeads, 0, 0, shape.extents}, 3);
    of.observe(straight, 0, 10);
    for (const int layer : mixedLayersWithRows())
        EXPECT_EQ(queries.gather(LayerIndex(layer), HeadIndex(0), 80),
                  straight.gather(LayerIndex(layer), HeadIndex(0), 80));
}

TEST(MixedRetention, retention_countsTheHeadsOfEachLayer) {
    const MixedCase of = mixedCase(kTokens);
    const auto plan = matched(of, HeadBudgets::Uniform, {1});
    ASSERT_TRUE(plan) << describe(plan.error());
    ASSERT_TRUE(of.cache->compactable()->apply(plan->plan));
    const RetentionRow row = retention(*of.cache);
    EXPECT_EQ(row.layerHeads, (std::vector{2, 1, 0, 2}));
    EXPECT_EQ(row.slots, (std::vector<std::int32_t>{kBudget, kBudget, kTokens, kBudget, kBudget}));
    EXPECT_FLOAT_EQ(row.share[kTokens - 1], 1.0F) << "newest tokens stay in every head";
    const auto at = [&](int layer, int token) {
        return row.holders[static_cast<std::size_t>(layer * kTokens + token)];
    };
    EXPECT_EQ(at(0, kTokens - 1), 2);
    EXPECT_EQ(at(1, kTokens - 1), 1);
    EXPECT_EQ(at(2, kTokens - 1), 0);
    for (const int layer : {0, 3}) {
        const MixedCase alone = aloneCase(layer, kTokens);
        const auto own = matched(alone, HeadBudgets::Uniform);
        ASSERT_TRUE(own && alone.cache->compactable()->apply(own->plan));
        const RetentionRow expected = retention(*alone.cache);
        for (int token = 0; token < kTokens; ++token)
            ASSERT_EQ(at(layer, token), expected.holders[static_cast<std::size_t>(token)]);
    }
}

TEST(MixedHeadProfile, roundTrips_andFitsOnlyTheSameHeads) {
    const TemporaryFolder folder;
    const auto model = folder.path() / "mixed.gguf";
    HeadProfile profile = profileOf(mixedCase(8));
    profile.fingerprint = "abc";
    const OrderedJson json = headProfileJson(profile);
    EXPECT_EQ(json["kv_heads"], OrderedJson({2, 1, 0, 2}));
    ASSERT_TRUE(writeFileAtomically(headProfilePath(model, ProfileKind::TaskFree), dumpJson(json)));
    const auto loaded = loadHeadProfiles(model, {"abc", 4, 0, {2, 1, 0, 2}});
    ASSERT_TRUE(loaded) << describe(loaded.error());
    ASSERT_NE(loaded->taskFree, nullptr);
    EXPECT_EQ(*loaded->taskFree, profile);
    for (const ProfiledModel& other :
         {ProfiledModel{"abc", 4, 0, {1, 2, 0, 2}}, ProfiledModel{"abc", 4, 2, {}},
          ProfiledModel{"abc", 5, 0, {2, 1, 0, 2, 0}}}) {
        const auto refused = loadHeadProfiles(model, other);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::Incompatible);
    }
}

TEST(MixedHeadProfile, listOfAnotherLength_isRefused) {
    HeadProfile profile = profileOf(mixedCase(8));
    profile.layers = 5;
    const auto read = headProfileFromJson(Json::parse(dumpJson(headProfileJson(profile))));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::Config);
}

}  // namespace
}  // namespace lacuna::test
