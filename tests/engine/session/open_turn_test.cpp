// A question repeated or edited after a compaction at the budget during its answer: the text before
// it is not read again if the turn fits, and otherwise the cost is known in advance.

#include <gtest/gtest.h>

#include "tests/support/compaction_notes.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::DialogueRunner;
using test::FakeModelOptions;

/// Settings under which no text is reread in a pause, so that the compaction happens during the
/// answer.
EngineConfig atBudget(const std::string& method, const std::string& budget) {
    return *withSettings({}, std::vector<std::string>{
                                 "method=" + method, "compaction_floor=0", "loss_limit=off",
                                 "am_ratio=1", "budget=" + budget, "temperature=0", "max_tokens=40",
                                 "prefill_chunk=32", "keep_recent=8", "n_sink=2", "margin=16",
                                 "prefix_cache=0", "head_budgets=coverage"});
}

/// Returns a model whose text does not depend on the cache and is tokenised back to the same
/// tokens.
FakeModelOptions steady() {
    FakeModelOptions options = test::roomyModel();
    options.period = 7;
    return options;
}

/// A long text, then a short question with a compaction during its answer.
struct ShortQuestion {
    explicit ShortQuestion(const EngineConfig& config) : dialogue(config, steady()) {
        dialogue.start();
        dialogue.ask(400);
        dialogue.settle();
        before = dialogue.compactions().size();
        dialogue.ask(20);
        dialogue.settle();
    }
    [[nodiscard]] TurnFinished last() const { return dialogue.run.all<TurnFinished>().back(); }
    [[nodiscard]] TurnStarted started() const { return dialogue.run.all<TurnStarted>().back(); }
    /// Returns the number of compactions during the newest answer.
    [[nodiscard]] bool compactedInTheAnswer() const {
        const std::int64_t prompt = last().stats.promptTokens;
        const auto all = dialogue.compactions();
        return std::any_of(all.begin() + static_cast<std::ptrdiff_t>(before), all.end(),
                           [&](const CompactionHappened& one) {
                               return one.report.result == CompactionResult::Done &&
                                      one.report.tokens > prompt;
                           });
    }
    DialogueRunner dialogue;
    std::size_t before = 0;
};

class OpenTurn : public testing::TestWithParam<std::string> {};

TEST_P(OpenTurn, regeneratedTurn_readsOneToken) {
    ShortQuestion talk(atBudget(GetParam(), "300"));
    ASSERT_TRUE(talk.compactedInTheAnswer());
    EXPECT_EQ(talk.last().stats.regenerateTokens, 1);
    talk.dialogue.takeAnswerBack();
    talk.dialogue.again();
    EXPECT_EQ(talk.last().stats.promptTokens - talk.last().stats.reusedTokens, 1);
    EXPECT_TRUE(talk.started().reuseNote.empty()) << talk.started().reuseNote;
    EXPECT_EQ(talk.last().stats.generatedTokens, 40);
}

TEST_P(OpenTurn, editedQuestion_readsOnlyTheQuestion) {
    ShortQuestion talk(atBudget(GetParam(), "300"));
    ASSERT_TRUE(talk.compactedInTheAnswer());
    const std::int64_t earlier = talk.started().reusedTokens;
    EXPECT_EQ(talk.last().stats.editTokens, 0);
    talk.dialogue.takeAnswerBack();
    talk.dialogue.messages.pop_back();
    talk.dialogue.ask(25);
    EXPECT_GE(talk.last().stats.reusedTokens, earlier) << "what stood before the question";
    EXPECT_TRUE(talk.started().reuseNote.empty()) << talk.started().reuseNote;
}

TEST_P(OpenTurn, repeatedTurns_stayWithinTheBudget) {
    ShortQuestion talk(atBudget(GetParam(), "300"));
    for (int i = 0; i < 3; ++i) {
        talk.dialogue.takeAnswerBack();
        talk.dialogue.again();
        EXPECT_EQ(talk.last().stats.promptTokens - talk.last().stats.reusedTokens, 1);
        talk.dialogue.settle();
    }
    const auto samples = talk.dialogue.run.all<StepSample>();
    ASSERT_FALSE(samples.empty());
    EXPECT_LE(samples.back().compaction.slots, 300 + 16 + 1);
}

// At most a third of 90 slots is open, less than this answer.
TEST_P(OpenTurn, budgetTooSmall_reportsTheTokensRegenerationReads) {
    EngineConfig config = atBudget(GetParam(), "90");
    config.maxTokens = 80;
    config.kv.background = false;
    ShortQuestion talk(config);
    ASSERT_TRUE(talk.compactedInTheAnswer());
    const std::int64_t prompt = talk.last().stats.promptTokens;
    EXPECT_EQ(talk.last().stats.regenerateTokens, prompt);
    EXPECT_EQ(talk.last().stats.editTokens, talk.started().reusedTokens);
    talk.dialogue.takeAnswerBack();
    talk.dialogue.again();
    EXPECT_EQ(talk.last().stats.reusedTokens, 0) << "as it was said";
    EXPECT_NE(talk.started().reuseNote.find("compacted"), std::string::npos);
}

TEST_P(OpenTurn, firstQuestion_isCompactedAfterItsAnswer) {
    EngineConfig config = atBudget(GetParam(), "100");
    config.kv.background = false;
    DialogueRunner dialogue(config, steady());
    dialogue.start();
    dialogue.ask(300);
    dialogue.run.finish();
    const auto happened = dialogue.compactions();
    ASSERT_EQ(happened.size(), 1U);
    EXPECT_EQ(happened[0].report.result, CompactionResult::Done) << happened[0].report.notes;
    EXPECT_EQ(happened[0].at, dialogue.run.all<TurnFinished>()[0].at);
}

// When an entire conversation is reread, its question is the newest message and not all text
// that is read.
TEST_P(OpenTurn, conversationReadFromStart_compactsTextBeforeItsQuestion) {
    EngineConfig config = atBudget(GetParam(), "60");
    config.kv.background = false;
    DialogueRunner dialogue(config, steady());
    dialogue.messages = {{"user", std::string(300, 'q')}, {"assistant", "so it is"}};
    dialogue.start();
    dialogue.ask(90);
    dialogue.run.finish();
    const auto happened = dialogue.compactions();
    ASSERT_GE(happened.size(), 2U);
    const CompactionReport& first = happened[0].report;
    EXPECT_EQ(first.result, CompactionResult::Done) << first.notes;
    EXPECT_LT(happened[0].at, dialogue.run.all<TurnFinished>()[0].at);
    const std::int64_t heads = first.slotsBefore / first.tokens;
    EXPECT_GT(first.slotsAfter, heads * 90);
    EXPECT_LT(first.slotsAfter, heads * 200);
    EXPECT_TRUE(mentions(first.notes, CompactionReason::LimitedByProtected)) << first.notes;
    EXPECT_LE(happened.back().report.slotsAfter, heads * 60)
        << "answered, it has no right of its own";
}

INSTANTIATE_TEST_SUITE_P(Methods, OpenTurn, testing::Values("l2", "am"),
                         [](const auto& method) { return method.param; });

}  // namespace
}  // namespace lacuna
