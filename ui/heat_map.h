#pragma once
/// \file
/// A matrix as a value: what a HeatMapView draws and a table says. Made from the cache's retention
/// by the two functions below; pure, without widgets.

#include <QString>
#include <QStringList>
#include <QVector>
#include <functional>
#include <optional>

#include "app/state/view_types.h"
#include "ui/chart_content.h"
#include "ui/token_fate.h"

namespace lacuna::ui {

struct HeatMap {
    QString id;  ///< "head-map"
    QString title;
    QString headline;     ///< the one figure
    QStringList notes;    ///< next to it, the most important first
    QString empty;        ///< sentence when there is nothing to draw
    QString description;  ///< one sentence for people who do not see it
    QString definitions;  ///< tooltip: what is shown
    int rows = 0, columns = 0;
    QVector<float> values;            ///< [rows, columns] 0..1 of the scale
    QString leastText, greatestText;  ///< what 0 and 1 stand for, at the ends of the legend
    QString rowName, columnName;      ///< "layer", "head"
    QStringList cellTexts;            ///< [rows, columns] written where there is room; or empty
    QVector<TokenFate> fates;         ///< [columns] a coloured band above the map; or empty
    std::function<QString(int row, int column)> sentence;
    std::function<ChartTable()> table;

    [[nodiscard]] bool isEmpty() const { return rows == 0 || columns == 0; }
};

/// C7: slots of each head of each layer, against an uncompressed cache.
[[nodiscard]] HeatMap headMap(const app::RetentionView& view);
/// C8: of each token, the share of each layer's heads that hold it.
[[nodiscard]] HeatMap retentionMap(const app::RetentionView& view);

}  // namespace lacuna::ui
