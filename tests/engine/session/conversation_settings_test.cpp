// Cache settings of one conversation: in a batch with others, changed during an answer, refused,
// released, and under the common limit.

#include "engine/settings/conversation_settings.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/settings/setting_spec.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;

EngineConfig settings(std::vector<std::string> more = {}) {
    std::vector<std::string> all{"temperature=0", "max_tokens=60",      "prefill_chunk=16",
                                 "seed=5",        "keep_recent=8",      "n_sink=2",
                                 "margin=8",      "compaction_floor=0", "loss_limit=off"};
    all.insert(all.end(), more.begin(), more.end());
    return *withSettings({}, all);
}

SetCacheSettings own(std::int64_t revision, std::int64_t conversation,
                     std::vector<std::string> assignments) {
    return {Revision(revision), ConversationId(conversation),
            cacheSettingsOf(settings(std::move(assignments)))};
}

SetCacheSettings shared(std::int64_t revision, std::int64_t conversation) {
    return {Revision(revision), ConversationId(conversation), std::nullopt};
}

std::string longText(int length, int salt) {
    std::string text;
    for (int i = 0; i < length; ++i) text += static_cast<char>('a' + (i * 11 + salt) % 26);
    return text;
}

TurnFinished finishedOf(const EngineRunner& run, std::int64_t conversation) {
    for (const TurnFinished& one : run.all<TurnFinished>())
        if (one.conversation == ConversationId(conversation)) return one;
    ADD_FAILURE() << "no answer in conversation " << conversation;
    return {};
}

std::vector<CompactionHappened> compactionsOf(const EngineRunner& run, std::int64_t conversation) {
    std::vector<CompactionHappened> found;
    for (const CompactionHappened& one : run.all<CompactionHappened>())
        if (one.conversation == ConversationId(conversation) &&
            one.report.result == CompactionResult::Done)
            found.push_back(one);
    return found;
}

/// Returns the answer to one question of a single conversation with these settings.
TurnFinished alone(const EngineConfig& config, std::int64_t conversation) {
    EngineRunner run(config, {.context = 8192});
    run.start();
    EXPECT_TRUE(run.load());
    run.submit(conversation, longText(60, static_cast<int>(conversation)));
    EXPECT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    return finishedOf(run, conversation);
}

TEST(ConversationSettings, batchedTurns_equalSingleTurns_underTheirOwnSettings) {
    const std::vector<std::vector<std::string>> wanted{
        {"budget=48", "norm_policy=keydiff"},
        {"budget=32", "norm_policy=keep_low", "prefill_policy=per_chunk"},
        {"am_ratio=2", "budget=40", "background=off"},
        {"kv_type=f32"},
    };
    EngineRunner run(settings({"parallel=5"}), {.context = 8192});
    run.queue.push(LoadModel{"fake"});
    for (std::int64_t c = 1; c <= 4; ++c)
        run.queue.push(own(c, c, wanted[static_cast<std::size_t>(c - 1)]));
    for (std::int64_t c = 1; c <= 5; ++c) run.submit(c, longText(60, static_cast<int>(c)));
    run.start();
    ASSERT_TRUE(run.waitFor<TurnFinished>(5));
    run.finish();
    std::set<std::int64_t> shared;
    for (std::int64_t c = 1; c <= 5; ++c) {
        const std::vector<std::string> mine =
            c <= 4 ? wanted[static_cast<std::size_t>(c - 1)] : std::vector<std::string>{};
        const TurnFinished apart = alone(settings(mine), c);
        const TurnFinished together = finishedOf(run, c);
        EXPECT_EQ(together.tokens, apart.tokens) << c;
        EXPECT_EQ(together.stats.compactions, apart.stats.compactions) << c;
        EXPECT_EQ(together.stats.compactions > 0, c <= 3) << c;
    }
    for (const TurnStarted& started : run.all<TurnStarted>()) {
        const auto c = static_cast<std::size_t>(started.conversation.value);
        EXPECT_EQ(cacheSettingsOf(started.config),
                  cacheSettingsOf(settings(c <= 4 ? wanted[c - 1] : std::vector<std::string>{})));
    }
    for (const StepSample& sample : run.all<StepSample>())
        EXPECT_EQ(sample.compaction.enabled, sample.conversation.value <= 3);
}

