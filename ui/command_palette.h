#pragma once
/// \file
/// Every action by name: type a few letters, Enter runs it. Disabled actions are listed too, with
/// the reason why they cannot run.

#include <QDialog>

class QLineEdit;
class QListWidget;

namespace lacuna::ui {

class ActionRegistry;

/// How well `typed` fits `text` when its letters appear in order; 0: not at all. Higher is better.
[[nodiscard]] int fuzzyScore(const QString& typed, const QString& text);

class CommandPalette final : public QDialog {
    Q_OBJECT

  public:
    CommandPalette(const ActionRegistry& actions, QWidget* parent);
    /// Shows all actions again and takes the focus.
    void open() override;
    /// Ids of the listed actions, best first.
    [[nodiscard]] QStringList listed() const;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void refill(const QString& typed);
    void runCurrent();

    const ActionRegistry& m_actions;
    QLineEdit* m_input;
    QListWidget* m_list;
};

}  // namespace lacuna::ui
