#include "app/remote/remote_chat.h"

#include <utility>

#include "app/state/number_format.h"

namespace lacuna::app {

namespace {

std::string_view viewOf(QByteArrayView bytes) {
    return {bytes.data(), static_cast<std::size_t>(bytes.size())};
}

bool isStream(const ResponseHead& head) {
    return head.contentType.toLower().startsWith("text/event-stream");
}

/// The parser's message is quoted because it may repeat part of the response.
RemoteProblem noChunk(const Error& error, const QString& key) {
    return notUnderstood(
        QStringLiteral("\u201c%1\u201d").arg(engineWords(QString::fromStdString(error.what), key)));
}

}  // namespace

RemoteChat::RemoteChat(RemoteClient& client, const std::string& body, QObject* parent)
    : QObject(parent),
      m_key(client.key()),
      m_exchange(client.open({RemoteMethod::Post, QStringLiteral("/v1/chat/completions"),
                              QByteArray::fromStdString(body)},
                             {.headMs = kSilenceMs, .idleMs = kSilenceMs, .totalMs = 0})) {
    m_clock.start();
    m_afterEnd.setSingleShot(true);
    connect(&m_afterEnd, &QTimer::timeout, this, [this] { finish(finishFrom(m_finish)); });
    m_exchange->received = [this](QByteArrayView bytes) { read(bytes); };
    m_exchange->finished = [this] { closed(); };
}

RemoteChat::~RemoteChat() {
    m_over = true;
    if (!m_exchange) return;
    m_exchange->abort();
    m_exchange->deleteLater();
}

void RemoteChat::stop() {
    finish(FinishReason::Cancelled);
}

void RemoteChat::read(QByteArrayView bytes) {
    if (m_over) return;
    const ResponseHead& head = m_exchange->head();
    if (!isStream(head) || !head.succeeded()) {
        m_whole.append(bytes);
        if (!head.succeeded() && m_whole.size() >= RemoteClient::kMaxErrorBody) return closed();
        if (m_whole.size() > RemoteClient::kMaxReply)
            finish(
                FinishReason::Error,
                notUnderstood(tr("it is larger than %1.").arg(bytesText(RemoteClient::kMaxReply))));
        return;
    }
    m_withoutText += bytes.size();
    for (const StreamEvent& event : m_events.take(viewOf(bytes)))
        if (!m_over) take(event);
    if (m_over) return;
    if (m_events.broken())
        failWith(notUnderstood(tr("an event is larger than %1.")
                                   .arg(bytesText(qint64{EventStreamReader::kMaxEvent}))));
    else if (m_withoutText > kMaxWithoutText)
        failWith(notUnderstood(
            tr("it contains no text in more than %1.").arg(bytesText(kMaxWithoutText))));
}

void RemoteChat::take(const StreamEvent& event) {
    if (event.data == "[DONE]")
        return m_finish.empty() ? finish(FinishReason::Stop) : finish(finishFrom(m_finish));
    const auto chunk = readChatChunk(event.data);
    if (!chunk) return finish(FinishReason::Error, noChunk(chunk.error(), m_key));
    take(*chunk);
}

void RemoteChat::take(const ChatChunk& chunk) {
    if (!chunk.error.empty())
        return finish(
            FinishReason::Error,
            RemoteProblem{RemoteFault::Failed,
                          tr("The engine cancelled the answer: \u201c%1\u201d")
                              .arg(engineWords(QString::fromStdString(chunk.error), m_key))});
    if (chunk.usage) m_answer.usage = chunk.usage;
    deliver(m_thoughts.join(chunk));
    if (m_over || chunk.finish.empty() || !m_finish.empty()) return;
    m_finish = chunk.finish;
    m_afterEnd.start(kAfterEndMs);
}

void RemoteChat::deliver(const std::string& piece) {
    if (piece.empty()) return;
    const qint64 now = m_clock.elapsed();
    if (m_firstMs < 0) m_firstMs = now;
    m_answer.firstTextSeconds = static_cast<double>(m_firstMs) / 1e3;
    m_answer.writingSeconds = static_cast<double>(now - m_firstMs) / 1e3;
    m_answer.text += piece;
    m_withoutText = 0;
    if (arrived) arrived(piece);
    if (!m_over && m_answer.text.size() > kMaxText)
        finish(FinishReason::Error,
               RemoteProblem{RemoteFault::Truncated,
                             tr("The answer has more than %1 of text and was ended here.")
                                 .arg(bytesText(qint64{kMaxText}))});
}

/// Called when the response has ended or could not be received.
void RemoteChat::closed() {
    if (m_over) return;
    if (!m_finish.empty()) return finish(finishFrom(m_finish));
    const ResponseHead& head = m_exchange->head();
    if (head.status != 0 && !head.succeeded())
        return finish(FinishReason::Error, statusProblem(head, m_exchange->url(), m_whole, m_key));
    if (m_exchange->problem()) return finish(FinishReason::Error, m_exchange->problem());
    if (isStream(head))
        return finish(FinishReason::Error,
                      RemoteProblem{RemoteFault::Truncated,
                                    tr("The stream ended before the answer was complete.")});
    const auto chunk = readChatChunk(viewOf(m_whole));
    if (!chunk) return finish(FinishReason::Error, noChunk(chunk.error(), m_key));
    take(*chunk);
    if (!m_over) finish(finishFrom(m_finish));
}

/// Ends the answer. A problem after the finish_reason is ignored because the answer is complete by
/// then.
void RemoteChat::failWith(const RemoteProblem& problem) {
    if (m_finish.empty()) return finish(FinishReason::Error, problem);
    finish(finishFrom(m_finish));
}

void RemoteChat::finish(FinishReason reason, std::optional<RemoteProblem> problem) {
    if (std::exchange(m_over, true)) return;
    m_afterEnd.stop();
    if (reason != FinishReason::Error || !m_answer.text.empty()) {
        const std::string closing = m_thoughts.end();
        m_answer.text += closing;
        if (!closing.empty() && arrived) arrived(closing);
    }
    m_answer.reason = reason;
    m_answer.problem = std::move(problem);
    if (reason == FinishReason::Error && !m_answer.problem)
        m_answer.problem =
            RemoteProblem{RemoteFault::Failed, tr("The engine reports that the answer failed.")};
    if (m_exchange) m_exchange->abort();
    if (ended) ended(m_answer);
}

}  // namespace lacuna::app
