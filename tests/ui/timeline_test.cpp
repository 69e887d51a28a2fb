#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTableView>

#include "tests/ui/offscreen.h"
#include "ui/charts/retention_view.h"
#include "ui/panels/timeline_panel.h"
#include "ui/style/theme.h"

namespace lacuna::ui {
namespace {

app::EventRow event(app::EventKind kind, const char* title, qint64 compaction = 0) {
    app::EventRow row;
    row.kind = kind;
    row.title = QString::fromUtf8(title);
    row.compaction = compaction;
    row.when = QDateTime(QDate(2026, 3, 1), QTime(14, 2, 11));
    return row;
}

TEST(TimelineModel, insertedAndRemovedRows_keepTheModelConsistent) {
    offscreenApplication();
    TimelineModel model;
    TimelineFilter filter;
    filter.setSourceModel(&model);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QAbstractItemModelTester filtered(&filter,
                                      QAbstractItemModelTester::FailureReportingMode::Fatal);
    for (int i = 0; i < 50; ++i) model.add(event(app::EventKind::Notice, "note"));
    model.setRows({event(app::EventKind::Turn, "one"), event(app::EventKind::Config, "two")});
    model.add(event(app::EventKind::Compaction, "three", 7));
    EXPECT_EQ(model.rowCount(), 3);
    EXPECT_EQ(model.rowOfCompaction(7), 2);
    EXPECT_FALSE(model.rowOfCompaction(8));
    EXPECT_FALSE(model.rowOfCompaction(0));
    model.setRows({});
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(TimelineModel, fullModel_dropsTheOldestRowsAndCountsThem) {
    TimelineModel model;
    for (int i = 0; i < TimelineModel::kMaxRows + 5; ++i)
        model.add(event(app::EventKind::Notice, "note", i + 1));
    EXPECT_LE(model.rowCount(), TimelineModel::kMaxRows);
    EXPECT_EQ(model.rowCount() + model.dropped(), TimelineModel::kMaxRows + 5);
    EXPECT_FALSE(model.rowOfCompaction(1));
    EXPECT_TRUE(model.rowOfCompaction(TimelineModel::kMaxRows + 5));
}

TEST(TimelineModel, problem_isShownByTextAndIcon) {
    TimelineModel model;
    app::EventRow row = event(app::EventKind::Config, "refused");
    row.problem = true;
    model.add(row);
    const QString kind = model.index(0, TimelineModel::Kind).data().toString();
    EXPECT_TRUE(kind.contains(QChar(0x26A0)));
    EXPECT_TRUE(kind.contains(QStringLiteral("Settings")));
    EXPECT_EQ(model.index(0, TimelineModel::Time).data().toString().toStdString(), "03-01 14:02:11")
        << "of another day";
}

TEST(TimelineFilter, kindTextAndProblems_filterTheRows) {
    TimelineModel model;
    TimelineFilter filter;
    filter.setSourceModel(&model);
    model.add(event(app::EventKind::Compaction, "compaction 41 done", 41));
    model.add(event(app::EventKind::Config, "AM ratio 2 to 4"));
    app::EventRow refused = event(app::EventKind::Config, "ratio 8.1 refused");
    refused.problem = true;
    refused.detail = QStringLiteral("AM-RANGE");
    model.add(refused);
    filter.setKind(app::EventKind::Config);
    EXPECT_EQ(filter.rowCount(), 2);
    filter.setWords(QStringLiteral("ratio RANGE"));
    EXPECT_EQ(filter.rowCount(), 1);
    filter.setWords({});
    filter.setKind(std::nullopt);
    filter.setScope(TimelineScope::Problems);
    EXPECT_EQ(filter.rowCount(), 1);
}

TEST(TimelinePanel, selectCompaction_showsItsRowDespiteAFilter) {
    offscreenApplication();
    ThemeSource themes(ThemeChoice::Light);
    TimelinePanel panel(themes);
    panel.resize(800, 200);
    panel.show();
    for (int i = 1; i <= 30; ++i) panel.add(event(app::EventKind::Compaction, "compaction", i));
    panel.findChild<QLineEdit*>()->setText(QStringLiteral("nothing like it"));
    QSignalSpy selected(&panel, &TimelinePanel::rowSelected);
    panel.selectCompaction(12);
    ASSERT_EQ(selected.count(), 1);
    EXPECT_EQ(selected[0][0].value<app::EventRow>().compaction, 12);
    EXPECT_TRUE(
        panel.findChild<QPlainTextEdit*>()->toPlainText().contains(QStringLiteral("compaction")));
}

TEST(TimelinePanel, newRows_followTheEndUnlessTheUserScrolledBack) {
    offscreenApplication();
    ThemeSource themes(ThemeChoice::Light);
    TimelinePanel panel(themes);
    panel.resize(800, 200);
    panel.show();
    for (int i = 0; i < 100; ++i) panel.add(event(app::EventKind::Notice, "note"));
    auto* table = panel.findChild<QTableView*>();
    const auto last = [&] { return table->rowAt(table->viewport()->height() - 30); };
    EXPECT_GE(last(), 90);
    table->scrollToTop();
    panel.add(event(app::EventKind::Notice, "note"));
    EXPECT_LT(last(), 20);
}

app::RetentionView someRetention() {
    app::RetentionView view;
    view.sinks = 2;
    view.recent = 3;
    view.share = {1.0F, 1.0F, 1.0F, 0.4F, 0.0F, 1.0F, 1.0F, 1.0F};
    for (int i = 0; i < 8; ++i) {
        view.starts << view.text.size();
        view.text += QStringLiteral("word%1 ").arg(i);
    }
    view.starts << view.text.size();
    return view;
}

TEST(Retention, tokenFate_dependsOnShareAndPosition) {
    const app::RetentionView view = someRetention();
    const RetentionState expected[] = {RetentionState::Sink,    RetentionState::Sink,
                                       RetentionState::Kept,    RetentionState::Thinned,
                                       RetentionState::Evicted, RetentionState::Recent,
                                       RetentionState::Recent,  RetentionState::Recent};
    for (qsizetype i = 0; i < view.share.size(); ++i)
        EXPECT_EQ(retentionStateOf(view, i), expected[i]) << i;
}

TEST(Retention, strip_describesATokenAndTheTotals) {
    offscreenApplication();
    ThemeSource themes(ThemeChoice::Light);
    RetentionStrip strip(themes);
    strip.setView(someRetention());
    EXPECT_TRUE(tokenDescription(strip.view(), 4).contains(QStringLiteral("evicted")));
    EXPECT_TRUE(tokenDescription(strip.view(), 4).contains(QStringLiteral("word4")));
    EXPECT_TRUE(strip.accessibleDescription().contains(QStringLiteral("1 evicted")));
    EXPECT_TRUE(tokenDescription(strip.view(), 99).isEmpty());
}

TEST(Retention, strip_drawsAnyNumberOfTokens) {
    offscreenApplication();
    ThemeSource themes(ThemeChoice::Dark);
    for (const qsizetype count : {0, 1, 7, 40'000}) {
        app::RetentionView view;
        for (qsizetype i = 0; i < count; ++i) view.share << (i % 3 == 0 ? 0.0F : 1.0F);
        RetentionStrip strip(themes);
        strip.resize(600, 120);
        strip.setView(view);
        EXPECT_FALSE(strip.grab().isNull());
    }
}

}  // namespace
}  // namespace lacuna::ui
