#pragma once
/// \file
/// What the model is told before a conversation: a text of this conversation alone, written here or
/// taken from those that were kept. GUI thread.

#include <QDialog>

#include "app/state/system_prompts.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace lacuna::ui {

class SystemPromptDialog final : public QDialog {
    Q_OBJECT

  public:
    /// `cost`: what changing it takes now, a sentence; empty: nothing. `kept` outlives it.
    SystemPromptDialog(app::SystemPrompts& kept, const QString& text, const QString& cost,
                       QWidget* parent);

  Q_SIGNALS:
    /// The person wants this text; empty: none.
    void chosen(const QString& text);
    /// Another kept prompt, or none, is what new conversations begin with.
    void standardChanged();

  private:
    void setStandard(bool standard);
    void fillKept(const QString& current);
    void takeKept(int index);
    void keep();
    void removeKept();
    void showButtons();
    void tell(const QString& problem);

    app::SystemPrompts& m_kept;
    QComboBox* m_names;
    QPlainTextEdit* m_text;
    QPushButton* m_keep;
    QPushButton* m_remove;
    QCheckBox* m_standard;
    QLabel* m_problem;
};

}  // namespace lacuna::ui
