// A person's way through the quality page, with an engine that says what the test tells it to say.

#include "ui/quality_window.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QTableView>
#include <QTest>

#include "app/state/config_controller.h"
#include "engine/settings/facts.h"
#include "tests/support/made_up_table.h"
#include "tests/ui/window_stage.h"
#include "ui/model_details.h"
#include "ui/what_if_box.h"

namespace lacuna::ui {
namespace {

class QualityPage : public WindowStage {
  protected:
    QualityPage() {
        ModelFacts facts = app::smallFacts();
        facts.fingerprint = "small-print";
        hear(ModelLoaded{facts, 0.2});
        hear(StateChanged{EngineState::Idle});
        trigger("measure.quality");
        QCoreApplication::processEvents();
        page = window->findChild<QualityWindow*>();
    }
    /// A table as far as `done` of 60.
    static std::shared_ptr<const QualityTable> table(std::int64_t done) {
        QualityTable made = test::madeUpTable(TableSize::Small);
        made.model = "small";
        made.fingerprint = "small-print";
        made.done = done;
        made.rows = {test::madeUpRow("am coverage", 4, 26, 0.02),
                     test::madeUpRow("am coverage", 8, 20, 0.05),
                     test::madeUpRow("keydiff", 4, 8, 0.5),
                     test::refusedRow("am coverage", 16, "AM ratio 16 is above 8")};
        return std::make_shared<const QualityTable>(std::move(made));
    }
    void fill(std::int64_t done, std::optional<Error> error, bool ended) {
        QualityTableFilled event;
        event.table = table(done);
        event.done = done;
        event.total = 60;
        event.ended = ended;
        event.error = std::move(error);
        hear(event);
    }
    [[nodiscard]] QString cell(int line, int column) const {
        return page->table().model()->index(line, column).data().toString();
    }

    QualityWindow* page = nullptr;
};

TEST_F(QualityPage, smallTable_isMeasuredWithProgressAndShown) {
    ASSERT_NE(page, nullptr);
    ASSERT_TRUE(page->isVisible());
    EXPECT_TRUE(shows(*page, "Not measured on this model."));
    EXPECT_FALSE(page->saveButton().isEnabled());
    page->measureButton().click();
    const auto asked = engine->sent<FillQualityTable>();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].size, TableSize::Small);
    EXPECT_FALSE(asked[0].fresh);
    EXPECT_FALSE(asked[0].filler.empty() || asked[0].book.empty());
    QualityTableFilled begun;
    begun.prepared = 0.5;
    hear(begun);
    EXPECT_TRUE(page->sentence().contains(QStringLiteral("Making the questions, 50 %")))
        << page->sentence().toStdString();
    fill(10, {}, false);
    fill(30, {}, false);
    EXPECT_TRUE(page->sentence().contains(QStringLiteral("30 of 60")));
    EXPECT_TRUE(page->sentence().contains(QStringLiteral("left")));
    EXPECT_TRUE(page->stopButton().isVisible());
    EXPECT_TRUE(shows("measuring its quality: 50 %")) << "also while the page is closed";
    fill(60, {}, true);
    EXPECT_FALSE(shows("measuring its quality"));
    EXPECT_EQ(page->sentence(), QStringLiteral("Measured."));
    EXPECT_FALSE(page->measureButton().isEnabled()) << "all is there; starting over is said so";
    EXPECT_TRUE(page->startOverButton().isEnabled());
    EXPECT_EQ(cell(0, 0), QStringLiteral("Attention matching: By how its error falls"));
    EXPECT_EQ(cell(0, 2), QStringLiteral("26 of 29"));
    EXPECT_EQ(cell(0, 3), QStringLiteral("89.7 %"));
    EXPECT_EQ(cell(0, 7), QStringLiteral("25.0 %"));
    EXPECT_EQ(cell(3, 2), QString(QChar(0x2013)));
    EXPECT_TRUE(cell(3, 10).contains(QStringLiteral("above 8")));
    EXPECT_TRUE(page->conditions().contains(QStringLiteral("30 dialogues")));
    EXPECT_TRUE(page->conditions().contains(QStringLiteral("23 Nov 2026")));
}

TEST_F(QualityPage, columns_sortByTheirFigures) {
    fill(60, {}, true);
    page->table().sortByColumn(2, Qt::AscendingOrder);
    EXPECT_EQ(cell(0, 2), QStringLiteral("8 of 29")) << "as numbers, not as words";
    EXPECT_EQ(cell(3, 2), QString(QChar(0x2013))) << "no figure comes last";
    page->table().sortByColumn(4, Qt::DescendingOrder);
    EXPECT_EQ(cell(1, 0), QStringLiteral("Unlike the others (KeyDiff)")) << "in words";
}

