// Rare tokens and their neighbours stay verbatim.

#include "engine/compress/matching/pinned_spans.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compactor_fixture.h"
#include "engine/compress/matching/compactable_span.h"
#include "engine/compress/matching/gathered_span.h"
#include "tests/support/compaction_notes.h"

namespace lacuna::test {
namespace {

constexpr int kTokens = 400;
constexpr int kRare = 150;
const KvShape kPlain{.layers = 2, .kvHeads = 2, .keyDim = 8, .valueDim = 8, .type = DType::F32};

/// Appends keys around one direction in every head, and one perpendicular key.
void appendWithRareKey(KvCache& cache) {
    const KvShape& shape = cache.shape();
    ASSERT_TRUE(cache.beginAppend(kTokens));
    for (int layer = 0; layer < shape.layers; ++layer) {
        std::vector<float> keys;
        for (int i = 0; i < kTokens; ++i)
            for (int head = 0; head < shape.kvHeads; ++head) {
                std::vector<float> key = keyRow(shape, layer, head, i);
                for (float& x : key) x *= 0.3F;
                key[0] += i == kRare ? 0.0F : 4.0F;
                key[1] += i == kRare ? 6.0F : 0.0F;
                keys.insert(keys.end(), key.begin(), key.end());
            }
        cache.writeLayer(LayerIndex(layer), {keys.data(), {kTokens, shape.kvHeads, shape.keyDim}},
                         {keys.data(), {kTokens, shape.kvHeads, shape.valueDim}});
    }
    cache.commitAppend();
}

PinRequest request(double percent) {
    PinRequest out;
    out.rule = {.budget = 100, .keepRecent = 32, .nSink = 4};
    out.percent = percent;
    return out;
}

TEST(PinnedSpans, rarestToken_isPinnedWithItsNeighbours) {
    auto cache = makeSlotCache(kPlain).value();
    appendWithRareKey(*cache);
    ThreadPool pool(2);
    const auto runs = pinnedRuns(*cache, request(0.25), pool);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].first, kRare - 4);
    EXPECT_EQ(runs[0].last, kRare + 5);
    EXPECT_GT(runs[0].rarity, 2.0F);
    EXPECT_TRUE(pinnedRuns(*cache, request(0), pool).empty());
}

TEST(PinnedSpans, threadCount_changesNothing) {
    auto cache = makeSlotCache(kPlain).value();
    appendWithRareKey(*cache);
    ThreadPool one(1);
    ThreadPool three(3);
    EXPECT_EQ(pinnedRuns(*cache, request(5), one), pinnedRuns(*cache, request(5), three));
}

TEST(PinnedSpans, slotsOfAHead_areFullRunsUpToTheLimit) {
    auto cache = makeSlotCache(kPlain).value();
    appendWithRareKey(*cache);
    const HeadSpan span = compactableSpan(*cache, LayerIndex(0), HeadIndex(0), request(1).rule);
    const std::vector<PinnedRun> runs{{100, 110, 3.0F}, {200, 220, 2.0F}, {300, 305, 1.0F}};
    EXPECT_EQ(pinnedSlots(span, runs, 100).size(), 35U);
    const auto limited = pinnedSlots(span, runs, 16);
    ASSERT_EQ(limited.size(), 15U) << "the run of 20 does not fit, the one after it does";
    EXPECT_EQ(limited.front(), 100);
    EXPECT_EQ(limited.back(), 304);
    EXPECT_TRUE(pinnedSlots(span, runs, 4).empty());
    const std::vector<PinnedRun> outside{{0, 6, 3.0F}, {395, 400, 2.0F}};
    EXPECT_EQ(pinnedSlots(span, outside, 100), (std::vector<std::int32_t>{4, 5}))
        << "what stays anyway is not counted";
}

TEST(PinnedSpans, headWithoutSomePinnedTokens_pinsTheRest) {
    auto cache = makeSlotCache(kPlain).value();
    appendWithRareKey(*cache);
    std::vector<std::int32_t> keep;
    for (int j = 0; j < kTokens; j += 3) keep.push_back(j);
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, keep)));
    SelectionRule rule = request(1).rule;
    const HeadSpan span = compactableSpan(*cache, LayerIndex(0), HeadIndex(0), rule);
    const std::vector<PinnedRun> runs{{145, 156, 3.0F}};
    const auto slots = pinnedSlots(span, runs, 100);
    ASSERT_EQ(slots.size(), 3U);
    for (const std::int32_t slot : slots) {
        EXPECT_GE(span.head.positions[slot], 145);
        EXPECT_LT(span.head.positions[slot], 156);
    }
}

