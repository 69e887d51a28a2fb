#pragma once
/// \file
/// The figures of a chart or map as a table, for people who read rather than look. GUI thread.

#include <QAbstractTableModel>
#include <QWidget>

#include "ui/chart_content.h"

class QLabel;
class QTableView;

namespace lacuna::ui {

/// A ChartTable as rows.
class ChartTableModel final : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit ChartTableModel(QObject* parent = nullptr);
    /// Keeps selection and scroll position when the shape stays the same.
    void setTable(const ChartTable& table);
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

  private:
    ChartTable m_table;
};

class ChartTablePage final : public QWidget {
    Q_OBJECT

  public:
    explicit ChartTablePage(QWidget* parent = nullptr);
    void setTitle(const QString& title);
    /// `empty` says in its place why a table has no rows.
    void setTable(const ChartTable& table, const QString& empty = {});
    [[nodiscard]] QTableView& view() { return *m_view; }

  private:
    QLabel* m_title;
    QTableView* m_view;
    QLabel* m_empty;  ///< over the view, where rows would be
    ChartTableModel* m_model;
};

}  // namespace lacuna::ui
