// Caches to pages and back across restarts: the prefix found, that it belongs to this text, and
// when a hit is worth its reading.

#include "engine/prefix/disk_tier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <thread>

#include "engine/kv/cache_list.h"
#include "engine/prefix/page_fidelity.h"
#include "engine/prefix/prefix_pages.h"
#include "tier_fixture.h"

namespace lacuna {
namespace {

using namespace test;
namespace fs = std::filesystem;

KvChoice plainChoice() {
    return {.shape = tierShape(), .window = {}, .layers = {}};
}

std::vector<TokenId> joined(std::vector<TokenId> a, const std::vector<TokenId>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Result<LoadedStart> loadAll(const TierOnDisk& disk, std::span<const TokenId> tokens,
                            const KvChoice& choice = plainChoice()) {
    const auto start =
        disk.tier->find(tierSpace(), tokens, static_cast<std::int64_t>(tokens.size()) - 1, choice);
    return disk.tier->load(tierSpace(), tokens, start, choice);
}

TEST(DiskTier, SD17_restart_keepsTheRows) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(1000);
    const auto cache = cacheOver(tokens);
    EXPECT_TRUE(disk.keep(tokens, *cache));
    EXPECT_EQ(pagesIn(folder.path()).size(), 4U);
    disk.start();
    EXPECT_EQ(disk.found(tokens), 999);  // at least one token is evaluated
    const auto loaded = loadAll(disk, tokens);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->tokens, 999);
    EXPECT_EQ(loaded->cache->offset().value, 999);
    EXPECT_TRUE(sameRows(*loaded->cache, *cache, 999));
    evaluate(*loaded->cache, tokens);
    EXPECT_EQ(loaded->cache->save().value(), cache->save().value());
    disk.keep(tokens, *cache);
    EXPECT_EQ(disk.store->stats().pagesWritten, 0);  // all pages exist already
}

TEST(DiskTier, PB1_PB2_commonPrefix_isReadPageByPage_leavingOneToken) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(1024);
    const auto cache = cacheOver(tokens);
    ASSERT_TRUE(disk.keep(tokens, *cache));
    const auto part = [&](std::ptrdiff_t count) {
        return std::vector<TokenId>(tokens.begin(), tokens.begin() + count);
    };
    EXPECT_EQ(disk.found(tokens), 1023);  // at least one token is evaluated
    EXPECT_EQ(disk.found(joined(tokens, text(1, 9))), 1024);
    EXPECT_EQ(disk.found(joined(part(700), text(500, 9))), 512);
    EXPECT_EQ(disk.found(part(257)), 256);
    EXPECT_EQ(disk.found(part(256)), 255);
    EXPECT_EQ(disk.found(part(255)), 0);
    EXPECT_EQ(disk.found(joined(text(1, 9), tokens)), 0);
    auto oneOff = tokens;
    ++oneOff[300];
    EXPECT_EQ(disk.found(oneOff), 256);
    // A second text with the same prefix writes only the differing pages.
    const auto other = joined(part(512), text(512, 9));
    const auto otherCache = cacheOver(other);
    ASSERT_TRUE(disk.keep(other, *otherCache));
    EXPECT_EQ(pagesIn(folder.path()).size(), 6U);
    const auto loaded = loadAll(disk, joined(other, {1}));
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(sameRows(*loaded->cache, *otherCache, 1024));
}

TEST(DiskTier, PB3_separateSpaces_shareNothing) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(600);
    const auto cache = cacheOver(tokens);
    ASSERT_TRUE(disk.keep(tokens, *cache));
    PageSpace settings = tierSpace();
    ++settings.settings;
    PageSpace model = tierSpace();
    model.model = "another";
    EXPECT_EQ(disk.found(tokens, settings), 0);
    EXPECT_EQ(disk.found(tokens, model), 0);
    EXPECT_EQ(disk.found(tokens), 599);
    // A page that was moved to another model's folder, under a key of that model.
    const auto key = [&](const PageSpace& space) {
        return pageKey(disk.store->secret(), spaceKey(disk.store->secret(), space), {},
                       PageKind::Run, std::span(tokens).first(kPageTokens));
    };
    const auto to = folder.path() / PageStore::pathOf(model, key(model));
    fs::create_directories(to.parent_path());
    fs::copy(folder.path() / PageStore::pathOf(tierSpace(), key(tierSpace())), to);
    EXPECT_EQ(disk.found(tokens, model), 0);
    EXPECT_FALSE(fs::exists(to));
    EXPECT_EQ(disk.store->stats().misses[static_cast<std::size_t>(PageFault::Space)], 1);
}

