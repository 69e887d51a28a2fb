#pragma once
/// \file
/// Table model of a list of values: a column is a head, an explanation and a function that returns
/// the text of a row. GUI thread.

#include <QAbstractTableModel>
#include <QVector>
#include <algorithm>
#include <utility>
#include <vector>

#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

/// An en dash: a figure that is not known.
[[nodiscard]] inline QString dash() {
    return QString(QChar(0x2013));
}

enum class CellAlign { Words, Figures };

template <class Row>
class RowTable : public QAbstractTableModel {
  public:
    /// Sort values of the columns that have them; a missing figure sorts after all others.
    static constexpr int kSortRole = Qt::UserRole;
    static constexpr double kNoFigure = 1e300;

    struct Column {
        QString name;
        QString tip;  ///< empty: the name
        CellAlign align = CellAlign::Words;
        QString (*text)(const Row& row) = nullptr;
        QVariant (*sortKey)(const Row& row) = nullptr;  ///< null: the text
    };

    RowTable(std::vector<Column> columns, QObject* parent)
        : QAbstractTableModel(parent), m_columns(std::move(columns)) {}

    /// Keeps the selection if the number of rows is the same.
    void setRows(QVector<Row> rows) {
        if (rows.size() != m_rows.size()) return resetRows(std::move(rows));
        m_rows = std::move(rows);
        if (!m_rows.isEmpty())
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
    void resetRows(QVector<Row> rows) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
    }
    void append(const Row& row) {
        beginInsertRows({}, rowCount(), rowCount());
        m_rows.push_back(row);
        endInsertRows();
    }
    void dropFirst(int count) {
        beginRemoveRows({}, 0, count - 1);
        m_rows.remove(0, count);
        endRemoveRows();
    }
    [[nodiscard]] const QVector<Row>& rows() const { return m_rows; }
    /// Null if there is no such row.
    [[nodiscard]] const Row* row(int at) const {
        return at >= 0 && at < m_rows.size() ? &m_rows[at] : nullptr;
    }
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
    }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override {
        const Row* const row = index.isValid() ? this->row(index.row()) : nullptr;
        if (row == nullptr) return {};
        const Column& column = m_columns[static_cast<std::size_t>(index.column())];
        if (QVariant own = cell(*row, index.column(), role); own.isValid()) return own;
        if (role == Qt::DisplayRole) return oneLine(column.text(*row), kMaxTitleLength);
        if (role == Qt::TextAlignmentRole) return alignment(column);
        if (role == Qt::ToolTipRole) return tipText(column.text(*row));
        if (role != kSortRole) return {};
        return column.sortKey != nullptr ? column.sortKey(*row) : column.text(*row);
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override {
        if (orientation == Qt::Vertical || section < 0 || section >= columnCount())
            return QAbstractTableModel::headerData(section, orientation, role);
        const Column& column = m_columns[static_cast<std::size_t>(section)];
        if (role == Qt::DisplayRole) return column.name;
        if (role == Qt::ToolTipRole)
            return tipText(column.tip.isEmpty() ? column.name : column.tip);
        return role == Qt::TextAlignmentRole ? alignment(column) : QVariant();
    }

  protected:
    /// Overrides what a column specification cannot express.
    [[nodiscard]] virtual QVariant cell(const Row&, int /*column*/, int /*role*/) const {
        return {};
    }

  private:
    [[nodiscard]] static QVariant alignment(const Column& column) {
        return QVariant::fromValue(
            Qt::AlignVCenter |
            (column.align == CellAlign::Figures ? Qt::AlignRight : Qt::AlignLeft));
    }

    std::vector<Column> m_columns;
    QVector<Row> m_rows;
};

}  // namespace lacuna::ui
