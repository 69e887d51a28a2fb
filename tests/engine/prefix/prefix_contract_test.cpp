// Rules of stored prefixes for every kind of cache and every tier: in memory, and through the disk
// tier as a session sets it up. Ids: docs/prefix-cache.md, docs/disk-tier.md.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "engine/prefix/page_fidelity.h"
#include "engine/prefix/prefix_pages.h"
#include "engine/prefix/prefix_store.h"
#include "tier_fixture.h"

namespace lacuna {
namespace {

using namespace test;

const PrefixSpaces kSpaces{
    .full = "whole", .compacted = "compacted", .model = "0123456789abcdef0123456789abcdef"};
constexpr std::int64_t kPlenty = std::int64_t{1} << 30;

struct Kind {
    std::string name;
    KvChoice choice;
    bool cut = true;  ///< it can be cut back to any length
};

KvChoice plain(KvShape shape) {
    return {.shape = shape, .window = {}, .layers = {}};
}

/// Returns every kind that a session creates.
std::vector<Kind> kinds() {
    KvShape coded = tierShape();
    coded.keyQuant = coded.valueQuant = KvQuant{8, 32};
    KvShape rotated = tierShape();
    rotated.keyQuant = rotated.valueQuant = KvQuant{4, 0};
    KvShape exact = rotated;
    exact.exact = {.newest = 32, .first = 4};
    std::vector<LayerPlan> sliding(2);
    sliding[1].window = WindowRule{64, 0};
    return {{"f16", plain(tierShape()), true},
            {"bf16", plain(tierShape(DType::BF16)), true},
            {"f32", plain(tierShape(DType::F32)), true},
            {"groups", plain(coded), true},
            {"rotated", plain(rotated), true},
            {"rotated_with_window_of_16_bits", plain(exact), true},
            {"sliding", {.shape = tierShape(), .window = {}, .layers = sliding}, false},
            {"window", {.shape = tierShape(), .window = WindowRule{100, 4}, .layers = {}}, false}};
}

class StoredCacheKind : public testing::TestWithParam<Kind> {
  protected:
    [[nodiscard]] const KvChoice& choice() const { return GetParam().choice; }
    [[nodiscard]] std::unique_ptr<KvCache> over(std::span<const TokenId> tokens) const {
        return cacheOver(tokens, choice());
    }
    /// Checks that a cache over the start of a text, cut back to it or not, continues like one that
    /// was never stored. A cut cache lacks the 16-bit rows that had left the window.
    void expectGoesOn(KvCache& given, const std::vector<TokenId>& tokens, bool cut = false) const {
        const auto never =
            over(std::span(tokens).first(static_cast<std::size_t>(given.offset().value)));
        evaluate(given, tokens);
        evaluate(*never, tokens);
        EXPECT_EQ(given.offset(), never->offset());
        given.checkInvariants();
        if (cut && choice().shape.exact.newest > 0)
            EXPECT_TRUE(sameRows(given, *never, given.offset().value));
        else
            EXPECT_TRUE(given.save().value() == never->save().value());
    }
};

std::vector<TokenId> joined(std::span<const TokenId> first, std::span<const TokenId> second) {
    std::vector<TokenId> all(first.begin(), first.end());
    all.insert(all.end(), second.begin(), second.end());
    return all;
}

// S5-01, S5-14, S5-15: exact, longer, diverging and shorter texts match for every kind, as far as
// it can be cut, and the result is a cache of that kind.
TEST_P(StoredCacheKind, everyMatch_reusesWhatTheKindAllows_S5_01_S5_14_S5_15) {
    PrefixStore store({.limitBytes = kPlenty, .minTokens = 16});
    const auto tokens = text(300);
    ASSERT_TRUE(store.insert(kSpaces, tokens, *over(tokens), PrefixRole::User));
    const auto parting = joined(std::span(tokens).first(200), text(50, 9));
    const auto beginning = std::vector<TokenId>(tokens.begin(), tokens.begin() + 150);
    const auto longer = joined(tokens, text(40, 9));
    struct Case {
        const std::vector<TokenId>& asked;
        PrefixMatch match;
        std::int64_t tokens;
    };
    for (const Case& one :
         {Case{tokens, PrefixMatch::Exact, 299}, Case{beginning, PrefixMatch::Longer, 149},
          Case{parting, PrefixMatch::Diverging, 200}}) {
        const PrefixAnswer answer = store.find({.spaces = kSpaces, .tokens = one.asked});
        EXPECT_EQ(answer.match, GetParam().cut ? one.match : PrefixMatch::None);
        EXPECT_EQ(answer.tokens, GetParam().cut ? one.tokens : 0);
        if (GetParam().cut) {
            expectGoesOn(*answer.cache, one.asked, true);
        } else {
            EXPECT_FALSE(answer.note.empty()) << "it is said why (PM-11)";
        }
    }
    const PrefixAnswer shorter = store.find({.spaces = kSpaces, .tokens = longer});
    EXPECT_EQ(shorter.match, PrefixMatch::Shorter);
    ASSERT_EQ(shorter.tokens, 300);
    EXPECT_EQ(shorter.cache->shape().type, choice().shape.type) << "S5-17";
    expectGoesOn(*shorter.cache, longer);
}

// S5-03, S5-13, PM-10: changes to a copy never reach the entry.
TEST_P(StoredCacheKind, copiesTrimmedAndExtended_leaveTheEntryUnchanged_S5_03_S5_13) {
    PrefixStore store({.limitBytes = kPlenty, .minTokens = 16});
    const auto tokens = text(300);
    ASSERT_TRUE(store.insert(kSpaces, tokens, *over(tokens), PrefixRole::User));
    const auto saved = [&store] {
        std::string bytes;
        store.forEach([&](const PrefixEntry& entry) { bytes = entry.cache->save().value(); });
        return bytes;
    };
    const std::string before = saved();
    for (int round = 0; round < 4; ++round) {
        const auto longer = joined(tokens, text(200, static_cast<std::uint64_t>(round) + 20));
        const PrefixAnswer answer = store.find({.spaces = kSpaces, .tokens = longer});
        ASSERT_NE(answer.cache, nullptr);
        if (GetParam().cut) {
            ASSERT_TRUE(answer.cache->rollback(100));
        }
        evaluate(
            *answer.cache,
            joined(std::span(longer).first(static_cast<std::size_t>(answer.cache->offset().value)),
                   text(60, static_cast<std::uint64_t>(round) + 40)));
        EXPECT_TRUE(saved() == before);
    }
}

// PB-4: two caches with the same prefix share its rows, which stay when one of them ends.
TEST_P(StoredCacheKind, twoReadersOfOneEntry_oneEnds_theOtherKeepsItsRows_PB4) {
    PrefixStore store({.limitBytes = kPlenty, .minTokens = 16});
    const auto tokens = text(300);
    ASSERT_TRUE(store.insert(kSpaces, tokens, *over(tokens), PrefixRole::User));
    const auto one = joined(tokens, text(30, 7));
    const auto other = joined(tokens, text(30, 8));
    auto first = store.find({.spaces = kSpaces, .tokens = one}).cache;
    auto second = store.find({.spaces = kSpaces, .tokens = other}).cache;
    evaluate(*first, one);
    store.clear();
    first.reset();
    expectGoesOn(*second, other);
}

/// Sets the folder to store rows exactly instead of the smaller default.
const std::filesystem::path& exactFolder(const std::filesystem::path& folder) {
    EXPECT_TRUE(storePageFidelity(folder, PageFidelity::Exact));
    return folder;
}

/// A second process over the same folder, as after a restart.
struct OnDisk {
    explicit OnDisk(const std::filesystem::path& folder)
        : pages(tierOptions(exactFolder(folder))), store({.limitBytes = kPlenty, .minTokens = 16}) {
        store.setTier(&pages);
        settle();
    }
    void settle() const {
        while (pages.busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    PrefixPages pages;
    PrefixStore store;
};

// S5-07, S5-11, S5-15, SD-15, SD-17: a cache found after a restart continues bit for bit, whatever
// its kind and type. A layer keeps its window and its position in it.
TEST_P(StoredCacheKind, restart_continuesBitForBit_S5_07_S5_11_SD15_SD17) {
    const TemporaryFolder folder;
    const auto tokens = text(512);
    const auto longer = joined(tokens, text(40, 9));
    {
        OnDisk before(folder.path());
        ASSERT_TRUE(before.store.insert(kSpaces, tokens, *over(tokens), PrefixRole::User));
        before.settle();
        EXPECT_EQ(before.pages.stats().notStorable, 0);
    }
    OnDisk after(folder.path());
    const KvChoice wanted = choice();
    const PrefixAnswer answer =
        after.store.find({.spaces = kSpaces, .tokens = longer, .choice = &wanted});
    ASSERT_EQ(answer.tokens, 512) << answer.note;
    EXPECT_EQ(answer.cache->shape().type, wanted.shape.type);
    EXPECT_EQ(after.pages.stats().hits, 1);
    expectGoesOn(*answer.cache, longer);
}

INSTANTIATE_TEST_SUITE_P(Kinds, StoredCacheKind, testing::ValuesIn(kinds()),
                         [](const auto& one) { return one.param.name; });

// SD-15: bf16 numbers outside of the range of f16 are preserved.
TEST(PrefixContract, bf16ValuesOutsideF16_surviveTheRoundTrip_SD15) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const KvChoice choice = plain(tierShape(DType::BF16));
    auto cache = makeCache(choice).value();
    const auto tokens = text(256);
    const KvShape& shape = choice.shape;
    ASSERT_TRUE(cache->beginAppend(256));
    for (int layer = 0; layer < shape.layers; ++layer) {
        const std::vector<float> keys(static_cast<std::size_t>(256 * 2 * shape.keyDim), 3e38F);
        const std::vector<float> values(static_cast<std::size_t>(256 * 2 * shape.valueDim), 1e-38F);
        cache->writeLayer(LayerIndex(layer), {keys.data(), {256, 2, shape.keyDim}},
                          {values.data(), {256, 2, shape.valueDim}});
    }
    cache->commitAppend();
    ASSERT_TRUE(disk.keep(tokens, *cache));
    const auto asked = joined(tokens, text(4, 3));
    const auto start = disk.tier->find(tierSpace(), asked, 259, choice);
    ASSERT_EQ(start.tokens, 256);
    const auto loaded = disk.tier->load(tierSpace(), asked, start, choice);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->cache->save().value(), cache->save().value());
}

// PB-7: a chain ends at the first page of another layout, whichever page that is.
TEST(PrefixContract, laterPageOfAnotherLayout_endsTheChainThere_PB7) {
    for (const std::size_t odd : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
        const TemporaryFolder folder;
        TierOnDisk disk(tierOptions(folder.path()));
        const auto tokens = text(768);
        const KvChoice choice = plain(tierShape());
        ASSERT_TRUE(disk.keep(tokens, *cacheOver(tokens, choice)));
        const auto asked = joined(tokens, text(4, 3));
        const auto start = disk.tier->find(tierSpace(), asked, 771, choice);
        ASSERT_EQ(start.keys.size(), 3U);
        const auto path = folder.path() / PageStore::pathOf(tierSpace(), start.keys[odd]);
        const auto bytes = bytesOf(path);
        const auto page = parsePage(bytes);
        ASSERT_TRUE(page);
        PageHeader header = page->header;
        header.layout = cacheLayoutOf(plain(tierShape(DType::BF16)));
        overwrite(path, writePage(header, page->tokens, page->rows));
        EXPECT_EQ(disk.tier->find(tierSpace(), asked, 771, choice).tokens,
                  static_cast<std::int64_t>(odd) * 256)
            << odd;
    }
}

// PE-1: the number of entries is limited as well as the bytes.
TEST(PrefixContract, tooManyEntries_evictTheOldest_PE1) {
    PrefixStore store({.limitBytes = kPlenty, .minTokens = 16, .maxEntries = 3});
    for (std::uint64_t i = 0; i < 6; ++i) {
        const auto tokens = text(40, 50 + i);
        ASSERT_TRUE(store.insert(kSpaces, tokens, *cacheOver(tokens), PrefixRole::User));
        EXPECT_LE(store.stats().entries, 3);
    }
    EXPECT_EQ(store.find({.spaces = kSpaces, .tokens = text(41, 50)}).tokens, 0);
    EXPECT_GT(store.find({.spaces = kSpaces, .tokens = text(41, 55)}).tokens, 0);
}

/// Counts encoded and decoded pages.
class CountingCodec final : public PageCodec {
  public:
    struct Counts {
        std::atomic<int> encoded{0};
        std::atomic<int> decoded{0};
        std::atomic<bool> fails{false};
    };
    explicit CountingCodec(Counts& counts) : counts_(counts) {}
    [[nodiscard]] std::string_view name() const override { return rows_->name(); }
    [[nodiscard]] std::uint64_t identity() const override { return 0; }
    [[nodiscard]] Result<std::vector<std::byte>> encode(const KvCache& cache,
                                                        TokenRun run) const override {
        ++counts_.encoded;
        return rows_->encode(cache, run);
    }
    [[nodiscard]] Status decode(std::span<const std::byte> bytes, TokenRun run,
                                KvCache& cache) const override {
        ++counts_.decoded;
        if (counts_.fails) return fail(ErrorCode::Corrupt, "it does not decode");
        return rows_->decode(bytes, run, cache);
    }

