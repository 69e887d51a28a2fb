#pragma once
/// \file
/// Footer of a page that fills a quality table: buttons to start, continue, restart and stop, the
/// progress with the estimated time left, and the result. GUI thread.

#include <QWidget>
#include <functional>

#include "app/state/experiments/quality_controller.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace lacuna::ui {

class MeasureFooter final : public QWidget {
    Q_OBJECT

  public:
    /// `size` returns the size of the table on the page.
    MeasureFooter(app::QualityController& quality,
                  std::function<app::QualityController::Size()> size, QWidget* parent = nullptr);

    [[nodiscard]] QPushButton& measureButton() { return *m_measure; }
    [[nodiscard]] QPushButton& startOverButton() { return *m_startOver; }
    [[nodiscard]] QPushButton& stopButton() { return *m_stop; }
    [[nodiscard]] QString sentence() const;
    /// The sentence stays until the next measurement starts.
    void tell(const QString& sentence, bool problem);
    /// Clears the sentence; called when another table is shown.
    void forget();
    void refresh();

  private:
    void build();
    void begin(bool startOver);
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString progressText() const;

    app::QualityController& m_quality;
    const std::function<app::QualityController::Size()> m_size;
    QLabel* m_sentence = nullptr;
    QProgressBar* m_progress = nullptr;
    QPushButton* m_stop = nullptr;
    QPushButton* m_startOver = nullptr;
    QPushButton* m_measure = nullptr;
    QString m_told;
    bool m_problem = false;
};

}  // namespace lacuna::ui
