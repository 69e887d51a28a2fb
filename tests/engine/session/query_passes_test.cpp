// Query passes for compactions during a turn, in a session: their cost is reported, a cancel
// interrupts them, and without memory for them the next best queries are used.

#include <gtest/gtest.h>

#include <tuple>

#include "tests/support/compaction_notes.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::DialogueRunner;

EngineConfig judgedBy(const std::string& source, const std::vector<std::string>& more = {}) {
    std::vector<std::string> settings{
        "method=am",     "compaction_floor=0", "loss_limit=off",   "query_source=" + source,
        "temperature=0", "max_tokens=30",      "prefill_chunk=32", "keep_recent=8",
        "n_sink=2",      "background=off"};
    settings.insert(settings.end(), more.begin(), more.end());
    return *withSettings({}, settings);
}

TEST(QueryPasses, dueCompaction_readsTheText_andReportsItsCost) {
    for (const std::string source : {"context", "repeat"}) {
        DialogueRunner dialogue(judgedBy(source));
        dialogue.start();
        dialogue.ask(300);
        dialogue.run.finish();
        const auto happened = dialogue.compactions();
        ASSERT_FALSE(happened.empty()) << source;
        const CompactionReport& report = happened[0].report;
        EXPECT_EQ(report.result, CompactionResult::Done) << report.notes;
        EXPECT_EQ(report.cause, CompactionCause::Budget);
        EXPECT_GT(report.slotsBefore, report.slotsAfter);
        EXPECT_GT(report.queriesMs, 0);
        EXPECT_GT(report.referenceQueries, 0);
        EXPECT_TRUE(mentions(report.notes, source == "repeat"
                                               ? CompactionReason::QueriesFromRepetition
                                               : CompactionReason::QueriesFromReading))
            << report.notes;
        // The pass leaves no tokens in the conversation's own cache.
        EXPECT_EQ(dialogue.run.all<StepSample>().back().kv.tokens,
                  dialogue.run.all<TurnFinished>()[0].stats.promptTokens + 29);
    }
}

TEST(QueryPasses, compactNow_usesQueryPasses) {
    DialogueRunner dialogue(judgedBy("repeat", {"margin=4000"}));
    dialogue.start();
    dialogue.ask(300);
    ASSERT_TRUE(dialogue.compactions().empty());
    dialogue.run.queue.push(CompactNow{ConversationId(1)});
    ASSERT_TRUE(dialogue.run.waitFor<CompactionHappened>());
    dialogue.run.finish();
    const CompactionReport report = dialogue.compactions()[0].report;
    EXPECT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_EQ(report.cause, CompactionCause::Manual);
    EXPECT_TRUE(mentions(report.notes, CompactionReason::ScoredByRepetition)) << report.notes;
}

TEST(QueryPasses, preview_usesQueryPasses) {
    DialogueRunner dialogue(judgedBy("repeat", {"margin=4000"}));
    dialogue.start();
    dialogue.ask(300);
    dialogue.run.queue.push(RequestPreview{ConversationId(1), judgedBy("repeat").kv});
    ASSERT_TRUE(dialogue.run.waitFor<CompactionPreviewed>());
    dialogue.run.finish();
    const CompactionPreviewed answer = dialogue.run.all<CompactionPreviewed>()[0];
    ASSERT_FALSE(answer.error) << answer.error->what;
    EXPECT_TRUE(answer.preview.compacts);
    EXPECT_TRUE(answer.preview.outputError);
    EXPECT_TRUE(mentions(answer.preview.notes, CompactionReason::ScoredByRepetition))
        << answer.preview.notes;
}

TEST(QueryPasses, cancel_abortsThePass_andTheNextTurnRepeatsIt) {
    DialogueRunner dialogue(judgedBy("context"));
    // The prompt is read in ten chunks and thirty tokens are drawn; the query pass follows.
    dialogue.run.models.inside = [&](std::int64_t number) {
        if (number == 42) dialogue.run.queue.push(CancelTurn{});
    };
    dialogue.start();
    dialogue.ask(300);
    const auto broken = dialogue.compactions();
    ASSERT_EQ(broken.size(), 1U);
    EXPECT_EQ(broken[0].report.result, CompactionResult::Aborted);
    EXPECT_TRUE(mentions(broken[0].report.notes, CompactionReason::QueriesCancelled))
        << broken[0].report.notes;
    EXPECT_EQ(broken[0].report.slotsAfter, broken[0].report.slotsBefore);
    EXPECT_EQ(dialogue.run.all<TurnFinished>()[0].reason, FinishReason::Length);
    EXPECT_EQ(dialogue.run.all<TurnFinished>()[0].tokens.size(), 30U) << "the answer was drawn";
    dialogue.ask(40);
    dialogue.run.finish();
    ASSERT_GE(dialogue.compactions().size(), 2U);
    EXPECT_EQ(dialogue.compactions()[1].report.result, CompactionResult::Done);
}

TEST(QueryPasses, noMemoryBelowTheLimit_usesCapturedQueriesOrNone) {
    // 2 layers, 2 KV heads, 8 numbers, keys and values as f16: 128 bytes per token.
    DialogueRunner dialogue(judgedBy("context", {"cache_limit=0.06"}));
    dialogue.start();
    dialogue.ask(300);
    dialogue.run.finish();
    const auto happened = dialogue.compactions();
    ASSERT_FALSE(happened.empty());
    EXPECT_EQ(happened[0].report.result, CompactionResult::Done) << happened[0].report.notes;
    EXPECT_GT(happened[0].report.slotsBefore, happened[0].report.slotsAfter);
    EXPECT_TRUE(tellsError(happened[0].report.notes, "left below cache_limit"))
        << happened[0].report.notes;
    EXPECT_TRUE(mentions(happened[0].report.notes, CompactionReason::TooFewQueriesToMatch))
        << "nothing was captured either";
}

