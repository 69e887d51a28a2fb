// Compaction one turn late, in a session: it runs at the end of the next answer and at no other
// time.

#include <gtest/gtest.h>

#include "engine/base/string_format.h"
#include "tests/support/compaction_notes.h"
#include "tests/support/engine_runner.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using test::DialogueRunner;
using test::FakeModelOptions;

EngineConfig late(const std::string& method) {
    std::vector<std::string> settings{
        "method=" + method, "compaction_floor=0", "loss_limit=off",   "compact_when=turn_late",
        "temperature=0",    "max_tokens=30",      "prefill_chunk=32", "keep_recent=8",
        "n_sink=2",         "margin=16",          "background=off",   "prefix_cache=0"};
    if (method == "l2") settings.emplace_back("budget=150");
    return *withSettings({}, settings);
}

/// Returns a model whose text does not depend on the cache and is tokenised back to the same
/// tokens.
FakeModelOptions steady() {
    FakeModelOptions options = test::roomyModel();
    options.period = 7;
    return options;
}

/// Checks that an event fell into the given turn, together with the end of that turn.
void expectAtTheEndOf(std::int64_t turn, const CompactionHappened& happened,
                      const DialogueRunner& dialogue) {
    const TurnFinished finished =
        dialogue.run.all<TurnFinished>()[static_cast<std::size_t>(turn - 1)];
    EXPECT_EQ(happened.at, finished.at) << "in the step that ended turn " << turn;
    EXPECT_EQ(happened.report.result, CompactionResult::Done) << happened.report.notes;
    EXPECT_EQ(happened.report.cause, CompactionCause::Budget);
    EXPECT_GT(happened.report.slotsBefore, happened.report.slotsAfter);
}

TEST(LateCompactionSession, compaction_runsOnlyAtTheEndOfTheNextTurn) {
    for (const std::string method : {"am", "l2"}) {
        DialogueRunner dialogue(late(method), steady());
        dialogue.start();
        dialogue.ask(300);
        EXPECT_TRUE(dialogue.compactions().empty()) << method << ": the first turn stays whole";
        dialogue.ask(100);
        dialogue.ask(100);
        dialogue.run.finish();
        const auto happened = dialogue.compactions();
        ASSERT_EQ(happened.size(), 2U) << method;
        expectAtTheEndOf(2, happened[0], dialogue);
        expectAtTheEndOf(3, happened[1], dialogue);
        const auto started = dialogue.run.all<TurnStarted>();
        EXPECT_GT(started[2].reusedTokens, 400) << started[2].reuseNote;
        if (method == "l2") continue;
        const CompactionNotes& notes = happened[0].report.notes;
        EXPECT_TRUE(mentions(notes, CompactionReason::QueriesFromNewestTurn)) << notes;
        // The second turn in full and at most a quarter of the first.
        const std::int64_t before = started[1].reusedTokens;
        const std::int64_t turn = happened[0].report.tokens - before;
        EXPECT_GT(happened[0].report.slotsAfter, 4 * turn);
        EXPECT_LE(happened[0].report.slotsAfter, 4 * ((before + 3) / 4 + turn));
    }
}

TEST(LateCompactionSession, samples_reportThePendingCondition) {
    DialogueRunner dialogue(late("am"), steady());
    dialogue.start();
    dialogue.ask(300);
    dialogue.ask(60);
    dialogue.run.finish();
    bool first = false;
    bool second = false;
    for (const StepSample& sample : dialogue.run.all<StepSample>()) {
        EXPECT_FALSE(sample.compaction.due);
        first = first || sample.compaction.phase == CompactionPhase::FirstTurnOpen;
        second = second || sample.compaction.phase == CompactionPhase::TurnOpen;
    }
    EXPECT_TRUE(first);
    EXPECT_TRUE(second);
}

TEST(LateCompactionSession, repeatedQuestion_keepsTheBoundaryOfThePreviousTurn) {
    DialogueRunner dialogue(late("am"), steady());
    dialogue.start();
    dialogue.ask(300);
    dialogue.ask(60);
    dialogue.takeAnswerBack();
    dialogue.again();
    dialogue.run.finish();
    const auto happened = dialogue.compactions();
    ASSERT_EQ(happened.size(), 1U) << "what stood before is compacted already";
    expectAtTheEndOf(2, happened[0], dialogue);
    const auto started = dialogue.run.all<TurnStarted>();
    EXPECT_GT(started[2].reusedTokens, 350) << "the question stays in the cache";
    EXPECT_TRUE(started[2].reuseNote.empty()) << started[2].reuseNote;
}

