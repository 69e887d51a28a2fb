// The cache of a conversation as a file: a loaded one continues bit for bit, and a corrupt one is
// refused.

#include "engine/generate/prompt_cache.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "tests/support/generation_stage.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using test::prompt;
using test::Stage;
using test::whole;

constexpr std::string_view kModel = "fingerprint of fake";

struct Saved {
    test::TemporaryFolder folder;
    std::filesystem::path path = folder.path() / "prompt.cache";
    Stage stage;
    std::vector<TokenId> tokens;

    explicit Saved(int length = 60) {
        static_cast<void>(stage.answer(prompt(length)));
        tokens.assign(stage.sequence->tokens().begin(), stage.sequence->tokens().end());
        const Status saved = savePromptCache(path, *stage.sequence, kModel);
        EXPECT_TRUE(saved) << (saved ? "" : saved.error().what);
    }
    [[nodiscard]] Result<PromptCache> load(std::string_view model = kModel) {
        return loadPromptCache(path, model, whole(stage.sequence->cache().shape()));
    }
    [[nodiscard]] std::string bytes() const { return *readFile(path, 1 << 26); }
    void write(const std::string& content) const {
        EXPECT_TRUE(writeFileAtomically(path, content));
    }
};

TEST(PromptCache, PF_05_loadedCache_continuesLikeTheOriginal) {
    Saved saved;
    auto longer = saved.tokens;
    const auto more = prompt(25, 9);
    longer.insert(longer.end(), more.begin(), more.end());
    const auto expected = saved.stage.answer(longer);
    auto loaded = saved.load();
    ASSERT_TRUE(loaded) << loaded.error().what;
    EXPECT_EQ(loaded->tokens, saved.tokens);
    Stage fresh;
    fresh.sequence->adopt(std::move(loaded->cache), std::move(loaded->tokens));
    const auto answer = fresh.answer(longer);
    EXPECT_EQ(answer.reuse.tokens, static_cast<std::int64_t>(saved.tokens.size()));
    EXPECT_EQ(answer.tokens, expected.tokens);
    EXPECT_EQ(*fresh.sequence->cache().save(), *saved.stage.sequence->cache().save());
}

TEST(PromptCache, PF_05_divergingPrompt_reusesTheCommonPrefix) {
    Saved saved;
    auto loaded = saved.load();
    ASSERT_TRUE(loaded);
    Stage fresh;
    fresh.sequence->adopt(std::move(loaded->cache), std::move(loaded->tokens));
    auto changed = prompt(60);
    changed[30] = 255;
    const auto answer = fresh.answer(changed);
    EXPECT_EQ(answer.reuse.tokens, 30);
    Stage cold;
    EXPECT_EQ(answer.tokens, cold.answer(changed).tokens);
}

TEST(PromptCache, PF_05_compactedCache_continuesLikeTheOriginal) {
    Saved saved(20);
    Stage stage;
    stage.settings.kv.method = CompactionMethod::Eviction;
    stage.settings.kv.lossLimit.level = LossLimit::Level::Off;
    stage.settings.kv.compactionFloor = 0;
    stage.settings.kv.evictionPolicy = EvictionPolicy::KeepLowNorm;
    stage.settings.kv.budget = 32;
    stage.settings.kv.keepRecent = 8;
    stage.settings.kv.nSink = 2;
    stage.settings.kv.margin = 8;
    const auto first = stage.answer(prompt(100));
    ASSERT_GT(first.compactions, 0);
    // A file has no holes, and the fake model depends on the order of slots.
    while (defragmentCache(stage.sequence->cache(), 1 << 30, stage.pool, true)) {
    }
    ASSERT_TRUE(savePromptCache(saved.path, *stage.sequence, kModel));
    std::vector<TokenId> longer(stage.sequence->tokens().begin(), stage.sequence->tokens().end());
    longer.insert(longer.end(), {7, 8, 9});
    auto loaded = saved.load();
    ASSERT_TRUE(loaded) << loaded.error().what;
    Stage fresh;
    fresh.settings = stage.settings;
    fresh.sequence->adopt(std::move(loaded->cache), std::move(loaded->tokens));
    const auto answer = fresh.answer(longer);
    EXPECT_GT(answer.reuse.tokens, 100);
    EXPECT_EQ(answer.tokens, stage.answer(longer).tokens);
}

TEST(PromptCache, PF_01_anotherModel_isRefusedWithBothNames) {
    Saved saved;
    const auto loaded = saved.load("fingerprint of another");
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::Incompatible);
    EXPECT_NE(loaded.error().what.find("fingerprint of another"), std::string::npos);
    EXPECT_NE(loaded.error().what.find(kModel), std::string::npos);
}

TEST(PromptCache, PF_04_anotherCacheType_isRefused) {
    Saved saved;
    KvShape shape = saved.stage.sequence->cache().shape();
    shape.type = DType::BF16;
    const auto loaded = loadPromptCache(saved.path, kModel, whole(shape));
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::Incompatible);
}

TEST(PromptCache, PF_03_everyTruncationAndChangedByte_isRefused) {
    Saved saved(12);
    const std::string good = saved.bytes();
    for (std::size_t length = 0; length < good.size(); length += length < 200 ? 1 : 37) {
        saved.write(good.substr(0, length));
        EXPECT_FALSE(saved.load()) << length;
    }
    saved.write(good + "x");
    EXPECT_FALSE(saved.load());
    for (std::size_t at = 0; at < good.size(); at += at < 300 ? 1 : 29) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x20);
        saved.write(bad);
        const auto loaded = saved.load();
        ASSERT_FALSE(loaded) << at;
        EXPECT_TRUE(loaded.error().code == ErrorCode::Corrupt ||
                    loaded.error().code == ErrorCode::Incompatible)
            << at;
    }
    saved.write(good);
    EXPECT_TRUE(saved.load());
}

