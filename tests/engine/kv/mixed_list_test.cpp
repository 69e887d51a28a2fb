// Lists whose layers differ in KV heads and head sizes, and of which some store no rows, against a
// model that only knows which tokens each head holds. The row of a token depends on its layer and
// head, so a confused index shows.

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "engine/base/random.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/layer_bits.h"
#include "engine/kv/layer_layout.h"
#include "engine/kv/row_recoding.h"
#include "engine/kv/state_words.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

constexpr int kWindow = 16;

/// Two layers of two heads, between them one of a single longer head, and two without rows.
KvShape mixedShape(DType type = DType::F16) {
    return {.layers = 5, .type = type, .extents = {{2, 32, 64}, {1, 64, 32}, {}, {2, 32, 64}, {}}};
}

/// The first layer has a window, and so has one without rows.
std::vector<LayerPlan> mixedPlans(KvQuant keys = {}, KvQuant values = {}) {
    std::vector<LayerPlan> plans(5, {.window = {}, .keyQuant = keys, .valueQuant = values});
    plans[0].window = plans[2].window = WindowRule{kWindow, 0};
    return plans;
}

std::unique_ptr<KvCache> mixedList() {
    return makeCacheList(mixedShape(), mixedPlans()).value();
}

/// Positions of the tokens that each head holds, by KvShape::headIndex. Those of the first layer,
/// which has a window, are only the newest ones for certain.
struct HeldTokens {
    std::vector<std::vector<std::int32_t>> heads = std::vector<std::vector<std::int32_t>>(5);
    int tokens = 0;

    void append(int count) {
        for (auto& head : heads)
            for (int i = 0; i < count; ++i) head.push_back(tokens + i);
        tokens += count;
    }
    void rollback(int count) {
        tokens -= count;
        for (auto& head : heads) std::erase_if(head, [&](std::int32_t at) { return at >= tokens; });
    }
};

void expectHolds(const KvCache& cache, const HeldTokens& held) {
    cache.checkInvariants();
    ASSERT_EQ(cache.offset().value, held.tokens);
    ASSERT_TRUE(holdsItsTokens(cache));
    for (int i = 0; i < 5; ++i) {
        const KvHeadLocation at = cache.shape().placeOf(i);
        auto found = tokensOf(cache, at.layer.value, at.head.value);
        std::ranges::sort(found);
        if (at.layer.value == 0) {
            const int slots = static_cast<int>(found.size());
            ASSERT_GE(slots, std::min(held.tokens, kWindow));
            ASSERT_EQ(found, range(held.tokens - slots, held.tokens)) << "head " << i;
            continue;
        }
        ASSERT_EQ(found, held.heads[static_cast<std::size_t>(i)]) << "head " << i;
    }
}

/// Returns a plan that drops other slots in each of these heads and leaves the newest four.
CompactionPlan dropping(const KvCache& cache, const std::vector<int>& heads, HeldTokens& held,
                        RandomStream& random) {
    CompactionPlan plan;
    plan.heads.resize(5);
    plan.verbatim = 4;
    for (const int head : heads) {
        const KvHeadLocation at = cache.shape().placeOf(head);
        const auto tokens = tokensOf(cache, at.layer.value, at.head.value);
        const int slots = cache.head(at.layer, at.head).slots;
        std::vector<std::int32_t> keep;
        std::vector<std::int32_t> stay;
        for (int slot = 0; slot < slots; ++slot) {
            const std::int32_t token = tokens[static_cast<std::size_t>(slot)];
            if (token < held.tokens - 4 && random.uniform() < 0.3) continue;
            keep.push_back(slot);
            stay.push_back(token);
        }
        if (keep.empty()) continue;
        std::ranges::sort(stay);
        plan.heads[static_cast<std::size_t>(head)].keep = {slots, keep};
        held.heads[static_cast<std::size_t>(head)] = stay;
    }
    return plan;
}