TEST(LateCompactionSession, cancelledTurn_doesNotCompactYet) {
    DialogueRunner dialogue(late("am"), steady());
    dialogue.run.onEvent = [&](const Event& event) {
        const auto* text = std::get_if<TokenText>(&event);
        if (text != nullptr && text->turn == 2 && text->index == 10)
            dialogue.run.queue.push(CancelTurn{});
    };
    dialogue.start();
    dialogue.ask(300);
    dialogue.ask(60);
    EXPECT_EQ(dialogue.run.all<TurnFinished>()[1].reason, FinishReason::Cancelled);
    EXPECT_TRUE(dialogue.compactions().empty());
    dialogue.ask(60);
    dialogue.run.finish();
    ASSERT_EQ(dialogue.compactions().size(), 1U);
    expectAtTheEndOf(3, dialogue.compactions()[0], dialogue);
}

TEST(LateCompactionSession, compactNow_compactsImmediately) {
    DialogueRunner dialogue(late("am"), steady());
    dialogue.start();
    dialogue.ask(300);
    dialogue.run.queue.push(CompactNow{ConversationId(1)});
    ASSERT_TRUE(dialogue.run.waitFor<CompactionHappened>());
    dialogue.run.finish();
    EXPECT_EQ(dialogue.compactions()[0].report.result, CompactionResult::Done);
    EXPECT_EQ(dialogue.compactions()[0].report.cause, CompactionCause::Manual);
}

TEST(LateCompactionSession, backgroundCompaction_startsAtTurnEnd_andIsAdoptedWhileIdle) {
    EngineConfig config = late("am");
    config.kv.background = true;
    DialogueRunner dialogue(config, steady());
    dialogue.start();
    dialogue.ask(300);
    dialogue.ask(60);
    ASSERT_TRUE(dialogue.run.waitFor<CompactionHappened>(2));
    dialogue.run.finish();
    const auto happened = dialogue.compactions();
    EXPECT_EQ(happened[0].report.result, CompactionResult::Started);
    EXPECT_EQ(happened[0].at, dialogue.run.all<TurnFinished>()[1].at);
    EXPECT_EQ(happened[1].report.result, CompactionResult::Done) << happened[1].report.notes;
}

TEST(LateCompactionSession, loadedPromptCache_countsAsOnePastTurn) {
    const test::TemporaryFolder folder;
    const std::string path = (folder.path() / "saved").string();
    DialogueRunner dialogue(late("am"), steady());
    dialogue.start();
    dialogue.ask(300);
    dialogue.run.queue.push(SavePromptCache{ConversationId(1), path});
    dialogue.run.queue.push(ReleaseConversation{ConversationId(1)});
    dialogue.run.queue.push(LoadPromptCache{ConversationId(1), path});
    ASSERT_TRUE(dialogue.run.waitFor<PromptCacheMoved>(2));
    ASSERT_FALSE(dialogue.run.all<PromptCacheMoved>()[1].error);
    dialogue.ask(60);
    dialogue.run.finish();
    ASSERT_EQ(dialogue.compactions().size(), 1U);
    expectAtTheEndOf(2, dialogue.compactions()[0], dialogue);
}

TEST(LateCompactionSession, drafts_doNotChangeWhenCompactionRuns) {
    std::vector<TokenId> tokens;
    for (const int draft : {0, 4}) {
        EngineConfig config = late("am");
        config.draftTokens = draft;
        DialogueRunner dialogue(config, steady());
        dialogue.start();
        dialogue.ask(300);
        dialogue.ask(60);
        dialogue.run.finish();
        ASSERT_EQ(dialogue.compactions().size(), 1U) << draft;
        const TurnFinished second = dialogue.run.all<TurnFinished>()[1];
        if (draft == 0) tokens = second.tokens;
        EXPECT_EQ(second.tokens, tokens);
        EXPECT_EQ(second.stats.acceptedTokens > 0, draft > 0);
        expectAtTheEndOf(2, dialogue.compactions()[0], dialogue);
    }
}

}  // namespace
}  // namespace lacuna
