#pragma once
/// \file
/// Says that a long answer has ended to a person who looks at another window: the window asks for
/// attention, and the desktop shows a notification where it has a place for them. GUI thread.

#include <QObject>
#include <QString>
#include <functional>

class QWidget;

namespace lacuna::app {
class ChatController;
}

namespace lacuna::ui {

class AnswerAlert final : public QObject {
    Q_OBJECT

  public:
    static constexpr double kLongSeconds = 10;  ///< from the question to the answer's end
    using Notify = std::function<void(const QString& title, const QString& text)>;

    /// Both outlive it. `notify` shows a notification.
    AnswerAlert(app::ChatController& chat, QWidget& window, Notify notify);

  private:
    void answered(qint64 conversation);

    app::ChatController& m_chat;
    QWidget& m_window;
    Notify m_notify;
};

/// By the notification service of the desktop (org.freedesktop.Notifications, version 1.2); nothing
/// where there is none. Returns at once.
void notifyDesktop(const QString& title, const QString& text);

}  // namespace lacuna::ui