TEST(QueryPasses, repetitionBeyondTheContext_readsTheTextOnce) {
    test::FakeModelOptions model;
    model.context = 512;
    DialogueRunner dialogue(judgedBy("repeat"), model);
    dialogue.start();
    dialogue.ask(300);
    dialogue.run.finish();
    const auto happened = dialogue.compactions();
    ASSERT_FALSE(happened.empty());
    EXPECT_TRUE(tellsError(happened[0].report.notes, "the context of the model has room for 512"))
        << happened[0].report.notes;
    EXPECT_TRUE(mentions(happened[0].report.notes, CompactionReason::QueriesFromReading))
        << happened[0].report.notes;
}

EngineConfig repeating(const std::vector<std::string>& more = {}) {
    std::vector<std::string> settings{
        "method=l2",        "compaction_floor=0", "loss_limit=off", "norm_policy=reconstruct",
        "budget=100",       "temperature=0",      "max_tokens=10",  "n_sink=2",
        "prefill_chunk=32", "keep_recent=8",      "background=off"};
    settings.insert(settings.end(), more.begin(), more.end());
    return *withSettings({}, settings);
}

TEST(QueryPasses, reconstruct_repeatsTheText_andSharesSlotsAcrossHeads) {
    DialogueRunner dialogue(repeating());
    dialogue.start();
    dialogue.ask(300);
    dialogue.run.finish();
    const auto happened = dialogue.compactions();
    ASSERT_EQ(happened.size(), 1U) << "the mean of the heads stays below the trigger";
    const CompactionReport& report = happened[0].report;
    EXPECT_EQ(report.result, CompactionResult::Done) << report.notes;
    EXPECT_TRUE(mentions(report.notes, CompactionReason::ScoredByRepetition)) << report.notes;
    EXPECT_GT(report.queriesMs, 0);
    EXPECT_EQ(report.slotsAfter, 4 * 100);
    EXPECT_EQ(dialogue.run.all<StepSample>().back().kv.tokens,
              dialogue.run.all<TurnFinished>()[0].stats.promptTokens + 9)
        << "the conversation's own cache holds what it saw, no more";
}

TEST(QueryPasses, reconstruct_withoutRepetition_reportsWhy_andEvictsByKeyDiff) {
    test::FakeModelOptions shortModel;
    shortModel.context = 400;
    for (const auto& [more, model, why] :
         {std::tuple<std::vector<std::string>, test::FakeModelOptions, const char*>{
              {"cache_limit=0.06"}, {}, "left below cache_limit"},
          {{}, shortModel, "the context of the model has room for 400"}}) {
        DialogueRunner dialogue(repeating(more), model);
        dialogue.start();
        dialogue.ask(300);
        dialogue.run.finish();
        const auto happened = dialogue.compactions();
        ASSERT_FALSE(happened.empty()) << why;
        EXPECT_EQ(happened[0].report.result, CompactionResult::Done) << happened[0].report.notes;
        EXPECT_TRUE(tellsError(happened[0].report.notes, why)) << happened[0].report.notes;
        EXPECT_TRUE(mentions(happened[0].report.notes, CompactionReason::KeyDiffInstead))
            << happened[0].report.notes;
        EXPECT_EQ(happened[0].report.slotsAfter, 4 * 100);
    }
}

TEST(QueryPasses, reconstruct_cancelAbortsRepetition_andTheNextTurnRepeatsIt) {
    DialogueRunner dialogue(repeating());
    // Ten chunks of the prompt, the step of the first token and ten chunks of the query pass; then
    // the repetition runs.
    dialogue.run.models.inside = [&](std::int64_t number) {
        if (number == 25) dialogue.run.queue.push(CancelTurn{});
    };
    dialogue.start();
    dialogue.ask(300);
    const auto broken = dialogue.compactions();
    ASSERT_EQ(broken.size(), 1U);
    EXPECT_EQ(broken[0].report.result, CompactionResult::Aborted) << broken[0].report.notes;
    EXPECT_EQ(broken[0].report.slotsAfter, broken[0].report.slotsBefore);
    dialogue.ask(40);
    dialogue.run.finish();
    ASSERT_GE(dialogue.compactions().size(), 2U);
    EXPECT_EQ(dialogue.compactions()[1].report.result, CompactionResult::Done);
}

TEST(QueryPasses, threadCount_doesNotChangeTheAnswer) {
    for (const std::string source : {"context", "repeat", "random"}) {
        std::vector<TokenId> tokens;
        for (const std::string threads : {"threads=1", "threads=3"}) {
            DialogueRunner dialogue(judgedBy(source, {threads}));
            dialogue.start();
            dialogue.ask(300);
            dialogue.run.finish();
            ASSERT_FALSE(dialogue.compactions().empty());
            const auto found = dialogue.run.all<TurnFinished>()[0].tokens;
            if (tokens.empty()) tokens = found;
            EXPECT_EQ(found, tokens) << source << threads;
        }
    }
}

TEST(QueryPasses, unknownSource_isRefusedWithTheChoices) {
    const auto refused = withSettings({}, std::vector<std::string>{"query_source=selfstudy"});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error()[0].sentence.find("captured, context, repeat, random"),
              std::string::npos)
        << refused.error()[0].sentence;
    EXPECT_FALSE(withSettings({}, std::vector<std::string>{"compact_when=later"}));
}

}  // namespace
}  // namespace lacuna
