#include "engine/session/engine.h"

#include <gtest/gtest.h>

#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::FakeModelOptions;

EngineConfig greedy(int maxTokens = 20) {
    EngineConfig config;
    config.sampling.temperature = 0;
    config.maxTokens = maxTokens;
    config.prefillChunk = 16;
    return config;
}

EngineConfig compressed(int budget, int maxTokens = 40) {
    EngineConfig config = greedy(maxTokens);
    config.kv.method = CompactionMethod::Eviction;
    config.kv.compactionFloor = 0;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.evictionPolicy = EvictionPolicy::KeepLowNorm;
    config.kv.budget = budget;
    config.kv.keepRecent = 8;
    config.kv.nSink = 2;
    config.kv.margin = 8;
    return config;
}

std::string longText(int length) {
    std::string text;
    for (int i = 0; i < length; ++i) text += static_cast<char>('a' + (i * 11) % 26);
    return text;
}

TEST(Engine, GL_05_turn_publishesEventsFromStartToFinish) {
    EngineRunner run(greedy());
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(40));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    const auto started = run.all<TurnStarted>();
    const auto finished = run.all<TurnFinished>();
    ASSERT_EQ(started.size(), 1U);
    ASSERT_EQ(finished.size(), 1U);
    EXPECT_EQ(started[0].turn, 1);
    EXPECT_EQ(started[0].promptTokens, finished[0].stats.promptTokens);
    EXPECT_EQ(finished[0].reason, FinishReason::Length);
    EXPECT_EQ(finished[0].tokens.size(), 20U);
    std::string streamed;
    for (const TokenText& piece : run.all<TokenText>()) streamed += piece.text;
    EXPECT_EQ(streamed, finished[0].text);
    const auto progress = run.all<PrefillProgress>();
    ASSERT_GE(progress.size(), 3U);
    EXPECT_EQ(progress.front().done, 0);
    for (std::size_t i = 1; i < progress.size(); ++i)
        EXPECT_GT(progress[i].done, progress[i - 1].done);
    EXPECT_EQ(progress.back().done, progress.back().total);
    EXPECT_EQ(progress.back().total, started[0].promptTokens);
}

/// The queue of a runner with a cancel that arrives while the first prompt is being prepared.
class CancellingSource final : public CommandSource {
  public:
    CancellingSource(CommandQueue& queue, ConversationId whose) : queue_(queue), whose_(whose) {}
    [[nodiscard]] std::vector<Command> take(SafePoint at) override {
        std::vector<Command> taken = queue_.take(at);
        for (const Command& command : taken)
            asked_ = asked_ || std::holds_alternative<Submit>(command);
        return taken;
    }
    void wait(std::stop_token stop) override { queue_.wait(std::move(stop)); }
    [[nodiscard]] bool cancelWaiting(SafePoint at) const override {
        if (asked_ && !cancelled_) queue_.push(CancelTurn{whose_});
        cancelled_ = cancelled_ || asked_;
        return queue_.cancelWaiting(at);
    }

  private:
    CommandQueue& queue_;
    ConversationId whose_;
    bool asked_ = false;
    mutable bool cancelled_ = false;
};

TEST(Engine, cancelDuringPromptPreparation_endsThatTurnOnly) {
    for (const auto& [whose, reason] :
         {std::pair{1, FinishReason::Cancelled}, std::pair{2, FinishReason::Length}}) {
        EngineRunner run(greedy());
        CancellingSource source(run.queue, ConversationId(whose));
        run.source = &source;
        run.start();
        ASSERT_TRUE(run.load());
        run.submit(1, longText(40));
        ASSERT_TRUE(run.waitFor<TurnFinished>());
        run.finish();
        const auto finished = run.all<TurnFinished>();
        ASSERT_EQ(finished.size(), 1U);
        EXPECT_EQ(finished[0].reason, reason) << whose;
        for (const TurnStarted& started : run.all<TurnStarted>()) EXPECT_EQ(started.turn, 1);
    }
}

