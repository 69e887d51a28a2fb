// Rows of the tier's contract that the tests of its parts do not cover: an index with paths outside
// of the folder, changed clocks, a process that ends between any two steps of a write, and texts
// whose rows no codec makes smaller.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "engine/prefix/page_index.h"
#include "tier_fixture.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using test::TierOnDisk;

fs::path fileIn(const fs::path& folder, const char* name) {
    const fs::path path = folder / name;
    test::overwrite(path, std::vector<std::byte>(5000));
    return path;
}

class IndexPathOutside : public testing::TestWithParam<bool> {};

// Write access to the index must not allow the removal of other files, by a lower limit, a new page
// or a clearing.
TEST_P(IndexPathOutside, C10_targetIsNotTouched_andTheIndexIsRebuilt) {
    const TemporaryFolder outer;
    const fs::path folder = outer.path() / "tier";
    const fs::path victim = fileIn(outer.path(), "letter.txt");
    TierOnDisk disk(test::tierOptions(folder));
    const auto tokens = test::text(600);
    ASSERT_TRUE(disk.keep(tokens, *test::cacheOver(tokens)));
    disk.tier.reset();
    disk.store.reset();
    {
        auto index = PageIndex::open(folder);
        ASSERT_TRUE(index);
        const std::string path = GetParam() ? victim.string() : "../letter.txt";
        ASSERT_TRUE(index->put({.path = path,
                                .bytes = 5000,
                                .used = 0,
                                .sort = StoredFile::OtherVersion,
                                .model = {},
                                .space = {}}));
    }
    disk.options.cleanUpAtStart = false;
    disk.start();
    disk.store->setLimit((1 << 20) + 1000);
    const auto others = test::text(600, 2);
    static_cast<void>(disk.keep(others, *test::cacheOver(others)));
    EXPECT_TRUE(fs::exists(victim));
    disk.store->setLimit(64 << 20);
    EXPECT_TRUE(disk.keep(others, *test::cacheOver(others)));
    EXPECT_GE(disk.found(others), 512) << "the index was made anew";
    ASSERT_TRUE(disk.store->clear(std::nullopt));
    EXPECT_TRUE(fs::exists(victim));
}

INSTANTIATE_TEST_SUITE_P(Paths, IndexPathOutside, testing::Bool());

// Use is ordered by a counter, not by times of files or clocks.
TEST(TierRows, C16_clockChange_doesNotAffectEvictionOrder) {
    const TemporaryFolder folder;
    TierOnDisk disk(test::tierOptions(folder.path()));
    const auto first = test::text(256, 1);
    const auto second = test::text(256, 2);
    ASSERT_TRUE(disk.keep(first, *test::cacheOver(first)));
    ASSERT_TRUE(disk.keep(second, *test::cacheOver(second)));
    const auto pages = test::pagesIn(folder.path());
    ASSERT_EQ(pages.size(), 2U);
    const KvChoice choice{.shape = test::tierShape(), .window = {}, .layers = {}};
    // The first page is read although its file looks ten years old; the other one is from the
    // future.
    const auto start = disk.tier->find(test::tierSpace(), first, 255, choice);
    ASSERT_TRUE(disk.tier->load(test::tierSpace(), first, start, choice));
    const auto now = fs::file_time_type::clock::now();
    for (const fs::path& page : pages) {
        const bool read = page.stem() ==
                          fs::path(PageStore::pathOf(test::tierSpace(), start.keys.front())).stem();
        fs::last_write_time(page, now + std::chrono::hours(read ? -87'600 : 87'600));
    }
    disk.start();
    const auto page = static_cast<std::int64_t>(fs::file_size(pages.front()));
    disk.store->setLimit((1 << 20) + page + page / 2);
    EXPECT_EQ(disk.found(first), 255);
    EXPECT_EQ(disk.found(second), 0);
}

