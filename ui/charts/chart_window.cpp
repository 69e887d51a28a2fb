#include "ui/charts/chart_window.h"

#include <algorithm>

namespace lacuna::ui {

namespace {

/// Minimum length of a zoomed window in seconds or tokens.
double leastLength(app::XAxis axis) {
    return axis == app::XAxis::Time ? 0.05 : 4;
}
/// Minimum length shown of a session that has just begun.
double firstLength(app::XAxis axis) {
    return axis == app::XAxis::Time ? 10 : 256;
}

/// Margin after the newest sample, as a share of the window.
constexpr double kLead = 0.015;

double roundEnd(double length, app::XAxis axis) {
    const double step = axis == app::XAxis::Time ? niceTimeStep(length, 8) : niceStep(length, 8);
    double end = step;
    while (end < length) end += step;
    return end;
}

}  // namespace

double spanLength(ChartSpan span, app::XAxis axis) {
    const bool time = axis == app::XAxis::Time;
    switch (span) {
        case ChartSpan::Short:
            return time ? 30 : 1024;
        case ChartSpan::Middle:
            return time ? 120 : 4096;
        case ChartSpan::Long:
            return time ? 600 : 16384;
        case ChartSpan::All:
            return 0;
    }
    return 0;
}

void ChartWindow::pause(Range data) {
    if (m_mode == ViewMode::Paused) return;
    m_frozen = window(data);
    m_until = data.to;
    m_mode = ViewMode::Paused;
}

void ChartWindow::follow() {
    m_mode = ViewMode::Live;
}

void ChartWindow::setSpan(ChartSpan span) {
    m_span = span;
    m_mode = ViewMode::Live;
}

void ChartWindow::setAxis(app::XAxis axis) {
    m_axis = axis;
    m_mode = ViewMode::Live;
}

void ChartWindow::zoom(Range data, double at, double factor) {
    const Range shown = window(data);
    const double least = leastLength(m_axis);
    const double most = std::max(shown.length(), std::max(data.length(), least) * 1.1);
    const double length = std::clamp(shown.length() * factor, least, most);
    // The position under the pointer stays fixed.
    const double share = (at - shown.from) / shown.length();
    const double from = at - share * length;
    show(data, {from, from + length});
}

void ChartWindow::pan(Range data, double by) {
    const Range shown = window(data);
    show(data, {shown.from + by, shown.to + by});
}

void ChartWindow::show(Range data, Range visible) {
    pause(data);
    const double length = std::max(visible.length(), leastLength(m_axis));
    // At least half of the window keeps showing the session.
    const double from =
        std::clamp(visible.from, data.from - length / 2, std::max(data.from, data.to - length / 2));
    m_frozen = {from, from + length};
}

Range ChartWindow::window(Range data) const {
    if (m_mode == ViewMode::Paused) return m_frozen;
    if (m_span == ChartSpan::All) {
        return {data.from,
                data.from + roundEnd(std::max(data.length(), firstLength(m_axis)), m_axis)};
    }
    double length = spanLength(m_span, m_axis);
    // A session that has just begun would fill only a corner of the window.
    while (length / 2 >= std::max(data.length(), firstLength(m_axis))) length /= 2;
    // Keeps the newest dot clear of the edge.
    const double to = std::max(data.to + kLead * length, data.from + length);
    return {to - length, to};
}

double ChartWindow::until(Range data) const {
    return m_mode == ViewMode::Paused ? m_until : data.to;
}

}  // namespace lacuna::ui
