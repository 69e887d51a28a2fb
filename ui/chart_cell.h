#pragma once
/// \file
/// One chart of the panel with its twin: the same figures as a table, for people who read rather
/// than look. GUI thread.

#include <QWidget>

#include "ui/chart_builders.h"
#include "ui/time_series_view.h"

class QStackedLayout;
class QTableView;

namespace lacuna::ui {

class ChartTablePage;

enum class ChartFace { Picture, Table };

class ChartCell final : public QWidget {
    Q_OBJECT

  public:
    ChartCell(ChartId id, const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] ChartId id() const { return m_id; }
    [[nodiscard]] TimeSeriesView& view() { return *m_view; }
    [[nodiscard]] QTableView& table();
    [[nodiscard]] ChartFace face() const { return m_face; }
    void setFace(ChartFace face);
    void setTheme(const Theme& theme);
    void setContent(const ChartContent& content);

  private:
    void fillTable();

    ChartId m_id;
    ChartFace m_face = ChartFace::Picture;
    QStackedLayout* m_stack;
    TimeSeriesView* m_view;
    ChartTablePage* m_table;
};

}  // namespace lacuna::ui
