#pragma once
/// \file
/// State of the shown conversation's cache, next to the settings but separate from them: how much
/// smaller it is, what happens next, and buttons to compact it now or restore it. GUI thread.

#include <QFrame>

class QAction;
class QHBoxLayout;
class QLabel;

namespace lacuna::app {
struct MemoryVerdict;
}

namespace lacuna::ui {

class CacheStatePanel final : public QFrame {
    Q_OBJECT

  public:
    explicit CacheStatePanel(QWidget* parent = nullptr);
    /// Adds the buttons; the actions state why they are disabled.
    void setActions(QAction* compact, QAction* restore);
    /// `next` is a sentence about the next compaction.
    void show(const app::MemoryVerdict& verdict, const QString& next);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void arrangeButtons();

    QLabel* m_state;
    QLabel* m_next;
    QHBoxLayout* m_buttons;
};

}  // namespace lacuna::ui
