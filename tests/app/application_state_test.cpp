#include "app/state/application_state.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/state/chat/chat_controller.h"
#include "app/state/chat/chat_model.h"
#include "app/state/models/model_controller.h"
#include "app/state/number_format.h"
#include "app/state/report/report_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/storage/conversation_database.h"
#include "app/state/telemetry/metrics_store.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/app/core_application.h"
#include "tests/support/bundled_models.h"
#include "tests/support/fake_engine.h"

namespace lacuna::app {
namespace {

class ApplicationStateTest : public ::testing::Test {
  protected:
    ApplicationStateTest() {
        coreApplication();
        auto owned = std::make_unique<FakeEngine>();
        engine = owned.get();
        state = std::make_unique<ApplicationState>(ApplicationOptions{}, std::move(owned),
                                                   engine->events);
    }
    void load() {
        engine->post(StateChanged{EngineState::Loading});
        engine->post(ModelLoaded{smallFacts(), 0.2});
        engine->post(StateChanged{EngineState::Idle});
        state->drain();
    }
    StepSample sample(std::int64_t index) {
        StepSample step;
        step.conversation = ConversationId(state->chat().current());
        step.timeNs = index * 10'000'000;
        step.at = {1, index};
        step.phase = EngineState::Decode;
        step.tokens = 1;
        step.stepMs = 10;
        step.kv.tokens = 100 + index;
        step.kv.slotsTotal = (100 + index) * 32;
        step.kv.slotsLargestHead = static_cast<int>(100 + index);
        step.kv.logicalBytes = (100 + index) * 8192;
        step.kv.liveBytes = step.kv.logicalBytes;
        step.kv.allocatedBytes = 256 * 8192;
        step.compaction.enabled = true;
        step.compaction.target = 128;
        step.compaction.trigger = 144;
        step.compaction.phase = CompactionPhase::Waiting;
        step.compaction.slots = static_cast<int>(100 + index);
        return step;
    }

