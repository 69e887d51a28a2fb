// Prefixes shared between conversations, through the complete engine.

#include "engine/session/prefix_sharing.h"

#include <gtest/gtest.h>

#include "engine/settings/config_check.h"
#include "tests/support/compaction_notes.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::lettersOf;

EngineConfig sharing(double mebibytes = 64) {
    EngineConfig config;
    config.sampling.temperature = 0;
    config.maxTokens = 20;
    config.prefillChunk = 32;
    config.kv.background = false;
    config.kv.keepRecent = 8;
    config.kv.nSink = 2;
    config.prefixCacheMiB = mebibytes;
    return config;
}

/// One engine and the answers it gave.
struct Session {
    explicit Session(const EngineConfig& config) : run(config, test::roomyModel()) {
        run.start();
        EXPECT_TRUE(run.load());
    }
    TurnFinished ask(Submit question) {
        run.queue.push(std::move(question));
        EXPECT_TRUE(run.waitFor<TurnFinished>(++asked));
        return run.all<TurnFinished>().back();
    }
    TurnFinished ask(std::int64_t conversation, const std::string& text, PrefixUse use = {}) {
        Submit question{ConversationId(conversation), {{"user", text}}, {}};
        question.prefix = std::move(use);
        return ask(std::move(question));
    }
    [[nodiscard]] TurnStarted started() const { return run.all<TurnStarted>().back(); }
    [[nodiscard]] PrefixStats stats() const {
        const auto said = run.all<PrefixCacheChanged>();
        return said.empty() ? PrefixStats{} : said.back().stats;
    }
    EngineRunner run;
    std::size_t asked = 0;
};

TEST(PrefixSharing, anotherConversation_readsOnlyNewTokens) {
    Session alone(sharing(0));
    const auto expected = alone.ask(2, lettersOf(300) + "and now?");
    EXPECT_EQ(expected.stats.reusedTokens, 0);
    Session session(sharing());
    session.ask(1, lettersOf(300) + "what is it?");
    const auto second = session.ask(2, lettersOf(300) + "and now?");
    EXPECT_GE(second.stats.reusedTokens, 300);
    EXPECT_EQ(session.started().match, PrefixMatch::Diverging);
    EXPECT_EQ(second.tokens, expected.tokens) << "as if all had been read";
    EXPECT_EQ(session.stats().hits(), 1);
    EXPECT_EQ(session.stats().lookups, 2);
    EXPECT_GT(session.stats().savedSeconds, 0);
}

TEST(PrefixSharing, sameQuestionInAnotherConversation_readsOneToken) {
    Session session(sharing());
    const auto first = session.ask(1, lettersOf(300));
    const auto second = session.ask(2, lettersOf(300));
    EXPECT_EQ(second.stats.reusedTokens, second.stats.promptTokens - 1);
    EXPECT_EQ(second.tokens, first.tokens);
}

TEST(PrefixSharing, parallelTurns_secondReusesThePromptOfTheFirst) {
    EngineConfig config = sharing();
    config.maxTokens = 400;
    config.parallel = 2;
    Session session(config);
    session.run.submit(1, lettersOf(300));
    ASSERT_TRUE(session.run.waitFor<TokenText>());
    session.run.submit(2, lettersOf(300));
    ASSERT_TRUE(session.run.waitFor<TurnFinished>(2));
    const auto started = session.run.all<TurnStarted>();
    EXPECT_EQ(started[1].reusedTokens, started[1].promptTokens - 1) << "while the first is written";
    const auto finished = session.run.all<TurnFinished>();
    EXPECT_EQ(finished[0].tokens, finished[1].tokens);
}

TEST(PrefixSharing, releasedConversation_isFoundAgain) {
    Session session(sharing());
    const auto first = session.ask(1, lettersOf(300));
    session.run.queue.push(ReleaseConversation{ConversationId(1)});
    const auto again = session.ask(1, lettersOf(300));
    EXPECT_EQ(again.stats.reusedTokens, again.stats.promptTokens - 1);
    EXPECT_EQ(again.tokens, first.tokens);
}

TEST(PrefixSharing, privateConversations_neitherReadNorStoreEntries) {
    Session session(sharing());
    const PrefixUse secret{.shared = false};
    session.ask(1, lettersOf(300), secret);
    EXPECT_EQ(session.stats().entries, 0);
    EXPECT_EQ(session.ask(2, lettersOf(300)).stats.reusedTokens, 0) << "nothing was left";
    EXPECT_EQ(session.ask(3, lettersOf(300), secret).stats.reusedTokens, 0) << "nothing is taken";
    EXPECT_EQ(session.stats().lookups, 1);
}

