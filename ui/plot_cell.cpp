#include "ui/plot_cell.h"

#include <QStackedLayout>
#include <QTableView>
#include <utility>

#include "ui/chart_table_page.h"

namespace lacuna::ui {

PlotCell::PlotCell(QWidget* picture, QWidget* parent)
    : QWidget(parent),
      m_stack(new QStackedLayout(this)),
      m_picture(picture),
      m_table(new ChartTablePage) {
    m_stack->setContentsMargins(0, 0, 0, 0);
    m_stack->addWidget(m_picture);
    m_stack->addWidget(m_table);
}

QTableView& PlotCell::table() {
    return m_table->view();
}

void PlotCell::setFace(ChartFace face) {
    if (face == m_face) return;
    m_face = face;
    fillTable();
    QWidget* shown = m_picture;
    if (face == ChartFace::Table) shown = m_table;
    m_stack->setCurrentWidget(shown);
    shown->setFocus();
}

ChartFace PlotCell::otherFace() const {
    return m_face == ChartFace::Picture ? ChartFace::Table : ChartFace::Picture;
}

void PlotCell::refill(const QString& title, const QString& empty) {
    m_table->setTitle(title);
    m_empty = empty;
    if (m_face == ChartFace::Table) fillTable();
}

/// Out of sight it holds nothing.
void PlotCell::fillTable() {
    m_table->setTable(m_face == ChartFace::Table ? figures() : ChartTable(), m_empty);
}

void ChartCell::setContent(const ChartContent& content) {
    m_view->setContent(content);
    refill(content.title, content.empty);
}

void MapCell::setMap(HeatMap map) {
    m_view->setMap(std::move(map));
    refill(m_view->map().title, m_view->map().empty);
}

ChartTable MapCell::figures() const {
    return m_view->map().table ? m_view->map().table() : ChartTable();
}

}  // namespace lacuna::ui
