#include "ui/charts/time_series_view.h"

#include <QAreaSeries>
#include <QBarSet>
#include <QChart>
#include <QGraphicsLayout>
#include <QKeyEvent>
#include <QLineSeries>
#include <QMouseEvent>
#include <QStackedBarSeries>
#include <QVBoxLayout>
#include <QValueAxis>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "app/state/list_text.h"
#include "ui/charts/chart_painter.h"
#include "ui/charts/chart_shapes.h"
#include "ui/charts/series_canvas.h"
#include "ui/style/widget_roles.h"

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
std::optional<double> TimeSeriesView::crosshair() const {
    return m_canvas->crosshair();
}
void TimeSeriesView::setMoment(std::optional<double> x) {
    m_canvas->setMoment(x);
}
std::optional<double> TimeSeriesView::moment() const {
    return m_canvas->moment();
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
    // A widget that was never shown does not lay out its child automatically.
    m_canvas->setGeometry(rect());
    m_canvas->relayout();
}

namespace {

/// Maximum number of drawn curve pieces; the first curves are the least important and are dropped
/// first.
constexpr qsizetype kMaxPieces = 192;
/// Bars per stack: one more than visible, for the bar cut by the edges.
constexpr int kMaxBarsHeld = 62;

/// Maximum length of a finely drawn line in plot widths. A longer line oscillates so densely that
/// dashes, antialiasing and half pixels are invisible, yet would cost more than the rest of the
/// chart. Antialiasing of long lines also runs on several threads, and waiting for them behind the
/// engine's threads doubled the measured event loop delay.
constexpr double kMaxFineSeconds = 5;

/// Length of the lines as drawn, in pixels.
double drawnLength(const Curve& curve, const ChartFrame& frame) {
    double length = 0;
    for (const QList<QPointF>& piece : curve.pieces) {
        for (qsizetype i = 1; i < piece.size(); ++i) {
            length += std::abs(frame.pixelY(piece[i].y()) - frame.pixelY(piece[i - 1].y()));
        }
    }
    return length + frame.plot.width();
}

QList<QPointF> onAxis(const QList<QPointF>& points, bool log) {
    if (!log) return points;
    QList<QPointF> result;
    result.reserve(points.size());
    for (const QPointF& point : points) {
        result.emplace_back(point.x(), std::log10(std::max(point.y(), 1e-12)));
    }
    return result;
}

}  // namespace

SeriesCanvas::SeriesCanvas(TimeSeriesView& owner, const Theme& theme)
    : QChartView(&owner),
      m_owner(owner),
      m_theme(theme),
      m_x(new QValueAxis),
      m_y(new QValueAxis),
      m_barX(new QValueAxis) {
    QChart* plot = chart();
    plot->legend()->hide();
    plot->setAnimationOptions(QChart::NoAnimation);
    plot->setBackgroundVisible(false);
    plot->setPlotAreaBackgroundVisible(false);
    plot->setMargins(QMargins(0, 0, 0, 0));
    plot->layout()->setContentsMargins(0, 0, 0, 0);
    for (QValueAxis* axis : {m_x, m_y, m_barX}) {
        axis->setVisible(false);
        plot->addAxis(axis, axis == m_y ? Qt::AlignLeft : Qt::AlignBottom);
    }
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setContextMenuPolicy(Qt::NoContextMenu);
    setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
}

void SeriesCanvas::setTheme(const Theme& theme) {
    m_theme = theme;
    feed();
}

void SeriesCanvas::setContent(const ChartContent& content) {
    m_content = content;
    const Range natural = naturalRange(content);
    m_shownY = m_shownY && content.needed ? steadyRange(*m_shownY, natural) : natural;
    if (!content.needed) m_shownY.reset();
    relayout();
    feed();
}

void SeriesCanvas::resetVertical() {
    m_shownY.reset();
    setContent(ChartContent(m_content));
}

