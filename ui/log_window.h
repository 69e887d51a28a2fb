#pragma once
/// \file
/// What happened on one page that follows it, the program's log and the events of the session:
/// filter by where it comes from, by severity and by words, the chosen lines whole, on
/// the clipboard, or the folder where the file lies. GUI thread.

#include <QDialog>

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

class LogWindow final : public QDialog {
    Q_OBJECT

  public:
    LogWindow(app::ProgramLog& log, app::SessionFeed& feed, const ThemeSource& themes,
              QWidget* parent);
    /// Shows it in front.
    void open() override;
    /// The chosen lines as they stand in the file, or all that are shown.
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
    bool m_atEnd = true;  ///< the newest line was in sight before more came
};

}  // namespace lacuna::ui