TEST(DiskTier, C06_anotherLayoutInTheSameSpace_isAMiss_andIsRewritten) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(300);
    ASSERT_TRUE(disk.keep(tokens, *cacheOver(tokens)));
    KvChoice other = plainChoice();
    other.shape.type = DType::BF16;
    EXPECT_EQ(disk.tier->find(tierSpace(), tokens, 299, other).tokens, 0);
    EXPECT_EQ(disk.store->stats().misses[static_cast<std::size_t>(PageFault::Layout)], 1);
    const auto bf16 = cacheOver(tokens, other);
    EXPECT_TRUE(disk.keep(tokens, *bf16));
    const auto loaded = loadAll(disk, tokens, other);
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(sameRows(*loaded->cache, *bf16, 256));
}

TEST(DiskTier, PB6_SD18_missingOrDamagedPage_endsTheMatchThere) {
    for (const bool gone : {true, false}) {
        const TemporaryFolder folder;
        TierOnDisk disk(tierOptions(folder.path()));
        const auto tokens = text(1100);
        const auto cache = cacheOver(tokens);
        ASSERT_TRUE(disk.keep(tokens, *cache));
        const auto start = disk.tier->find(tierSpace(), tokens, 1099, plainChoice());
        ASSERT_EQ(start.tokens, 1099);
        const auto third = folder.path() / PageStore::pathOf(tierSpace(), start.keys[2]);
        if (gone) {
            fs::remove(third);
        } else {
            auto bytes = bytesOf(third);
            bytes[bytes.size() / 2] ^= std::byte{8};
            overwrite(third, bytes);
        }
        // The page was found but is corrupt when it is read.
        const auto loaded = disk.tier->load(tierSpace(), tokens, start, plainChoice());
        ASSERT_TRUE(loaded);
        EXPECT_EQ(loaded->tokens, 512);
        EXPECT_TRUE(sameRows(*loaded->cache, *cache, 512));
        EXPECT_EQ(disk.found(tokens), 512);
        // The missing page is written again.
        EXPECT_TRUE(disk.keep(tokens, *cache));
        EXPECT_EQ(disk.found(tokens), 1099);
    }
}

TEST(DiskTier, undecodableRows_areAMiss_andAreQuarantined) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(300);
    ASSERT_TRUE(disk.keep(tokens, *cacheOver(tokens)));
    const auto start = disk.tier->find(tierSpace(), tokens, 299, plainChoice());
    ASSERT_EQ(start.tokens, 299);
    // A page with valid checksums and invalid rows.
    const auto path = folder.path() / PageStore::pathOf(tierSpace(), start.keys[0]);
    const auto page = bytesOf(path);
    const auto parsed = parsePage(page);
    ASSERT_TRUE(parsed);
    overwrite(path, writePage(parsed->header, parsed->tokens, std::vector<std::byte>(100)));
    const auto loaded = disk.tier->load(tierSpace(), tokens, start, plainChoice());
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::NotFound);
    EXPECT_EQ(disk.store->stats().misses[static_cast<std::size_t>(PageFault::Content)], 1);
    EXPECT_FALSE(fs::exists(path));
}

TEST(DiskTier, SD8_laterCacheChanges_doNotAffectQueuedPages) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(600);
    const auto other = joined({tokens.begin(), tokens.begin() + 100}, text(600, 9));
    auto cache = cacheOver(tokens);
    const auto kept = cacheOver(tokens);
    std::promise<void> go;
    auto wait = go.get_future().share();
    ASSERT_TRUE(disk.store->enqueue(0, [wait](const std::stop_token&) { wait.wait(); }));
    ASSERT_TRUE(disk.tier->store(tierSpace(), tokens, *cache));
    // The conversation continues, is rolled back, continues differently, is compacted and is
    // destroyed.
    ASSERT_TRUE(cache->rollback(500));
    evaluate(*cache, other);
    CompactionPlan plan;
    plan.heads.resize(4);
    for (auto& head : plan.heads)
        head.keep = SlotMarks(700, std::vector<std::int32_t>{0, 1, 2, 699});
    ASSERT_TRUE(cache->compactable()->apply(plan));
    cache.reset();
    go.set_value();
    disk.store->drain();
    const auto loaded = loadAll(disk, tokens);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->tokens, 599);
    EXPECT_TRUE(sameRows(*loaded->cache, *kept, 599));
}

