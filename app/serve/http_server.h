#pragma once
/// \file
/// Listening socket and its connections, all on one thread and one event loop. Connections above
/// the limit get 503 and are closed immediately, without an object of their own. Accepting pauses
/// briefly when the system has no file descriptor left. Owned by the server's thread.

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

    /// Port 0 selects a free one. Errors: InvalidArgument (not an address of this machine),
    /// Conflict (port in use), Denied (privileged port).
    [[nodiscard]] Status listenAt(const std::string& host, std::uint16_t port);
    /// Listens on a further address with the port, limits and handler of the first. Errors as for
    /// listenAt().
    [[nodiscard]] Status listenAlsoAt(const std::string& host);
    [[nodiscard]] int connections() const { return m_connections; }
    /// Stops listening and closes all connections after their pending output; waiting requests get
    /// this reply.
    void shutDown(const HttpReply& reply);

  protected:
    void incomingConnection(qintptr descriptor) override;

  private:
    class FurtherAddress;
    /// Pauses accepting briefly if the system has no file descriptor left.
    void pauseWithoutDescriptors(QTcpServer& socket);

    HttpHandler& m_handler;
    const HttpLimits m_limits;
    const HttpDeadlines m_deadlines;
    int m_connections = 0;
};

}  // namespace lacuna::app
