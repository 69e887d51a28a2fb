#include "app/serve/http_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <QTcpSocket>
#include <QTimer>
#include <memory>

#include "app/serve/api_error.h"
#include "app/serve/http_reader.h"
#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

constexpr int kBackOffMs = 100;
constexpr int kBacklog = 512;

/// Sends the refusal without blocking; it is lost if the client does not read it.
void turnAway(int descriptor) {
    const HttpReply reply = errorReply(
        {.status = 503, .message = "there are too many connections", .retryAfterSeconds = 1});
    const std::string text =
        httpHeadText(reply, HttpFraming::Length, reply.body.size(), false) + reply.body;
    static_cast<void>(::send(descriptor, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
    ::shutdown(descriptor, SHUT_WR);
    char unread[1024];
    static_cast<void>(::recv(descriptor, unread, sizeof unread, MSG_DONTWAIT));
    ::close(descriptor);
}

Status listenOn(QTcpServer& socket, const std::string& host, std::uint16_t port) {
    QHostAddress address;
    const QString name = QString::fromStdString(host);
    if (name == QLatin1String("localhost"))
        address = QHostAddress(QHostAddress::LocalHost);
    else if (!address.setAddress(name))
        return fail(
            ErrorCode::InvalidArgument,
            format("'{}' is not an address; expected one such as 127.0.0.1 or 0.0.0.0", host));
    if (socket.listen(address, port)) return {};
    const std::string why = socket.errorString().toStdString();
    switch (socket.serverError()) {
        case QAbstractSocket::AddressInUseError:
            return fail(ErrorCode::Conflict,
                        format("port {} of {} is used by another program; choose another one, or "
                               "any free one with --port 0",
                               port, host));
        case QAbstractSocket::SocketAccessError:
            return fail(ErrorCode::Denied,
                        format("this user may not listen on port {}; choose 1024 or higher", port));
        default:
            return fail(ErrorCode::InvalidArgument,
                        format("cannot listen on {}, port {}: {}", host, port, why));
    }
}

}  // namespace

/// Listening socket for a further address; hands its connections to the server.
class HttpServer::FurtherAddress final : public QTcpServer {
  public:
    explicit FurtherAddress(HttpServer& server) : QTcpServer(&server), m_server(server) {}

  protected:
    void incomingConnection(qintptr descriptor) override {
        m_server.incomingConnection(descriptor);
    }

  private:
    HttpServer& m_server;
};

HttpServer::HttpServer(HttpHandler& handler, HttpLimits limits, HttpDeadlines deadlines,
                       QObject* parent)
    : QTcpServer(parent), m_handler(handler), m_limits(limits), m_deadlines(deadlines) {
    pauseWithoutDescriptors(*this);
}

void HttpServer::pauseWithoutDescriptors(QTcpServer& socket) {
    socket.setListenBacklogSize(kBacklog);
    connect(&socket, &QTcpServer::acceptError, &socket, [&socket] {
        socket.pauseAccepting();
        QTimer::singleShot(kBackOffMs, &socket, [&socket] { socket.resumeAccepting(); });
    });
}

/// Destroys the connections before Qt's list of them.
HttpServer::~HttpServer() {
    close();
    for (HttpConnection* connection : findChildren<HttpConnection*>()) delete connection;
}

Status HttpServer::listenAt(const std::string& host, std::uint16_t port) {
    return listenOn(*this, host, port);
}

Status HttpServer::listenAlsoAt(const std::string& host) {
    auto further = std::make_unique<FurtherAddress>(*this);
    pauseWithoutDescriptors(*further);
    LACUNA_TRY_STATUS(listenOn(*further, host, serverPort()));
    static_cast<void>(further.release());  // is a child of this
    return {};
}

void HttpServer::shutDown(const HttpReply& reply) {
    close();
    for (QTcpServer* further : findChildren<QTcpServer*>()) further->close();
    for (HttpConnection* connection : findChildren<HttpConnection*>()) connection->shutDown(reply);
}

void HttpServer::incomingConnection(qintptr descriptor) {
    if (m_connections >= m_limits.connections) return turnAway(static_cast<int>(descriptor));
    auto* const socket = new QTcpSocket;
    if (!socket->setSocketDescriptor(descriptor)) {
        delete socket;
        ::close(static_cast<int>(descriptor));
        return;
    }
    ++m_connections;
    auto* const connection = new HttpConnection(socket, m_handler, m_limits, m_deadlines, this);
    connect(connection, &HttpConnection::finished, this, [this, connection] {
        --m_connections;
        connection->deleteLater();
    });
}

}  // namespace lacuna::app
