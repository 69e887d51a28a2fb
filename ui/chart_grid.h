#pragma once
/// \file
/// Charts in as many columns as stay readable; rows fill the height, and what does not fit is
/// scrolled to, whole rows at a time. Hairlines between, no frames. GUI thread.

#include <QList>
#include <QScrollArea>

namespace lacuna::ui {

class ChartGrid final : public QScrollArea {
    Q_OBJECT

  public:
    /// Smallest size at which a chart can be read.
    static constexpr int kMinWidth = 272;
    static constexpr int kMinHeight = 168;

    explicit ChartGrid(QWidget* parent = nullptr);
    void addChart(QWidget* chart);
    /// Whether any part of it is inside the visible part now.
    [[nodiscard]] bool shows(const QWidget* chart) const;
    /// Charts that are wholly inside the visible part now.
    [[nodiscard]] int readableCharts() const;
    /// Columns and rows seen at once for a visible area of that size.
    [[nodiscard]] static QSize cellsFor(QSize area, int charts);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void arrange();
    [[nodiscard]] QRect seenPart() const;

    QWidget* m_page;
    QList<QWidget*> m_charts;
};

}  // namespace lacuna::ui