// The writer ends, as by a kill, after each of its first writes, syncs, renames and unlinks in
// turn. Every visible page is sound, and every acknowledged one exists.
TEST(TierRows, SD2_C09_writerKilledAnywhere_leavesOnlyValidPages) {
    const TemporaryFolder folder;
    for (int round = 0; round < 20; ++round) {
        int ends[2] = {};
        ASSERT_EQ(::pipe(ends), 0);
        const pid_t writer = ::fork();
        if (writer == 0) {
            TierOnDisk disk(test::tierOptions(folder.path()));
            for (std::uint64_t seed = 0;; ++seed) {
                const auto tokens =
                    test::text(256, static_cast<std::uint64_t>(round) * 1000 + seed + 1);
                const char stored = disk.keep(tokens, *test::cacheOver(tokens)) ? 1 : 0;
                if (::write(ends[1], &stored, 1) != 1) ::_exit(1);
            }
        }
        ::close(ends[1]);
        // Some pages, then part of the next one.
        char stored = 0;
        int acknowledged = 0;
        while (acknowledged <= round % 4 && ::read(ends[0], &stored, 1) == 1)
            acknowledged += stored;
        ::usleep(static_cast<useconds_t>(137 * round));
        ::kill(writer, SIGKILL);
        while (::read(ends[0], &stored, 1) == 1) acknowledged += stored;
        ::close(ends[0]);
        ASSERT_EQ(::waitpid(writer, nullptr, 0), writer);
        TierOnDisk disk(test::tierOptions(folder.path()));
        const auto check = disk.store->verify({});
        ASSERT_TRUE(check);
        EXPECT_EQ(check->damaged, 0);
        for (int seed = 0; seed < acknowledged; ++seed) {
            const auto tokens =
                test::text(256, static_cast<std::uint64_t>(round * 1000 + seed + 1));
            EXPECT_EQ(disk.found(tokens), 255) << "round " << round << ", page " << seed;
        }
    }
}

// Pages with valid checksums under the keys of another model, and of other settings of the same
// one.
TEST(TierRows, C03_foreignPagesUnderOwnKeys_areAMiss_andAreQuarantined) {
    for (const bool otherModel : {true, false}) {
        const TemporaryFolder folder;
        TierOnDisk disk(test::tierOptions(folder.path()));
        PageSpace theirs = test::tierSpace();
        if (otherModel)
            theirs.model = "fedcba9876543210fedcba9876543210";
        else
            theirs.settings = 43;
        const auto tokens = test::text(256);
        ASSERT_TRUE(disk.keep(tokens, *test::cacheOver(tokens), theirs));
        EXPECT_EQ(disk.found(tokens, theirs), 255);
        const auto pages = test::pagesIn(folder.path());
        ASSERT_EQ(pages.size(), 1U);
        const PageKey key =
            pageKey(disk.store->secret(), spaceKey(disk.store->secret(), test::tierSpace()), {},
                    PageKind::Run, tokens);
        const fs::path mine = folder.path() / PageStore::pathOf(test::tierSpace(), key);
        fs::create_directories(mine.parent_path());
        fs::copy_file(pages.front(), mine);
        EXPECT_EQ(disk.found(tokens), 0);
        EXPECT_FALSE(fs::exists(mine));
        EXPECT_EQ(disk.store->stats().quarantined, 1);
        EXPECT_EQ(disk.found(tokens, theirs), 255) << "theirs is as it was";
    }
}

