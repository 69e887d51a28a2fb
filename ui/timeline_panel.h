#pragma once
/// \file
/// The timeline: what happened, when; filter by kind and by words; details of the chosen row. GUI
/// thread.

#include <QVector>
#include <QWidget>

#include "app/state/view_types.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QSplitter;
class QTableView;

namespace lacuna::ui {

class ThemeSource;
class TimelineFilter;
class TimelineModel;

class TimelinePanel final : public QWidget {
    Q_OBJECT

  public:
    explicit TimelinePanel(const ThemeSource& themes, QWidget* parent = nullptr);

    void setRows(const QVector<app::EventRow>& rows);
    void add(const app::EventRow& row);
    /// Selects and shows the row of a compaction; a filter that hides it is taken away.
    void selectCompaction(qint64 number);
    [[nodiscard]] TimelineModel& model() { return *m_model; }

  Q_SIGNALS:
    void rowSelected(const lacuna::app::EventRow& row);

  private:
    QWidget* buildToolBar();
    void buildTable();
    void showDetails();
    void showCount();

    const ThemeSource& m_themes;
    TimelineModel* m_model;
    TimelineFilter* m_filter;
    QComboBox* m_kinds = nullptr;
    QLineEdit* m_words = nullptr;
    QLabel* m_count = nullptr;
    QSplitter* m_split = nullptr;
    QTableView* m_table = nullptr;
    QPlainTextEdit* m_details = nullptr;
};

}  // namespace lacuna::ui
