// Caches of conversations to files and back, and a draft model, through the complete engine.

#include <gtest/gtest.h>

#include "engine/settings/config_check.h"
#include "tests/support/engine_runner.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::TemporaryFolder;

constexpr ConversationId kOne{1};

EngineConfig greedy(int drafts = 0) {
    EngineConfig config;
    config.maxTokens = 40;
    config.draftTokens = drafts;
    config.sampling.temperature = 0;
    return config;
}

TurnFinished answered(EngineRunner& run, std::size_t count, const std::string& text = "hello") {
    run.submit(1, text);
    EXPECT_TRUE(run.waitFor<TurnFinished>(count));
    return run.all<TurnFinished>().back();
}

TEST(PromptCacheCommands, savedConversation_continuesInAnotherSession) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "one.cache";
    TurnFinished first;
    {
        EngineRunner run(greedy());
        run.start();
        ASSERT_TRUE(run.load());
        first = answered(run, 1);
        run.queue.push(SavePromptCache{kOne, path});
        ASSERT_TRUE(run.waitFor<PromptCacheMoved>());
        EXPECT_FALSE(run.all<PromptCacheMoved>().back().error);
    }
    EngineRunner run(greedy());
    run.start();
    ASSERT_TRUE(run.load());
    run.queue.push(LoadPromptCache{kOne, path});
    ASSERT_TRUE(run.waitFor<PromptCacheMoved>());
    const auto moved = run.all<PromptCacheMoved>().back();
    EXPECT_FALSE(moved.error);
    EXPECT_TRUE(moved.loaded);
    EXPECT_EQ(moved.tokens, first.stats.promptTokens + 39);
    const auto again = answered(run, 1);
    EXPECT_EQ(again.tokens, first.tokens);
    EXPECT_EQ(again.stats.reusedTokens, first.stats.promptTokens - 1);
}

TEST(PromptCacheCommands, failedSaveOrLoad_isReported_andChangesNothing) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "one.cache";
    EngineRunner run(greedy());
    run.start();
    run.queue.push(LoadPromptCache{kOne, path});
    run.queue.push(SavePromptCache{kOne, path});
    ASSERT_TRUE(run.waitFor<PromptCacheMoved>(2));
    for (const auto& moved : run.all<PromptCacheMoved>()) {
        ASSERT_TRUE(moved.error);
        EXPECT_EQ(moved.error->code, ErrorCode::InvalidArgument);
    }
    ASSERT_TRUE(run.load());
    const auto first = answered(run, 1);
    run.queue.push(LoadPromptCache{kOne, path});
    ASSERT_TRUE(run.waitFor<PromptCacheMoved>(3));
    ASSERT_TRUE(run.all<PromptCacheMoved>().back().error);
    EXPECT_EQ(run.all<PromptCacheMoved>().back().error->code, ErrorCode::NotFound);
    EXPECT_EQ(answered(run, 2).stats.reusedTokens, first.stats.promptTokens - 1);
}

TEST(PromptCacheCommands, PF_08_cacheWithoutUsablePrefix_isReported) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "one.cache";
    EngineRunner run(greedy());
    run.start();
    ASSERT_TRUE(run.load());
    static_cast<void>(answered(run, 1));
    run.queue.push(SavePromptCache{kOne, path});
    run.queue.push(LoadPromptCache{ConversationId(2), path});
    ASSERT_TRUE(run.waitFor<PromptCacheMoved>(2));
    EXPECT_FALSE(run.all<PromptCacheMoved>().back().error);
    run.queue.push(LoadModel{"other"});
    ASSERT_TRUE(run.waitFor<ModelLoaded>(2));
    run.queue.push(LoadPromptCache{ConversationId(2), path});
    ASSERT_TRUE(run.waitFor<PromptCacheMoved>(3));
    const auto moved = run.all<PromptCacheMoved>().back();
    ASSERT_TRUE(moved.error) << "made by another model";
    EXPECT_EQ(moved.error->code, ErrorCode::Incompatible);
    EXPECT_EQ(moved.tokens, 0);
}

TEST(PromptCacheCommands, windows_areRestored_andOtherWindowsAreRefused) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "one.cache";
    EngineConfig windowed = greedy();
    windowed.kv.window = 24;
    std::int64_t tokens = 0;
    {
        EngineRunner run(windowed);
        run.start();
        ASSERT_TRUE(run.load());
        tokens = answered(run, 1).stats.promptTokens + 39;
        ASSERT_GT(tokens, 24);
        run.queue.push(SavePromptCache{kOne, path});
        ASSERT_TRUE(run.waitFor<PromptCacheMoved>());
        EXPECT_FALSE(run.all<PromptCacheMoved>().back().error);
    }
    for (const bool same : {true, false}) {
        EngineRunner run(same ? windowed : greedy());
        run.start();
        ASSERT_TRUE(run.load());
        run.queue.push(LoadPromptCache{kOne, path});
        ASSERT_TRUE(run.waitFor<PromptCacheMoved>());
        const auto moved = run.all<PromptCacheMoved>().back();
        EXPECT_EQ(moved.error.has_value(), !same);
        EXPECT_EQ(moved.tokens, same ? tokens : 0);
        if (moved.error) {
            EXPECT_EQ(moved.error->code, ErrorCode::Incompatible);
        }
    }
}

