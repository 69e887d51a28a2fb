#pragma once
/// \file
/// All actions with their shortcuts, by menu; made from the registry each time it is opened.

#include <QDialog>

class QTreeWidget;

namespace lacuna::ui {

class ActionRegistry;

class ShortcutSheet final : public QDialog {
    Q_OBJECT

  public:
    ShortcutSheet(const ActionRegistry& actions, QWidget* parent);
    /// Ids of the listed actions.
    [[nodiscard]] QStringList listed() const;

  private:
    void fill(const ActionRegistry& actions);

    QTreeWidget* m_tree;
};

}  // namespace lacuna::ui
