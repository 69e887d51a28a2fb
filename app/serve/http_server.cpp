#include "app/serve/http_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <QTcpSocket>
#include <QTimer>

#include "app/serve/api_error.h"
#include "app/serve/http_reader.h"
#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

constexpr int kBackOffMs = 100;
constexpr int kBacklog = 512;

/// Said without waiting: a client that does not read it has lost nothing.
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

}  // namespace

HttpServer::HttpServer(HttpHandler& handler, HttpLimits limits, HttpDeadlines deadlines,
                       QObject* parent)
    : QTcpServer(parent), m_handler(handler), m_limits(limits), m_deadlines(deadlines) {
    setListenBacklogSize(kBacklog);
    connect(this, &QTcpServer::acceptError, this, [this] {
        pauseAccepting();
        QTimer::singleShot(kBackOffMs, this, [this] { resumeAccepting(); });
    });
}

/// Connections go before the list of them that Qt keeps.
HttpServer::~HttpServer() {
    close();
    for (HttpConnection* connection : findChildren<HttpConnection*>()) delete connection;
}

Status HttpServer::listenAt(const std::string& host, std::uint16_t port) {
    QHostAddress address;
    const QString name = QString::fromStdString(host);
    if (name == QLatin1String("localhost"))
        address = QHostAddress(QHostAddress::LocalHost);
    else if (!address.setAddress(name))
        return fail(ErrorCode::InvalidArgument,
                    format("'{}' is no address; expected one such as 127.0.0.1 or 0.0.0.0", host));
    if (listen(address, port)) return {};
    const std::string why = errorString().toStdString();
    switch (serverError()) {
        case QAbstractSocket::AddressInUseError:
            return fail(ErrorCode::Conflict,
                        format("port {} of {} is taken by another program; --port 0 takes a free "
                               "one",
                               port, host));
        case QAbstractSocket::SocketAccessError:
            return fail(ErrorCode::Denied,
                        format("this user may not listen on port {}; take one from 1024 on", port));
        default:
            return fail(ErrorCode::InvalidArgument,
                        format("{} cannot be listened on at port {}: {}", host, port, why));
    }
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