TEST(PrefixSharing, saltsAndSettings_isolateEntries_PB3) {
    const EngineConfig config = sharing();
    ModelFacts model;
    model.fingerprint = "one";
    model.layers = model.kvHeads = 2;
    model.headDim = 8;
    const PrefixSpaces plain = prefixSpaces(model, config, "");
    EXPECT_EQ(plain.compacted, "") << "nothing compacted is used where nothing compacts";
    const auto changed = [&config](const std::string& setting) {
        return *withSettings(config, std::vector<std::string>{setting});
    };
    const auto with = [&](const char* setting) {
        return prefixSpaces(model, changed(setting), "");
    };
    for (const char* setting : {"kv_type=q8_0", "v_type=q8_0", "window=64", "layer_caches=uniform",
                                "precision=exact", "kv_type=t4"})
        EXPECT_NE(with(setting).full, plain.full) << setting;
    for (const char* setting : {"temperature=1", "prefill_chunk=16", "threads=1", "max_tokens=9"})
        EXPECT_EQ(with(setting).full, plain.full) << setting;
    EXPECT_EQ(with("budget=64").full, plain.full) << "what is whole serves every method";
    EXPECT_NE(with("budget=64").compacted, with("budget=65").compacted);
    ModelFacts other = model;
    other.fingerprint = "two";
    EXPECT_NE(prefixSpaces(other, config, "").full, plain.full);
    EXPECT_NE(prefixSpaces(model, config, "me").full, plain.full);
    // A salt cannot imitate the settings of another space.
    const std::string theirs = prefixSpaces(model, changed("budget=64"), "x").compacted;
    const std::string tail = theirs.substr(theirs.find("salt 1:x") + 7);
    EXPECT_NE(prefixSpaces(model, config, tail).full, theirs);
    Session session(config);
    session.ask(1, lettersOf(300), {.salt = "a"});
    EXPECT_EQ(session.ask(2, lettersOf(300), {.salt = "b"}).stats.reusedTokens, 0);
    EXPECT_GT(session.ask(3, lettersOf(300), {.salt = "a"}).stats.reusedTokens, 0);
}

TEST(PrefixSharing, repeatedQuestionAfterCompaction_rereadsNothing) {
    EngineConfig config = sharing();
    config.kv.method = CompactionMethod::Eviction;
    config.kv.compactionFloor = 0;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.budget = 100;
    config.maxTokens = 60;
    Session session(config);
    const auto first = session.ask(1, lettersOf(400));
    ASSERT_GT(first.stats.compactions, 0);
    const auto again = session.ask(1, lettersOf(400));
    EXPECT_EQ(again.stats.reusedTokens, again.stats.promptTokens - 1);
    EXPECT_EQ(again.tokens, first.tokens) << "it begins from where it began";
    EXPECT_EQ(again.stats.compactions, first.stats.compactions);
}

TEST(PrefixSharing, regenerationCost_isReportedBeforehand) {
    for (const bool kept : {true, false}) {
        EngineConfig config = sharing(kept ? 64 : 0);
        config.kv.method = CompactionMethod::Eviction;
        config.kv.compactionFloor = 0;
        config.kv.lossLimit.level = LossLimit::Level::Off;
        config.kv.budget = 100;
        config.maxTokens = 60;
        Session session(config);
        const auto first = session.ask(1, lettersOf(400));
        ASSERT_GT(first.stats.compactions, 0);
        const auto prompt = first.stats.promptTokens;
        EXPECT_EQ(first.stats.regenerateTokens, kept ? 1 : prompt);
        const auto again = session.ask(1, lettersOf(400));
        EXPECT_EQ(prompt - again.stats.reusedTokens, first.stats.regenerateTokens)
            << "and so it is";
    }
}

