// Captured queries: bounded, evenly sampled, independent of chunking and exact after a rollback.

#include "engine/compress/matching/reference_queries.h"

#include <gtest/gtest.h>

namespace lacuna::test {
namespace {

constexpr QueryShape kQueryShape{.layers = 2, .heads = 4, .kvHeads = 2, .keyDim = 4};

/// Number [layer, token, head, d]: layer * 1e6 + position * 100 + head * 10 + d.
void observe(ReferenceQueries& queries, int first, int count) {
    for (int layer = 0; layer < kQueryShape.layers; ++layer) {
        std::vector<float> rows;
        for (int i = 0; i < count; ++i)
            for (int head = 0; head < kQueryShape.heads; ++head)
                for (int d = 0; d < kQueryShape.keyDim; ++d)
                    rows.push_back(
                        static_cast<float>(layer * 1'000'000 + (first + i) * 100 + head * 10 + d));
        queries.observeQueries(LayerIndex(layer),
                               {rows.data(), {count, kQueryShape.heads, kQueryShape.keyDim}},
                               Position(first));
    }
}

std::vector<float> all(const ReferenceQueries& queries, int layer, int head) {
    return queries.gather(LayerIndex(layer), HeadIndex(head), 1 << 20);
}

TEST(ReferenceQueries, newSample_isEmpty) {
    const ReferenceQueries queries(kQueryShape, 1);
    EXPECT_EQ(queries.tokens(), 0);
    EXPECT_TRUE(all(queries, 0, 0).empty());
}

TEST(ReferenceQueries, gather_returnsTheHeadsOfTheGroupInOrder) {
    ReferenceQueries queries(kQueryShape, 1);
    observe(queries, 0, 3);
    const std::vector<float> rows = all(queries, 1, 1);
    ASSERT_EQ(rows.size(), 3U * 2 * 4);
    for (int i = 0; i < 3; ++i)
        for (int h = 0; h < 2; ++h)
            EXPECT_EQ(rows[static_cast<std::size_t>((i * 2 + h) * 4)],
                      static_cast<float>(1'000'000 + i * 100 + (2 + h) * 10));
}

TEST(ReferenceQueries, newestTokens_alwaysStay) {
    ReferenceQueries queries(kQueryShape, 1);
    observe(queries, 0, 5000);
    EXPECT_EQ(queries.tokens(), queries.capacityTokens());
    const std::vector<float> newest =
        queries.gather(LayerIndex(0), HeadIndex(0), ReferenceQueries::kNewest * 2);
    ASSERT_EQ(newest.size(), static_cast<std::size_t>(ReferenceQueries::kNewest) * 2 * 4);
    EXPECT_EQ(newest[0], static_cast<float>((5000 - ReferenceQueries::kNewest) * 100));
}

TEST(ReferenceQueries, memory_isBounded) {
    ReferenceQueries queries(kQueryShape, 1);
    observe(queries, 0, 3000);
    const std::int64_t full = queries.bytes();
    for (int i = 3000; i < 3300; ++i) observe(queries, i, 1);
    EXPECT_EQ(queries.bytes(), full);
    EXPECT_LE(full, 64 * 1024 * 1024);
    // A large model keeps fewer tokens, not more memory.
    const ReferenceQueries large({.layers = 36, .heads = 32, .kvHeads = 8, .keyDim = 128}, 1);
    EXPECT_LE(std::int64_t{large.capacityTokens()} * 36 * 32 * 128 * 4, 80 * 1024 * 1024);
}

TEST(ReferenceQueries, chunking_changesNothing) {
    ReferenceQueries whole(kQueryShape, 7);
    observe(whole, 0, 4000);
    ReferenceQueries parts(kQueryShape, 7);
    observe(parts, 0, 1500);
    observe(parts, 1500, 2499);
    observe(parts, 3999, 1);
    EXPECT_EQ(all(whole, 1, 0), all(parts, 1, 0));
    ReferenceQueries other(kQueryShape, 8);
    observe(other, 0, 4000);
    EXPECT_NE(all(whole, 1, 0), all(other, 1, 0)) << "another seed draws another sample";
}

TEST(ReferenceQueries, sample_spreadsOverTheText) {
    ReferenceQueries queries(kQueryShape, 3);
    observe(queries, 0, 8000);
    const std::vector<float> rows = all(queries, 0, 0);
    int firstHalf = 0;
    int count = 0;
    for (std::size_t i = 0; i < rows.size(); i += 8) {
        ++count;
        if (rows[i] < 4000 * 100) ++firstHalf;
    }
    EXPECT_NEAR(static_cast<double>(firstHalf) / (count - ReferenceQueries::kNewest), 0.5, 0.06);
}

TEST(ReferenceQueries, rollback_dropsQueries_andContinues) {
    ReferenceQueries queries(kQueryShape, 1);
    observe(queries, 0, 100);
    queries.dropFrom(Position(90));
    EXPECT_EQ(queries.tokens(), 90);
    observe(queries, 90, 10);
    ReferenceQueries straight(kQueryShape, 1);
    observe(straight, 0, 100);
    EXPECT_EQ(all(queries, 1, 1), all(straight, 1, 1));
    queries.dropFrom(Position(0));
    EXPECT_EQ(queries.tokens(), 0);
}

TEST(ReferenceQueries, addedQueries_equalTheSampleOfObservingAll) {
    ReferenceQueries whole(kQueryShape, 1), before(kQueryShape, 1), after(kQueryShape, 1);
    observe(whole, 0, 5000);
    observe(before, 0, 3000);
    observe(after, 3000, 2000);
    EXPECT_FALSE(ReferenceQueries(kQueryShape, 1).enoughFor(Position(40)));
    EXPECT_TRUE(before.enoughFor(Position(5000)));
    after.add(before);
    EXPECT_EQ(after.tokens(), whole.tokens());
    EXPECT_EQ(all(after, 1, 1), all(whole, 1, 1));
    // The present queries stay and new ones are added behind them.
    after.add(before);
    observe(after, 5000, 3);
    observe(whole, 5000, 3);
    EXPECT_EQ(all(after, 0, 0), all(whole, 0, 0));
}

TEST(ReferenceQueries, enoughFor_requiresHalfOfAShortText_orAFullFit) {
    ReferenceQueries queries(kQueryShape, 1);
    observe(queries, 90, 10);
    EXPECT_TRUE(queries.enoughFor(Position(20)));
    EXPECT_FALSE(queries.enoughFor(Position(100)));
    observe(queries, 100, 246);
    EXPECT_TRUE(queries.enoughFor(Position(100'000)));  // 512 queries of two heads
    queries.dropFrom(Position(345));
    EXPECT_FALSE(queries.enoughFor(Position(100'000)));
}

TEST(ReferenceQueries, abandonedStep_leavesNoTrace) {
    ReferenceQueries queries(kQueryShape, 1);
    observe(queries, 0, 10);
    const std::vector<float> rows(
        static_cast<std::size_t>(5 * kQueryShape.heads * kQueryShape.keyDim), -1.0F);
    queries.observeQueries(LayerIndex(0), {rows.data(), {5, kQueryShape.heads, kQueryShape.keyDim}},
                           Position(10));
    EXPECT_EQ(queries.tokens(), 10) << "a token without all layers is not used";
    observe(queries, 10, 2);  // the step is repeated with other queries
    ReferenceQueries straight(kQueryShape, 1);
    observe(straight, 0, 12);
    EXPECT_EQ(all(queries, 0, 0), all(straight, 0, 0));
}

}  // namespace
}  // namespace lacuna::test
