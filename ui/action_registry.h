#pragma once
/// \file
/// Every action of the window, named once. Menus, tool bar, command palette and shortcut sheet are
/// made from this registry, so that none of them can forget one. Owned by the main window, GUI
/// thread.

#include <QAction>
#include <QDialog>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>
#include <functional>
#include <map>

class QLabel;
class QLineEdit;
class QListWidget;
class QMenuBar;
class QTreeWidget;

namespace lacuna::ui {

enum class MenuPlace { File, Edit, Model, Session, View, Tools, Help };

struct ActionSpec {
    QString id;       ///< stable: "chat.send"
    QString text;     ///< a verb, sentence case: "Compact now"
    QString tooltip;  ///< one sentence
    MenuPlace menu = MenuPlace::File;
    QList<QKeySequence> shortcuts = {};  ///< the first is shown
    QString submenu = {};                ///< title of the menu within the menu; empty: none
    std::function<bool()> checked = {};  ///< of something that is on or off: whether it is on
};

class ActionRegistry final : public QObject {
    Q_OBJECT

  public:
    explicit ActionRegistry(QWidget* window);

    QAction* add(const ActionSpec& spec, std::function<void()> run);
    /// Puts a line before the next action of this menu.
    void addSeparator(MenuPlace menu);
    /// Null when there is no such action.
    [[nodiscard]] QAction* find(const QString& id) const;
    /// In the order they were added, separators left out.
    [[nodiscard]] const QList<QAction*>& actions() const { return m_actions; }
    [[nodiscard]] MenuPlace menuOf(const QAction* action) const;
    /// Enables the action when `reason` is empty; otherwise disables it and says why.
    void setReason(const QString& id, const QString& reason);
    /// Why the action is disabled; empty when it is not.
    [[nodiscard]] static QString reasonOf(const QAction* action);
    void buildMenus(QMenuBar* bar) const;
    /// Sets the check marks of all that is on or off; menus do it before they open.
    void refreshChecks() const;
    [[nodiscard]] static QString menuTitle(MenuPlace menu);

  Q_SIGNALS:
    /// An action is about to run.
    void started();

  private:
    QWidget* m_window;
    QList<QAction*> m_actions;
    std::map<MenuPlace, QList<QAction*>> m_menus;  ///< separators included
    std::map<const QAction*, MenuPlace> m_places;
    std::map<const QAction*, QString> m_submenus;
    std::map<QAction*, std::function<bool()>> m_checks;
};

/// Places of all menus, in order.
[[nodiscard]] QList<MenuPlace> menuPlaces();

/// How well `typed` fits `text` when its letters appear in order; 0: not at all. Higher is better.
[[nodiscard]] int fuzzyScore(const QString& typed, const QString& text);

/// Every action by name: type a few letters, Enter runs it. Disabled actions are listed too, with
/// the reason why they cannot run.
class CommandPalette final : public QDialog {
    Q_OBJECT

  public:
    CommandPalette(const ActionRegistry& actions, QWidget* parent);
    /// Shows all actions again and takes the focus.
    void open() override;
    /// Ids of the listed actions, best first.
    [[nodiscard]] QStringList listed() const;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void refill(const QString& typed);
    void runCurrent();

    const ActionRegistry& m_actions;
    QLineEdit* m_input;
    QListWidget* m_list;
};

/// All actions with their shortcuts, by menu; made from the registry each time it is opened. What
/// is typed above leaves those whose name, keys or menu have all its words.
class ShortcutSheet final : public QDialog {
    Q_OBJECT

  public:
    ShortcutSheet(const ActionRegistry& actions, QWidget* parent);
    /// Ids of the actions in sight.
    [[nodiscard]] QStringList listed() const;
    [[nodiscard]] QLineEdit& words() { return *m_words; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fill(const ActionRegistry& actions);
    void find(const QString& typed);

    QLineEdit* m_words;
    QTreeWidget* m_tree;
    QLabel* m_none;
};

}  // namespace lacuna::ui
