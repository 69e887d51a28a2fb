#pragma once
/// \file
/// Live list of the program's log and the session's events, filtered by source, severity and words.
/// The selected lines can be viewed in full or copied, and the folder of the log file can be
/// opened. GUI thread.

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QSortFilterProxyModel;
class QTableView;

namespace lacuna::app {
class ProgramLog;
class SessionFeed;
}  // namespace lacuna::app

namespace lacuna::ui {

class EventLogModel;
class ThemeSource;

class LogPage final : public QWidget {
    Q_OBJECT

  public:
    LogPage(app::ProgramLog& log, app::SessionFeed& feed, const ThemeSource& themes,
            QWidget* parent);
    /// The selected lines as written in the file, or all visible lines if none is selected.
    [[nodiscard]] QString text() const;

  private:
    QWidget* buildFilter();
    void buildTable();
    QWidget* buildButtons();
    void follow();
    void showCount();
    void showLines();
    void showPlace();

    app::ProgramLog& m_log;
    const ThemeSource& m_themes;
    EventLogModel* m_events;
    QSortFilterProxyModel* m_filter;
    QComboBox* m_origin = nullptr;
    QComboBox* m_severity = nullptr;
    QLineEdit* m_words = nullptr;
    QLabel* m_count = nullptr;
    QTableView* m_table = nullptr;
    QPlainTextEdit* m_lines = nullptr;
    QLabel* m_place = nullptr;
    bool m_atEnd = true;  ///< true if the newest line was visible before more arrived
};

}  // namespace lacuna::ui
