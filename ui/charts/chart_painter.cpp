#include "ui/charts/chart_painter.h"

#include <QFontMetricsF>
#include <QImage>
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "ui/charts/chart_shapes.h"
#include "ui/charts/chart_texts.h"

namespace lacuna::ui {

namespace {

/// Below this width names are in a row above the plot, not at the ends of the lines.
constexpr double kWideEnough = 270;
constexpr std::size_t kMaxMarks = 200;
/// px; marks closer than this share one line.
constexpr double kClosestLines = 3;

QFontMetricsF metrics(FontRole role) {
    return QFontMetricsF(Theme::font(role));
}

/// Removes labels that would touch their right neighbour; the last one carries the unit and stays.
void keepApart(std::vector<Tick>& ticks, const ChartContent& content, double width) {
    constexpr double kApart = 8;
    double free = std::numeric_limits<double>::infinity();
    for (auto tick = ticks.rbegin(); tick != ticks.rend(); ++tick) {
        const double centre = fraction(tick->value, content.window, true) * width;
        const double half = smallLetters().horizontalAdvance(tick->label) / 2;
        if (centre + half + kApart > free) {
            tick->label.clear();
        } else {
            free = centre - half;
        }
    }
}

std::vector<Tick> horizontalTicks(const ChartContent& content, double width) {
    const QFontMetricsF small = smallLetters();
    const auto partsFor = [&](const QString& widest) {
        return std::max(1, static_cast<int>(width / (small.horizontalAdvance(widest) + 28)));
    };
    // At least two ticks, even if slightly crowded: one does not define a scale.
    const auto atLeastTwo = [&](const QString& widest, auto ticksFor) {
        int parts = partsFor(widest);
        std::vector<Tick> ticks = ticksFor(content.window, parts);
        while (ticks.size() < 2 && parts < 8) ticks = ticksFor(content.window, ++parts);
        return ticks;
    };
    switch (content.axis) {
        case ChartAxis::Time:
            return atLeastTwo(
                elapsedText(content.window.to, niceTimeStep(content.window.length(), 4)),
                timeTicks);
        case ChartAxis::Tokens:
            return atLeastTwo(
                placeText(content.axis, content.window.to, 1).section(QLatin1Char(' '), 0, 0),
                tokenTicks);
        case ChartAxis::LogMilliseconds: {
            Ticks ticks = logValueTicks(content.window, ValueUnit::Milliseconds);
            if (!ticks.ticks.empty()) ticks.ticks.back().label += QLatin1Char(' ') + ticks.unit;
            keepApart(ticks.ticks, content, width);
            return ticks.ticks;
        }
    }
    return {};
}

bool namesAtEnd(const ChartContent& content, double width) {
    return width >= kWideEnough && !content.curves.empty() && content.dots.empty() && !content.bars;
}

double endLabelWidth(const ChartContent& content) {
    double widest = 0;
    for (const Curve& curve : content.curves) {
        widest = std::max(widest, smallLetters().horizontalAdvance(curve.name));
    }
    return kChartGap + kChartSwatch + kChartGap + widest;
}

void paintMarkLabel(const ChartCanvas& canvas, double x, const QString& text,
                    const QColor& colour) {
    const QFontMetricsF small = smallLetters();
    const double width = small.horizontalAdvance(text) + 6;
    const ChartFrame& frame = canvas.frame;
    // Next to the unit, never over it.
    const double first = std::max(
        frame.plot.left(), kChartEdge + small.horizontalAdvance(frame.yTicks.unit) + kChartGap);
    const double left =
        std::clamp(x - width / 2, first, std::max(first, frame.plot.right() - width));
    // Above the plot if that row is free, otherwise inside it on the surface colour.
    const double top =
        frame.labelsAtEnd ? frame.plot.top() - small.height() - 3 : frame.plot.top() + 1;
    const QRectF box(left, top, width, small.height() + 1);
    if (!frame.labelsAtEnd) canvas.painter.fillRect(box, canvas.theme.surface);
    canvas.painter.setFont(Theme::font(FontRole::Small));
    canvas.painter.setPen(colour);
    canvas.painter.drawText(box, Qt::AlignCenter, text);
}

/// Vertical mark lines, one pixel wide: solid for applied compactions, dotted for the rest.
class MarkColumns {
  public:
    explicit MarkColumns(const ChartCanvas& canvas)
        : m_canvas(canvas),
          m_solid(faded(canvas.theme.control)),
          m_rejected(dotted(faded(canvas.theme.control))),
          m_firstToken(dotted(faded(canvas.theme.series.firstToken))) {}

