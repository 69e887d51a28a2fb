#pragma once
/// \file
/// "< 2/3 >" at a message: which of the branches that part here is shown, with a way to the one
/// before and the next. GUI thread.

#include <QWidget>

#include "app/state/chat_branches.h"

class QLabel;
class QToolButton;

namespace lacuna::ui {

class BranchSwitch final : public QWidget {
    Q_OBJECT

  public:
    explicit BranchSwitch(QWidget* parent);
    /// Hidden where there is one branch only.
    void show(const app::BranchPlace& place);
    [[nodiscard]] const app::BranchPlace& place() const { return m_place; }
    [[nodiscard]] QWidgetList tabChain() const;

  Q_SIGNALS:
    void wanted(int number);  ///< from 1

  private:
    QToolButton* m_before;
    QLabel* m_text;
    QToolButton* m_next;
    app::BranchPlace m_place;
};

}  // namespace lacuna::ui