TEST(PinnedSpans, setAside_movesRowsBeyondTheSpan) {
    auto cache = makeSlotCache(kPlain).value();
    appendWithRareKey(*cache);
    const HeadSpan span = compactableSpan(*cache, LayerIndex(1), HeadIndex(1), request(1).rule);
    const std::vector<std::int32_t> slots{10, 11, 200};
    const GatheredSpan rest = movedBehind(span, slots);
    EXPECT_EQ(rest.span.first, 4);
    EXPECT_EQ(rest.span.last, span.last - 3);
    ASSERT_EQ(rest.span.head.slots, kTokens);
    EXPECT_EQ(rest.order[static_cast<std::size_t>(rest.span.last)], 10);
    EXPECT_EQ(rest.order[9], 9);
    EXPECT_EQ(rest.order[10], 12);
    const auto* rows = reinterpret_cast<const float*>(rest.span.head.keys);
    const auto* all = reinterpret_cast<const float*>(span.head.keys);
    for (std::size_t at = 0; at < rest.order.size(); ++at)
        ASSERT_EQ(rows[at * 8], all[static_cast<std::size_t>(rest.order[at]) * 8]);
}

// A fit sees each row as attention reads it, and the newest tokens in 16 bits.
TEST(PinnedSpans, setAside_ofRotatedCodes_movesExactRowsToo) {
    KvShape shape{.layers = 1, .kvHeads = 1, .keyDim = 32, .valueDim = 32, .type = DType::F16};
    shape.keyQuant = shape.valueQuant = {2, 0};
    shape.exact = {60, 4};
    auto cache = makeSlotCache(shape).value();
    ASSERT_TRUE(append(*cache, 120));
    SelectionRule rule = request(1).rule;
    const HeadSpan span = compactableSpan(*cache, LayerIndex(0), HeadIndex(0), rule);
    const GatheredSpan rest = movedBehind(span, std::vector<std::int32_t>{10, 70, 75});
    EXPECT_EQ(rest.span.head.exact.count, 64);
    for (std::size_t at = 0; at < rest.order.size(); ++at) {
        std::vector<float> moved(32);
        std::vector<float> first(32);
        readKeys(rest.span.head, 32, static_cast<int>(at), 1, moved.data());
        readKeys(span.head, 32, rest.order[at], 1, first.data());
        ASSERT_EQ(moved, first) << rest.order[at];
        readValues(rest.span.head, 32, static_cast<int>(at), 1, moved.data());
        readValues(span.head, 32, rest.order[at], 1, first.data());
        ASSERT_EQ(moved, first) << rest.order[at];
    }
}

TEST(PinnedSpans, compaction_keepsPinnedTokensVerbatimInEveryHead) {
    KvOptions options = matching(4);
    options.pinPercent = 0.25;
    options.headBudgets = HeadBudgets::Uniform;
    Bench bench(kPlain);
    // The usual queries with rows of this test.
    for (int layer = 0; layer < 2; ++layer) {
        std::vector<float> rows;
        RandomStream random(7, static_cast<std::uint64_t>(layer));
        for (int n = 0; n < kTokens * 4 * 8; ++n)
            rows.push_back(static_cast<float>(random.normal()));
        bench.compactor()
            .observer(bench.cache(), options)
            ->observeQueries(LayerIndex(layer), {rows.data(), {kTokens, 4, 8}}, Position(0));
    }
    appendWithRareKey(bench.cache());
    std::vector<float> before;
    const auto* rows =
        reinterpret_cast<const float*>(bench.cache().head(LayerIndex(1), HeadIndex(0)).values);
    before.assign(rows, rows + kTokens * 8);
    const auto report = bench.compactor().afterStep(bench.cache(), options);
    ASSERT_TRUE(report);
    ASSERT_EQ(report->result, CompactionResult::Done) << report->notes;
    EXPECT_EQ(bench.cache().stats().slotsTotal, 4 * 100) << "pins are within the budget";
    for (int layer = 0; layer < 2; ++layer)
        for (int head = 0; head < 2; ++head) {
            const auto tokens = tokensOf(bench.cache(), layer, head);
            for (int position = kRare - 4; position < kRare + 5; ++position)
                EXPECT_NE(std::ranges::find(tokens, position), tokens.end()) << position;
        }
    const KvHeadView view = bench.cache().head(LayerIndex(1), HeadIndex(0));
    const auto* values = reinterpret_cast<const float*>(view.values);
    for (int slot = 0; slot < view.slots; ++slot) {
        if (view.positions[slot] < kRare - 4 || view.positions[slot] >= kRare + 5) continue;
        EXPECT_EQ(view.bias == nullptr ? 0.0F : view.bias[slot], 0.0F);
        for (int d = 0; d < 8; ++d)
            EXPECT_EQ(values[slot * 8 + d],
                      before[static_cast<std::size_t>(view.positions[slot] * 8 + d)]);
    }
}

}  // namespace
}  // namespace lacuna::test
