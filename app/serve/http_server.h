#pragma once
/// \file
/// The listening socket and its connections, all on one thread and one event loop. More connections
/// than the limit are answered 503 and closed at once, without an object of their own; where the
/// system has no descriptor left, accepting pauses for a moment. Owned by the server's thread.

#include <QHostAddress>
#include <QTcpServer>
#include <cstdint>
#include <string>

#include "app/serve/http_connection.h"
#include "app/serve/http_message.h"
#include "engine/base/result.h"

namespace lacuna::app {

class HttpServer final : public QTcpServer {
    Q_OBJECT

  public:
    HttpServer(HttpHandler& handler, HttpLimits limits, HttpDeadlines deadlines,
               QObject* parent = nullptr);
    ~HttpServer() override;

    /// `port` 0 takes a free one. Errors: InvalidArgument (no address of this machine), Conflict
    /// (the port is taken), Denied (only the system's owner may listen there).
    [[nodiscard]] Status listenAt(const std::string& host, std::uint16_t port);
    /// A further address of the same server, after the first: its port, its limits, its handler.
    /// Errors as above.
    [[nodiscard]] Status listenAlsoAt(const std::string& host);
    [[nodiscard]] int connections() const { return m_connections; }
    /// Listens no longer and closes all connections, after what they still have to send; requests
    /// that are waiting get this reply.
    void shutDown(const HttpReply& reply);

  protected:
    void incomingConnection(qintptr descriptor) override;

  private:
    class FurtherAddress;
    /// Where the system has no descriptor left, accepting pauses for a moment.
    void restWhereNoneIsLeft(QTcpServer& socket);

    HttpHandler& m_handler;
    const HttpLimits m_limits;
    const HttpDeadlines m_deadlines;
    int m_connections = 0;
};

}  // namespace lacuna::app