TEST(Engine, everyStep_publishesAConsistentSample) {
    EngineRunner run(compressed(32));
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(100));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    std::int64_t tokens = 0;
    std::int64_t lastIndex = 0;
    for (const StepSample& sample : run.all<StepSample>()) {
        tokens += sample.tokens;
        EXPECT_GT(sample.at.index, lastIndex);
        lastIndex = sample.at.index;
        EXPECT_EQ(sample.kv.tokens, tokens);
        EXPECT_LE(sample.kv.liveBytes, sample.kv.allocatedBytes);
        EXPECT_LE(sample.compaction.slots, std::max<std::int64_t>(sample.compaction.trigger, 140));
        EXPECT_GT(sample.rssBytes, 0);
        EXPECT_NE(sample.compaction.phase, CompactionPhase::Unknown);
    }
    EXPECT_EQ(tokens, run.all<TurnFinished>()[0].stats.promptTokens + 40 - 1);
    const auto compactions = run.all<CompactionHappened>();
    ASSERT_FALSE(compactions.empty());
    EXPECT_EQ(compactions[0].report.cause, CompactionCause::Budget);
    EXPECT_EQ(compactions[0].report.result, CompactionResult::Done);
    EXPECT_EQ(static_cast<std::int64_t>(compactions.size()),
              run.all<TurnFinished>()[0].stats.compactions);
}

