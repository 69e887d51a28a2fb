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
    /// So long an engine may be silent after the reason of the end, before that is the end.
    static constexpr int kAfterEndMs = 3000;

    RemoteChat(RemoteClient& client, const std::string& body, QObject* parent = nullptr);
    ~RemoteChat() override;

    /// Ends it as cancelled; `ended` is told now.
    void stop();

    std::function<void(const std::string& piece)> arrived;
    /// Once, and last.
    std::function<void(const RemoteAnswer& answer)> ended;

  private:
    void read();
    void take(const StreamEvent& event);
    void take(const ChatChunk& chunk);
    void say(const std::string& piece);
    void closed();
    void finish(FinishReason reason, std::optional<RemoteProblem> problem = std::nullopt);

    QPointer<QNetworkReply> m_reply;
    EventStreamReader m_events;
    ThoughtJoiner m_thoughts;
    QByteArray m_whole;  ///< of an answer that is no stream
    RemoteAnswer m_answer;
    std::string m_finish;  ///< finish_reason that was read
    bool m_over = false;
    QElapsedTimer m_clock;
    qint64 m_firstMs = -1;
    QTimer m_silence;
};

}  // namespace lacuna::app