TEST(MixedList, headIndex_countsTheHeadsOfEarlierLayers) {
    const KvShape shape = mixedShape();
    EXPECT_EQ(shape.headCount(), 5);
    EXPECT_EQ(shape.headIndex(LayerIndex(1), HeadIndex(0)), 2);
    EXPECT_EQ(shape.headIndex(LayerIndex(3), HeadIndex(1)), 4);
    EXPECT_EQ(shape.placeOf(3).layer, LayerIndex(3));
    EXPECT_EQ(shape.placeOf(3).head, HeadIndex(0));
}

TEST(MixedList, layout_separatesExtents_andLeavesOutLayersWithoutRows) {
    const auto alike = layoutOf(mixedShape(), std::vector<LayerPlan>(5)).value();
    EXPECT_EQ(alike.part, (std::vector<int>{0, 1, -1, 0, -1}));
    EXPECT_EQ(alike.inner, (std::vector<int>{0, 0, -1, 1, -1}));
    const KvShape part = partShape(mixedShape(), alike.distinct[1], alike.owners[1]);
    EXPECT_TRUE(part.uniform());
    EXPECT_EQ(part.extent(LayerIndex(0)), (KvExtent{1, 64, 32}));
    const auto windows = layoutOf(mixedShape(), mixedPlans()).value();
    EXPECT_EQ(windows.part, (std::vector<int>{0, 1, -1, 2, -1}));
    KvShape few = mixedShape();
    few.extents.pop_back();
    EXPECT_EQ(layoutOf(few, mixedPlans()).error().code, ErrorCode::InvalidArgument);
    KvShape none = mixedShape();
    none.extents.assign(5, {});
    EXPECT_EQ(makeCacheList(none, mixedPlans()).error().code, ErrorCode::InvalidArgument);
}

TEST(MixedList, estimate_sumsTheLayers) {
    const std::int64_t pair = 2LL * (32 + 64) * 2;
    const std::int64_t single = (64LL + 32) * 2;
    EXPECT_EQ(estimateBytes(mixedShape(), mixedPlans(), 100),
              kWindow * pair + 100 * single + 100 * pair);
}

TEST(MixedList, anyCourseOfOperations_leavesTheTokensOfTheModel) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(seed);
        RandomStream random(seed, 77);
        const auto below = [&random](int limit) {
            return std::min(static_cast<int>(random.uniform() * limit), limit - 1);
        };
        auto cache = mixedList();
        HeldTokens held;
        for (int step = 0; step < 40; ++step) {
            switch (below(7)) {
                case 0:
                case 1: {
                    const int count = 1 + below(20);
                    ASSERT_TRUE(append(*cache, count));
                    held.append(count);
                    break;
                }
                case 2: {
                    const int limit = std::min(cache->capabilities().rollbackLimit, held.tokens);
                    const int count = below(limit + 1);
                    ASSERT_TRUE(cache->rollback(count));
                    held.rollback(count);
                    break;
                }
                case 3: {
                    if (held.tokens < 8) break;
                    const std::vector<std::vector<int>> choices{{2}, {3, 4}, {2, 4}, {2, 3, 4}};
                    const auto& heads = choices[static_cast<std::size_t>(below(4))];
                    const auto plan = dropping(*cache, heads, held, random);
                    ASSERT_TRUE(cache->compactable()->apply(plan));
                    break;
                }
                case 4:
                    cache = cache->clone().value();
                    break;
                case 5: {
                    // The original changes afterwards, the twin must not.
                    auto twin = cache->share().value();
                    ASSERT_TRUE(append(*cache, 3));
                    cache = std::move(twin);
                    break;
                }
                default:
                    cache = loadCacheList(cache->save().value(), mixedPlans()).value();
            }
            ASSERT_NO_FATAL_FAILURE(expectHolds(*cache, held));
        }
    }
}

TEST(MixedList, planForALayerWithAWindow_orOfAnotherLength_isRefused) {
    auto cache = mixedList();
    ASSERT_TRUE(append(*cache, 12));
    CompactionPlan plan;
    plan.heads.resize(5);
    plan.heads[1].keep = {12, range(4, 12)};
    EXPECT_EQ(cache->compactable()->apply(plan).error().code, ErrorCode::Unsupported);
    plan.heads.resize(10);
    EXPECT_EQ(cache->compactable()->apply(plan).error().code, ErrorCode::InvalidArgument);
}

