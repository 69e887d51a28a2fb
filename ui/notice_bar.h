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
    [[nodiscard]] QString sentence() const;

  private:
    QLabel* m_sentence;
    QPushButton* m_button;
    std::function<void()> m_action;
};

}  // namespace lacuna::ui
