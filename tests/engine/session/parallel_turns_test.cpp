// Concurrent answers: their texts, their waiting, and which of them a cancel, an error or a change
// of settings affects.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::FakeModelOptions;

EngineConfig settings(std::vector<std::string> more = {}) {
    std::vector<std::string> all{"temperature=0", "max_tokens=30",      "prefill_chunk=16",
                                 "seed=5",        "compaction_floor=0", "loss_limit=off"};
    all.insert(all.end(), more.begin(), more.end());
    return *withSettings({}, all);
}

std::string longText(int length, int salt) {
    std::string text;
    for (int i = 0; i < length; ++i) text += static_cast<char>('a' + (i * 11 + salt) % 26);
    return text;
}

FakeModelOptions roomy() {
    return {.context = 8192};
}

TurnFinished finishedOf(const EngineRunner& run, std::int64_t conversation) {
    for (const TurnFinished& one : run.all<TurnFinished>())
        if (one.conversation == ConversationId(conversation)) return one;
    ADD_FAILURE() << "no answer in conversation " << conversation;
    return {};
}

/// Returns the answer to one question without any others.
TurnFinished alone(const EngineConfig& config, std::int64_t conversation, const std::string& text) {
    EngineRunner run(config, roomy());
    run.start();
    EXPECT_TRUE(run.load());
    run.submit(conversation, text);
    EXPECT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    return finishedOf(run, conversation);
}

/// Returns the largest number of concurrent answers.
std::size_t mostAtOnce(const EngineRunner& run) {
    std::set<std::int64_t> running;
    std::size_t most = 0;
    for (const Event& event : run.events()) {
        if (const auto* started = std::get_if<TurnStarted>(&event)) running.insert(started->turn);
        if (const auto* finished = std::get_if<TurnFinished>(&event)) running.erase(finished->turn);
        most = std::max(most, running.size());
    }
    return most;
}

/// Queues all questions before the engine starts, so that they begin together.
void askTogether(EngineRunner& run, int conversations, int length = 40) {
    run.queue.push(LoadModel{"fake"});
    for (int c = 1; c <= conversations; ++c) run.submit(c, longText(length + 9 * c, c));
    run.start();
}

TEST(ParallelTurns, everyAnswer_equalsTheSingleTurn) {
    for (const char* passes : {"passes=shared", "passes=apart"}) {
        const EngineConfig config = settings({"budget=48", "keep_recent=8", "n_sink=2", "margin=8",
                                              "norm_policy=keydiff", "temperature=0.9", passes});
        EngineRunner run(config, roomy());
        askTogether(run, 4);
        ASSERT_TRUE(run.waitFor<TurnFinished>(4));
        run.finish();
        EXPECT_EQ(mostAtOnce(run), 4U);
        for (int c = 1; c <= 4; ++c) {
            const TurnFinished apart = alone(config, c, longText(40 + 9 * c, c));
            const TurnFinished together = finishedOf(run, c);
            EXPECT_EQ(together.tokens, apart.tokens) << c;
            EXPECT_EQ(together.text, apart.text) << c;
            EXPECT_GT(together.stats.compactions, 0) << c;
            EXPECT_EQ(together.stats.compactions, apart.stats.compactions) << c;
        }
    }
}

TEST(ParallelTurns, parallelLimit_isKept_andTheRestFollowInOrder) {
    for (const std::size_t most : {1U, 2U, 3U}) {
        EngineRunner run(settings({"parallel=" + std::to_string(most)}), roomy());
        askTogether(run, 5);
        ASSERT_TRUE(run.waitFor<TurnFinished>(5));
        run.finish();
        EXPECT_EQ(mostAtOnce(run), most);
        std::int64_t conversation = 0;
        for (const TurnStarted& started : run.all<TurnStarted>())
            EXPECT_EQ(started.conversation, ConversationId(++conversation));
    }
}

TEST(ParallelTurns, secondTurnOfAConversation_waits_othersOvertakeIt) {
    EngineRunner run(settings(), roomy());
    run.queue.push(LoadModel{"fake"});
    run.submit(1, longText(40, 1));
    run.submit(1, longText(60, 1));
    run.submit(2, longText(40, 2));
    run.start();
    ASSERT_TRUE(run.waitFor<TurnFinished>(3));
    run.finish();
    const auto started = run.all<TurnStarted>();
    EXPECT_EQ(started[0].conversation, ConversationId(1));
    EXPECT_EQ(started[1].conversation, ConversationId(2));
    EXPECT_EQ(started[2].conversation, ConversationId(1));
    EXPECT_GT(started[2].reusedTokens, 40);
    EXPECT_GE(started[2].at, run.all<TurnFinished>()[0].at);
}