/// Settings of a model with one windowed layer whose prompt stays in memory.
EngineConfig remembered() {
    EngineConfig config = greedy();
    config.prefillChunk = 32;
    config.prefixCacheMiB = 64;
    return config;
}

test::FakeModelOptions sliding() {
    test::FakeModelOptions options;
    options.context = 4096;
    options.window = 24;
    return options;
}

Submit ending(std::int64_t conversation, std::vector<TokenId> end) {
    Submit question{ConversationId(conversation), {}, {}};
    for (int i = 0; i < 400; ++i) question.prompt.push_back((i * 11 + 5) % 250);
    question.prompt.insert(question.prompt.end(), end.begin(), end.end());
    return question;
}

TEST(PromptCacheCommands, restoredSlidingWindows_serveAPromptWithAnotherEnding) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "one.cache";
    const auto asked = [](EngineRunner& run, Submit question) {
        const std::size_t before = run.all<TurnFinished>().size();
        run.queue.push(std::move(question));
        EXPECT_TRUE(run.waitFor<TurnFinished>(before + 1));
        return run.all<TurnFinished>().back();
    };
    const auto moved = [](EngineRunner& run, Command command) {
        const std::size_t before = run.all<PromptCacheMoved>().size();
        run.queue.push(std::move(command));
        EXPECT_TRUE(run.waitFor<PromptCacheMoved>(before + 1));
        const PromptCacheMoved last = run.all<PromptCacheMoved>().back();
        EXPECT_FALSE(last.error) << describe(*last.error);
        return last;
    };
    std::int64_t inMemory = 0;
    std::vector<TokenId> expected;
    {
        EngineRunner run(remembered(), sliding());
        run.start();
        ASSERT_TRUE(run.load());
        static_cast<void>(asked(run, ending(1, {})));
        const PromptCacheMoved saved = moved(run, SavePromptCache{kOne, path});
        EXPECT_EQ(saved.tokens, 439);
        EXPECT_EQ(saved.shortest, 439) << "a window that was passed cannot be cut back";
        EXPECT_EQ(saved.checkpoints, std::vector<std::int64_t>{399});
        const auto other = asked(run, ending(1, {7, 8, 9}));
        inMemory = other.stats.reusedTokens;
        expected = other.tokens;
    }
    EXPECT_EQ(inMemory, 399);
    for (const double memory : {64.0, 0.0}) {
        EngineConfig config = remembered();
        config.prefixCacheMiB = memory;
        EngineRunner run(config, sliding());
        run.start();
        ASSERT_TRUE(run.load());
        const PromptCacheMoved restored = moved(run, LoadPromptCache{kOne, path});
        EXPECT_EQ(restored.tokens, 439);
        EXPECT_EQ(restored.shortest, 439);
        EXPECT_EQ(restored.checkpoints, std::vector<std::int64_t>{399});
        const PromptCacheMoved again =
            moved(run, SavePromptCache{kOne, folder.path() / "again.cache"});
        EXPECT_EQ(again.checkpoints, restored.checkpoints) << "what was restored is saved again";
        const auto other = asked(run, ending(1, {7, 8, 9}));
        EXPECT_EQ(other.stats.reusedTokens, inMemory) << "prefix_cache " << memory;
        EXPECT_EQ(other.tokens, expected);
        EXPECT_EQ(asked(run, ending(1, {1})).stats.reusedTokens, inMemory) << "and once more";
        if (memory == 0) {
            EXPECT_EQ(asked(run, ending(2, {1})).stats.reusedTokens, 0)
                << "a checkpoint is of its conversation alone";
        }
    }
}

TEST(PromptCacheCommands, slidingWindowsWithoutCheckpoint_reportThatOnlyContinuingWorks) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "one.cache";
    EngineConfig config = remembered();
    config.prefixCacheMiB = 0;
    EngineRunner run(config, sliding());
    run.start();
    ASSERT_TRUE(run.load());
    run.queue.push(ending(1, {}));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.queue.push(SavePromptCache{kOne, path});
    run.queue.push(LoadPromptCache{kOne, path});
    ASSERT_TRUE(run.waitFor<PromptCacheMoved>(2));
    for (const PromptCacheMoved& moved : run.all<PromptCacheMoved>()) {
        EXPECT_FALSE(moved.error);
        EXPECT_EQ(moved.shortest, moved.tokens);
        EXPECT_TRUE(moved.checkpoints.empty());
    }
    EngineRunner plain(config);
    plain.start();
    ASSERT_TRUE(plain.load());
    static_cast<void>(answered(plain, 1));
    plain.queue.push(SavePromptCache{kOne, path});
    ASSERT_TRUE(plain.waitFor<PromptCacheMoved>());
    EXPECT_EQ(plain.all<PromptCacheMoved>().back().shortest, 0) << "any start of it can be used";
}

