// The prefix cache with caches of every kind: entries, lookups and cuts, memory use and eviction
// order. Ids are those of docs/prefix-cache.md.

#include "engine/prefix/prefix_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/kv/cache_list.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/window/window_cache.h"
#include "tests/engine/kv/kv_fixture.h"

namespace lacuna::test {
namespace {

const KvShape kShape{.layers = 2, .kvHeads = 2, .keyDim = 8, .valueDim = 4, .type = DType::F16};
const PrefixSpaces kSpaces{.full = "model", .compacted = "model, compacted"};
constexpr std::int64_t kPlenty = std::int64_t{1} << 30;

std::vector<TokenId> tokens(TokenId first, TokenId last, std::vector<TokenId> more = {}) {
    std::vector<TokenId> out;
    for (TokenId token = first; token <= last; ++token) out.push_back(token);
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

std::unique_ptr<KvCache> dense(int held, const KvShape& shape = kShape) {
    auto cache = makeSlotCache(shape).value();
    EXPECT_TRUE(append(*cache, held));
    return cache;
}

/// Returns a cache whose tokens before `open` were compacted; those after it may be removed.
std::unique_ptr<KvCache> compacted(int held, int open = 0) {
    auto cache = dense(held - open);
    CompactionPlan plan = keepEverywhere(*cache, range((held - open) / 2, held - open));
    EXPECT_TRUE(cache->compactable()->apply(plan));
    EXPECT_TRUE(append(*cache, open));
    return cache;
}

struct Store : PrefixStore {
    explicit Store(std::int64_t limit = kPlenty, std::int64_t least = 0)
        : PrefixStore({.limitBytes = limit, .minTokens = least}) {}
    bool put(const std::vector<TokenId>& text, PrefixRole role = PrefixRole::Assistant) {
        const auto cache = dense(static_cast<int>(text.size()));
        return put(text, *cache, role);
    }
    bool put(const std::vector<TokenId>& text, KvCache& cache,
             PrefixRole role = PrefixRole::Assistant) {
        const bool kept = insert(kSpaces, text, cache, role);
        checkInvariants();
        return kept;
    }
    PrefixAnswer get(const std::vector<TokenId>& text, std::int64_t held = 0) {
        PrefixAnswer answer = find({.spaces = kSpaces, .tokens = text, .held = held});
        checkInvariants();
        if (answer.cache != nullptr) {
            EXPECT_EQ(answer.cache->offset().value, answer.tokens);
            EXPECT_TRUE(holdsItsTokens(*answer.cache));
        }
        return answer;
    }
    std::int64_t reused(const std::vector<TokenId>& text) { return get(text).tokens; }
};

// --- insertion

TEST(PrefixStore, tokensAndCacheOfDifferentLength_areRefused_PC1) {
    Store store;
    const auto cache = dense(6);
    EXPECT_TRUE(store.put(tokens(1, 6), *cache)) << "prompt of 5 and the token that was fed";
    EXPECT_FALSE(store.put(tokens(1, 7), *cache));
    EXPECT_FALSE(store.put(tokens(1, 4), *cache));
    EXPECT_EQ(store.stats().rejectedDifferent, 2);
    EXPECT_EQ(store.stats().entries, 1);
}

TEST(PrefixStore, hashCollision_comparesTokenIds_PC2) {
    // Texts that differ in any one token never match, whatever their order or sum.
    Store store;
    ASSERT_TRUE(store.put({1, 2, 3, 4}));
    EXPECT_EQ(store.reused({1, 2, 4, 3, 9}), 2);
    EXPECT_EQ(store.reused({4, 3, 2, 1, 9}), 0);
    EXPECT_EQ(store.reused({2, 1, 3, 4, 9}), 0);
}

TEST(PrefixStore, equalTokens_replaceOnlyAWorseEntry_PC3) {
    Store store;
    const auto text = tokens(1, 20);
    const auto few = compacted(20);
    ASSERT_TRUE(store.put(text, *few));
    const auto open = compacted(20, 6);
    EXPECT_TRUE(store.put(text, *open)) << "more slots, and it can be cut back";
    EXPECT_EQ(store.stats().replaced, 1);
    EXPECT_EQ(store.get(tokens(1, 15, {99})).tokens, 15);
    EXPECT_TRUE(store.put(text, *few));
    EXPECT_EQ(store.stats().replaced, 1);
    EXPECT_EQ(store.stats().refreshed, 1);
    EXPECT_EQ(store.stats().inserts, 2);
    EXPECT_EQ(store.stats().entries, 1);
    EXPECT_EQ(store.get(tokens(1, 15, {99})).tokens, 15) << "the better one stayed";
}

TEST(PrefixStore, longerText_replacesCoveredEntries_PC4) {
    Store store;
    ASSERT_TRUE(store.put(tokens(1, 4)));
    ASSERT_TRUE(store.put(tokens(1, 6), PrefixRole::System));
    ASSERT_TRUE(store.put(tokens(1, 7)));
    ASSERT_TRUE(store.pin(kSpaces.full, tokens(1, 7), true));
    ASSERT_TRUE(store.put(tokens(1, 8)));
    ASSERT_TRUE(store.put(tokens(1, 10)));
    EXPECT_EQ(store.stats().entries, 3) << "the system's and the pinned one stay";
    EXPECT_EQ(store.stats().covered, 2);
    const auto closed = compacted(12);
    ASSERT_TRUE(store.put(tokens(1, 12), *closed));
    ASSERT_TRUE(store.put(tokens(1, 14), *compacted(14)));
    EXPECT_EQ(store.stats().entries, 5) << "what cannot be cut back covers nothing";
    ASSERT_TRUE(store.put(tokens(1, 18), *compacted(18, 6)));
    EXPECT_EQ(store.stats().covered, 4) << "both begin it, and it can be cut back to them";
    const auto twice = compacted(18, 6);
    ASSERT_TRUE(twice->compactable()->apply(keepEverywhere(*twice, range(2, 12))));
    ASSERT_TRUE(append(*twice, 6));
    ASSERT_TRUE(store.put(tokens(1, 24), *twice));
    EXPECT_EQ(store.stats().covered, 4) << "not what it lost more than";
}

// A repeated question: the own cache is rolled back to before a compaction during its answer.
TEST(PrefixStore, equalLengthWithFewerCompactions_isPreferred) {
    Store store;
    ASSERT_TRUE(store.put(tokens(1, 20)));
    const auto asked = [&](std::int64_t held, std::int64_t compactions) {
        const auto text = tokens(1, 20);
        return store
            .find({.spaces = kSpaces, .tokens = text, .held = held, .heldCompactions = compactions})
            .tokens;
    };
    EXPECT_EQ(asked(19, 0), 0) << "nothing is gained";
    EXPECT_EQ(asked(19, 1), 19) << "the whole one";
    EXPECT_EQ(asked(18, 0), 19);
    Store lossy;
    ASSERT_TRUE(lossy.put(tokens(1, 20), *compacted(20, 4)));
    const auto text = tokens(1, 20);
    EXPECT_EQ(
        lossy.find({.spaces = kSpaces, .tokens = text, .held = 19, .heldCompactions = 1}).tokens, 0)
        << "it lost as much itself";
    EXPECT_EQ(
        lossy.find({.spaces = kSpaces, .tokens = text, .held = 19, .heldCompactions = 2}).tokens,
        19);
}

TEST(PrefixStore, ownCompactedCache_isReplacedOnlyForManyMoreTokens_PC6) {
    Store store(kPlenty, 8);
    ASSERT_TRUE(store.put(tokens(1, 30)));
    const auto text = tokens(1, 40);
    const auto given = [&](std::int64_t held, bool goesOn) {
        const PrefixQuery query{
            .spaces = kSpaces, .tokens = text, .held = held, .heldContinues = goesOn};
        EXPECT_EQ(store.holds(query), store.find(query).tokens);
        return store.find(query).tokens;
    };
    EXPECT_EQ(given(23, false), 30);
    EXPECT_EQ(given(23, true), 0);
    EXPECT_EQ(given(22, true), 30);
    EXPECT_EQ(given(0, true), 30);
}

TEST(PrefixStore, shortTexts_areNeitherStoredNorReturned_PC5) {
    Store store(kPlenty, 8);
    EXPECT_FALSE(store.put(tokens(1, 7)));
    EXPECT_EQ(store.stats().rejectedShort, 1);
    EXPECT_TRUE(store.put(tokens(1, 12)));
    EXPECT_EQ(store.reused(tokens(1, 7, {99})), 0);
    EXPECT_EQ(store.reused(tokens(1, 8, {99})), 8);
    EXPECT_NE(store.get(tokens(1, 7, {99, 98, 97})).note, "") << "why it is not used is said";
}

// --- lookup

TEST(PrefixStore, contractVectors_areMet_PM1toPM7) {
    const auto ten = tokens(1, 10);
    const auto with = [](const std::vector<std::vector<TokenId>>& stored,
                         const std::vector<TokenId>& asked) {
        Store store;
        for (const auto& text : stored) EXPECT_TRUE(store.put(text));
        PrefixAnswer answer = store.get(asked);
        return std::pair(answer.tokens, answer.match);
    };
    using Answer = std::pair<std::int64_t, PrefixMatch>;
    EXPECT_EQ(with({ten}, ten), Answer(9, PrefixMatch::Exact));
    EXPECT_EQ(with({ten}, tokens(1, 6)), Answer(5, PrefixMatch::Longer));
    EXPECT_EQ(with({ten}, tokens(1, 6, {98, 99})), Answer(6, PrefixMatch::Diverging));
    EXPECT_EQ(with({ten}, tokens(1, 12)), Answer(10, PrefixMatch::Shorter));
    EXPECT_EQ(with({ten, tokens(1, 4)}, tokens(1, 6, {98})), Answer(6, PrefixMatch::Diverging));
    EXPECT_EQ(with({tokens(1, 20), tokens(1, 8)}, tokens(1, 6)), Answer(5, PrefixMatch::Longer));
    EXPECT_EQ(with({{7}}, {7, 8}), Answer(1, PrefixMatch::Shorter));
    EXPECT_EQ(with({ten}, {99, 1, 2}), Answer(0, PrefixMatch::None));
}

TEST(PrefixStore, compactedEntry_isNotTrimmedBelowItsCompaction_PM5_PM8) {
    Store store;
    ASSERT_TRUE(store.put(tokens(1, 10), *compacted(10)));
    EXPECT_EQ(store.reused(tokens(1, 10)), 0);
    EXPECT_EQ(store.reused(tokens(1, 6)), 0);
    EXPECT_EQ(store.reused(tokens(1, 12)), 10);
    const PrefixAnswer none = store.get(tokens(1, 6, {98}));
    EXPECT_EQ(none.tokens, 0);
    EXPECT_NE(none.note.find("cannot be cut below 10"), std::string::npos) << none.note;
    ASSERT_TRUE(store.put(tokens(1, 4)));
    EXPECT_EQ(store.reused(tokens(1, 6, {98})), 4) << "a shorter one serves";
}

TEST(PrefixStore, smallestSufficientEntry_isUsed_PM6) {
    Store store;
    ASSERT_TRUE(store.put(tokens(1, 20)));
    ASSERT_TRUE(store.put(tokens(1, 8)));
    (void)store.get(tokens(1, 6));
    store.forEach(
        [](const PrefixEntry& entry) { EXPECT_EQ(entry.hits, entry.tokens.size() == 8 ? 1 : 0); });
}

TEST(PrefixStore, tokensAfterACompaction_canBeTrimmed) {
    Store store;
    ASSERT_TRUE(store.put(tokens(1, 30), *compacted(30, 10)));
    EXPECT_EQ(store.reused(tokens(1, 24, {98})), 24);
    EXPECT_EQ(store.reused(tokens(1, 20, {98})), 20);
    EXPECT_EQ(store.reused(tokens(1, 19, {98})), 0);
}

TEST(PrefixStore, passedWindows_areServedByBoundaries_PM9) {
    std::vector<LayerPlan> plans(2);
    plans[1].window = WindowRule{16, 0};
    const auto list = [&plans] { return makeCacheList(kShape, plans).value(); };
    Store store;
    const auto cache = list();
    ASSERT_TRUE(append(*cache, 40));
    ASSERT_TRUE(store.put(tokens(1, 40), *cache, PrefixRole::User)) << "the end of a prompt";
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(append(*cache, 1));
    ASSERT_TRUE(store.put(tokens(1, 50), *cache));
    EXPECT_EQ(store.stats().entries, 2) << "the longer one cannot be cut back, both stay";
    const PrefixAnswer again = store.get(tokens(1, 45, {99}));
    EXPECT_EQ(again.tokens, 40) << "from the boundary";
    EXPECT_NE(again.note.find("shares 45 tokens"), std::string::npos) << again.note;
    EXPECT_EQ(store.reused(tokens(1, 50, {99})), 50);
    EXPECT_EQ(store.reused(tokens(1, 39, {99})), 0);
    // The copy continues like a cache that was never stored.
    auto going = store.get(tokens(1, 41)).cache;
    const auto fresh = list();
    ASSERT_TRUE(append(*fresh, 40));
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(append(*going, 1));
        ASSERT_TRUE(append(*fresh, 1));
    }
    EXPECT_EQ(going->save().value(), fresh->save().value());
}

TEST(PrefixStore, entry_isUnchangedByItsCopies_PM10_S5) {
    for (const KvQuant quant : {KvQuant{}, KvQuant{8, 32}, KvQuant{4, 0}}) {
        KvShape shape{.layers = 2, .kvHeads = 2, .keyDim = 32, .valueDim = 32, .type = DType::F16};
        shape.keyQuant = shape.valueQuant = quant;
        if (quant.rotated()) shape.exact = {.newest = 8, .first = 2};
        Store store;
        auto cache = dense(300, shape);
        ASSERT_TRUE(store.insert(kSpaces, tokens(1, 300), *cache, PrefixRole::User));
        std::string before;
        store.forEach([&](const PrefixEntry& entry) { before = entry.cache->save().value(); });
        ASSERT_TRUE(append(*cache, 7));
        cache.reset();
        auto cut = store.find({.spaces = kSpaces, .tokens = tokens(1, 290, {99})}).cache;
        ASSERT_NE(cut, nullptr);
        ASSERT_TRUE(append(*cut, 40));
        EXPECT_TRUE(quant.rotated() || holdsItsTokens(*cut));
        auto whole = store.find({.spaces = kSpaces, .tokens = tokens(1, 400)}).cache;
        ASSERT_NE(whole, nullptr);
        for (int i = 0; i < 20; ++i) ASSERT_TRUE(append(*whole, 1));
        ASSERT_TRUE(whole->compactable()->apply(keepEverywhere(*whole, range(60, 320))));
        store.forEach([&](const PrefixEntry& entry) {
            EXPECT_EQ(entry.cache->save().value(), before);
            EXPECT_EQ(entry.hits, 2) << "counted once each";
        });
        store.checkInvariants();
    }
}

TEST(PrefixStore, match_leavesAtLeastOneToken_andNoMoreThanTheReplayLimit_PM1) {
    Store store;
    ASSERT_TRUE(store.put(tokens(1, 50)));
    const auto asked = tokens(1, 60);
    EXPECT_EQ(store.find({.spaces = kSpaces, .tokens = asked, .most = 33}).tokens, 33);
    EXPECT_EQ(store.find({.spaces = kSpaces, .tokens = asked, .held = 50}).tokens, 0)
        << "whoever asks has as much";
}

TEST(PrefixStore, separateSpaces_shareNothing_PB3) {
    Store store;
    ASSERT_TRUE(store.put(tokens(1, 10)));
    const PrefixSpaces other{.full = "another model", .compacted = "model, compacted"};
    EXPECT_EQ(store.find({.spaces = other, .tokens = tokens(1, 12)}).tokens, 0);
    ASSERT_TRUE(store.put(tokens(1, 20), *compacted(20)));
    const PrefixSpaces plain{.full = "model", .compacted = ""};
    EXPECT_EQ(store.find({.spaces = plain, .tokens = tokens(1, 22)}).tokens, 10)
        << "what was compacted is not for those who compact otherwise";
    EXPECT_EQ(store.reused(tokens(1, 22)), 20);
}

TEST(PrefixStore, anotherModelInUse_dropsEntriesOfTheFirst) {
    Store store;
    const PrefixSpaces first{.full = "first", .compacted = "first, compacted", .model = "1"};
    const PrefixSpaces second{.full = "second", .compacted = "", .model = "2"};
    for (const PrefixSpaces* spaces : {&first, &second})
        ASSERT_TRUE(store.insert(*spaces, tokens(1, 200), *dense(200), PrefixRole::System));
    ASSERT_TRUE(store.insert(first, tokens(1, 210), *compacted(210), PrefixRole::User));
    ASSERT_TRUE(store.pin(first.full, tokens(1, 200), true));
    const std::int64_t all = store.bytes();
    store.dropOtherModels("2");
    store.checkInvariants();
    EXPECT_EQ(store.stats().entries, 1) << "pinned entries are of no use either";
    EXPECT_LT(store.bytes(), all / 2);
    EXPECT_EQ(store.find({.spaces = second, .tokens = tokens(1, 300)}).tokens, 200);
    EXPECT_EQ(store.find({.spaces = first, .tokens = tokens(1, 300)}).tokens, 0);
}

// --- memory

TEST(PrefixStore, sharedRows_areCountedOnce_PE3) {
    Store store;
    auto cache = dense(200);
    ASSERT_TRUE(store.put(tokens(1, 200), *cache, PrefixRole::System));
    const std::int64_t one = store.bytes();
    EXPECT_GE(one, cache->stats().liveBytes);
    EXPECT_LT(one, cache->stats().liveBytes + 200 * 4 * 2 + 1024) << "rows, tokens and the index";
    ASSERT_TRUE(append(*cache, 20));
    ASSERT_TRUE(store.put(tokens(1, 220), *cache));
    const std::int64_t rowsOfTwenty = 20 * 2 * 2 * (8 + 4) * 2;
    EXPECT_LT(store.bytes(), one + rowsOfTwenty + 220 * 4 + 512) << "the first 200 rows once";
    const auto visitCache = [&cache](const KvCache::BlockVisitor& visit) {
        cache->visitBlocks(visit);
    };
    EXPECT_LT(store.bytesBeyond(visitCache), 2 * 220 * 4 + 2048) << "no second copy of any row";
    cache.reset();
    EXPECT_EQ(store.bytesBeyond([](const KvCache::BlockVisitor&) {}), store.bytes());
}

TEST(PrefixStore, readers_shareTheRowsOfTheEntry) {
    // Heads large enough for separately mapped blocks.
    const KvShape large{.layers = 2, .kvHeads = 2, .keyDim = 128, .valueDim = 128};
    Store store;
    auto first = dense(600, large);
    const std::int64_t one = first->stats().liveBytes;
    ASSERT_TRUE(store.put(tokens(1, 600), *first));
    std::vector<std::unique_ptr<KvCache>> readers;
    for (int i = 0; i < 4; ++i) {
        readers.push_back(store.get(tokens(1, 600 - i, {99})).cache);
        ASSERT_NE(readers.back(), nullptr);
        for (int token = 0; token < 5; ++token) ASSERT_TRUE(append(*readers.back(), 1));
        ASSERT_TRUE(append(*first, 1));
    }
    std::map<const void*, std::int64_t> memory;
    const auto count = [&memory](const void* block, std::int64_t bytes) {
        memory[block] = std::max(memory[block], bytes);
    };
    first->visitBlocks(count);
    for (const auto& reader : readers) reader->visitBlocks(count);
    store.forEach([&](const PrefixEntry& entry) { entry.cache->visitBlocks(count); });
    std::int64_t all = 0;
    for (const auto& [block, bytes] : memory) all += bytes;
    EXPECT_LT(all, one + one / 10) << "six caches over the rows of one";
    for (const auto& reader : readers) EXPECT_TRUE(holdsItsTokens(*reader));
    EXPECT_TRUE(holdsItsTokens(*first));
}

TEST(PrefixStore, lowerLimit_evictsImmediately_PE1) {
    Store store;
    for (TokenId i = 0; i < 5; ++i) ASSERT_TRUE(store.put(tokens(100 * i, 100 * i + 49)));
    const std::int64_t all = store.bytes();
    store.limit(all / 2);
    store.checkInvariants();
    EXPECT_LE(store.bytes(), all / 2);
    EXPECT_EQ(store.stats().entries, 2);
    EXPECT_EQ(store.stats().evictedForLimit, 3);
    EXPECT_EQ(store.reused(tokens(400, 449, {9999})), 50) << "the newest are left";
    store.limit(0);
    EXPECT_FALSE(store.on());
    EXPECT_EQ(store.bytes(), 0);
    EXPECT_FALSE(store.put(tokens(1, 50)));
}

TEST(PrefixStore, entryBeyondTheLimit_isRefusedBeforeCopying_PE2) {
    CountingAllocator allocator;
    auto cache = makeSlotCache(kShape, allocator).value();
    ASSERT_TRUE(append(*cache, 100));
    const int before = allocator.allocations;
    Store store(cache->stats().liveBytes);
    EXPECT_FALSE(store.put(tokens(1, 100), *cache));
    EXPECT_EQ(store.stats().rejectedLarge, 1);
    EXPECT_EQ(allocator.allocations, before);
}

TEST(PrefixStore, eviction_followsTheOrderOfRoles_PE4) {
    Store store;
    ASSERT_TRUE(store.put(tokens(1, 50), PrefixRole::System));
    ASSERT_TRUE(store.put(tokens(101, 150), PrefixRole::User));
    ASSERT_TRUE(store.put(tokens(201, 250)));
    ASSERT_TRUE(store.put(tokens(301, 350)));
    ASSERT_TRUE(store.put(tokens(401, 450)));
    ASSERT_TRUE(store.pin(kSpaces.full, tokens(401, 450), true));
    (void)store.get(tokens(201, 260));
    const auto left = [&store](TokenId first) {
        return store.reused(tokens(first, first + 49, {9999})) == 50;
    };
    ASSERT_TRUE(store.releaseOne());
    EXPECT_FALSE(left(301)) << "the assistant's that was not used since";
    ASSERT_TRUE(store.releaseOne());
    EXPECT_FALSE(left(201));
    ASSERT_TRUE(store.releaseOne());
    EXPECT_FALSE(left(101));
    ASSERT_TRUE(store.releaseOne());
    EXPECT_FALSE(left(1));
    EXPECT_FALSE(store.releaseOne());
    EXPECT_TRUE(left(401)) << "pinned";
    EXPECT_EQ(store.stats().evictedForCaches, 4);
}

TEST(PrefixStore, allocationFailureOfACopy_isAMiss_andChangesNothing) {
    CountingAllocator allocator;
    KvShape shape{.layers = 1, .kvHeads = 1, .keyDim = 32, .valueDim = 32, .type = DType::F16};
    shape.keyQuant = shape.valueQuant = {4, 0};
    shape.exact = {.newest = 8, .first = 2};
    auto cache = makeSlotCache(shape, allocator).value();
    ASSERT_TRUE(append(*cache, 60));
    Store store;
    ASSERT_TRUE(store.insert(kSpaces, tokens(1, 60), *cache, PrefixRole::User));
    allocator.failAfter = 0;
    const PrefixAnswer answer = store.find({.spaces = kSpaces, .tokens = tokens(1, 70)});
    EXPECT_EQ(answer.match, PrefixMatch::None);
    EXPECT_NE(answer.note, "");
    EXPECT_FALSE(store.insert(kSpaces, tokens(1, 60, {7}), *cache, PrefixRole::User));
    EXPECT_EQ(store.stats().failures, 1) << "lengths differ before anything is copied";
    allocator.failAfter = -1;
    EXPECT_EQ(store.find({.spaces = kSpaces, .tokens = tokens(1, 70)}).tokens, 60);
    store.checkInvariants();
}

// --- statistics and the second tier

TEST(PrefixStore, counters_areConsistent_PE9) {
    Store store(kPlenty, 4);
    ASSERT_TRUE(store.put(tokens(1, 10)));
    (void)store.get(tokens(1, 10));
    (void)store.get(tokens(1, 6));
    (void)store.get(tokens(1, 6, {98}));
    (void)store.get(tokens(1, 12));
    (void)store.get(tokens(50, 60));
    (void)store.get({1});
    const PrefixAnswer timed =
        store.find({.spaces = kSpaces, .tokens = tokens(1, 12), .held = 4, .secondsPerToken = .5});
    EXPECT_EQ(timed.tokens, 10);
    const PrefixStats stats = store.stats();
    EXPECT_EQ(stats.lookups, 7);
    EXPECT_EQ(stats.matches, (std::array<std::int64_t, 5>{2, 1, 1, 1, 2}));
    EXPECT_EQ(stats.hits(), 5);
    EXPECT_EQ(stats.tokensQueried, 10 + 6 + 7 + 12 + 11 + 1 + 12);
    EXPECT_EQ(stats.tokensReused, 9 + 5 + 6 + 10 + 10);
    EXPECT_DOUBLE_EQ(stats.savedSeconds, 3.0);
}

class LowerTier final : public PrefixTier {
  public:
    PrefixAnswer find(const PrefixQuery& query, std::int64_t beyond, std::int64_t most) override {
        asked.emplace_back(beyond, most);
        PrefixAnswer answer;
        if (holds <= beyond || holds > most) return answer;
        answer.match = PrefixMatch::Shorter;
        answer.tokens = holds;
        answer.cache = dense(static_cast<int>(holds));
        (void)query;
        return answer;
    }
    void stored(const PrefixSpaces& /*spaces*/, std::span<const TokenId> tokens,
                KvCache& /*cache*/) override {
        seen.emplace_back(tokens.begin(), tokens.end());
    }
    std::int64_t holds = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> asked;
    std::vector<std::vector<TokenId>> seen;
};

TEST(PrefixStore, secondTier_isQueriedIfItMayHoldMore) {
    Store store;
    LowerTier tier;
    store.setTier(&tier);
    ASSERT_TRUE(store.put(tokens(1, 10)));
    EXPECT_EQ(tier.seen, std::vector<std::vector<TokenId>>(1, tokens(1, 10)));
    EXPECT_EQ(store.reused(tokens(1, 11)), 10);
    EXPECT_TRUE(tier.asked.empty()) << "memory gives all there is to give";
    tier.holds = 15;
    EXPECT_EQ(store.reused(tokens(1, 20)), 15);
    EXPECT_EQ(tier.asked.back(), std::pair(std::int64_t{10}, std::int64_t{19}));
    tier.holds = 0;
    EXPECT_EQ(store.reused(tokens(1, 20)), 15) << "what came from there is in memory now";
    EXPECT_EQ(tier.seen.size(), 1U) << "and is not written again";
    tier.holds = 15;
    EXPECT_EQ(store.reused(tokens(1, 20)), 15) << "memory before the disk";
    EXPECT_EQ(tier.asked.back(), std::pair(std::int64_t{15}, std::int64_t{19}));
    EXPECT_EQ(store.stats().hits(), 4);
}

TEST(PrefixStore, zeroLimit_stillWritesToAndQueriesTheSecondTier) {
    Store store;
    LowerTier tier;
    store.setTier(&tier);
    store.limit(0);
    EXPECT_FALSE(store.put(tokens(1, 10))) << "memory keeps nothing";
    EXPECT_EQ(tier.seen.size(), 1U);
    tier.holds = 8;
    EXPECT_EQ(store.reused(tokens(1, 20)), 8);
    EXPECT_EQ(store.reused(tokens(1, 20)), 8);
    EXPECT_EQ(tier.asked.size(), 2U);
    EXPECT_EQ(store.stats().entries, 0);
}

TEST(PrefixStore, misses_areCountedByReason) {
    Store store;
    const auto misses = [&store](PrefixMiss reason) {
        return store.stats().misses[static_cast<std::size_t>(reason)];
    };
    EXPECT_EQ(store.reused(tokens(1, 20)), 0);
    EXPECT_EQ(misses(PrefixMiss::Nothing), 1);
    ASSERT_TRUE(store.put(tokens(1, 10)));
    EXPECT_EQ(store.reused(tokens(101, 120)), 0);
    EXPECT_EQ(misses(PrefixMiss::Nothing), 2);
    EXPECT_EQ(store.get(tokens(1, 20), 10).tokens, 0) << "whoever asks has them";
    EXPECT_EQ(misses(PrefixMiss::Held), 1);
    std::int64_t all = 0;
    for (const std::int64_t one : store.stats().misses) all += one;
    EXPECT_EQ(all, store.stats().lookups - store.stats().hits());
}

}  // namespace
}  // namespace lacuna::test
