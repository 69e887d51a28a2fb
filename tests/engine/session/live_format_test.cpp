// The number format of a cache changed during its conversation: rows are recoded after steps or in
// a pause while the answer continues. A cache that cannot be recoded is read again with the next
// question.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "tests/support/engine_runner.h"
#include "tests/support/random_model.h"

namespace lacuna::test {
namespace {

EngineConfig with(std::vector<std::string> settings) {
    EngineConfig config;
    config.sampling.temperature = 0;
    config.maxTokens = 60;
    config.prefillChunk = 16;
    settings.insert(settings.begin(), "exact_window=0");
    return withSettings(config, settings).value();
}

/// Every second layer has a window of 16 tokens.
ModelSpec hybridSpec() {
    ModelSpec spec = smallSpec();
    spec.window = 16;
    spec.layerSpecs.resize(static_cast<std::size_t>(spec.layers));
    spec.layerSpecs[0].sliding = spec.layerSpecs[2].sliding = true;
    return spec;
}

struct Change {
    int tokens = 0;  ///< tokens of the first answer
    std::vector<std::string> settings;
};

struct Session {
    std::vector<StepSample> samples;
    std::vector<ConfigApplied> applied;
    std::vector<TurnStarted> started;
    std::vector<TurnFinished> finished;
    std::vector<Notice> notices;
    std::vector<CompactionHappened> compactions;
    [[nodiscard]] std::ptrdiff_t says(const std::string& part) const {
        return std::ranges::count_if(notices, [&](const Notice& notice) {
            return notice.sentence.find(part) != std::string::npos;
        });
    }
};

Session of(const EngineRunner& run) {
    return {run.all<StepSample>(),   run.all<ConfigApplied>(), run.all<TurnStarted>(),
            run.all<TurnFinished>(), run.all<Notice>(),        run.all<CompactionHappened>()};
}

constexpr const char* kQuestion = "one two three four one two three four one two three four";

void prepare(EngineRunner& run, const ModelSpec& spec = smallSpec()) {
    ModelMakers makers;
    makers.load = [spec](const std::filesystem::path&, const LoadOptions&) {
        return makeRandomModel(spec, DType::F32);
    };
    run.makers = makers;
}

/// Returns whether a notice containing `part` arrives within ten seconds.
bool waitForNotice(EngineRunner& run, const std::string& part) {
    for (std::size_t count = 1; run.waitFor<Notice>(count); ++count)
        if (run.all<Notice>()[count - 1].sentence.find(part) != std::string::npos) return true;
    return false;
}

/// Runs one question, with the settings changed during its answer, and a second one that continues
/// from it.
Session converse(const std::vector<Change>& changes, const std::vector<std::string>& start = {},
                 const ModelSpec& spec = smallSpec()) {
    EngineRunner run(with(start));
    prepare(run, spec);
    int tokens = 0;
    run.onEvent = [&](const Event& event) {
        if (!std::holds_alternative<TokenText>(event)) return;
        ++tokens;
        for (std::size_t i = 0; i < changes.size(); ++i)
            if (changes[i].tokens == tokens)
                run.queue.push(
                    SetConfig{Revision(static_cast<int>(i) + 1), with(changes[i].settings)});
    };
    run.start();
    EXPECT_TRUE(run.load());
    std::vector<ChatMessage> messages{{"user", kQuestion}};
    run.submit(1, messages);
    EXPECT_TRUE(run.waitFor<TurnFinished>());
    messages.push_back({"assistant", run.all<TurnFinished>()[0].text});
    messages.push_back({"user", "and then?"});
    run.submit(1, messages);
    EXPECT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    Session session = of(run);
    EXPECT_EQ(session.finished.size(), 2U);
    for (const TurnFinished& one : session.finished) {
        EXPECT_FALSE(one.error.has_value()) << (one.error ? describe(*one.error) : "");
        EXPECT_FALSE(one.tokens.empty());
    }
    return session;
}

/// Returns the bytes per number as 64ths of the unquantised size, as successive samples report
/// them.
std::vector<std::int64_t> sharesOf(const Session& session) {
    std::vector<std::int64_t> shares;
    for (const StepSample& one : session.samples) {
        if (one.kv.tokens == 0) continue;
        const std::int64_t share = one.kv.liveBytes * 64 / one.kv.logicalBytes;
        if (shares.empty() || shares.back() != share) shares.push_back(share);
    }
    return shares;
}

TEST(LiveFormatChange, formatChangedDuringTurn_reducesBytes_andTheAnswerContinues) {
    const Session session = converse({{20, {"kv_type=t4"}}, {40, {}}});
    EXPECT_EQ(session.finished[0].tokens.size(), 60U);
    EXPECT_EQ(sharesOf(session), (std::vector<std::int64_t>{64, 18, 64}));
    std::int64_t tokens = 0;
    for (const StepSample& one : session.samples) {
        if (one.at.turn > 1) break;
        EXPECT_GE(one.kv.tokens, tokens) << "no token is counted twice or lost";
        tokens = one.kv.tokens;
    }
    ASSERT_EQ(session.applied.size(), 2U);
    for (const ConfigApplied& one : session.applied) {
        EXPECT_EQ(changedKeys(one.changes, false), std::vector<std::string>{"kv_type"});
        EXPECT_TRUE(changedKeys(one.changes, true).empty());
    }
    EXPECT_EQ(session.says("is now in t4"), 1);
    EXPECT_EQ(session.says("is now in f16"), 1);
    EXPECT_EQ(session.says("changes from t4 to f16: rounded-away bits cannot be restored"), 1);
    EXPECT_EQ(session.says("cannot be restored"), 1) << "not of the way down";
    EXPECT_GT(session.started[1].reusedTokens, 60) << "nothing is read again for it";
    EXPECT_EQ(session.started[1].reuseNote, "");
}

TEST(LiveFormatChange, everyFormat_isAppliedDuringATurn) {
    for (const auto& [settings, share] : {std::pair{std::vector<std::string>{"kv_type=q8_0"}, 36},
                                          {{"kv_type=q4_0"}, 20},
                                          {{"kv_type=t2"}, 10},
                                          {{"v_type=t4"}, (64 + 18) / 2},
                                          {{"kv_type=q8_0", "v_type=t4"}, (36 + 18) / 2}}) {
        const Session session = converse({{20, settings}});
        EXPECT_EQ(sharesOf(session), (std::vector<std::int64_t>{64, share})) << settings[0];
        EXPECT_EQ(session.says("cannot be restored"), 0) << settings[0];
        EXPECT_EQ(session.finished[0].tokens.size(), 60U);
    }
}

TEST(LiveFormatChange, exactWindow_isAddedAndRemovedWithTheSetting) {
    const Session session =
        converse({{20, {"kv_type=t4", "exact_window=32"}}, {40, {"kv_type=t4"}}}, {"kv_type=t4"});
    const std::vector<std::int64_t> shares = sharesOf(session);
    EXPECT_EQ(shares.front(), 18);
    EXPECT_EQ(shares.back(), 18);
    EXPECT_GT(*std::ranges::max_element(shares), 22);
    EXPECT_EQ(session.says("is now in t4"), 2);
    EXPECT_EQ(session.says("cannot be restored"), 0);
    EXPECT_GT(session.started[1].reusedTokens, 60);
}

TEST(LiveFormatChange, formatChange_withMethodWindowOrDrafts_completes) {
    const std::vector<std::string> evicting{"method=l2", "compaction_floor=0", "loss_limit=off",
                                            "budget=48", "margin=8",           "keep_recent=8"};
    const std::vector<std::string> matching{"am_ratio=3",     "compaction_floor=0",
                                            "loss_limit=off", "keep_recent=8",
                                            "n_sink=2",       "background=off"};
    for (std::vector<std::string> start :
         {evicting,
          matching,
          {"window=32"},
          {"draft_tokens=4"},
          {"method=l2", "compaction_floor=0", "loss_limit=off", "budget=48", "margin=8",
           "keep_recent=8", "quality_every=8"}}) {
        SCOPED_TRACE(start[0]);
        auto changed = start;
        changed.emplace_back("kv_type=t4");
        const Session session = converse({{3, changed}}, start);
        EXPECT_EQ(session.says("is now in t4"), 1);
        if (start != std::vector<std::string>{"draft_tokens=4"}) {
            EXPECT_LT(session.samples.back().kv.slotsLargestHead, session.samples.back().kv.tokens);
        }
        const bool compacts = start[0] == "method=l2" || start[0] == "am_ratio=3";
        EXPECT_EQ(session.compactions.size() > 1, compacts);
    }
    const Session hybrid = converse({{20, {"kv_type=t4"}}, {40, {}}}, {}, hybridSpec());
    EXPECT_EQ(hybrid.says("is now in t4"), 1);
    EXPECT_EQ(hybrid.says("is now in f16"), 1);
}

TEST(LiveFormatChange, windowDeferredToNextTurn_doesNotBlockTheConversion) {
    const Session session = converse({{20, {"window=32", "kv_type=t4"}}});
    ASSERT_EQ(session.applied.size(), 1U);
    EXPECT_EQ(changedKeys(session.applied[0].changes, false), std::vector<std::string>{"kv_type"});
    EXPECT_EQ(changedKeys(session.applied[0].changes, true), std::vector<std::string>{"window"});
    EXPECT_EQ(session.says("is now in t4"), 1);
    EXPECT_EQ(session.started[1].reusedTokens, 0);
    EXPECT_EQ(session.samples.back().kv.slotsLargestHead, 32);
}

TEST(LiveFormatChange, formatChangedWhileIdle_completesWithoutATurn_andPublishesIt) {
    EngineRunner run(with({}));
    prepare(run);
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, kQuestion);
    run.submit(2, kQuestion);
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.queue.push(SetCacheSettings{Revision(1), ConversationId(2),
                                    cacheSettingsOf(with({"kv_type=t4", "v_type=t2"}))});
    ASSERT_TRUE(waitForNotice(run, "The cache of conversation 2 is now in t4 keys and t2 values"));
    run.queue.push(SetConfig{Revision(2), with({"kv_type=q8_0"})});
    ASSERT_TRUE(waitForNotice(run, "The cache of conversation 1 is now in q8_0"));
    run.finish();
    const Session session = of(run);
    EXPECT_EQ(session.applied.size(), 2U) << "each change is in force once";
    std::vector<ConversationId> ended;
    for (const CacheRecoded& one : run.all<CacheRecoded>()) {
        EXPECT_EQ(one.inPause, one.ended);
        if (one.ended) ended.push_back(one.conversation);
    }
    EXPECT_EQ(ended, (std::vector{ConversationId(2), ConversationId(1)}));
    EXPECT_EQ(session.says(" now: "), 2) << "of each the one that its settings are for";
    EXPECT_EQ(session.samples.back().conversation, ConversationId(1));
    EXPECT_EQ(session.samples.back().kv.liveBytes * 64 / session.samples.back().kv.logicalBytes,
              36);
}

TEST(LiveFormatChange, twoQueuedChanges_endWithTheSecondFormat) {
    const Session session = converse({{20, {"kv_type=t2"}}, {21, {"kv_type=q8_0"}}});
    EXPECT_EQ(sharesOf(session).front(), 64);
    EXPECT_EQ(sharesOf(session).back(), 36);
    EXPECT_EQ(session.says("is now in q8_0"), 1);
    EXPECT_GT(session.started[1].reusedTokens, 60);
}

/// Rows of one token of one head as a slice.
constexpr std::int64_t kOneRow = 1;

std::vector<std::pair<std::string, std::string>> f16Rows() {
    return {{"kv_type", "f16"}, {"v_type", "same"}, {"exact_window", "0"}, {"kv_rotation", "auto"}};
}

TEST(LiveFormatChange, progress_isPublishedAfterEachSlice_andIncreasesToTheEnd) {
    EngineRunner run(with({}));
    prepare(run);
    run.options.recodedAtOnce = kOneRow;
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, kQuestion);
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.queue.push(SetConfig{Revision(1), with({"kv_type=t4", "v_type=t2"})});
    ASSERT_TRUE(waitForNotice(run, "is now in t4 keys and t2 values"));
    run.finish();
    const auto said = run.all<CacheRecoded>();
    ASSERT_GT(said.size(), 100U);
    EXPECT_EQ(said.front().share, 0);
    for (std::size_t i = 0; i < said.size(); ++i) {
        EXPECT_EQ(said[i].conversation, ConversationId(1));
        EXPECT_EQ(said[i].from, "f16");
        EXPECT_EQ(said[i].to, "t4/t2");
        EXPECT_EQ(said[i].back, f16Rows());
        EXPECT_FALSE(said[i].error.has_value());
        EXPECT_EQ(said[i].ended, i + 1 == said.size());
    }
    EXPECT_TRUE(std::ranges::is_sorted(said, {}, &CacheRecoded::share));
    EXPECT_EQ(said.back().share, 1);
}

