#include "ui/map_cell.h"

#include <QStackedLayout>
#include <utility>

#include "ui/chart_table_page.h"

namespace lacuna::ui {

MapCell::MapCell(const ThemeSource& themes, QWidget* parent)
    : QWidget(parent),
      m_stack(new QStackedLayout(this)),
      m_view(new HeatMapView(themes)),
      m_table(new ChartTablePage) {
    m_stack->setContentsMargins(0, 0, 0, 0);
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_table);
}

void MapCell::setFace(ChartFace face) {
    if (face == m_face) return;
    m_face = face;
    fillTable();
    m_stack->setCurrentIndex(face == ChartFace::Table ? 1 : 0);
    if (face == ChartFace::Table) {
        m_table->setFocus();
    } else {
        m_view->setFocus();
    }
}

void MapCell::setMap(HeatMap map) {
    m_table->setTitle(map.title);
    m_view->setMap(std::move(map));
    fillTable();
}

void MapCell::fillTable() {
    const bool wanted = m_face == ChartFace::Table && m_view->map().table != nullptr;
    m_table->setTable(wanted ? m_view->map().table() : ChartTable(), m_view->map().empty);
}

}  // namespace lacuna::ui