TEST(ConversationSettings, changeDuringTwoTurns_compactsOnlyItsConversation) {
    EngineRunner run(settings({"parallel=2", "max_tokens=80"}), {.context = 8192});
    run.models.before = [&, told = false](std::int64_t step) mutable -> Status {
        if (step >= 60 && !std::exchange(told, true)) run.queue.push(own(1, 2, {"budget=32"}));
        return {};
    };
    run.queue.push(LoadModel{"fake"});
    run.submit(1, longText(60, 1));
    run.submit(2, longText(60, 2));
    run.start();
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    EXPECT_TRUE(compactionsOf(run, 1).empty());
    const auto compactions = compactionsOf(run, 2);
    ASSERT_FALSE(compactions.empty());
    EXPECT_EQ(compactions[0].report.cause, CompactionCause::ConfigChange);
    const auto applied = run.all<ConfigApplied>();
    ASSERT_EQ(applied.size(), 1U);
    EXPECT_EQ(applied[0].conversation, ConversationId(2));
    EXPECT_TRUE(applied[0].own);
    EXPECT_EQ(applied[0].config.kv.budget, 32);
    EXPECT_EQ(changedKeys(applied[0].changes, false),
              (std::vector<std::string>{"method", "budget"}));
    EXPECT_EQ(compactions[0].at, applied[0].at) << "at once, not when the cache grows";
    EXPECT_EQ(finishedOf(run, 1).tokens, alone(settings({"max_tokens=80"}), 1).tokens);
}

TEST(ConversationSettings, sharedChange_appliesOnlyToConversationsWithoutOverrides) {
    EngineRunner run(settings({"parallel=2", "budget=400", "norm_policy=keydiff"}),
                     {.context = 8192});
    run.start();
    ASSERT_TRUE(run.load());
    run.queue.push(own(1, 1, {"budget=60", "norm_policy=keydiff"}));
    run.queue.push(
        SetConfig{Revision(2), settings({"budget=100", "norm_policy=keydiff", "max_tokens=70"})});
    run.submit(1, longText(200, 1));
    run.submit(2, longText(200, 2));
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.queue.push(shared(3, 1));
    ASSERT_TRUE(run.waitFor<ConfigApplied>(3));
    run.finish();
    for (const TurnStarted& started : run.all<TurnStarted>()) {
        EXPECT_EQ(started.config.kv.budget, started.conversation == ConversationId(1) ? 60 : 100);
        EXPECT_EQ(started.config.maxTokens, 70) << "what is not of the cache is for all";
    }
    ASSERT_FALSE(compactionsOf(run, 1).empty());
    ASSERT_FALSE(compactionsOf(run, 2).empty());
    const auto applied = run.all<ConfigApplied>();
    EXPECT_EQ(applied[1].conversation, std::nullopt);
    EXPECT_EQ(applied[2].conversation, ConversationId(1));
    EXPECT_FALSE(applied[2].own);
    EXPECT_EQ(applied[2].config.kv.budget, 100);
    EXPECT_EQ(changedKeys(applied[2].changes, false), std::vector<std::string>{"budget"});
}

TEST(ConversationSettings, invalidOverride_isRefused_soIsASharedChangeThatInvalidatesIt) {
    EngineRunner run(settings(), {.context = 8192});
    run.start();
    ASSERT_TRUE(run.load());
    SetCacheSettings bad = own(1, 1, {"budget=60"});
    bad.own->kv.budget = 5;
    run.queue.push(bad);
    ASSERT_TRUE(run.waitFor<ConfigRejected>(1));
    EXPECT_EQ(run.all<ConfigRejected>()[0].violations[0].rule, "BUD-MIN");
    run.queue.push(own(2, 1, {"budget=500"}));
    run.queue.push(SetConfig{Revision(3), settings({"context=256"})});
    ASSERT_TRUE(run.waitFor<ConfigRejected>(2));
    const ConfigRejected refused = run.all<ConfigRejected>()[1];
    EXPECT_EQ(refused.revision, Revision(3));
    EXPECT_EQ(refused.violations[0].field, "budget");
    EXPECT_EQ(refused.violations[0].sentence.find("It does not fit conversation 1, which has"), 0U)
        << refused.violations[0].sentence;
    run.submit(1, longText(40, 1));
    run.submit(2, longText(40, 2));
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    EXPECT_EQ(run.all<ConfigApplied>().size(), 1U);
    for (const TurnStarted& started : run.all<TurnStarted>()) {
        EXPECT_EQ(started.config.context, 0);
        EXPECT_EQ(started.config.kv.budget.has_value(), started.conversation == ConversationId(1));
    }
}

TEST(ConversationSettings, severalQueuedChanges_newestOfEachConversationApplies) {
    EngineRunner run(settings(), {.context = 8192});
    run.queue.push(own(1, 1, {"budget=60"}));
    run.queue.push(own(2, 2, {"budget=70"}));
    run.queue.push(SetConfig{Revision(3), settings({"budget=80"})});
    run.queue.push(own(4, 1, {"budget=90"}));
    run.start();
    ASSERT_TRUE(run.waitFor<ConfigApplied>(3));
    run.finish();
    const auto superseded = run.all<ConfigSuperseded>();
    ASSERT_EQ(superseded.size(), 1U);
    EXPECT_EQ(superseded[0].revision, Revision(1));
    EXPECT_EQ(superseded[0].by, Revision(4));
    std::vector<std::optional<int>> budgets;
    for (const ConfigApplied& applied : run.all<ConfigApplied>())
        budgets.push_back(applied.config.kv.budget);
    EXPECT_EQ(budgets, (std::vector<std::optional<int>>{70, 80, 90}));
}