/// Runs an answer of 60 tokens. The format changes at the 20th and is set back after `slices`
/// progress reports.
Session cancelledAfter(std::size_t slices, std::vector<CacheRecoded>& said) {
    EngineRunner run(with({}));
    prepare(run);
    run.options.recodedAtOnce = 4096;  // 64 rows
    int tokens = 0;
    std::size_t heard = 0;
    run.onEvent = [&](const Event& event) {
        if (std::holds_alternative<TokenText>(event) && ++tokens == 20)
            run.queue.push(SetConfig{Revision(1), with({"kv_type=t4"})});
        if (std::holds_alternative<CacheRecoded>(event) && ++heard == slices)
            run.queue.push(SetConfig{Revision(2), with({}), ConversationId(1)});
    };
    run.start();
    EXPECT_TRUE(run.load());
    run.submit(1, kQuestion);
    EXPECT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    said = run.all<CacheRecoded>();
    EXPECT_TRUE(run.all<ConfigSuperseded>().empty());
    Session session = of(run);
    for (const ConfigRejected& one : run.all<ConfigRejected>()) {
        EXPECT_EQ(one.revision, Revision(2));
        EXPECT_TRUE(one.violations.empty());
        EXPECT_EQ(session.says("had already finished and could not be cancelled"), 1);
    }
    return session;
}