    FakeEngine* engine = nullptr;
    std::unique_ptr<ApplicationState> state;
};

TEST_F(ApplicationStateTest, loadedModel_enablesTheChatAndLimitsTheBudget) {
    EXPECT_FALSE(state->chat().submitBlocker().isEmpty());
    load();
    EXPECT_TRUE(state->chat().submitBlocker().isEmpty());
    EXPECT_EQ(state->model().view().name, QStringLiteral("small"));
    EXPECT_EQ(state->config().spec(QStringLiteral("budget")).maximum, 4096);
    EXPECT_EQ(state->feed().engine().contextLimit, 4096);
}

TEST_F(ApplicationStateTest, startWithoutAModel_loadsTheBundledModel) {
    state->model().loadBundled();
    const auto sent = engine->sent<LoadModel>();
    ASSERT_EQ(sent.size(), 1U) << state->model().problem().toStdString();
    EXPECT_EQ(sent[0].path.filename(), test::boxModel().filename());
}

TEST_F(ApplicationStateTest, failedLoad_keepsThePreviousModelLoaded) {
    load();
    state->model().load(QStringLiteral("broken.gguf"));
    EXPECT_EQ(state->model().view().state, ModelState::Loading);
    engine->post(ModelFailed{"broken.gguf",
                             Error{ErrorCode::NotFound, "broken.gguf: no such file.", {}}, true});
    state->drain();
    EXPECT_EQ(state->model().view().state, ModelState::Ready);
    EXPECT_EQ(state->model().view().name, QStringLiteral("small"));
    EXPECT_TRUE(state->model().view().problem.contains(QStringLiteral("no such file")));
    EXPECT_TRUE(state->chat().submitBlocker().isEmpty());
}

TEST_F(ApplicationStateTest, precisionMeasurement_isShown_canBeSkipped_turnsContinue) {
    load();
    engine->post(PrecisionMeasured{.share = 0.5});
    state->drain();
    EXPECT_TRUE(state->model().measuringPrecision());
    EXPECT_EQ(state->model().view().precisionShare, 0.5);
    EXPECT_EQ(state->model().view().state, ModelState::Ready);
    EXPECT_TRUE(state->chat().submitBlocker().isEmpty());
    state->model().skipPrecision();
    EXPECT_EQ(engine->sent<SkipPrecision>().size(), 1U);
    EXPECT_TRUE(engine->sent<CancelTurn>().empty());
    state->model().measurePrecision();
    EXPECT_EQ(engine->sent<MeasurePrecision>().size(), 1U);
    QStringList told;
    QObject::connect(&state->feed(), &SessionFeed::eventArrived,
                     [&told](const EventRow& row) { told << row.title; });
    engine->post(PrecisionMeasured{.share = 1, .ended = true});
    engine->post(PrecisionChosen{Precision::TwoTerms, 0.00002, "auto is int8 in two terms"});
    state->drain();
    EXPECT_EQ(state->model().view().state, ModelState::Ready);
    EXPECT_FALSE(state->model().measuringPrecision());
    EXPECT_EQ(state->model().view().precisionNote, QStringLiteral("auto is int8 in two terms"));
    EXPECT_EQ(state->config().spec(QStringLiteral("precision")).meaning,
              QStringLiteral("auto is int8 in two terms"));
    EXPECT_TRUE(told.join(QLatin1Char('\n')).contains(QStringLiteral("auto is int8 in two terms")));
}

TEST_F(ApplicationStateTest, messageDuringModelLoad_isQueuedAndSentAfterTheLoad) {
    state->model().load(QStringLiteral("small.gguf"));
    EXPECT_TRUE(state->chat().submitBlocker().isEmpty());
    state->chat().submit({QStringLiteral("hello"), {}, {}});
    EXPECT_TRUE(state->chat().queued());
    EXPECT_TRUE(engine->sent<Submit>().empty());
    load();
    EXPECT_FALSE(state->chat().queued());
    EXPECT_TRUE(state->chat().answering());
    ASSERT_EQ(engine->sent<Submit>().size(), 1U);
    EXPECT_EQ(engine->sent<Submit>()[0].messages, (std::vector<ChatMessage>{{"user", "hello"}}));
}

TEST_F(ApplicationStateTest,
       queuedMessage_afterAFailedLoad_isReturnedAndNotSentToThePreviousModel) {
    load();
    state->model().load(QStringLiteral("broken.gguf"));
    state->chat().submit({QStringLiteral("hello"), {}, {}});
    QSignalSpy returned(&state->chat(), &ChatController::questionReturned);
    engine->post(ModelFailed{"broken.gguf",
                             Error{ErrorCode::NotFound, "broken.gguf: no such file.", {}}, true});
    state->drain();
    ASSERT_EQ(returned.count(), 1);
    EXPECT_EQ(returned[0][0].value<PromptDraft>().text, QStringLiteral("hello"));
    EXPECT_TRUE(engine->sent<Submit>().empty());
    EXPECT_TRUE(state->chat().isEmpty());
    EXPECT_FALSE(state->chat().answering());
}

TEST_F(ApplicationStateTest, eventBatch_appendsItsTextWithOneUpdate) {
    load();
    PromptDraft draft;
    draft.text = QStringLiteral("hello");
    state->chat().submit(draft);
    for (int i = 0; i < 100; ++i) {
        TokenText token;
        token.conversation = ConversationId(state->chat().current());
        token.text = std::to_string(i) + " ";
        engine->post(token);
        engine->post(sample(i));
    }
    QSignalSpy appended(&state->chat().currentModel(), &ChatModel::textAppended);
    QSignalSpy samples(&state->feed(), &SessionFeed::samplesArrived);
    state->drain();
    EXPECT_EQ(appended.count(), 1) << "one drain, one repaint";
    EXPECT_EQ(samples.count(), 1);
    EXPECT_TRUE(
        state->chat().currentModel().lines().back().text.endsWith(QStringLiteral("98 99 ")));
    EXPECT_EQ(state->metrics().series(Metric::LiveBytes).size(), 100U);
    EXPECT_EQ(state->feed().engine().contextTokens, 199);
}

TEST_F(ApplicationStateTest, idleCompression_reportsTheReason) {
    EXPECT_TRUE(
        state->feed().engine().compressionLine.contains(QStringLiteral("no method is chosen")));
    ConfigApplied applied;
    applied.revision = Revision(1);
    applied.config.kv.method = CompactionMethod::AttentionMatching;
    engine->post(applied);
    engine->post(sample(1));
    state->drain();
    EXPECT_EQ(state->feed().engine().compressionLine,
              QStringLiteral("Compression idle: 101 of 144 slots per head; compaction starts after "
                             "43 more tokens"));
    EXPECT_FALSE(state->feed().engine().compressionActive);
    applied.revision = Revision(2);
    applied.config.kv.method = CompactionMethod::Eviction;
    engine->post(applied);
    state->drain();
    EXPECT_EQ(state->feed().engine().compressionLine,
              QStringLiteral("Compression idle: the new settings apply at the next token"))
        << "what was said before was said of another method";
    EXPECT_FALSE(state->feed().engine().compressionActive);
}

TEST_F(ApplicationStateTest, statusFigures_belongToTheCurrentConversation) {
    load();
    PromptDraft draft;
    draft.text = QStringLiteral("hello");
    state->chat().submit(draft);
    const qint64 first = state->chat().current();
    engine->post(sample(5));
    state->drain();
    EXPECT_EQ(state->feed().engine().contextTokens, 105);
    state->chat().newConversation();
    EXPECT_EQ(state->feed().engine().contextTokens, 0);
    state->chat().select(first);
    EXPECT_EQ(state->feed().engine().contextTokens, 105);
}

TEST_F(ApplicationStateTest, compactionEvent_isPublishedAfterTheSamplesOfEarlierSteps) {
    QStringList order;
    QObject::connect(&state->feed(), &SessionFeed::samplesArrived,
                     [&] { order << QStringLiteral("samples"); });
    QObject::connect(&state->feed(), &SessionFeed::compactionArrived,
                     [&] { order << QStringLiteral("compaction"); });
    engine->post(sample(1));
    CompactionHappened happened;
    happened.timeNs = 15'000'000;
    happened.report.result = CompactionResult::Done;
    happened.report.method = CompactionMethod::Eviction;
    happened.report.slotsBefore = 4000;
    happened.report.slotsAfter = 2000;
    happened.report.totalMs = 12.5;
    engine->post(happened);
    engine->post(sample(2));
    state->drain();
    EXPECT_EQ(order, QStringList({QStringLiteral("samples"), QStringLiteral("compaction"),
                                  QStringLiteral("samples")}));
    ASSERT_EQ(state->metrics().compactions().size(), 1U);
    EXPECT_EQ(state->metrics().compactions()[0].row.slotsAfter, 2000);
    EXPECT_EQ(state->feed().timeline().back().compaction, 1);
}

TEST_F(ApplicationStateTest, limitedCompaction_showsRequestedAndAchievedRatioAndKeptSlots) {
    ConfigApplied applied;
    applied.revision = Revision(1);
    applied.config.kv.method = CompactionMethod::AttentionMatching;
    engine->post(applied);
    CompactionHappened happened;
    happened.conversation = ConversationId(state->chat().current());
    happened.report.result = CompactionResult::Done;
    happened.report.method = CompactionMethod::AttentionMatching;
    happened.report.limited = true;
    happened.report.requestedRatio = 4;
    happened.report.achievedRatio = 3.1;
    happened.report.kept = KeptInformation{.all = 0.97, .worst = 0.81};
    engine->post(happened);
    engine->post(sample(1));
    state->drain();
    const EventRow line = state->feed().timeline().back();
    EXPECT_TRUE(line.title.contains(QStringLiteral("4.0x requested, 3.1x achieved")))
        << line.title.toStdString();
    const QString kept =
        QStringLiteral("97 % of the text's information kept; weakest passage 81 %.");
    EXPECT_TRUE(line.detail.contains(kept)) << line.detail.toStdString();
    EXPECT_TRUE(state->feed().engine().compressionLine.startsWith(kept))
        << state->feed().engine().compressionLine.toStdString();
    EXPECT_EQ(state->metrics().totals()[static_cast<std::size_t>(Outcome::Limited)], 1);
    EXPECT_EQ(state->feed().compactionsDone(), 1);
}

TEST_F(ApplicationStateTest, backgroundCompaction_isOneEntryAndIsCountedWhenItEnds) {
    CompactionHappened happened;
    happened.conversation = ConversationId(state->chat().current());
    happened.report.background = true;
    happened.report.result = CompactionResult::Started;
    happened.report.slotsBefore = happened.report.slotsAfter = 4000;
    engine->post(happened);
    state->drain();
    const EventRow begun = state->feed().timeline().back();
    EXPECT_TRUE(begun.title.contains(QStringLiteral("not finished"))) << begun.title.toStdString();
    EXPECT_FALSE(begun.detail.contains(QStringLiteral("Score"))) << "nothing was done yet";
    EXPECT_EQ(state->feed().compactionsDone(), 0);
    // A synchronous compaction is reported in between.
    CompactionHappened between = happened;
    between.report.background = false;
    between.report.result = CompactionResult::Skipped;
    engine->post(between);
    happened.report.result = CompactionResult::Done;
    happened.report.slotsAfter = 1000;
    engine->post(happened);
    state->drain();
    const EventRow ended = state->feed().timeline().back();
    EXPECT_TRUE(ended.title.contains(QStringLiteral("done"))) << ended.title.toStdString();
    EXPECT_EQ(ended.compaction, begun.compaction) << "one compaction has one number";
    EXPECT_EQ(state->feed().compactionsDone(), 1);
}

TEST_F(ApplicationStateTest, overlappingCompactions_arePairedById) {
    const auto post = [this](std::int64_t id, CompactionResult result) {
        CompactionHappened happened;
        happened.conversation = ConversationId(state->chat().current());
        happened.report.id = id;
        happened.report.background = true;
        happened.report.result = result;
        engine->post(happened);
        state->drain();
        return state->feed().timeline().back().compaction;
    };
    const qint64 first = post(11, CompactionResult::Started);
    const qint64 second = post(12, CompactionResult::Started);
    EXPECT_NE(first, second);
    EXPECT_EQ(post(12, CompactionResult::Done), second);
    EXPECT_EQ(post(11, CompactionResult::Aborted), first);
    EXPECT_GT(post(13, CompactionResult::Skipped), second) << "one that was not started before";
}

TEST_F(ApplicationStateTest, compaction_deliversRetentionWithoutARequest) {
    const QSignalSpy arrived(state.get(), &ApplicationState::retentionArrived);
    RetentionSnapshot snapshot;
    snapshot.conversation = ConversationId(state->chat().current());
    snapshot.row.tokens = 1;
    snapshot.row.share = {0.5F};
    snapshot.pieces = {"a"};
    CompactionHappened happened;
    happened.conversation = snapshot.conversation;
    happened.report.result = CompactionResult::Done;
    happened.retention = std::make_shared<const RetentionSnapshot>(snapshot);
    engine->post(happened);
    state->drain();
    EXPECT_EQ(arrived.size(), 1);
    EXPECT_TRUE(engine->sent<RequestRetention>().empty());
}

TEST_F(ApplicationStateTest, fatalError_isShownAndDisablesTheChat) {
    load();
    engine->post(Fatal{Error{ErrorCode::Internal, "out of memory.", {}}});
    state->drain();
    EXPECT_EQ(state->feed().engine().activity, std::nullopt);
    EXPECT_TRUE(state->chat().submitBlocker().contains(QStringLiteral("out of memory")));
}

TEST_F(ApplicationStateTest, conversationsAndSettings_areRestoredAfterARestart) {
    const QTemporaryDir folder;
    ApplicationOptions options;
    options.dataFolder = folder.path();
    const auto start = [&options](FakeEngine*& engineOf) {
        auto owned = std::make_unique<FakeEngine>();
        engineOf = owned.get();
        auto made = std::make_unique<ApplicationState>(options, std::move(owned), engineOf->events);
        QSignalSpy restored(made.get(), &ApplicationState::conversationsRestored);
        EXPECT_TRUE(restored.wait(10'000));
        engineOf->post(ModelLoaded{smallFacts(), 0.2});
        made->drain();
        return made;
    };
    FakeEngine* host = nullptr;
    qint64 id = 0;
    {
        const auto first = start(host);
        PromptDraft draft;
        draft.text = QStringLiteral("Where is it?");
        first->chat().submit(draft);
        id = first->chat().current();
        first->chat().onText(id, QStringLiteral("Half an ans"));
        ConfigApplied applied;
        applied.revision = Revision(1);
        applied.config.kv.method = CompactionMethod::Eviction;
        applied.config.kv.budget = 256;
        host->post(applied);
        first->drain();
        // The program ends in the middle of an answer.
    }
    const auto second = start(host);
    EXPECT_EQ(second->chat().current(), id);
    EXPECT_EQ(second->chat().title(id), QStringLiteral("Where is it?"));
    ChatModel& model = second->chat().currentModel();
    ASSERT_TRUE(QTest::qWaitFor([&model] { return model.rowCount() == 2; }, 10'000));
    EXPECT_EQ(model.line(1).text, QStringLiteral("Half an ans"));
    EXPECT_EQ(model.line(1).state, LineState::Stopped);
    const auto sent = host->sent<SetConfig>();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].config.kv.budget, 256);
    EXPECT_EQ(sent[0].config.kv.method, CompactionMethod::Eviction);
}

TEST_F(ApplicationStateTest, settingFromTheCommandLine_overridesTheStoredOne) {
    const QTemporaryDir folder;
    {
        auto opened = ConversationDatabase::open(folder.path());
        ASSERT_TRUE(opened.database);
        ASSERT_TRUE(opened.database->saveSettings(
            {{QStringLiteral("temperature"), QStringLiteral("0.5")},
             {QStringLiteral("top_k"), QStringLiteral("7")},
             {QStringLiteral("of_another_version"), QStringLiteral("1")}}));
    }
    ApplicationOptions options;
    options.dataFolder = folder.path();
    options.settings << QStringLiteral("temperature=0");
    auto owned = std::make_unique<FakeEngine>();
    FakeEngine* host = owned.get();
    ApplicationState other(options, std::move(owned), host->events);
    QSignalSpy restored(&other, &ApplicationState::conversationsRestored);
    ASSERT_TRUE(restored.wait(10'000));
    EXPECT_FALSE(restored.front().front().toBool()) << "not the first start";
    ASSERT_EQ(host->sent<SetConfig>().size(), 1U);
    EXPECT_EQ(host->sent<SetConfig>()[0].config.sampling.topK, 7);
    EXPECT_EQ(host->sent<SetConfig>()[0].config.sampling.temperature, 0);
}

TEST_F(ApplicationStateTest, reportExport_writesAFolderWithEveryDocument) {
    load();
    engine->post(sample(1));
    state->drain();
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("report"));
    QSignalSpy finished(&state->report(), &ReportController::finished);
    state->report().exportTo(
        path, {{QStringLiteral("kv-bytes"), QStringLiteral("KV bytes"), QByteArray("png")}});
    ASSERT_TRUE(finished.wait(10'000));
    for (const char* name :
         {"report.json", "report.md", "report.html", "samples.csv", "kv-bytes.png"}) {
        EXPECT_GT(QFileInfo(QDir(path).filePath(QString::fromLatin1(name))).size(), 0) << name;
    }
}

TEST_F(ApplicationStateTest, reportExport_toAnUnusableFolder_failsWithAMessage) {
    QSignalSpy failed(&state->report(), &ReportController::failed);
    state->report().exportTo(QStringLiteral("/proc/none/report"), {});
    ASSERT_TRUE(failed.wait(10'000));
    EXPECT_TRUE(failed.front().front().toString().contains(QStringLiteral("/proc/none/report")));
    EXPECT_FALSE(state->report().running());
}

TEST(NumberFormat, figures_haveUnitsAndSeparators) {
    EXPECT_EQ(countText(9214), QStringLiteral("9,214"));
    EXPECT_EQ(bytesText(312), QStringLiteral("312 B"));
    EXPECT_EQ(bytesText(17 * 1024 * 1024 + 200'000), QStringLiteral("17.2 MiB"));
    EXPECT_EQ(bytesText(1024 * 1024 - 1), QStringLiteral("1.0 MiB"));
    EXPECT_EQ(durationText(0.0361), QStringLiteral("36.1 ms"));
    EXPECT_EQ(durationText(0.84), QStringLiteral("840 ms"));
    EXPECT_EQ(durationText(0), QStringLiteral("0 ms"));
    EXPECT_EQ(durationText(4e-6), QStringLiteral("< 0.01 ms"));
    EXPECT_EQ(durationText(5.1e-6), QStringLiteral("0.01 ms"));
    EXPECT_EQ(durationText(72), QStringLiteral("1 min 12 s"));
    EXPECT_EQ(ratioText(3.7), QStringLiteral("3.70x"));
    EXPECT_EQ(percentText(0.64), QStringLiteral("64 %"));
}

}  // namespace
}  // namespace lacuna::app
