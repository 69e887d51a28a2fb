// Measurements by the engine, automatic and on request, over models whose logits depend on every
// slot.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#include "engine/session/measured_settings.h"
#include "engine/session/read_facts.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;

EngineConfig evicting(int every) {
    EngineConfig config;
    config.kv.method = CompactionMethod::Eviction;
    config.kv.compactionFloor = 0;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.evictionPolicy = EvictionPolicy::StreamingLLM;
    config.kv.budget = 60;
    config.kv.keepRecent = 8;
    config.kv.nSink = 2;
    config.kv.margin = 8;
    config.sampling.temperature = 0;
    config.maxTokens = 40;
    config.qualityEvery = every;
    return config;
}

std::string letters(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += static_cast<char>('a' + (i * 7 + i / 3) % 26);
    return text;
}

/// Returns a question after a turn that is compacted before its answer begins.
std::vector<ChatMessage> secondQuestion(int first) {
    return {{"user", letters(first)}, {"assistant", letters(60)}, {"user", "and now"}};
}

TEST(LiveQuality, samples_startAfterFirstEviction_everyNthToken) {
    EngineRunner engine(evicting(5));
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.submit(1, secondQuestion(100));
    ASSERT_TRUE(engine.waitFor<TurnFinished>());
    engine.finish();
    const auto samples = engine.all<QualitySampled>();
    ASSERT_GE(samples.size(), 3U);
    for (std::size_t i = 1; i < samples.size(); ++i) {
        EXPECT_EQ(samples[i].sample.tokens - samples[i - 1].sample.tokens, 5);
        EXPECT_GE(samples[i].at, samples[i - 1].at);
    }
    bool compacted = false;
    for (const Event& event : engine.events()) {
        if (const auto* one = std::get_if<CompactionHappened>(&event))
            compacted = compacted || one->report.result == CompactionResult::Done;
        if (const auto* sampled = std::get_if<QualitySampled>(&event)) {
            EXPECT_TRUE(compacted) << "nothing was evicted yet";
            EXPECT_GT(sampled->sample.kl, 0);
            EXPECT_GT(sampled->sample.costMs, 0);
            EXPECT_EQ(sampled->conversation, ConversationId(1));
        }
    }
}

TEST(LiveQuality, answer_isTheSameWithAndWithoutMeasuring) {
    std::vector<std::string> texts;
    for (const int every : {0, 1, 7}) {
        EngineRunner engine(evicting(every));
        engine.start();
        ASSERT_TRUE(engine.load());
        engine.submit(1, secondQuestion(100));
        ASSERT_TRUE(engine.waitFor<TurnFinished>());
        engine.submit(1, secondQuestion(70));
        ASSERT_TRUE(engine.waitFor<TurnFinished>(2));
        engine.finish();
        for (const TurnFinished& turn : engine.all<TurnFinished>()) texts.push_back(turn.text);
        EXPECT_EQ(engine.all<QualitySampled>().empty(), every == 0);
    }
    ASSERT_EQ(texts.size(), 6U);
    EXPECT_FALSE(texts[0].empty());
    for (std::size_t i = 2; i < texts.size(); ++i) EXPECT_EQ(texts[i], texts[i % 2]);
}

TEST(LiveQuality, noInterval_samplesInThePauseAfterTheAnswer) {
    EngineRunner engine(evicting(0));
    engine.options.samplesQuality = true;
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.submit(1, secondQuestion(100));
    ASSERT_TRUE(engine.waitFor<QualitySampled>());
    engine.submit(2, letters(20));  // another conversation with a full cache
    ASSERT_TRUE(engine.waitFor<TurnFinished>(2));
    engine.finish();
    bool finished = false;
    for (const Event& event : engine.events()) {
        finished = finished || std::holds_alternative<TurnFinished>(event);
        if (const auto* sampled = std::get_if<QualitySampled>(&event)) {
            EXPECT_TRUE(finished) << "an answer waits for no measurement";
            EXPECT_GT(sampled->sample.kl, 0);
            EXPECT_GT(sampled->sample.pauseMs, 0);
            EXPECT_EQ(sampled->conversation, ConversationId(1));
        }
    }
}