TEST(LiveFormatChange, cancelAtAnySlice_leavesCacheAndAnswerUnchanged) {
    const Session plain = converse({});
    bool late = false;
    std::size_t cuts = 0;
    for (std::size_t slices = 1; !late; ++slices) {
        SCOPED_TRACE(slices);
        std::vector<CacheRecoded> said;
        const Session session = cancelledAfter(slices, said);
        ASSERT_EQ(session.finished.size(), 1U);
        late = session.says("is now in t4") == 1;
        ASSERT_TRUE(said.back().ended);
        if (late) {
            EXPECT_FALSE(said.back().error.has_value());
            EXPECT_EQ(session.applied.size(), 1U) << "what comes too late changes nothing";
            EXPECT_EQ(sharesOf(session), (std::vector<std::int64_t>{64, 18}));
            continue;
        }
        ++cuts;
        ASSERT_EQ(session.applied.size(), 2U);
        ASSERT_TRUE(said.back().error.has_value());
        EXPECT_EQ(said.back().error->code, ErrorCode::Cancelled);
        EXPECT_EQ(said.back().share, said[said.size() - 2].share);
        EXPECT_EQ(
            session.says(
                "The cache of conversation 1 stays in f16: converting it to t4 was cancelled at"),
            1);
        EXPECT_EQ(session.says("cannot be restored"), 0);
        EXPECT_EQ(sharesOf(session), std::vector<std::int64_t>{64});
        EXPECT_EQ(session.finished[0].tokens, plain.finished[0].tokens);
    }
    EXPECT_GE(cuts, 3U) << "slices that it can be cancelled after";
}