TEST(DiskTier, cachesWithDroppedTokens_areStoredAsOneFile_servingLongerTexts) {
    const TemporaryFolder folder;
    std::vector<LayerPlan> plans(2);
    plans[0].window = WindowRule{64, 0};
    const std::vector<KvChoice> choices{
        {.shape = tierShape(), .window = WindowRule{100, 4}, .layers = {}},
        {.shape = tierShape(), .window = {}, .layers = plans},
        plainChoice()};
    for (std::size_t i = 0; i < choices.size(); ++i) {
        SCOPED_TRACE(i);
        TierOnDisk disk(tierOptions(folder.path() / std::to_string(i)));
        const auto tokens = text(500);
        const auto cache = cacheOver(tokens, choices[i]);
        if (i == 2) {  // compacted, with biases and fitted values
            CompactionPlan plan;
            plan.heads.resize(4);
            for (auto& head : plan.heads)
                head = {.keep = SlotMarks(500, std::vector<std::int32_t>{0, 1, 2, 250, 499}),
                        .bias = {0, 0, 1, 2, 0},
                        .values = std::vector<float>(5 * 64, 0.25F)};
            ASSERT_TRUE(cache->compactable()->apply(plan));
            ASSERT_GT(cache->stats().compactions, 0);
        }
        ASSERT_TRUE(disk.keep(tokens, *cache));
        disk.keep(tokens, *cache);
        EXPECT_EQ(disk.store->stats().pagesWritten, 1);
        disk.start();
        const auto longer = joined(tokens, text(40, 9));
        const auto found = [&](const std::vector<TokenId>& wanted) {
            return disk.tier->find(tierSpace(), wanted,
                                   static_cast<std::int64_t>(wanted.size()) - 1, choices[i]);
        };
        EXPECT_EQ(found(longer).tokens, 500);
        EXPECT_EQ(found(tokens).tokens, 0);  // a compacted cache cannot be cut back by the one
                                             // token to evaluate
        auto other = longer;
        ++other[490];
        EXPECT_EQ(found(other).tokens, 0);
        const auto loaded = loadAll(disk, longer, choices[i]);
        ASSERT_TRUE(loaded);
        EXPECT_EQ(loaded->cache->save().value(), cache->save().value());
    }
}

TEST(DiskTier, SD10_cancel_returnsNothing_andKeepsThePages) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(600);
    ASSERT_TRUE(disk.keep(tokens, *cacheOver(tokens)));
    const auto start = disk.tier->find(tierSpace(), tokens, 599, plainChoice());
    const auto loaded =
        disk.tier->load(tierSpace(), tokens, start, plainChoice(), [] { return true; });
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(disk.found(tokens), 599);
}

TEST(DiskTier, SD19_pagesOfAnotherCodec_areReadIfThatCodecIsRegistered) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(600);
    const auto cache = cacheOver(tokens);
    std::vector<std::unique_ptr<PageCodec>> eight;
    eight.push_back(makeEightBitCodec());
    disk.tier = std::make_unique<DiskTier>(*disk.store, std::move(eight));
    ASSERT_TRUE(disk.keep(tokens, *cache));
    const auto small = disk.tier->find(tierSpace(), tokens, 599, plainChoice());
    EXPECT_EQ(small.codec, "q8");
    disk.tier = std::make_unique<DiskTier>(*disk.store, exactCodecs());
    EXPECT_EQ(disk.found(tokens), 0);
    EXPECT_EQ(disk.store->stats().misses[static_cast<std::size_t>(PageFault::Codec)], 1);
    EXPECT_EQ(pagesIn(folder.path()).size(), 3U);  // they are not corrupt and stay
    std::vector<std::unique_ptr<PageCodec>> both = exactCodecs();
    both.push_back(makeEightBitCodec());
    disk.tier = std::make_unique<DiskTier>(*disk.store, std::move(both));
    const auto loaded = loadAll(disk, tokens);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->tokens, 599);
    EXPECT_FALSE(sameRows(*loaded->cache, *cache, 599));
}