    void paint(MarkKind kind, double x) const {
        const QPointF top(x, m_canvas.frame.plot.top() - 2);
        switch (kind) {
            case MarkKind::Applied:
                return m_canvas.painter.fillRect(QRectF(top, QSizeF(1, height())), m_solid);
            case MarkKind::Rejected:
                return m_canvas.painter.drawImage(top, m_rejected);
            case MarkKind::FirstToken:
                return m_canvas.painter.drawImage(top, m_firstToken);
        }
    }

    /// Marks a position at which the curves switch to another cache.
    void paintBreak(double x) const {
        m_canvas.painter.drawImage(QPointF(x, m_canvas.frame.plot.top() - 2), m_rejected);
    }

  private:
    [[nodiscard]] int height() const {
        return std::max(1, static_cast<int>(m_canvas.frame.plot.height()) + 2);
    }
    /// Opaque colour blended with the surface, so the data stay in the foreground.
    [[nodiscard]] QColor faded(const QColor& colour) const {
        const QColor& behind = m_canvas.theme.surface;
        const auto part = [](int front, int back) { return (front * 3 + back * 2) / 5; };
        return QColor(part(colour.red(), behind.red()), part(colour.green(), behind.green()),
                      part(colour.blue(), behind.blue()));
    }
    [[nodiscard]] QImage dotted(const QColor& colour) const {
        QImage column(1, height(), QImage::Format_ARGB32_Premultiplied);
        column.fill(Qt::transparent);
        for (int y = 0; y < column.height(); y += 3) column.setPixelColor(0, y, colour);
        return column;
    }

