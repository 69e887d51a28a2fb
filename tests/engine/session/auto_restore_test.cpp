// Forgotten tokens that a question attends to are found, named and restored by the engine before
// the answer: in complete conversations with a model of random weights, with the smallest amount of
// attention.

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/report/recorder.h"
#include "engine/settings/config_check.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::lettersOf;

EngineConfig with(std::vector<std::string> more = {}) {
    std::vector<std::string> settings{
        "method=l2",      "compaction_floor=0", "loss_limit=off",   "norm_policy=keydiff",
        "budget=96",      "keep_recent=8",      "n_sink=2",         "margin=16",
        "temperature=0",  "max_tokens=12",      "prefill_chunk=32", "prefix_cache=64",
        "background=off", "bring_back=auto"};
    settings.insert(settings.end(), more.begin(), more.end());
    return withSettings({}, settings).value();
}

/// A conversation whose first text was compacted during its answer.
struct Talk {
    explicit Talk(const EngineConfig& config, PrefixUse use = {},
                  LookBackBounds bounds = anything())
        : run(config, test::roomyModel()), prefix(std::move(use)) {
        run.options.lookBack = bounds;
        run.start();
        EXPECT_TRUE(run.load());
        ask(lettersOf(500));
    }
    /// Returns bounds under which any attention suffices to restore a token.
    static LookBackBounds anything() {
        LookBackBounds bounds;
        bounds.needed.least = 1e-6F;
        bounds.needed.spans = 2;
        bounds.seconds = 1e6;
        return bounds;
    }
    /// Asks in tokens, so that every question continues exactly from the previous answer.
    void ask(const std::string& text, std::optional<BringBackMode> mode = std::nullopt) {
        for (const char letter : text) tokens.push_back(static_cast<TokenId>(letter));
        Submit question{ConversationId(1), {}, {}};
        question.prompt = tokens;
        question.prefix = prefix;
        question.bringBack = mode;
        run.queue.push(std::move(question));
        ASSERT_TRUE(run.waitFor<TurnFinished>(++answers));
        const TurnFinished answer = run.all<TurnFinished>().back();
        tokens.insert(tokens.end(), answer.tokens.begin(), answer.tokens.end());
    }
    [[nodiscard]] std::vector<SpanRestored> said() const { return run.all<SpanRestored>(); }
    /// Returns the smallest share of heads that hold a token of the spans.
    float least(const KeptSpans& spans) {
        const auto count = run.all<RetentionSnapshot>().size();
        run.queue.push(RequestRetention{ConversationId(1)});
        EXPECT_TRUE(run.waitFor<RetentionSnapshot>(count + 1));
        const RetentionRow row = run.all<RetentionSnapshot>().back().row;
        float least = 1;
        for (const TokenSpan& span : spans)
            for (std::int64_t at = span.first; at < span.last; ++at)
                least = std::min(least, row.share[static_cast<std::size_t>(at)]);
        return least;
    }
    EngineRunner run;
    PrefixUse prefix;
    std::vector<TokenId> tokens;
    std::size_t answers = 0;
};

class AutoRestoreByMethod : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(AutoRestoreByMethod, soughtTokens_areHeldByEveryHeadBeforeTheAnswer_andStay) {
    Talk talk(with(GetParam()));
    const auto before = talk.said().size();
    talk.ask("and what?");
    const auto said = talk.said();
    ASSERT_EQ(said.size(), before + 1) << "once for each question";
    const SpanRestored& one = said.back();
    ASSERT_FALSE(one.error) << one.error->what;
    EXPECT_TRUE(one.forQuestion);
    EXPECT_TRUE(one.ended);
    EXPECT_FALSE(one.offered);
    ASSERT_FALSE(one.spans.empty());
    EXPECT_EQ(one.count, tokensOf(one.spans));
    EXPECT_GE(one.keptTokens, one.count);
    EXPECT_EQ(talk.least(one.spans), 1.0F);
    const TurnStats stats = talk.run.all<TurnFinished>().back().stats;
    EXPECT_EQ(stats.restoredTokens, one.count);
    const auto compactions = talk.run.all<CompactionHappened>();
    EXPECT_EQ(std::ranges::count_if(compactions,
                                    [&](const CompactionHappened& c) {
                                        return c.report.cause == CompactionCause::Restore &&
                                               c.at >= one.at;
                                    }),
              1)
        << "all runs come back with one compaction";
    // Restored before the first token of the answer, at a safe point of this turn.
    EXPECT_EQ(one.at.turn, 2);
    talk.ask(lettersOf(200, 5));
    EXPECT_EQ(talk.least(one.spans), 1.0F) << "no later compaction forgets it";
}

INSTANTIATE_TEST_SUITE_P(Methods, AutoRestoreByMethod,
                         testing::Values(std::vector<std::string>{},
                                         std::vector<std::string>{"norm_policy=keep_low"},
                                         std::vector<std::string>{"method=am", "compaction_floor=0",
                                                                  "loss_limit=off", "am_ratio=1"},
                                         std::vector<std::string>{"prefill_policy=per_chunk"}));

// The rows are the original ones, so the answer is that of a cache that holds these tokens.
TEST(AutoRestore, off_restoresNothing_andPerTurnRequestRestores) {
    Talk talk(with({"bring_back=off"}));
    talk.ask("and what?");
    EXPECT_TRUE(talk.said().empty());
    talk.ask("and now?", BringBackMode::Auto);
    ASSERT_EQ(talk.said().size(), 1U);
    EXPECT_FALSE(talk.said().back().error);
    EXPECT_GT(talk.said().back().count, 0);
}