TEST(LiveQuality, nothingEvicted_publishesNoSample) {
    EngineConfig config = evicting(1);
    config.kv.method = CompactionMethod::None;
    EngineRunner engine(config);
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.submit(1, letters(100));
    ASSERT_TRUE(engine.waitFor<TurnFinished>());
    engine.finish();
    EXPECT_TRUE(engine.all<QualitySampled>().empty());
}

TEST(Preview, upcomingCompaction_isPublishedWithItsEstimate) {
    EngineConfig config = evicting(0);
    config.kv.method = CompactionMethod::None;
    EngineRunner engine(config);
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.submit(1, letters(200));
    ASSERT_TRUE(engine.waitFor<TurnFinished>());
    const EngineConfig wanted = evicting(0);
    engine.queue.push(RequestPreview{ConversationId(1), wanted.kv});
    ASSERT_TRUE(engine.waitFor<CompactionPreviewed>());
    const auto previewed = engine.all<CompactionPreviewed>().front();
    ASSERT_FALSE(previewed.error);
    EXPECT_TRUE(previewed.preview.compacts);
    EXPECT_TRUE(engine.all<CompactionHappened>().empty()) << "an estimate changes nothing";
    engine.queue.push(SetConfig{Revision(1), wanted});
    engine.queue.push(CompactNow{ConversationId(1)});
    ASSERT_TRUE(engine.waitFor<PreviewOutcome>());
    engine.finish();
    const auto outcome = engine.all<PreviewOutcome>().front();
    EXPECT_EQ(outcome.preview.slotsAfter, outcome.report.slotsAfter);
    EXPECT_LT(outcome.report.slotsAfter, outcome.report.slotsBefore);
}

KvOptions matching() {
    KvOptions kv;
    kv.method = CompactionMethod::AttentionMatching;
    kv.compactionFloor = 0;
    kv.lossLimit.level = LossLimit::Level::Off;
    kv.amRatio = 4;
    return kv;
}

/// Returns settings under which some hundred tokens are read without compaction.
EngineConfig reading() {
    EngineConfig config = evicting(0);
    config.kv = {};
    config.prefillChunk = 32;
    return config;
}

/// Preview and compaction both read the text again for its queries and give the same figures.
TEST(Preview, matchingWithoutQueries_estimateEqualsTheLaterCompaction) {
    EngineRunner engine(reading());
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.submit(1, letters(300));
    ASSERT_TRUE(engine.waitFor<TurnFinished>());
    engine.queue.push(RequestPreview{ConversationId(1), matching()});
    ASSERT_TRUE(engine.waitFor<CompactionPreviewed>());
    EXPECT_TRUE(engine.all<CompactionHappened>().empty()) << "an estimate changes nothing";
    EngineConfig wanted = reading();
    wanted.kv = matching();
    engine.queue.push(SetConfig{Revision(1), wanted});
    engine.queue.push(CompactNow{ConversationId(1)});
    ASSERT_TRUE(engine.waitFor<PreviewOutcome>());
    engine.finish();
    const auto outcome = engine.all<PreviewOutcome>().front();
    ASSERT_TRUE(outcome.preview.outputError && outcome.report.heldOutError);
    EXPECT_GT(*outcome.report.heldOutError, 0);
    EXPECT_EQ(*outcome.preview.outputError, *outcome.report.heldOutError);
    EXPECT_EQ(outcome.preview.slotsAfter, outcome.report.slotsAfter);
    EXPECT_EQ(outcome.preview.liveBytesAfter, outcome.report.liveBytesAfter);
    EXPECT_LT(outcome.report.slotsAfter, outcome.report.slotsBefore);
    EXPECT_TRUE(mentions(outcome.report.notes, CompactionReason::QueriesFromReading));
    EXPECT_EQ(outcome.preview.notes, outcome.report.notes) << "by the same method";
}

