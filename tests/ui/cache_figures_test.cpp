// Verdict strip, memory page and charts show the same cache: that of the current conversation. The
// status names the engine's activity.

#include <QLabel>
#include <QTest>

#include "app/state/experiments/measurement_controller.h"
#include "app/state/models/memory_controller.h"
#include "app/state/number_format.h"
#include "app/state/telemetry/metrics_store.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/ui/window_stage.h"
#include "ui/charts/chart_builders.h"
#include "ui/charts/plot_cell.h"
#include "ui/charts/retention_view.h"
#include "ui/charts/time_series_view.h"
#include "ui/chat/chat_view.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/panels/verdict_strip.h"
#include "ui/style/widget_roles.h"
#include "ui/window/status_line.h"

namespace lacuna::ui {
namespace {

class CacheFiguresTest : public WindowStage {
  protected:
    StepSample step(ConversationId conversation, std::int64_t liveBytes) {
        StepSample sample;
        sample.timeNs = m_time += 1'000'000;
        sample.conversation = conversation;
        sample.phase = EngineState::Decode;
        sample.tokens = 1;
        sample.stepMs = 1;
        sample.kv.tokens = liveBytes / 1024;
        sample.kv.liveBytes = sample.kv.logicalBytes = sample.kv.allocatedBytes = liveBytes;
        sample.liveBytesAll = liveBytes;
        return sample;
    }
    void submit(const char* question) {
        app::PromptDraft draft;
        draft.text = QString::fromUtf8(question);
        state->chat().submit(draft);
    }
    void ask(const char* question) {
        trigger("chat.new");
        submit(question);
        TurnFinished finished;
        finished.conversation = here();
        finished.text = "Yes.";
        hear(finished);
    }
    /// True if the strip above the prompt names this activity.
    [[nodiscard]] bool does(const char* activity) const {
        return shows(*window->findChild<ContextStrip*>(), activity);
    }
    [[nodiscard]] qint64 memoryPage() const {
        for (const app::ConversationMemory& one : state->memory().view().conversations)
            if (one.id == state->chat().current()) return one.liveBytes;
        return -1;
    }
    [[nodiscard]] QString chart() const {
        ChartRequest request;
        request.window = dataRange(state->metrics(), app::XAxis::Time);
        return buildChart(ChartId::KvBytes, state->metrics(), request).headline;
    }
    void expectAll(qint64 bytes, const char* words) {
        QCoreApplication::processEvents();
        EXPECT_EQ(state->feed().engine().liveBytes, bytes);
        const QString told =
            bytes == 0 ? QStringLiteral("Nothing is cached yet")
                       : QStringLiteral("Memory %1, not compressed").arg(QString::fromUtf8(words));
        EXPECT_TRUE(window->verdict().text().startsWith(told))
            << window->verdict().text().toStdString();
        EXPECT_EQ(memoryPage(), bytes);
        EXPECT_EQ(chart(), QString::fromUtf8(words));
    }

