// Checks every page of the window for screen readers and keyboard use: focusable widgets have
// names, icon-only widgets have descriptions, and Tab leads on from everywhere. Pages are found
// through the actions, so new pages are included automatically.

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAccessible>
#include <QDialog>
#include <QFileDialog>
#include <QMessageBox>
#include <QSet>
#include <QTest>
#include <algorithm>

#include "app/state/chat/chat_model.h"
#include "app/state/chat/conversation_turns.h"
#include "tests/ui/window_stage.h"
#include "ui/chat/prompt_box.h"
#include "ui/window/page_stack.h"

namespace lacuna::ui {
namespace {

QString nameOf(QWidget& widget) {
    // A tab bar takes its text from its current tab and has an accessible name in addition.
    if (!widget.accessibleName().isEmpty()) return widget.accessibleName();
    QAccessibleInterface* const spoken = QAccessible::queryAccessibleInterface(&widget);
    return spoken == nullptr ? QString() : spoken->text(QAccessible::Name).trimmed();
}

QString placeOf(const QWidget& widget) {
    QStringList path;
    for (const QWidget* one = &widget; one != nullptr; one = one->parentWidget())
        path.prepend(QString::fromLatin1(one->metaObject()->className()) + QLatin1Char('/') +
                     one->objectName());
    return path.mid(std::max<qsizetype>(0, path.size() - 4)).join(QStringLiteral(" > "));
}

/// Qt's own parts of a compound widget; the compound has the name.
bool isPart(const QWidget& widget) {
    return widget.objectName().startsWith(QLatin1String("qt_")) ||
           (widget.parentWidget() != nullptr &&
            (widget.parentWidget()->inherits("QAbstractSpinBox") ||
             (widget.parentWidget()->inherits("QComboBox")) ||
             widget.inherits("QComboBoxPrivateContainer")));
}

/// A label with selectable text is read out as that text.
bool takesKeyboard(const QWidget& widget) {
    return qobject_cast<const QLabel*>(&widget) == nullptr && widget.isVisible() &&
           widget.isEnabled() && widget.focusPolicy() != Qt::NoFocus &&
           widget.focusProxy() == nullptr && !isPart(widget);
}

void expectNamed(const QWidget& page, const QString& title) {
    for (QWidget* widget : page.findChildren<QWidget*>()) {
        if (widget->window() != page.window() || !widget->isVisible()) continue;
        if (takesKeyboard(*widget)) {
            EXPECT_FALSE(nameOf(*widget).isEmpty())
                << title.toStdString() << ": no name: " << placeOf(*widget).toStdString();
        }
        const auto* button = qobject_cast<QAbstractButton*>(widget);
        if (button == nullptr || isPart(*button) || !button->text().isEmpty()) continue;
        if (!button->icon().isNull()) {
            EXPECT_FALSE(button->toolTip().isEmpty())
                << title.toStdString()
                << ": an icon that says nothing: " << placeOf(*button).toStdString();
        }
    }
}

/// Presses Tab from the first widget until it cycles and expects the focus to move each time.
void expectNoTrap(QWidget& page, const QString& title) {
    page.activateWindow();
    QCoreApplication::processEvents();
    if (page.focusWidget() == nullptr) QTest::keyClick(&page, Qt::Key_Tab);
    QSet<const QWidget*> seen;
    constexpr int kMost = 400;
    for (int i = 0; i < kMost; ++i) {
        QWidget* const at = page.focusWidget();
        if (at == nullptr) return;
        if (seen.contains(at)) return;  // a full cycle
        seen.insert(at);
        QTest::keyClick(at, Qt::Key_Tab);
        QWidget* const next = page.focusWidget();
        if (next == at) {
            const auto all = page.findChildren<QWidget*>();
            const auto stops = std::count_if(all.begin(), all.end(), [](const QWidget* widget) {
                return takesKeyboard(*widget) && (widget->focusPolicy() & Qt::TabFocus) != 0;
            });
            EXPECT_EQ(stops, 1) << title.toStdString() << ": Tab stays in "
                                << placeOf(*at).toStdString();
            return;
        }
    }
    ADD_FAILURE() << title.toStdString() << ": Tab does not come round";
}

class AccessibilityTest : public WindowStage {
  protected:
    AccessibilityTest() {
        load();
        app::PromptDraft draft;
        draft.text = QStringLiteral("Where is the key?");
        state->turns().submit(draft);
        TurnFinished finished;
        finished.conversation = here();
        finished.turn = 1;
        finished.text = "Under the mat.\n\n```cpp\nint key = 1;\n```\n";
        hear(finished);
    }
    /// Visible pages, without the window itself.
    [[nodiscard]] QList<QWidget*> pages() const {
        QList<QWidget*> found;
        for (QWidget* one : QApplication::topLevelWidgets())
            if (one != window.get() && one->isVisible() && one->isWindow() &&
                one->inherits("QDialog"))
                found << one;
        return found;
    }
};

TEST_F(AccessibilityTest, mainWindow_hasAccessibleNamesAndNoFocusTrap) {
    for (const MainWindow::Panel& panel : window->panels()) {
        trigger(("focus." + panel.id.toStdString()).c_str());
        QCoreApplication::processEvents();
        expectNamed(*window, panel.id);
    }
    window->prompt().focusText();
    expectNoTrap(*window, QStringLiteral("window"));
}

TEST_F(AccessibilityTest, everyPage_hasAccessibleNamesAndNoFocusTrap) {
    // Each of these ends the program, changes state that the others need, or takes minutes.
    const QSet<QString> left{QStringLiteral("app.quit"),      QStringLiteral("demo.run"),
                             QStringLiteral("demo.short"),    QStringLiteral("model.unload"),
                             QStringLiteral("chat.new"),      QStringLiteral("chat.delete"),
                             QStringLiteral("chat.stop"),     QStringLiteral("chat.regenerate"),
                             QStringLiteral("model.bundled"), QStringLiteral("chat.continue"),
                             QStringLiteral("chat.send")};
    QSet<QString> walked;
    for (QAction* action : window->actions().actions()) {
        if (left.contains(action->objectName()) || !action->isEnabled()) continue;
        action->trigger();
        deliverEvents();
        QWidget* const shown = window->pages().shown();
        if (const QString title = shown->windowTitle();
            !title.isEmpty() && !walked.contains(title)) {
            expectNamed(*window, title);
            expectNoTrap(*window, title);
            walked.insert(title);
        }
        for (QWidget* page : pages()) {
            // The system's file dialogs belong to Qt.
            if (qobject_cast<QFileDialog*>(page) == nullptr) {
                const QString title = page->windowTitle();
                EXPECT_FALSE(title.isEmpty()) << action->text().toStdString();
                if (!walked.contains(title)) {
                    expectNamed(*page, title);
                    expectNoTrap(*page, title);
                }
                walked.insert(title);
            }
            page->close();
            deliverEvents();
        }
    }
    // Minimum set of pages; more are fine.
    for (const char* page : {"Compare two settings", "Sweep settings", "Timeline", "Export report",
                             "What now?", "Rename conversation", "System prompt", "Stored prefixes",
                             "Server", "Models", "Remote engines", "Quality", "Cache formats"}) {
        const bool there = std::any_of(walked.begin(), walked.end(), [page](const QString& title) {
            return title.contains(QString::fromLatin1(page), Qt::CaseInsensitive);
        });
        EXPECT_TRUE(there) << page << " was not walked";
    }
    EXPECT_GE(walked.size(), 14);
}

}  // namespace
}  // namespace lacuna::ui