void SeriesCanvas::relayout() {
    m_frame =
        layOut(m_content, QSizeF(viewport()->size()), m_shownY.value_or(naturalRange(m_content)));
    chart()->setPlotArea(m_frame.plot);
    m_x->setRange(m_frame.x.from, m_frame.x.to);
    const bool log = m_frame.logY;
    m_y->setRange(log ? std::log10(m_frame.y.from) : m_frame.y.from,
                  log ? std::log10(m_frame.y.to) : m_frame.y.to);
    if (m_content.bars) {
        const Bars& bars = *m_content.bars;
        m_barX->setRange((m_frame.x.from - bars.first) / bars.width - 0.5,
                         (m_frame.x.to - bars.first) / bars.width - 0.5);
    }
    viewport()->update();
}

void SeriesCanvas::place(QAbstractSeries* series, QValueAxis* x) {
    chart()->addSeries(series);
    series->attachAxis(x);
    series->attachAxis(m_y);
}

void SeriesCanvas::feed() {
    feedBand();
    feedBars();
    feedCurves();
    viewport()->update();
}

void SeriesCanvas::feedBand() {
    if (!m_content.band && m_band == nullptr) return;
    if (m_band == nullptr) {
        m_upper = new QLineSeries(this);
        m_lower = new QLineSeries(this);
        m_band = new QAreaSeries(m_upper, m_lower);
        m_band->setPen(Qt::NoPen);
        place(m_band, m_x);
    }
    m_band->setVisible(m_content.band.has_value());
    if (!m_content.band) {
        if (m_upper->count() > 0) m_upper->replace(QList<QPointF>());
        if (m_lower->count() > 0) m_lower->replace(QList<QPointF>());
        return;
    }
    m_band->setBrush(m_theme.series.*m_content.band->ink);
    m_upper->replace(m_content.band->upper);
    m_lower->replace(m_content.band->lower);
}

void SeriesCanvas::feedCurves() {
    qsizetype used = 0;
    bool anyDense = false;
    std::size_t first = m_content.curves.size();
    for (qsizetype room = kMaxPieces; first > 0; --first) {
        room -= m_content.curves[first - 1].pieces.size();
        if (room < 0 && first < m_content.curves.size()) break;
    }
    for (std::size_t i = first; i < m_content.curves.size(); ++i) {
        const Curve& curve = m_content.curves[i];
        const bool dense = drawnLength(curve, m_frame) > kMaxFineSeconds * m_frame.plot.width();
        anyDense = anyDense || dense;
        const QPen pen(m_theme.series.*curve.ink, dense ? std::min(curve.width, 1.0) : curve.width,
                       dense ? Qt::SolidLine : curve.dash, Qt::FlatCap, Qt::BevelJoin);
        for (const QList<QPointF>& piece : curve.pieces) {
            if (used == kMaxPieces) break;
            if (used == m_lines.size()) {
                m_lines.push_back(new QLineSeries);
                place(m_lines.back(), m_x);
            }
            QLineSeries* line = m_lines[used++];
            if (line->pen() != pen) line->setPen(pen);
            line->setVisible(true);
            line->replace(onAxis(piece, m_frame.logY));
        }
    }
    for (; used < m_lines.size(); ++used) {
        if (m_lines[used]->count() > 0) m_lines[used]->replace(QList<QPointF>());
        m_lines[used]->setVisible(false);
    }
    setRenderHint(QPainter::Antialiasing, !anyDense);
}

