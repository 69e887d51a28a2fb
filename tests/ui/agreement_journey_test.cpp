// Figures and sentences that must agree: each of these was found apart by a person who looked.

#include <gtest/gtest.h>

#include <QAbstractScrollArea>
#include <QComboBox>
#include <QLabel>
#include <QScrollArea>
#include <QToolBar>
#include <QToolButton>

#include "app/state/config_controller.h"
#include "app/state/session_feed.h"
#include "tests/ui/window_stage.h"
#include "ui/knob_panel.h"
#include "ui/knob_row.h"
#include "ui/status_line.h"
#include "ui/window_notices.h"

namespace lacuna::ui {
namespace {

class AgreementJourney : public WindowStage {
  protected:
    AgreementJourney() { load(); }
    /// The newest settings that were asked for are in force.
    void apply() {
        const auto sent = engine->sent<SetConfig>();
        ASSERT_FALSE(sent.empty());
        ConfigApplied applied;
        applied.revision = sent.back().revision;
        applied.config = sent.back().config;
        hear(applied);
    }
    void edit(const char* key, const char* value) {
        state->config().edit(QString::fromLatin1(key), QString::fromLatin1(value),
                             app::EditPace::Settled);
        QCoreApplication::processEvents();
    }
    void skipped(const char* reason) {
        CompactionHappened happened;
        happened.conversation = here();
        happened.report.result = CompactionResult::Skipped;
        happened.report.cause = CompactionCause::Manual;
        happened.report.reason = reason;
        hear(happened);
    }
    /// The first label in sight that begins with these words.
    [[nodiscard]] QString labelled(const QWidget& in, const char* words) const {
        for (const QLabel* label : in.findChildren<QLabel*>())
            if (label->isVisible() &&
                label->text().startsWith(QString::fromUtf8(words), Qt::CaseInsensitive))
                return label->text();
        return {};
    }
};

TEST_F(AgreementJourney, generation_isTheSameInPanelAndStatusLine) {
    const auto* panel = window->findChild<KnobPanel*>();
    const auto* line = window->findChild<StatusLine*>();
    ASSERT_NE(panel, nullptr);
    ASSERT_NE(line, nullptr);
    for (const char* method : {"am", "none", "am"}) {
        edit("method", method);
        apply();
        const QString inPanel = labelled(*panel, "generation");
        ASSERT_FALSE(inPanel.isEmpty());
        EXPECT_EQ(labelled(*line, "generation").toLower(), inPanel.toLower()) << method;
    }
}

TEST_F(AgreementJourney, noMethodChosen_isNotSaidBesideAMethod) {
    skipped("off: no method chosen");
    EXPECT_TRUE(shows("Not compacted: off: no method chosen"));
    edit("method", "am");
    apply();
    EXPECT_FALSE(shows("no method chosen")) << "it stopped being true";
    skipped("AM-SHORT: the text is too short");
    EXPECT_TRUE(shows("Not compacted: AM-SHORT"));
    state->chat().submit({QStringLiteral("something"), {}, {}});
    trigger("chat.new");
    EXPECT_FALSE(shows("Not compacted: AM-SHORT")) << "of another conversation";
}

TEST_F(AgreementJourney, refusedSetting_makesNothingWiderThanItsPanel) {
    for (const int width : {800, 1280}) {
        window->resize(width, width == 800 ? 600 : 800);
        QCoreApplication::processEvents();
        edit("method", "l2");
        ASSERT_TRUE(shows("BUD-REQ")) << width;
        for (const KnobRow* row : window->findChildren<KnobRow*>()) {
            if (!row->isVisible()) continue;
            const auto* area = [row]() -> const QScrollArea* {
                for (const QWidget* up = row->parentWidget(); up != nullptr;
                     up = up->parentWidget())
                    if (const auto* found = qobject_cast<const QScrollArea*>(up)) return found;
                return nullptr;
            }();
            ASSERT_NE(area, nullptr);
            EXPECT_LE(row->mapTo(area->viewport(), QPoint(row->width(), 0)).x(),
                      area->viewport()->width())
                << "at a window of " << width;
        }
        edit("method", "none");
    }
}

TEST_F(AgreementJourney, smallWindow_overlapsNoButtonsAndKeepsTheToolBarWhole) {
    window->resize(800, 600);
    QCoreApplication::processEvents();
    const auto* bar = window->findChild<QToolBar*>(QStringLiteral("toolbar.main"));
    ASSERT_NE(bar, nullptr);
    QList<const QWidget*> seen;
    for (const QToolButton* button : bar->findChildren<QToolButton*>()) {
        if (!button->isVisible()) continue;
        EXPECT_NE(button->objectName(), QStringLiteral("qt_toolbar_ext_button")) << "it overflows";
        const QRect box(button->mapTo(bar, QPoint(0, 0)), button->size());
        EXPECT_TRUE(bar->rect().contains(box)) << button->text().toStdString();
        for (const QWidget* other : seen)
            EXPECT_FALSE(QRect(other->mapTo(bar, QPoint(0, 0)), other->size()).intersects(box))
                << button->text().toStdString();
        seen << button;
    }
    EXPECT_GE(seen.size(), 3);
}

TEST_F(AgreementJourney, workOfTenSeconds_isNotHeadedByItsPause) {
    CompactionHappened happened;
    happened.conversation = here();
    happened.report.result = CompactionResult::Done;
    happened.report.background = true;
    happened.report.stallMs = 0.07;
    happened.report.backgroundMs = 9'800;
    happened.report.totalMs = 9'800;
    happened.report.tokens = 8192;
    hear(happened);
    QString title;
    for (const app::EventRow& row : state->feed().timeline())
        if (row.kind == app::EventKind::Compaction) title = row.title;
    ASSERT_FALSE(title.isEmpty());
    EXPECT_TRUE(title.contains(QStringLiteral("9.80 s"))) << title.toStdString();
}

}  // namespace
}  // namespace lacuna::ui
