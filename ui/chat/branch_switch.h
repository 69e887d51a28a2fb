#pragma once
/// \file
/// The "< 2/3 >" control at a message: shows which of the branches that diverge here is displayed
/// and switches to the previous or next one. GUI thread.

#include <QWidget>

#include "app/state/chat/chat_branches.h"

class QLabel;
class QToolButton;

namespace lacuna::ui {

class BranchSwitch final : public QWidget {
    Q_OBJECT

  public:
    explicit BranchSwitch(QWidget* parent);
    /// Hides the control if there is only one branch.
    void show(const app::BranchPosition& place);
    [[nodiscard]] const app::BranchPosition& place() const { return m_place; }
    [[nodiscard]] QWidgetList tabChain() const;

  Q_SIGNALS:
    void branchRequested(int number);  ///< counted from 1

  private:
    QToolButton* m_before;
    QLabel* m_text;
    QToolButton* m_next;
    app::BranchPosition m_place;
};

}  // namespace lacuna::ui
