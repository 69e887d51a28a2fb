#include "ui/charts/plot_cell.h"

#include <QHeaderView>
#include <QLabel>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>
#include <utility>

#include "ui/style/page_kit.h"

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
        return QVariant::fromValue(
            Qt::AlignVCenter |
            (m_table.textColumns.contains(index.column()) ? Qt::AlignLeft : Qt::AlignRight));
    }
    return {};
}

QVariant ChartTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical)
        return QAbstractTableModel::headerData(section, orientation, role);
    if (section < 0 || section >= m_table.header.size()) return {};
    if (role == Qt::DisplayRole) return m_table.header[section];
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(
            Qt::AlignVCenter |
            (m_table.textColumns.contains(section) ? Qt::AlignLeft : Qt::AlignRight));
    }
    return {};
}

ChartTablePage::ChartTablePage(QWidget* parent)
    : QWidget(parent),
      m_title(plainLabel({}, this)),
      m_view(new QTableView(this)),
      m_empty(plainLabel({}, m_view->viewport())),
      m_model(new ChartTableModel(this)) {
    m_view->setModel(m_model);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setDefaultSectionSize(22);
    m_view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_view->horizontalHeader()->setResizeContentsPrecision(0);  // visible rows only
    m_view->horizontalHeader()->setStretchLastSection(true);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setTabKeyNavigation(false);
    m_view->horizontalHeader()->setHighlightSections(false);
    setRole(m_view, QStringLiteral("figures"));
    m_view->setShowGrid(false);
    m_title->setFont(Theme::font(FontRole::Title));
    m_title->setContentsMargins(Spacing::unit, Spacing::unit, Spacing::unit, Spacing::half);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setFont(Theme::font(FontRole::Small));
    setRole(m_empty, QStringLiteral("secondary"));
    auto* over = new QVBoxLayout(m_view->viewport());
    over->addWidget(m_empty);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setFocusProxy(m_view);
    QVBoxLayout* page = columnLayout(this, 0);
    page->addWidget(m_title);
    page->addWidget(m_view);
}

void ChartTablePage::setTable(const ChartTable& table, const QString& empty) {
    m_model->setTable(table);
    const bool none = table.rows.isEmpty();
    m_empty->setVisible(none && !empty.isEmpty());
    m_empty->setText(none ? empty : QString());
    m_view->setAccessibleDescription(m_empty->text());
}

void ChartTablePage::setTitle(const QString& title) {
    if (m_title->text() == title) return;
    m_title->setText(title);
    m_view->setAccessibleName(tr("%1 as a table").arg(title));
}

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
    const bool focused = isAncestorOf(window()->focusWidget());
    m_stack->setCurrentWidget(shown);
    if (focused) shown->setFocus();
}

ChartFace PlotCell::otherFace() const {
    return m_face == ChartFace::Picture ? ChartFace::Table : ChartFace::Picture;
}

void PlotCell::refill(const QString& title, const QString& empty) {
    m_table->setTitle(title);
    m_empty = empty;
    if (m_face == ChartFace::Table) fillTable();
}

/// Clears a hidden table.
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
