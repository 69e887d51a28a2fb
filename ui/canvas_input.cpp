#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/series_canvas.h"

namespace lacuna::ui {

namespace {

constexpr double kZoomPerNotch = 0.8;
/// Pixels between pointer and dot that still count as a click on it.
constexpr double kPickDistance = 8;

}  // namespace

void SeriesCanvas::moveCrosshair(std::optional<double> x) {
    setCrosshair(x);
    // A histogram's axis is not the one the other charts share.
    if (m_frame.logX) return;
    Q_EMIT m_owner.crosshairMoved(x.has_value(), x.value_or(0));
}

void SeriesCanvas::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / 120.0;
    if (notches == 0.0 || m_frame.logX || !m_content.needed) return event->ignore();
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
    if (!m_content.needed) said = m_content.title + QStringLiteral(": ") + m_content.empty;
    if (m_reading && m_crosshair) said = crosshairSentence(m_content, m_frame, *m_crosshair);
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