TEST(DiskTier, partialLastPage_servesTextsThatContainAllOfIt) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(400);
    const auto part = [&](std::ptrdiff_t count) {
        return std::vector<TokenId>(tokens.begin(), tokens.begin() + count);
    };
    for (const std::ptrdiff_t length : {300, 360}) {
        const auto first = part(length);
        ASSERT_TRUE(disk.keep(first, *cacheOver(first)));
    }
    EXPECT_EQ(pagesIn(folder.path()).size(), 3U);  // one each of 256, 44 and 104 tokens
    EXPECT_EQ(disk.found(part(300)), 299);
    EXPECT_EQ(disk.found(part(350)), 300);
    EXPECT_EQ(disk.found(part(400)), 360);
    EXPECT_EQ(disk.found(part(290)), 256);
    auto other = part(400);
    ++other[299];
    EXPECT_EQ(disk.found(other), 256);
    const auto loaded = loadAll(disk, tokens);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->tokens, 360);
    EXPECT_TRUE(sameRows(*loaded->cache, *cacheOver(tokens), 360));
}

TEST(DiskTier, partialLastPage_isWrittenFrom16Tokens) {
    for (const std::int64_t more : {15, 16}) {
        const TemporaryFolder folder;
        TierOnDisk disk(tierOptions(folder.path()));
        const auto tokens = text(kPageTokens + more);
        ASSERT_TRUE(disk.keep(tokens, *cacheOver(tokens)));
        EXPECT_EQ(pagesIn(folder.path()).size(), more == 16 ? 2U : 1U);
        EXPECT_EQ(disk.found(joined(tokens, {1})), more == 16 ? kPageTokens + 16 : kPageTokens);
    }
}

TEST(DiskTier, savedCacheOfAnotherLength_isAMiss_andIsQuarantined) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const KvChoice choice{.shape = tierShape(), .window = WindowRule{100, 4}, .layers = {}};
    const auto tokens = text(500);
    ASSERT_TRUE(disk.keep(tokens, *cacheOver(tokens, choice)));
    const auto longer = joined(tokens, {1});
    const auto start = disk.tier->find(tierSpace(), longer, 500, choice);
    ASSERT_EQ(start.kind, PageKind::Whole);
    // A page with valid checksums that holds one token less than it states.
    const auto path = folder.path() / PageStore::pathOf(tierSpace(), start.keys[0]);
    const auto page = bytesOf(path);
    auto parsed = parsePage(page);
    ASSERT_TRUE(parsed);
    const auto state = cacheOver(std::span(tokens).first(499), choice)->save().value();
    const auto frame = compressFrame(std::as_bytes(std::span(state)));
    ASSERT_TRUE(frame);
    parsed->header.stateBytes = state.size();
    overwrite(path, writePage(parsed->header, parsed->tokens, *frame));
    EXPECT_FALSE(disk.tier->load(tierSpace(), longer, start, choice));
    EXPECT_EQ(disk.store->stats().misses[static_cast<std::size_t>(PageFault::Content)], 1);
    EXPECT_FALSE(fs::exists(path));
}

TEST(DiskTier, fullPage_replacesShorterPagesOfItsPrefix) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(520);
    const auto first = std::vector<TokenId>(tokens.begin(), tokens.begin() + 400);
    auto other = first;
    ++other[350];
    ASSERT_TRUE(disk.keep(first, *cacheOver(first)));
    ASSERT_TRUE(disk.keep(other, *cacheOver(other)));
    ASSERT_EQ(pagesIn(folder.path()).size(), 3U);
    ASSERT_TRUE(disk.keep(tokens, *cacheOver(tokens)));
    EXPECT_EQ(pagesIn(folder.path()).size(), 3U);  // two full pages and that of the other text
    EXPECT_EQ(disk.found(joined(tokens, text(9, 9))), 512);
    EXPECT_EQ(disk.found(joined(other, text(9, 9))), 400);
}

TEST(DiskTier, lookup_withAsManyTokensHeld_findsNothing) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(900);
    ASSERT_TRUE(disk.keep(tokens, *cacheOver(tokens)));
    const auto longer = joined(tokens, text(300, 9));
    const auto beyond = [&](std::int64_t held) {
        return disk.tier->find(tierSpace(), longer, 1199, plainChoice(), held).tokens;
    };
    for (const std::int64_t held : {0, 255, 256, 700, 767, 768, 899}) EXPECT_EQ(beyond(held), 900);
    EXPECT_EQ(beyond(900), 0);
    EXPECT_EQ(beyond(1100), 0);
}

