#pragma once
/// \file
/// The system prompt of the current conversation, typed here or taken from the saved prompts. GUI
/// thread.

#include <QDialog>

#include "app/state/chat/system_prompts.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace lacuna::ui {

class SystemPromptDialog final : public QDialog {
    Q_OBJECT

  public:
    /// `cost` is a sentence about the cost of a change; may be empty. `kept` must outlive this
    /// object.
    SystemPromptDialog(app::SystemPrompts& kept, const QString& text, const QString& cost,
                       QWidget* parent);

  Q_SIGNALS:
    /// Emitted with the prompt to use; empty: none.
    void chosen(const QString& text);
    /// Emitted when the default prompt of new conversations changes or is removed.
    void defaultChanged();

  private:
    void setDefault(bool standard);
    void fillSavedPrompts(const QString& current);
    void useSavedPrompt(int index);
    void keep();
    void removeKept();
    void showButtons();
    void showMessage(const QString& problem);

    app::SystemPrompts& m_kept;
    QComboBox* m_names;
    QPlainTextEdit* m_text;
    QPushButton* m_keep;
    QPushButton* m_remove;
    QCheckBox* m_default;
    QLabel* m_problem;
};

}  // namespace lacuna::ui
