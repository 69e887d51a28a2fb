// Vectors RO, RM and RT of the cache contract. Token numbers stand for rows: every vector is
// checked on the numbers and, row by row, on the stored bytes.

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/thread_pool.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/window/window_cache.h"
#include "kv_fixture.h"
#include "tests/support/reference_attention.h"

namespace lacuna::test {
namespace {

using Tokens = std::vector<std::int32_t>;

KvShape shape() {
    return {.layers = 2, .kvHeads = 2, .keyDim = 4, .valueDim = 6, .type = DType::F16};
}

std::unique_ptr<KvCache> ring(int size, int keep) {
    return makeWindowCache(shape(), {size, keep}).value();
}

/// Returns the window that the cache shows.
TokenWindow windowOf(const KvCache& cache) {
    const KvCapabilities able = cache.capabilities();
    TokenWindow window{.rule = {able.windowSize, able.windowKeep},
                       .offset = cache.offset().value,
                       .positions = tokensOf(cache)};
    const auto newest = std::ranges::find(window.positions, cache.offset().value - 1);
    window.next = newest == window.positions.end()
                      ? 0
                      : static_cast<int>(newest - window.positions.begin()) + 1;
    return window;
}

void feed(KvCache& cache, std::initializer_list<int> runs) {
    for (const int run : runs) ASSERT_TRUE(append(cache, run));
}

void singles(KvCache& cache, int count) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE(append(cache, 1));
}

void expectSlots(const KvCache& cache, const Tokens& tokens, int offset, int next) {
    EXPECT_EQ(tokensOf(cache), tokens);
    EXPECT_EQ(cache.offset().value, offset);
    EXPECT_EQ(windowOf(cache).next, next);
    EXPECT_TRUE(holdsItsTokens(cache));
    cache.checkInvariants();
}

/// Formats visible slots as T.
std::string text(const MaskRow& row) {
    std::string out;
    for (const bool seen : row) out += seen ? 'T' : 'F';
    return out;
}

Tokens inTime(const KvCache& cache) {
    Tokens out;
    const TokenWindow window = windowOf(cache);
    for (const auto slot : temporalOrder(window))
        out.push_back(window.positions[static_cast<std::size_t>(slot)]);
    return out;
}

TEST(RotatingWindow, RO_01_prefillInOneAppend_keepsAllOfIt) {
    auto cache = ring(8, 2);
    feed(*cache, {10});
    expectSlots(*cache, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10, 10);
}

TEST(RotatingWindow, RO_02_nextToken_shrinksToTheWindow_andOverwritesTheOldest) {
    auto cache = ring(8, 2);
    feed(*cache, {10, 1});
    expectSlots(*cache, {0, 1, 10, 5, 6, 7, 8, 9}, 11, 3);
}

TEST(RotatingWindow, RO_03_secondToken_usesTheNextSlot) {
    auto cache = ring(8, 2);
    feed(*cache, {10, 1, 1});
    expectSlots(*cache, {0, 1, 10, 11, 6, 7, 8, 9}, 12, 4);
}

TEST(RotatingWindow, RO_04_ringFills_upToItsEnd) {
    auto cache = ring(8, 2);
    feed(*cache, {10});
    singles(*cache, 6);
    expectSlots(*cache, {0, 1, 10, 11, 12, 13, 14, 15}, 16, 8);
}

TEST(RotatingWindow, RO_05_ringWraps_afterTheKeptTokens) {
    auto cache = ring(8, 2);
    feed(*cache, {10});
    singles(*cache, 7);
    expectSlots(*cache, {0, 1, 16, 11, 12, 13, 14, 15}, 17, 3);
    EXPECT_EQ(inTime(*cache), (Tokens{0, 1, 11, 12, 13, 14, 15, 16}));
}

TEST(RotatingWindow, RO_06_singleTokens_wrapAtTheWindow) {
    auto cache = ring(8, 2);
    singles(*cache, 9);
    expectSlots(*cache, {0, 1, 8, 3, 4, 5, 6, 7}, 9, 3);
}

TEST(RotatingWindow, RO_07_runAfterWrap_isInTimeOrder_withAFullWindowForItsFirstQuery) {
    auto cache = ring(8, 2);
    singles(*cache, 9);
    feed(*cache, {3});
    expectSlots(*cache, {0, 1, 4, 5, 6, 7, 8, 9, 10, 11}, 12, 10);
}

TEST(RotatingWindow, RO_08_noKeptTokens_runShowsTheNewestTen) {
    auto cache = ring(8, 0);
    feed(*cache, {10, 1, 1, 1, 3});
    expectSlots(*cache, {6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 16, 10);
}

TEST(RotatingWindow, RO_09_trimBelowTheWindow_removesExactly) {
    auto cache = ring(6, 0);
    feed(*cache, {5});
    EXPECT_TRUE(cache->capabilities().canTrim(4));
    EXPECT_EQ(cache->trim(4).value(), 4);
    expectSlots(*cache, {0}, 1, 1);
}

TEST(RotatingWindow, RO_10_D_08_trimPastTheWindow_removesNothing_andReportsIt) {
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
    const auto mask = windowMask(windowOf(*ring(8, 0)), 4, 5);
    for (std::size_t q = 0; q < 4; ++q)
        EXPECT_EQ(text(mask[q]), std::string(q + 1, 'T') + std::string(3 - q, 'F'));
}

TEST(RotatingMask, RM_02_emptyLongRun_seesAtMostTheModelWindow) {
    const auto mask = windowMask(windowOf(*ring(8, 0)), 6, 5);
    std::ptrdiff_t most = 0;
    for (const MaskRow& row : mask) most = std::max(most, std::count(row.begin(), row.end(), true));
    EXPECT_EQ(most, 5);
    EXPECT_EQ(text(mask[5]), "FTTTTT");
}

TEST(RotatingMask, RM_03_singleTokenUnderTheWindow_needsNoMask) {
    auto cache = ring(8, 0);
    EXPECT_FALSE(hidesAny(windowMask(windowOf(*cache), 1, 5)));
    feed(*cache, {4});
    EXPECT_FALSE(hidesAny(windowMask(windowOf(*cache), 1, 5)));
}

TEST(RotatingMask, RM_04_runAfterALongOne_seesFiveEach) {
    auto cache = ring(8, 0);
    feed(*cache, {10});
    const auto mask = windowMask(windowOf(*cache), 3, 5);
    ASSERT_EQ(mask.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        ASSERT_EQ(mask[i].size(), 10U);
        for (std::size_t slot = 0; slot < 10; ++slot)
            EXPECT_EQ(mask[i][slot], slot >= 3 + i && slot <= 7 + i);
    }
}

TEST(RotatingMask, RM_05_nextToken_usesSlotZero) {
    auto cache = ring(8, 0);
    feed(*cache, {10});
    EXPECT_EQ(text(windowMask(windowOf(*cache), 1, 5)[0]), "TFFFTTTT");
}

TEST(RotatingMask, RM_06_oneTokenLater_theWindowMoves) {
    auto cache = ring(8, 0);
    feed(*cache, {10, 1});
    EXPECT_EQ(text(windowMask(windowOf(*cache), 1, 5)[0]), "TTFFFTTT");
}

TEST(RotatingMask, RM_07_noModelWindow_singleTokenNeedsNoMask) {
    auto cache = ring(8, 0);
    feed(*cache, {10, 1});
    EXPECT_FALSE(hidesAny(windowMask(windowOf(*cache), 1)));
}

TEST(RotatingMask, RM_08_keptTokens_areVisibleToEveryQueryOfARun) {
    auto cache = ring(8, 2);
    feed(*cache, {10});
    const auto mask = windowMask(windowOf(*cache), 3);
    EXPECT_EQ(text(mask[0]), "TTTTTTTTFF");
    EXPECT_EQ(text(mask[1]), "TTFTTTTTTF");
    EXPECT_EQ(text(mask[2]), "TTFFTTTTTT");
}

// D-14: sinks masked for later queries of a run.
TEST(RotatingMask, D_14_sinksAndRing_areVisibleInEveryState) {
    auto cache = ring(8, 2);
    singles(*cache, 21);
    for (const int run : {1, 3, 5}) {
        const auto mask = windowMask(windowOf(*cache), run);
        for (const MaskRow& row : mask) {
            EXPECT_TRUE(row[0] && row[1]);
            EXPECT_EQ(std::count(row.begin(), row.end(), true), 8);
        }
    }
}

/// Returns the tokens that the query of the next token would see, in time order.
Tokens visibleNext(const KvCache& cache) {
    Tokens seen;
    const TokenWindow after = planAppend(windowOf(cache), 1, AppendMode::Plain).after;
    const auto mask = windowMask(windowOf(cache), 1);
    for (const auto slot : temporalOrder(after))
        if (mask[0][static_cast<std::size_t>(slot)])
            seen.push_back(after.positions[static_cast<std::size_t>(slot)]);
    return seen;
}

TEST(RotatingSpeculation, RT_01_rolledBackTokens_leaveNoTrace) {
    for (const int keep : {0, 2}) {
        for (const bool oneByOne : {false, true}) {
            auto cache = ring(8, keep);
            singles(*cache, 20);
            ASSERT_TRUE(cache->speculation().begin(4));
            if (oneByOne) {
                singles(*cache, 5);
            } else {
                feed(*cache, {5});
            }
            ASSERT_TRUE(cache->speculation().rewind(3));
            ASSERT_TRUE(cache->speculation().commit());
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

TEST(RotatingSpeculation, RT_02_rollbackBeyondAppended_isRefused_andChangesNothing) {
    auto cache = ring(8, 0);
    singles(*cache, 20);
    ASSERT_TRUE(cache->speculation().begin(9));
    feed(*cache, {2});
    const Tokens before = tokensOf(*cache);
    EXPECT_EQ(cache->speculation().rewind(3).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(cache->speculation().rewind(-1).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(tokensOf(*cache), before);
    EXPECT_EQ(cache->offset().value, 22);
}

TEST(RotatingSpeculation, RT_03_afterCommit_isRefused) {
    auto cache = ring(8, 0);
    singles(*cache, 20);
    ASSERT_TRUE(cache->speculation().begin(4));
    feed(*cache, {2});
    ASSERT_TRUE(cache->speculation().commit());
    EXPECT_EQ(cache->speculation().rewind(1).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(cache->speculation().commit().error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(cache->trim(1).value(), 0);
}

TEST(RotatingSpeculation, RT_04_saveWhileOpen_isRefused) {
    auto cache = ring(8, 0);
    singles(*cache, 20);
    ASSERT_TRUE(cache->speculation().begin(4));
    EXPECT_EQ(cache->save().error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(cache->speculation().begin(4).error().code, ErrorCode::InvalidArgument);
    ASSERT_TRUE(cache->speculation().commit());
    EXPECT_TRUE(cache->save());
}

TEST(RotatingSpeculation, manyRounds_stayWithinTwiceTheWindow) {
    auto cache = ring(16, 2);
    auto plain = ring(16, 2);
    singles(*cache, 40);
    singles(*plain, 40);
    for (int round = 0; round < 60; ++round) {
        ASSERT_TRUE(cache->speculation().begin(4));
        feed(*cache, {5});
        ASSERT_TRUE(cache->speculation().rewind(round % 5));
        ASSERT_TRUE(cache->speculation().commit());
        singles(*plain, 5 - round % 5);
        ASSERT_EQ(visibleNext(*cache), visibleNext(*plain));
        ASSERT_LE(cache->size(), 2 * 16 + 5);
    }
    EXPECT_TRUE(holdsItsTokens(*cache));
}

TEST(WindowCache, abortedAppend_changesNothing) {
    for (const int run : {1, 3, 9}) {
        for (const int before : {0, 5, 8, 21}) {
            auto cache = ring(8, 2);
            singles(*cache, before);
            const std::string state = cache->save().value();
            const TokenWindow window = windowOf(*cache);
            ASSERT_TRUE(cache->beginAppend(run));
            writeRows(*cache, run);
            const KvHeadView view = cache->head(LayerIndex(1), HeadIndex(0));
            EXPECT_EQ(view.slots, planAppend(window, run, AppendMode::Plain).after.slots());
            cache->abortAppend();
            EXPECT_EQ(cache->save().value(), state) << run << " " << before;
        }
    }
}

TEST(WindowCache, appendWithoutMemory_changesNothing) {
    CountingAllocator allocator;
    auto cache = makeWindowCache(shape(), {8, 0}, allocator).value();
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

TEST(WindowCache, invalidRule_isRefusedWithTheNumber) {
    for (const WindowRule rule : {WindowRule{1, 0}, {8, 8}, {8, -1}}) {
        const auto made = makeWindowCache(shape(), rule);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(made.error().what.find(std::to_string(rule.size)), std::string::npos);
    }
}

TEST(WindowCache, compaction_isRefusedWithTheAlternative) {
    auto cache = ring(8, 0);
    singles(*cache, 8);
    EXPECT_EQ(cache->compactable(), nullptr);
    EXPECT_EQ(cache->snapshots(), nullptr);
    ThreadPool pool(1);
    EXPECT_TRUE(compactInPlace(*cache, {.heads = std::vector<HeadCompaction>(4)}, pool));
    const Status refused = compactInPlace(*cache, keepEverywhere(*cache, {0, 1}), pool);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    EXPECT_NE(refused.error().what.find("dense cache with a budget"), std::string::npos);
}

// D-3: a ring that never wrapped loads as wrapped. D-4: the offset is lost on load.
TEST(WindowState, D_03_D_04_loadedState_continuesWhereItWasSaved) {
    for (const int tokens : {0, 5, 8, 13}) {
        auto cache = ring(8, 2);
        singles(*cache, tokens);
        auto loaded = loadCache(cache->save().value()).value();
        EXPECT_EQ(loaded->offset().value, tokens);
        EXPECT_EQ(tokensOf(*loaded), tokensOf(*cache));
        for (int i = 0; i < 9; ++i) {
            ASSERT_TRUE(append(*cache, 1));
            ASSERT_TRUE(append(*loaded, 1));
            EXPECT_EQ(tokensOf(*loaded), tokensOf(*cache)) << tokens;
        }
        EXPECT_TRUE(holdsItsTokens(*loaded));
    }
}

TEST(WindowState, everyAlteredByteOrTruncation_isRefused) {
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