TEST(DiskTier, plantedSecrets_neverMatchTextsOfOtherOwners) {
    // Many texts from few distinct tokens, cut and joined at random: every hit must have the rows
    // of exactly these tokens.
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    RandomStream random(3, 4);
    std::vector<std::vector<TokenId>> texts;
    std::int64_t reused = 0;
    for (int round = 0; round < 60; ++round) {
        std::vector<TokenId> tokens;
        if (!texts.empty() && random.below(3) > 0) {
            const auto& from = texts[random.below(texts.size())];
            const auto cut = static_cast<std::ptrdiff_t>(random.below(from.size() + 1));
            tokens.assign(from.begin(), from.begin() + cut);
        }
        const auto more = 1 + random.below(500);
        for (std::uint64_t i = 0; i < more; ++i)
            tokens.push_back(static_cast<TokenId>(random.below(2)));
        const auto loaded = loadAll(disk, tokens);
        if (loaded) {
            ASSERT_TRUE(sameRows(*loaded->cache, *cacheOver(tokens), loaded->tokens));
            reused += loaded->tokens;
        }
        const auto cache = cacheOver(tokens);
        disk.keep(tokens, *cache);
        texts.push_back(tokens);
    }
    EXPECT_GT(reused, 1000);
}

TEST(LoadDecision, fasterOption_isChosen_andBothTimesAreReported) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const StoredStart start{
        .tokens = 1000, .bytes = 1'000'000, .kind = PageKind::Run, .keys = {}, .codec = "rows"};
    const auto decide = [&](std::int64_t held, double secondsPerToken) {
        return disk.tier->decide(tierSpace(), start, held, secondsPerToken);
    };
    EXPECT_EQ(decide(1000, 0.001).reason, LoadReason::Nothing);
    EXPECT_FALSE(decide(1000, 0.001).load);
    EXPECT_EQ(decide(0, 0.001).reason, LoadReason::Unknown);
    EXPECT_TRUE(decide(0, 0.001).load);
    disk.store->noteRate("load.rows", 10'000'000);  // 100 ms
    EXPECT_EQ(decide(0, 0).reason, LoadReason::Unknown);
    const LoadDecision faster = decide(0, 0.001);
    EXPECT_EQ(faster.reason, LoadReason::Faster);
    EXPECT_TRUE(faster.load);
    EXPECT_NEAR(faster.loadMs, 100, 1e-6);
    EXPECT_NEAR(faster.computeMs, 1000, 1e-6);
    const LoadDecision slower = decide(901, 0.001);
    EXPECT_EQ(slower.reason, LoadReason::Slower);
    EXPECT_FALSE(slower.load);
    EXPECT_NEAR(slower.computeMs, 99, 1e-6);
    // A recorded prefill rate replaces an unknown one, across a restart.
    disk.tier->notePrefill(tierSpace(), 1000, 0.05);
    disk.start();
    EXPECT_NEAR(decide(0, 0).computeMs, 50, 1e-6);
    EXPECT_FALSE(decide(0, 0).load);
    // It is still probed occasionally.
    int probes = 0;
    for (int i = 0; i < 2 * kProbeEvery; ++i)
        if (const auto decision = decide(0, 0); decision.load) {
            EXPECT_EQ(decision.reason, LoadReason::Probe);
            ++probes;
        }
    EXPECT_EQ(probes, 2);
}

TEST(LoadDecision, load_updatesTheMeasuredRate) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(600);
    ASSERT_TRUE(disk.keep(tokens, *cacheOver(tokens)));
    EXPECT_FALSE(disk.store->rate("load.rows"));
    ASSERT_TRUE(loadAll(disk, tokens));
    disk.store->drain();
    ASSERT_TRUE(disk.store->rate("load.rows"));
    EXPECT_GT(disk.store->rate("load.rows")->value, 0);
}

TEST(LoadDecision, shortLoad_doesNotUpdateTheMeasuredRate) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const KvChoice small{
        .shape = {.layers = 1, .kvHeads = 1, .keyDim = 32, .valueDim = 32, .type = DType::F16},
        .window = {},
        .layers = {}};
    const auto tokens = text(260);  // 128 bytes each
    ASSERT_TRUE(disk.keep(tokens, *cacheOver(tokens, small)));
    ASSERT_TRUE(loadAll(disk, tokens, small));
    disk.store->drain();
    EXPECT_FALSE(disk.store->rate("load.rows"));
}

