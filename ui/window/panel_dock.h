#pragma once
/// \file
/// Dock with a 28 px title row: name at the left, actions at the right.

#include <QDockWidget>

class QHBoxLayout;

namespace lacuna::ui {

class PanelDock final : public QDockWidget {
    Q_OBJECT

  public:
    /// `id` is a stable name for saved layouts.
    PanelDock(const QString& id, const QString& title, QWidget* content, QWidget* parent);
    /// Focuses the first focusable widget inside.
    void focusInside();

  private:
    /// Hides the title row if a tab already shows the name.
    void fitTitle();

    QWidget* m_title;
    QWidget* m_noTitle;
};

}  // namespace lacuna::ui
