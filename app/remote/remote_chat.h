#pragma once
/// \file
/// One streaming answer of a remote engine: the request, its event stream and the result.
/// Destroying it closes the connection, which makes the engine stop generating. GUI thread.

#include <QByteArray>
#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>
#include <functional>
#include <optional>
#include <string>

#include "app/remote/chat_chunk.h"
#include "app/remote/event_stream.h"
#include "app/remote/remote_client.h"

namespace lacuna::app {

/// Result of an answer.
struct RemoteAnswer {
    FinishReason reason = FinishReason::Stop;
    std::optional<RemoteProblem> problem;  ///< set if the reason is Error
    std::string text;                      ///< complete text including thoughts
    std::optional<ChatUsage> usage;        ///< absent if the engine does not report it
    double firstTextSeconds = 0;  ///< time from the request to the first text; 0 if none arrived
    double writingSeconds = 0;    ///< time from the first text to the last
};

class RemoteChat final : public QObject {
    Q_OBJECT

  public:
    /// Idle timeout, reset by any byte including comments; long because prefill can be slow.
    static constexpr int kSilenceMs = 10 * 60 * 1000;
    /// Time allowed for the usage and the end of the stream after the finish_reason.
    static constexpr int kAfterEndMs = 3000;
    static constexpr std::size_t kMaxText = 1024 * 1024;  ///< maximum length of an answer in bytes
    /// Maximum number of consecutive bytes (comments, blank lines, events) that add no text.
    static constexpr qint64 kMaxWithoutText = 2 * 1024 * 1024;

    RemoteChat(RemoteClient& client, const std::string& body, QObject* parent = nullptr);
    ~RemoteChat() override;

    /// Cancels the answer and calls `ended` immediately.
    void stop();

    std::function<void(const std::string& piece)> arrived;
    /// Called exactly once, as the last callback.
    std::function<void(const RemoteAnswer& answer)> ended;

  private:
    void read(QByteArrayView bytes);
    void take(const StreamEvent& event);
    void take(const ChatChunk& chunk);
    void deliver(const std::string& piece);
    void closed();
    void failWith(const RemoteProblem& problem);
    void finish(FinishReason reason, std::optional<RemoteProblem> problem = std::nullopt);

    const QString m_key;
    QPointer<RemoteExchange> m_exchange;
    EventStreamReader m_events;
    ThoughtJoiner m_thoughts;
    QByteArray m_whole;  ///< body of a response that is not a stream
    RemoteAnswer m_answer;
    std::string m_finish;  ///< finish_reason received so far
    bool m_over = false;
    QElapsedTimer m_clock;
    qint64 m_firstMs = -1;
    QTimer m_afterEnd;
    qint64 m_withoutText = 0;  ///< bytes received since the last text
};

}  // namespace lacuna::app
