#pragma once
/// \file
/// Notifies the user of the end of a long answer while another window is active: the window
/// requests attention, and a desktop notification is shown if the desktop supports it. GUI thread.

#include <QObject>
#include <QString>
#include <functional>

class QWidget;

namespace lacuna::app {
class ConversationList;
class ConversationTurns;
}  // namespace lacuna::app

namespace lacuna::ui {

class AnswerAlert final : public QObject {
    Q_OBJECT

  public:
    static constexpr double kLongSeconds = 10;  ///< from the question to the end of the answer
    using Notify = std::function<void(const QString& title, const QString& text)>;

    /// Both references must outlive this object. `notify` shows a notification.
    AnswerAlert(app::ConversationTurns& turns, const app::ConversationList& conversations,
                QWidget& window, Notify notify);

  private:
    void answered(qint64 conversation);

    const app::ConversationList& m_conversations;
    QWidget& m_window;
    Notify m_notify;
};

/// Sends a notification through the desktop's notification service (org.freedesktop.Notifications,
/// version 1.2). Returns immediately; does nothing if there is no such service.
void notifyDesktop(const QString& title, const QString& text);

}  // namespace lacuna::ui
