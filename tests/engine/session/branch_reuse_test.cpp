// Switching between branches of a conversation: nothing is read twice while it is stored, and the
// number of tokens to read is known in advance.

#include <gtest/gtest.h>

#include "engine/settings/config_check.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::lettersOf;

EngineConfig with(std::vector<std::string> more) {
    std::vector<std::string> settings{"temperature=0",   "max_tokens=20", "prefill_chunk=32",
                                      "prefix_cache=64", "prefix_disk=0", "background=off"};
    settings.insert(settings.end(), more.begin(), more.end());
    return withSettings({}, settings).value();
}

struct Talk {
    explicit Talk(const EngineConfig& config) : run(config, test::roomyModel()) {
        run.start();
        EXPECT_TRUE(run.load());
    }
    /// Tokens read: as predicted and as measured.
    struct Read {
        std::int64_t estimated = 0, read = 0, prompt = 0;
    };
    Read ask(std::vector<ChatMessage>& messages) {
        run.queue.push(EstimateReading{ConversationId(1), messages, {}, ++asked});
        EXPECT_TRUE(run.waitFor<ReadingEstimated>(static_cast<std::size_t>(asked)));
        const ReadingEstimated estimate = run.all<ReadingEstimated>().back();
        EXPECT_FALSE(estimate.error);
        EXPECT_EQ(estimate.request, asked);
        run.submit(1, messages);
        EXPECT_TRUE(run.waitFor<TurnFinished>(static_cast<std::size_t>(asked)));
        const TurnFinished finished = run.all<TurnFinished>().back();
        messages.push_back({"assistant", finished.text});
        return {estimate.readTokens, finished.stats.promptTokens - finished.stats.reusedTokens,
                finished.stats.promptTokens};
    }
    EngineRunner run;
    std::int64_t asked = 0;
};

/// Tokens of a question of 30 letters with its template, and of the end of the previous turn. The
/// fake tokenizer has one token per letter.
constexpr std::int64_t kQuestion = 100;

class BranchReuseByCacheKind : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(BranchReuseByCacheKind, returnToFirstBranch_readsNewTokensOnly) {
    Talk talk(with(GetParam()));
    std::vector<ChatMessage> first{{"user", lettersOf(200, 0)}};
    const auto begun = talk.ask(first);
    EXPECT_EQ(begun.read, begun.prompt);
    EXPECT_EQ(begun.estimated, begun.prompt);
    first.push_back({"user", lettersOf(150, 3)});
    static_cast<void>(talk.ask(first));
    // The first question is edited, which branches at the start.
    std::vector<ChatMessage> second{{"user", lettersOf(40, 0) + "!" + lettersOf(160, 7)}};
    const auto edited = talk.ask(second);
    EXPECT_LT(edited.read, edited.prompt) << "the start is common";
    EXPECT_EQ(edited.estimated, edited.read);
    // Back to the first branch, with another question.
    first.push_back({"user", lettersOf(30, 5)});
    const auto back = talk.ask(first);
    EXPECT_EQ(back.estimated, back.read) << "what was said before is true";
    EXPECT_LE(back.read, kQuestion) << "of " << back.prompt;
    // Then the second branch again.
    second.push_back({"user", lettersOf(30, 9)});
    const auto again = talk.ask(second);
    EXPECT_EQ(again.estimated, again.read);
    EXPECT_LE(again.read, kQuestion) << "of " << again.prompt;
}

INSTANTIATE_TEST_SUITE_P(Caches, BranchReuseByCacheKind,
                         testing::Values(std::vector<std::string>{},
                                         std::vector<std::string>{"passes=apart"}));

// A compacted state cannot be rolled back, but a state stored before it can be used.
TEST(BranchReuse, compactedConversation_reportsActualReuse) {
    Talk talk(with({"method=l2", "compaction_floor=0", "loss_limit=off", "norm_policy=keydiff",
                    "budget=96", "keep_recent=8", "n_sink=2", "margin=16"}));
    std::vector<ChatMessage> first{{"user", lettersOf(200, 0)}};
    static_cast<void>(talk.ask(first));
    const auto happened = talk.run.all<CompactionHappened>();
    ASSERT_FALSE(happened.empty());
    std::vector<ChatMessage> second{{"user", lettersOf(40, 0) + "!" + lettersOf(160, 7)}};
    const auto edited = talk.ask(second);
    EXPECT_EQ(edited.estimated, edited.read);
    first.push_back({"user", lettersOf(30, 5)});
    const auto back = talk.ask(first);
    EXPECT_EQ(back.estimated, back.read);
    EXPECT_LT(back.read, back.prompt) << "its beginning was kept whole";
}

TEST(BranchReuse, noPrefixStore_readsFromTheBranchPoint_andReportsIt) {
    Talk talk(with({"prefix_cache=0"}));
    std::vector<ChatMessage> first{{"user", lettersOf(200, 0)}};
    static_cast<void>(talk.ask(first));
    std::vector<ChatMessage> second{{"user", lettersOf(40, 0) + "!" + lettersOf(160, 7)}};
    static_cast<void>(talk.ask(second));
    first.push_back({"user", lettersOf(30, 5)});
    const auto back = talk.ask(first);
    EXPECT_EQ(back.estimated, back.read);
    EXPECT_GT(back.read, 150) << "the cache went with the other branch";
    EXPECT_LT(back.read, back.prompt);
}

TEST(BranchReuse, noModel_reportsReuseAsUnknown) {
    EngineRunner run;
    run.start();
    run.queue.push(EstimateReading{ConversationId(1), {{"user", "hello"}}, {}, 3});
    ASSERT_TRUE(run.waitFor<ReadingEstimated>());
    EXPECT_TRUE(run.all<ReadingEstimated>().back().error);
}

}  // namespace
}  // namespace lacuna
