#include "ui/chart_lanes.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "app/state/number_format.h"

namespace lacuna::ui {

namespace {

constexpr double kGap = 4;
/// Of a lane's height; the rest keeps lanes apart.
constexpr double kFull = 0.86;

QFontMetricsF small() {
    return QFontMetricsF(Theme::font(FontRole::Small));
}

QString trText(const char* text) {
    return QCoreApplication::translate("Charts", text);
}

/// Figures at or below this are where the axis begins.
constexpr double kMinMs = 0.01;

/// "8.1 / 14 ms", "< 0.01 ms" for next to nothing, or a dash for a stage that never ran.
QString figureText(const Histogram::Lane& lane) {
    if (lane.total == 0) return QChar(0x2013);
    if (lane.p95 <= kMinMs)
        return QStringLiteral("< ") + valueText(kMinMs, ValueUnit::Milliseconds);
    const QString median = valueText(lane.median, ValueUnit::Milliseconds);
    const QString p95 = valueText(lane.p95, ValueUnit::Milliseconds);
    const bool sameUnit = median.section(QLatin1Char(' '), -1) == p95.section(QLatin1Char(' '), -1);
    return (sameUnit ? median.section(QLatin1Char(' '), 0, 0) : median) + QStringLiteral(" / ") +
           p95;
}

QString figureHead() {
    return trText("median / p95");
}

void paintBars(const ChartCanvas& canvas, const Histogram::Lane& lane, const QRectF& row) {
    const QVector<double>& edges = canvas.content.histogram->edges;
    const double tallest = std::max(1.0, canvas.content.histogram->tallest);
    const QColor colour = canvas.theme.series.*lane.ink;
    canvas.painter.setRenderHint(QPainter::Antialiasing, false);
    for (qsizetype bin = 0; bin < lane.counts.size(); ++bin) {
        if (lane.counts[bin] <= 0) continue;
        const double left = std::round(canvas.frame.pixelX(edges[bin]));
        const double right =
            std::max(std::round(canvas.frame.pixelX(edges[bin + 1])) - 1, left + 1);
        const double height =
            std::max(2.0, std::round(row.height() * kFull * lane.counts[bin] / tallest));
        canvas.painter.fillRect(QRectF(left, row.bottom() - height, right - left, height), colour);
    }
    canvas.painter.setRenderHint(QPainter::Antialiasing);
}

void paintPlace(const ChartCanvas& canvas, double ms, const QRectF& row, Qt::PenStyle style) {
    const double x = std::round(canvas.frame.pixelX(ms)) + 0.5;
    canvas.painter.setPen(QPen(canvas.theme.text, 1.5, style, Qt::FlatCap));
    canvas.painter.drawLine(QPointF(x, row.top() + 1), QPointF(x, row.bottom()));
}

}  // namespace

double laneNameWidth(const Histogram& histogram) {
    double width = 0;
    for (const Histogram::Lane& lane : histogram.lanes)
        width = std::max(width, small().horizontalAdvance(lane.name));
    return width;
}

double laneFigureWidth(const Histogram& histogram) {
    double width = small().horizontalAdvance(figureHead());
    for (const Histogram::Lane& lane : histogram.lanes)
        width = std::max(width, small().horizontalAdvance(figureText(lane)));
    return width;
}

void paintLanes(const ChartCanvas& canvas) {
    const Histogram& histogram = *canvas.content.histogram;
    const QRectF& plot = canvas.frame.plot;
    QPainter& painter = canvas.painter;
    const QFontMetricsF letters = small();
    const double height =
        plot.height() / static_cast<double>(std::max<std::size_t>(histogram.lanes.size(), 1));
    const double figures = plot.right() + kGap;
    const double figureWidth = canvas.frame.size.width() - figures - 6;
    painter.setFont(Theme::font(FontRole::Small));
    painter.setPen(canvas.theme.secondary);
    const double headTop = plot.top() - letters.height() - 3;
    painter.drawText(QRectF(figures, headTop, figureWidth, letters.height()),
                     Qt::AlignRight | Qt::AlignVCenter, figureHead());
    painter.drawText(
        QRectF(plot.left(), headTop, plot.width(), letters.height()),
        Qt::AlignLeft | Qt::AlignVCenter,
        trText("tallest bar: %1").arg(app::countText(std::llround(histogram.tallest))));
    double top = plot.top();
    for (const Histogram::Lane& lane : histogram.lanes) {
        const QRectF row(plot.left(), top, plot.width(), height);
        painter.setPen(QPen(canvas.theme.hairline, 1));
        const double base = std::round(row.bottom()) + 0.5;
        painter.drawLine(QPointF(row.left(), base), QPointF(row.right(), base));
        paintBars(canvas, lane, row);
        if (lane.total > 0) {
            paintPlace(canvas, lane.median, row, Qt::SolidLine);
            paintPlace(canvas, lane.p95, row, Qt::DotLine);
        }
        painter.setPen(lane.total > 0 ? canvas.theme.text : canvas.theme.secondary);
        painter.drawText(QRectF(0, top, plot.left() - kGap, height),
                         Qt::AlignRight | Qt::AlignVCenter, lane.name);
        painter.drawText(QRectF(figures, top, figureWidth, height),
                         Qt::AlignRight | Qt::AlignVCenter, figureText(lane));
        top += height;
    }
}

}  // namespace lacuna::ui
