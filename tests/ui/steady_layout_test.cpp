// Widgets do not move while a mouse button is pressed, and notices never move anything.

#include <QGridLayout>
#include <QMouseEvent>
#include <QScrollArea>
#include <QTest>

#include "app/state/settings/config_controller.h"
#include "tests/ui/window_stage.h"
#include "ui/chat/chat_view.h"
#include "ui/panels/predicted_loss_label.h"
#include "ui/panels/profile_panel.h"
#include "ui/panels/setting_row.h"
#include "ui/panels/settings_panel.h"
#include "ui/style/widget_roles.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {
namespace {

class LayoutStabilityTest : public WindowStage {
  protected:
    [[nodiscard]] SettingSlider* slider(const char* key) const {
        return window->tuning().row(QString::fromLatin1(key))->findChild<SettingSlider*>();
    }
    [[nodiscard]] static QPoint placeOf(const QWidget& widget) {
        QCoreApplication::processEvents();
        return widget.mapToGlobal(QPoint(0, 0));
    }
    static void mouse(QWidget& widget, QEvent::Type type, QPoint at) {
        const bool down = type != QEvent::MouseButtonRelease;
        QMouseEvent event(type, at, widget.mapToGlobal(at),
                          type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton,
                          down ? Qt::LeftButton : Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(&widget, &event);
        QCoreApplication::processEvents();
    }
};

TEST_F(LayoutStabilityTest, notice_doesNotMoveChatOrPanels) {
    load();
    auto* notice = window->findChild<NoticeBar*>();
    notice->hide();
    const QRect chat(placeOf(window->chatView()), window->chatView().size());
    const QPoint ratio = placeOf(*slider("am_ratio"));
    for (const NoticeKind kind : {NoticeKind::Info, NoticeKind::Problem}) {
        notice->showMessage(kind,
                            QString(400, QLatin1Char('x')) + QStringLiteral(" and more words"),
                            QStringLiteral("Do it"), [] {});
        EXPECT_EQ(QRect(placeOf(window->chatView()), window->chatView().size()), chat);
        EXPECT_EQ(placeOf(*slider("am_ratio")), ratio);
        EXPECT_TRUE(notice->isVisible());
        EXPECT_GT(notice->height(), 20);
        EXPECT_EQ(window->childAt(notice->mapTo(window.get(), QPoint(4, 4))), notice)
            << "over the chat, not under it";
        notice->hide();
    }
}

TEST_F(LayoutStabilityTest, draggedSlider_staysUnderTheMouse) {
    load();
    for (const char* key : {"am_ratio", "budget", "temperature", "top_p"}) {
        SettingSlider* dragged = slider(key);
        window->tuning().reveal(QString::fromLatin1(key));
        QCoreApplication::processEvents();
        const QPoint grip(dragged->width() / 3, dragged->height() / 2);
        const QPoint place = placeOf(*dragged);
        mouse(*dragged, QEvent::MouseButtonPress, grip);
        for (int step = 1; step <= 12; ++step) {
            mouse(*dragged, QEvent::MouseMove, grip + QPoint(step * 4, 0));
            EXPECT_EQ(placeOf(*dragged), place) << key << " " << step;
        }
        // Meanwhile a setting above is rejected, which opens a box there.
        ConfigRejected refused;
        refused.revision = engine->sent<SetConfig>().empty()
                               ? Revision(99)
                               : engine->sent<SetConfig>().back().revision;
        RuleViolation& violation = refused.violations.emplace_back();
        violation.rule = "BUD-REQ";
        violation.field = "method";
        violation.sentence = "A sentence that takes some lines of the panel, with a reason.";
        hear(refused);
        EXPECT_EQ(placeOf(*dragged), place) << key;
        mouse(*dragged, QEvent::MouseButtonRelease, grip + QPoint(48, 0));
    }
}

TEST_F(LayoutStabilityTest, shorterLinesOfTheSettingsPanel_keepTheirHeight) {
    load();
    SteadyCaption caption(2, window.get());
    caption.resize(200, 10);
    const int least = caption.heightForWidth(200);
    caption.setText(QString(400, QLatin1Char('m')).replace(7, 1, QLatin1Char(' ')));
    const int tall = caption.heightForWidth(200);
    caption.setText(QStringLiteral("short"));
    EXPECT_EQ(caption.heightForWidth(200), tall);
    caption.setText(QString());
    EXPECT_EQ(caption.heightForWidth(200), tall);
    EXPECT_GE(tall, least);
    EXPECT_GT(least, 0);
}

}  // namespace
}  // namespace lacuna::ui
