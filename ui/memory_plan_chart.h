#pragma once
/// \file
/// Chart C10: what a model takes of this machine's memory as two stacked bars, planned and
/// measured, with the line of what is free. Parts differ by fill as well as by colour; the arrow
/// keys go from one to the next and read it out; memory_plan_view.h has the same as rows. Own
/// painting, GUI thread.

#include <optional>

#include "app/state/memory_plan_view.h"
#include "ui/plot_widget.h"

namespace lacuna::ui {

class MemoryPlanChart final : public PlotWidget {
    Q_OBJECT

  public:
    explicit MemoryPlanChart(const ThemeSource& themes, QWidget* parent = nullptr);
    /// Nothing: `why` is shown in its place.
    void setPlan(const std::optional<app::MemoryPlanView>& plan, const QString& why);
    [[nodiscard]] const std::optional<app::MemoryPlanView>& plan() const { return m_plan; }
    /// Where a part is drawn; none: it has no room or is not there. For tests.
    [[nodiscard]] std::optional<QRectF> place(app::MemoryPart part, bool measured) const;
    /// Horizontal place of the line of what is free, in pixels; none: it is not known.
    [[nodiscard]] std::optional<double> limitPlace() const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {280, 132}; }
    [[nodiscard]] QSize sizeHint() const override { return {560, 148}; }

  protected:
    [[nodiscard]] Heading heading() const override;
    [[nodiscard]] QString emptySentence() const override { return m_plan ? QString() : m_why; }
    void paintPlot(QPainter& painter) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    [[nodiscard]] ChartFrame frame() const;
    [[nodiscard]] QRectF bar(bool measured) const;
    [[nodiscard]] QString partSentence(app::MemoryPart part) const;
    void paintBar(QPainter& painter, bool measured) const;
    void paintLimit(QPainter& painter) const;
    void paintLegend(QPainter& painter) const;
    void describe();

    std::optional<app::MemoryPlanView> m_plan;
    QString m_why;
    int m_pointed = -1;  ///< part that the keys are at; -1: none
};

}  // namespace lacuna::ui