void SeriesCanvas::feedBars() {
    if (!m_content.bars && m_bars == nullptr) return;
    if (m_bars == nullptr) {
        m_bars = new QStackedBarSeries;
        for (std::size_t i = 0; i < m_content.bars->inks.size(); ++i) {
            auto* set = new QBarSet(QString());
            for (int bar = 0; bar < kMaxBarsHeld; ++bar) set->insert(bar, 0.0);
            m_bars->insert(m_bars->count(), set);
        }
        m_bars->setBarWidth(0.8);
        place(m_bars, m_barX);
    }
    m_bars->setVisible(m_content.bars.has_value());
    if (!m_content.bars) return;
    const Bars& bars = *m_content.bars;
    const QList<QBarSet*> sets = m_bars->barSets();
    for (qsizetype i = 0; i < sets.size() && i < bars.values.size(); ++i) {
        const QColor colour = m_theme.series.*bars.inks[static_cast<std::size_t>(i)];
        const QBrush brush = stackBrush(colour, static_cast<std::size_t>(i));
        if (sets[i]->brush() != brush) {
            sets[i]->setBrush(brush);
            sets[i]->setPen(QPen(colour, 1));
        }
        for (int bar = 0; bar < kMaxBarsHeld; ++bar) {
            const double value = bar < bars.values[i].size() ? bars.values[i][bar] : 0.0;
            if (sets[i]->at(bar) != value) sets[i]->replace(bar, value);
        }
    }
}

qsizetype SeriesCanvas::heldPoints() const {
    qsizetype count = 0;
    for (const QLineSeries* line : m_lines) count += line->count();
    for (const Dots& dots : m_content.dots) count += dots.points.size();
    if (m_upper != nullptr) count += m_upper->count() + m_lower->count();
    return count;
}

void SeriesCanvas::drawBackground(QPainter* painter, const QRectF&) {
    paintUnder({*painter, m_content, m_frame, m_theme});
}

void SeriesCanvas::drawForeground(QPainter* painter, const QRectF&) {
    const ChartCanvas canvas{*painter, m_content, m_frame, m_theme};
    paintOver(canvas);
    if (m_selecting) {
        QColor tint = m_theme.accent;
        tint.setAlphaF(0.15F);
        painter->fillRect(QRectF(QPointF(m_selecting->x(), m_frame.plot.top()),
                                 QPointF(m_pointer.x(), m_frame.plot.bottom()))
                              .normalized(),
                          tint);
    }
    if (m_moment) paintMoment(canvas, *m_moment);
    if (m_crosshair) paintCrosshair(canvas, *m_crosshair);
    if (hasFocus()) paintFocus(*painter, m_theme, m_frame.size);
}

void SeriesCanvas::resizeEvent(QResizeEvent* event) {
    QChartView::resizeEvent(event);
    relayout();
}

void SeriesCanvas::setMoment(std::optional<double> x) {
    if (m_moment == x) return;
    m_moment = x;
    viewport()->update();
}

void SeriesCanvas::setCrosshair(std::optional<double> x) {
    if (m_crosshair == x) return;
    m_crosshair = x;
    viewport()->update();
}

namespace {

constexpr double kZoomPerNotch = 0.8;
/// px; maximum distance between pointer and dot for a click.
constexpr double kPickDistance = 8;

}  // namespace

void SeriesCanvas::moveCrosshair(std::optional<double> x) {
    setCrosshair(x);
    // The axis of a histogram is not shared with the other charts.
    if (m_frame.logX) return;
    Q_EMIT m_owner.crosshairMoved(x.has_value(), x.value_or(0));
}

/// The wheel without modifiers scrolls the page around the charts.
void SeriesCanvas::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / 120.0;
    const bool zooms = event->modifiers().testFlag(Qt::ControlModifier) && notches != 0.0;
    if (!zooms || m_frame.logX || !m_content.needed) return event->ignore();
    Q_EMIT m_owner.zoomRequested(m_frame.valueX(event->position().x()),
                                 std::pow(kZoomPerNotch, notches));
    event->accept();
}

void SeriesCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
    m_pressed = m_pointer = event->position();
    m_moved = false;
    if (event->modifiers().testFlag(Qt::ShiftModifier) && !m_frame.logX)
        m_selecting = event->position();
}