TEST(Engine, configDuringATurn_isAcknowledgedWithinOneStep) {
    EngineRunner run(compressed(64));
    std::atomic<std::int64_t> pushedAt{-1};
    run.models.before = [&](std::int64_t number) -> Status {
        if (number == 20) {  // somewhere in the answer
            pushedAt = number;
            run.queue.push(SetConfig{Revision(1), compressed(24)});
        }
        return {};
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(
        1, std::vector<ChatMessage>{{"user", longText(100)}, {"assistant", "so"}, {"user", "on"}});
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    const auto applied = run.all<ConfigApplied>();
    ASSERT_EQ(applied.size(), 1U);
    EXPECT_EQ(applied[0].at, (SafePoint{.turn = 1, .index = 21}));
    EXPECT_EQ(changedKeys(applied[0].changes, false), std::vector<std::string>{"budget"});
    EXPECT_TRUE(changedKeys(applied[0].changes, true).empty());
    bool before = true;
    for (const StepSample& sample : run.all<StepSample>()) {
        before = sample.at.index <= 21 && sample.phase != EngineState::Idle;
        EXPECT_EQ(sample.revision, Revision(before ? 0 : 1)) << sample.at.index;
        // Until the question is answered it is added to the target.
        EXPECT_LE(sample.compaction.target, before ? 80 : 50) << sample.at.index;
    }
    EXPECT_FALSE(before);
    bool forConfig = false;
    for (const CompactionHappened& happened : run.all<CompactionHappened>())
        forConfig = forConfig || happened.report.cause == CompactionCause::ConfigChange;
    EXPECT_TRUE(forConfig);
}

TEST(Engine, invalidConfig_isRejectedAndChangesNothing) {
    const auto answerWith = [](bool disturb) {
        EngineRunner run(compressed(64));
        run.models.before = [&run, disturb](std::int64_t number) -> Status {
            if (disturb && number == 15) {
                EngineConfig bad = compressed(32);
                bad.kv.amRatio = 50.1;
                run.queue.push(SetConfig{Revision(1), bad});
            }
            return {};
        };
        run.start();
        EXPECT_TRUE(run.load());
        run.submit(1, longText(100));
        EXPECT_TRUE(run.waitFor<TurnFinished>());
        run.finish();
        EXPECT_TRUE(run.all<ConfigApplied>().empty());
        const auto rejected = run.all<ConfigRejected>();
        EXPECT_EQ(rejected.size(), disturb ? 1U : 0U);
        for (const ConfigRejected& one : rejected) {
            EXPECT_EQ(one.revision, Revision(1));
            EXPECT_EQ(one.violations.size(), 1U);
            EXPECT_EQ(one.violations[0].rule, "AM-RANGE");
            EXPECT_EQ(one.violations[0].nearest, "50");
        }
        return run.all<TurnFinished>()[0].tokens;
    };
    EXPECT_EQ(answerWith(true), answerWith(false));
}

TEST(Engine, modelRules_areCheckedAgainstTheLoadedModel) {
    EngineRunner run(greedy(), FakeModelOptions{.layers = 2, .context = 128});
    run.start();
    ASSERT_TRUE(run.load());
    EngineConfig config = compressed(500);
    run.queue.push(SetConfig{Revision(1), config});
    ASSERT_TRUE(run.waitFor<ConfigRejected>());
    config = compressed(64);
    config.kv.skipLayers = {2};
    run.queue.push(SetConfig{Revision(2), config});
    ASSERT_TRUE(run.waitFor<ConfigRejected>(2));
    run.finish();
    EXPECT_EQ(run.all<ConfigRejected>()[0].violations[0].rule, "BUD-CTX");
    EXPECT_EQ(run.all<ConfigRejected>()[1].violations[0].rule, "LAYER-RANGE");
}

TEST(Engine, configBeforeLoad_isAcknowledged_andSupersededByNewerOnes) {
    EngineRunner run(greedy());
    run.queue.push(SetConfig{Revision(1), greedy(5)});
    run.queue.push(SetConfig{Revision(2), greedy(6)});
    EngineConfig last = greedy(7);
    last.threads = 2;
    run.queue.push(SetConfig{Revision(3), last});
    run.start();
    ASSERT_TRUE(run.waitFor<ConfigApplied>());
    run.finish();
    const auto superseded = run.all<ConfigSuperseded>();
    ASSERT_EQ(superseded.size(), 2U);
    EXPECT_EQ(superseded[0].revision, Revision(1));
    EXPECT_EQ(superseded[1].revision, Revision(2));
    EXPECT_EQ(superseded[1].by, Revision(3));
    const auto applied = run.all<ConfigApplied>();
    ASSERT_EQ(applied.size(), 1U);
    EXPECT_EQ(changedKeys(applied[0].changes, false), std::vector<std::string>{"max_tokens"});
    EXPECT_EQ(changedKeys(applied[0].changes, true), std::vector<std::string>{"threads"});
}

TEST(Engine, cancelDuringAStep_endsTheTurnWithoutAnotherStep) {
    EngineRunner run(greedy(400));
    std::atomic<std::int64_t> forwards{0};
    run.models.before = [&](std::int64_t number) -> Status {
        forwards = number + 1;
        return {};
    };
    run.models.inside = [&](std::int64_t number) {
        if (number == 12) run.queue.push(CancelTurn{});
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(60));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    EXPECT_EQ(forwards, 13);
    const auto finished = run.all<TurnFinished>();
    EXPECT_EQ(finished[0].reason, FinishReason::Cancelled);
    EXPECT_EQ(finished[0].at, (SafePoint{.turn = 1, .index = 12}));
    EXPECT_FALSE(finished[0].tokens.empty());
    // The kept part of the answer serves the next turn, which equals a fresh run.
    run.queue.push(SetConfig{Revision(1), greedy(20)});
    run.submit(1, longText(60));
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    EngineRunner fresh(greedy(20));
    fresh.start();
    ASSERT_TRUE(fresh.load());
    fresh.submit(1, longText(60));
    ASSERT_TRUE(fresh.waitFor<TurnFinished>());
    fresh.finish();
    EXPECT_EQ(run.all<TurnFinished>()[1].tokens, fresh.all<TurnFinished>()[0].tokens);
    EXPECT_GT(run.all<TurnStarted>()[1].reusedTokens, 0);
}

TEST(Engine, GL_07_cancel_whileIdleIsIgnored_beforeStartEndsThatTurn) {
    EngineRunner run(greedy());
    run.start();
    ASSERT_TRUE(run.load());
    run.queue.push(CancelTurn{});
    run.submit(1, "one");
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    EXPECT_NE(run.all<TurnFinished>()[0].reason, FinishReason::Error);
    run.finish();

    EngineRunner early(greedy());
    early.queue.push(LoadModel{"fake"});
    early.submit(1, "one");
    early.queue.push(CancelTurn{});
    early.submit(1, "two");
    early.start();
    ASSERT_TRUE(early.waitFor<TurnFinished>(2));
    early.finish();
    EXPECT_EQ(early.all<TurnFinished>()[0].reason, FinishReason::Cancelled);
    EXPECT_TRUE(early.all<TurnFinished>()[0].tokens.empty());
    EXPECT_EQ(early.all<TurnFinished>()[1].reason, FinishReason::Length);
}

TEST(Engine, submitDuringATurn_isAnsweredAfterIt) {
    EngineRunner run(greedy());
    run.models.before = [&](std::int64_t number) -> Status {
        if (number == 6) run.submit(2, "second");
        return {};
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(30));
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    const auto finished = run.all<TurnFinished>();
    EXPECT_EQ(finished[0].conversation, ConversationId(1));
    EXPECT_EQ(finished[1].conversation, ConversationId(2));
    EXPECT_EQ(finished[1].turn, 2);
}

TEST(Engine, severalConversations_haveSeparateCaches_oldestIsEvictedFirst) {
    EngineRunner run(greedy());
    run.options.residentConversations = 2;
    run.start();
    ASSERT_TRUE(run.load());
    std::size_t turns = 0;
    const auto ask = [&](std::int64_t conversation) {
        run.submit(conversation, longText(50 + static_cast<int>(conversation)));
        ASSERT_TRUE(run.waitFor<TurnFinished>(++turns));
    };
    for (const std::int64_t conversation : {1, 2, 1, 3, 1, 2}) ask(conversation);
    run.finish();
    const auto started = run.all<TurnStarted>();
    const auto finished = run.all<TurnFinished>();
    EXPECT_EQ(started[1].reusedTokens, 0);
    EXPECT_EQ(started[2].reusedTokens, started[2].promptTokens - 1);
    EXPECT_EQ(started[4].reusedTokens, started[4].promptTokens - 1);
    EXPECT_EQ(started[5].reusedTokens, 0);
    EXPECT_NE(started[5].reuseNote.find("make room"), std::string::npos);
    EXPECT_EQ(finished[0].tokens, finished[2].tokens);
    EXPECT_EQ(finished[1].tokens, finished[5].tokens);
    EXPECT_NE(finished[0].tokens, finished[1].tokens);
}

TEST(Engine, releasedConversation_startsOver) {
    EngineRunner run(greedy());
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(50));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.queue.push(ReleaseConversation{ConversationId(1)});
    run.submit(1, longText(50));
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    EXPECT_EQ(run.all<TurnStarted>()[1].reusedTokens, 0);
    EXPECT_EQ(run.all<TurnStarted>()[1].reuseNote, "");
}

