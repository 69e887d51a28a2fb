#pragma once
/// \file
/// Start page for new users: three suggestions (chat, load a model, tune), the demo, and the
/// abilities and limits of the bundled model. GUI thread.

#include <QDialog>

class QVBoxLayout;

class QLabel;

namespace lacuna::ui {

class ActionRegistry;

class WelcomePage final : public QDialog {
    Q_OBJECT

  public:
    /// `actions` must outlive this object; it implements what the page offers.
    WelcomePage(ActionRegistry& actions, QWidget* parent);
    void open() override;
    /// Shows the result of the demo at the top; empty: none.
    void showMessage(const QString& outcome);

  Q_SIGNALS:
    /// Emitted with a suggested question.
    void questionChosen(const QString& question);
    void settingsRequested();

  private:
    void addChoice(QVBoxLayout* layout, const QString& title, const QString& text,
                   const QList<QWidget*>& buttons);
    [[nodiscard]] QWidget* actionButton(const QString& text, const char* action);

    void fit();

    ActionRegistry& m_actions;
    QLabel* m_outcome;
};

}  // namespace lacuna::ui
