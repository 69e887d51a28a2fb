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
    static constexpr qint64 kReadBuffer = 256 * 1024;     ///< bytes buffered by the socket
    static constexpr qsizetype kSlice = 16 * 1024;        ///< bytes processed per event-loop turn
    static constexpr qsizetype kMaxHead = 64 * 1024;      ///< bytes, interim responses included
    static constexpr qsizetype kMaxChunkLine = 4 * 1024;  ///< bytes of a chunk-size line or trailer

    struct Request {
        QByteArray method;
        QUrl url;
        QByteArray authorization;  ///< value of the Authorization field; empty if not sent
        QByteArray body;           ///< JSON body, sent with POST
    };
    struct Limits {
        int headMs;   ///< from the start to the end of the response head
        int idleMs;   ///< between two parts of the body
        int totalMs;  ///< from the start to the end of the body; 0 for unlimited
    };

    /// Connects in the next event-loop turn.
    RemoteExchange(Request request, const Limits& limits, QObject* parent = nullptr);
    ~RemoteExchange() override;

    /// Called with a part of the body: at most kSlice bytes and at most once per event-loop turn.
    std::function<void(QByteArrayView bytes)> received;
    /// Called exactly once, when the body is complete or the request has failed; see problem().
    std::function<void()> finished;

    [[nodiscard]] const QUrl& url() const { return m_request.url; }
    [[nodiscard]] const ResponseHead& head() const { return m_head; }
    /// Failure of the connection, or an exceeded limit. A status other than 2xx does not count as
    /// one.
    [[nodiscard]] const std::optional<RemoteProblem>& problem() const { return m_problem; }
    /// Ends the exchange with `problem`, or successfully if it is nullopt.
    void end(std::optional<RemoteProblem> problem);
    /// Closes the connection; no callbacks follow.
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
    void readChunkSize(const QByteArray& line);
    void connectionEnded();
    void refuse(const QString& what);

    const Request m_request;
    const Limits m_limits;
    std::unique_ptr<QTcpSocket> m_socket;
    QTimer m_turn;      ///< schedules the next slice
    QTimer m_deadline;  ///< timeout for the head, then for idle time
    QTimer m_total;
    Phase m_phase = Phase::Head;  ///< parser phase
    ResponseHead m_head;
    QByteArray m_buffer;       ///< incomplete head, or incomplete line between chunks
    qsizetype m_headSize = 0;  ///< bytes of the head, or of the lines since the last chunk
    qint64 m_left = 0;         ///< remaining bytes of the body or chunk
    bool m_closed = false;     ///< true if the engine closed the connection
    bool m_over = false;       ///< true once no more callbacks are made
    std::optional<RemoteProblem> m_problem;
};

}  // namespace lacuna::app
