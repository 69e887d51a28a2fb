#include "ui/charts/chart_content.h"

#include <algorithm>
#include <cmath>

#include "app/state/number_format.h"
#include "ui/charts/chart_texts.h"

namespace lacuna::ui {

namespace {

QString axisName(ChartAxis axis) {
    switch (axis) {
        case ChartAxis::Time:
            return ChartTexts::tr("Time");
        case ChartAxis::Tokens:
            return ChartTexts::tr("Tokens processed");
        case ChartAxis::LogMilliseconds:
            return ChartTexts::tr("Latency");
    }
    return {};
}

void addCurveRows(const ChartContent& content, int most, ChartTable& table) {
    table.header << axisName(content.axis);
    for (const Curve& curve : content.curves) table.header << curve.name;
    const double step = content.window.length() / std::max(most - 1, 1);
    for (int i = 0; i < most; ++i) {
        const double x = content.window.from + step * i;
        QStringList row{placeText(content.axis, x, step)};
        bool any = false;
        for (const Curve& curve : content.curves) {
            const auto value = valueAt(curve, x);
            row << (value ? valueText(*value, content.unit) : QStringLiteral("\u2013"));
            any = any || value.has_value();
        }
        if (any) table.rows << row;
    }
}

void addDotRows(const ChartContent& content, ChartTable& table) {
    table.header = {axisName(content.axis), ChartTexts::tr("Kind"), ChartTexts::tr("Value")};
    struct Row {
        QPointF point;
        QString name;
    };
    std::vector<Row> rows;
    for (const Dots& dots : content.dots) {
        for (const QPointF& point : dots.points) rows.push_back({point, dots.name});
    }
    for (const QPointF& point : content.cloud)
        rows.push_back({point, ChartTexts::tr("compaction")});
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.point.x() < b.point.x(); });
    for (const Row& row : rows) {
        table.rows << QStringList{placeText(content.axis, row.point.x(), 0.1), row.name,
                                  valueText(row.point.y(), content.unit)};
    }
}

void addStackRows(const QStringList& names, const QVector<QVector<double>>& values,
                  const QStringList& places, ChartTable& table) {
    table.header << names;
    for (qsizetype i = 0; i < places.size(); ++i) {
        QStringList row{places[i]};
        double sum = 0;
        for (const QVector<double>& stack : values) {
            row << app::realText(stack[i],
                                 std::abs(stack[i] - std::round(stack[i])) < 1e-9 ? 0 : 1);
            sum += stack[i];
        }
        if (sum > 0) table.rows << row;
    }
}

void addLaneRows(const Histogram& histogram, ChartTable& table) {
    table.header << axisName(ChartAxis::LogMilliseconds);
    QStringList median{ChartTexts::tr("median")}, p95{ChartTexts::tr("p95")},
        total{ChartTexts::tr("compactions")};
    for (const Histogram::Lane& lane : histogram.lanes) {
        const bool any = lane.total > 0;
        table.header << lane.name;
        median << (any ? valueText(lane.median, ValueUnit::Milliseconds)
                       : QStringLiteral("\u2013"));
        p95 << (any ? valueText(lane.p95, ValueUnit::Milliseconds) : QStringLiteral("\u2013"));
        total << app::countText(lane.total);
    }
    table.rows << total << median << p95;
    for (qsizetype bin = 0; bin + 1 < histogram.edges.size(); ++bin) {
        QStringList row{ChartTexts::tr("%1 to %2")
                            .arg(valueText(histogram.edges[bin], ValueUnit::Milliseconds),
                                 valueText(histogram.edges[bin + 1], ValueUnit::Milliseconds))};
        double sum = 0;
        for (const Histogram::Lane& lane : histogram.lanes) {
            row << app::countText(std::llround(lane.counts[bin]));
            sum += lane.counts[bin];
        }
        if (sum > 0) table.rows << row;
    }
}

}  // namespace

QString placeText(ChartAxis axis, double x, double step) {
    switch (axis) {
        case ChartAxis::Time:
            return elapsedText(x, step < 1 ? 0.1 : 1);
        case ChartAxis::Tokens:
            return ChartTexts::tr("%1 tokens").arg(app::countText(std::llround(x)));
        case ChartAxis::LogMilliseconds:
            return valueText(x, ValueUnit::Milliseconds);
    }
    return {};
}

std::optional<double> valueAt(const Curve& curve, double x) {
    for (const QList<QPointF>& piece : curve.pieces) {
        if (piece.isEmpty() || x < piece.front().x() || x > piece.back().x()) continue;
        const auto after =
            std::upper_bound(piece.begin(), piece.end(), x,
                             [](double at, const QPointF& point) { return at < point.x(); });
        if (after != piece.begin()) return std::prev(after)->y();
    }
    return std::nullopt;
}

ChartTable tableOf(const ChartContent& content, int most) {
    ChartTable table;
    if (content.histogram) {
        addLaneRows(*content.histogram, table);
    } else if (content.bars) {
        const Bars& bars = *content.bars;
        table.header << axisName(content.axis);
        QStringList places;
        for (qsizetype i = 0; !bars.values.isEmpty() && i < bars.values.front().size(); ++i) {
            places << placeText(content.axis, bars.first + static_cast<double>(i) * bars.width,
                                bars.width);
        }
        addStackRows(bars.names, bars.values, places, table);
    } else if (!content.dots.empty() || !content.cloud.isEmpty()) {
        addDotRows(content, table);
    } else {
        addCurveRows(content, most, table);
    }
    return table;
}

}  // namespace lacuna::ui
