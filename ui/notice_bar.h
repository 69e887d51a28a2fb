#pragma once
/// \file
/// A sentence in place: what went wrong or what is worth knowing, with at most one button. Never
/// modal.

#include <QFrame>
#include <functional>

class QLabel;
class QPushButton;

namespace lacuna::ui {

enum class NoticeKind { Problem, Info };

class NoticeBar final : public QFrame {
    Q_OBJECT

  public:
    explicit NoticeBar(QWidget* parent = nullptr);
    void tell(NoticeKind kind, const QString& sentence);
    /// With a button that runs `action` and takes the notice away.
    void tell(NoticeKind kind, const QString& sentence, const QString& button,
              std::function<void()> action);
    /// Takes `sentence` away, if it is the one that is shown.
    void withdraw(const QString& sentence);
    [[nodiscard]] QString sentence() const;

  private:
    QLabel* m_sentence;
    QPushButton* m_button;
    QString m_told;
    std::function<void()> m_action;
};

}  // namespace lacuna::ui
