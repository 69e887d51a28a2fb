// Forgotten tokens restored through the complete engine: from memory, from disk, after a compaction
// within the prompt, and every reason for a refusal.

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/settings/config_check.h"
#include "tests/support/engine_runner.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::lettersOf;
using test::TemporaryFolder;

EngineConfig compacting(std::vector<std::string> more = {}) {
    std::vector<std::string> settings{
        "method=l2",     "compaction_floor=0", "loss_limit=off",   "norm_policy=keydiff",
        "budget=96",     "keep_recent=8",      "n_sink=2",         "margin=16",
        "temperature=0", "max_tokens=20",      "prefill_chunk=32", "prefix_cache=64",
        "prefix_disk=0", "background=off"};
    settings.insert(settings.end(), more.begin(), more.end());
    return withSettings({}, settings).value();
}

/// A conversation whose text was compacted, and requests to the engine afterwards.
struct Talk {
    explicit Talk(const EngineConfig& config, PrefixUse use = {},
                  const std::filesystem::path& folder = {}, std::vector<ChatMessage> history = {})
        : run(config, test::roomyModel()), prefix(std::move(use)), messages(std::move(history)) {
        run.options.prefixFolder = folder;
        run.start();
        EXPECT_TRUE(run.load());
        ask(messages.empty() ? lettersOf(500) : "and now?");
        const auto compactions = run.all<CompactionHappened>();
        EXPECT_TRUE(std::ranges::any_of(compactions, [](const CompactionHappened& one) {
            return one.report.result == CompactionResult::Done;
        }));
    }
    void ask(const std::string& text) {
        messages.push_back({"user", text});
        Submit question{ConversationId(1), messages, {}};
        question.prefix = prefix;
        run.queue.push(std::move(question));
        ASSERT_TRUE(run.waitFor<TurnFinished>(++answers));
        messages.push_back({"assistant", run.all<TurnFinished>().back().text});
    }
    /// Requests a span and returns the final event.
    SpanRestored bring(std::int64_t first, std::int64_t count, std::int64_t conversation = 1) {
        const auto said = run.all<SpanRestored>().size();
        run.queue.push(BringBack{ConversationId(conversation), first, count});
        for (std::size_t more = 1; more <= 2; ++more) {
            EXPECT_TRUE(run.waitFor<SpanRestored>(said + more));
            if (run.all<SpanRestored>().back().ended) break;
        }
        return run.all<SpanRestored>().back();
    }
    RetentionRow retained() {
        const auto said = run.all<RetentionSnapshot>().size();
        run.queue.push(RequestRetention{ConversationId(1)});
        EXPECT_TRUE(run.waitFor<RetentionSnapshot>(said + 1));
        return run.all<RetentionSnapshot>().back().row;
    }
    /// Returns the smallest share of heads that hold a token of the span.
    float least(std::int64_t first, std::int64_t count) {
        const RetentionRow row = retained();
        const auto begin = row.share.begin() + first;
        return *std::min_element(begin, begin + count);
    }
    EngineRunner run;
    PrefixUse prefix;
    std::vector<ChatMessage> messages;
    std::size_t answers = 0;
};

class SpanRestorerByMethod : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(SpanRestorerByMethod, restoredSpan_isHeldByEveryHead_andStays) {
    Talk talk(compacting(GetParam()));
    ASSERT_LT(talk.least(150, 12), 1.0F) << "it was forgotten";
    const SpanRestored back = talk.bring(150, 12);
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_EQ(back.keptTokens, 12);
    EXPECT_GE(back.restoredTokens, 128);
    EXPECT_GE(back.rereadTokens, 1);
    const auto said = talk.run.all<SpanRestored>();
    ASSERT_EQ(said.size(), 2U);
    EXPECT_FALSE(said[0].ended);
    EXPECT_EQ(said[0].rereadTokens, back.rereadTokens) << "said before it is done";
    const auto compactions = talk.run.all<CompactionHappened>();
    EXPECT_EQ(compactions.back().report.cause, CompactionCause::Restore);
    EXPECT_EQ(talk.least(150, 12), 1.0F);
    talk.ask(lettersOf(200) + "?");
    EXPECT_GT(talk.run.all<CompactionHappened>().size(), compactions.size());
    EXPECT_EQ(talk.least(150, 12), 1.0F) << "no later compaction forgets it";
    const RetentionRow row = talk.retained();
    EXPECT_LE(*std::ranges::max_element(row.slots), 500) << "the rest was forgotten again";
}

INSTANTIATE_TEST_SUITE_P(Methods, SpanRestorerByMethod,
                         testing::Values(std::vector<std::string>{},
                                         std::vector<std::string>{"norm_policy=keep_low"},
                                         std::vector<std::string>{"method=am", "compaction_floor=0",
                                                                  "loss_limit=off", "am_ratio=1"},
                                         std::vector<std::string>{"prefill_policy=per_chunk"}));

