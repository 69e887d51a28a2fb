#include "app/remote/remote_chat.h"

#include <utility>

namespace lacuna::app {

namespace {

constexpr qsizetype kMaxWhole = 8 * 1024 * 1024;  ///< bytes of an answer in one piece

std::string_view viewOf(const QByteArray& bytes) {
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

bool isStream(const QNetworkReply& reply) {
    const QString type = reply.header(QNetworkRequest::ContentTypeHeader).toString();
    return type.startsWith(QLatin1String("text/event-stream"), Qt::CaseInsensitive);
}

/// In quotation marks: what is wrong with a text may repeat a part of it.
RemoteProblem noChunk(const Error& error) {
    return notUnderstood(
        QStringLiteral("\u201c%1\u201d").arg(withoutQuotes(QString::fromStdString(error.what))));
}

bool succeeded(const QNetworkReply& reply) {
    const int status = reply.attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    return status >= 200 && status < 300;
}

}  // namespace

RemoteChat::RemoteChat(RemoteClient& client, const std::string& body, QObject* parent)
    : QObject(parent),
      m_reply(client.open({RemoteMethod::Post, QStringLiteral("/v1/chat/completions"),
                           QByteArray::fromStdString(body)})) {
    m_clock.start();
    m_silence.setSingleShot(true);
    m_silence.start(kSilenceMs);
    connect(&m_silence, &QTimer::timeout, this, [this] {
        if (!m_finish.empty()) return finish(finishFrom(m_finish));
        finish(FinishReason::Error,
               RemoteProblem{RemoteFault::BrokenOff, tr("Nothing has come for ten minutes.")});
    });
    connect(m_reply, &QNetworkReply::readyRead, this, &RemoteChat::read);
    connect(m_reply, &QNetworkReply::finished, this, &RemoteChat::closed);
}

RemoteChat::~RemoteChat() {
    m_over = true;
    if (!m_reply) return;
    m_reply->disconnect(this);
    m_reply->abort();
    m_reply->deleteLater();
}

void RemoteChat::stop() {
    finish(FinishReason::Cancelled);
}

void RemoteChat::read() {
    if (m_over) return;
    m_silence.start(m_finish.empty() ? kSilenceMs : kAfterEndMs);
    const QByteArray bytes = m_reply->readAll();
    if (!isStream(*m_reply) || !succeeded(*m_reply)) {
        m_whole += bytes;
        if (m_whole.size() > kMaxWhole)
            finish(FinishReason::Error, notUnderstood(tr("it has more than 8 MiB.")));
        return;
    }
    for (const StreamEvent& event : m_events.take(viewOf(bytes)))
        if (!m_over) take(event);
    if (!m_over && m_events.broken())
        finish(FinishReason::Error, notUnderstood(tr("an event of more than 4 MiB.")));
}

void RemoteChat::take(const StreamEvent& event) {
    if (event.data == "[DONE]")
        return m_finish.empty() ? finish(FinishReason::Stop) : finish(finishFrom(m_finish));
    const auto chunk = readChatChunk(event.data);
    if (!chunk) return finish(FinishReason::Error, noChunk(chunk.error()));
    take(*chunk);
}

void RemoteChat::take(const ChatChunk& chunk) {
    if (!chunk.error.empty())
        return finish(FinishReason::Error,
                      RemoteProblem{RemoteFault::Failed,
                                    tr("The engine broke the answer off. It says: \u201c%1\u201d")
                                        .arg(withoutQuotes(QString::fromStdString(chunk.error)))});
    if (chunk.usage) m_answer.usage = chunk.usage;
    say(m_thoughts.join(chunk));
    if (chunk.finish.empty()) return;
    m_finish = chunk.finish;
    m_silence.start(kAfterEndMs);
}

void RemoteChat::say(const std::string& piece) {
    if (piece.empty()) return;
    const qint64 now = m_clock.elapsed();
    if (m_firstMs < 0) m_firstMs = now;
    m_answer.firstTextSeconds = static_cast<double>(m_firstMs) / 1e3;
    m_answer.writingSeconds = static_cast<double>(now - m_firstMs) / 1e3;
    m_answer.text += piece;
    if (arrived) arrived(piece);
}

/// The connection has ended; by itself, or because it never began.
void RemoteChat::closed() {
    if (m_over) return;
    if (m_reply->bytesAvailable() > 0) read();
    if (m_over) return;
    if (!m_finish.empty()) return finish(finishFrom(m_finish));
    if (auto problem = problemOf(*m_reply, m_whole)) return finish(FinishReason::Error, problem);
    if (isStream(*m_reply))
        return finish(FinishReason::Error,
                      RemoteProblem{RemoteFault::BrokenOff,
                                    tr("The stream broke off before the answer's end.")});
    const auto chunk = readChatChunk(viewOf(m_whole));
    if (!chunk) return finish(FinishReason::Error, noChunk(chunk.error()));
    take(*chunk);
    if (!m_over) finish(finishFrom(m_finish));
}

void RemoteChat::finish(FinishReason reason, std::optional<RemoteProblem> problem) {
    if (std::exchange(m_over, true)) return;
    m_silence.stop();
    if (reason != FinishReason::Error || !m_answer.text.empty()) {
        const std::string closing = m_thoughts.end();
        m_answer.text += closing;
        if (!closing.empty() && arrived) arrived(closing);
    }
    m_answer.reason = reason;
    m_answer.problem = std::move(problem);
    if (reason == FinishReason::Error && !m_answer.problem)
        m_answer.problem =
            RemoteProblem{RemoteFault::Failed, tr("The engine says that the answer failed.")};
    if (m_reply) m_reply->abort();
    if (ended) ended(m_answer);
}

}  // namespace lacuna::app
