// Every key of a window has one meaning, in all languages: shortcuts of actions and buttons,
// mnemonics of menus, of tabs and of labels with a field. Menus show what is on.

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
#include "ui/chat_view.h"
#include "ui/panel_dock.h"
#include "ui/retention_view.h"
#include "ui/telemetry_panel.h"
#include "ui/window_dialogs.h"

namespace lacuna::ui {
namespace {

using Meanings = std::map<QString, QStringList>;  ///< of each key

void add(Meanings& meanings, const QKeySequence& key, const QString& what) {
    if (key.isEmpty()) return;
    QStringList& all = meanings[key.toString(QKeySequence::PortableText)];
    if (!all.contains(what)) all << what;
}

/// What a key does while `window` is in front; pages that are never seen together share one.
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
        if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
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

/// Within a menu the mnemonics of its entries; Qt gives none where a text has none.
void expectOneMeaningInMenus(const QWidget& window) {
    for (const QMenu* menu : window.findChildren<QMenu*>()) {
        Meanings meanings;
        for (const QAction* entry : menu->actions())
            add(meanings, QKeySequence::mnemonic(entry->text()), entry->text());
        expectOneMeaning(meanings, QStringLiteral("menu ") + menu->title());
    }
}

class InLanguage : private Speaking, public WindowStage {
  protected:
    explicit InLanguage(Language language) : Speaking(language) {}

    void expectNoAmbiguity() {
        load();
        expectOneMeaning(meaningsOf(*window), QStringLiteral("main window"));
        expectOneMeaningInMenus(*window);
        for (const char* opens : {"measure.compare", "measure.sweep", "measure.quality",
                                  "measure.formats", "memory.open", "server.open", "help.shortcuts",
                                  "help.log", "help.welcome", "remote.connect", "model.page",
                                  "chat.system", "pin.list", "report.export", "view.palette"})
            trigger(opens);
        QCoreApplication::processEvents();
        int windows = 0;
        for (const QWidget* one : QApplication::topLevelWidgets()) {
            if (one == window.get() || qobject_cast<const QMenu*>(one) != nullptr) continue;
            expectOneMeaning(meaningsOf(*one), one->windowTitle());
            ++windows;
        }
        EXPECT_GE(windows, 12);
    }
};

class ShortcutsInEnglish : public InLanguage {
  protected:
    ShortcutsInEnglish() : InLanguage(Language::English) {}
    [[nodiscard]] bool checked(const char* action) const {
        window->actions().refreshChecks();  // as a menu does before it opens
        return window->actions().find(QString::fromLatin1(action))->isChecked();
    }
};
class ShortcutsInGerman : public InLanguage {
  protected:
    ShortcutsInGerman() : InLanguage(Language::German) {}
};
class ShortcutsInChinese : public InLanguage {
  protected:
    ShortcutsInChinese() : InLanguage(Language::Chinese) {}
};

TEST_F(ShortcutsInEnglish, keysOfEveryWindow_haveOneMeaning) {
    expectNoAmbiguity();
}
TEST_F(ShortcutsInGerman, keysOfEveryWindow_haveOneMeaning) {
    expectNoAmbiguity();
}
TEST_F(ShortcutsInChinese, keysOfEveryWindow_haveOneMeaning) {
    expectNoAmbiguity();
}

TEST_F(ShortcutsInEnglish, retentionOverlay_itsKey_togglesItAtOnce) {
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

TEST_F(ShortcutsInEnglish, toggles_showInTheMenuWhetherTheyAreOn) {
    load();
    EXPECT_FALSE(checked("view.retention"));
    trigger("view.retention");
    EXPECT_TRUE(checked("view.retention"));
    trigger("view.retention");
    EXPECT_FALSE(checked("view.retention"));
    EXPECT_FALSE(checked("telemetry.pause"));
    window->findChild<TelemetryPanel*>()->toggleMode();  // by other means than the menu
    EXPECT_TRUE(checked("telemetry.pause"));
    for (const MainWindow::Panel& panel : window->panels()) {
        const QByteArray id = (QStringLiteral("panel.") + panel.id).toLatin1();
        panel.dock->show();
        EXPECT_TRUE(checked(id.constData())) << id.constData();
        trigger(id.constData());
        EXPECT_TRUE(panel.dock->isHidden()) << id.constData();
        EXPECT_FALSE(checked(id.constData())) << id.constData();
    }
}

}  // namespace
}  // namespace lacuna::ui
