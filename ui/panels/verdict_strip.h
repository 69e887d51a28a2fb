#pragma once
/// \file
/// One line above the charts: what the memory of the conversation costs, whether its compactions
/// worked and whether they hurt the answers. Only draws a MemoryVerdict. GUI thread.

#include <QWidget>

#include "app/state/telemetry/memory_verdict.h"

class QToolButton;

namespace lacuna::ui {

class VerdictStrip final : public QWidget {
    Q_OBJECT

  public:
    explicit VerdictStrip(QWidget* parent = nullptr);
    /// `nowNs` is the current time on the clock of the verdict. A non-empty `blocker` is a sentence
    /// that is shown instead of the verdict.
    void show(const app::MemoryVerdict& verdict, qint64 nowNs, const QString& blocker = {});
    void setChartsShown(bool shown);
    [[nodiscard]] QString text() const;
    [[nodiscard]] QToolButton& measureButton() { return *m_measure; }
    [[nodiscard]] QToolButton& foldButton() { return *m_fold; }
    [[nodiscard]] QSize minimumSizeHint() const override;

  Q_SIGNALS:
    /// Emitted by a click on the part about memory and compactions, and on that about answers.
    void memoryClicked();
    void answersClicked();
    void measureRequested();
    void chartsToggled(bool shown);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void fit();

    app::MemoryVerdict m_verdict;
    QString m_blocker;
    qint64 m_nowNs = 0;
    bool m_chartsShown = true;
    QToolButton* m_memory;
    QToolButton* m_answers;
    QToolButton* m_measure;
    QToolButton* m_fold;
};

}  // namespace lacuna::ui
