#pragma once
/// \file
/// Memory use of a model on this machine as two stacked bars, planned and measured, with
/// a line for the free memory. Parts differ by fill pattern as well as colour; the arrow keys
/// select a part, which is read out. memory_plan_view.h has the same figures as rows. Painted
/// directly; GUI thread.

#include <optional>

#include "app/state/models/memory_plan_view.h"
#include "ui/charts/plot_widget.h"

namespace lacuna::ui {

class MemoryPlanChart final : public PlotWidget {
    Q_OBJECT

  public:
    explicit MemoryPlanChart(const ThemeSource& themes, QWidget* parent = nullptr);
    /// If `plan` is nullopt, `reason` is shown instead.
    void setPlan(const std::optional<app::MemoryPlanView>& plan, const QString& reason);
    [[nodiscard]] const std::optional<app::MemoryPlanView>& plan() const { return m_plan; }
    /// Rectangle of a part; nullopt if it is absent or too small. For tests.
    [[nodiscard]] std::optional<QRectF> place(app::MemoryPart part, bool measured) const;
    /// Horizontal position of the free-memory line in pixels; nullopt if unknown. It is the end of
    /// the axis if so much memory is free that the parts would be too small to see.
    [[nodiscard]] std::optional<double> limitPosition() const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {280, 132}; }
    [[nodiscard]] QSize sizeHint() const override { return {560, 148}; }

  protected:
    [[nodiscard]] Heading heading() const override;
    [[nodiscard]] QString emptyText() const override { return m_plan ? QString() : m_reason; }
    void paintPlot(QPainter& painter) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    [[nodiscard]] ChartFrame frame() const;
    [[nodiscard]] qint64 largestBar() const;
    [[nodiscard]] bool limitFits() const;
    [[nodiscard]] QRectF bar(bool measured) const;
    [[nodiscard]] QString memoryPartText(app::MemoryPart part) const;
    void paintBar(QPainter& painter, bool measured) const;
    void paintLimit(QPainter& painter) const;
    void paintLegend(QPainter& painter) const;
    void describe();

    std::optional<app::MemoryPlanView> m_plan;
    QString m_reason;
    int m_pointed = -1;  ///< part selected by keys; -1: none
};

}  // namespace lacuna::ui
