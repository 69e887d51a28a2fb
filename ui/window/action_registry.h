#pragma once
/// \file
/// Registry of every action of the window. Menus and shortcut sheet are built from it, so none of
/// them can omit an action. Owned by the main window; GUI thread.

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
class QMenuBar;
class QTreeWidget;

namespace lacuna::ui {

enum class Menu { File, Edit, Model, Session, View, Tools, Help };

struct ActionSpec {
    QString id;       ///< stable identifier, e.g. "chat.send"
    QString text;     ///< a verb, sentence case: "Compact now"
    QString tooltip;  ///< one sentence
    Menu menu = Menu::File;
    QList<QKeySequence> shortcuts = {};  ///< the first one is displayed
    QString submenu = {};  ///< title of the submenu; empty if the action is not in one
    std::function<bool()> checked = {};  ///< checkable actions only: returns whether the action is
                                         ///< on
};

class ActionRegistry final : public QObject {
    Q_OBJECT

  public:
    explicit ActionRegistry(QWidget* window);

    QAction* add(const ActionSpec& spec, std::function<void()> run);
    /// Adds a separator before the next action of this menu.
    void addSeparator(Menu menu);
    /// Returns the action with this id, or null.
    [[nodiscard]] QAction* find(const QString& id) const;
    /// Actions in insertion order, without separators.
    [[nodiscard]] const QList<QAction*>& actions() const { return m_actions; }
    [[nodiscard]] Menu menuOf(const QAction* action) const;
    /// Enables the action if `reason` is empty; otherwise disables it and shows the reason.
    void setReason(const QString& id, const QString& reason);
    /// Returns why the action is disabled; empty if it is enabled.
    [[nodiscard]] static QString reasonOf(const QAction* action);
    void buildMenus(QMenuBar* bar) const;
    /// Updates the check marks of all checkable actions; menus call it before they open.
    void refreshChecks() const;
    [[nodiscard]] static QString menuTitle(Menu menu);

  Q_SIGNALS:
    /// Emitted before an action runs.
    void started();

  private:
    QWidget* m_window;
    QList<QAction*> m_actions;
    std::map<Menu, QList<QAction*>> m_menus;  ///< separators included
    std::map<const QAction*, Menu> m_places;
    std::map<const QAction*, QString> m_submenus;
    std::map<QAction*, std::function<bool()>> m_checks;
};

/// All menus in display order.
[[nodiscard]] QList<Menu> menuPositions();

/// Lists all actions with their shortcuts by menu; rebuilt from the registry on every open. The
/// filter keeps entries whose name, keys or menu contain every typed word.
class ShortcutSheet final : public QDialog {
    Q_OBJECT

  public:
    ShortcutSheet(const ActionRegistry& actions, QWidget* parent);
    /// Ids of the visible actions.
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
