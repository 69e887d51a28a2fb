#pragma once
/// \file
/// A heat map on screen: cells, scale with its ends in words, band of fates, the figures of the
/// cell under the pointer. Arrow keys move from cell to cell and each is read out. Own painting
/// over a QImage that is made once for a content and size. GUI thread.

#include <QImage>
#include <QPoint>
#include <optional>

#include "ui/heat_map.h"
#include "ui/plot_widget.h"

namespace lacuna::ui {

/// The scale, 0..1, from the faint surface to the accent; its lightness goes one way, so that it is
/// read without hues too.
[[nodiscard]] QColor heatColour(double share, const Theme& theme);

class HeatMapView final : public PlotWidget {
    Q_OBJECT

  public:
    explicit HeatMapView(const ThemeSource& themes, QWidget* parent = nullptr);

    void setMap(HeatMap map);
    [[nodiscard]] const HeatMap& map() const { return m_map; }
    /// Cell under the pointer or chosen by keys: x column, y row.
    [[nodiscard]] std::optional<QPoint> pointed() const { return m_pointed; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 140}; }
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