TEST(LiveFormatChange, cancelWhileIdle_nextTurnReusesTheCache) {
    EngineRunner run(with({}));
    prepare(run);
    run.options.recodedAtOnce = kOneRow;
    std::size_t heard = 0;
    run.onEvent = [&](const Event& event) {
        if (std::holds_alternative<CacheRecoded>(event) && ++heard == 7)
            run.queue.push(
                SetCacheSettings{Revision(2), ConversationId(1), std::nullopt, ConversationId(1)});
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, kQuestion);
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.queue.push(
        SetCacheSettings{Revision(1), ConversationId(1), cacheSettingsOf(with({"kv_type=t4"}))});
    ASSERT_TRUE(waitForNotice(run, "was cancelled at"));
    run.queue.push(SetConfig{Revision(3), with({"max_tokens=2"}), ConversationId(1)});
    ASSERT_TRUE(run.waitFor<ConfigRejected>()) << "nothing is going on any more";
    std::vector<ChatMessage> messages{
        {"user", kQuestion}, {"assistant", run.all<TurnFinished>()[0].text}, {"user", "and then?"}};
    run.submit(1, messages);
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    const Session session = of(run);
    EXPECT_EQ(session.applied.size(), 2U);
    EXPECT_FALSE(session.applied[1].own);
    EXPECT_GT(session.started[1].reusedTokens, 60);
    EXPECT_EQ(session.started[1].reuseNote, "");
    EXPECT_GT(session.finished[1].tokens.size(), 2U) << "the refused settings are not in force";
    EXPECT_EQ(sharesOf(session), std::vector<std::int64_t>{64});
    EXPECT_LT(heard, 20U);
}

