#pragma once
/// \file
/// Settings of a sweep as points: live bytes on the horizontal axis, loss on the vertical axis,
/// Pareto-optimal points joined by a line. A point is selected by a click or the arrow keys and
/// read out. Painted directly; GUI thread.

#include <QVector>
#include <optional>

#include "app/state/experiments/measure_views.h"
#include "ui/charts/plot_widget.h"

namespace lacuna::ui {

/// Quantity of the vertical axis; less is better for each.
enum class SweepLoss { Kl, OtherToken, OutputError };
[[nodiscard]] QString lossName(SweepLoss loss);
/// nullopt if it was not measured.
[[nodiscard]] std::optional<double> lossOf(const app::SweptSetting& setting, SweepLoss loss);
/// "am 4x: 26.1 % of the bytes, KL 0.0213, 98.1 % same most likely token, output error 0.11".
[[nodiscard]] QString sweptText(const app::SweptSetting& setting);

class ParetoPlot final : public PlotWidget {
    Q_OBJECT

  public:
    explicit ParetoPlot(const ThemeSource& themes, QWidget* parent = nullptr);
    /// Keeps the selection if the same settings arrive with further figures.
    void setRows(const QVector<app::SweptSetting>& rows);
    void setLoss(SweepLoss loss);
    /// Index of a row; -1: none.
    void choose(int row);
    [[nodiscard]] int chosen() const { return m_chosen; }
    /// Centre of the row's point in pixels of the widget; nullopt if it is not drawn.
    [[nodiscard]] std::optional<QPointF> place(int row) const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {280, 180}; }

  Q_SIGNALS:
    void chosenChanged(int row);
    /// Emitted on Enter or a double click on a point.
    void applyRequested(int row);

  protected:
    [[nodiscard]] QString emptyText() const override;
    void paintPlot(QPainter& painter) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void fitAxes();
    [[nodiscard]] ChartFrame frame() const;
    [[nodiscard]] int rowAt(QPointF at) const;
    /// Indices of the rows with a point, ordered by bytes.
    [[nodiscard]] QVector<int> drawn() const;
    void step(int by);
    void describe();
    void paintFront(QPainter& painter) const;
    void paintPoints(QPainter& painter) const;
    void paintNames(QPainter& painter) const;

    QVector<app::SweptSetting> m_rows;
    QStringList m_methods;  ///< in order of appearance; selects colour and shape
    SweepLoss m_loss = SweepLoss::Kl;
    Range m_bytes, m_losses;
    int m_chosen = -1;
};

}  // namespace lacuna::ui