TEST(Preview, requestedLoss_isMeasuredAfterEstimate_andEqualsTheCompaction) {
    EngineRunner engine(reading());
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.submit(1, letters(300));
    ASSERT_TRUE(engine.waitFor<TurnFinished>());
    KvOptions kv = matching();
    kv.lossLimit = {.level = LossLimit::Level::Share, .share = 0};  // measured without a limit
    engine.queue.push(
        RequestPreview{.conversation = ConversationId(1), .kv = kv, .measuresLoss = true});
    ASSERT_TRUE(engine.waitFor<CompactionPreviewed>(2));
    const auto said = engine.all<CompactionPreviewed>();
    EXPECT_TRUE(said[0].preview.keptFollows);
    EXPECT_FALSE(said[0].preview.kept);
    EXPECT_FALSE(said[1].preview.keptFollows);
    ASSERT_TRUE(said[1].preview.kept);
    EXPECT_GT(said[1].preview.kept->tokens, 150);
    EXPECT_EQ(said[1].preview.slotsAfter, said[0].preview.slotsAfter);
    EngineConfig wanted = reading();
    wanted.kv = kv;
    engine.queue.push(SetConfig{Revision(1), wanted});
    engine.queue.push(CompactNow{ConversationId(1)});
    ASSERT_TRUE(engine.waitFor<PreviewOutcome>());
    engine.finish();
    const auto outcome = engine.all<PreviewOutcome>().front();
    ASSERT_TRUE(outcome.preview.kept && outcome.report.kept);
    EXPECT_EQ(outcome.preview.kept->all, outcome.report.kept->all);
    EXPECT_LT(outcome.report.slotsAfter, outcome.report.slotsBefore);
}

TEST(Preview, submitDuringLossMeasurement_cancelsIt_andReportsIt) {
    EngineRunner engine(reading());
    bool asked = false;
    engine.onEvent = [&](const Event& event) {
        const auto* previewed = std::get_if<CompactionPreviewed>(&event);
        if (previewed == nullptr || asked) return;
        asked = true;
        engine.submit(1, letters(40));
    };
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.submit(1, letters(300));
    ASSERT_TRUE(engine.waitFor<TurnFinished>());
    engine.queue.push(
        RequestPreview{.conversation = ConversationId(1), .kv = matching(), .measuresLoss = true});
    ASSERT_TRUE(engine.waitFor<CompactionPreviewed>(2));
    ASSERT_TRUE(engine.waitFor<TurnFinished>(2));
    engine.finish();
    const auto last = engine.all<CompactionPreviewed>().back();
    EXPECT_FALSE(last.preview.keptFollows);
    EXPECT_FALSE(last.preview.kept);
}

TEST(Preview, severalRatios_areTriedWithOnePassOverTheText) {
    EngineRunner engine(reading());
    std::atomic<std::int64_t> steps = 0;
    engine.models.before = [&steps](std::int64_t number) -> Status {
        steps = number;
        return {};
    };
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.submit(1, letters(300));
    ASSERT_TRUE(engine.waitFor<TurnFinished>());
    const std::int64_t answered = steps;
    std::vector<std::int64_t> taken;
    for (const double ratio : {2.0, 4.0, 8.0}) {
        KvOptions kv = matching();
        kv.amRatio = ratio;
        engine.queue.push(RequestPreview{ConversationId(1), kv});
        ASSERT_TRUE(engine.waitFor<CompactionPreviewed>(taken.size() + 1));
        taken.push_back(steps - answered);
    }
    engine.finish();
    EXPECT_GE(taken[0], 300 / 32);
    EXPECT_EQ(taken[2], taken[0]);
    const auto previewed = engine.all<CompactionPreviewed>();
    for (const CompactionPreviewed& one : previewed) {
        ASSERT_FALSE(one.error) << describe(*one.error);
        EXPECT_TRUE(one.preview.outputError);
    }
    EXPECT_GT(previewed[0].preview.slotsAfter, previewed[2].preview.slotsAfter);
}

TEST(Preview, previewRequestedDuringTurn_followsIt_andCoversAllOfIt) {
    EngineRunner engine(reading());
    engine.models.before = [&engine](std::int64_t number) -> Status {
        if (number == 20) engine.queue.push(RequestPreview{ConversationId(1), matching()});
        return {};
    };
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.submit(1, letters(300));
    ASSERT_TRUE(engine.waitFor<CompactionPreviewed>());
    engine.finish();
    const auto previewed = engine.all<CompactionPreviewed>();
    ASSERT_EQ(previewed.size(), 1U);
    ASSERT_FALSE(previewed[0].error) << describe(*previewed[0].error);
    EXPECT_TRUE(previewed[0].preview.outputError);
    ASSERT_EQ(engine.all<TurnFinished>().size(), 1U);
    EXPECT_GT(previewed[0].preview.tokens, 300 + 30);
}