  private:
    Counts& counts_;
    std::unique_ptr<PageCodec> rows_ = makeRowsCodec();
};

// S5-04, S5-12, G-10: lookup and cost estimates decode nothing. PE-7: the cache in use is never
// coded in place. PE-8: a failure to decode is a miss.
TEST(PrefixContract, lookupCountsAndDecisions_decodeNothing_S5_04_S5_12_PE7_PE8) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    CountingCodec::Counts counts;
    std::vector<std::unique_ptr<PageCodec>> codecs;
    codecs.push_back(std::make_unique<CountingCodec>(counts));
    disk.tier = std::make_unique<DiskTier>(*disk.store, std::move(codecs));
    const auto tokens = text(600);
    const auto cache = cacheOver(tokens);
    const std::string before = cache->save().value();
    ASSERT_TRUE(disk.keep(tokens, *cache));
    EXPECT_EQ(cache->save().value(), before);
    EXPECT_EQ(counts.encoded, 3);
    const KvChoice choice = plain(tierShape());
    const StoredStart start = disk.tier->find(tierSpace(), tokens, 599, choice);
    ASSERT_EQ(start.tokens, 599);
    EXPECT_GT(start.bytes, 0);
    (void)disk.tier->decide(tierSpace(), start, 0, 0.01);
    (void)disk.store->stats();
    (void)disk.store->usage();
    EXPECT_EQ(counts.decoded, 0);
    ASSERT_TRUE(disk.tier->load(tierSpace(), tokens, start, choice));
    EXPECT_EQ(counts.decoded, 3) << "one for each page";
    counts.fails = true;
    const auto broken = disk.tier->load(tierSpace(), tokens, start, choice);
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().code, ErrorCode::NotFound);
}

