#pragma once
/// \file
/// One HTTP/1.1 request to a remote engine and its response, over a socket of its own. Qt's network
/// access manager limits neither the size of a response head nor the work of one event-loop turn;
/// here one turn takes at most kSlice bytes from the socket, whatever the engine sends. Owned by
/// the thread with the event loop; callbacks run there.

#include <QByteArray>
#include <QObject>
#include <QTcpSocket>
#include <QTimer>
#include <QUrl>
#include <functional>
#include <memory>
#include <optional>

#include "app/remote/remote_problem.h"

namespace lacuna::app {

class RemoteExchange final : public QObject {
    Q_OBJECT

  public:
    static constexpr qint64 kReadBuffer = 256 * 1024;     ///< bytes that wait in the socket
    static constexpr qsizetype kSlice = 16 * 1024;        ///< bytes of one event-loop turn
    static constexpr qsizetype kMaxHead = 64 * 1024;      ///< bytes, with interim responses
    static constexpr qsizetype kMaxChunkLine = 4 * 1024;  ///< bytes of a chunk's size or a trailer

    struct Request {
        QByteArray method;
        QUrl url;
        QByteArray authorization;  ///< value of the field; empty: none is sent
        QByteArray body;           ///< JSON; sent with POST
    };
    struct Limits {
        int headMs;   ///< from the start to the end of the response head
        int idleMs;   ///< without a byte of the body
        int totalMs;  ///< from the start to the end of the body; 0: unlimited
    };

    /// Connects in the next event-loop turn.
    RemoteExchange(Request request, const Limits& limits, QObject* parent = nullptr);
    ~RemoteExchange() override;

    /// A part of the body, at most kSlice bytes and at most once in an event-loop turn.
    std::function<void(QByteArrayView bytes)> received;
    /// Called once: the body is complete, or problem() says why it is not.
    std::function<void()> finished;

    [[nodiscard]] const QUrl& url() const { return m_request.url; }
    [[nodiscard]] const ResponseHead& head() const { return m_head; }
    /// Of the connection or of the limits here; a status other than 2xx is not one.
    [[nodiscard]] const std::optional<RemoteProblem>& problem() const { return m_problem; }
    /// Ends it with `problem`, or as complete without one.
    void end(std::optional<RemoteProblem> problem);
    /// Closes the connection; no callback is called any more.
    void abort();

  private:
    enum class Phase {
        Head,
        Counted,
        UntilClosed,
        ChunkSize,
        ChunkData,
        ChunkEnd,
        Trailer,
        Complete
    };

    void begin();
    void readSlice();
    void readBody(QByteArrayView bytes, QByteArray& body);
    [[nodiscard]] QByteArrayView readHead(QByteArrayView bytes);
    [[nodiscard]] bool parseHead(QByteArrayView text);
    void chooseBody(const QByteArray& encoding, const QByteArray& length);
    [[nodiscard]] std::optional<QByteArray> lineFrom(QByteArrayView& bytes);
    void takeChunkSize(const QByteArray& line);
    void connectionEnded();
    void refuse(const QString& what);

    const Request m_request;
    const Limits m_limits;
    std::unique_ptr<QTcpSocket> m_socket;
    QTimer m_turn;      ///< the next slice
    QTimer m_deadline;  ///< of the head, then of silence
    QTimer m_total;
    Phase m_phase = Phase::Head;  ///< of reading
    ResponseHead m_head;
    QByteArray m_buffer;       ///< of the head, or of a line between chunks
    qsizetype m_headSize = 0;  ///< bytes of the head, or of lines since the last chunk
    qint64 m_left = 0;         ///< bytes of the body or of the chunk
    bool m_closed = false;     ///< by the engine
    bool m_over = false;       ///< no callback is called any more
    std::optional<RemoteProblem> m_problem;
};

}  // namespace lacuna::app