TEST(AutoRestore, askMode_reportsSpans_andChangesNothing) {
    Talk off(with({"bring_back=off"}));
    off.ask("and what?");
    Talk talk(with({"bring_back=ask"}));
    ASSERT_EQ(talk.said().size(), 1U) << "after the compaction that came with the first token";
    talk.ask("and what?");
    ASSERT_EQ(talk.said().size(), 2U);
    for (const SpanRestored& one : talk.said()) {
        EXPECT_FALSE(one.error);
        EXPECT_TRUE(one.offered);
        EXPECT_GT(one.count, 0);
        EXPECT_EQ(one.keptTokens, 0);
        EXPECT_LT(talk.least(one.spans), 1.0F);
    }
    const auto answers = talk.run.all<TurnFinished>();
    const auto expected = off.run.all<TurnFinished>();
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(answers[i].stats.restoredTokens, 0);
        EXPECT_EQ(answers[i].tokens, expected[i].tokens);
    }
}

TEST(AutoRestore, nothingAttended_reportsNoSpans_andTheNextTurnIsCheap) {
    LookBackBounds bounds = Talk::anything();
    bounds.needed.least = 1.1F;
    Talk talk(with(), {}, bounds);
    talk.ask("and what?");
    const SpanRestored first = talk.said().back();
    EXPECT_FALSE(first.error);
    EXPECT_EQ(first.count, 0);
    EXPECT_TRUE(first.spans.empty());
    talk.ask("and now?");
    const SpanRestored second = talk.said().back();
    EXPECT_GT(second.restoredTokens, first.restoredTokens) << "what was read is kept";
}

// The question's tokens are protected before the due eviction runs.
TEST(AutoRestore, dueEviction_keepsTokensTheQuestionAttendsTo) {
    Talk talk(with({"budget=2000"}));
    talk.run.queue.push(SetConfig{Revision(5), with()});
    talk.ask("and what?");
    ASSERT_EQ(talk.said().size(), 1U);
    const SpanRestored one = talk.said().back();
    ASSERT_FALSE(one.error) << one.error->what;
    EXPECT_GT(one.count, 0);
    EXPECT_EQ(talk.least(one.spans), 1.0F);
}

TEST(AutoRestore, nothingEvicted_restoresNothing) {
    Talk talk(with({"budget=2000"}));
    talk.ask("and what?");
    EXPECT_TRUE(talk.said().empty());
    Talk without(with({"method=none", "budget=off"}));
    without.ask("and what?");
    EXPECT_TRUE(without.said().empty());
}

/// Returns the reason why nothing was restored for the second question of a conversation.
std::string reasonOf(Talk& talk) {
    const auto finished = talk.run.all<TurnFinished>().size();
    talk.ask("and what?");
    EXPECT_EQ(talk.run.all<TurnFinished>().size(), finished + 1) << "it is answered all the same";
    EXPECT_EQ(talk.run.all<TurnFinished>().back().reason, FinishReason::Length);
    const auto said = talk.said();
    if (said.empty() || !said.back().error) return "none";
    EXPECT_EQ(said.back().count, 0);
    EXPECT_EQ(talk.run.all<TurnFinished>().back().stats.restoredTokens, 0);
    return said.back().error->what;
}

TEST(AutoRestore, privateConversation_reportsWhyNothingIsRestored) {
    Talk talk(with({"bring_back=off"}), {.shared = false});
    talk.run.queue.push(SetConfig{Revision(5), with()});
    EXPECT_NE(reasonOf(talk).find("private"), std::string::npos);
}

TEST(AutoRestore, clearedStore_reportsWhyNothingIsRestored) {
    Talk talk(with({"bring_back=off"}));
    talk.run.queue.push(SetConfig{Revision(5), with()});
    talk.run.queue.push(ClearPrefixCache{});
    EXPECT_NE(reasonOf(talk).find("no uncompressed prefix of this text is stored"),
              std::string::npos);
}

TEST(AutoRestore, rereadBeyondTheLimit_reportsBothNumbers) {
    LookBackBounds bounds = Talk::anything();
    bounds.read = 3;
    Talk talk(with(), {}, bounds);
    const std::string why = reasonOf(talk);
    EXPECT_NE(why.find("it would read"), std::string::npos) << why;
    EXPECT_NE(why.find("is 3 tokens"), std::string::npos) << why;
    LookBackBounds slow = Talk::anything();
    slow.seconds = 1e-9;
    Talk other(with(), {}, slow);
    EXPECT_NE(reasonOf(other).find("it would read"), std::string::npos);
}

TEST(AutoRestore, policyWithRepetition_isRefusedWithTheReason) {
    Talk talk(with({"norm_policy=reconstruct"}));
    EXPECT_NE(reasonOf(talk).find("read the full text again"), std::string::npos);
}

// Two conversations are answered concurrently; each restores only its own forgotten tokens.
TEST(AutoRestore, parallelTurns_searchOnceEach) {
    Talk talk(with());
    talk.run.submit(2, lettersOf(400, 3));
    ASSERT_TRUE(talk.run.waitFor<TurnFinished>(2));
    const std::string answered = talk.run.all<TurnFinished>().back().text;
    talk.run.submit(
        2, std::vector<ChatMessage>{
               {"user", lettersOf(400, 3)}, {"assistant", answered}, {"user", "and why?"}});
    talk.answers = 3;
    talk.ask("and what?");
    std::int64_t first = 0;
    std::int64_t second = 0;
    for (const SpanRestored& one : talk.said()) {
        EXPECT_FALSE(one.error);
        ++(one.conversation == ConversationId(1) ? first : second);
    }
    EXPECT_EQ(first, 2);
    EXPECT_EQ(second, 1);
}

}  // namespace
}  // namespace lacuna
