#pragma once
/// \file
/// A dock with a title row of 28 px: name at the left, room for actions at the right.

#include <QDockWidget>

class QHBoxLayout;

namespace lacuna::ui {

class PanelDock final : public QDockWidget {
    Q_OBJECT

  public:
    /// `id`: stable name for saved layouts.
    PanelDock(const QString& id, const QString& title, QWidget* content, QWidget* parent);
    /// Puts the keyboard on the first focusable widget inside.
    void focusInside();

  private:
    /// A tab already carries the name: no title row then.
    void fitTitle();

    QWidget* m_title;
    QWidget* m_noTitle;
};

}  // namespace lacuna::ui
