#pragma once
/// \file
/// Footer of a measurement page: a start button, the progress with the estimated time left, a stop
/// button, and the reason if the measurement cannot start. GUI thread.

#include <QWidget>

#include "app/state/experiments/measure_views.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace lacuna::app {
class MeasurementController;
}

namespace lacuna::ui {

class ProgressFooter final : public QWidget {
    Q_OBJECT

  public:
    /// `what` is the measurement that this bar starts, `verb` the label of its button.
    ProgressFooter(app::MeasurementController& measurement, app::Measuring what,
                   const QString& verb, QWidget* parent = nullptr);
    [[nodiscard]] QPushButton& beginButton() { return *m_begin; }
    [[nodiscard]] QPushButton& stopButton() { return *m_stop; }
    [[nodiscard]] QString sentence() const;
    /// The sentence stays until the next measurement starts.
    void tell(const QString& sentence, bool problem);

  Q_SIGNALS:
    void beginWanted();

  private:
    void refresh();
    [[nodiscard]] QString progressText(const app::MeasuringView& view) const;

    app::MeasurementController& m_measurement;
    const app::Measuring m_what;
    QString m_told;
    bool m_problem = false;
    QLabel* m_sentence;
    QProgressBar* m_progress;
    QPushButton* m_begin;
    QPushButton* m_stop;
};

}  // namespace lacuna::ui
