#include "ui/chart_cell.h"

#include <QStackedLayout>
#include <QTableView>

#include "ui/chart_table_page.h"

namespace lacuna::ui {

ChartCell::ChartCell(ChartId id, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_id(id),
      m_stack(new QStackedLayout(this)),
      m_view(new TimeSeriesView(theme)),
      m_table(new ChartTablePage) {
    m_stack->setContentsMargins(0, 0, 0, 0);
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_table);
}

QTableView& ChartCell::table() {
    return m_table->view();
}

void ChartCell::setFace(ChartFace face) {
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

void ChartCell::setTheme(const Theme& theme) {
    m_view->setTheme(theme);
}

void ChartCell::setContent(const ChartContent& content) {
    m_view->setContent(content);
    m_table->setTitle(content.title);
    if (m_face == ChartFace::Table) fillTable();
}

/// Out of sight it holds nothing.
void ChartCell::fillTable() {
    const bool seen = m_face == ChartFace::Table;
    m_table->setTable(seen ? tableOf(m_view->content()) : ChartTable(), m_view->content().empty);
}

}  // namespace lacuna::ui