TEST(ParallelTurns, safePoints_onlyIncrease_andEveryTurnReportsItsStart) {
    EngineRunner run(settings({"parallel=3"}), roomy());
    askTogether(run, 5);
    ASSERT_TRUE(run.waitFor<TurnFinished>(5));
    run.finish();
    SafePoint last;
    std::int64_t turn = 0;
    for (const Event& event : run.events()) {
        std::optional<SafePoint> at;
        if (const auto* started = std::get_if<TurnStarted>(&event)) {
            at = started->at;
            EXPECT_EQ(started->turn, ++turn);
            EXPECT_EQ(started->at.turn, turn - 1);
        }
        if (const auto* sample = std::get_if<StepSample>(&event)) at = sample->at;
        if (const auto* finished = std::get_if<TurnFinished>(&event)) at = finished->at;
        if (!at) continue;
        EXPECT_GE(*at, last);
        last = *at;
    }
    std::set<SafePoint> ends;
    for (const TurnFinished& finished : run.all<TurnFinished>())
        EXPECT_TRUE(ends.insert(finished.at).second) << "no two ends share a point";
}

TEST(ParallelTurns, longPrompt_letsOtherTurnsDecodeInEveryStep) {
    EngineRunner run(settings({"max_tokens=300"}), roomy());
    run.onEvent = [&run, told = false](const Event& event) mutable {
        if (std::holds_alternative<TokenText>(event) && !std::exchange(told, true))
            run.submit(2, longText(3000, 2));
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(20, 1));
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    std::map<SafePoint, std::set<std::int64_t>> served;
    int chunks = 0;
    for (const StepSample& sample : run.all<StepSample>()) {
        served[sample.at].insert(sample.conversation.value);
        if (sample.conversation == ConversationId(2) && sample.phase == EngineState::Prefill) {
            ++chunks;
            EXPECT_LE(sample.tokens, 16);
        }
    }
    EXPECT_GT(chunks, 180);
    const SafePoint end = finishedOf(run, 1).at;
    for (const auto& [at, conversations] : served) {
        if (at <= end) {
            EXPECT_TRUE(conversations.contains(1)) << at.turn << " " << at.index;
        }
    }
}

TEST(ParallelTurns, cancelOfOneTurn_doesNotChangeTheOthers) {
    EngineRunner run(settings({"max_tokens=60"}), roomy());
    run.models.inside = [&run](std::int64_t number) {
        if (number == 20) run.queue.push(CancelTurn{ConversationId(2)});
    };
    askTogether(run, 3);
    ASSERT_TRUE(run.waitFor<TurnFinished>(3));
    run.finish();
    EXPECT_EQ(finishedOf(run, 2).reason, FinishReason::Cancelled);
    EXPECT_LT(finishedOf(run, 2).tokens.size(), 60U);
    for (const int c : {1, 3}) {
        EXPECT_EQ(finishedOf(run, c).reason, FinishReason::Length);
        EXPECT_EQ(finishedOf(run, c).tokens,
                  alone(settings({"max_tokens=60"}), c, longText(40 + 9 * c, c)).tokens);
    }
}

TEST(ParallelTurns, cancelOfAQueuedTurn_removesItOnly) {
    EngineRunner run(settings({"parallel=1"}), roomy());
    run.models.before = [&run](std::int64_t number) -> Status {
        if (number == 3) run.queue.push(CancelTurn{ConversationId(2)});
        return {};
    };
    askTogether(run, 3);
    ASSERT_TRUE(run.waitFor<TurnFinished>(3));
    run.finish();
    EXPECT_EQ(run.all<TurnStarted>().size(), 2U);
    EXPECT_EQ(finishedOf(run, 2).turn, 0);
    EXPECT_EQ(finishedOf(run, 2).reason, FinishReason::Cancelled);
    EXPECT_EQ(finishedOf(run, 1).reason, FinishReason::Length);
    EXPECT_EQ(finishedOf(run, 3).reason, FinishReason::Length);
}

