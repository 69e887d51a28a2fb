// Random operations on the cache and on a naive model, a list of slots per head.

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/kv/kv_factory.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

struct NaiveSlot {
    std::int32_t position = 0;
    float bias = 0;
    std::vector<std::byte> key;
    std::vector<std::byte> value;
};

struct Naive {
    KvShape shape;
    std::vector<std::vector<NaiveSlot>> heads;
    std::int32_t tokens = 0;
    std::int32_t settled = 0;
    bool compacted = false;
};

void appendNaive(Naive& naive, int tokens) {
    for (std::size_t h = 0; h < naive.heads.size(); ++h) {
        const int layer = static_cast<int>(h) / naive.shape.kvHeads;
        const int head = static_cast<int>(h) % naive.shape.kvHeads;
        for (int i = 0; i < tokens; ++i) {
            const std::int32_t position = naive.tokens + i;
            naive.heads[h].push_back(
                {position, 0.0F,
                 stored(naive.shape.type, keyRow(naive.shape, layer, head, position)),
                 stored(naive.shape.type, valueRow(naive.shape, layer, head, position))});
        }
    }
    naive.tokens += tokens;
}

CompactionPlan randomPlan(const Naive& naive, RandomStream& random) {
    CompactionPlan plan;
    for (const auto& slots : naive.heads) {
        HeadCompaction head;
        if (random.below(4) != 0) {
            head.keep = SlotMarks(static_cast<int>(slots.size()));
            for (std::size_t j = 0; j < slots.size(); ++j)
                if (random.below(3) != 0 || j + 1 == slots.size())
                    head.keep.add(static_cast<int>(j));
            if (random.below(2) == 0)
                for (int j = 0; j < head.keep.count(); ++j)
                    head.bias.push_back(static_cast<float>(random.normal()));
            if (random.below(2) == 0)
                for (int j = 0; j < head.keep.count() * naive.shape.valueDim; ++j)
                    head.values.push_back(static_cast<float>(random.normal()));
        }
        plan.heads.push_back(std::move(head));
    }
    return plan;
}

void applyNaive(Naive& naive, const CompactionPlan& plan) {
    const auto dim = static_cast<std::size_t>(naive.shape.valueDim);
    for (std::size_t h = 0; h < naive.heads.size(); ++h) {
        const HeadCompaction& head = plan.heads[h];
        if (!head.touched()) continue;
        const std::vector<std::int32_t> keep = head.keep.list();
        std::vector<NaiveSlot> kept;
        for (std::size_t i = 0; i < keep.size(); ++i) {
            NaiveSlot slot = naive.heads[h][static_cast<std::size_t>(keep[i])];
            if (!head.bias.empty()) slot.bias = head.bias[i];
            if (!head.values.empty())
                slot.value =
                    stored(naive.shape.type,
                           {head.values.begin() + static_cast<std::ptrdiff_t>(i * dim),
                            head.values.begin() + static_cast<std::ptrdiff_t>((i + 1) * dim)});
            kept.push_back(std::move(slot));
        }
        naive.heads[h] = std::move(kept);
        naive.settled = naive.tokens;
        naive.compacted = true;
    }
}

void expectEqual(const KvCache& cache, const Naive& naive) {
    ASSERT_EQ(cache.offset().value, naive.tokens);
    for (std::size_t h = 0; h < naive.heads.size(); ++h) {
        const KvHeadView view = cache.head(LayerIndex(static_cast<int>(h) / naive.shape.kvHeads),
                                           HeadIndex(static_cast<int>(h) % naive.shape.kvHeads));
        ASSERT_EQ(static_cast<std::size_t>(view.slots), naive.heads[h].size());
        for (std::size_t j = 0; j < naive.heads[h].size(); ++j) {
            const NaiveSlot& slot = naive.heads[h][j];
            const std::int32_t position =
                view.positions == nullptr ? static_cast<std::int32_t>(j) : view.positions[j];
            ASSERT_EQ(position, slot.position);
            ASSERT_EQ(view.bias == nullptr ? 0.0F : view.bias[j], slot.bias);
            ASSERT_EQ(
                std::memcmp(view.keys + j * slot.key.size(), slot.key.data(), slot.key.size()), 0);
            ASSERT_EQ(std::memcmp(view.values + j * slot.value.size(), slot.value.data(),
                                  slot.value.size()),
                      0);
        }
    }
}

void rollbackBoth(KvCache& cache, Naive& naive, int tokens) {
    const int limit = cache.capabilities().rollbackLimit;
    ASSERT_EQ(limit, naive.compacted ? naive.tokens - naive.settled : naive.tokens);
    const Status status = cache.rollback(tokens);
    if (naive.compacted && tokens > limit) {
        ASSERT_FALSE(status);
        return;
    }
    ASSERT_TRUE(status) << describe(status.error());
    const auto removed = static_cast<std::size_t>(std::min(tokens, naive.tokens));
    for (auto& slots : naive.heads) slots.resize(slots.size() - removed);
    naive.tokens -= static_cast<std::int32_t>(removed);
}

void appendBoth(KvCache& cache, Naive& naive, RandomStream& random) {
    const int tokens = static_cast<int>(random.below(5) == 0 ? random.below(300) : random.below(4));
    if (random.below(8) == 0) {  // an abandoned append first
        ASSERT_TRUE(cache.beginAppend(tokens));
        if (random.below(2) == 0) writeRows(cache, tokens);
        cache.abortAppend();
    }
    ASSERT_TRUE(append(cache, tokens));
    appendNaive(naive, tokens);
}

void runSequence(std::uint64_t seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, 0);
    const DType types[] = {DType::F32, DType::F16, DType::BF16};
    Naive naive;
    naive.shape = {.layers = 2, .kvHeads = 2, .keyDim = 3, .valueDim = 5, .type = types[seed % 3]};
    naive.heads.resize(4);
    auto cache = makeSlotCache(naive.shape).value();
    for (int step = 0; step < 40; ++step) {
        switch (random.below(6)) {
            case 0:
                rollbackBoth(*cache, naive, static_cast<int>(random.below(6)));
                break;
            case 1:
                if (naive.tokens > 0 &&
                    std::none_of(naive.heads.begin(), naive.heads.end(),
                                 [](const auto& slots) { return slots.empty(); })) {
                    const CompactionPlan plan = randomPlan(naive, random);
                    ASSERT_TRUE(cache->compactable()->apply(plan));
                    applyNaive(naive, plan);
                }
                break;
            case 2:
                cache = loadCache(cache->save().value()).value();
                break;
            case 3: {
                auto twin = cache->clone().value();
                std::swap(cache, twin);
                ASSERT_TRUE(append(*twin, 2));  // the old cache diverges and is dropped
                break;
            }
            default:
                appendBoth(*cache, naive, random);
                break;
        }
        cache->checkInvariants();
        expectEqual(*cache, naive);
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(SlotCacheModel, randomOperations_matchTheNaiveList) {
    for (std::uint64_t seed = 1; seed <= 60 && !HasFatalFailure(); ++seed) runSequence(seed);
}

}  // namespace
}  // namespace lacuna::test
