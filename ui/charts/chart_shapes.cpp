#include "ui/charts/chart_shapes.h"

#include <QFontMetricsF>
#include <QImage>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace lacuna::ui {

namespace {

/// Side of a density cell in pixels.
constexpr int kCell = 4;
/// px; narrower pieces of curves are drawn as a short stroke to be visible.
constexpr double kMinPiece = 3;
/// A peak is labelled if it exceeds the last value by this factor.
constexpr double kPeakFactor = 1.15;

/// One entry of a legend: the symbol before the name.
struct Entry {
    QString name;
    QColor colour;
    enum class Sign { Line, Dot, Fill } sign = Sign::Line;
    Qt::PenStyle dash = Qt::SolidLine;
    double width = 1.5;
    Marker marker = Marker::Circle;
    std::size_t index = 0;
};

std::vector<Entry> legendOf(const ChartContent& content, const Theme& theme) {
    std::vector<Entry> entries;
    for (const Curve& curve : content.curves) {
        entries.push_back({.name = curve.name,
                           .colour = theme.series.*curve.ink,
                           .dash = curve.dash,
                           .width = curve.width});
    }
    for (const Dots& dots : content.dots) {
        entries.push_back({.name = dots.name,
                           .colour = theme.series.*dots.ink,
                           .sign = Entry::Sign::Dot,
                           .marker = dots.marker});
    }
    const auto addStack = [&](const QStringList& names, const std::vector<Ink>& inks) {
        for (std::size_t i = 0; i < inks.size(); ++i) {
            entries.push_back({.name = names[static_cast<qsizetype>(i)],
                               .colour = theme.series.*inks[i],
                               .sign = Entry::Sign::Fill,
                               .index = i});
        }
    };
    if (content.bars) addStack(content.bars->names, content.bars->inks);
    return entries;
}

void paintCross(QPainter& painter, QPointF at, const QColor& colour) {
    constexpr double kArm = 4;
    painter.setPen(QPen(colour, 2, Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(at + QPointF(-kArm, -kArm), at + QPointF(kArm, kArm));
    painter.drawLine(at + QPointF(-kArm, kArm), at + QPointF(kArm, -kArm));
}

/// A bar from `at` down to `bottom`.
void paintBar(QPainter& painter, QPointF at, double bottom, const QColor& colour) {
    constexpr double kHalf = 1.5;
    painter.fillRect(QRectF(at - QPointF(kHalf, 0), QPointF(at.x() + kHalf, bottom)), colour);
}

}  // namespace

void paintDot(QPainter& painter, QPointF at, Marker marker, const QColor& colour) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    switch (marker) {
        case Marker::Circle:
            painter.drawEllipse(at, 3.5, 3.5);
            break;
        case Marker::Square:
            painter.drawRect(QRectF(at.x() - 3, at.y() - 3, 6, 6));
            break;
        case Marker::Diamond:
            painter.drawPolygon(QPolygonF({at + QPointF(0, -4), at + QPointF(4, 0),
                                           at + QPointF(0, 4), at + QPointF(-4, 0)}));
            break;
        case Marker::Triangle:
            painter.drawPolygon(
                QPolygonF({at + QPointF(0, -4), at + QPointF(4, 3.5), at + QPointF(-4, 3.5)}));
            break;
        case Marker::Cross:
            paintCross(painter, at, colour);
            break;
        case Marker::Bar:
            paintBar(painter, at - QPointF(0, 4), at.y() + 4, colour);
            break;
    }
}

namespace {

void paintSign(QPainter& painter, QPointF leftMiddle, const Entry& entry) {
    switch (entry.sign) {
        case Entry::Sign::Line:
            painter.setPen(QPen(entry.colour, std::max(entry.width, 1.5), entry.dash, Qt::FlatCap));
            painter.drawLine(leftMiddle, leftMiddle + QPointF(kChartSwatch, 0));
            break;
        case Entry::Sign::Dot:
            paintDot(painter, leftMiddle + QPointF(kChartSwatch / 2, 0), entry.marker,
                     entry.colour);
            break;
        case Entry::Sign::Fill: {
            const QRectF box(leftMiddle.x() + 3, leftMiddle.y() - 4, 9, 9);
            painter.fillRect(box, stackBrush(entry.colour, entry.index));
            painter.setPen(QPen(entry.colour, 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(box);
            break;
        }
    }
}

}  // namespace

QBrush stackBrush(const QColor& colour, std::size_t index) {
    static constexpr Qt::BrushStyle kStyles[] = {
        Qt::SolidPattern, Qt::BDiagPattern, Qt::Dense4Pattern, Qt::HorPattern, Qt::Dense6Pattern};
    return QBrush(colour, kStyles[index % std::size(kStyles)]);
}

void paintCloud(const ChartCanvas& canvas) {
    const ChartFrame& frame = canvas.frame;
    const int columns = std::max(1, static_cast<int>(frame.plot.width()) / kCell);
    const int rows = std::max(1, static_cast<int>(frame.plot.height()) / kCell);
    std::vector<int> counts(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), 0);
    int most = 1;
    for (const QPointF& point : canvas.content.cloud) {
        const int column = static_cast<int>((frame.pixelX(point.x()) - frame.plot.left()) / kCell);
        const int row = static_cast<int>((frame.pixelY(point.y()) - frame.plot.top()) / kCell);
        if (column < 0 || column >= columns || row < 0 || row >= rows) continue;
        int& count = counts[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                            static_cast<std::size_t>(column)];
        most = std::max(most, ++count);
    }
    QImage image(columns, rows, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            const int count =
                counts[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                       static_cast<std::size_t>(column)];
            if (count == 0) continue;
            QColor colour = canvas.theme.series.causeBudget;
            // Logarithmic, so a single compaction is visible next to a thousand.
            colour.setAlphaF(
                static_cast<float>(0.3 + 0.7 * std::log(1.0 + count) / std::log(1.0 + most)));
            image.setPixelColor(column, row, colour);
        }
    }
    canvas.painter.drawImage(QRectF(frame.plot.topLeft(), QSizeF(columns * kCell, rows * kCell)),
                             image);
}

namespace {

void paintDotsOf(const ChartCanvas& canvas, const Dots& dots) {
    std::set<std::pair<int, int>> taken;  // occupied cells: a second dot there would be invisible
    const QColor& colour = canvas.theme.series.*dots.ink;
    for (const QPointF& point : dots.points) {
        const QPointF at(canvas.frame.pixelX(point.x()), canvas.frame.pixelY(point.y()));
        if (!canvas.frame.plot.contains(at)) continue;
        if (!taken.emplace(static_cast<int>(at.x()) / kCell, static_cast<int>(at.y()) / kCell)
                 .second)
            continue;
        if (dots.marker == Marker::Bar)
            paintBar(canvas.painter, at, canvas.frame.plot.bottom(), colour);
        else
            paintDot(canvas.painter, at, dots.marker, colour);
    }
}

}  // namespace

/// Bars first, so the dots lie over them.
void paintDots(const ChartCanvas& canvas) {
    for (const bool bars : {true, false})
        for (const Dots& dots : canvas.content.dots)
            if ((dots.marker == Marker::Bar) == bars) paintDotsOf(canvas, dots);
}

void paintLonePoints(const ChartCanvas& canvas) {
    for (const Curve& curve : canvas.content.curves) {
        for (const QList<QPointF>& piece : curve.pieces) {
            if (piece.isEmpty()) continue;
            const double left = canvas.frame.pixelX(piece.front().x());
            const double right = canvas.frame.pixelX(piece.back().x());
            if (right - left >= kMinPiece) continue;
            const QPointF at((left + right) / 2, canvas.frame.pixelY(piece.back().y()));
            if (!canvas.frame.plot.contains(at)) continue;
            canvas.painter.setPen(QPen(canvas.theme.series.*curve.ink, std::max(curve.width, 1.5),
                                       Qt::SolidLine, Qt::FlatCap));
            canvas.painter.drawLine(at - QPointF(kMinPiece, 0), at + QPointF(kMinPiece, 0));
        }
    }
}

void paintPeaks(const ChartCanvas& canvas) {
    const QFontMetricsF small = smallLetters();
    canvas.painter.setFont(Theme::font(FontRole::Small));
    for (const Curve& curve : canvas.content.curves) {
        if (!curve.peak || !curve.last || curve.peak->y() < kPeakFactor * *curve.last) continue;
        const QPointF at(canvas.frame.pixelX(curve.peak->x()),
                         canvas.frame.pixelY(curve.peak->y()));
        if (!canvas.frame.plot.contains(at)) continue;
        const QString text = valueText(curve.peak->y(), canvas.content.unit);
        const double width = small.horizontalAdvance(text);
        // Placed to the right above the peak, or to the left near the end of the plot.
        const bool fits = at.x() + kChartGap + width <= canvas.frame.plot.right();
        const double left = fits ? at.x() + kChartGap : at.x() - kChartGap - width;
        const double top = std::max(canvas.frame.plot.top(), at.y() - small.height() - 1);
        QColor behind = canvas.theme.surface;
        behind.setAlphaF(0.8F);
        canvas.painter.fillRect(QRectF(left - 1, top, width + 3, small.height()), behind);
        canvas.painter.setPen(canvas.theme.text);
        canvas.painter.drawText(QRectF(left, top, width + 1, small.height()), Qt::AlignCenter,
                                text);
    }
}

void paintEndLabels(const ChartCanvas& canvas) {
    std::vector<double> centres;
    std::vector<const Curve*> named;
    for (const Curve& curve : canvas.content.curves) {
        if (!curve.last) continue;
        named.push_back(&curve);
        centres.push_back(std::clamp(canvas.frame.pixelY(*curve.last), canvas.frame.plot.top(),
                                     canvas.frame.plot.bottom()));
    }
    const QFontMetricsF small = smallLetters();
    const Range room{canvas.frame.plot.top() - small.height() / 2,
                     canvas.frame.plot.bottom() + small.height() / 2};
    const std::vector<double> placed = spreadLabels(centres, small.height(), room);
    canvas.painter.setFont(Theme::font(FontRole::Small));
    for (std::size_t i = 0; i < named.size(); ++i) {
        const QPointF left(canvas.frame.plot.right() + kChartGap, placed[i]);
        paintSign(canvas.painter, left,
                  {.name = named[i]->name,
                   .colour = canvas.theme.series.*named[i]->ink,
                   .dash = named[i]->dash,
                   .width = named[i]->width});
        canvas.painter.setPen(canvas.theme.text);
        canvas.painter.drawText(QRectF(left.x() + kChartSwatch + kChartGap,
                                       placed[i] - small.height() / 2, 200, small.height()),
                                Qt::AlignLeft | Qt::AlignVCenter, named[i]->name);
    }
}

void paintLegend(const ChartCanvas& canvas) {
    const QFontMetricsF small = smallLetters();
    const double middle = canvas.frame.plot.top() - small.height() / 2 - 5;
    std::vector<Entry> entries = legendOf(canvas.content, canvas.theme);
    const double unit = canvas.frame.yTicks.unit.isEmpty()
                            ? 0
                            : small.horizontalAdvance(canvas.frame.yTicks.unit) + kChartEdge;
    const double room = canvas.frame.size.width() - 2 * kChartEdge - unit;
    const auto widthOf = [&small](const std::vector<Entry>& all) {
        return std::accumulate(all.begin(), all.end(), 0.0, [&small](double sum, const Entry& one) {
            return sum + kChartSwatch + kChartGap + small.horizontalAdvance(one.name) + kChartEdge;
        });
    };
    // Kinds of bars that are not drawn are named only where there is room for all.
    if (canvas.content.bars && widthOf(entries) > room)
        std::erase_if(entries, [&bars = *canvas.content.bars](const Entry& entry) {
            const auto at = static_cast<qsizetype>(entry.index);
            return entry.sign == Entry::Sign::Fill &&
                   bars.values[at].count(0) == bars.values[at].size();
        });
    const double wanted = widthOf(entries);
    // The row has no room for all names: symbols alone would be meaningless, so all names are
    // shortened evenly.
    const double cut = wanted > room ? room / wanted : 1;
    double x = canvas.frame.size.width() - kChartEdge - std::min(wanted - kChartEdge, room);
    canvas.painter.setFont(Theme::font(FontRole::Small));
    for (const Entry& entry : entries) {
        paintSign(canvas.painter, QPointF(x, middle), entry);
        const double full = small.horizontalAdvance(entry.name);
        const double width = cut < 1 ? (kChartSwatch + kChartGap + full + kChartEdge) * cut -
                                           kChartSwatch - kChartGap - kChartEdge / 2
                                     : full;
        canvas.painter.setPen(canvas.theme.secondary);
        canvas.painter.drawText(QRectF(x + kChartSwatch + kChartGap, middle - small.height() / 2,
                                       width + 2, small.height()),
                                Qt::AlignLeft | Qt::AlignVCenter,
                                small.elidedText(entry.name, Qt::ElideRight, width + 1));
        x += kChartSwatch + kChartGap + width + (cut < 1 ? kChartEdge / 2 : kChartEdge);
    }
}

}  // namespace lacuna::ui