    const ChartCanvas& m_canvas;
    QColor m_solid;
    QImage m_rejected, m_firstToken;
};

void paintMarks(const ChartCanvas& canvas) {
    const ChartFrame& frame = canvas.frame;
    std::vector<double> places;
    double widest = 0;
    for (const Mark& mark : canvas.content.marks) {
        places.push_back(frame.pixelX(mark.at));
        widest = std::max(widest, smallLetters().horizontalAdvance(mark.label));
    }
    // Filled or copied pixel columns: a hundred dotted or translucent lines would cost more than
    // all curves together.
    double drawn = -kClosestLines;
    const MarkColumns columns(canvas);
    for (const double at : canvas.content.breaks) {
        const double x = std::round(frame.pixelX(at));
        if (x - drawn < kClosestLines) continue;
        drawn = x;
        columns.paintBreak(x);
    }
    drawn = -kClosestLines;
    for (const Cluster& cluster : clusterMarks(places, widest + 10, kMaxMarks)) {
        for (std::size_t i = cluster.first; i < cluster.first + cluster.count; ++i) {
            if (places[i] - drawn < kClosestLines) continue;
            drawn = places[i];
            columns.paint(canvas.content.marks[i].kind, std::round(places[i]));
        }
        const Mark& first = canvas.content.marks[cluster.first];
        const bool bad = first.kind == MarkKind::Rejected && cluster.count == 1;
        paintMarkLabel(canvas, cluster.at,
                       cluster.count == 1 ? first.label : QStringLiteral("+%1").arg(cluster.count),
                       bad ? canvas.theme.bad : canvas.theme.secondary);
    }
}

}  // namespace

void paintAxes(QPainter& painter, const Theme& theme, const ChartFrame& frame) {
    const QFontMetricsF small = smallLetters();
    painter.setFont(Theme::font(FontRole::Small));
    for (const Tick& tick : frame.yTicks.ticks) {
        const double y = std::round(frame.pixelY(tick.value)) + 0.5;
        painter.setPen(QPen(theme.hairline, 1));
        painter.drawLine(QPointF(frame.plot.left(), y), QPointF(frame.plot.right(), y));
        painter.setPen(theme.secondary);
        painter.drawText(
            QRectF(0, y - small.height() / 2, frame.plot.left() - kChartGap - 2, small.height()),
            Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    painter.setPen(theme.secondary);
    const double unitY = frame.plot.top() - small.height() - 7;
    painter.drawText(QRectF(kChartEdge, unitY, 80, small.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, frame.yTicks.unit);
    for (const Tick& tick : frame.xTicks) {
        const double x = std::round(frame.pixelX(tick.value)) + 0.5;
        painter.setPen(QPen(theme.hairline, 1));
        painter.drawLine(QPointF(x, frame.plot.bottom()), QPointF(x, frame.plot.bottom() + 3));
        painter.setPen(theme.secondary);
        const double width = small.horizontalAdvance(tick.label);
        const double left =
            std::clamp(x - width / 2, kChartEdge / 2, frame.size.width() - kChartEdge / 2 - width);
        painter.drawText(QRectF(left, frame.plot.bottom() + 4, width + 1, small.height()),
                         Qt::AlignCenter, tick.label);
    }
}

void paintEmptyText(QPainter& painter, const Theme& theme, QSizeF size, HeadRoom head,
                    const QString& sentence) {
    painter.setFont(Theme::font(FontRole::Base));
    painter.setPen(theme.secondary);
    const double margin = std::max(kChartEdge * 2, size.width() * 0.12);
    const double top = head == HeadRoom::Taken ? 36 : 0;
    const double foot = head == HeadRoom::Taken ? 12 : 0;
    painter.drawText(QRectF(margin, top, size.width() - 2 * margin, size.height() - top - foot),
                     static_cast<int>(Qt::AlignCenter) | static_cast<int>(Qt::TextWordWrap),
                     sentence);
}

void paintFocus(QPainter& painter, const Theme& theme, QSizeF size) {
    painter.setPen(QPen(theme.accent, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(0.5, 0.5, size.width() - 1, size.height() - 1));
}

double headingHeight() {
    return metrics(FontRole::Headline).height();
}

void paintHeading(QPainter& painter, const Theme& theme, double width, const Heading& heading) {
    const double height = headingHeight();
    const QRectF row(kChartEdge, kChartEdge - 2, width - 2 * kChartEdge, height);
    const QFontMetricsF title = metrics(FontRole::Title);
    double right = row.right();
    if (!heading.headline.isEmpty()) {
        // The figure is dropped before the title that names it.
        const double large = metrics(FontRole::Headline).horizontalAdvance(heading.headline);
        const bool both =
            title.horizontalAdvance(heading.title) + kChartEdge + large <= row.width();
        const FontRole role = both ? FontRole::Headline : FontRole::Title;
        painter.setFont(Theme::font(role));
        painter.setPen(theme.text);
        painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, heading.headline);
        right -= metrics(role).horizontalAdvance(heading.headline) + kChartEdge;
    }
    const double room = right - row.left();
    painter.setFont(Theme::font(FontRole::Title));
    painter.setPen(theme.text);
    painter.drawText(QRectF(row.left(), row.top(), room, height), Qt::AlignLeft | Qt::AlignVCenter,
                     title.elidedText(heading.title, Qt::ElideRight, room));
    const double left = row.left() + title.horizontalAdvance(heading.title) + kChartEdge * 1.5;
    // As many parts of the note as fit, most important first.
    QStringList note = heading.notes;
    while (!note.isEmpty() && smallLetters().horizontalAdvance(app::listed(note)) > right - left)
        note.removeLast();
    if (note.isEmpty()) return;
    painter.setFont(Theme::font(FontRole::Small));
    painter.setPen(theme.secondary);
    // Aligned with the baseline of the figure rather than centred in the row.
    painter.drawText(QRectF(left, row.top(), right - left, height - 1),
                     Qt::AlignRight | Qt::AlignVCenter, app::listed(note));
}

Range naturalRange(const ChartContent& content) {
    if (!content.needed) return content.scale == ValueScale::Log ? Range{1, 10} : Range{0, 1};
    if (content.scale == ValueScale::Log) return logRange(*content.needed);
    // Counts need whole numbers, so there is room above the tallest bar instead of a rounded end.
    if (content.unit == ValueUnit::Count) return {0, content.needed->to * 1.1};
    return {0, roundUp(content.needed->to * 1.06, content.unit)};
}

ChartFrame layOut(const ChartContent& content, QSizeF size, Range y) {
    ChartFrame frame;
    frame.size = size;
    frame.x = content.window;
    frame.y = y;
    frame.logX = content.axis == ChartAxis::LogMilliseconds;
    frame.logY = content.scale == ValueScale::Log;
    frame.labelsAtEnd = namesAtEnd(content, size.width());
    const QFontMetricsF small = smallLetters();
    const double top = kChartEdge - 2 + headingHeight() + small.height() + 7;
    const double bottom = size.height() - kChartEdge + 2 - small.height() - 4;
    const int parts = std::clamp(static_cast<int>((bottom - top) / 30), 2, 6);
    // A histogram has one lane per stage instead of a value axis.
    if (!content.histogram)
        frame.yTicks =
            frame.logY ? logValueTicks(y, content.unit) : valueTicks(y, content.unit, parts);
    double labels = small.horizontalAdvance(QStringLiteral("00"));
    for (const Tick& tick : frame.yTicks.ticks)
        labels = std::max(labels, small.horizontalAdvance(tick.label));
    if (content.histogram) labels = laneNameWidth(*content.histogram);
    const double left = kChartEdge + labels + kChartGap + 2;
    const double right = size.width() - kChartEdge -
                         (frame.labelsAtEnd   ? endLabelWidth(content)
                          : content.histogram ? laneFigureWidth(*content.histogram) + kChartGap
                                              : 4);
    frame.plot = QRectF(
        QPointF(std::round(left), std::round(top)),
        QPointF(std::round(std::max(right, left + 20)), std::round(std::max(bottom, top + 20))));
    frame.xTicks = horizontalTicks(content, frame.plot.width());
    return frame;
}

void paintUnder(const ChartCanvas& canvas) {
    canvas.painter.fillRect(QRectF(QPointF(0, 0), canvas.frame.size), canvas.theme.surface);
    paintHeading(canvas.painter, canvas.theme, canvas.frame.size.width(),
                 {canvas.content.title, canvas.content.headline, canvas.content.notes});
    if (!canvas.content.needed) return;
    paintAxes(canvas.painter, canvas.theme, canvas.frame);
    paintMarks(canvas);
}

void paintMoment(const ChartCanvas& canvas, double x) {
    const ChartFrame& frame = canvas.frame;
    const double at = std::round(frame.pixelX(x)) + 0.5;
    if (!canvas.content.needed || at < frame.plot.left() || at > frame.plot.right() + 1) return;
    canvas.painter.setPen(QPen(canvas.theme.accent, 1));
    canvas.painter.drawLine(QPointF(at, frame.plot.top()), QPointF(at, frame.plot.bottom()));
}

void paintOver(const ChartCanvas& canvas) {
    if (!canvas.content.needed) {
        paintEmptyText(canvas.painter, canvas.theme, canvas.frame.size, HeadRoom::Taken,
                       canvas.content.empty);
        return;
    }
    if (!canvas.content.cloud.isEmpty()) paintCloud(canvas);
    if (canvas.content.histogram) paintLanes(canvas);
    paintDots(canvas);
    paintLonePoints(canvas);
    paintPeaks(canvas);
    if (canvas.frame.labelsAtEnd) {
        paintEndLabels(canvas);
    } else if (!canvas.content.histogram) {
        paintLegend(canvas);
    }
}

namespace {

/// Share of a lane's height; the rest separates lanes.
constexpr double kFull = 0.86;

QFontMetricsF small() {
    return QFontMetricsF(Theme::font(FontRole::Small));
}

/// "8.1 / 14 ms", "< 100 us" for tiny values, or a dash for a stage that never ran.
QString figureText(const Histogram::Lane& lane) {
    if (lane.total == 0) return QChar(0x2013);
    if (lane.p95 <= kShortestMs)
        return QStringLiteral("< ") + valueText(kShortestMs, ValueUnit::Milliseconds);
    const QString median = valueText(lane.median, ValueUnit::Milliseconds);
    const QString p95 = valueText(lane.p95, ValueUnit::Milliseconds);
    const bool sameUnit = median.section(QLatin1Char(' '), -1) == p95.section(QLatin1Char(' '), -1);
    return (sameUnit ? median.section(QLatin1Char(' '), 0, 0) : median) + QStringLiteral(" / ") +
           p95;
}

QString figureHead() {
    return ChartTexts::tr("median / p95");
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
    const double figures = plot.right() + kChartGap;
    const double figureWidth = canvas.frame.size.width() - figures - 6;
    painter.setFont(Theme::font(FontRole::Small));
    painter.setPen(canvas.theme.secondary);
    const double headTop = plot.top() - letters.height() - 3;
    painter.drawText(QRectF(figures, headTop, figureWidth, letters.height()),
                     Qt::AlignRight | Qt::AlignVCenter, figureHead());
    painter.drawText(
        QRectF(plot.left(), headTop, plot.width(), letters.height()),
        Qt::AlignLeft | Qt::AlignVCenter,
        ChartTexts::tr("tallest bar: %1").arg(app::countText(std::llround(histogram.tallest))));
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
        painter.drawText(QRectF(0, top, plot.left() - kChartGap, height),
                         Qt::AlignRight | Qt::AlignVCenter, lane.name);
        painter.drawText(QRectF(figures, top, figureWidth, height),
                         Qt::AlignRight | Qt::AlignVCenter, figureText(lane));
        top += height;
    }
}

}  // namespace lacuna::ui
