#pragma once
/// \file
/// A plot together with the same figures as a table. One kind holds a chart, the other a map. GUI
/// thread.

#include <QAbstractTableModel>
#include <QWidget>

#include "ui/charts/chart_builders.h"
#include "ui/charts/chart_content.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/time_series_view.h"

class QLabel;
class QStackedLayout;
class QTableView;

namespace lacuna::ui {

/// Model with the rows of a ChartTable.
class ChartTableModel final : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit ChartTableModel(QObject* parent = nullptr);
    /// Keeps selection and scroll position if the number of rows and columns does not change.
    void setTable(const ChartTable& table);
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

  private:
    ChartTable m_table;
};

/// The figures of a chart or map as a table. GUI thread.
class ChartTablePage final : public QWidget {
    Q_OBJECT

  public:
    explicit ChartTablePage(QWidget* parent = nullptr);
    void setTitle(const QString& title);
    /// `empty` is displayed if the table has no rows.
    void setTable(const ChartTable& table, const QString& empty = {});
    [[nodiscard]] QTableView& view() { return *m_view; }

  private:
    QLabel* m_title;
    QTableView* m_view;
    QLabel* m_empty;  ///< overlay shown instead of rows
    ChartTableModel* m_model;
};

enum class ChartFace { Picture, Table };

class PlotCell : public QWidget {
    Q_OBJECT

  public:
    [[nodiscard]] ChartFace face() const { return m_face; }
    void setFace(ChartFace face);
    [[nodiscard]] ChartFace otherFace() const;
    [[nodiscard]] QTableView& table();

  protected:
    PlotCell(QWidget* picture, QWidget* parent);
    /// Called while the table is visible.
    [[nodiscard]] virtual ChartTable figures() const = 0;
    /// Updates the table after the plot has changed. `empty` states why it may be empty.
    void refill(const QString& title, const QString& empty);

  private:
    void fillTable();

    ChartFace m_face = ChartFace::Picture;
    QStackedLayout* m_stack;
    QWidget* m_picture;
    ChartTablePage* m_table;
    QString m_empty;
};

class ChartCell final : public PlotCell {
    Q_OBJECT

  public:
    ChartCell(ChartId id, const Theme& theme, QWidget* parent = nullptr)
        : ChartCell(id, new TimeSeriesView(theme), parent) {}

    [[nodiscard]] ChartId id() const { return m_id; }
    [[nodiscard]] TimeSeriesView& view() { return *m_view; }
    void setTheme(const Theme& theme) { m_view->setTheme(theme); }
    void setContent(const ChartContent& content);

  protected:
    [[nodiscard]] ChartTable figures() const override { return tableOf(m_view->content()); }

  private:
    ChartCell(ChartId id, TimeSeriesView* view, QWidget* parent)
        : PlotCell(view, parent), m_id(id), m_view(view) {}

    ChartId m_id;
    TimeSeriesView* m_view;
};

class MapCell final : public PlotCell {
    Q_OBJECT

  public:
    explicit MapCell(const ThemeSource& themes, QWidget* parent = nullptr)
        : MapCell(new HeatMapView(themes), parent) {}

    [[nodiscard]] HeatMapView& view() { return *m_view; }
    void setMap(HeatMap map);

  protected:
    [[nodiscard]] ChartTable figures() const override;

  private:
    MapCell(HeatMapView* view, QWidget* parent) : PlotCell(view, parent), m_view(view) {}

    HeatMapView* m_view;
};

}  // namespace lacuna::ui
