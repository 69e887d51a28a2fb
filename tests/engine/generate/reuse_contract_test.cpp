// Rows S1 and D of the cache contract about reuse: the same prompt again, a file that claims other
// tokens than it holds, a plain cache under a budget.

#include <gtest/gtest.h>

#include <cstring>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/generate/prompt_cache.h"
#include "tests/support/generation_stage.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using test::prompt;
using test::Stage;
using test::whole;

constexpr std::string_view kModel = "fingerprint of fake";

TEST(ReuseContract, D_09_repeatedPrompt_leavesOneTokenToFeed) {
    Stage stage;
    const auto first = stage.answer(prompt(60));
    for (int again = 0; again < 3; ++again) {
        const auto answer = stage.answer(prompt(60));
        EXPECT_EQ(answer.reuse.tokens, 59);
        EXPECT_EQ(answer.tokens, first.tokens);
    }
    EXPECT_EQ(stage.answer(prompt(1)).reuse.tokens, 0) << "of a single token nothing can be kept";
}

std::string bytesOf(std::uint64_t value) {
    std::string out(sizeof(value), '\0');
    std::memcpy(out.data(), &value, sizeof(value));
    return out;
}

/// Returns the file with other tokens before the same cache and valid checksums.
std::string withTokens(const std::string& file, std::size_t had, std::span<const TokenId> tokens) {
    const std::string wanted = bytesOf(had);
    std::size_t at = std::string::npos;  // offset of the token count, after the header's checksum
    for (std::size_t i = 16; i + 8 < 200 && at == std::string::npos; ++i)
        if (bytesOf(hash64(std::string_view(file).substr(0, i))) == file.substr(i, 8) &&
            file.substr(i + 8, 8) == wanted)
            at = i + 8;
    EXPECT_NE(at, std::string::npos);
    std::string out = file.substr(0, at) + bytesOf(tokens.size());
    out.append(reinterpret_cast<const char*>(tokens.data()), tokens.size_bytes());
    out += bytesOf(hash64(out));
    const std::size_t state = at + 8 + had * sizeof(TokenId) + 8;
    out += file.substr(state, file.size() - state - 8);
    return out + bytesOf(hash64(out));
}

TEST(ReuseContract, D_12_fileWithTokensBeyondItsCache_isRefused) {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "prompt.cache";
    Stage stage;
    static_cast<void>(stage.answer(prompt(30)));
    std::vector<TokenId> tokens(stage.sequence->tokens().begin(), stage.sequence->tokens().end());
    ASSERT_TRUE(savePromptCache(path, *stage.sequence, kModel));
    const std::string good = *readFile(path, 1 << 26);
    const std::size_t covered = tokens.size();
    const KvShape& shape = stage.sequence->cache().shape();
    ASSERT_EQ(withTokens(good, covered, tokens), good);
    tokens.push_back(7);
    ASSERT_TRUE(writeFileAtomically(path, withTokens(good, covered, tokens)));
    auto loaded = loadPromptCache(path, kModel, whole(shape));
    ASSERT_FALSE(loaded) << "a token more than the cache has seen";
    EXPECT_EQ(loaded.error().code, ErrorCode::Corrupt);
    tokens.resize(covered - 1);
    ASSERT_TRUE(writeFileAtomically(path, withTokens(good, covered, tokens)));
    loaded = loadPromptCache(path, kModel, whole(shape));
    ASSERT_FALSE(loaded) << "a token fewer";
    EXPECT_NE(loaded.error().what.find(std::to_string(covered)), std::string::npos)
        << loaded.error().what;
}

TEST(ReuseContract, S1_10_plainCacheUnderABudget_isCompacted) {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "prompt.cache";
    Stage plain;
    static_cast<void>(plain.answer(prompt(100)));
    ASSERT_TRUE(savePromptCache(path, *plain.sequence, kModel));
    auto loaded = loadPromptCache(path, kModel, whole(plain.sequence->cache().shape()));
    ASSERT_TRUE(loaded) << loaded.error().what;
    Stage stage;
    stage.settings.kv.method = CompactionMethod::Eviction;
    stage.settings.kv.lossLimit.level = LossLimit::Level::Off;
    stage.settings.kv.compactionFloor = 0;
    stage.settings.kv.evictionPolicy = EvictionPolicy::KeepLowNorm;
    stage.settings.kv.budget = 32;
    stage.settings.kv.keepRecent = 8;
    stage.settings.kv.nSink = 2;
    stage.settings.kv.margin = 8;
    stage.sequence->adopt(std::move(loaded->cache), std::move(loaded->tokens));
    ASSERT_GT(stage.sequence->cache().size(), 100);
    auto longer = prompt(100);
    longer.insert(longer.end(), {7, 8, 9});
    const auto answer = stage.answer(longer);
    EXPECT_GT(answer.compactions, 0);
    EXPECT_LE(stage.sequence->cache().size(), 32 + 8);
}

}  // namespace
}  // namespace lacuna