TEST(Engine, failedLoad_keepsTheLoadedModel) {
    EngineRunner run(greedy());
    run.start();
    run.queue.push(LoadModel{"missing"});
    ASSERT_TRUE(run.waitFor<ModelFailed>());
    ASSERT_TRUE(run.load());
    run.queue.push(LoadModel{"missing"});
    ASSERT_TRUE(run.waitFor<ModelFailed>(2));
    run.submit(1, "still there?");
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    const auto failed = run.all<ModelFailed>();
    EXPECT_FALSE(failed[0].previousStillLoaded);
    EXPECT_TRUE(failed[1].previousStillLoaded);
    EXPECT_EQ(failed[1].error.code, ErrorCode::NotFound);
    EXPECT_EQ(run.all<TurnFinished>()[0].reason, FinishReason::Length);
}

TEST(Engine, modelConflictingWithSettings_isRefusedWithTheRule) {
    EngineRunner run(compressed(300), FakeModelOptions{.context = 128});
    run.start();
    run.queue.push(LoadModel{"fake"});
    ASSERT_TRUE(run.waitFor<ModelFailed>());
    run.finish();
    EXPECT_NE(run.all<ModelFailed>()[0].error.what.find("BUD-CTX"), std::string::npos);
}

TEST(Engine, cancelDuringLoad_endsTheLoad) {
    EngineRunner run(greedy());
    run.onEvent = [&](const Event& event) {
        if (std::holds_alternative<ModelLoading>(event)) run.queue.push(CancelTurn{});
    };
    // The cancel arrives within the first progress report, which precedes the next poll.
    run.start();
    run.queue.push(LoadModel{"fake"});
    ASSERT_TRUE(run.waitFor<ModelFailed>());
    run.finish();
    EXPECT_EQ(run.all<ModelFailed>()[0].error.code, ErrorCode::Cancelled);
}

