#include "ui/chart_grid.h"

#include <QEvent>
#include <QScrollBar>
#include <algorithm>

namespace lacuna::ui {

ChartGrid::ChartGrid(QWidget* parent) : QScrollArea(parent), m_page(new QWidget) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    // The page shows between the charts as hairlines.
    m_page->setAutoFillBackground(true);
    m_page->setBackgroundRole(QPalette::Mid);
    setWidget(m_page);
}

void ChartGrid::addChart(QWidget* chart) {
    chart->setParent(m_page);
    chart->show();
    m_charts.push_back(chart);
    arrange();
}

QSize ChartGrid::cellsFor(QSize area, int charts) {
    const int most = std::clamp(area.width() / kLeastWidth, 1, std::max(charts, 1));
    const int seenRows = std::max(1, area.height() / kLeastHeight);
    int columns = most;
    // No more columns than make the last row full: 6 charts over 5 columns stand better as 3 + 3, when
    // both rows are seen.
    while (columns > 1) {
        const int rows = (charts + columns - 1) / columns;
        const int narrower = (charts + columns - 2) / (columns - 1);
        if (narrower > rows || narrower > seenRows) break;
        --columns;
    }
    const int rows = (charts + columns - 1) / columns;
    return {columns, std::clamp(seenRows, 1, std::max(rows, 1))};
}

void ChartGrid::arrange() {
    const auto count = static_cast<int>(m_charts.size());
    if (count == 0) return;
    QSize area = viewport()->size();
    const QSize cells = cellsFor(area, count);
    const int rows = (count + cells.width() - 1) / cells.width();
    const int height = std::max(kLeastHeight, area.height() / cells.height());
    m_page->resize(area.width(), std::max(area.height(), rows * height));
    for (int i = 0; i < count; ++i) {
        const int column = i % cells.width(), row = i / cells.width();
        // The last row shares its width among the charts it has.
        const int inRow = std::min(cells.width(), count - row * cells.width());
        const int left = area.width() * column / inRow, right = area.width() * (column + 1) / inRow;
        const int line = column + 1 < inRow ? 1 : 0;
        m_charts[i]->setGeometry(left, row * height, right - left - line, height - (row + 1 < rows ? 1 : 0));
    }
    verticalScrollBar()->setSingleStep(height / 4);
    verticalScrollBar()->setPageStep(height * cells.height());
}

int ChartGrid::readableCharts() const {
    const QRect seen(-m_page->pos(), viewport()->size());
    return static_cast<int>(std::count_if(m_charts.begin(), m_charts.end(), [&](const QWidget* chart) {
        return seen.contains(chart->geometry()) && chart->width() >= kLeastWidth - 1 && chart->height() >= kLeastHeight - 1;
    }));
}

void ChartGrid::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    arrange();
}

bool ChartGrid::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) arrange();
    return QScrollArea::event(event);
}

}  // namespace lacuna::ui
