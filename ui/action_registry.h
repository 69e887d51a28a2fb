#pragma once
/// \file
/// Every action of the window, named once. Menus, tool bar, command palette and shortcut sheet are
/// made from this registry, so that none of them can forget one. Owned by the main window, GUI
/// thread.

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>
#include <functional>
#include <map>

class QMenuBar;

namespace lacuna::ui {

enum class MenuPlace { File, Edit, Model, Session, View, Help };

struct ActionSpec {
    QString id;       ///< stable: "chat.send"
    QString text;     ///< a verb, sentence case: "Compact now"
    QString tooltip;  ///< one sentence
    MenuPlace menu = MenuPlace::File;
    QList<QKeySequence> shortcuts = {};  ///< the first is shown
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
    [[nodiscard]] static QString menuTitle(MenuPlace menu);

  private:
    QWidget* m_window;
    QList<QAction*> m_actions;
    std::map<MenuPlace, QList<QAction*>> m_menus;  ///< separators included
    std::map<const QAction*, MenuPlace> m_places;
};

/// Places of all menus, in order.
[[nodiscard]] QList<MenuPlace> menuPlaces();

}  // namespace lacuna::ui
