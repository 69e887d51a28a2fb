// Runs of tokens that are protected from eviction.

#include "engine/kv/eviction/kept_spans.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/base/random.h"
#include "engine/kv/eviction/shared_slots.h"
#include "eviction_fixture.h"

namespace lacuna::test {
namespace {

std::set<std::int64_t> positionsOf(const KeptSpans& spans) {
    std::set<std::int64_t> positions;
    for (const TokenSpan& one : spans)
        for (std::int64_t p = one.first; p < one.last; ++p)
            EXPECT_TRUE(positions.insert(p).second) << "none overlaps another";
    return positions;
}

TEST(KeptSpans, addAndCut_matchSetOperationsOnPositions) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        RandomStream random(seed, 3);
        KeptSpans spans;
        std::set<std::int64_t> naive;
        for (int step = 0; step < 12; ++step) {
            const auto first = static_cast<std::int64_t>(random.below(60));
            const auto count = 1 + static_cast<std::int64_t>(random.below(9));
            if (random.below(4) == 0) {
                spans = cutTo(spans, first);
                naive.erase(naive.lower_bound(first), naive.end());
            } else {
                spans = withSpan(spans, {first, first + count});
                for (std::int64_t p = first; p < first + count; ++p) naive.insert(p);
                EXPECT_TRUE(spans.back().has(first)) << "the newest stands last";
            }
            ASSERT_EQ(positionsOf(spans), naive) << seed;
            ASSERT_EQ(tokensOf(spans), static_cast<std::int64_t>(naive.size()));
            for (std::int64_t p = 0; p < 80; ++p)
                ASSERT_EQ(keeps(spans, p), naive.contains(p)) << p;
        }
    }
}

TEST(KeptSpans, tooManyTokens_keepTheNewestSpansInFull) {
    const KeptSpans spans{{0, 10}, {20, 25}, {40, 48}};
    EXPECT_EQ(newestWithin(spans, 23), spans);
    EXPECT_EQ(newestWithin(spans, 22), (KeptSpans{{20, 25}, {40, 48}}));
    EXPECT_EQ(newestWithin(spans, 12), (KeptSpans{{40, 48}}));
    EXPECT_TRUE(newestWithin(spans, 7).empty());
}

TEST(KeptSpans, limit_isThreeQuartersOfTheUnprotectedBudget) {
    EXPECT_EQ(roomForSpans(100, 20), 60);
    EXPECT_EQ(roomForSpans(20, 20), 0);
    EXPECT_EQ(roomForSpans(10, 20), 0);
}

// Compares with a plain sort: protected slots, then the best of the others.
TEST(KeptSpans, keptSlots_matchANaiveSelection) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        RandomStream random(seed, 4);
        const int slots = 40 + static_cast<int>(random.below(200));
        std::vector<std::int32_t> positions;
        std::int32_t at = 0;
        for (int j = 0; j < slots; ++j)
            positions.push_back(at += 1 + static_cast<std::int32_t>(random.below(3)));
        std::vector<float> scores;
        for (int j = 0; j < slots; ++j) scores.push_back(static_cast<float>(random.normal()));
        const bool plain = random.below(2) == 0;  // slot j holds position j
        const std::int64_t tokens = plain ? slots : at + 1;
        SelectionRule rule{.budget = 24, .keepRecent = 4, .nSink = 2};
        const auto first =
            static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(tokens)));
        rule.kept = std::make_shared<const KeptSpans>(withSpan({{3, 6}}, {first, first + 9}));
        const SlotPositions places{plain ? nullptr : positions.data(), slots, tokens};
        const auto keep = selectSlots(scores, places, rule);
        ASSERT_TRUE(keep) << keep.error().what;
        std::vector<std::int32_t> order;
        for (int j = 0; j < slots; ++j) order.push_back(j);
        std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) {
            const bool pa = isProtected(rule, places.at(a), tokens);
            const bool pb = isProtected(rule, places.at(b), tokens);
            const auto i = static_cast<std::size_t>(a);
            const auto k = static_cast<std::size_t>(b);
            return pa != pb ? pa : scores[i] > scores[k];
        });
        order.resize(24);
        std::ranges::sort(order);
        ASSERT_EQ(keep->list(), order) << seed;
        const auto shared = selectShared(std::vector<SharingHead>{{scores, places}}, rule, 0.0);
        ASSERT_TRUE(shared);
        ASSERT_EQ((*shared)[0].list(), order) << seed;
    }
}

}  // namespace
}  // namespace lacuna::test