TEST(PrefixSharing, nextQuestionAfterCompaction_resumesAtTheEndOfTheLastAnswer) {
    for (const bool kept : {true, false}) {
        EngineConfig config = sharing(kept ? 64 : 0);
        config.kv.method = CompactionMethod::Eviction;
        config.kv.compactionFloor = 0;
        config.kv.lossLimit.level = LossLimit::Level::Off;
        config.kv.budget = 100;
        config.maxTokens = 60;
        Session session(config);
        const auto first = session.ask(1, lettersOf(400));
        std::vector<ChatMessage> messages{
            {"user", lettersOf(400)}, {"assistant", first.text}, {"user", lettersOf(150, 3)}};
        const auto second = session.ask(Submit{ConversationId(1), messages, {}});
        ASSERT_GT(second.stats.compactions, 0);
        messages.back().content = lettersOf(200, 7);
        const auto edited = session.ask(Submit{ConversationId(1), messages, {}});
        EXPECT_EQ(edited.stats.promptTokens - second.stats.promptTokens, 50);
        if (kept)
            EXPECT_GE(edited.stats.reusedTokens, first.stats.promptTokens);
        else
            EXPECT_EQ(edited.stats.reusedTokens, 0);
    }
}

TEST(PrefixSharing, compactedConversation_keepsItsCache_afterSameQuestionElsewhere_PC6) {
    const EngineConfig whole = sharing();
    EngineConfig evicting = whole;
    evicting.kv.method = CompactionMethod::Eviction;
    evicting.kv.compactionFloor = 0;
    evicting.kv.lossLimit.level = LossLimit::Level::Off;
    evicting.kv.budget = 100;
    const auto letters = [](int count, int salt) {
        std::vector<TokenId> out;
        for (const char letter : lettersOf(count, salt))
            out.push_back(static_cast<TokenId>(letter));
        return out;
    };
    for (const int length : {60, 300}) {
        Session session(evicting);
        const auto ask = [&](std::int64_t conversation, const std::vector<TokenId>& prompt) {
            Submit question{ConversationId(conversation), {}, {}};
            question.prompt = prompt;
            return session.ask(std::move(question));
        };
        auto text = letters(400, 0);
        const auto first = ask(1, text);
        ASSERT_GT(first.stats.compactions, 0);
        text.insert(text.end(), first.tokens.begin(), first.tokens.end());
        const auto more = letters(length, 3);
        text.insert(text.end(), more.begin(), more.end());
        session.run.queue.push(SetConfig{Revision(2), whole});
        EXPECT_EQ(ask(2, text).stats.compactions, 0);
        session.run.queue.push(SetConfig{Revision(3), evicting});
        const auto second = ask(1, text);
        if (length < 128)
            EXPECT_LE(second.stats.reusedTokens, 420) << "its own";
        else
            EXPECT_EQ(second.stats.reusedTokens, second.stats.promptTokens - 1) << "much more";
    }
}

TEST(PrefixSharing, queryBasedPolicies_readTheTokensTheyObserve_PC7) {
    EngineConfig config = sharing();
    config.kv.method = CompactionMethod::Eviction;
    config.kv.compactionFloor = 0;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.budget = 100;
    const auto reusedOf = [&](EvictionPolicy policy) {
        config.kv.evictionPolicy = policy;
        Session session(sharing());
        session.ask(1, lettersOf(600));
        session.run.queue.push(SetConfig{Revision(2), config});
        session.ask(3, lettersOf(500, 5));
        EXPECT_EQ(session.started().reuseNote.find("newest"), std::string::npos)
            << "nothing is stored of this one";
        const auto second = session.ask(2, lettersOf(600));
        EXPECT_GT(second.stats.compactions, 0);
        for (const auto& happened : session.run.all<CompactionHappened>())
            EXPECT_FALSE(mentions(happened.report.notes, CompactionReason::FewQueriesSeen))
                << happened.report.notes;
        EXPECT_EQ(session.started().reuseNote.empty(), policy == EvictionPolicy::KeyDiff);
        return second.stats.promptTokens - second.stats.reusedTokens;
    };
    EXPECT_EQ(reusedOf(EvictionPolicy::KeyDiff), 1);
    EXPECT_EQ(reusedOf(EvictionPolicy::SnapKV), 256);
    EXPECT_EQ(reusedOf(EvictionPolicy::ExpectedAttention), 256);
    EXPECT_EQ(reusedOf(EvictionPolicy::TriAttention), 256) << "its centres are not calibrated";
    EXPECT_GT(reusedOf(EvictionPolicy::H2O), 600);
}

TEST(PrefixSharing, unusableLongerPrefix_isExplained_PM11) {
    EngineConfig config = sharing();
    config.kv.method = CompactionMethod::Eviction;
    config.kv.compactionFloor = 0;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.budget = 60;  // compacted before the text is long enough for a stored prefix
    config.prefillPolicy = PrefillPolicy::PerChunk;
    Session session(config);
    session.ask(Submit{ConversationId(1),
                       {{"user", lettersOf(400)}, {"assistant", "so it is"}, {"user", "and now?"}},
                       {}});
    const auto second = session.ask(2, lettersOf(350) + "something else");
    EXPECT_EQ(second.stats.reusedTokens, 0);
    EXPECT_NE(session.started().reuseNote.find("cannot be cut below"), std::string::npos)
        << session.started().reuseNote;
}

