// Vectors RO, RM, RT and CH of the cache contract. Token numbers stand for rows: every vector is
// checked on the numbers and, row by row, on the bytes behind them.

#include <gtest/gtest.h>

#include "engine/kv/cache_state.h"
#include "engine/kv/window_cache.h"
#include "engine/kv/window_mask.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

using Tokens = std::vector<std::int32_t>;

KvShape shape() {
    return {.layers = 2, .kvHeads = 2, .keyDim = 4, .valueDim = 6, .type = DType::F16};
}

std::unique_ptr<WindowCache> ring(int size, int keep) {
    return makeWindowCache(shape(), {WindowKind::Ring, size, keep}).value();
}

std::unique_ptr<WindowCache> chunk(int size) {
    return makeWindowCache(shape(), {WindowKind::Chunk, size, 0}).value();
}

void feed(KvCache& cache, std::initializer_list<int> runs) {
    for (const int run : runs) ASSERT_TRUE(append(cache, run));
}

void singles(KvCache& cache, int count) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE(append(cache, 1));
}

void expectSlots(const WindowCache& cache, const Tokens& tokens, int offset, int next) {
    EXPECT_EQ(tokensOf(cache), tokens);
    EXPECT_EQ(cache.offset().value, offset);
    EXPECT_EQ(cache.window().next, next);
    EXPECT_TRUE(holdsItsTokens(cache));
    cache.checkInvariants();
}

/// Slots a row shows as T.
std::string text(const MaskRow& row) {
    std::string out;
    for (const bool seen : row) out += seen ? 'T' : 'F';
    return out;
}

Tokens inTime(const WindowCache& cache) {
    Tokens out;
    for (const auto slot : temporalOrder(cache.window()))
        out.push_back(cache.window().positions[static_cast<std::size_t>(slot)]);
    return out;
}

TEST(Rotating, RO_01_prefillInOneAppend_keepsAllOfIt) {
    auto cache = ring(8, 2);
    feed(*cache, {10});
    expectSlots(*cache, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10, 10);
}

TEST(Rotating, RO_02_nextToken_fallsBackToTheWindowAndOverwritesTheOldest) {
    auto cache = ring(8, 2);
    feed(*cache, {10, 1});
    expectSlots(*cache, {0, 1, 10, 5, 6, 7, 8, 9}, 11, 3);
}

TEST(Rotating, RO_03_anotherToken_takesTheNextSlot) {
    auto cache = ring(8, 2);
    feed(*cache, {10, 1, 1});
    expectSlots(*cache, {0, 1, 10, 11, 6, 7, 8, 9}, 12, 4);
}

TEST(Rotating, RO_04_ringFills_upToItsEnd) {
    auto cache = ring(8, 2);
    feed(*cache, {10});
    singles(*cache, 6);
    expectSlots(*cache, {0, 1, 10, 11, 12, 13, 14, 15}, 16, 8);
}

TEST(Rotating, RO_05_ringWraps_behindTheKeptTokens) {
    auto cache = ring(8, 2);
    feed(*cache, {10});
    singles(*cache, 7);
    expectSlots(*cache, {0, 1, 16, 11, 12, 13, 14, 15}, 17, 3);
    EXPECT_EQ(inTime(*cache), (Tokens{0, 1, 11, 12, 13, 14, 15, 16}));
}

TEST(Rotating, RO_06_singleTokens_wrapAtTheWindow) {
    auto cache = ring(8, 2);
    singles(*cache, 9);
    expectSlots(*cache, {0, 1, 8, 3, 4, 5, 6, 7}, 9, 3);
}

TEST(Rotating, RO_07_runAfterWrap_isInTimeOrderWithAWholeWindowForItsFirstQuery) {
    auto cache = ring(8, 2);
    singles(*cache, 9);
    feed(*cache, {3});
    expectSlots(*cache, {0, 1, 4, 5, 6, 7, 8, 9, 10, 11}, 12, 10);
}