TEST(Preview, submitDuringReread_isAnsweredFirst_estimateCoversNewText) {
    EngineRunner engine(reading());
    bool asked = false;
    std::atomic<std::int64_t> steps = 0;
    std::atomic<std::int64_t> readFrom = 0;
    engine.models.before = [&](std::int64_t number) -> Status {
        steps = number;
        if (readFrom > 0 && number >= readFrom + 3 && !asked) {
            asked = true;
            engine.submit(1, letters(40));
        }
        return {};
    };
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.submit(1, letters(300));
    ASSERT_TRUE(engine.waitFor<TurnFinished>());
    readFrom = steps.load();
    engine.queue.push(RequestPreview{ConversationId(1), matching()});
    ASSERT_TRUE(engine.waitFor<CompactionPreviewed>());
    engine.finish();
    std::vector<std::string> order;
    for (const Event& event : engine.events()) {
        if (std::holds_alternative<TurnFinished>(event)) order.emplace_back("answer");
        if (std::holds_alternative<CompactionPreviewed>(event)) order.emplace_back("estimate");
    }
    EXPECT_EQ(order, (std::vector<std::string>{"answer", "answer", "estimate"}));
    EXPECT_TRUE(engine.all<CompactionPreviewed>().front().preview.outputError);
}

TEST(Preview, modelUnloaded_returnsAnError) {
    EngineRunner engine(reading());
    std::atomic<std::int64_t> steps = 0;
    std::atomic<std::int64_t> readFrom = 0;
    engine.models.before = [&](std::int64_t number) -> Status {
        steps = number;
        if (readFrom > 0 && number == readFrom + 3) engine.queue.push(UnloadModel{});
        return {};
    };
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.submit(1, letters(300));
    ASSERT_TRUE(engine.waitFor<TurnFinished>());
    readFrom = steps.load();
    engine.queue.push(RequestPreview{ConversationId(1), matching()});
    ASSERT_TRUE(engine.waitFor<CompactionPreviewed>());
    engine.finish();
    EXPECT_TRUE(engine.all<CompactionPreviewed>().front().error);
}

TEST(Preview, emptyCache_returnsAnError) {
    EngineRunner engine(evicting(0));
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.queue.push(RequestPreview{ConversationId(9), evicting(0).kv});
    ASSERT_TRUE(engine.waitFor<CompactionPreviewed>());
    engine.finish();
    EXPECT_TRUE(engine.all<CompactionPreviewed>().front().error);
}

const Error* errorOf(const ModelFailed& answer) {
    return &answer.error;
}
template <class Answer>
const Error* errorOf(const Answer& answer) {
    return answer.error ? &*answer.error : nullptr;
}

/// Checks that the engine reports the request as cancelled, and ends it.
template <class Answer>
void expectCancelled(EngineRunner& engine) {
    ASSERT_TRUE(engine.waitFor<Answer>());
    engine.finish();
    const Answer answer = engine.all<Answer>().front();
    const Error* const error = errorOf(answer);
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error->code, ErrorCode::Cancelled) << describe(*error);
}

CompareSettings fullAndEvicting() {
    EngineConfig whole = evicting(0);
    whole.kv.method = CompactionMethod::None;
    return {.messages = secondQuestion(200), .sides = {whole, evicting(0)}};
}

