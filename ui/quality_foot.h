#pragma once
/// \file
/// The foot of a page that fills a quality table: buttons that begin, go on, start over and stop,
/// the progress with what is left, and the sentence that says how it ended. GUI thread.

#include <QWidget>
#include <functional>

#include "app/state/quality_controller.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace lacuna::ui {

class QualityFoot final : public QWidget {
    Q_OBJECT

  public:
    /// `size` is the table that the page shows now.
    QualityFoot(app::QualityController& quality, std::function<app::QualityController::Size()> size,
                QWidget* parent = nullptr);

    [[nodiscard]] QPushButton& measureButton() { return *m_measure; }
    [[nodiscard]] QPushButton& startOverButton() { return *m_startOver; }
    [[nodiscard]] QPushButton& stopButton() { return *m_stop; }
    [[nodiscard]] QString sentence() const;
    /// Stands until the next measurement begins.
    void tell(const QString& sentence, bool problem);
    /// Nothing is told any more: another table is shown.
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