TEST(Rotating, RO_08_withoutKeptTokens_runShowsTheNewestTen) {
    auto cache = ring(8, 0);
    feed(*cache, {10, 1, 1, 1, 3});
    expectSlots(*cache, {6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 16, 10);
}

TEST(Rotating, RO_09_trimBelowTheWindow_removesExactly) {
    auto cache = ring(6, 0);
    feed(*cache, {5});
    EXPECT_TRUE(cache->capabilities().canTrim(4));
    EXPECT_EQ(cache->trim(4).value(), 4);
    expectSlots(*cache, {0}, 1, 1);
}

TEST(Rotating, RO_10_D_08_trimPastTheWindow_removesNothingAndSaysSo) {
    auto cache = ring(6, 0);
    feed(*cache, {5});
    EXPECT_EQ(cache->trim(4).value(), 4);
    singles(*cache, 10);
    const std::string before = cache->save().value();
    EXPECT_EQ(cache->trim(1).value(), 0);
    EXPECT_FALSE(cache->capabilities().canTrim(1));
    EXPECT_EQ(cache->save().value(), before);
    const Status refused = cache->rollback(1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    EXPECT_NE(refused.error().what.find("begin speculation"), std::string::npos);
}

TEST(RotatingMask, RM_01_emptyShortRun_isCausal) {
    const auto mask = windowMask(ring(8, 0)->window(), 4, 5);
    for (std::size_t q = 0; q < 4; ++q)
        EXPECT_EQ(text(mask[q]), std::string(q + 1, 'T') + std::string(3 - q, 'F'));
}

TEST(RotatingMask, RM_02_emptyLongRun_seesAtMostTheModelWindow) {
    const auto mask = windowMask(ring(8, 0)->window(), 6, 5);
    std::ptrdiff_t most = 0;
    for (const MaskRow& row : mask) most = std::max(most, std::count(row.begin(), row.end(), true));
    EXPECT_EQ(most, 5);
    EXPECT_EQ(text(mask[5]), "FTTTTT");
}

TEST(RotatingMask, RM_03_singleTokenUnderTheWindow_needsNoMask) {
    auto cache = ring(8, 0);
    EXPECT_FALSE(hidesAny(windowMask(cache->window(), 1, 5)));
    feed(*cache, {4});
    EXPECT_FALSE(hidesAny(windowMask(cache->window(), 1, 5)));
}

TEST(RotatingMask, RM_04_runAfterALongOne_seesFiveEach) {
    auto cache = ring(8, 0);
    feed(*cache, {10});
    const auto mask = windowMask(cache->window(), 3, 5);
    ASSERT_EQ(mask.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        ASSERT_EQ(mask[i].size(), 10U);
        for (std::size_t slot = 0; slot < 10; ++slot)
            EXPECT_EQ(mask[i][slot], slot >= 3 + i && slot <= 7 + i);
    }
}

TEST(RotatingMask, RM_05_nextToken_standsInSlotZero) {
    auto cache = ring(8, 0);
    feed(*cache, {10});
    EXPECT_EQ(text(windowMask(cache->window(), 1, 5)[0]), "TFFFTTTT");
}

TEST(RotatingMask, RM_06_oneTokenLater_theWindowHasMoved) {
    auto cache = ring(8, 0);
    feed(*cache, {10, 1});
    EXPECT_EQ(text(windowMask(cache->window(), 1, 5)[0]), "TTFFFTTT");
}

TEST(RotatingMask, RM_07_withoutModelWindow_singleTokenNeedsNoMask) {
    auto cache = ring(8, 0);
    feed(*cache, {10, 1});
    EXPECT_FALSE(hidesAny(windowMask(cache->window(), 1)));
}

TEST(RotatingMask, RM_08_keptTokens_staySeenByEveryQueryOfARun) {
    auto cache = ring(8, 2);
    feed(*cache, {10});
    const auto mask = windowMask(cache->window(), 3);
    EXPECT_EQ(text(mask[0]), "TTTTTTTTFF");
    EXPECT_EQ(text(mask[1]), "TTFTTTTTTF");
    EXPECT_EQ(text(mask[2]), "TTFFTTTTTT");
}

// D-14: sinks masked for later queries of a run.
TEST(RotatingMask, D_14_sinksAndRing_areSeenInEveryState) {
    auto cache = ring(8, 2);
    singles(*cache, 21);
    for (const int run : {1, 3, 5}) {
        const auto mask = windowMask(cache->window(), run);
        for (const MaskRow& row : mask) {
            EXPECT_TRUE(row[0] && row[1]);
            EXPECT_EQ(std::count(row.begin(), row.end(), true), 8);
        }
    }
}

/// The tokens that a query of the next single token would see, in time order.
Tokens visibleNext(const WindowCache& cache) {
    Tokens seen;
    const TokenWindow after = planAppend(cache.window(), 1, AppendMode::Plain).after;
    const auto mask = windowMask(cache.window(), 1);
    for (const auto slot : temporalOrder(after))
        if (mask[0][static_cast<std::size_t>(slot)])
            seen.push_back(after.positions[static_cast<std::size_t>(slot)]);
    return seen;
}

TEST(RotatingSpeculation, RT_01_takenBackTokens_leaveNoTrace) {
    for (const int keep : {0, 2}) {
        for (const bool oneByOne : {false, true}) {
            auto cache = ring(8, keep);
            singles(*cache, 20);
            ASSERT_TRUE(cache->beginSpeculation(4));
            if (oneByOne) {
                singles(*cache, 5);
            } else {
                feed(*cache, {5});
            }
            ASSERT_TRUE(cache->rewind(3));
            ASSERT_TRUE(cache->commitSpeculation());
            auto plain = ring(8, keep);
            singles(*plain, 22);
            EXPECT_EQ(cache->offset(), plain->offset());
            EXPECT_EQ(visibleNext(*cache), visibleNext(*plain));
            EXPECT_TRUE(holdsItsTokens(*cache));
            singles(*cache, 1);
            singles(*plain, 1);
            Tokens mine = inTime(*cache);
            EXPECT_EQ(mine, inTime(*plain));
            EXPECT_TRUE(holdsItsTokens(*cache));
        }
    }
}

TEST(RotatingSpeculation, RT_02_moreThanAppended_isRefusedUnchanged) {
    auto cache = ring(8, 0);
    singles(*cache, 20);
    ASSERT_TRUE(cache->beginSpeculation(9));
    feed(*cache, {2});
    const Tokens before = tokensOf(*cache);
    EXPECT_EQ(cache->rewind(3).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(cache->rewind(-1).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(tokensOf(*cache), before);
    EXPECT_EQ(cache->offset().value, 22);
}

TEST(RotatingSpeculation, RT_03_afterCommit_isRefused) {
    auto cache = ring(8, 0);
    singles(*cache, 20);
    ASSERT_TRUE(cache->beginSpeculation(4));
    feed(*cache, {2});
    ASSERT_TRUE(cache->commitSpeculation());
    EXPECT_EQ(cache->rewind(1).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(cache->commitSpeculation().error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(cache->trim(1).value(), 0);
}

TEST(RotatingSpeculation, RT_04_saveWhileOpen_isRefused) {
    auto cache = ring(8, 0);
    singles(*cache, 20);
    ASSERT_TRUE(cache->beginSpeculation(4));
    EXPECT_EQ(cache->save().error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(cache->beginSpeculation(4).error().code, ErrorCode::InvalidArgument);
    ASSERT_TRUE(cache->commitSpeculation());
    EXPECT_TRUE(cache->save());
}

TEST(RotatingSpeculation, manyRounds_stayWithinTwiceTheWindow) {
    auto cache = ring(16, 2);
    auto plain = ring(16, 2);
    singles(*cache, 40);
    singles(*plain, 40);
    for (int round = 0; round < 60; ++round) {
        ASSERT_TRUE(cache->beginSpeculation(4));
        feed(*cache, {5});
        ASSERT_TRUE(cache->rewind(round % 5));
        ASSERT_TRUE(cache->commitSpeculation());
        singles(*plain, 5 - round % 5);
        ASSERT_EQ(visibleNext(*cache), visibleNext(*plain));
        ASSERT_LE(cache->size(), 2 * 16 + 5);
    }
    EXPECT_TRUE(holdsItsTokens(*cache));
}

TEST(Chunked, CH_01_frontTrim_keepsTheChunk) {
    auto cache = chunk(8);
    feed(*cache, {10});
    ASSERT_TRUE(cache->dropFront());
    EXPECT_EQ(tokensOf(*cache), (Tokens{2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(cache->offset().value, 10);
    EXPECT_EQ(cache->size(), 8);
    EXPECT_TRUE(holdsItsTokens(*cache));
}

TEST(Chunked, CH_02_nextToken_isAdded) {
    auto cache = chunk(8);
    feed(*cache, {10});
    ASSERT_TRUE(cache->dropFront());
    feed(*cache, {1});
    EXPECT_EQ(tokensOf(*cache), (Tokens{2, 3, 4, 5, 6, 7, 8, 9, 10}));
    EXPECT_EQ(cache->offset().value, 11);
    EXPECT_EQ(cache->size(), 9);
}

TEST(Chunked, CH_03_secondFrontTrim_movesOn) {
    auto cache = chunk(8);
    feed(*cache, {10, 1});
    ASSERT_TRUE(cache->dropFront());
    EXPECT_EQ(tokensOf(*cache), (Tokens{3, 4, 5, 6, 7, 8, 9, 10}));
    EXPECT_TRUE(holdsItsTokens(*cache));
}

// D-4: offset lost on load.
TEST(Chunked, CH_04_D_04_saveAndLoad_keepOffsetAndStart) {
    auto cache = chunk(8);
    feed(*cache, {10});
    ASSERT_TRUE(cache->dropFront());
    auto loaded = loadCache(cache->save().value()).value();
    EXPECT_EQ(loaded->offset().value, 10);
    EXPECT_EQ(tokensOf(*loaded).front(), 2);
    EXPECT_EQ(loaded->size(), 8);
    ASSERT_TRUE(append(*loaded, 1));
    EXPECT_TRUE(holdsItsTokens(*loaded));
    EXPECT_EQ(tokensOf(*loaded).back(), 10);
}

TEST(Chunked, CH_05_trimOfMoreThanIsThere_removesWhatIsThere) {
    auto cache = chunk(8);
    feed(*cache, {10});
    ASSERT_TRUE(cache->dropFront());
    EXPECT_EQ(cache->trim(20).value(), 8);
    EXPECT_EQ(cache->offset().value, 2);
    EXPECT_EQ(cache->size(), 0);
    EXPECT_TRUE(cache->empty());
}

TEST(Chunked, longRun_movesRowsRarely) {
    auto cache = chunk(100);
    feed(*cache, {150});
    singles(*cache, 1000);
    EXPECT_TRUE(holdsItsTokens(*cache));
    EXPECT_EQ(cache->size(), 101);
    EXPECT_LE(cache->stats().reallocations, 12);
    EXPECT_LE(cache->stats().allocatedBytes, 4 * cache->stats().liveBytes);
}

TEST(WindowCache, abortedAppend_leavesStateAsItWas) {
    for (const int run : {1, 3, 9}) {
        for (auto* make : {+[] { return ring(8, 2); }, +[] { return chunk(8); }}) {
            for (const int before : {0, 5, 8, 21}) {
                auto cache = make();
                singles(*cache, before);
                const std::string state = cache->save().value();
                ASSERT_TRUE(cache->beginAppend(run));
                writeRows(*cache, run);
                const KvHeadView view = cache->head(LayerIndex(1), HeadIndex(0));
                EXPECT_EQ(view.slots,
                          planAppend(cache->window(), run, AppendMode::Plain).after.slots());
                cache->abortAppend();
                EXPECT_EQ(cache->save().value(), state) << run << " " << before;
            }
        }
    }
}

TEST(WindowCache, appendWithoutMemory_leavesStateAsItWas) {
    CountingAllocator allocator;
    auto cache = makeWindowCache(shape(), {WindowKind::Ring, 8, 0}, allocator).value();
    singles(*cache, 20);
    const std::string state = cache->save().value();
    for (int succeed = 0; succeed < 8; ++succeed) {
        allocator.failAfter = succeed;
        EXPECT_EQ(cache->beginAppend(3).error().code, ErrorCode::NoMemory);
        allocator.failAfter = -1;
        EXPECT_EQ(cache->save().value(), state);
    }
    ASSERT_TRUE(append(*cache, 3));
    EXPECT_TRUE(holdsItsTokens(*cache));
}

TEST(WindowCache, badRule_namesTheNumber) {
    for (const WindowRule rule : {WindowRule{WindowKind::Ring, 1, 0},
                                  {WindowKind::Ring, 8, 8},
                                  {WindowKind::Ring, 8, -1},
                                  {WindowKind::Chunk, 8, 1}}) {
        const auto made = makeWindowCache(shape(), rule);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(made.error().what.find(std::to_string(rule.size)), std::string::npos);
    }
}

TEST(WindowCache, compaction_isRefusedWithTheAlternative) {
    auto cache = ring(8, 0);
    singles(*cache, 8);
    const Status refused = cache->apply(keepEverywhere(*cache, {0, 1}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    EXPECT_NE(refused.error().what.find("dense cache with a budget"), std::string::npos);
}

TEST(WindowState, everyAlteredOrCutByte_isRefused) {
    auto cache = ring(8, 2);
    singles(*cache, 12);
    const std::string bytes = cache->save().value();
    for (std::size_t at = 0; at < bytes.size(); at += 1 + at / 32) {
        std::string altered = bytes;
        altered[at] = static_cast<char>(altered[at] ^ 0x20);
        EXPECT_FALSE(loadCache(altered)) << at;
        EXPECT_FALSE(loadCache(std::string_view(bytes).substr(0, at))) << at;
    }
    auto loaded = loadCache(bytes).value();
    EXPECT_EQ(loaded->save().value(), bytes);
}

}  // namespace
}  // namespace lacuna::test