TEST_F(QualityPage, stoppedMeasurement_keepsItsRowsAndIsGoneOnWith) {
    page->measureButton().click();
    fill(12, {}, false);
    page->stopButton().click();
    EXPECT_EQ(engine->sent<StopQualityTable>().size(), 1U);
    fill(12, Error{ErrorCode::Cancelled, "the measurement was stopped", {}}, true);
    EXPECT_TRUE(page->sentence().contains(QStringLiteral("Stopped at 12 of 60")))
        << page->sentence().toStdString();
    EXPECT_EQ(cell(0, 2), QStringLiteral("26 of 29"));
    EXPECT_EQ(page->measureButton().text(), QStringLiteral("Go on"));
    page->measureButton().click();
    ASSERT_EQ(engine->sent<FillQualityTable>().size(), 2U);
    EXPECT_FALSE(engine->sent<FillQualityTable>()[1].fresh);
    fill(60, {}, true);
    page->startOverButton().click();
    EXPECT_TRUE(engine->sent<FillQualityTable>()[2].fresh);
}

TEST_F(QualityPage, keptTables_areShownAndThoseThatCannotBeUsedNamed) {
    hear(QualityTablesKept{.fingerprint = "small-print", .tables = {table(60)}, .problems = {}});
    EXPECT_EQ(cell(0, 2), QStringLiteral("26 of 29"));
    ModelFacts other = app::smallFacts();
    other.fingerprint = "other-print";
    hear(ModelLoaded{other, 0.1});
    EXPECT_EQ(page->table().model()->rowCount(), 0) << "that was another model's";
    EXPECT_TRUE(shows(*page, "Not measured on this model."));
    hear(QualityTablesKept{.fingerprint = "small-print", .tables = {table(60)}, .problems = {}});
    EXPECT_EQ(page->table().model()->rowCount(), 0);
    hear(QualityTablesKept{.fingerprint = "other-print",
                           .tables = {},
                           .problems = {"The small quality table cannot be used: damaged."}});
    EXPECT_TRUE(shows(*page, "cannot be used: damaged"));
}

TEST_F(QualityPage, refusedMeasurement_saysWhyAndOffersToStartOver) {
    page->measureButton().click();
    QualityTableFilled event;
    event.ended = true;
    event.error = Error{ErrorCode::Conflict, "what was measured before was of other texts", {}};
    hear(event);
    EXPECT_TRUE(page->sentence().contains(QStringLiteral("other texts")));
    ASSERT_TRUE(page->startOverButton().isVisible());
    page->startOverButton().click();
    EXPECT_TRUE(engine->sent<FillQualityTable>().back().fresh);
}

TEST_F(QualityPage, answerMeanwhile_comesFirstAndThePageSaysSo) {
    page->measureButton().click();
    fill(12, {}, false);
    app::PromptDraft draft;
    draft.text = QStringLiteral("Where is the key?");
    state->chat().submit(draft);
    QCoreApplication::processEvents();
    ASSERT_EQ(engine->sent<Submit>().size(), 1U) << "nothing holds the question back";
    EXPECT_TRUE(page->sentence().contains(QStringLiteral("Paused while an answer is written")))
        << page->sentence().toStdString();
    TurnFinished finished;
    finished.conversation = here();
    finished.turn = 1;
    finished.text = "Under the mat.";
    hear(finished);
    EXPECT_FALSE(page->sentence().contains(QStringLiteral("Paused")));
}

TEST_F(QualityPage, table_isCopiedAsMarkdownAndExportedByTheNameOfTheFile) {
    fill(60, {}, true);
    page->copyButton().click();
    EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("| am coverage | 4x |")));
    EXPECT_TRUE(page->exported(QStringLiteral("a.MD")).contains("| am coverage | 4x | 26 of 29 |"));
    EXPECT_TRUE(page->exported(QStringLiteral("a.csv")).startsWith("method,ratio,"));
    EXPECT_TRUE(page->saveButton().isEnabled());
}

TEST_F(QualityPage, settings_citeTheTableOrSayThatTheyWereNotMeasured) {
    const auto cited = [this] { return window->whatIf().citation(); };
    const auto set = [this](const char* key, const char* value) {
        state->config().edit(QString::fromLatin1(key), QString::fromLatin1(value),
                             app::EditPace::Settled);
    };
    EXPECT_EQ(cited(), QString()) << "nothing is compacted";
    set("method", "am");
    EXPECT_EQ(cited(), QStringLiteral("Not measured on this model."));
    fill(60, {}, true);
    EXPECT_TRUE(cited().startsWith(QStringLiteral("At 4x recall 26 of 29, RULER 89.7 % here")))
        << cited().toStdString();
    EXPECT_TRUE(cited().contains(QStringLiteral("23 Nov 2026 on another machine, elsewhere")));
    set("am_ratio", "5");
    EXPECT_TRUE(cited().startsWith(QStringLiteral("At 8x recall 20 of 29")))
        << "the next that asks for more";
    set("head_budgets", "uniform");
    EXPECT_EQ(cited(), QStringLiteral("Not measured on this model."));
}

TEST_F(QualityPage, everyFocusableWidget_hasAName) {
    fill(60, {}, true);
    for (const QWidget* widget : page->findChildren<QWidget*>()) {
        if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisibleTo(page)) continue;
        if (qobject_cast<const QLabel*>(widget) != nullptr) continue;
        if (widget->objectName().startsWith(QLatin1String("qt_"))) continue;
        EXPECT_FALSE(widget->accessibleName().isEmpty()) << widget->metaObject()->className();
    }
}

}  // namespace
}  // namespace lacuna::ui
