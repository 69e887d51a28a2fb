#include "ui/charts/chart_frame.h"

#include <algorithm>
#include <cmath>

namespace lacuna::ui {

namespace {

double fraction(double value, const Range& range, bool log) {
    if (!log) return (value - range.from) / range.length();
    const double low = std::max(range.from, 1e-12);
    return std::log(std::max(value, 1e-12) / low) / std::log(range.to / low);
}

}  // namespace

double ChartFrame::pixelX(double value) const {
    return plot.left() + fraction(value, x, logX) * plot.width();
}
double ChartFrame::pixelY(double value) const {
    return plot.bottom() - fraction(value, y, logY) * plot.height();
}
double ChartFrame::valueX(double pixel) const {
    const double share = (pixel - plot.left()) / plot.width();
    return logX ? x.from * std::pow(x.to / x.from, share) : x.from + share * x.length();
}

QFontMetricsF smallLetters() {
    return QFontMetricsF(Theme::font(FontRole::Small));
}

}  // namespace lacuna::ui
