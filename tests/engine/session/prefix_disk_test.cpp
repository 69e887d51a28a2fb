// The disk tier of the prefix cache through the complete engine: one run reads a text and the next
// one finds it. The fake model's answers depend on every key and position of its cache, so foreign
// or stale rows show in its text.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <tuple>

#include "engine/base/random.h"
#include "engine/generate/transform_file.h"
#include "engine/prefix/page_fidelity.h"
#include "engine/prefix/page_store.h"
#include "engine/settings/config_check.h"
#include "tests/support/engine_runner.h"
#include "tests/support/sample_transform.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;
using test::EngineRunner;
using test::lettersOf;
using test::TemporaryFolder;

EngineConfig onDisk(double mebibytes = 64, double memory = 64) {
    EngineConfig config;
    config.sampling.temperature = 0;
    config.maxTokens = 20;
    config.prefillChunk = 32;
    config.kv.background = false;
    config.kv.keepRecent = 8;
    config.kv.nSink = 2;
    config.prefixCacheMiB = memory;
    config.prefixDiskMiB = mebibytes;
    return config;
}

/// One run of the engine. All writes are complete at its end.
struct Session {
    explicit Session(const EngineConfig& config, const fs::path& folder = {},
                     const test::FakeModelOptions& model = test::roomyModel(8192),
                     const std::string& name = "fake")
        : run(config, model) {
        run.options.prefixFolder = folder;
        // A slow model, so that computing is slower than any disk.
        run.models.before = [](std::int64_t) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            return Status{};
        };
        run.start();
        EXPECT_TRUE(run.load(name));
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
    [[nodiscard]] PrefixDiskStats disk() const {
        const auto said = run.all<PrefixCacheChanged>();
        return said.empty() ? PrefixDiskStats{} : said.back().disk;
    }
    /// Waits until no write is pending.
    void settle() {
        for (int i = 0; i < 500; ++i) {
            if (const PrefixDiskStats now = disk(); now.queued == 0 && now.bytes > 0) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        ADD_FAILURE() << "what is queued is not written";
    }
    EngineRunner run;
    std::size_t asked = 0;
};

std::vector<fs::path> pagesIn(const fs::path& folder) {
    std::vector<fs::path> pages;
    if (!fs::exists(folder / "1")) return pages;
    for (const auto& entry : fs::recursive_directory_iterator(folder / "1"))
        if (entry.path().extension() == ".kv") pages.push_back(entry.path());
    return pages;
}

std::int64_t missesOf(const PrefixDiskStats& disk, PrefixMiss reason) {
    return disk.misses[static_cast<std::size_t>(reason)];
}

TEST(PrefixDisk, reopenedConversation_readsOnlyNewTokens_SD17) {
    const TemporaryFolder folder;
    std::vector<ChatMessage> messages{{"user", lettersOf(700)}};
    std::int64_t prompt = 0;
    {
        Session before(onDisk(), folder.path());
        const auto first = before.ask(Submit{ConversationId(1), messages, {}});
        EXPECT_EQ(first.stats.reusedTokens, 0);
        prompt = first.stats.promptTokens;
        messages.push_back({"assistant", first.text});
    }
    messages.push_back({"user", "and now?"});
    Session alone(onDisk(0, 0));
    const auto expected = alone.ask(Submit{ConversationId(1), messages, {}});
    Session after(onDisk(), folder.path());
    const auto second = after.ask(Submit{ConversationId(1), messages, {}});
    EXPECT_GE(second.stats.reusedTokens, prompt - 1);
    EXPECT_EQ(second.tokens, expected.tokens) << "as if all had been read";
    EXPECT_EQ(after.started().match, PrefixMatch::Shorter);
    EXPECT_EQ(after.disk().hits, 1);
    EXPECT_EQ(after.disk().tokensReused, second.stats.reusedTokens);
    EXPECT_EQ(after.disk().last.reason, LoadReason::Unknown) << "nothing was ever read here";
    EXPECT_GT(after.disk().last.tookMs, 0);
    EXPECT_EQ(after.run.all<PrefixCacheChanged>().back().stats.entries, 1) << "in memory as well";
}

TEST(PrefixDisk, sameQuestionAfterRestart_readsOneToken) {
    const TemporaryFolder folder;
    TurnFinished first;
    {
        Session before(onDisk(), folder.path());
        first = before.ask(1, lettersOf(600));
    }
    for (const double memory : {64.0, 0.0}) {
        Session after(onDisk(64, memory), folder.path());
        const auto again = after.ask(7, lettersOf(600));
        EXPECT_EQ(again.stats.reusedTokens, again.stats.promptTokens - 1);
        EXPECT_EQ(again.tokens, first.tokens);
        const auto third = after.ask(8, lettersOf(600));
        EXPECT_EQ(third.stats.reusedTokens, third.stats.promptTokens - 1);
        EXPECT_EQ(after.disk().hits, memory > 0 ? 1 : 2) << "memory first, where there is any";
    }
}

// In a folder with exact rows the answer after a hit equals the one without it, up to the last
// token.
TEST(PrefixDisk, C18_thousandTokensAfterAHit_equalAColdRun) {
    const TemporaryFolder folder;
    ASSERT_TRUE(storePageFidelity(folder.path(), PageFidelity::Exact));
    EngineConfig config = onDisk();
    config.maxTokens = 1000;
    TurnFinished cold;
    {
        Session before(config, folder.path());
        cold = before.ask(1, lettersOf(600));
    }
    ASSERT_EQ(cold.stats.reusedTokens, 0);
    ASSERT_EQ(cold.tokens.size(), 1000U);
    Session after(config, folder.path());
    const auto hit = after.ask(2, lettersOf(600));
    EXPECT_GE(hit.stats.reusedTokens, 2 * 256) << "its whole pages";
    EXPECT_EQ(after.disk().hits, 1);
    EXPECT_EQ(hit.tokens, cold.tokens);
}

TEST(PrefixDisk, privateConversations_areNeverWritten) {
    const TemporaryFolder folder;
    const PrefixUse secret{.shared = false};
    {
        Session session(onDisk(), folder.path());
        session.ask(1, lettersOf(600), secret);
        EXPECT_EQ(session.disk().lookups, 0);
    }
    EXPECT_TRUE(pagesIn(folder.path()).empty());
    {
        Session session(onDisk(), folder.path());
        session.ask(1, lettersOf(600));
    }
    EXPECT_FALSE(pagesIn(folder.path()).empty());
    Session session(onDisk(), folder.path());
    EXPECT_EQ(session.ask(2, lettersOf(600), secret).stats.reusedTokens, 0) << "nothing is taken";
}

TEST(PrefixDisk, saltsModelsAndSettings_stayIsolatedAcrossRestart_PB3) {
    const TemporaryFolder folder;
    {
        Session before(onDisk(), folder.path());
        before.ask(1, lettersOf(600), {.salt = "a"});
    }
    const auto reused = [&](const EngineConfig& config, const PrefixUse& use,
                            const std::string& name = "fake") {
        Session after(config, folder.path(), test::roomyModel(8192), name);
        return after.ask(2, lettersOf(600), use).stats.reusedTokens;
    };
    EngineConfig other = onDisk();
    other.kv.type = DType::F32;
    EXPECT_EQ(reused(onDisk(), {.salt = "b"}), 0);
    EXPECT_EQ(reused(onDisk(), {}), 0);
    EXPECT_EQ(reused(other, {.salt = "a"}), 0);
    EXPECT_EQ(reused(onDisk(), {.salt = "a"}, "another"), 0);
    EXPECT_GT(reused(onDisk(), {.salt = "a"}), 0);
}

TEST(PrefixDisk, entrySlowerToLoadThanToCompute_isComputed_reportingBothTimes) {
    const TemporaryFolder folder;
    TurnFinished first;
    {
        Session before(onDisk(), folder.path());
        first = before.ask(1, lettersOf(600));
    }
    const auto measured = [&](double bytesPerSecond) {
        PageStoreOptions options;
        options.folder = folder.path();
        options.limitBytes = 64 << 20;
        const auto store = PageStore::open(options);
        for (int i = 0; i < 100; ++i) {
            store->noteRate("load.rows", bytesPerSecond);
            store->noteRate("prefill." + PageStore::modelName("fingerprint of " +
                                                              test::FakeModelOptions{}.name),
                            10'000);
        }
    };
    measured(1);  // bytes per second, against 10,000 tokens
    {
        Session after(onDisk(), folder.path());
        const auto again = after.ask(1, lettersOf(600));
        EXPECT_EQ(again.stats.reusedTokens, 0);
        EXPECT_EQ(again.tokens, first.tokens);
        const PrefixDiskStats disk = after.disk();
        EXPECT_EQ(missesOf(disk, PrefixMiss::Slower), 1);
        EXPECT_EQ(disk.last.reason, LoadReason::Slower);
        EXPECT_NEAR(disk.last.computeMs, static_cast<double>(disk.last.tokens) / 10, 0.1);
        EXPECT_GT(disk.last.loadMs, 1000);
        EXPECT_NE(after.started().reuseNote.find("would take"), std::string::npos)
            << after.started().reuseNote;
    }
    measured(1e12);
    Session after(onDisk(), folder.path());
    EXPECT_GT(after.ask(1, lettersOf(600)).stats.reusedTokens, 0);
    EXPECT_EQ(after.disk().last.reason, LoadReason::Faster);
    EXPECT_LT(after.disk().last.loadMs, after.disk().last.computeMs);
}

TEST(PrefixDisk, damagedPage_isAMiss_andIsQuarantined) {
    const TemporaryFolder folder;
    TurnFinished first;
    {
        Session before(onDisk(), folder.path());
        first = before.ask(1, lettersOf(900));
    }
    for (const fs::path& page : pagesIn(folder.path())) {
        std::fstream file(page, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(fs::file_size(page) / 2));
        file.put('\x5a');
        file.put('\x5a');
        file.put('\x5b');
    }
    Session after(onDisk(), folder.path());
    const auto again = after.ask(1, lettersOf(900));
    EXPECT_EQ(again.stats.reusedTokens, 0);
    EXPECT_EQ(again.tokens, first.tokens);
    EXPECT_EQ(missesOf(after.disk(), PrefixMiss::Failed), 1);
    after.settle();
    EXPECT_GT(after.disk().quarantined, 0);
    const auto third = after.ask(2, lettersOf(900) + "more");
    EXPECT_GT(third.stats.reusedTokens, 0) << "read anew, and kept again";
}

TEST(PrefixDisk, noSpaceToWrite_isReported_andTurnsContinue_SD7) {
    const TemporaryFolder folder;
    const fs::path file = folder.write("prefixes", "no folder");
    Session session(onDisk(64, 0), file);
    EXPECT_EQ(session.ask(1, lettersOf(600)).reason, FinishReason::Length);
    ASSERT_TRUE(session.run.waitFor<Notice>());
    EXPECT_FALSE(session.disk().problem.empty());
    EXPECT_EQ(session.ask(2, lettersOf(600)).stats.reusedTokens, 0);
}

TEST(PrefixDisk, missingFolder_isReported) {
    Session session(onDisk());
    session.ask(1, lettersOf(300));
    EXPECT_FALSE(session.disk().problem.empty());
}

TEST(PrefixDisk, setting_takesEffectImmediately) {
    const TemporaryFolder folder;
    Session session(onDisk(0, 0), folder.path());
    session.ask(1, lettersOf(600));
    EXPECT_TRUE(fs::is_empty(folder.path())) << "off: there is no folder";
    session.run.queue.push(SetConfig{Revision(1), onDisk(64, 0)});
    session.ask(2, lettersOf(600));
    session.settle();
    EXPECT_FALSE(pagesIn(folder.path()).empty());
    EXPECT_GT(session.ask(3, lettersOf(600)).stats.reusedTokens, 0);
    session.run.queue.push(SetConfig{Revision(2), onDisk(0, 0)});
    EXPECT_EQ(session.ask(4, lettersOf(600)).stats.reusedTokens, 0);
    EXPECT_FALSE(pagesIn(folder.path()).empty()) << "off removes nothing";
    session.run.queue.push(SetConfig{Revision(3), onDisk(64, 0)});
    EXPECT_GT(session.ask(5, lettersOf(600)).stats.reusedTokens, 0);
    session.run.queue.push(ClearPrefixCache{.memory = true, .disk = true});
    session.ask(6, lettersOf(40));
    for (int i = 0; i < 500 && !pagesIn(folder.path()).empty(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(pagesIn(folder.path()).empty());
}

/// Kinds of caches with a form of their own on disk.
struct Kind {
    const char* name;
    std::vector<std::string> settings;
    bool again;  ///< a repeated question can be cut back by the token to evaluate
};

TEST(PrefixDisk, everyCacheKind_continuesIdenticallyAfterRestart) {
    const std::vector<Kind> kinds{
        {"f16", {}, true},
        {"f32", {"kv_type=f32"}, true},
        {"coded values", {"v_type=q8_0"}, true},
        {"window", {"window=128"}, false},
        {"merged",
         {"method=am", "compaction_floor=0", "loss_limit=off", "budget=300", "am_ratio=4"},
         false},
        {"evicted",
         {"method=l2", "compaction_floor=0", "loss_limit=off", "budget=300",
          "prefill_policy=per_chunk"},
         false}};
    test::FakeModelOptions model = test::roomyModel(8192);
    model.headDim = 32;
    for (const Kind& kind : kinds) {
        SCOPED_TRACE(kind.name);
        const TemporaryFolder folder;
        ASSERT_TRUE(storePageFidelity(folder.path(), PageFidelity::Exact));
        const auto config = withSettings(onDisk(), kind.settings);
        ASSERT_TRUE(config);
        std::vector<ChatMessage> messages{{"user", lettersOf(600)}};
        TurnFinished first;
        TurnFinished expected;
        {
            Session before(*config, folder.path(), model);
            first = before.ask(Submit{ConversationId(1), messages, {}});
            before.settle();
            messages.push_back({"assistant", first.text});
            messages.push_back({"user", "and now?"});
            before.ask(Submit{ConversationId(2), messages, {}});
            expected = before.ask(Submit{ConversationId(3), messages, {}});
        }
        Session after(*config, folder.path(), model);
        const auto second = after.ask(Submit{ConversationId(4), messages, {}});
        EXPECT_EQ(second.stats.reusedTokens, expected.stats.reusedTokens)
            << after.started().reuseNote;
        // Holes left by an eviction are not saved, although the fake model counts them.
        if (std::string_view(kind.name) != "evicted") {
            EXPECT_EQ(second.tokens, expected.tokens);
        }
        if (!kind.again) continue;
        Session again(*config, folder.path(), model);
        EXPECT_EQ(again.ask(3, lettersOf(600)).tokens, first.tokens);
        EXPECT_GT(again.started().reusedTokens, 600);
    }
}

TEST(PrefixDisk, calibratedModel_readsOnlyPagesOfItsCalibration) {
    const TemporaryFolder folder;
    const fs::path kept = folder.path() / "prefixes";
    const std::string name = (folder.path() / "model").string();
    test::FakeModelOptions model = test::roomyModel(8192);
    model.headDim = 32;
    const auto calibrate = [&](std::uint64_t seed) {
        test::FakeModelOptions named = model;
        named.name = name;
        const auto loaded = test::fakeLoadedModel(named);
        const ModelSpec& spec = loaded->spec;
        TransformBundle bundle = test::sampleTransform(
            {.layers = spec.layers, .kvHeads = spec.kvHeads, .dim = spec.headDim}, seed);
        bundle.identity = transformIdentityOf(spec);
        ASSERT_TRUE(storeTransform(name, bundle, {}));
    };
    // Runs the next question and returns the hit and its reason.
    const auto ask = [&] {
        Session session(onDisk(), kept, model, name);
        const auto answer = session.ask(1, lettersOf(600));
        return std::pair(answer.stats.reusedTokens, session.started().reuseNote);
    };
    EXPECT_EQ(ask().first, 0);
    auto [reused, note] = ask();
    EXPECT_GT(reused, 512);
    EXPECT_NE(note.find("q8"), std::string::npos) << note;
    calibrate(1);
    std::tie(reused, note) = ask();
    EXPECT_GT(reused, 512) << "8 bits are read by everybody";
    ASSERT_TRUE(PageStore::open({.folder = kept, .limitBytes = 1 << 30})->clear(std::nullopt));
    ask();
    std::tie(reused, note) = ask();
    EXPECT_GT(reused, 512);
    EXPECT_NE(note.find("kvtc"), std::string::npos) << note;
    calibrate(2);
    std::tie(reused, note) = ask();
    EXPECT_EQ(reused, 0);
    EXPECT_NE(note.find("another calibration"), std::string::npos) << note;
    EXPECT_GT(ask().first, 512) << "and written anew";
    fs::remove(transformPath(name));
    EXPECT_EQ(ask().first, 0);
}

TEST(PrefixDisk, twoEngines_shareAFolder_SD11) {
    const TemporaryFolder folder;
    std::vector<TurnFinished> answers;
    {
        Session one(onDisk(64, 0), folder.path());
        Session two(onDisk(64, 0), folder.path());
        for (int i = 0; i < 6; ++i) {
            one.run.submit(i + 1, lettersOf(400 + 50 * i, i % 3));
            two.run.submit(i + 1, lettersOf(400 + 50 * i, i % 3));
        }
        ASSERT_TRUE(one.run.waitFor<TurnFinished>(6));
        ASSERT_TRUE(two.run.waitFor<TurnFinished>(6));
        const auto a = one.run.all<TurnFinished>();
        const auto b = two.run.all<TurnFinished>();
        const auto find = [](const std::vector<TurnFinished>& in, ConversationId id) {
            return *std::ranges::find(in, id, &TurnFinished::conversation);
        };
        for (int i = 0; i < 6; ++i)
            EXPECT_EQ(find(a, ConversationId(i + 1)).tokens, find(b, ConversationId(i + 1)).tokens);
        EXPECT_EQ(one.disk().quarantined + two.disk().quarantined, 0);
    }
    Session third(onDisk(), folder.path());
    for (int i = 0; i < 6; ++i)
        EXPECT_GT(third.ask(i + 1, lettersOf(400 + 50 * i, i % 3)).stats.reusedTokens, 256);
}

TEST(PrefixDisk, plantedSecrets_neverLeakToOtherOwners) {
    // Texts with common prefixes that diverge anywhere, of several owners, across restarts: every
    // answer equals that of an engine without a cache.
    const TemporaryFolder folder;
    RandomStream random(5, 6);
    std::vector<std::string> texts;
    std::int64_t reused = 0;
    Session alone(onDisk(0, 0));
    for (int restart = 0; restart < 4; ++restart) {
        Session session(onDisk(restart == 2 ? 1.4 : 64, restart % 2 == 0 ? 64 : 0), folder.path());
        for (int round = 0; round < 8; ++round) {
            std::string text;
            if (!texts.empty() && random.below(4) > 0) {
                const std::string& from = texts[random.below(texts.size())];
                text = from.substr(0, random.below(from.size() + 1));
            }
            const auto more = 1 + random.below(500);
            for (std::uint64_t i = 0; i < more; ++i)
                text += static_cast<char>('a' + random.below(2));
            texts.push_back(text);
            const PrefixUse use{.shared = true, .salt = random.below(3) == 0 ? "mine" : ""};
            const std::int64_t conversation = restart * 100 + round;
            const auto answer = session.ask(conversation, text, use);
            const auto expected = alone.ask(conversation, text, {.shared = false});
            ASSERT_EQ(answer.tokens, expected.tokens) << restart << ' ' << round;
            reused += session.disk().tokensReused;
        }
    }
    EXPECT_GT(reused, 1000);
}

/// Runs an engine that stores a text on disk and ends.
void keepOnDisk(const fs::path& folder, const std::string& text) {
    Session before(onDisk(), folder);
    static_cast<void>(before.ask(7, text));
}

/// Counts the texts of one conversation's answer between the starts of two turns.
std::int64_t textsBetween(const EngineRunner& run, std::int64_t answering, std::int64_t begins) {
    std::int64_t texts = 0;
    bool asked = false;
    for (const Event& event : run.events()) {
        if (const auto* text = std::get_if<TokenText>(&event))
            texts += text->conversation == ConversationId(answering) && asked ? 1 : 0;
        if (const auto* started = std::get_if<TurnStarted>(&event)) {
            if (started->conversation == ConversationId(begins)) return texts;
            asked = true;
        }
    }
    return -1;
}

// Other answers continue between two pages, and the rows are the same.
TEST(PrefixDisk, pagesForOneTurn_areReadBetweenStepsOfAnother) {
    const TemporaryFolder folder;
    const std::string text = lettersOf(1500);
    keepOnDisk(folder.path(), text);
    Session alone(onDisk(), folder.path());
    const TurnFinished expected = alone.ask(2, text);
    ASSERT_GE(expected.stats.reusedTokens, 5 * 256);
    alone.run.finish();
    EngineConfig config = onDisk();
    config.maxTokens = 60;
    Session session(config, folder.path());
    std::size_t texts = 0;
    session.run.onEvent = [&](const Event& event) {
        if (std::holds_alternative<TokenText>(event) && ++texts == 3)
            session.run.queue.push(Submit{ConversationId(2), {{"user", text}}, {}});
    };
    session.run.submit(1, "hello");
    ASSERT_TRUE(session.run.waitFor<TurnFinished>(2));
    const TurnStarted second = session.started();
    EXPECT_EQ(second.conversation, ConversationId(2));
    const std::int64_t reused = second.reusedTokens;
    EXPECT_GE(reused, 5 * 256);
    EXPECT_GE(textsBetween(session.run, 1, 2), 3 + reused / 256) << "a step before each page";
    const PrefixDiskStats disk = session.disk();
    EXPECT_EQ(disk.hits, 1) << "counted once, at the end";
    EXPECT_EQ(disk.tokensReused, reused);
    for (const TurnFinished& one : session.run.all<TurnFinished>()) {
        if (one.conversation != ConversationId(2)) continue;
        ASSERT_GE(one.tokens.size(), expected.tokens.size());
        EXPECT_TRUE(
            std::equal(expected.tokens.begin(), expected.tokens.end() - 1, one.tokens.begin()));
    }
}

TEST(PrefixDisk, turnCancelled_whileItsPagesAreRead_ends) {
    const TemporaryFolder folder;
    const std::string text = lettersOf(1500);
    keepOnDisk(folder.path(), text);
    EngineConfig config = onDisk();
    config.maxTokens = 40;
    Session session(config, folder.path());
    std::size_t texts = 0;
    session.run.onEvent = [&](const Event& event) {
        if (!std::holds_alternative<TokenText>(event)) return;
        if (++texts == 3) session.run.queue.push(Submit{ConversationId(2), {{"user", text}}, {}});
        if (texts == 5) session.run.queue.push(CancelTurn{ConversationId(2)});
    };
    session.run.submit(1, "hello");
    ASSERT_TRUE(session.run.waitFor<TurnFinished>(2));
    const auto ends = session.run.all<TurnFinished>();
    const auto taken = std::ranges::find(ends, ConversationId(2), &TurnFinished::conversation);
    ASSERT_NE(taken, ends.end());
    EXPECT_EQ(taken->reason, FinishReason::Cancelled);
    EXPECT_EQ(session.disk().hits, 0);
    session.asked = 2;
    EXPECT_GE(session.ask(3, text).stats.reusedTokens, 5 * 256) << "the next one finds them";
}

// The command of the Memory page: the folder stores the setting, and it applies from the next page
// on.
TEST(PrefixDisk, pageFidelity_takesEffectImmediately_andIsStoredInTheFolder) {
    const TemporaryFolder folder;
    Session session(onDisk(), folder.path());
    EXPECT_EQ(session.disk().fidelity, PageFidelity::Auto);
    session.run.queue.push(SetPageFidelity{PageFidelity::Exact});
    static_cast<void>(session.ask(1, lettersOf(600)));
    session.settle();
    EXPECT_EQ(session.disk().fidelity, PageFidelity::Exact);
    EXPECT_EQ(pageFidelityOf(folder.path()), PageFidelity::Exact);
    session.run.finish();
    Session after(onDisk(), folder.path());
    EXPECT_GE(after.ask(2, lettersOf(600)).stats.reusedTokens, 512);
    EXPECT_EQ(after.started().reuseNote, "") << "bit for bit, so nothing is to be said";
}

}  // namespace
}  // namespace lacuna
