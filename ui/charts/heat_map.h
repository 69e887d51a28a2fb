#pragma once
/// \file
/// Heat maps of the cache's retention, and the widget that draws them. GUI thread.

#include <QImage>
#include <QPoint>
#include <QString>
#include <QStringList>
#include <QVector>
#include <functional>
#include <optional>

#include "app/state/view_types.h"
#include "ui/charts/chart_content.h"
#include "ui/charts/plot_widget.h"
#include "ui/charts/retention_text.h"

namespace lacuna::ui {

/// A matrix as a value, drawn by HeatMapView and shown as a table. The two functions below build it
/// from the cache's retention; pure, without widgets.
struct HeatMap {
    QString id;  ///< e.g. "head-map"
    QString title;
    QString headline;     ///< main figure
    QStringList notes;    ///< shown next to it, most important first
    QString empty;        ///< sentence to display if there is nothing to draw
    QString description;  ///< one-sentence text alternative for screen readers
    QString definitions;  ///< tooltip that explains the map
    int rows = 0, columns = 0;
    QVector<float> values;            ///< [rows, columns] 0..1 on the scale; NaN: no cell
    QString leastText, greatestText;  ///< labels for 0 and 1 at the ends of the legend
    QString rowName, columnName;      ///< e.g. "layer", "head"
    QStringList cellTexts;            ///< [rows, columns] written if there is room; or empty
    QVector<RetentionState> states;   ///< [columns] a coloured band above the map; or empty
    std::function<QString(int row, int column)> sentence;
    std::function<ChartTable()> table;

    [[nodiscard]] bool isEmpty() const { return rows == 0 || columns == 0; }
};

/// Slots of each head of each layer, relative to an uncompressed cache.
[[nodiscard]] HeatMap headMap(const app::RetentionView& view);
/// For each token, the share of each layer's heads that hold it.
[[nodiscard]] HeatMap retentionMap(const app::RetentionView& view);

/// Colour scale for 0..1 from the faint surface colour to the accent colour. Its lightness is
/// monotonic, so it can be read without hues.
[[nodiscard]] QColor heatColour(double share, const Theme& theme);

/// A heat map on screen: cells, scale with labelled ends, band of states, and the figures of the
/// cell under the pointer. Arrow keys move between cells, and each is read out. The map is painted
/// to a QImage once per content and size. GUI thread.
class HeatMapView final : public PlotWidget {
    Q_OBJECT

  public:
    explicit HeatMapView(const ThemeSource& themes, QWidget* parent = nullptr);

    void setMap(HeatMap map);
    [[nodiscard]] const HeatMap& map() const { return m_map; }
    /// Cell under the pointer or selected by keys: x is the column, y the row.
    [[nodiscard]] std::optional<QPoint> pointed() const { return m_pointed; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {180, 140}; }
    [[nodiscard]] QSize sizeHint() const override { return {360, 220}; }

  Q_SIGNALS:
    /// A cell was clicked or Enter pressed on it.
    void cellPicked(int row, int column);

  protected:
    [[nodiscard]] Heading heading() const override;
    [[nodiscard]] QString emptyText() const override;
    void paintPlot(QPainter& painter) override;
    void invalidateImage() override { m_image = QImage(); }
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
    QImage m_image, m_band;  ///< null: redraw needed
    std::optional<QPoint> m_pointed;
};

}  // namespace lacuna::ui
