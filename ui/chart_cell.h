#pragma once
/// \file
/// One chart of the panel with its twin: the same figures as a table, for people who read rather
/// than look. GUI thread.

#include <QAbstractTableModel>
#include <QWidget>

#include "ui/chart_builders.h"
#include "ui/time_series_view.h"

class QLabel;
class QStackedLayout;
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

enum class ChartFace { Picture, Table };

class ChartCell final : public QWidget {
    Q_OBJECT

  public:
    ChartCell(ChartId id, const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] ChartId id() const { return m_id; }
    [[nodiscard]] TimeSeriesView& view() { return *m_view; }
    [[nodiscard]] QTableView& table() { return *m_table; }
    [[nodiscard]] ChartFace face() const { return m_face; }
    void setFace(ChartFace face);
    void setTheme(const Theme& theme);
    void setContent(const ChartContent& content);

  private:
    ChartId m_id;
    ChartFace m_face = ChartFace::Picture;
    QStackedLayout* m_stack;
    TimeSeriesView* m_view;
    QWidget* m_tablePage;
    QLabel* m_tableTitle;
    QTableView* m_table;
    ChartTableModel* m_model;
};

}  // namespace lacuna::ui
