#pragma once
/// \file
/// One HTTP connection: reads requests one after the other and writes the replies in order. A
/// request is checked (Host, Origin, key, path) when its head is complete, before its body is read.
/// Deadlines are absolute, so clients that trickle single bytes are cut off too. Unread output
/// waits in a buffer of 1 MiB; a client that leaves more unread is disconnected. docs/server.md,
/// "Limits". Owned by the server's thread.

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

/// Reply channel of one request. Outlives its connection: output after a disconnect is discarded.
/// Owned by the component that answers; used on the server's thread.
class HttpExchange {
  public:
    explicit HttpExchange(HttpConnection& connection) : m_connection(&connection) {}

    /// Sends the complete reply. @pre neither reply() nor begin() was called
    void reply(HttpReply reply);
    /// Sends the head of a reply of unknown length. @pre neither reply() nor begin() was called
    void begin(HttpReply head);
    /// Sends more of the body; returns false if the client is disconnected. @pre begin() was called
    bool send(std::string_view bytes);
    void end();

    [[nodiscard]] bool open() const { return m_connection != nullptr; }
    [[nodiscard]] bool begun() const { return m_begun; }
    /// Called once if the client disconnects before the reply has ended.
    std::function<void()> onDisconnect;

  private:
    friend class HttpConnection;
    HttpConnection* m_connection;
    bool m_begun = false;
};

/// Answers requests.
class HttpHandler {
  public:
    virtual ~HttpHandler() = default;
    /// Returns the reply to a request that must not be read; nullopt to read it.
    [[nodiscard]] virtual std::optional<HttpReply> refusal(const HttpHead& head) = 0;
    /// Replies through `exchange`, immediately or later.
    virtual void handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) = 0;
    /// Header fields to add to every reply to this request.
    [[nodiscard]] virtual std::vector<HttpField> fieldsFor(const HttpHead& head) = 0;
};

class HttpConnection final : public QObject {
    Q_OBJECT

  public:
    /// Takes ownership of the socket. @pre it is connected
    HttpConnection(QTcpSocket* socket, HttpHandler& handler, const HttpLimits& limits,
                   const HttpDeadlines& deadlines, QObject* parent);
    ~HttpConnection() override;

    /// Closes the connection after pending output is sent; a request that waits for its reply gets
    /// this one.
    void shutDown(const HttpReply& reply);

  Q_SIGNALS:
    void finished();

  private:
    friend class HttpExchange;
    void readInput();
    void advance();
    [[nodiscard]] bool headAccepted();
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
    std::shared_ptr<HttpExchange> m_exchange;  // set while a request is answered
    HttpHead m_answered;                       // head of the request in m_exchange
    std::string m_pending;                     // received bytes, not parsed yet
    std::string m_out;                         // output that the socket has not taken yet
    QTimer m_deadline;
    QTimer m_stalled;  // runs while output waits for the client
    enum class Waits { Request, Head, Body, Answer } m_waits = Waits::Request;
    bool m_headAccepted = false;  // the head of the current request was accepted
    bool m_served = false;        // at least one request was answered
    bool m_chunked = false;
    bool m_closing = false;        // close after m_out is written
    bool m_discardsInput = false;  // half-closed: further input is discarded
    bool m_left = false;
    bool m_advancing = false;
};

}  // namespace lacuna::app
