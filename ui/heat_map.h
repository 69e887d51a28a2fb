#pragma once
/// \file
/// A matrix as a value, made from the cache's retention, and the widget that draws it. GUI thread.

#include <QImage>
#include <QPoint>
#include <QString>
#include <QStringList>
#include <QVector>
#include <functional>
#include <optional>

#include "app/state/view_types.h"
#include "ui/chart_content.h"
#include "ui/plot_widget.h"
#include "ui/retention_text.h"

namespace lacuna::ui {

/// A matrix as a value: what a HeatMapView draws and a table says. Made from the cache's retention
/// by the two functions below; pure, without widgets.
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

/// The scale, 0..1, from the faint surface to the accent; its lightness goes one way, so that it is
/// read without hues too.
[[nodiscard]] QColor heatColour(double share, const Theme& theme);

/// A heat map on screen: cells, scale with its ends in words, band of fates, the figures of the
/// cell under the pointer. Arrow keys move from cell to cell and each is read out. Own painting
/// over a QImage that is made once for a content and size. GUI thread.
class HeatMapView final : public PlotWidget {
    Q_OBJECT

  public:
    explicit HeatMapView(const ThemeSource& themes, QWidget* parent = nullptr);

    void setMap(HeatMap map);
    [[nodiscard]] const HeatMap& map() const { return m_map; }
    /// Cell under the pointer or chosen by keys: x column, y row.
    [[nodiscard]] std::optional<QPoint> pointed() const { return m_pointed; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {180, 140}; }
    [[nodiscard]] QSize sizeHint() const override { return {360, 220}; }

  Q_SIGNALS:
    /// A cell was clicked or Enter pressed on it.
    void cellPicked(int row, int column);

  protected:
    [[nodiscard]] Heading heading() const override;
    [[nodiscard]] QString emptySentence() const override;
    void paintPlot(QPainter& painter) override;
    void forgetPicture() override { m_image = QImage(); }
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    [[nodiscard]] QRectF plot() const;
    [[nodiscard]] QRectF cellRect(QPoint cell) const;
    [[nodiscard]] std::optional<QPoint> cellAt(QPointF at) const;
    void point(std::optional<QPoint> cell);
    void step(int byColumns, int byRows);
    void draw();
    void paintAxes(QPainter& painter, const QRectF& within) const;
    void paintCellTexts(QPainter& painter) const;
    void paintLegend(QPainter& painter) const;
    void describe();

    HeatMap m_map;
    QImage m_image, m_band;  ///< null: to be drawn
    std::optional<QPoint> m_pointed;
};

}  // namespace lacuna::ui