TEST(PrefixSharing, limit_takesEffectImmediately_andIsReported_PE1) {
    Session session(sharing());
    session.ask(1, lettersOf(300));
    EXPECT_GT(session.stats().bytes, 300 * 128);
    EXPECT_LT(session.stats().bytesAlone, 300 * 16) << "the conversation holds the rows as well";
    session.run.queue.push(ReleaseConversation{ConversationId(1)});
    EngineConfig none = sharing(0);
    session.run.queue.push(SetConfig{Revision(1), none});
    session.ask(2, lettersOf(300));
    EXPECT_EQ(session.stats().entries, 0);
    EXPECT_EQ(session.stats().limitBytes, 0);
    EXPECT_EQ(session.started().reusedTokens, 0);
    session.run.queue.push(SetConfig{Revision(2), sharing()});
    session.ask(3, lettersOf(300));
    session.run.queue.push(ClearPrefixCache{});
    session.ask(4, lettersOf(200, 3));
    EXPECT_EQ(session.stats().entries, 1) << "what came after the clearing";
}

TEST(PrefixSharing, cachesInUse_havePriority_belowTheTotalLimit_PE5) {
    // Keys and values of one token of the fake model.
    constexpr double kTokenBytes = 128;
    EngineConfig config = sharing();
    config.cacheLimitMiB = 800 * kTokenBytes / (1024 * 1024);
    Session session(config);
    session.ask(1, lettersOf(300));
    session.run.queue.push(ReleaseConversation{ConversationId(1)});
    session.ask(2, lettersOf(300, 5));
    EXPECT_EQ(session.stats().entries, 2);
    session.ask(3, lettersOf(300, 9));
    EXPECT_GT(session.stats().evictedForCaches, 0);
    EXPECT_EQ(session.run.all<TurnFinished>().back().reason, FinishReason::Length);
    for (const StepSample& sample : session.run.all<StepSample>())
        EXPECT_LE(static_cast<double>(sample.liveBytesAll + sample.prefixBytes),
                  800 * kTokenBytes + 300 * 16);
}

TEST(PrefixSharing, anotherModelLoaded_releasesEntriesOfTheFirst) {
    Session session(sharing());
    session.ask(1, lettersOf(300));
    ASSERT_GT(session.stats().bytes, 0);
    session.run.queue.push(LoadModel{"another"});
    ASSERT_TRUE(session.run.waitFor<ModelLoaded>(2));
    EXPECT_EQ(session.ask(2, lettersOf(300)).stats.reusedTokens, 0);
    EXPECT_EQ(session.stats().entries, 1) << "of the model in use alone";
}

TEST(PrefixSharing, modelUnloaded_keepsNoEntryInMemory) {
    Session session(sharing());
    session.ask(1, lettersOf(300));
    const std::size_t said = session.run.all<PrefixCacheChanged>().size();
    session.run.queue.push(UnloadModel{});
    ASSERT_TRUE(session.run.waitFor<PrefixCacheChanged>(said + 1)) << "and that is published";
    EXPECT_EQ(session.stats().bytes, 0);
    EXPECT_EQ(session.stats().entries, 0);
}

TEST(PrefixSharing, sameModelReloaded_findsItsEntries) {
    Session session(sharing());
    const auto first = session.ask(1, lettersOf(300));
    session.run.queue.push(LoadModel{"fake"});
    ASSERT_TRUE(session.run.waitFor<ModelLoaded>(2));
    const auto again = session.ask(1, lettersOf(300));
    EXPECT_EQ(again.stats.reusedTokens, again.stats.promptTokens - 1);
    EXPECT_EQ(again.tokens, first.tokens);
}

TEST(PrefixSharing, shiftedContext_isNotStored) {
    EngineConfig config = sharing();
    config.contextShift = 4;
    config.context = 300;
    config.maxTokens = 200;
    Session session(config);
    const auto first = session.ask(1, lettersOf(250));
    ASSERT_GT(first.stats.shiftedTokens, 0);
    EXPECT_EQ(session.stats().entries, 1) << "the prompt, before anything was given up";
}

}  // namespace
}  // namespace lacuna
