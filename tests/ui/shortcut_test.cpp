// Every key of a window has one meaning in all languages: shortcuts of actions and buttons,
// mnemonics of menus, tabs and labels with a field. Menus show check marks correctly.

#include <QAbstractButton>
#include <QGroupBox>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QShortcut>
#include <QTabBar>
#include <QTest>
#include <map>

#include "tests/ui/window_stage.h"
#include "ui/charts/retention_view.h"
#include "ui/chat/chat_view.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/window/window_dialogs.h"

namespace lacuna::ui {
namespace {

using Meanings = std::map<QString, QStringList>;  ///< list of meanings per key

void add(Meanings& meanings, const QKeySequence& key, const QString& what) {
    if (key.isEmpty()) return;
    QStringList& all = meanings[key.toString(QKeySequence::PortableText)];
    if (!all.contains(what)) all << what;
}

/// Meanings of each key while `window` is active; pages that are never visible together share a
/// key.
Meanings meaningsOf(const QWidget& window) {
    Meanings meanings;
    for (const QAction* action : window.findChildren<QAction*>())
        for (const QKeySequence& key : action->shortcuts())
            add(meanings, key, QStringLiteral("action ") + action->text());
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (widget->window() != &window) continue;
        if (const auto* bar = qobject_cast<const QMenuBar*>(widget))
            for (const QAction* menu : bar->actions())
                add(meanings, QKeySequence::mnemonic(menu->text()),
                    QStringLiteral("menu ") + menu->text());
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        if (button != nullptr && button->isVisible())
            add(meanings, button->shortcut(), QStringLiteral("button ") + button->text());
        if (const auto* label = qobject_cast<const QLabel*>(widget);
            label != nullptr && label->buddy() != nullptr)
            add(meanings, QKeySequence::mnemonic(label->text()),
                QStringLiteral("label ") + label->text());
        if (const auto* box = qobject_cast<const QGroupBox*>(widget))
            add(meanings, QKeySequence::mnemonic(box->title()),
                QStringLiteral("box ") + box->title());
        if (const auto* tabs = qobject_cast<const QTabBar*>(widget))
            for (int tab = 0; tab < tabs->count(); ++tab)
                add(meanings, QKeySequence::mnemonic(tabs->tabText(tab)),
                    QStringLiteral("tab ") + tabs->tabText(tab));
    }
    for (const QShortcut* shortcut : window.findChildren<QShortcut*>())
        add(meanings, shortcut->key(),
            QStringLiteral("shortcut of ") + shortcut->parent()->objectName());
    return meanings;
}

void expectOneMeaning(const Meanings& meanings, const QString& where) {
    for (const auto& [key, all] : meanings)
        EXPECT_EQ(all.size(), 1) << where.toStdString() << ": " << key.toStdString() << " is "
                                 << all.join(QStringLiteral("; ")).toStdString();
}

/// Checks the mnemonics of the entries of each menu; Qt assigns none automatically.
void expectOneMeaningInMenus(const QWidget& window) {
    for (const QMenu* menu : window.findChildren<QMenu*>()) {
        Meanings meanings;
        for (const QAction* entry : menu->actions())
            add(meanings, QKeySequence::mnemonic(entry->text()), entry->text());
        expectOneMeaning(meanings, QStringLiteral("menu ") + menu->title());
    }
}

class ShortcutsTest : private Speaking, public WindowStage {
  protected:
    explicit ShortcutsTest(Language language) : Speaking(language) {}

    void expectNoAmbiguity() {
        load();
        expectOneMeaning(meaningsOf(*window), QStringLiteral("main window"));
        expectOneMeaningInMenus(*window);
        for (const char* opens : {"measure.compare", "measure.sweep", "measure.quality",
                                  "measure.formats", "memory.open", "server.open", "help.log",
                                  "remote.connect", "model.page", "report.export"}) {
            trigger(opens);
            QCoreApplication::processEvents();
            expectOneMeaning(meaningsOf(*window), QString::fromLatin1(opens));
        }
        for (const char* opens : {"help.shortcuts", "help.welcome", "chat.system", "pin.list"})
            trigger(opens);
        QCoreApplication::processEvents();
        int windows = 0;
        for (const QWidget* one : QApplication::topLevelWidgets()) {
            if (one == window.get() || qobject_cast<const QMenu*>(one) != nullptr) continue;
            expectOneMeaning(meaningsOf(*one), one->windowTitle());
            ++windows;
        }
        EXPECT_GE(windows, 4);
    }
};

class EnglishShortcutsTest : public ShortcutsTest {
  protected:
    EnglishShortcutsTest() : ShortcutsTest(Language::English) {}
    [[nodiscard]] bool checked(const char* action) const {
        window->actions().refreshChecks();  // as a menu does before it opens
        return window->actions().find(QString::fromLatin1(action))->isChecked();
    }
};
class GermanShortcutsTest : public ShortcutsTest {
  protected:
    GermanShortcutsTest() : ShortcutsTest(Language::German) {}
};
class ChineseShortcutsTest : public ShortcutsTest {
  protected:
    ChineseShortcutsTest() : ShortcutsTest(Language::Chinese) {}
};

TEST_F(EnglishShortcutsTest, shortcutsOfEveryWindow_areUnambiguous) {
    expectNoAmbiguity();
}
TEST_F(GermanShortcutsTest, shortcutsOfEveryWindow_areUnambiguous) {
    expectNoAmbiguity();
}
TEST_F(ChineseShortcutsTest, shortcutsOfEveryWindow_areUnambiguous) {
    expectNoAmbiguity();
}

TEST_F(EnglishShortcutsTest, retentionShortcut_togglesTheOverlayImmediately) {
    load();
    window->activateWindow();
    QCoreApplication::processEvents();
    const QAction* action = window->actions().find(QStringLiteral("view.retention"));
    const QKeyCombination key = action->shortcut()[0];
    const auto* strip = window->findChild<RetentionStrip*>();
    QTest::keyClick(window.get(), key.key(), key.keyboardModifiers());
    EXPECT_FALSE(strip->isHidden());
    QTest::keyClick(window.get(), key.key(), key.keyboardModifiers());
    EXPECT_TRUE(strip->isHidden());
}

TEST_F(EnglishShortcutsTest, toggles_areCheckedInTheMenu) {
    load();
    EXPECT_FALSE(checked("view.retention"));
    trigger("view.retention");
    EXPECT_TRUE(checked("view.retention"));
    trigger("view.retention");
    EXPECT_FALSE(checked("view.retention"));
    EXPECT_FALSE(checked("telemetry.pause"));
    window->telemetry().toggleMode();  // by a route other than the menu
    EXPECT_TRUE(checked("telemetry.pause"));
    for (const MainWindow::Panel& panel : window->panels()) {
        const QByteArray id = (QStringLiteral("panel.") + panel.id).toLatin1();
        EXPECT_TRUE(checked(id.constData())) << id.constData();
        trigger(id.constData());
        EXPECT_TRUE(panel.widget->isHidden()) << id.constData();
        EXPECT_FALSE(checked(id.constData())) << id.constData();
    }
}

}  // namespace
}  // namespace lacuna::ui