TEST(ContextShift, GL_12_answerPastTheContext_reportsDroppedTokens) {
    test::FakeModelOptions options;
    options.context = 64;
    EngineConfig config = greedy();
    config.maxTokens = 150;
    config.contextShift = 4;
    EngineRunner run(config, options);
    run.start();
    ASSERT_TRUE(run.load());
    const auto answer = answered(run, 1);
    EXPECT_EQ(answer.reason, FinishReason::Length);
    EXPECT_EQ(answer.tokens.size(), 150U);
    EXPECT_GT(answer.stats.shiftedTokens, 100);
    EXPECT_FALSE(run.all<Notice>().empty());
    for (const StepSample& sample : run.all<StepSample>()) EXPECT_LE(sample.kv.tokens, 64);
    EngineRunner plain(greedy(), options);
    plain.start();
    ASSERT_TRUE(plain.load());
    EXPECT_EQ(answered(plain, 1).stats.shiftedTokens, 0);
}

TEST(DraftModels, SP_11_drafts_areCounted_andChangeNoText) {
    test::FakeModelOptions options;
    options.context = 2048;
    options.period = 9;
    options.surpriseEvery = 11;
    EngineRunner plain(greedy(), options);
    plain.start();
    ASSERT_TRUE(plain.load());
    const auto expected = answered(plain, 1);
    EXPECT_EQ(expected.stats.draftedTokens, 0);
    EXPECT_EQ(expected.stats.decodeSteps, 40);
    EngineRunner run(greedy(4), options);
    run.start();
    run.queue.push(LoadModel{"fake", "twin"});
    ASSERT_TRUE(run.waitFor<ModelLoaded>());
    EXPECT_EQ(run.models.loads, 2);
    const auto answer = answered(run, 1);
    EXPECT_EQ(answer.tokens, expected.tokens);
    EXPECT_EQ(answer.stats.acceptedTokens, answer.stats.draftedTokens) << "a twin is always right";
    EXPECT_EQ(answer.stats.decodeSteps + answer.stats.acceptedTokens, 40);
    EXPECT_EQ(answer.stats.decodeSteps, 8);
}

TEST(DraftModels, S1_06_draftModelWithCompaction_isRefusedBeforePrefill) {
    EngineConfig config = greedy(4);
    config.kv.method = CompactionMethod::Eviction;
    config.kv.compactionFloor = 0;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.budget = 64;
    EngineRunner run(config);
    run.start();
    run.queue.push(LoadModel{"fake", "twin"});
    ASSERT_TRUE(run.waitFor<ModelFailed>());
    const Error refused = run.all<ModelFailed>().back().error;
    EXPECT_EQ(refused.code, ErrorCode::Conflict);
    EXPECT_NE(refused.what.find("budget and draft model"), std::string::npos) << refused.what;
    EXPECT_EQ(run.models.loads, 0);
    run.queue.push(SetConfig{Revision(1), greedy(4)});
    run.queue.push(LoadModel{"fake", "twin"});
    ASSERT_TRUE(run.waitFor<ModelLoaded>());
    EXPECT_EQ(run.all<ModelLoaded>().back().facts.draftPath, "twin");
    run.queue.push(SetConfig{Revision(2), config});
    ASSERT_TRUE(run.waitFor<ConfigRejected>());
    EXPECT_EQ(run.all<ConfigRejected>().back().violations.front().rule, "EX-BUDGET-DRAFT");
}

TEST(DraftModels, missingDraftModel_leavesNothingLoaded) {
    EngineRunner run(greedy(4));
    run.start();
    run.queue.push(LoadModel{"fake", "missing"});
    ASSERT_TRUE(run.waitFor<ModelFailed>());
    EXPECT_EQ(run.all<ModelFailed>().back().error.code, ErrorCode::NotFound);
    EXPECT_TRUE(run.all<ModelLoaded>().empty());
}

TEST(DraftModels, threadsChangedBetweenTurns_changeNoText) {
    EngineRunner run(greedy(3));
    run.start();
    run.queue.push(LoadModel{"fake", "twin"});
    ASSERT_TRUE(run.waitFor<ModelLoaded>());
    const auto first = answered(run, 1);
    EngineConfig config = greedy(3);
    config.threads = 2;
    config.prefillChunk = 64;
    run.queue.push(SetConfig{Revision(1), config});
    ASSERT_TRUE(run.waitFor<ConfigApplied>());
    EXPECT_EQ(answered(run, 2).tokens, first.tokens);
    EXPECT_GT(run.all<TurnFinished>().back().stats.acceptedTokens, 0);
}

}  // namespace
}  // namespace lacuna