// PE-7: a text too short for a page is not coded, but memory keeps it.
TEST(PrefixContract, shortTexts_areNotEncoded_PE7) {
    const TemporaryFolder folder;
    OnDisk disk(folder.path());
    const auto tokens = text(200);
    ASSERT_TRUE(disk.store.insert(kSpaces, tokens, *cacheOver(tokens), PrefixRole::User));
    disk.settle();
    EXPECT_EQ(disk.pages.stats().pagesWritten, 0);
    EXPECT_EQ(disk.store.find({.spaces = kSpaces, .tokens = tokens}).tokens, 199);
}

// SD-9: a page that could not be written is not found, is not in the index, and is written later
// when possible.
TEST(PrefixContract, failedPageWrite_isNotIndexed_SD9) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(300);
    const auto cache = cacheOver(tokens);
    // A file blocks the creation of the version's folder.
    overwrite(folder.path() / std::to_string(kPageVersion), {});
    disk.keep(tokens, *cache);
    EXPECT_EQ(disk.store->stats().pagesWritten, 0);
    EXPECT_GT(disk.store->stats().writeFailures, 0);
    EXPECT_TRUE(disk.store->usage().empty());
    EXPECT_EQ(disk.found(tokens), 0);
    std::filesystem::remove(folder.path() / std::to_string(kPageVersion));
    disk.start();
    disk.keep(tokens, *cache);
    EXPECT_EQ(disk.found(tokens), 299);
}

}  // namespace
}  // namespace lacuna