// The text after the prefix that is stored in full is reread.
TEST(SpanRestorer, compactedWithinThePrompt_rereadsTheRest) {
    Talk talk(compacting({"prefill_policy=per_chunk", "budget=200"}), {}, {},
              {{"user", lettersOf(500)}, {"assistant", "so it is"}});
    const SpanRestored back = talk.bring(300, 10);
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_LT(back.restoredTokens, 300);
    EXPECT_GT(back.rereadTokens, 200);
    EXPECT_EQ(talk.least(300, 10), 1.0F);
    const SpanRestored second = talk.bring(250, 10);
    EXPECT_EQ(second.rereadTokens, 1) << "the whole was kept when it was there";
    EXPECT_EQ(second.keptTokens, 20);
}

TEST(SpanRestorer, noEntryInMemory_restoresFromDisk) {
    const TemporaryFolder folder;
    Talk talk(compacting({"prefix_cache=0", "prefix_disk=64"}), {}, folder.path());
    EXPECT_TRUE(talk.run.waitForNewest<PrefixCacheChanged>([](const PrefixCacheChanged& event) {
        return event.disk.queued == 0 && event.disk.bytes > 0;
    }));
    const SpanRestored back = talk.bring(150, 12);
    ASSERT_FALSE(back.error) << back.error->what;
    EXPECT_GE(back.restoredTokens, 256);
    EXPECT_EQ(talk.least(150, 12), 1.0F);
}

TEST(SpanRestorer, noEntry_reportsThatRereadingIsNeeded) {
    Talk talk(compacting({"prefix_cache=0"}));
    const SpanRestored back = talk.bring(150, 12);
    ASSERT_TRUE(back.error);
    EXPECT_NE(back.error->what.find("reading the text again"), std::string::npos);
    EXPECT_LT(talk.least(150, 12), 1.0F);
}

TEST(SpanRestorer, clearedStore_hasNoEntry) {
    Talk talk(compacting());
    talk.run.queue.push(ClearPrefixCache{});
    EXPECT_TRUE(talk.bring(150, 12).error);
}

TEST(SpanRestorer, privateConversation_hasNoEntry) {
    Talk talk(compacting(), {.shared = false});
    const SpanRestored back = talk.bring(150, 12);
    ASSERT_TRUE(back.error);
    EXPECT_NE(back.error->what.find("private"), std::string::npos) << back.error->what;
}

TEST(SpanRestorer, spanOutsideTheText_isRefused) {
    Talk talk(compacting());
    for (const auto& [first, count] : {std::pair{-1, 5}, {0, 0}, {5, 100'000}, {100'000, 5}})
        EXPECT_EQ(talk.bring(first, count).error->code, ErrorCode::Range) << first;
    EXPECT_EQ(talk.bring(0, 5, 9).error->code, ErrorCode::InvalidArgument) << "no conversation";
}

TEST(SpanRestorer, spanLargerThanTheBudget_isRefusedWithTheNumber) {
    Talk talk(compacting());
    EXPECT_FALSE(talk.bring(150, 40).error);
    const SpanRestored back = talk.bring(250, 40);
    ASSERT_TRUE(back.error);
    EXPECT_EQ(back.error->code, ErrorCode::Range);
    EXPECT_NE(back.error->what.find("80 tokens"), std::string::npos) << back.error->what;
    EXPECT_EQ(talk.least(150, 40), 1.0F) << "those before stay";
}

TEST(SpanRestorer, requestDuringATurn_isRefused) {
    Talk talk(compacting());
    talk.run.queue.push(
        SetConfig{Revision(5), compacting({"max_tokens=400", "norm_policy=keydiff"})});
    talk.messages.push_back({"user", "more"});
    const auto tokens = talk.run.all<TokenText>().size();
    talk.run.submit(1, talk.messages);
    ASSERT_TRUE(talk.run.waitFor<TokenText>(tokens + 1));
    const SpanRestored back = talk.bring(150, 12);
    ASSERT_TRUE(back.error);
    EXPECT_NE(back.error->what.find("wait until it ends"), std::string::npos);
    talk.run.queue.push(CancelTurn{});
    ASSERT_TRUE(talk.run.waitFor<TurnFinished>(2));
    EXPECT_FALSE(talk.bring(150, 12).error);
}

// A repeated question continues from the stored entry.
TEST(SpanRestorer, regeneratedTurn_keepsRestoredTokens) {
    Talk talk(compacting());
    ASSERT_FALSE(talk.bring(150, 12).error);
    talk.messages.pop_back();
    const std::string question = talk.messages.back().content;
    talk.messages.pop_back();
    talk.ask(question);
    EXPECT_EQ(talk.least(150, 12), 1.0F);
}

}  // namespace
}  // namespace lacuna
