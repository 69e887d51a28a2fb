#pragma once
/// \file
/// One answer of another engine while it is written: the request, its stream, and how it ended.
/// Deleting it closes the connection, which frees the work over there. GUI thread.

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

/// How an answer ended.
struct RemoteAnswer {
    FinishReason reason = FinishReason::Stop;
    std::optional<RemoteProblem> problem;  ///< where the reason is Error
    std::string text;                      ///< all of it, thoughts included
    std::optional<ChatUsage> usage;        ///< absent where the engine does not say
    double firstTextSeconds = 0;           ///< from the request; 0: none came
    double writingSeconds = 0;             ///< from the first text to the last
};

class RemoteChat final : public QObject {
    Q_OBJECT

  public:
    /// So long nothing at all may come, not even a comment: a prompt takes its time to be read.
    static constexpr int kSilenceMs = 10 * 60 * 1000;
    /// So long the usage and the end of the stream may come after the reason of the end.
    static constexpr int kAfterEndMs = 3000;
    static constexpr std::size_t kMaxText = 1024 * 1024;  ///< bytes of an answer
    /// Bytes of comments, blank lines and events in a row that bring no text.
    static constexpr qint64 kMaxWithoutText = 2 * 1024 * 1024;

    RemoteChat(RemoteClient& client, const std::string& body, QObject* parent = nullptr);
    ~RemoteChat() override;

    /// Ends it as cancelled; `ended` is told now.
    void stop();

    std::function<void(const std::string& piece)> arrived;
    /// Once, and last.
    std::function<void(const RemoteAnswer& answer)> ended;

  private:
    void read(QByteArrayView bytes);
    void take(const StreamEvent& event);
    void take(const ChatChunk& chunk);
    void say(const std::string& piece);
    void closed();
    void breakOff(const RemoteProblem& problem);
    void finish(FinishReason reason, std::optional<RemoteProblem> problem = std::nullopt);

    const QString m_key;
    QPointer<RemoteExchange> m_exchange;
    EventStreamReader m_events;
    ThoughtJoiner m_thoughts;
    QByteArray m_whole;  ///< of an answer that is no stream
    RemoteAnswer m_answer;
    std::string m_finish;  ///< finish_reason that was read
    bool m_over = false;
    QElapsedTimer m_clock;
    qint64 m_firstMs = -1;
    QTimer m_afterEnd;
    qint64 m_withoutText = 0;  ///< bytes since the last text
};

}  // namespace lacuna::app
