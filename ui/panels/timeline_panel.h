#pragma once
/// \file
/// The timeline of events with filters by kind and by words, and the details of the selected row.
/// GUI thread.

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStringList>
#include <QVector>
#include <QWidget>
#include <deque>
#include <optional>

#include "app/state/view_types.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QSplitter;
class QTableView;

namespace lacuna::ui {

class ThemeSource;

/// Session events as rows, newest last: time, kind, description. Problems are marked by a symbol
/// and a word, not by colour alone. Bounded: the oldest rows are dropped, and the model reports how
/// many. GUI thread.
class TimelineModel final : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Time, Kind, What, kColumns };
    /// Additional roles: the number of the kind, whether the row is a problem, and its details.
    enum Role { KindRole = Qt::UserRole, ProblemRole, DetailRole };
    static constexpr int kMaxRows = 20'000;

    explicit TimelineModel(QObject* parent = nullptr);

    void setRows(const QVector<app::EventRow>& rows);
    void add(const app::EventRow& row);
    void clear();
    [[nodiscard]] const app::EventRow* row(int index) const;
    [[nodiscard]] std::optional<int> rowOfCompaction(qint64 number) const;
    [[nodiscard]] qint64 forgotten() const { return m_forgotten; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

  private:
    std::deque<app::EventRow> m_rows;
    qint64 m_forgotten = 0;
};

/// "Compaction", "Settings", ...
[[nodiscard]] QString eventKindText(app::EventKind kind);

enum class TimelineScope { All, Problems };

/// Filter of the timeline: one kind or all, problems only, and rows that contain all typed words.
/// GUI thread.
class TimelineFilter final : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    explicit TimelineFilter(QObject* parent = nullptr);
    void setKind(std::optional<app::EventKind> kind);
    void setScope(TimelineScope scope);
    void setWords(const QString& text);

  protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

  private:
    std::optional<app::EventKind> m_kind;
    TimelineScope m_scope = TimelineScope::All;
    QStringList m_words;
};

class TimelinePanel final : public QWidget {
    Q_OBJECT

  public:
    explicit TimelinePanel(const ThemeSource& themes, QWidget* parent = nullptr);

    void setRows(const QVector<app::EventRow>& rows);
    void add(const app::EventRow& row);
    /// Selects and shows the row of a compaction; clears a filter that hides it.
    void selectCompaction(qint64 number);
    [[nodiscard]] TimelineModel& model() { return *m_model; }

  Q_SIGNALS:
    void rowSelected(const lacuna::app::EventRow& row);

  protected:
    /// Places the details below the events if the panel is narrow.
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* buildToolBar();
    void buildTable();
    void showDetails();
    void fitDetails();
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