TEST(ConversationSettings, cacheTypeOverride_convertsOnlyThatCache) {
    EngineRunner run(settings(), {.context = 8192});
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, "abc");
    run.submit(2, "abc");
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.queue.push(own(1, 1, {"kv_type=f32"}));
    for (std::int64_t c = 1; c <= 2; ++c)
        run.submit(c, {{"user", "abc"}, {"assistant", "x"}, {"user", "de"}});
    ASSERT_TRUE(run.waitFor<TurnFinished>(4));
    run.finish();
    const auto started = run.all<TurnStarted>();
    ASSERT_EQ(started.size(), 4U);
    for (std::size_t i = 2; i < 4; ++i) EXPECT_GT(started[i].reusedTokens, 0);
    std::vector<std::string> now;
    for (const Notice& notice : run.all<Notice>())
        if (notice.sentence.find(" now: ") != std::string::npos) now.push_back(notice.sentence);
    ASSERT_EQ(now.size(), 1U);
    EXPECT_TRUE(now[0].starts_with("The cache of conversation 1 is now in f32")) << now[0];
}

TEST(ConversationSettings, overridesUnfitForNewModel_areDroppedByName_andModelLoads) {
    EngineRunner run(settings(), {.context = 8192});
    run.start();
    ASSERT_TRUE(run.load());
    run.queue.push(own(1, 1, {"budget=5000"}));
    run.queue.push(own(2, 2, {"budget=50"}));
    ASSERT_TRUE(run.waitFor<ConfigApplied>(2));
    run.models.options.context = 1024;
    run.queue.push(LoadModel{"fake"});
    ASSERT_TRUE(run.waitFor<ModelLoaded>(2));
    run.submit(1, longText(40, 1));
    run.submit(2, longText(40, 2));
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    const auto dropped = run.all<CacheSettingsDropped>();
    ASSERT_EQ(dropped.size(), 1U);
    EXPECT_EQ(dropped[0].conversation, ConversationId(1));
    EXPECT_NE(dropped[0].sentence.find("budget is 5000"), std::string::npos) << dropped[0].sentence;
    for (const TurnStarted& started : run.all<TurnStarted>())
        EXPECT_EQ(started.config.kv.budget.value_or(0),
                  started.conversation == ConversationId(2) ? 50 : 0);
}

// One conversation keeps everything and the other may be compacted, so the limit compacts the
// latter.
TEST(ConversationSettings, totalCacheLimit_compactsOnlyConversationsThatAllowIt) {
    constexpr std::int64_t kTokenBytes = 2 * 2 * 2 * 8 * 2;
    EngineConfig config = settings({"parallel=2", "max_tokens=80"});
    config.cacheLimitMiB = 300.0 * kTokenBytes / (1024.0 * 1024.0);
    EngineRunner run(config, {.context = 8192});
    run.queue.push(LoadModel{"fake"});
    run.queue.push(own(1, 2, {"method=l2"}));
    run.submit(1, longText(60, 1));
    run.submit(2, longText(150, 2));
    run.start();
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    EXPECT_TRUE(compactionsOf(run, 1).empty());
    const auto compactions = compactionsOf(run, 2);
    ASSERT_FALSE(compactions.empty());
    EXPECT_EQ(compactions[0].report.cause, CompactionCause::MemoryLimit);
    for (const TurnFinished& one : run.all<TurnFinished>()) {
        EXPECT_EQ(one.error, std::nullopt);
        EXPECT_EQ(one.tokens.size(), 80U);
    }
    for (const StepSample& sample : run.all<StepSample>())
        EXPECT_LE(sample.liveBytesAll, 300 * kTokenBytes);
}

TEST(ConversationSettings, conversationScope_matchesSettingsAConversationMayOverride) {
    for (const SettingSpec& spec : settingSpecs()) {
        EngineConfig changed;
        const std::string now = settingValueText(changed, spec.key);
        for (const std::string& text :
             {std::string("1"), std::string("2"), std::string("16"), std::string("off"),
              std::string(spec.field.choices.empty() ? "3" : spec.field.choices.front()),
              std::string(spec.field.choices.empty() ? "0.5" : spec.field.choices.back())}) {
            EngineConfig tried;
            if (changeSetting(tried, spec.key, text) || settingValueText(tried, spec.key) == now)
                continue;
            changed = tried;
        }
        ASSERT_NE(changed, EngineConfig{}) << spec.key << " could not be changed";
        const bool ofCache = cacheSettingsOf(changed) != CacheSettings{};
        EXPECT_EQ(ofCache, spec.scope == SettingScope::Conversation) << spec.key;
        EXPECT_EQ(withCacheSettings({}, cacheSettingsOf(changed)) == changed, ofCache) << spec.key;
    }
}

}  // namespace
}  // namespace lacuna