TEST(ParallelTurns, cancelOfAll_endsRunningAndQueuedTurns) {
    EngineRunner run(settings({"parallel=2", "max_tokens=4000"}), roomy());
    run.models.inside = [&run](std::int64_t number) {
        if (number == 25) run.queue.push(CancelTurn{});
    };
    askTogether(run, 4);
    ASSERT_TRUE(run.waitFor<TurnFinished>(4));
    run.finish();
    for (const TurnFinished& finished : run.all<TurnFinished>())
        EXPECT_EQ(finished.reason, FinishReason::Cancelled);
    EXPECT_EQ(run.all<TurnStarted>().size(), 2U);
}

TEST(ParallelTurns, cacheAllocationFailure_endsItsTurnOnly_conversationContinues) {
    EngineRunner run(settings(), roomy());
    std::atomic<bool> broken{true};
    std::atomic<std::int32_t> prompt{0};
    run.onEvent = [&](const Event& event) {
        if (const auto* started = std::get_if<TurnStarted>(&event))
            if (started->conversation == ConversationId(2))
                prompt = static_cast<std::int32_t>(started->promptTokens);
    };
    run.models.refuse = [&](const BatchRun& one) {
        return broken && one.promptEnd.value == prompt && one.cache->offset() > Position(30);
    };
    askTogether(run, 3);
    ASSERT_TRUE(run.waitFor<TurnFinished>(3));
    EXPECT_EQ(finishedOf(run, 2).reason, FinishReason::Error);
    EXPECT_EQ(finishedOf(run, 2).error->code, ErrorCode::NoMemory);
    for (const int c : {1, 3})
        EXPECT_EQ(finishedOf(run, c).tokens, alone(settings(), c, longText(40 + 9 * c, c)).tokens);
    broken = false;
    run.submit(2, longText(58, 2));
    ASSERT_TRUE(run.waitFor<TurnFinished>(4));
    run.finish();
    const TurnFinished again = run.all<TurnFinished>().back();
    EXPECT_EQ(again.reason, FinishReason::Length);
    EXPECT_EQ(again.tokens, alone(settings(), 2, longText(58, 2)).tokens);
    EXPECT_GT(again.stats.reusedTokens, 0);
}

TEST(ParallelTurns, tighterBudget_compactsEveryActiveTurn) {
    const std::vector<std::string> common{"keep_recent=8", "n_sink=2", "norm_policy=keydiff",
                                          "max_tokens=60"};
    auto loose = common;
    loose.insert(loose.end(), {"budget=200", "margin=8"});
    auto tight = common;
    tight.insert(tight.end(), {"budget=24", "margin=8"});
    EngineRunner run(settings(loose), roomy());
    run.models.before = [&](std::int64_t number) -> Status {
        if (number == 60) run.queue.push(SetConfig{Revision(1), settings(tight)});
        return {};
    };
    askTogether(run, 3);
    ASSERT_TRUE(run.waitFor<TurnFinished>(3));
    run.finish();
    std::set<std::int64_t> compacted;
    for (const CompactionHappened& happened : run.all<CompactionHappened>())
        if (happened.report.cause == CompactionCause::ConfigChange) {
            EXPECT_EQ(happened.report.result, CompactionResult::Done);
            EXPECT_EQ(happened.at, run.all<ConfigApplied>()[0].at);
            compacted.insert(happened.conversation.value);
        }
    EXPECT_EQ(compacted, (std::set<std::int64_t>{1, 2, 3}));
}

TEST(ParallelTurns, threadsAndChunkChangedDuringTurns_giveTheSameText) {
    EngineRunner run(settings({"max_tokens=80"}), roomy());
    run.models.before = [&](std::int64_t number) -> Status {
        if (number != 2) return {};
        run.queue.push(SetConfig{Revision(1), settings({"max_tokens=80", "threads=2",
                                                        "prefill_chunk=4", "parallel=2"})});
        run.submit(2, longText(58, 2));
        return {};
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(400, 1));  // still read in chunks of 16 when the other begins
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    EXPECT_EQ(mostAtOnce(run), 2U);
    EXPECT_EQ(finishedOf(run, 1).tokens,
              alone(settings({"max_tokens=80"}), 1, longText(400, 1)).tokens);
    EXPECT_EQ(finishedOf(run, 2).tokens,
              alone(settings({"max_tokens=80"}), 2, longText(58, 2)).tokens);
}

