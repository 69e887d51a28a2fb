#pragma once
/// \file
/// The page of commands: whatever the command line can, with a form for its options, run in a
/// process of its own beside the window, and what it prints. Commands that have a page of their own
/// in the window lead there as well. The table is the program's own (command_table.h), so that none
/// is left out. GUI thread.

#include <QDialog>
#include <QMap>
#include <QString>

#include "app/state/command_table.h"

class QFormLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QScrollArea;

namespace lacuna::app {
class ApplicationState;
}

namespace lacuna::ui {

class ActionRegistry;
class FileDialogs;

class CommandWindow final : public QDialog {
    Q_OBJECT

  public:
    CommandWindow(app::ApplicationState& state, const ActionRegistry& actions, FileDialogs& files,
                  QWidget* parent);

    /// The action that does the same in the window; empty: only this page does.
    [[nodiscard]] static QString actionOf(const QString& command);
    /// Does it end by itself without a terminal, and can what it does be undone? So it is run here.
    [[nodiscard]] static bool runsHere(const QString& command);

    [[nodiscard]] QStringList listed() const;
    void choose(const QString& command);
    [[nodiscard]] QLineEdit& words() { return *m_words; }
    /// The field, box or choice of an option; null: it has none.
    [[nodiscard]] QWidget* field(const QString& option) const { return m_fields.value(option); }
    [[nodiscard]] QPushButton& runButton() { return *m_run; }
    [[nodiscard]] QPushButton& stopButton() { return *m_stop; }
    [[nodiscard]] QPushButton& pageButton() { return *m_page; }
    [[nodiscard]] QString line() const;
    [[nodiscard]] QString output() const;
    [[nodiscard]] QString sentence() const;

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    [[nodiscard]] QWidget* buildList();
    [[nodiscard]] QWidget* buildCommand();
    [[nodiscard]] QWidget* buildOutput();
    void connectState();
    void showTable();
    void showCommand();
    void showForm();
    void addOption(QFormLayout* form, const app::CommandOption& option);
    [[nodiscard]] QWidget* fieldFor(const app::CommandOption& option, QWidget* parent);
    [[nodiscard]] QWidget* withFileButton(QLineEdit* edit, const app::CommandOption& option);
    void give(const QString& option, const QString& value);
    void refresh();
    void saveOutput();
    [[nodiscard]] const app::CommandRow* row() const;

    app::ApplicationState& m_state;
    const ActionRegistry& m_actions;
    FileDialogs& m_files;
    QMap<QString, app::CommandValues> m_values;  ///< by command, as long as the window lives
    QMap<QString, QWidget*> m_fields;            ///< of the command on screen
    QString m_shown;                             ///< its name
    QLineEdit* m_words = nullptr;
    QListWidget* m_list = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_help = nullptr;
    QPushButton* m_page = nullptr;
    QScrollArea* m_form = nullptr;
    QLineEdit* m_line = nullptr;
    QPushButton* m_copy = nullptr;
    QPushButton* m_run = nullptr;
    QPushButton* m_stop = nullptr;
    QProgressBar* m_progress = nullptr;
    QLabel* m_sentence = nullptr;
    QPlainTextEdit* m_output = nullptr;
    QPushButton* m_save = nullptr;
};

}  // namespace lacuna::ui
