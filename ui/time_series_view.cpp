#include "ui/time_series_view.h"

#include <QVBoxLayout>
#include <algorithm>

#include "ui/series_canvas.h"
#include "ui/widget_roles.h"

namespace lacuna::ui {

TimeSeriesView::TimeSeriesView(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_canvas(new SeriesCanvas(*this, theme)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_canvas);
    setFocusProxy(m_canvas);
}

TimeSeriesView::~TimeSeriesView() = default;

void TimeSeriesView::setTheme(const Theme& theme) {
    m_canvas->setTheme(theme);
}

void TimeSeriesView::setContent(const ChartContent& content) {
    m_canvas->setContent(content);
    m_canvas->describe();
    if (toolTip() != tipText(content.definitions)) setToolTip(tipText(content.definitions));
}

const ChartContent& TimeSeriesView::content() const {
    return m_canvas->content();
}
int TimeSeriesView::plotPixels() const {
    return std::max(1, static_cast<int>(m_canvas->frame().plot.width()));
}
qsizetype TimeSeriesView::heldPoints() const {
    return m_canvas->heldPoints();
}
void TimeSeriesView::setCrosshair(std::optional<double> x) {
    m_canvas->setCrosshair(x);
}
void TimeSeriesView::resetVertical() {
    m_canvas->resetVertical();
}
QSize TimeSeriesView::minimumSizeHint() const {
    return {200, 140};
}
QSize TimeSeriesView::sizeHint() const {
    return {360, 200};
}

void TimeSeriesView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    // A widget that was never shown lays out its child only when asked.
    m_canvas->setGeometry(rect());
    m_canvas->relayout();
}

}  // namespace lacuna::ui
