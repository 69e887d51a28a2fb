#include "ui/chart_cell.h"

#include <QHeaderView>
#include <QLabel>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

namespace lacuna::ui {

ChartTableModel::ChartTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void ChartTableModel::setTable(const ChartTable& table) {
    if (table.rows == m_table.rows && table.header == m_table.header) return;
    if (table.rows.size() == m_table.rows.size() && table.header == m_table.header) {
        m_table = table;
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    beginResetModel();
    m_table = table;
    endResetModel();
}

int ChartTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int ChartTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_table.header.size());
}

QVariant ChartTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= m_table.rows.size()) return {};
    const QStringList& row = m_table.rows[index.row()];
    if (role == Qt::DisplayRole && index.column() < row.size()) return row[index.column()];
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(Qt::AlignVCenter |
                                   (index.column() == 0 ? Qt::AlignLeft : Qt::AlignRight));
    }
    return {};
}

QVariant ChartTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical)
        return QAbstractTableModel::headerData(section, orientation, role);
    if (section < 0 || section >= m_table.header.size()) return {};
    if (role == Qt::DisplayRole) return m_table.header[section];
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(Qt::AlignVCenter |
                                   (section == 0 ? Qt::AlignLeft : Qt::AlignRight));
    }
    return {};
}

ChartCell::ChartCell(ChartId id, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_id(id),
      m_stack(new QStackedLayout(this)),
      m_view(new TimeSeriesView(theme)),
      m_tablePage(new QWidget),
      m_tableTitle(new QLabel(m_tablePage)),
      m_table(new QTableView(m_tablePage)),
      m_model(new ChartTableModel(this)) {
    m_table->setModel(m_model);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(22);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setResizeContentsPrecision(0);  // the rows in sight
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setFont(Theme::font(FontRole::Small));
    m_table->horizontalHeader()->setFont(Theme::font(FontRole::Small));
    m_table->setShowGrid(false);
    m_tableTitle->setFont(Theme::font(FontRole::Title));
    m_tableTitle->setContentsMargins(8, 6, 8, 2);
    m_tablePage->setAutoFillBackground(true);
    m_tablePage->setBackgroundRole(QPalette::Base);
    auto* page = new QVBoxLayout(m_tablePage);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(0);
    page->addWidget(m_tableTitle);
    page->addWidget(m_table);
    m_stack->setContentsMargins(0, 0, 0, 0);
    m_stack->addWidget(m_view);
    m_stack->addWidget(m_tablePage);
}

void ChartCell::setFace(ChartFace face) {
    if (face == m_face) return;
    m_face = face;
    m_model->setTable(face == ChartFace::Table ? tableOf(m_view->content()) : ChartTable());
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
    if (m_tableTitle->text() != content.title) {
        m_tableTitle->setText(content.title);
        m_table->setAccessibleName(tr("%1 as a table").arg(content.title));
    }
    if (m_face == ChartFace::Table) m_model->setTable(tableOf(content));
}

}  // namespace lacuna::ui
