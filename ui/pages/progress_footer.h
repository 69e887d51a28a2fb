#pragma once
/// \file
/// Footers of the pages that measure: a sentence, the progress with the estimated time left, and
/// the buttons that start and stop. GUI thread.

#include <QWidget>
#include <functional>
#include <optional>

#include "app/state/experiments/measure_views.h"
#include "app/state/experiments/quality_controller.h"

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace lacuna::app {
class MeasurementController;
}

namespace lacuna::ui {

/// Sentence, progress, stop button and main button, which F5 presses.
class PageFooter : public QWidget {
    Q_OBJECT

  public:
    [[nodiscard]] QPushButton& beginButton() { return *m_begin; }
    [[nodiscard]] QPushButton& stopButton() { return *m_stop; }
    [[nodiscard]] QString sentence() const;
    /// The sentence stays until the next measurement starts.
    void showMessage(const QString& sentence, bool problem);
    /// Clears the sentence; called when the page shows something else.
    void clear();

  protected:
    PageFooter(const QString& verb, QWidget* parent);
    [[nodiscard]] QHBoxLayout& row() { return *m_row; }
    /// Shows the message, or `status` if there is none. `share` is the progress while the work
    /// runs.
    void showLine(const QString& status, std::optional<double> share);
    [[nodiscard]] const QString& message() const { return m_message; }
    [[nodiscard]] bool problem() const { return m_problem && !m_message.isEmpty(); }
    void startOver() { m_message.clear(); }
    virtual void refresh() = 0;

  private:
    QHBoxLayout* m_row;
    QLabel* m_sentence;
    QProgressBar* m_progress;
    QPushButton* m_stop;
    QPushButton* m_begin;
    QString m_message;
    bool m_problem = false;
};

/// Footer of a comparison or a sweep.
class ProgressFooter final : public PageFooter {
    Q_OBJECT

  public:
    /// `what` is the measurement that this bar starts, `verb` the label of its button.
    ProgressFooter(app::MeasurementController& measurement, app::Measuring what,
                   const QString& verb, QWidget* parent = nullptr);

  Q_SIGNALS:
    void beginRequested();

  private:
    void refresh() override;
    [[nodiscard]] QString progressText(const app::MeasuringView& view) const;

    app::MeasurementController& m_measurement;
    const app::Measuring m_measuring;
};

/// Footer of a page that fills a quality table, which can be continued and started over.
class MeasureFooter final : public PageFooter {
    Q_OBJECT

  public:
    /// `size` returns the size of the table on the page.
    MeasureFooter(app::QualityController& quality,
                  std::function<app::QualityController::Size()> size, QWidget* parent = nullptr);
    [[nodiscard]] QPushButton& startOverButton() { return *m_startOver; }

  private:
    void begin(bool startOver);
    void refresh() override;
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString progressText() const;

    app::QualityController& m_quality;
    const std::function<app::QualityController::Size()> m_size;
    QPushButton* m_startOver;
};

}  // namespace lacuna::ui
