#pragma once
/// \file
/// The foot of a measurement: a button that begins it, its progress with an estimate of what is
/// left, a button that stops it, and why it cannot begin. GUI thread.

#include <QWidget>

#include "app/state/measure_views.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace lacuna::app {
class MeasurementController;
}

namespace lacuna::ui {

class MeasureBar final : public QWidget {
    Q_OBJECT

  public:
    /// `what` this bar begins, `verb` on its button.
    MeasureBar(app::MeasurementController& measurement, app::Measuring what, const QString& verb,
               QWidget* parent = nullptr);
    [[nodiscard]] QPushButton& beginButton() { return *m_begin; }
    [[nodiscard]] QPushButton& stopButton() { return *m_stop; }
    [[nodiscard]] QString sentence() const;
    /// Stands until the next measurement begins.
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
