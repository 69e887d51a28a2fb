#pragma once
/// \file
/// What now: three ways to go on for whoever is new (talk, load a model, tune), the demo, and what
/// the model in the box can and cannot do. GUI thread.

#include <QDialog>

class QVBoxLayout;

class QLabel;

namespace lacuna::ui {

class ActionRegistry;

class WelcomePage final : public QDialog {
    Q_OBJECT

  public:
    /// `actions` outlives it: what is offered is done by them.
    WelcomePage(ActionRegistry& actions, QWidget* parent);
    void open() override;
    /// What came of the demo stands first; empty: nothing.
    void tell(const QString& outcome);

  Q_SIGNALS:
    /// A question that may be tried.
    void questionChosen(const QString& question);
    void tuneChosen();

  private:
    void addWay(QVBoxLayout* layout, const QString& title, const QString& text,
                const QList<QWidget*>& buttons);
    [[nodiscard]] QWidget* actionButton(const QString& text, const char* action);

    void fit();

    ActionRegistry& m_actions;
    QLabel* m_outcome;
};

}  // namespace lacuna::ui