/// Encodes every run except the first one of a text.
class NotTheFirst final : public PageCodec {
  public:
    [[nodiscard]] std::string_view name() const override { return rows_->name(); }
    [[nodiscard]] std::uint64_t identity() const override { return rows_->identity(); }
    [[nodiscard]] Result<std::vector<std::byte>> encode(const KvCache& cache,
                                                        TokenRun run) const override {
        if (run.first == 0) return fail(ErrorCode::NoMemory, "no memory for the first page");
        return rows_->encode(cache, run);
    }
    [[nodiscard]] Status decode(std::span<const std::byte> bytes, TokenRun run,
                                KvCache& cache) const override {
        return rows_->decode(bytes, run, cache);
    }

  private:
    std::unique_ptr<PageCodec> rows_ = makeRowsCodec();
};

TEST(DiskTier, pagesAfterAMissingPage_areNotWritten) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    std::vector<std::unique_ptr<PageCodec>> codecs;
    codecs.push_back(std::make_unique<NotTheFirst>());
    disk.tier = std::make_unique<DiskTier>(*disk.store, std::move(codecs));
    const auto tokens = text(1000);
    ASSERT_TRUE(disk.keep(tokens, *cacheOver(tokens)));
    EXPECT_TRUE(pagesIn(folder.path()).empty());  // a page behind a missing one could never be
                                                  // found
    EXPECT_EQ(disk.store->stats().unsupported, 1);
}

/// A folder with a known read rate and a text of three pages.
class KnownRate {
  public:
    explicit KnownRate(double bytesPerSecond) {
        EXPECT_TRUE(storePageFidelity(folder_.path(), PageFidelity::Exact));
        TierOnDisk disk(tierOptions(folder_.path()));
        disk.store->noteRate("load.rows", bytesPerSecond);
        pages_ = std::make_unique<PrefixPages>(tierOptions(folder_.path()));
        pages_->stored(spaces_, tokens_, *cacheOver(tokens_));
        while (pages_->busy()) std::this_thread::yield();
    }
    PrefixAnswer find(double secondsPerToken, bool inPieces) {
        return pages_->find({.spaces = spaces_,
                             .tokens = tokens_,
                             .secondsPerToken = secondsPerToken,
                             .choice = &choice_,
                             .inPieces = inPieces},
                            0, 767);
    }
    [[nodiscard]] PrefixDiskStats stats() const { return pages_->stats(); }

  private:
    const TemporaryFolder folder_;
    const PrefixSpaces spaces_{.full = "all", .compacted = {}, .model = "model"};
    const std::vector<TokenId> tokens_ = text(768);
    const KvChoice choice_ = plainChoice();
    std::unique_ptr<PrefixPages> pages_;
};

TEST(LoadDecision, loadsPredictedToBeSlow_areReadInSlices) {
    KnownRate quick(1e12);
    EXPECT_FALSE(quick.find(1, true).pending);
    EXPECT_EQ(quick.stats().hits, 1);
    KnownRate slow(1e6);  // some 500 KB
    EXPECT_FALSE(slow.find(1, false).pending);
    EXPECT_TRUE(KnownRate(1e6).find(1, true).pending);
}

TEST(LoadDecision, hitSlowerThanComputing_countsNoSavedTime) {
    KnownRate folder(1e15);
    const PrefixAnswer hit = folder.find(1e-9, false);
    ASSERT_NE(hit.cache, nullptr);
    ASSERT_TRUE(hit.load);
    ASSERT_GT(hit.load->tookMs, hit.load->computeMs);
    EXPECT_EQ(folder.stats().savedSeconds, 0);
}

TEST(DiskTier, shortOrInconsistentInput_isNotStored) {
    const TemporaryFolder folder;
    TierOnDisk disk(tierOptions(folder.path()));
    const auto tokens = text(255);
    EXPECT_FALSE(disk.keep(tokens, *cacheOver(tokens)));
    const auto more = text(300);
    EXPECT_FALSE(disk.keep(more, *cacheOver(tokens)));  // not the tokens of the cache
    disk.store->setLimit(0);
    EXPECT_FALSE(disk.keep(more, *cacheOver(more)));
    EXPECT_EQ(disk.found(more), 0);
    EXPECT_TRUE(pagesIn(folder.path()).empty());
}

}  // namespace
}  // namespace lacuna
