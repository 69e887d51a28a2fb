#include "ui/window/answer_alert.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCall>
#include <QStringList>
#include <QVariantMap>
#include <QWidget>
#include <utility>

#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_turns.h"
#include "app/state/storage/conversation_database.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

namespace {

constexpr qsizetype kMaxText = 160;  ///< characters of the answer

}  // namespace

AnswerAlert::AnswerAlert(app::ConversationTurns& turns, const app::ConversationList& conversations,
                         QWidget& window, Notify notify)
    : m_conversations(conversations), m_window(window), m_notify(std::move(notify)) {
    connect(&turns, &app::ConversationTurns::answerFinished, this, &AnswerAlert::answered);
}

void AnswerAlert::answered(qint64 conversation) {
    if (m_window.isActiveWindow()) return;
    const app::ConversationRecord record = m_conversations.record(conversation);
    if (record.lines.isEmpty() || !record.lines.back().figures) return;
    const app::ChatLine& answer = record.lines.back();
    if (answer.figures->prefillSeconds + answer.figures->decodeSeconds < kLongSeconds) return;
    QApplication::alert(&m_window);
    // The text of a private conversation is withheld, since the desktop stores its notifications.
    m_notify(record.isPrivate ? tr("Answer finished") : oneLine(record.title, kMaxTitleLength),
             record.isPrivate ? QString() : oneLine(answer.text.simplified(), kMaxText));
}

void notifyDesktop(const QString& title, const QString& text) {
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return;
    QDBusMessage call = QDBusMessage::createMethodCall(
        QStringLiteral("org.freedesktop.Notifications"),
        QStringLiteral("/org/freedesktop/Notifications"),
        QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("Notify"));
    // The service may interpret the body as markup.
    const QVariantMap hints{{QStringLiteral("desktop-entry"), QStringLiteral("org.lacuna.Lacuna")}};
    call << QStringLiteral("Lacuna") << uint(0) << QStringLiteral("org.lacuna.Lacuna") << title
         << text.toHtmlEscaped() << QStringList() << hints << -1;
    bus.asyncCall(call);
}

}  // namespace lacuna::ui
