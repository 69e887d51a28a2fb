// User workflow on the quality page, with a scripted engine and a scripted lacuna-bench.

#include "app/state/chat/conversation_turns.h"
#include "ui/pages/quality_page.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QTableView>
#include <QTest>
#include <filesystem>
#include <functional>

#include "app/state/experiments/quality_controller.h"
#include "app/state/settings/config_controller.h"
#include "engine/base/file.h"
#include "engine/settings/facts.h"
#include "tests/support/fake_bench.h"
#include "tests/support/made_up_table.h"
#include "tests/ui/find_child.h"
#include "tests/ui/window_stage.h"
#include "ui/pages/model_details.h"
#include "ui/pages/progress_footer.h"
#include "ui/panels/preview_panel.h"

namespace lacuna::ui {
namespace {

/// First base class, so it outlives the window.
struct WithBench {
    test::FakeBench bench;
};

class QualityWindowTest : private WithBench, public WindowStage {
  protected:
    using WithBench::bench;

    QualityWindowTest()
        : WindowStage({.settings = {},
                       .dataFolder = bench.dataFolder(),
                       .server = {},
                       .program = bench.program()}) {
        ModelFacts facts = app::smallFacts();
        facts.fingerprint = "small-print";
        hear(ModelLoaded{facts, 0.2});
        hear(StateChanged{EngineState::Idle});
        trigger("measure.quality");
        QCoreApplication::processEvents();
        page = window->findChild<QualityPage*>();
    }
    /// A table with `done` of 60 cells.
    static QualityTable table(std::int64_t done) {
        QualityTable made = test::madeUpTable(TableSize::Small);
        made.model = "small";
        made.fingerprint = "small-print";
        made.done = done;
        made.rows = {test::madeUpRow("am coverage", 4, 26, 0.02),
                     test::madeUpRow("am coverage", 8, 20, 0.05),
                     test::madeUpRow("keydiff", 4, 8, 0.5),
                     test::refusedRow("am coverage", 16, "AM ratio 16 is above 8")};
        return made;
    }
    /// Stores a table with `done` of 60 cells.
    void keep(std::int64_t done) {
        bench.keep(table(done));
        state->quality().readTables();
    }
    /// The measuring process writes a table with `done` of 60 cells, which the window reads.
    void measured(std::int64_t done) {
        bench.keep(table(done));
        waitFor([&] {
            bench.say("progress: some of it measured");
            return state->quality().progress().done == done;
        });
    }
    void waitFor(const std::function<bool()>& condition) {
        EXPECT_TRUE(QTest::qWaitFor(condition, 20'000));
    }
    void waitForStart(int count) {
        waitFor([&] { return bench.asked().size() == count; });
    }
    void waitForEnd() {
        waitFor([&] { return !state->quality().progress().running; });
    }
    [[nodiscard]] QString cell(int line, int column) const {
        return page->table().model()->index(line, column).data().toString();
    }

    QualityPage* page = nullptr;
};

TEST_F(QualityWindowTest, smallTable_isMeasuredWithProgressAndShown) {
    ASSERT_NE(page, nullptr);
    ASSERT_TRUE(page->isVisible());
    EXPECT_TRUE(shows(*page, "Not measured on this model."));
    EXPECT_FALSE(child<QPushButton>(*page, "quality.save").isEnabled());
    child<QPushButton>(page->foot(), "measuring.begin").click();
    waitForStart(1);
    EXPECT_EQ(bench.asked().first(), QStringLiteral("bench-compression %1 --table small")
                                         .arg(QString::fromStdString(app::smallFacts().path)));
    bench.say("progress: preparing texts: 50 %");
    waitFor([this] {
        return page->foot().sentence().contains(QStringLiteral("Preparing the questions, 50 %"));
    });
    measured(10);
    measured(30);
    EXPECT_TRUE(page->foot().sentence().contains(QStringLiteral("30 of 60")));
    EXPECT_TRUE(page->foot().sentence().contains(QStringLiteral("left")));
    EXPECT_TRUE(child<QPushButton>(page->foot(), "measuring.stop").isVisible());
    EXPECT_TRUE(shows("measuring its quality: 50 %")) << "also while the page is closed";
    bench.keep(table(60));
    bench.end(0);
    waitForEnd();
    EXPECT_FALSE(shows("measuring its quality"));
    EXPECT_EQ(page->foot().sentence(), QStringLiteral("Measured."));
    EXPECT_FALSE(child<QPushButton>(page->foot(), "measuring.begin").isEnabled())
        << "all is there; starting over is said so";
    EXPECT_TRUE(child<QPushButton>(page->foot(), "measuring.startOver").isEnabled());
    EXPECT_EQ(cell(0, 0), QStringLiteral("Attention matching: By the decrease of a head's error"));
    EXPECT_EQ(cell(0, 2), QStringLiteral("26 of 29"));
    EXPECT_EQ(cell(0, 3), QStringLiteral("89.7 %"));
    EXPECT_EQ(cell(0, 7), QStringLiteral("25.0 %"));
    EXPECT_EQ(cell(3, 2), QString(QChar(0x2013)));
    EXPECT_TRUE(cell(3, 10).contains(QStringLiteral("above 8")));
    EXPECT_TRUE(page->conditions().contains(QStringLiteral("30 dialogues")));
    EXPECT_TRUE(page->conditions().contains(QStringLiteral("23 Nov 2026")));
}

TEST_F(QualityWindowTest, columns_areSortedNumerically) {
    keep(60);
    page->table().sortByColumn(2, Qt::AscendingOrder);
    EXPECT_EQ(cell(0, 2), QStringLiteral("8 of 29")) << "as numbers, not as words";
    EXPECT_EQ(cell(3, 2), QString(QChar(0x2013))) << "no figure comes last";
    page->table().sortByColumn(4, Qt::DescendingOrder);
    EXPECT_EQ(cell(1, 0), QStringLiteral("Least similar keys (KeyDiff)")) << "in words";
}

TEST_F(QualityWindowTest, stoppedMeasurement_keepsItsRowsAndIsResumed) {
    child<QPushButton>(page->foot(), "measuring.begin").click();
    waitForStart(1);
    measured(12);
    child<QPushButton>(page->foot(), "measuring.stop").click();
    waitForEnd();
    EXPECT_TRUE(page->foot().sentence().contains(QStringLiteral("Stopped at 12 of 60")))
        << page->foot().sentence().toStdString();
    EXPECT_EQ(cell(0, 2), QStringLiteral("26 of 29"));
    EXPECT_EQ(child<QPushButton>(page->foot(), "measuring.begin").text(),
              QStringLiteral("Continue"));
    child<QPushButton>(page->foot(), "measuring.begin").click();
    waitForStart(2);
    EXPECT_FALSE(bench.asked().last().contains(QStringLiteral("--fresh")));
    bench.keep(table(60));
    bench.end(0);
    waitForEnd();
    child<QPushButton>(page->foot(), "measuring.startOver").click();
    waitForStart(3);
    EXPECT_TRUE(bench.asked().last().endsWith(QStringLiteral("--fresh")));
    EXPECT_EQ(state->quality().progress().total, 0) << "the table before it is no progress";
}

TEST_F(QualityWindowTest, storedTables_areShown_unusableOnesAreReported) {
    keep(60);
    EXPECT_EQ(cell(0, 2), QStringLiteral("26 of 29"));
    ModelFacts other = app::smallFacts();
    other.fingerprint = "other-print";
    hear(ModelLoaded{other, 0.1});
    EXPECT_EQ(page->table().model()->rowCount(), 0) << "that was another model's";
    EXPECT_TRUE(shows(*page, "Not measured on this model."));
    const auto files =
        tableFiles(bench.dataFolder().toStdString(), "other-print", TableSize::Small);
    ASSERT_TRUE(writeFileInFolder(files.table, "{\"schema\": \"else\"}"));
    state->quality().readTables();
    EXPECT_TRUE(shows(*page, "The stored small quality table of this model cannot be used"));
}

TEST_F(QualityWindowTest, rejectedMeasurement_reportsTheReasonAndOffersToStartOver) {
    child<QPushButton>(page->foot(), "measuring.begin").click();
    waitForStart(1);
    bench.say("lacuna: CONFLICT: the earlier measurement has other texts");
    bench.end(2);
    waitForEnd();
    EXPECT_TRUE(page->foot().sentence().contains(QStringLiteral("other texts")))
        << page->foot().sentence().toStdString();
    ASSERT_TRUE(child<QPushButton>(page->foot(), "measuring.startOver").isVisible());
    child<QPushButton>(page->foot(), "measuring.startOver").click();
    waitForStart(2);
    EXPECT_TRUE(bench.asked().last().endsWith(QStringLiteral("--fresh")));
}

TEST_F(QualityWindowTest, modelChange_endsTheMeasurement) {
    child<QPushButton>(page->foot(), "measuring.begin").click();
    waitForStart(1);
    measured(12);
    ModelFacts other = app::smallFacts();
    other.fingerprint = "other-print";
    hear(ModelLoaded{other, 0.1});
    waitForEnd();
    EXPECT_TRUE(page->foot().sentence().contains(QStringLiteral("Stopped at 12 of 60")))
        << page->foot().sentence().toStdString();
    EXPECT_EQ(page->table().model()->rowCount(), 0);
}

// The process is suspended: its reports arrive once the answer has ended.
TEST_F(QualityWindowTest, turnDuringTheMeasurement_pausesItAndIsReported) {
    child<QPushButton>(page->foot(), "measuring.begin").click();
    waitForStart(1);
    measured(12);
    app::PromptDraft draft;
    draft.text = QStringLiteral("Where is the key?");
    state->turns().submit(draft);
    QCoreApplication::processEvents();
    ASSERT_EQ(engine->sent<Submit>().size(), 1U) << "nothing holds the question back";
    EXPECT_TRUE(
        page->foot().sentence().contains(QStringLiteral("Paused while an answer is written")))
        << page->foot().sentence().toStdString();
    bench.end(0);
    QTest::qWait(300);  // The absence of an effect is tested.
    EXPECT_TRUE(state->quality().progress().running) << "it does nothing meanwhile";
    TurnFinished finished;
    finished.conversation = here();
    finished.turn = 1;
    finished.text = "Under the mat.";
    hear(finished);
    EXPECT_FALSE(page->foot().sentence().contains(QStringLiteral("Paused")));
    waitForEnd();
}

TEST_F(QualityWindowTest, missingBenchProgram_isReported) {
    std::filesystem::remove(std::filesystem::path(bench.program().toStdString()).parent_path() /
                            "lacuna-bench");
    child<QPushButton>(page->foot(), "measuring.begin").click();
    waitForEnd();
    EXPECT_TRUE(page->foot().sentence().contains(QStringLiteral("lacuna-bench cannot be started")))
        << page->foot().sentence().toStdString();
}

TEST_F(QualityWindowTest, table_isCopiedAsMarkdownAndExportedByFileExtension) {
    keep(60);
    child<QPushButton>(*page, "quality.copy").click();
    EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("| am coverage | 4x |")));
    EXPECT_TRUE(page->exported(QStringLiteral("a.MD")).contains("| am coverage | 4x | 26 of 29 |"));
    EXPECT_TRUE(page->exported(QStringLiteral("a.csv")).startsWith("method,ratio,"));
    EXPECT_TRUE(child<QPushButton>(*page, "quality.save").isEnabled());
}

TEST_F(QualityWindowTest, settings_citeTheTableOrReportThatTheyAreNotMeasured) {
    const auto cited = [this] { return window->whatIf().citation(); };
    const auto set = [this](const char* key, const char* value) {
        state->config().edit(QString::fromLatin1(key), QString::fromLatin1(value),
                             app::EditPace::Settled);
    };
    EXPECT_EQ(cited(), QString()) << "nothing is compacted";
    set("method", "am");
    EXPECT_EQ(cited(), QStringLiteral("Not measured on this model."));
    keep(60);
    EXPECT_TRUE(cited().startsWith(QStringLiteral("At 4x recall 26 of 29, RULER 89.7 % here")))
        << cited().toStdString();
    EXPECT_TRUE(cited().contains(QStringLiteral("23 Nov 2026 on another machine, elsewhere")));
    set("am_ratio", "5");
    EXPECT_TRUE(cited().startsWith(QStringLiteral("At 8x recall 20 of 29")))
        << "the next that asks for more";
    set("head_budgets", "uniform");
    EXPECT_EQ(cited(), QStringLiteral("Not measured on this model."));
}

TEST_F(QualityWindowTest, everyFocusableWidget_hasAnAccessibleName) {
    keep(60);
    for (const QWidget* widget : page->findChildren<QWidget*>()) {
        if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisibleTo(page)) continue;
        if (qobject_cast<const QLabel*>(widget) != nullptr) continue;
        if (widget->objectName().startsWith(QLatin1String("qt_"))) continue;
        EXPECT_FALSE(widget->accessibleName().isEmpty()) << widget->metaObject()->className();
    }
}

}  // namespace
}  // namespace lacuna::ui
