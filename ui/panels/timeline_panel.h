#pragma once
/// \file
/// The timeline: the events of the session and the lines of the program's log of this and earlier
/// runs, with filters by kind and by words, the details of the selected row, and copies of rows.
/// GUI thread.

#include <QCoreApplication>
#include <QSortFilterProxyModel>
#include <QStringList>
#include <QWidget>
#include <optional>

#include "app/state/view_types.h"
#include "ui/style/row_table.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSplitter;
class QTableView;

namespace lacuna::app {
class ProgramLog;
}

namespace lacuna::ui {

class ThemeSource;

/// Events as rows, newest last: time, kind, description. Problems are marked by a symbol and a
/// word, not by colour alone. Bounded: the oldest rows are dropped, and the model reports how many.
/// GUI thread.
class TimelineModel final : public RowTable<app::EventRow> {
    Q_DECLARE_TR_FUNCTIONS(lacuna::ui::TimelineModel)

  public:
    enum Column { Time, Kind, What };
    /// Additional roles: the number of the kind, whether the row is a problem, and its details.
    enum Role { KindRole = kSortRole + 1, ProblemRole, DetailRole };
    static constexpr int kMaxRows = 20'000;

    explicit TimelineModel(QObject* parent = nullptr);

    void setRows(QVector<app::EventRow> rows);
    void add(const app::EventRow& row);
    [[nodiscard]] std::optional<int> rowOfCompaction(qint64 number) const;
    [[nodiscard]] qint64 dropped() const { return m_dropped; }

  protected:
    [[nodiscard]] QVariant cell(const app::EventRow& row, int column, int role) const override;

  private:
    qint64 m_dropped = 0;
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
    /// `log` may be null; otherwise it must outlive the panel.
    explicit TimelinePanel(const ThemeSource& themes, app::ProgramLog* log = nullptr,
                           QWidget* parent = nullptr);

    /// The events of a live session are shown together with the log.
    enum class Source { Live, Recorded };
    void setRows(const QVector<app::EventRow>& rows, Source source = Source::Live);
    void add(const app::EventRow& row);
    /// Selects and shows the row of a compaction; clears a filter that hides it.
    void selectCompaction(qint64 number);
    [[nodiscard]] TimelineModel& model() { return *m_model; }
    /// The selected rows as lines, or all visible rows if none is selected.
    [[nodiscard]] QString text() const;

  Q_SIGNALS:
    void rowSelected(const lacuna::app::EventRow& row);

  protected:
    /// Places the details below the events if the panel is narrow.
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* buildToolBar();
    void buildTable();
    void connectLog();
    [[nodiscard]] QVector<app::EventRow> sessionRows() const;
    void addFromLog(int first, int last);
    void showDetails();
    void fitDetails();
    void showCount();
    void showPlace();

    const ThemeSource& m_themes;
    app::ProgramLog* m_log;
    TimelineModel* m_model;
    TimelineFilter* m_filter;
    bool m_live = true;
    QComboBox* m_kinds = nullptr;
    QLineEdit* m_words = nullptr;
    QLabel* m_count = nullptr;
    QPushButton* m_folder = nullptr;
    QSplitter* m_split = nullptr;
    QTableView* m_table = nullptr;
    QPlainTextEdit* m_details = nullptr;
};

}  // namespace lacuna::ui