TEST(ParallelTurns, cachesInUse_areNeverReleased) {
    EngineRunner run(settings(), roomy());
    run.options.residentConversations = 1;
    askTogether(run, 4);
    ASSERT_TRUE(run.waitFor<TurnFinished>(4));
    run.finish();
    EXPECT_EQ(mostAtOnce(run), 4U);
    for (int c = 1; c <= 4; ++c)
        EXPECT_EQ(finishedOf(run, c).tokens, alone(settings(), c, longText(40 + 9 * c, c)).tokens);
}

TEST(ParallelTurns, releasedConversation_endsItsOwnTurnOnly) {
    EngineRunner run(settings(), roomy());
    run.models.before = [&](std::int64_t number) -> Status {
        if (number == 12) run.queue.push(ReleaseConversation{ConversationId(1)});
        return {};
    };
    askTogether(run, 2);
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    EXPECT_EQ(finishedOf(run, 1).reason, FinishReason::Cancelled);
    EXPECT_EQ(finishedOf(run, 2).tokens, alone(settings(), 2, longText(58, 2)).tokens);
}

TEST(ParallelTurns, newModel_cancelsActiveTurns_andAnswersQueuedOnes) {
    EngineRunner run(settings({"parallel=2"}), roomy());
    bool loaded = false;  // the new model restarts its step count
    run.models.before = [&](std::int64_t number) -> Status {
        if (number == 12 && !std::exchange(loaded, true)) run.queue.push(LoadModel{"other"});
        return {};
    };
    askTogether(run, 3);
    ASSERT_TRUE(run.waitFor<TurnFinished>(3));
    run.finish();
    EXPECT_EQ(finishedOf(run, 1).reason, FinishReason::Cancelled);
    EXPECT_EQ(finishedOf(run, 2).reason, FinishReason::Cancelled);
    EXPECT_EQ(finishedOf(run, 3).reason, FinishReason::Length);
    EXPECT_EQ(run.all<Notice>().size(), 1U);
}

TEST(ParallelTurns, draftsOfSeveralTurns_changeNoText) {
    FakeModelOptions model = roomy();
    model.period = 9;
    model.surpriseEvery = 11;
    const auto answers = [&](const std::vector<std::string>& more) {
        EngineRunner run(settings(more), model);
        askTogether(run, 4);
        EXPECT_TRUE(run.waitFor<TurnFinished>(4));
        run.finish();
        std::map<std::int64_t, TurnFinished> found;
        for (int c = 1; c <= 4; ++c) found[c] = finishedOf(run, c);
        return found;
    };
    const auto plain = answers({"max_tokens=150"});
    const auto drafted = answers({"max_tokens=150", "draft_tokens=5"});
    for (int c = 1; c <= 4; ++c) {
        EXPECT_EQ(drafted.at(c).tokens, plain.at(c).tokens) << c;
        EXPECT_GT(drafted.at(c).stats.acceptedTokens, 20) << c;
        EXPECT_LT(drafted.at(c).stats.acceptedTokens, drafted.at(c).stats.draftedTokens) << c;
    }
}

/// A tiny model with real arithmetic. At temperature 1.5 any difference in a bit would show in
/// nearly every draw.
TEST(ParallelTurns, separatePasses_equalTheSingleTurnBitForBit) {
    const auto model = std::filesystem::path(LACUNA_GOLDEN_DIR) / "models" / "llama";
    const EngineConfig config = settings({"passes=apart", "temperature=1.5", "top_k=0", "top_p=1",
                                          "min_p=0", "prefill_chunk=24", "max_tokens=40"});
    const auto answers = [&](std::vector<int> conversations) {
        EngineRunner run(config);
        run.makers = ModelMakers{};
        run.queue.push(LoadModel{model});
        for (const int c : conversations) run.submit(c, longText(30 + 25 * c, c));
        run.start();
        EXPECT_TRUE(run.waitFor<TurnFinished>(conversations.size()));
        run.finish();
        std::map<int, std::vector<TokenId>> found;
        for (const int c : conversations) found[c] = finishedOf(run, c).tokens;
        return found;
    };
    const auto together = answers({1, 2, 3, 4});
    for (int c = 1; c <= 4; ++c) {
        EXPECT_GT(together.at(c).size(), 5U);
        EXPECT_EQ(together.at(c), answers({c}).at(c)) << c;
    }
}

}  // namespace
}  // namespace lacuna