TEST(CompareSettings, bothSides_areReturned) {
    EngineRunner engine(evicting(0));
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.queue.push(fullAndEvicting());
    ASSERT_TRUE(engine.waitFor<SettingsCompared>());
    engine.finish();
    const auto compared = engine.all<SettingsCompared>().front();
    ASSERT_FALSE(compared.error) << describe(*compared.error);
    EXPECT_EQ(compared.comparison.runs[0].evictions, 0);
    EXPECT_GT(compared.comparison.runs[1].evictions, 0);
    EXPECT_TRUE(compared.comparison.runs[1].divergence);
    const auto progress = engine.all<QualityJobProgress>();
    ASSERT_FALSE(progress.empty());
    EXPECT_TRUE(std::ranges::is_sorted(progress, {}, &QualityJobProgress::done));
    std::array<std::string, 2> told;
    const auto pieces = engine.all<ComparedText>();
    EXPECT_TRUE(std::ranges::is_sorted(pieces, {}, &ComparedText::side));
    for (const ComparedText& piece : pieces)
        told.at(static_cast<std::size_t>(piece.side)) += piece.text;
    for (std::size_t side = 0; side < told.size(); ++side)
        EXPECT_EQ(told[side], compared.comparison.runs[side].text);
    EXPECT_GT(pieces.size(), 4U) << "as the tokens come, not at the end";
}

TEST(CompareSettings, submitMeanwhile_isAnsweredFirst_andComparisonIsUnaffected) {
    const auto compared = [](bool interrupted) {
        EngineRunner engine(evicting(0));
        bool asked = !interrupted;
        engine.onEvent = [&](const Event& event) {
            if (asked || !std::holds_alternative<ComparedText>(event)) return;
            asked = true;
            engine.submit(7, "a question of somebody else");
        };
        engine.start();
        EXPECT_TRUE(engine.load());
        engine.queue.push(fullAndEvicting());
        EXPECT_TRUE(engine.waitFor<SettingsCompared>());
        engine.finish();
        const auto events = engine.events();
        const auto place = [&](auto is) {
            return std::ranges::find_if(events, is) - events.begin();
        };
        const auto answered =
            place([](const Event& e) { return std::holds_alternative<TurnFinished>(e); });
        const auto ended =
            place([](const Event& e) { return std::holds_alternative<SettingsCompared>(e); });
        EXPECT_EQ(answered < ended, interrupted);
        const SettingsCompared answer = engine.all<SettingsCompared>().front();
        EXPECT_FALSE(answer.error) << describe(*answer.error);
        return answer.comparison;
    };
    const Comparison alone = compared(false);
    const Comparison interrupted = compared(true);
    for (std::size_t side = 0; side < 2; ++side)
        EXPECT_EQ(interrupted.runs[side].tokens, alone.runs[side].tokens);
    EXPECT_GT(interrupted.runs[1].evictions, 0);
}

TEST(CompareSettings, modelUnloadedMeanwhile_cancelsTheComparison) {
    EngineRunner engine(evicting(0));
    engine.onEvent = [&](const Event& event) {
        if (std::holds_alternative<ComparedText>(event)) engine.queue.push(UnloadModel{});
    };
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.queue.push(fullAndEvicting());
    expectCancelled<SettingsCompared>(engine);
}

TEST(CompareSettings, noModelOrInvalidSide_returnsAnError) {
    EngineRunner engine(evicting(0));
    engine.start();
    engine.queue.push(fullAndEvicting());
    ASSERT_TRUE(engine.waitFor<SettingsCompared>());
    ASSERT_TRUE(engine.load());
    CompareSettings bad = fullAndEvicting();
    bad.sides[1].kv.budget = 3;
    engine.queue.push(bad);
    ASSERT_TRUE(engine.waitFor<SettingsCompared>(2));
    engine.finish();
    const auto answers = engine.all<SettingsCompared>();
    EXPECT_EQ(answers[0].error->code, ErrorCode::InvalidArgument);
    EXPECT_NE(answers[1].error->what.find("BUD-MIN"), std::string::npos);
}

TEST(CompareSettings, cancel_endsTheComparison) {
    EngineRunner engine(evicting(0));
    engine.onEvent = [&](const Event& event) {
        if (std::holds_alternative<QualityJobProgress>(event)) engine.queue.push(CancelTurn{});
    };
    engine.start();
    ASSERT_TRUE(engine.load());
    engine.queue.push(fullAndEvicting());
    expectCancelled<SettingsCompared>(engine);
}

/// Both commands are in the queue before the engine takes either.
template <class Request>
void cancelTakenWith(EngineRunner& engine, Request request, bool cancelFirst) {
    engine.onEvent = [&engine, request, cancelFirst](const Event& event) {
        if (!std::holds_alternative<ModelLoaded>(event)) return;
        if (cancelFirst) engine.queue.push(CancelTurn{});
        engine.queue.push(request);
        if (!cancelFirst) engine.queue.push(CancelTurn{});
    };
    engine.start();
    EXPECT_TRUE(engine.load());
}

