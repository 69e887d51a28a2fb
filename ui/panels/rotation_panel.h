#pragma once
/// \file
/// Shows which rotations are applied to the codes of this model, a button that calibrates them, and
/// its progress. GUI thread.

#include <QFrame>

class QLabel;
class QProgressBar;
class QPushButton;

namespace lacuna::app {
class CalibrationController;
}

namespace lacuna::ui {

class RotationPanel final : public QFrame {
    Q_OBJECT

  public:
    explicit RotationPanel(app::CalibrationController& calibration, QWidget* parent = nullptr);

    /// Text of both lines.
    [[nodiscard]] QString text() const;

  private:
    void refresh();

    app::CalibrationController& m_calibration;
    QLabel* m_now;
    QLabel* m_sentence;
    QProgressBar* m_progress;
    QPushButton* m_stop;
    QPushButton* m_load;
    QPushButton* m_calibrate;
};

}  // namespace lacuna::ui
