#pragma once
/// \file
/// One connection: bytes in, one request after the other, answers out in their order. A request is
/// judged when its head is known (Host, Origin, key, path) and read only then; its deadlines are
/// absolute, so that a client which sends a byte now and then is cut off as well. What a client
/// does not read waits in a buffer of 1 MiB; one that leaves more unread is given up.
/// docs/server.md, "Limits". Owned by the server's thread.

#include <QObject>
#include <QTimer>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/http_message.h"
#include "app/serve/http_reader.h"

class QTcpSocket;

namespace lacuna::app {

class HttpConnection;

/// What a request is answered through, once. Outlives its connection: what is said after the client
/// has gone goes nowhere. Owned by whoever answers; the server's thread.
class HttpExchange {
  public:
    explicit HttpExchange(HttpConnection& connection) : m_connection(&connection) {}

    /// The whole answer. @pre nothing was said yet
    void reply(HttpReply reply);
    /// The beginning of an answer whose length nobody knows. @pre nothing was said yet
    void begin(HttpReply head);
    /// More of it; false when the client has gone or was given up. @pre begun
    bool send(std::string_view bytes);
    void end();

    [[nodiscard]] bool open() const { return m_connection != nullptr; }
    [[nodiscard]] bool begun() const { return m_begun; }
    /// Called once when the client has gone before the answer ended.
    std::function<void()> gone;

  private:
    friend class HttpConnection;
    HttpConnection* m_connection;
    bool m_begun = false;
};

/// Who answers requests.
class HttpHandler {
  public:
    virtual ~HttpHandler() = default;
    /// Why a request is not even read, or nothing.
    [[nodiscard]] virtual std::optional<HttpReply> refusal(const HttpHead& head) = 0;
    /// Answers at once or later.
    virtual void handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) = 0;
    /// Fields for every answer to this request.
    [[nodiscard]] virtual std::vector<HttpField> fieldsFor(const HttpHead& head) = 0;
};

class HttpConnection final : public QObject {
    Q_OBJECT

  public:
    /// Takes the socket over. @pre it is connected
    HttpConnection(QTcpSocket* socket, HttpHandler& handler, const HttpLimits& limits,
                   const HttpDeadlines& deadlines, QObject* parent);
    ~HttpConnection() override;

    /// Closes it: a request that is waiting for its answer gets this reply, and what was already
    /// said is sent first.
    void shutDown(const HttpReply& reply);

  Q_SIGNALS:
    void finished();

  private:
    friend class HttpExchange;
    void takeBytes();
    void advance();
    [[nodiscard]] bool judged();
    void answer(HttpReply reply);
    void begin(HttpReply head);
    [[nodiscard]] bool write(std::string_view bytes);
    void endAnswer();
    void refuse(HttpReply reply);
    void pump();
    void expire();
    void expireIn(std::chrono::milliseconds time);
    void watch();
    void leave();

    QTcpSocket* const m_socket;
    HttpHandler& m_handler;
    const HttpLimits m_limits;
    const HttpDeadlines m_deadlines;
    std::unique_ptr<HttpReader> m_reader;
    std::shared_ptr<HttpExchange> m_exchange;  // while a request is answered
    HttpHead m_answered;                       // head of that request
    std::string m_pending;                     // bytes that nobody has parsed yet
    std::string m_out;                         // bytes that the socket has not taken yet
    QTimer m_deadline;
    QTimer m_stalled;  // while bytes wait for the client
    enum class Waits { Request, Head, Body, Answer } m_waits = Waits::Request;
    bool m_judged = false;  // the head of the request that is read was let pass
    bool m_served = false;  // one request was answered
    bool m_chunked = false;
    bool m_closing = false;  // after what is in m_out
    bool m_lingers = false;  // before it is closed, what still comes is thrown away
    bool m_left = false;
    bool m_advancing = false;
};

}  // namespace lacuna::app
