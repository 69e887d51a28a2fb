#include "ui/chart_grid.h"

#include <QEvent>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

namespace lacuna::ui {

namespace {

/// Width to height of a chart that reads well.
constexpr double kBestAspect = 1.8;

}  // namespace

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
    const int most = std::clamp(area.width() / kMinWidth, 1, std::max(charts, 1));
    const int seenRows = std::max(1, area.height() / kMinHeight);
    QSize best(1, 1);
    double bestScore = -1;
    for (int columns = 1; columns <= most; ++columns) {
        const int rows = std::min(seenRows, (charts + columns - 1) / columns);
        // As many charts at once as can be; among those the shape nearest to that of a screen.
        const int seen = std::min(charts, rows * columns);
        const double aspect = (static_cast<double>(area.width()) / columns) /
                              (static_cast<double>(area.height()) / rows);
        const int empty = (columns - charts % columns) % columns;
        const double score =
            seen + 1 / (1 + std::abs(std::log(aspect / kBestAspect))) - 0.5 * empty / columns;
        if (score > bestScore) {
            bestScore = score;
            best = {columns, rows};
        }
    }
    return best;
}

void ChartGrid::arrange() {
    const auto count = static_cast<int>(m_charts.size());
    if (count == 0) return;
    QSize area = viewport()->size();
    const QSize cells = cellsFor(area, count);
    const int rows = (count + cells.width() - 1) / cells.width();
    const int height = std::max(kMinHeight, area.height() / cells.height());
    m_page->resize(area.width(), std::max(area.height(), rows * height));
    for (int i = 0; i < count; ++i) {
        const int column = i % cells.width(), row = i / cells.width();
        // The last row shares its width among the charts it has.
        const int inRow = std::min(cells.width(), count - row * cells.width());
        const int left = area.width() * column / inRow, right = area.width() * (column + 1) / inRow;
        const int line = column + 1 < inRow ? 1 : 0;
        m_charts[i]->setGeometry(left, row * height, right - left - line,
                                 height - (row + 1 < rows ? 1 : 0));
    }
    verticalScrollBar()->setSingleStep(height / 4);
    verticalScrollBar()->setPageStep(height * cells.height());
}

QRect ChartGrid::seenPart() const {
    return QRect(-m_page->pos(), viewport()->size());
}

bool ChartGrid::shows(const QWidget* chart) const {
    return seenPart().intersects(chart->geometry());
}

int ChartGrid::readableCharts() const {
    const QRect seen = seenPart();
    return static_cast<int>(
        std::count_if(m_charts.begin(), m_charts.end(), [&](const QWidget* chart) {
            return seen.contains(chart->geometry()) && chart->width() >= kMinWidth - 1 &&
                   chart->height() >= kMinHeight - 1;
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