TEST(Engine, newModelDuringATurn_cancelsTheTurn_andReportsIt) {
    EngineRunner run(greedy(400));
    run.models.before = [&](std::int64_t number) -> Status {
        if (number == 8) run.queue.push(LoadModel{"other"});
        return {};
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(40));
    ASSERT_TRUE(run.waitFor<ModelLoaded>(2));
    run.finish();
    EXPECT_EQ(run.all<TurnFinished>()[0].reason, FinishReason::Cancelled);
    EXPECT_EQ(run.all<Notice>().size(), 1U);
    EXPECT_EQ(run.all<ModelLoaded>()[1].facts.name, "other");
}

TEST(Engine, failingStep_endsTheTurnWithTheError_andTheNextTurnWorks) {
    EngineRunner run(greedy());
    run.models.before = [](std::int64_t number) -> Status {
        if (number == 9) return fail(ErrorCode::NoMemory, "no room for the cache");
        if (number == 12) throw std::bad_alloc();
        return {};
    };
    run.start();
    ASSERT_TRUE(run.load());
    for (std::size_t i = 1; i <= 3; ++i) {
        run.submit(1, longText(60));
        ASSERT_TRUE(run.waitFor<TurnFinished>(i));
    }
    run.finish();
    const auto finished = run.all<TurnFinished>();
    EXPECT_EQ(finished[0].reason, FinishReason::Error);
    EXPECT_EQ(finished[0].error->code, ErrorCode::NoMemory);
    EXPECT_EQ(finished[1].error->code, ErrorCode::NoMemory);
    EXPECT_EQ(finished[2].reason, FinishReason::Length);
    // A failed step leaves the sequence unchanged; a torn one drops it.
    EXPECT_GT(finished[1].stats.reusedTokens, 0);
    EXPECT_EQ(finished[2].stats.reusedTokens, 0);
    EXPECT_TRUE(run.all<Fatal>().empty());
    EngineRunner fresh(greedy());
    fresh.start();
    ASSERT_TRUE(fresh.load());
    fresh.submit(1, longText(60));
    ASSERT_TRUE(fresh.waitFor<TurnFinished>());
    fresh.finish();
    EXPECT_EQ(finished[2].tokens, fresh.all<TurnFinished>()[0].tokens);
}

TEST(Engine, promptTooLong_noModel_noMessage_endWithSpecificErrors) {
    EngineRunner run(greedy(), FakeModelOptions{.context = 64});
    run.start();
    run.submit(1, "nobody listens");
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    ASSERT_TRUE(run.load());
    run.submit(1, longText(200));
    run.submit(1, std::vector<ChatMessage>{});
    ASSERT_TRUE(run.waitFor<TurnFinished>(3));
    run.finish();
    const auto finished = run.all<TurnFinished>();
    EXPECT_NE(finished[0].error->what.find("no model"), std::string::npos);
    EXPECT_EQ(finished[1].error->code, ErrorCode::ContextFull);
    EXPECT_EQ(finished[2].error->code, ErrorCode::InvalidArgument);
    EXPECT_EQ(run.all<TurnStarted>().size(), 3U);
}

TEST(Engine, textTooLongForTheContext_isRefusedBeforeEncoding) {
    EngineRunner run(greedy(), {.context = 512});
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(12 * 512 + 12));  // a token has at most twelve bytes
    run.submit(1, longText(40));
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    const auto finished = run.all<TurnFinished>();
    ASSERT_TRUE(finished[0].error);
    EXPECT_EQ(finished[0].error->code, ErrorCode::ContextFull);
    for (const char* figure : {"bytes", "room for 512"})
        EXPECT_NE(finished[0].error->what.find(figure), std::string::npos)
            << finished[0].error->what;
    EXPECT_FALSE(finished[1].error) << describe(*finished[1].error);
}