TEST(CompareSettings, cancelQueuedAfterTheRequest_endsTheComparison) {
    EngineRunner engine(evicting(0));
    cancelTakenWith(engine, fullAndEvicting(), false);
    expectCancelled<SettingsCompared>(engine);
}

TEST(CompareSettings, cancelQueuedBeforeTheRequest_doesNotEndTheComparison) {
    EngineRunner engine(evicting(0));
    cancelTakenWith(engine, fullAndEvicting(), true);
    ASSERT_TRUE(engine.waitFor<SettingsCompared>());
    engine.finish();
    EXPECT_FALSE(engine.all<SettingsCompared>().front().error);
}

TEST(SweepSettings, cancelQueuedAfterTheRequest_endsTheSweep) {
    EngineRunner engine(evicting(0));
    const ModelFacts facts = factsOf(*test::fakeLoadedModel());
    const auto settings = gridSettings(
        methodsNamed(std::vector<std::string>{"recent"}).value(), {.ratios = {2}, .budgets = {}},
        std::vector<std::string>{"keep_recent=8", "n_sink=2"}, facts, engine.options.machine);
    ASSERT_TRUE(settings) << describe(settings.error());
    cancelTakenWith(engine,
                    SweepSettings{{{"user", letters(100) + "\n\n" + letters(80) + "\n\nwhy?"},
                                   {"assistant", "Because of that."}},
                                  *settings},
                    false);
    expectCancelled<SettingsSwept>(engine);
}

TEST(LoadModel, cancelQueuedAfterTheRequest_endsTheLoad) {
    EngineRunner engine(evicting(0));
    engine.queue.push(LoadModel{"fake"});
    engine.queue.push(CancelTurn{});
    engine.start();
    expectCancelled<ModelFailed>(engine);
    EXPECT_TRUE(engine.all<ModelLoaded>().empty());
}

TEST(SweepSettings, everySetting_hasAResult) {
    EngineRunner engine(evicting(0));
    engine.start();
    ASSERT_TRUE(engine.load());
    ASSERT_TRUE(engine.waitFor<ModelLoaded>());
    const ModelFacts facts = engine.all<ModelLoaded>().front().facts;
    const std::vector<std::string> names{"keydiff", "recent"};
    const std::vector<std::string> base{"keep_recent=8", "n_sink=2"};
    const auto settings =
        gridSettings(methodsNamed(names).value(), {.ratios = {2, 4}, .budgets = {}}, base, facts,
                     engine.options.machine);
    ASSERT_TRUE(settings) << describe(settings.error());
    engine.queue.push(SweepSettings{{{"user", letters(100) + "\n\n" + letters(80) + "\n\nwhy?"},
                                     {"assistant", "Because of that."}},
                                    *settings});
    ASSERT_TRUE(engine.waitFor<SettingsSwept>());
    engine.finish();
    const auto swept = engine.all<SettingsSwept>().front();
    ASSERT_FALSE(swept.error) << describe(*swept.error);
    ASSERT_EQ(swept.rows.size(), 4U);
    for (const GridRow& row : swept.rows) EXPECT_EQ(row.items, 1);
    EXPECT_TRUE(std::ranges::any_of(swept.rows, &GridRow::onFront));
    const auto progress = engine.all<QualityJobProgress>();
    ASSERT_EQ(progress.size(), 4U);
    for (std::size_t i = 0; i < progress.size(); ++i) {
        EXPECT_EQ(progress[i].done, static_cast<std::int64_t>(i + 1));
        ASSERT_EQ(progress[i].rows.size(), 4U) << "those to come as well";
        const auto tried = std::ranges::count_if(
            progress[i].rows, [](const GridRow& row) { return row.items + row.refused > 0; });
        EXPECT_EQ(tried, progress[i].done);
    }
    EXPECT_EQ(progress.back().rows[2].divergence.klMean, swept.rows[2].divergence.klMean);
}

}  // namespace
}  // namespace lacuna