TEST(MixedList, compactionThatFailsInOnePart_changesNone) {
    CountingAllocator memory;
    auto cache = makeCacheList(mixedShape(), mixedPlans(), memory).value();
    ASSERT_TRUE(append(*cache, 60));
    const std::string before = cache->save().value();
    CompactionPlan plan;
    plan.heads.resize(5);
    plan.heads[2].keep = {60, range(20, 60)};
    plan.heads[4].keep = {59, range(20, 59)};  // this head has 60 slots
    EXPECT_EQ(cache->compactable()->apply(plan).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(cache->save().value(), before);
    plan.heads[4].keep = {60, range(30, 60)};
    int allowed = 0;
    for (;; ++allowed) {
        memory.failAfter = allowed;
        const Status status = cache->compactable()->apply(plan);
        memory.failAfter = -1;
        if (status) break;
        ASSERT_EQ(status.error().code, ErrorCode::NoMemory);
        ASSERT_EQ(cache->save().value(), before) << allowed;
        ASSERT_LT(allowed, 100);
    }
    EXPECT_GE(allowed, 6) << "keys, values and positions of two heads";
    EXPECT_EQ(cache->slots(LayerIndex(1), HeadIndex(0)), 40);
    EXPECT_EQ(cache->slots(LayerIndex(3), HeadIndex(0)), 60);
    EXPECT_EQ(cache->slots(LayerIndex(3), HeadIndex(1)), 30);
    ASSERT_TRUE(append(*cache, 5));
    EXPECT_TRUE(holdsItsTokens(*cache));
}

TEST(MixedList, adoptedSnapshot_equalsImmediateCompaction_inAllParts) {
    for (const std::vector<int>& heads : {std::vector<int>{2}, {3, 4}, {2, 3, 4}}) {
        auto cache = mixedList();
        auto atOnce = mixedList();
        HeldTokens held;
        held.append(90);
        for (KvCache* one : {cache.get(), atOnce.get()}) ASSERT_TRUE(append(*one, 90));
        const auto twin = cache->snapshots()->snapshot().value();
        HeldTokens same = held;
        RandomStream random(4, 4);
        const auto plan = dropping(*cache, heads, held, random);
        ASSERT_TRUE(twin->compactable()->apply(plan));
        ASSERT_NO_FATAL_FAILURE(expectHolds(*cache, same)) << "the original is unchanged";
        ASSERT_TRUE(atOnce->compactable()->apply(plan));
        for (const int more : {30, 3}) {
            for (KvCache* one : {cache.get(), atOnce.get()}) ASSERT_TRUE(append(*one, more));
            held.append(more);
            ASSERT_TRUE(twin->snapshots()->follow(*cache));
        }
        ASSERT_TRUE(cache->snapshots()->checkAdopt(*twin));
        ASSERT_TRUE(cache->snapshots()->adopt(*twin));
        ASSERT_NO_FATAL_FAILURE(expectHolds(*cache, held));
        ASSERT_NO_FATAL_FAILURE(expectHolds(*atOnce, held));
        ASSERT_TRUE(append(*cache, 5));
        held.append(5);
        ASSERT_NO_FATAL_FAILURE(expectHolds(*cache, held));
    }
}

TEST(MixedList, snapshotOfWhichOnePartIsOutdated_isAdoptedInNone) {
    // Heads that the snapshot compacts, and the one that the original compacts meanwhile.
    const std::vector<std::pair<std::vector<int>, int>> cases{
        {{4}, 2}, {{2}, 4}, {{2, 4}, 2}, {{2, 4}, 4}};
    for (const auto& [heads, outdated] : cases) {
        auto cache = mixedList();
        HeldTokens held;
        held.append(90);
        ASSERT_TRUE(append(*cache, 90));
        const auto twin = cache->snapshots()->snapshot().value();
        HeldTokens compacted = held;
        RandomStream random(5, 5);
        ASSERT_TRUE(twin->compactable()->apply(dropping(*twin, heads, compacted, random)));
        ASSERT_TRUE(cache->compactable()->apply(dropping(*cache, {outdated}, held, random)));
        EXPECT_EQ(cache->snapshots()->adopt(*twin).error().code, ErrorCode::Incompatible);
        ASSERT_NO_FATAL_FAILURE(expectHolds(*cache, held));
    }
    auto cache = mixedList();
    ASSERT_TRUE(append(*cache, 20));
    const auto untouched = cache->snapshots()->snapshot().value();
    EXPECT_EQ(cache->snapshots()->adopt(*untouched).error().code, ErrorCode::Incompatible);
}

TEST(MixedList, savedState_namesTheExtents_andThatOfEqualLayersStaysVersion1) {
    auto cache = mixedList();
    ASSERT_TRUE(append(*cache, 40));
    const std::string bytes = cache->save().value();
    const auto version = [](const std::string& saved) { return static_cast<int>(saved[8]); };
    EXPECT_EQ(version(bytes), 2);
    auto loaded = loadCacheList(bytes, mixedPlans()).value();
    EXPECT_EQ(loaded->shape(), cache->shape());
    EXPECT_EQ(loaded->save().value(), bytes);
    const KvShape equal{.layers = 5, .kvHeads = 2, .keyDim = 32, .valueDim = 64};
    auto uniform = makeCacheList(equal, mixedPlans()).value();
    ASSERT_TRUE(append(*uniform, 40));
    EXPECT_EQ(version(uniform->save().value()), 1);
    KvChoice other{.shape = mixedShape(), .window = {}, .layers = mixedPlans()};
    EXPECT_TRUE(loadCacheFor(bytes, other));
    other.shape.extents[1] = {1, 64, 64};
    const auto refused = loadCacheFor(bytes, other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Incompatible);
    EXPECT_NE(refused.error().what.find("layer 1"), std::string::npos) << refused.error().what;
}

TEST(MixedList, stateThatEndsWithinTheExtents_orContradictsThem_isCorrupt) {
    auto cache = mixedList();
    ASSERT_TRUE(append(*cache, 4));
    const std::string bytes = cache->save().value();
    const auto refusal = [](std::string state) {
        sealState(state);
        return loadCacheList(state, mixedPlans()).error().code;
    };
    constexpr std::size_t kHeader = 8 + 4 + 5 * 4 + 5 * 3 * 4;
    for (std::size_t size = 12; size <= kHeader; size += 4)
        EXPECT_EQ(refusal(bytes.substr(0, size)), ErrorCode::Corrupt) << size;
    std::string both = bytes.substr(0, bytes.size() - sizeof(std::uint64_t));
    both[8 + 4 + 2 * 4] = 2;  // KV heads of all layers
    EXPECT_EQ(refusal(both), ErrorCode::Corrupt);
}

TEST(MixedList, recodedRows_areThoseOfEachLayer) {
    for (const KvQuant quant : {KvQuant{8, 32}, KvQuant{4, 32}, KvQuant{4, 0}}) {
        SCOPED_TRACE(quant.bits);
        ThreadPool pool(2);
        const KvShape shape = mixedShape(DType::F32);
        auto cache = makeCacheList(shape, mixedPlans()).value();
        ASSERT_TRUE(append(*cache, 49));
        ASSERT_TRUE(append(*cache, 1));  // the window now holds no more than it must
        KvChoice wanted{.shape = shape, .window = {}, .layers = mixedPlans(quant, quant)};
        wanted.shape.keyQuant = wanted.shape.valueQuant = quant;
        const std::int64_t expected = recodedBytes(*cache, wanted.shape);
        auto recoding = RowRecoding::begin(*cache, wanted, {}).value();
        while (!recoding->advance(*cache, {.rows = 17, .kept = 50}, pool).value()) continue;
        auto made = recoding->take(*cache).value();
        EXPECT_TRUE(matchesChoice(*made, wanted));
        made->checkInvariants();
        EXPECT_TRUE(holdsItsTokens(*made));
        EXPECT_EQ(made->slots(LayerIndex(1), HeadIndex(0)), 50);
        EXPECT_EQ(made->slots(LayerIndex(0), HeadIndex(1)), kWindow);
        const std::int64_t positions = kWindow * std::int64_t{sizeof(std::int32_t)};
        EXPECT_EQ(made->stats().liveBytes, expected + positions);
        int blocks = 1;
        while (recoding->release(1)) ++blocks;
        EXPECT_EQ(blocks, 3) << "the heads of both parts without a window";
        ASSERT_TRUE(append(*made, 7));
        EXPECT_TRUE(holdsItsTokens(*made));
        auto loaded = loadCacheFor(made->save().value(), wanted);
        ASSERT_TRUE(loaded) << loaded.error().what;
        EXPECT_TRUE(holdsItsTokens(**loaded));
    }
}

TEST(MixedList, recodingToOtherExtents_isRefused) {
    auto cache = mixedList();
    KvChoice wanted{.shape = mixedShape(), .window = {}, .layers = mixedPlans({8, 32}, {8, 32})};
    wanted.shape.extents[3] = {1, 32, 64};
    EXPECT_EQ(RowRecoding::begin(*cache, wanted, {}).error().code, ErrorCode::Incompatible);
}

CacheModel mixedModel() {
    CacheModel model;
    model.layers = 5;
    model.extents = {{2, 32, 32}, {1, 64, 64}, {}, {2, 32, 32}, {}};
    model.windows = {kWindow, 0, kWindow, kWindow, 0};
    return model;
}

TEST(MixedList, modelWhoseLayersDiffer_getsAList_alsoWithUniformLayerCaches) {
    for (const LayerCaches caches : {LayerCaches::Auto, LayerCaches::Uniform}) {
        KvOptions options;
        options.layerCaches = caches;
        const KvChoice choice = cacheChoice(mixedModel(), options);
        EXPECT_EQ(choice.shape.extents, mixedModel().extents);
        ASSERT_EQ(choice.layers.size(), 5U);
        EXPECT_EQ(choice.layers[0].window.has_value(), caches == LayerCaches::Auto);
        auto cache = makeCacheFor(mixedModel(), options).value();
        ASSERT_TRUE(append(*cache, 40));
        EXPECT_TRUE(holdsItsTokens(*cache));
        EXPECT_TRUE(matchesChoice(*cache, choice));
        EXPECT_TRUE(loadCacheFor(cache->save().value(), choice));
    }
}

TEST(MixedList, calibratedRotations_areRefused_andAutoUsesHadamard) {
    KvOptions options;
    options.quant = {4, 0};
    EXPECT_EQ(rotationInUse(mixedModel(), options), "hadamard");
    EXPECT_TRUE(makeCacheFor(mixedModel(), options));
    options.rotation = KvRotation::Calibrated;
    const auto refused = makeCacheFor(mixedModel(), options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Incompatible);
    EXPECT_NE(refused.error().what.find("one size"), std::string::npos) << refused.error().what;
}

TEST(MixedList, extraBits_areWeighedByTheNumbersOfALayer) {
    LayerLoss loss;
    loss.bits = 3;
    loss.keys = {1.0, 1.9, 5.0};
    loss.values = {0, 0, 0};
    // Layer 1 has twice as many numbers, so a bit there costs twice as much; layer 2 stores no
    // rows.
    const std::vector<KvExtent> extents{{2, 32, 32}, {2, 64, 64}, {}};
    EXPECT_EQ(spreadBits(loss, 3, 0, 1.0 / 3, extents).keys, (std::vector<int>{4, 3, 3}));
    EXPECT_EQ(spreadBits(loss, 3, 0, 1.0, extents).keys, (std::vector<int>{4, 4, 3}));
    EXPECT_EQ(spreadBits(loss, 3, 0, 1.0 / 3).keys, (std::vector<int>{3, 3, 4}));
}

}  // namespace
}  // namespace lacuna::test