TEST(Engine, compactNow_withNothingToDo_stillReports) {
    EngineRunner run(compressed(32, 4));
    run.start();
    run.queue.push(CompactNow{ConversationId(1)});
    ASSERT_TRUE(run.waitFor<CompactionHappened>());
    ASSERT_TRUE(run.load());
    run.submit(1, "short");
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.queue.push(CompactNow{ConversationId(1)});
    ASSERT_TRUE(run.waitFor<CompactionHappened>(2));
    run.queue.push(CompactNow{ConversationId(9)});
    ASSERT_TRUE(run.waitFor<CompactionHappened>(3));
    run.finish();
    for (const CompactionHappened& happened : run.all<CompactionHappened>()) {
        EXPECT_EQ(happened.report.result, CompactionResult::Skipped);
        EXPECT_EQ(happened.report.cause, CompactionCause::Manual);
        EXPECT_FALSE(happened.report.notes.empty());
    }
}

TEST(Engine, compactNow_whileIdle_shrinksTheCacheAndSamplesIt) {
    EngineConfig config = compressed(32, 4);
    config.kv.margin = 32;
    EngineRunner run(config);
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(30));  // above the budget, below the trigger
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    const std::size_t samples = run.all<StepSample>().size();
    run.queue.push(CompactNow{ConversationId(1)});
    ASSERT_TRUE(run.waitFor<StepSample>(samples + 1));
    run.finish();
    ASSERT_EQ(run.all<CompactionHappened>().size(), 1U);
    EXPECT_EQ(run.all<CompactionHappened>()[0].report.result, CompactionResult::Done);
    const StepSample last = run.all<StepSample>().back();
    EXPECT_EQ(last.phase, EngineState::Idle);
    EXPECT_EQ(last.tokens, 0);
    EXPECT_LE(last.kv.slotsLargestHead, 32);
}

TEST(Engine, retention_coversEveryTokenOfTheConversation) {
    EngineRunner run(compressed(32, 4));
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(100));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.queue.push(RequestRetention{ConversationId(1)});
    ASSERT_TRUE(run.waitFor<RetentionSnapshot>());
    run.finish();
    const RetentionSnapshot snapshot = run.all<RetentionSnapshot>()[0];
    EXPECT_EQ(snapshot.row.share.size(), snapshot.pieces.size());
    EXPECT_EQ(static_cast<std::int64_t>(snapshot.pieces.size()), snapshot.row.tokens);
    EXPECT_EQ(snapshot.pieces[0], "<|im_start|>");
    EXPECT_EQ(snapshot.sinks, 2);
    EXPECT_FLOAT_EQ(snapshot.row.share[0], 1.0F);
    EXPECT_LT(*std::ranges::min_element(snapshot.row.share), 1.0F);
}

TEST(Engine, compaction_includesRetention_ifTheSubscriberRequestsIt) {
    for (const bool wanted : {false, true}) {
        EngineRunner run(compressed(32, 4));
        run.retention = wanted;
        run.start();
        ASSERT_TRUE(run.load());
        run.submit(1, longText(100));
        ASSERT_TRUE(run.waitFor<TurnFinished>());
        run.finish();
        const auto happened = run.all<CompactionHappened>();
        ASSERT_FALSE(happened.empty());
        std::int64_t before = 0;
        for (const CompactionHappened& one : happened) {
            EXPECT_GT(one.report.id, before) << "every compaction has an id of its own";
            before = one.report.id;
            ASSERT_EQ(one.report.result, CompactionResult::Done);
            ASSERT_EQ(one.retention != nullptr, wanted);
            if (!wanted) continue;
            EXPECT_EQ(one.retention->conversation, one.conversation);
            EXPECT_EQ(one.retention->row.tokens, one.report.tokens);
            EXPECT_EQ(static_cast<std::int64_t>(one.retention->pieces.size()), one.report.tokens);
            EXPECT_LT(*std::ranges::min_element(one.retention->row.share), 1.0F);
        }
    }
}

TEST(Engine, threadsAndChunkChangedBetweenTurns_giveTheSameAnswer) {
    EngineRunner run(greedy());
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(80));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    EngineConfig changed = greedy();
    changed.threads = 3;
    changed.prefillChunk = 7;
    run.queue.push(SetConfig{Revision(1), changed});
    run.submit(2, longText(80));
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    EXPECT_EQ(changedKeys(run.all<ConfigApplied>()[0].changes, true),
              (std::vector<std::string>{"prefill_chunk", "threads"}));
    EXPECT_EQ(run.all<TurnFinished>()[0].tokens, run.all<TurnFinished>()[1].tokens);
}

