#pragma once
/// \file
/// Leads through a guided demo: which step of how many, what is to be seen in a sentence, on to the
/// next, end; and when it is over, once more, or what one may do now. GUI thread.

#include <QPointer>

#include "ui/sentence_bar.h"

class QPushButton;

namespace lacuna::ui {

class GuidedDemo;

class DemoBar final : public SentenceBar {
    Q_OBJECT

  public:
    explicit DemoBar(QWidget* parent = nullptr);
    void follow(GuidedDemo& demo);
    [[nodiscard]] QString sentence() const;

  Q_SIGNALS:
    void againWanted();
    /// What to do next.
    void onwardWanted();
    /// A short demo is over, to its end.
    void ended();

  private:
    void showStep(const QString& sentence);
    void showEnd(const QString& sentence, bool whole);

    QPointer<GuidedDemo> m_demo;
    QPushButton* m_next;
    QPushButton* m_end;
    QPushButton* m_again;
    QPushButton* m_onward;
};

}  // namespace lacuna::ui