    std::int64_t m_time = 1'000'000'000;
};

TEST_F(CacheFiguresTest, conversationChange_allThreeViewsShowItsCache) {
    load();
    ask("first");
    const ConversationId first = here();
    hear(step(first, 64 * 1024));
    expectAll(64 * 1024, "64.0 KiB");
    ask("second");
    expectAll(0, "0 B");
    hear(step(here(), 8 * 1024));
    expectAll(8 * 1024, "8.0 KiB");
    hear(step(first, 96 * 1024));  // it continues in the background
    expectAll(8 * 1024, "8.0 KiB");
    state->chat().select(first.value);
    expectAll(96 * 1024, "96.0 KiB");
}

TEST_F(CacheFiguresTest, compactNow_ofAConversationWithAnEmptyCache_isDisabledWithAReason) {
    const QAction* compact = window->actions().find(QStringLiteral("cache.compact"));
    load();
    ask("first");
    EXPECT_FALSE(compact->isEnabled());
    EXPECT_TRUE(ActionRegistry::reasonOf(compact).contains(QStringLiteral("is empty")))
        << ActionRegistry::reasonOf(compact).toStdString();
    hear(step(here(), 64 * 1024));
    EXPECT_TRUE(compact->isEnabled());
    ask("second");
    EXPECT_FALSE(compact->isEnabled()) << "the figures are those of the shown conversation";
}

TEST_F(CacheFiguresTest, charts_areLimitedToTheShownConversationUnlessAllAreWanted) {
    load();
    ask("first");
    const ConversationId first = here();
    hear(step(first, 64 * 1024));
    CompactionHappened done;
    done.conversation = first;
    done.report.result = CompactionResult::Done;
    done.report.tokens = 64;
    hear(done);
    ask("second");
    const auto outcomes = [this](TelemetryPanel& charts) {
        charts.refresh();
        for (ChartCell* cell : charts.cells())
            if (cell->id() == ChartId::Outcomes) return cell->view().content().headline;
        return QString();
    };
    EXPECT_NE(outcomes(window->chartStrip()), QStringLiteral("1 done"));
    trigger("page.monitor");
    EXPECT_NE(outcomes(window->telemetry()), QStringLiteral("1 done"));
    window->telemetry().showAllConversations(true);
    EXPECT_EQ(outcomes(window->telemetry()), QStringLiteral("1 done"));
    window->telemetry().showAllConversations(false);
    state->chat().select(first.value);
    EXPECT_EQ(outcomes(window->telemetry()), QStringLiteral("1 done"));
}

TEST_F(CacheFiguresTest, processMemory_isShownWithItsPartsInASmallWindow) {
    window->resize(1280, 720);
    load();
    ask("first");
    StepSample sample = step(here(), 64 * 1024);
    sample.rssBytes = std::int64_t{900} << 20;
    hear(sample);
    const ElidingLabel* memory = nullptr;
    for (const QLabel* label : window->findChildren<QLabel*>())
        if (label->accessibleName() == QLatin1String("Memory of the process"))
            memory = dynamic_cast<const ElidingLabel*>(label);
    ASSERT_NE(memory, nullptr);
    EXPECT_TRUE(memory->shown().startsWith(QStringLiteral("Process 900.0 MiB")))
        << memory->shown().toStdString();
    EXPECT_TRUE(memory->toolTip().contains(QStringLiteral("caches")));
}

TEST_F(CacheFiguresTest, modelChange_clearsAllCacheFigures) {
    load();
    ask("first");
    hear(step(here(), 64 * 1024));
    expectAll(64 * 1024, "64.0 KiB");
    hear(ModelLoaded{app::smallFacts(), 0.2});
    expectAll(0, "0 B");
    EXPECT_EQ(state->memory().view().cacheBytes, 0);
    hear(step(here(), 16 * 1024));
    expectAll(16 * 1024, "16.0 KiB");
    hear(ModelUnloaded{});
    expectAll(0, "0 B");
}

TEST_F(CacheFiguresTest, releasedCache_isSubtractedFromTheTotal) {
    load();
    ask("first");
    hear(step(here(), 64 * 1024));
    EXPECT_EQ(state->memory().view().cacheBytes, 64 * 1024);
    state->chat().releaseCache();
    expectAll(0, "0 B");
    EXPECT_EQ(state->memory().view().cacheBytes, 0);
}

RetentionSnapshot heldBy(ConversationId conversation) {
    RetentionSnapshot snapshot;
    snapshot.conversation = conversation;
    snapshot.pieces = {"first", "Yes."};
    snapshot.row.tokens = 2;
    snapshot.row.layers = snapshot.row.kvHeads = 1;
    snapshot.row.share = {1, 1};
    snapshot.row.holders = {1, 1};
    snapshot.row.slots = {2};
    return snapshot;
}

TEST_F(CacheFiguresTest, modelChange_clearsRetentionOfWordsAndStrip) {
    load();
    ask("first");
    hear(step(here(), 64 * 1024));
    trigger("view.retention");
    hear(heldBy(here()));
    auto* strip = window->findChild<RetentionStrip*>();
    ASSERT_EQ(strip->view().tokens(), 2);
    hear(ModelLoaded{app::smallFacts(), 0.2});
    EXPECT_EQ(strip->view().tokens(), 0);
    EXPECT_FALSE(window->chatView().tinted());
    EXPECT_TRUE(strip->accessibleDescription().contains(QStringLiteral("no cache now")))
        << strip->accessibleDescription().toStdString();
}

TEST_F(CacheFiguresTest, retentionStrip_withoutACache_reportsTheReason) {
    load();
    trigger("view.retention");
    const auto* strip = window->findChild<RetentionStrip*>();
    EXPECT_TRUE(strip->accessibleDescription().contains(QStringLiteral("after the first prompt")));
    ask("first");
    RetentionSnapshot none;
    none.conversation = here();
    hear(none);
    EXPECT_TRUE(strip->accessibleDescription().contains(QStringLiteral("no cache now")))
        << strip->accessibleDescription().toStdString();
}

TEST_F(CacheFiguresTest, contextStrip_namesEveryEngineActivity) {
    load();
    EXPECT_TRUE(does("Idle"));
    const std::pair<app::EngineJob, const char*> jobs[] = {
        {app::EngineJob::Compaction, "Compacting"},
        {app::EngineJob::Recoding, "Changing the cache format"},
        {app::EngineJob::Estimate, "Estimating a compaction"},
        {app::EngineJob::RatioTrials, "Trying ratios"},
        {app::EngineJob::Comparison, "Comparing settings"},
        {app::EngineJob::Sweep, "Sweeping settings"},
        {app::EngineJob::QualityTable, "Measuring quality"},
        {app::EngineJob::Calibration, "Calibrating rotations"},
        {app::EngineJob::HeadProfileJob, "Measuring heads"},
        {app::EngineJob::PrecisionMeasuring, "Measuring the precision"}};
    for (const auto& [job, words] : jobs) {
        state->feed().showJob(job);
        EXPECT_TRUE(does(words)) << words;
    }
    state->feed().showJob(app::EngineJob::None);
    EXPECT_TRUE(does("Idle"));
}

TEST_F(CacheFiguresTest, requestedWork_isNamedUntilItEnds) {
    load();
    ask("first");
    hear(step(here(), 64 * 1024));
    trigger("cache.compact");
    EXPECT_TRUE(does("Compacting"));
    CompactionHappened begun;
    begun.conversation = here();
    begun.report.background = true;
    begun.report.result = CompactionResult::Started;
    hear(begun);
    EXPECT_TRUE(does("Compacting"));
    begun.report.result = CompactionResult::Aborted;
    hear(begun);
    EXPECT_FALSE(does("Compacting"));
    state->preview().estimate();
    EXPECT_TRUE(does("Estimating a compaction"));
    CompactionPreviewed answer;
    answer.conversation = here();
    answer.kv = engine->sent<RequestPreview>().back().kv;
    hear(answer);
    EXPECT_FALSE(does("Estimating a compaction"));
    state->measurement().resetSidesToSettings();
    state->measurement().compare(QStringLiteral("And?"));
    EXPECT_TRUE(does("Comparing settings"));
}

TEST_F(CacheFiguresTest, decodeRate_isTheSameInEveryView) {
    load();
    trigger("chat.new");
    submit("Say it.");
    for (int i = 0; i < 40; ++i) {
        StepSample sample = step(here(), 1024);
        sample.timeNs = m_time += i % 2 == 0 ? 20'000'000 : 60'000'000;
        sample.stepMs = 10;
        sample.at = {.turn = 1, .index = i};
        hear(sample);
    }
    ChartRequest request;
    request.window = dataRange(state->metrics(), app::XAxis::Time);
    const auto chartRate = [&] {
        return buildChart(ChartId::Throughput, state->metrics(), request).headline;
    };
    const QString writing =
        QStringLiteral("%1 tok/s").arg(app::rateText(state->feed().engine().decodeTokensPerSecond));
    EXPECT_EQ(chartRate(), writing);
    TurnFinished finished;
    finished.conversation = here();
    finished.turn = 1;
    finished.at = {.turn = 1, .index = 40};
    finished.text = "It.";
    finished.stats.generatedTokens = 41;
    finished.stats.decodeSeconds = 1.64;
    hear(finished);
    EXPECT_EQ(chartRate(), QStringLiteral("25.0 tok/s"));
    EXPECT_NEAR(state->feed().engine().decodeTokensPerSecond, 25, 1e-9);
}

}  // namespace
}  // namespace lacuna::ui