void SeriesCanvas::mouseMoveEvent(QMouseEvent* event) {
    const QPointF before = m_pointer;
    m_pointer = event->position();
    if (m_selecting) return viewport()->update();
    if (m_pressed && !m_frame.logX) {
        m_moved = m_moved || std::abs(m_pointer.x() - m_pressed->x()) > 3;
        if (m_moved)
            Q_EMIT m_owner.panRequested(m_frame.valueX(before.x()) - m_frame.valueX(m_pointer.x()));
        return;
    }
    const bool inside = m_frame.plot.contains(m_pointer);
    moveCrosshair(inside ? std::optional(m_frame.valueX(m_pointer.x())) : std::nullopt);
}

void SeriesCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (m_selecting) {
        const auto [from, to] =
            std::minmax({m_frame.valueX(m_selecting->x()), m_frame.valueX(event->position().x())});
        m_selecting.reset();
        viewport()->update();
        if (std::abs(event->position().x() - m_pressed->x()) > 4)
            Q_EMIT m_owner.rangeRequested(from, to);
    } else if (m_pressed && !m_moved) {
        pick(event->position());
    }
    m_pressed.reset();
}

void SeriesCanvas::mouseDoubleClickEvent(QMouseEvent*) {
    m_shownY.reset();
    Q_EMIT m_owner.resetRequested();
}

void SeriesCanvas::pick(QPointF at) {
    double nearest = kPickDistance;
    std::optional<qint64> found;
    for (const Dots& dots : m_content.dots) {
        for (qsizetype i = 0; i < dots.keys.size(); ++i) {
            const QPointF dot(m_frame.pixelX(dots.points[i].x()),
                              m_frame.pixelY(dots.points[i].y()));
            const double distance = std::hypot(dot.x() - at.x(), dot.y() - at.y());
            if (distance >= nearest) continue;
            nearest = distance;
            found = dots.keys[i];
        }
    }
    if (found) Q_EMIT m_owner.dotPicked(*found);
}

void SeriesCanvas::read(double pixels) {
    const double at = m_frame.pixelX(m_crosshair.value_or(m_frame.x.to)) + pixels;
    m_reading = true;
    moveCrosshair(m_frame.valueX(std::clamp(at, m_frame.plot.left(), m_frame.plot.right())));
    describe();
}

void SeriesCanvas::stopReading() {
    m_reading = false;
    moveCrosshair(std::nullopt);
    describe();
}

void SeriesCanvas::describe() {
    QString said = m_content.description;
    if (!m_content.needed) said = app::titled(m_content.title, m_content.empty);
    if (m_reading && m_crosshair) said = crosshairText(m_content, m_frame, *m_crosshair);
    for (QWidget* widget :
         {static_cast<QWidget*>(&m_owner), static_cast<QWidget*>(this), viewport()}) {
        if (widget->accessibleName() != m_content.title) widget->setAccessibleName(m_content.title);
        if (widget->accessibleDescription() != said) widget->setAccessibleDescription(said);
    }
}

void SeriesCanvas::keyPressEvent(QKeyEvent* event) {
    constexpr double kStep = 8, kPage = 64;
    switch (event->key()) {
        case Qt::Key_Left:
            return read(-kStep);
        case Qt::Key_Right:
            return read(kStep);
        case Qt::Key_PageUp:
            return read(-kPage);
        case Qt::Key_PageDown:
            return read(kPage);
        case Qt::Key_Escape:
            if (!m_crosshair) break;
            return stopReading();
        case Qt::Key_Plus:
            return zoomByKey(kZoomPerNotch);
        case Qt::Key_Minus:
            return zoomByKey(1 / kZoomPerNotch);
        case Qt::Key_Home:
            m_shownY.reset();
            return Q_EMIT m_owner.resetRequested();
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

void SeriesCanvas::zoomByKey(double factor) {
    if (m_frame.logX || !m_content.needed) return;
    Q_EMIT m_owner.zoomRequested(m_crosshair.value_or(m_frame.x.to), factor);
}

void SeriesCanvas::leaveEvent(QEvent* event) {
    stopReading();
    QChartView::leaveEvent(event);
}

}  // namespace lacuna::ui
