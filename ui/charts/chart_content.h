#pragma once
/// \file
/// Content of one chart as a value: curves already thinned to pixels, dots, bars, marks and texts.
/// Built by chart_builders from the store and drawn by TimeSeriesView; the two do not depend on
/// each other. Colours are given by name, so the content can be drawn in either theme. Horizontal
/// positions are seconds since the first sample, tokens, or milliseconds (histogram).

#include <QList>
#include <QPointF>
#include <QString>
#include <QStringList>
#include <QVector>
#include <optional>
#include <vector>

#include "ui/charts/chart_scale.h"
#include "ui/style/theme.h"

namespace lacuna::ui {

/// A colour of the theme's series palette.
using Ink = QColor SeriesColours::*;

enum class ChartAxis { Time, Tokens, LogMilliseconds };
enum class Marker { Circle, Square, Diamond, Triangle, Cross, Bar };

/// A line plot. Each piece is drawn separately; the gaps between pieces are idle time.
struct Curve {
    QString name;
    Ink ink = &SeriesColours::live;
    Qt::PenStyle dash = Qt::SolidLine;
    double width = 1.5;  ///< pixels
    QList<QList<QPointF>> pieces;
    std::optional<double> last;   ///< value at the right end, next to the label
    std::optional<QPointF> peak;  ///< greatest value, labelled if it is well above the last one
};

/// The area between two curves with the same x positions.
struct Band {
    QString name;
    Ink ink = &SeriesColours::saved;
    QList<QPointF> upper, lower;
};

struct Dots {
    QString name;
    Ink ink = &SeriesColours::causeBudget;
    Marker marker = Marker::Circle;
    QList<QPointF> points;
    QList<qint64> keys;  ///< keys of the rows that the points represent, or empty
};

/// Stacked bars: bar i covers [first + i * width, first + (i + 1) * width).
struct Bars {
    double first = 0, width = 1;
    QStringList names;
    std::vector<Ink> inks;
    QVector<QVector<double>> values;  ///< [names, bars]
    QStringList details;              ///< [bars] sentences for the crosshair; may be empty
};

/// Distribution of stage durations: one lane per stage, with a common logarithmic axis and a common
/// scale of counts.
struct Histogram {
    struct Lane {
        QString name;
        Ink ink = &SeriesColours::live;
        QVector<double> counts;  ///< [bins]
        qint64 total = 0;
        double median = 0, p95 = 0;  ///< milliseconds; 0 if there are no samples
    };
    QVector<double> edges;  ///< [bins + 1] milliseconds
    std::vector<Lane> lanes;
    double tallest = 1;  ///< greatest count of any bin; scales the height of the lanes
};

enum class MarkKind { Applied, Rejected, FirstToken };
struct Mark {
    double at = 0;
    MarkKind kind = MarkKind::Applied;
    QString label;   ///< e.g. "14"
    QString detail;  ///< shown by the crosshair
};

struct ChartContent {
    QString id;  ///< file stem: "kv-bytes"
    QString title;
    QString headline;     ///< main figure, e.g. "17.2 MiB"
    QStringList notes;    ///< shown next to it, most important first: "12 s ago", "74 % saved"
    QString empty;        ///< sentence to display if there is nothing to draw
    QString description;  ///< one-sentence text alternative for screen readers
    QString definitions;  ///< tooltip that defines the terms used
    ValueUnit unit = ValueUnit::Count;
    ValueScale scale = ValueScale::Linear;
    ChartAxis axis = ChartAxis::Time;
    Range window;                 ///< horizontal
    std::optional<Range> needed;  ///< vertical; nullopt if there is nothing to draw

    std::optional<Band> band;
    std::vector<Curve> curves;
    std::vector<Dots> dots;
    QList<QPointF> cloud;  ///< points drawn as a density because there are too many for dots
    std::optional<Bars> bars;
    std::optional<Histogram> histogram;
    std::vector<Mark> marks;  ///< ascending
    QList<double> breaks;     ///< positions at which the curves switch to another cache
};

/// The same figures as a table; the header row is separate.
struct ChartTable {
    QStringList header;
    QList<QStringList> rows;
    QList<int> textColumns{0};  ///< left-aligned columns; figures are right-aligned
};
/// Lists dots, bars and bins with one row each, and samples curves at up to `most` evenly spaced
/// positions.
[[nodiscard]] ChartTable tableOf(const ChartContent& content, int most = 120);

/// Returns the value of the curve at `x`: the last point at or before `x` in a piece that covers
/// `x`.
[[nodiscard]] std::optional<double> valueAt(const Curve& curve, double x);
/// Formats a position on the horizontal axis: "1:05", "4,096 tokens", "34 ms".
[[nodiscard]] QString placeText(ChartAxis axis, double x, double step);

}  // namespace lacuna::ui