TEST(Engine, cacheTypeChangedBetweenTurns_convertsRows_withoutRereading) {
    EngineRunner run(greedy());
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(40));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    EngineConfig changed = greedy();
    changed.kv.type = DType::F32;
    run.queue.push(SetConfig{Revision(1), changed});
    run.submit(1, longText(40));
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    EXPECT_EQ(changedKeys(run.all<ConfigApplied>()[0].changes, false),
              std::vector<std::string>{"kv_type"});
    EXPECT_GT(run.all<TurnStarted>()[1].reusedTokens, 0);
    const auto samples = run.all<StepSample>();
    const auto bytesOfToken = [](const KvStats& kv) { return kv.logicalBytes / kv.tokens; };
    EXPECT_EQ(bytesOfToken(samples.back().kv), 2 * bytesOfToken(samples.front().kv));
}

TEST(Engine, seed_isReported_andReproducesTheAnswer) {
    EngineConfig config = greedy(30);
    config.sampling = {};
    EngineRunner run(config);
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, "draw");
    run.submit(2, "draw");
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    const auto started = run.all<TurnStarted>();
    EXPECT_NE(started[0].seed, started[1].seed);
    Submit again{ConversationId(3), {{"user", "draw"}}, {}};
    again.seed = started[0].seed;
    run.queue.push(again);
    ASSERT_TRUE(run.waitFor<TurnFinished>(3));
    run.finish();
    EXPECT_EQ(run.all<TurnFinished>()[2].tokens, run.all<TurnFinished>()[0].tokens);
    EXPECT_NE(run.all<TurnFinished>()[1].tokens, run.all<TurnFinished>()[0].tokens);
}

TEST(Engine, stop_endsTheRunningTurnAsCancelled) {
    EngineRunner run(greedy(100'000), FakeModelOptions{.context = 200'000});
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, "go on and on");
    ASSERT_TRUE(run.waitFor<TokenText>(5));
    run.finish();
    ASSERT_EQ(run.all<TurnFinished>().size(), 1U);
    EXPECT_EQ(run.all<TurnFinished>()[0].reason, FinishReason::Cancelled);
}

TEST(Engine, engineStates_arePublishedInOrder) {
    EngineRunner run(greedy());
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(40));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.queue.push(UnloadModel{});
    ASSERT_TRUE(run.waitFor<ModelUnloaded>());
    run.submit(1, "gone");
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    std::vector<EngineState> states;
    for (const StateChanged& change : run.all<StateChanged>()) states.push_back(change.state);
    EXPECT_EQ(states, (std::vector<EngineState>{EngineState::NoModel, EngineState::Loading,
                                                EngineState::Idle, EngineState::Prefill,
                                                EngineState::Decode, EngineState::Idle,
                                                EngineState::NoModel}));
}

TEST(Engine, concurrentWriters_areAllAnswered) {
    EngineRunner run(compressed(32, 30));
    run.start();
    ASSERT_TRUE(run.load());
    {
        std::vector<std::jthread> writers;
        for (int w = 0; w < 4; ++w) {
            writers.emplace_back([&run, w] {
                for (int i = 0; i < 20; ++i) {
                    run.queue.push(SetConfig{Revision(100 * w + i), compressed(24 + i)});
                    if (i % 5 == 0) run.submit(w, longText(40 + i));
                    run.queue.push(CompactNow{ConversationId(w)});
                    run.queue.push(RequestRetention{ConversationId(w)});
                }
            });
        }
    }
    ASSERT_TRUE(run.waitFor<TurnFinished>(16));
    run.finish();
    EXPECT_EQ(run.all<ConfigApplied>().size() + run.all<ConfigSuperseded>().size(), 80U);
    EXPECT_EQ(run.all<RetentionSnapshot>().size(), 80U);
    EXPECT_TRUE(run.all<Fatal>().empty());
}

}  // namespace
}  // namespace lacuna
