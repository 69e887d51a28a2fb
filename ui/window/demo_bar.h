#pragma once
/// \file
/// Control bar of a guided demo: current step and number of steps, a sentence about what can be
/// seen, buttons for next step and end; afterwards for a restart or for further suggestions. GUI
/// thread.

#include <QPointer>

#include "ui/style/message_bar.h"

class QPushButton;

namespace lacuna::ui {

class GuidedDemo;

class DemoBar final : public MessageBar {
    Q_OBJECT

  public:
    explicit DemoBar(QWidget* parent = nullptr);
    void follow(GuidedDemo& demo);
    [[nodiscard]] QString sentence() const;

  Q_SIGNALS:
    void repeatRequested();
    /// Requests the suggestions that follow the demo.
    void suggestionsRequested();
    /// A short demo has run to its end.
    void ended();

  private:
    void showStep(const QString& sentence);
    void showEnd(const QString& sentence, bool whole);

    QPointer<GuidedDemo> m_demo;
    QPushButton* m_next;
    QPushButton* m_end;
    QPushButton* m_again;
    QPushButton* m_suggestions;
};

}  // namespace lacuna::ui