TEST(LiveFormatChange, twoChangesThenCancel_restoreTheFormatOfTheCache) {
    EngineRunner run(with({"v_type=q8_0"}));
    prepare(run);
    run.options.recodedAtOnce = kOneRow;
    std::size_t heard = 0;
    run.onEvent = [&](const Event& event) {
        if (std::holds_alternative<CacheRecoded>(event) && ++heard == 3)
            run.queue.push(SetConfig{Revision(2), with({"kv_type=t2"})});
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, kQuestion);
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.queue.push(SetConfig{Revision(1), with({"kv_type=t4"})});
    ASSERT_TRUE(waitForNotice(run, "is now in t2"));
    run.finish();
    const auto said = run.all<CacheRecoded>();
    for (const CacheRecoded& one : said) {
        EXPECT_EQ(one.from, "f16/q8_0");
        ASSERT_FALSE(one.back.empty());
        EXPECT_EQ(one.back[1], (std::pair<std::string, std::string>("v_type", "q8_0")));
    }
    EXPECT_EQ(said.front().to, "t4");
    EXPECT_EQ(said.back().to, "t2");
    EXPECT_TRUE(said.back().ended);
}

TEST(LiveFormatChange, limitTooSmallForBothCaches_isReported_andOldFormatStays) {
    const std::string limit = "cache_limit=0.06";
    EngineRunner run(with({"kv_type=t2", limit}));
    prepare(run);
    int tokens = 0;
    run.onEvent = [&](const Event& event) {
        if (std::holds_alternative<TokenText>(event) && ++tokens == 20)
            run.queue.push(SetConfig{Revision(1), with({"kv_type=f32", limit})});
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, kQuestion);
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    const Session session = of(run);
    EXPECT_EQ(session.says("keeps its number format until its next question"), 1);
    EXPECT_EQ(session.says("but cache_limit leaves"), 1);
    EXPECT_EQ(session.says(" now: "), 0);
    EXPECT_EQ(session.finished[0].tokens.size(), 60U);
    const std::int64_t bytes = session.samples.back().kv.liveBytes;
    EXPECT_EQ(bytes, session.samples.back().kv.tokens * 120) << "codes of 2 bits";
}

TEST(LiveFormatChange, modelUnloadedMeanwhile_cancelsTheConversion) {
    EngineRunner run(with({}));
    prepare(run);
    int tokens = 0;
    run.onEvent = [&](const Event& event) {
        if (!std::holds_alternative<TokenText>(event) || ++tokens != 20) return;
        run.queue.push(SetConfig{Revision(1), with({"kv_type=t4"})});
        run.queue.push(UnloadModel{});
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, kQuestion);
    ASSERT_TRUE(run.waitFor<ModelUnloaded>());
    ASSERT_TRUE(run.load("again"));
    run.submit(1, kQuestion);
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    EXPECT_EQ(of(run).says(" now: "), 0);
    EXPECT_EQ(run.all<TurnFinished>()[1].tokens.size(), 60U);
}

}  // namespace
}  // namespace lacuna::test