// A key has 128 bits and depends on every byte of the folder's secret, every token, and all tokens
// before.
TEST(TierRows, C05_keys_dependOnTheFolderSecretAndEveryToken) {
    const TemporaryFolder one;
    const TemporaryFolder two;
    const TierOnDisk disk(test::tierOptions(one.path()));
    const TierOnDisk other(test::tierOptions(two.path()));
    const PageSecret secret = disk.store->secret();
    EXPECT_NE(secret.bytes, other.store->secret().bytes);
    const auto tokens = test::text(256);
    const auto keyOf = [&](const PageSecret& with, const std::vector<TokenId>& of,
                           const PageKey& parent = {}) {
        return pageKey(with, spaceKey(with, test::tierSpace()), parent, PageKind::Run, of).hex();
    };
    const std::string key = keyOf(secret, tokens);
    EXPECT_EQ(key.size(), 32U);
    for (std::size_t i = 0; i < secret.bytes.size(); ++i) {
        PageSecret changed = secret;
        changed.bytes[i] ^= std::byte{1};
        ASSERT_NE(keyOf(changed, tokens), key) << i;
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        std::vector<TokenId> changed = tokens;
        changed[i] ^= 1;
        ASSERT_NE(keyOf(secret, changed), key) << i;
    }
    EXPECT_NE(keyOf(secret, tokens, {.high = 1, .low = 0}), key);
    EXPECT_NE(keyOf(secret, tokens, {.high = 0, .low = 1}), key);
}

// Unused pages, of a removed model or another version, are evicted in favour of used ones.
TEST(TierRows, C12_pagesOfARemovedModel_areEvictedFirst) {
    const TemporaryFolder folder;
    TierOnDisk disk(test::tierOptions(folder.path()));
    const PageSpace gone{.model = "fedcba9876543210fedcba9876543210", .settings = 42};
    const auto used = test::text(256, 1);
    const auto old = test::text(256, 2);
    ASSERT_TRUE(disk.keep(used, *test::cacheOver(used)));
    ASSERT_TRUE(disk.keep(old, *test::cacheOver(old), gone));
    const KvChoice choice{.shape = test::tierShape(), .window = {}, .layers = {}};
    const fs::path page = test::pagesIn(folder.path()).front();
    const auto bytes = static_cast<std::int64_t>(fs::file_size(page));
    const fs::path earlier = folder.path() / "0" / page.lexically_relative(folder.path() / "1");
    fs::create_directories(earlier.parent_path());
    fs::copy_file(page, earlier);
    disk.start();
    // The first text is the oldest but is used.
    const auto start = disk.tier->find(test::tierSpace(), used, 255, choice);
    ASSERT_TRUE(disk.tier->load(test::tierSpace(), used, start, choice));
    disk.store->drain();  // use is recorded in the background
    disk.store->setLimit((1 << 20) + bytes + bytes / 2);
    EXPECT_EQ(disk.found(used), 255);
    EXPECT_EQ(disk.found(old, gone), 0);
    EXPECT_FALSE(fs::exists(earlier));
}

// Rows that no codec makes smaller are stored exactly and reported as such, never silently in
// another form.
TEST(TierRows, S5_20_incompressibleRows_areKeptExactly_andReported) {
    const TemporaryFolder folder;
    KvShape odd = test::tierShape();
    odd.keyDim = 24;  // not divisible into groups of 32
    odd.valueDim = 40;
    const KvChoice choice{.shape = odd, .window = {}, .layers = {}};
    const auto tokens = test::text(512);
    const auto cache = test::cacheOver(tokens, choice);
    TierOnDisk disk(test::tierOptions(folder.path()));
    std::vector<std::unique_ptr<PageCodec>> codecs;
    codecs.push_back(makeEightBitCodec(nullptr));
    codecs.push_back(makeRowsCodec(nullptr));
    disk.tier = std::make_unique<DiskTier>(*disk.store, std::move(codecs));
    ASSERT_TRUE(disk.keep(tokens, *cache));
    const auto start = disk.tier->find(test::tierSpace(), tokens, 511, choice);
    EXPECT_EQ(start.codec, "rows");
    const auto loaded = disk.tier->load(test::tierSpace(), tokens, start, choice);
    ASSERT_TRUE(loaded) << loaded.error().what;
    EXPECT_TRUE(loaded->codec.empty()) << "nothing was rounded";
    EXPECT_TRUE(test::sameRows(*loaded->cache, *cache, 511));
}

}  // namespace
}  // namespace lacuna