TEST(PromptCache, PF_03_everyTruncationAndChangedByteOfACheckpoint_isRefused) {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "prompt.cache";
    KvChoice windows = whole(Stage().sequence->cache().shape());
    windows.window = WindowRule{24, 2};
    Stage stage;
    stage.sequence->adopt(makeCache(windows).value(), {});
    static_cast<void>(stage.answer(prompt(40)));
    const auto earlier = stage.sequence->cache().share().value();
    std::vector<TokenId> longer(stage.sequence->tokens().begin(), stage.sequence->tokens().end());
    longer.insert(longer.end(), {7, 8, 9});
    static_cast<void>(stage.answer(longer));
    const KvCache* const checkpoint = earlier.get();
    ASSERT_TRUE(savePromptCache(path, *stage.sequence, kModel, {&checkpoint, 1}));
    const std::string good = readFile(path, 1U << 24).value();
    const auto loaded = loadPromptCache(path, kModel, windows);
    ASSERT_TRUE(loaded) << loaded.error().what;
    ASSERT_EQ(loaded->checkpoints.size(), 1U);
    EXPECT_EQ(*loaded->checkpoints[0]->save(), *earlier->save());
    const auto refused = [&](const std::string& bytes) {
        EXPECT_TRUE(writeFileAtomically(path, bytes));
        return !loadPromptCache(path, kModel, windows);
    };
    for (std::size_t length = 0; length < good.size(); length += 41)
        EXPECT_TRUE(refused(good.substr(0, length))) << length;
    EXPECT_TRUE(refused(good + "x"));
    for (std::size_t at = 0; at < good.size(); at += 37) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x20);
        EXPECT_TRUE(refused(bad)) << at;
    }
    // A checkpoint that is as long as the cache.
    const KvCache* const same = &stage.sequence->cache();
    ASSERT_TRUE(savePromptCache(path, *stage.sequence, kModel, {&same, 1}));
    EXPECT_FALSE(loadPromptCache(path, kModel, windows));
}

TEST(PromptCache, PF_06_anotherVersion_isRefusedWithBothNumbers) {
    Saved saved(12);
    std::string bytes = saved.bytes();
    bytes[8] = 9;
    saved.write(bytes);
    const auto loaded = saved.load();
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::Incompatible);
    EXPECT_NE(loaded.error().what.find("version 9"), std::string::npos);
    EXPECT_NE(loaded.error().what.find("version 1"), std::string::npos);
}

TEST(PromptCache, PF_02_failedWrite_keepsTheOldFile_newFileIsOwnerOnly) {
    Saved saved(12);
    struct stat info {};
    ASSERT_EQ(::stat(saved.path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    // The mode is restricted even if it replaces a file that others can read.
    ASSERT_EQ(::chmod(saved.path.c_str(), 0644), 0);
    ASSERT_TRUE(savePromptCache(saved.path, *saved.stage.sequence, kModel));
    ASSERT_EQ(::stat(saved.path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    const auto nowhere = saved.folder.path() / "missing" / "prompt.cache";
    const Status failed = savePromptCache(nowhere, *saved.stage.sequence, kModel);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::Write);
    EXPECT_TRUE(saved.load());
}

TEST(PromptCache, PF_05_windowsAndLists_continueLikeTheOriginal) {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "prompt.cache";
    KvChoice windows = whole(Stage().sequence->cache().shape());
    windows.window = WindowRule{24, 2};
    KvChoice list = whole(windows.shape);
    list.layers.resize(static_cast<std::size_t>(list.shape.layers));
    list.layers[1].window = WindowRule{24, 0};
    for (const KvChoice& choice : {windows, list}) {
        Stage living;
        living.sequence->adopt(makeCache(choice).value(), {});
        static_cast<void>(living.answer(prompt(60)));
        std::vector<TokenId> longer(living.sequence->tokens().begin(),
                                    living.sequence->tokens().end());
        const auto covered = static_cast<std::int64_t>(longer.size());
        ASSERT_TRUE(savePromptCache(path, *living.sequence, kModel));
        longer.insert(longer.end(), {7, 8, 9, 10});
        const auto expected = living.answer(longer);
        EXPECT_EQ(expected.reuse.tokens, covered);
        auto loaded = loadPromptCache(path, kModel, choice);
        ASSERT_TRUE(loaded) << loaded.error().what;
        Stage fresh;
        fresh.sequence->adopt(std::move(loaded->cache), std::move(loaded->tokens));
        const auto answer = fresh.answer(longer);
        EXPECT_EQ(answer.reuse.tokens, covered);
        EXPECT_EQ(answer.tokens, expected.tokens);
        EXPECT_EQ(*fresh.sequence->cache().save(), *living.sequence->cache().save());
        const auto other = loadPromptCache(path, kModel, whole(choice.shape));
        ASSERT_FALSE(other) << "a cache of every token is wanted";
        EXPECT_EQ(other.error().code, ErrorCode::Incompatible) << other.error().what;
    }
}

TEST(PromptCache, emptyConversation_roundTrips) {
    Saved saved(12);
    Stage empty;
    ASSERT_TRUE(savePromptCache(saved.path, *empty.sequence, kModel));
    const auto loaded = saved.load();
    ASSERT_TRUE(loaded) << loaded.error().what;
    EXPECT_TRUE(loaded->tokens.empty());
}

}  // namespace
}  // namespace lacuna
