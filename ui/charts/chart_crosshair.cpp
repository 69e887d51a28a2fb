#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "ui/charts/chart_painter.h"
#include "ui/charts/chart_texts.h"

// The crosshair: a line at the same position in every chart and a box with the figures there.

namespace lacuna::ui {

namespace {

struct Line {
    QString name;
    QString value;
    std::optional<Ink> ink;  ///< nullopt: no swatch
};

void addBars(const Bars& bars, double x, std::vector<Line>& lines) {
    const auto index = static_cast<qsizetype>(std::floor((x - bars.first) / bars.width));
    if (bars.values.isEmpty() || index < 0 || index >= bars.values.front().size()) return;
    for (std::size_t i = 0; i < bars.inks.size(); ++i) {
        const double value = bars.values[static_cast<qsizetype>(i)][index];
        if (value <= 0) continue;
        // The legend's name contains the total; the bar's own figure is shown here instead.
        lines.push_back({bars.names[static_cast<qsizetype>(i)].section(QLatin1Char(' '), 0, 0),
                         app::countText(std::llround(value)), bars.inks[i]});
    }
    if (index < bars.details.size() && !bars.details[index].isEmpty())
        lines.push_back({bars.details[index], {}, {}});
}

void addHistogram(const Histogram& histogram, double x, std::vector<Line>& lines) {
    const auto above = std::upper_bound(histogram.edges.begin(), histogram.edges.end(), x);
    const auto bin = static_cast<qsizetype>(above - histogram.edges.begin()) - 1;
    if (bin < 0 || bin + 1 >= histogram.edges.size()) return;
    for (const Histogram::Lane& lane : histogram.lanes) {
        if (lane.counts[bin] <= 0) continue;
        lines.push_back(
            {lane.name,
             ChartTexts::tr("%1 of %2")
                 .arg(app::countText(std::llround(lane.counts[bin])), app::countText(lane.total)),
             lane.ink});
    }
}

/// Returns the dot nearest to the line, if it is within a few pixels.
std::optional<Line> dotAt(const ChartContent& content, const ChartFrame& frame, double x) {
    double nearest = 6;
    std::optional<Line> found;
    for (const Dots& dots : content.dots) {
        for (const QPointF& point : dots.points) {
            const double distance = std::abs(frame.pixelX(point.x()) - frame.pixelX(x));
            if (distance >= nearest) continue;
            nearest = distance;
            found = Line{dots.name, valueText(point.y(), content.unit), dots.ink};
        }
    }
    return found;
}

std::vector<Line> linesAt(const ChartContent& content, const ChartFrame& frame, double x) {
    std::vector<Line> lines;
    for (const Curve& curve : content.curves) {
        const auto value = valueAt(curve, x);
        if (value) lines.push_back({curve.name, valueText(*value, content.unit), curve.ink});
    }
    if (content.bars) addBars(*content.bars, x, lines);
    if (content.histogram) addHistogram(*content.histogram, x, lines);
    if (const auto dot = dotAt(content, frame, x)) lines.push_back(*dot);
    for (const Mark& mark : content.marks) {
        if (std::abs(frame.pixelX(mark.at) - frame.pixelX(x)) < 4)
            lines.push_back({mark.detail, {}, {}});
    }
    const bool breaks = std::any_of(content.breaks.begin(), content.breaks.end(), [&](double at) {
        return std::abs(frame.pixelX(at) - frame.pixelX(x)) < 4;
    });
    if (breaks) lines.push_back({ChartTexts::tr("different cache from here on"), {}, {}});
    return lines;
}

QString placeAt(const ChartContent& content, const ChartFrame& frame, double x) {
    return placeText(content.axis, x, frame.x.length() / frame.plot.width());
}

}  // namespace

QString crosshairText(const ChartContent& content, const ChartFrame& frame, double x) {
    QStringList parts;
    for (const Line& line : linesAt(content, frame, x)) {
        parts << (line.value.isEmpty() ? line.name : line.name + QLatin1Char(' ') + line.value);
    }
    if (parts.isEmpty()) parts << ChartTexts::tr("no data");
    return app::titled(placeAt(content, frame, x), app::listed(parts));
}

void paintCrosshair(const ChartCanvas& canvas, double x) {
    const ChartFrame& frame = canvas.frame;
    const double at = std::round(frame.pixelX(x)) + 0.5;
    if (!canvas.content.needed || at < frame.plot.left() || at > frame.plot.right() + 1) return;
    QPainter& painter = canvas.painter;
    painter.setPen(QPen(canvas.theme.text, 1));
    painter.drawLine(QPointF(at, frame.plot.top()), QPointF(at, frame.plot.bottom()));
    std::vector<Line> lines = linesAt(canvas.content, frame, x);
    lines.insert(lines.begin(), Line{placeAt(canvas.content, frame, x), {}, {}});
    const QFontMetricsF small = smallLetters();
    const double most = std::max(80.0, frame.size.width() * 0.6);
    double names = 0;
    for (Line& line : lines) {
        if (line.value.isEmpty()) {
            line.name = small.elidedText(line.name, Qt::ElideRight, most);
        } else {
            names = std::max(names, small.horizontalAdvance(line.name));
        }
    }
    double width = 28 + names;
    for (const Line& line : lines) {
        width = std::max(width, line.value.isEmpty()
                                    ? small.horizontalAdvance(line.name) + 14
                                    : names + small.horizontalAdvance(line.value) + 34);
    }
    const double height = small.height() * static_cast<double>(lines.size()) + 8;
    // Placed on the side with more room, so the box does not cover the position it describes.
    const bool toRight = at < frame.plot.center().x();
    QRectF box(toRight ? at + 6 : at - 6 - width, frame.plot.top() + 2, width, height);
    box.moveLeft(std::clamp(box.left(), 2.0, std::max(2.0, frame.size.width() - width - 2)));
    QColor surface = canvas.theme.surface;
    surface.setAlphaF(0.93F);
    painter.setPen(QPen(canvas.theme.control, 1));
    painter.setBrush(surface);
    painter.drawRect(box);
    painter.setFont(Theme::font(FontRole::Small));
    double y = box.top() + 4;
    for (const Line& line : lines) {
        const QRectF row(box.left() + 7, y, width - 14, small.height());
        if (line.ink) {
            painter.fillRect(QRectF(row.left(), row.center().y() - 1.5, 9, 3),
                             canvas.theme.series.**line.ink);
        }
        painter.setPen(line.value.isEmpty() ? canvas.theme.secondary : canvas.theme.text);
        painter.drawText(line.value.isEmpty() ? row : row.adjusted(13, 0, 0, 0),
                         Qt::AlignLeft | Qt::AlignVCenter, line.name);
        painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, line.value);
        y += small.height();
    }
}

}  // namespace lacuna::ui
