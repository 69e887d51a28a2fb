#pragma once
/// \file
/// What now: three ways to go on for whoever is new (talk, load a model, tune), the demo, and what
/// the model in the box can and cannot do. GUI thread.

#include <QDialog>

class QVBoxLayout;

namespace lacuna::ui {

class ActionRegistry;

class WelcomePage final : public QDialog {
    Q_OBJECT

  public:
    /// `actions` outlives it: what is offered is done by them.
    WelcomePage(ActionRegistry& actions, QWidget* parent);
    void open() override;

  Q_SIGNALS:
    /// A question that may be tried.
    void questionChosen(const QString& question);
    void tuneChosen();

  private:
    void addWay(QVBoxLayout* layout, const QString& title, const QString& text,
                const QList<QWidget*>& buttons);
    [[nodiscard]] QWidget* actionButton(const QString& text, const char* action);

    ActionRegistry& m_actions;
};

}  // namespace lacuna::ui
