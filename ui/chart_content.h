#pragma once
/// \file
/// What one chart shows, as a value: curves already thinned to pixels, dots, bars, marks, words.
/// Made by chart_builders from the store, drawn by TimeSeriesView; neither knows the other. Colours
/// are named, not given, so that a content can be drawn in either theme. Places on the horizontal
/// axis are seconds since the first sample, tokens, or milliseconds (histogram).

#include <QList>
#include <QPointF>
#include <QString>
#include <QStringList>
#include <QVector>
#include <optional>
#include <vector>

#include "ui/chart_scale.h"
#include "ui/theme.h"

namespace lacuna::ui {

/// A colour of the theme's series.
using Ink = QColor SeriesColours::*;

enum class ChartAxis { Time, Tokens, LogMilliseconds };
enum class Marker { Circle, Square, Diamond, Triangle, Cross, Bar };

/// A line; every piece is drawn by itself, the gaps between are idle time.
struct Curve {
    QString name;
    Ink ink = &SeriesColours::live;
    Qt::PenStyle dash = Qt::SolidLine;
    double width = 1.5;  ///< pixels
    QList<QList<QPointF>> pieces;
    std::optional<double> last;   ///< value at the right end, where the label stands
    std::optional<QPointF> peak;  ///< greatest value, labelled where it stands out
};

/// The room between two curves with the same places.
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
    QList<qint64> keys;  ///< of the rows the points stand for, or empty
};

/// Stacked bars: bar i covers [first + i * width, first + (i + 1) * width).
struct Bars {
    double first = 0, width = 1;
    QStringList names;
    std::vector<Ink> inks;
    QVector<QVector<double>> values;  ///< [names, bars]
    QStringList details;              ///< [bars] sentences for the crosshair; may be empty
};

/// How often each stage took how long: one lane for each, all on one logarithmic axis and one scale
/// of counts.
struct Histogram {
    struct Lane {
        QString name;
        Ink ink = &SeriesColours::live;
        QVector<double> counts;  ///< [bins]
        qint64 total = 0;
        double median = 0, p95 = 0;  ///< milliseconds; 0 when there is nothing
    };
    QVector<double> edges;  ///< [bins + 1] milliseconds
    std::vector<Lane> lanes;
    double tallest = 1;  ///< greatest count of any bin: the height of a lane
};

enum class MarkKind { Applied, Rejected, FirstToken };
struct Mark {
    double at = 0;
    MarkKind kind = MarkKind::Applied;
    QString label;   ///< "14"
    QString detail;  ///< shown by the crosshair
};

struct ChartContent {
    QString id;  ///< file stem: "kv-bytes"
    QString title;
    QString headline;     ///< the one figure: "17.2 MiB"
    QStringList notes;    ///< next to it, the most important first: "12 s ago", "74 % saved"
    QString empty;        ///< sentence when there is nothing to draw
    QString description;  ///< one sentence for people who do not see it
    QString definitions;  ///< tooltip: what each word means
    ValueUnit unit = ValueUnit::Count;
    ValueScale scale = ValueScale::Linear;
    ChartAxis axis = ChartAxis::Time;
    Range window;                 ///< horizontal
    std::optional<Range> needed;  ///< vertical; nothing: nothing to draw

    std::optional<Band> band;
    std::vector<Curve> curves;
    std::vector<Dots> dots;
    QList<QPointF> cloud;  ///< too many to be dots: drawn as a density
    std::optional<Bars> bars;
    std::optional<Histogram> histogram;
    std::vector<Mark> marks;  ///< ascending
    QList<double> breaks;     ///< places at which the curves become those of another cache
};

/// The same figures as a table: header row apart.
struct ChartTable {
    QStringList header;
    QList<QStringList> rows;
    QList<int> textColumns{0};  ///< words stand at the left of their column, figures at the right
};
/// Dots, bars and bins one row each; curves at up to `most` even places.
[[nodiscard]] ChartTable tableOf(const ChartContent& content, int most = 120);

/// Value of the curve at `x`: the last point not after it, in a piece that covers `x`.
[[nodiscard]] std::optional<double> valueAt(const Curve& curve, double x);
/// A place on the horizontal axis in words: "1:05", "4,096 tokens", "34 ms".
[[nodiscard]] QString placeText(ChartAxis axis, double x, double step);

}  // namespace lacuna::ui
