#pragma once
/// \file
/// One map of the panel with its twin as a table. GUI thread.

#include <QWidget>

#include "ui/chart_cell.h"
#include "ui/heat_map_view.h"

namespace lacuna::ui {

class MapCell final : public QWidget {
    Q_OBJECT

  public:
    explicit MapCell(const ThemeSource& themes, QWidget* parent = nullptr);

    [[nodiscard]] HeatMapView& view() { return *m_view; }
    [[nodiscard]] ChartFace face() const { return m_face; }
    void setFace(ChartFace face);
    void setMap(HeatMap map);

  private:
    void fillTable();

    ChartFace m_face = ChartFace::Picture;
    QStackedLayout* m_stack;
    HeatMapView* m_view;
    ChartTablePage* m_table;
};

}  // namespace lacuna::ui
