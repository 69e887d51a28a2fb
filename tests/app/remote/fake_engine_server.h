#pragma once
/// \file
/// A fake engine server on the test's event loop that sends scripted replies byte for byte.

#include <gtest/gtest.h>

#include <QByteArray>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QHostAddress>
#include <QPointer>
#include <QString>
#include <QTcpServer>
#include <QTcpSocket>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "tests/app/core_application.h"

namespace lacuna::test {

/// Runs the event loop until `done` returns true or five seconds have passed.
inline bool waitUntil(const std::function<bool()>& done, int most = 5000) {
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < most)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 20);
    return done();
}

class FakeEngineServer {
  public:
    struct Answer {
        QByteArray bytes;         ///< raw reply from the status line on
        bool closesAfter = true;  ///< false: the connection stays open
    };
    struct Asked {
        QByteArray line;  ///< e.g. "GET /v1/models HTTP/1.1"
        QByteArray head;
        QByteArray body;
        QPointer<QTcpSocket> socket;  ///< null after the client has disconnected
    };

    FakeEngineServer() {
        QObject::connect(&m_server, &QTcpServer::newConnection, &m_server, [this] { accept(); });
        EXPECT_TRUE(m_server.listen(QHostAddress::LocalHost, 0));
    }

    [[nodiscard]] QString address() const {
        return QStringLiteral("http://127.0.0.1:%1").arg(m_server.serverPort());
    }
    [[nodiscard]] quint16 port() const { return m_server.serverPort(); }
    /// `route` is e.g. "GET /metrics"; unknown routes get a 404.
    void setAnswer(const QByteArray& route, const Answer& answer) { m_answers[route] = answer; }
    void setAnswer(const QByteArray& route, int status, const QByteArray& body,
                   const QByteArray& fields = {},
                   const QByteArray& type = QByteArray("application/json")) {
        setAnswer(route, {"HTTP/1.1 " + QByteArray::number(status) + " X\r\nContent-Type: " + type +
                          "\r\n" + fields + "Content-Length: " + QByteArray::number(body.size()) +
                          "\r\nConnection: close\r\n\r\n" + body});
    }
    void tellStream(const QByteArray& events, bool closes = true) {
        setAnswer("POST /v1/chat/completions",
                  {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
                   "Connection: close\r\n\r\n" +
                       events,
                   closes});
    }
    [[nodiscard]] const std::vector<Asked>& asked() const { return m_asked; }
    [[nodiscard]] int connections() const { return m_connections; }
    void close() { m_server.close(); }

  private:
    void accept() {
        while (QTcpSocket* socket = m_server.nextPendingConnection()) {
            ++m_connections;
            auto received = std::make_shared<QByteArray>();
            QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, socket, received] {
                *received += socket->readAll();
                answer(socket, *received);
            });
            QObject::connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
        }
    }
    void answer(QTcpSocket* socket, QByteArray& received) {
        const auto end = received.indexOf("\r\n\r\n");
        if (end < 0) return;
        const QByteArray head = received.left(end + 2);
        qsizetype length = 0;
        if (const auto at = head.toLower().indexOf("content-length: "); at >= 0)
            length = head.mid(at + 16, head.indexOf('\r', at) - at - 16).toLongLong();
        if (received.size() < end + 4 + length) return;
        const QByteArray line = head.left(head.indexOf("\r\n"));
        m_asked.push_back({line, head, received.mid(end + 4, length), socket});
        received.remove(0, end + 4 + length);
        const QByteArray route = line.left(line.lastIndexOf(' '));
        const auto found = m_answers.find(route);
        if (found == m_answers.end()) {
            socket->write("HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            return socket->disconnectFromHost();
        }
        socket->write(found->second.bytes);
        if (found->second.closesAfter) socket->disconnectFromHost();
    }

    QCoreApplication& m_application = app::coreApplication();  // created before the first socket
    QTcpServer m_server;
    std::map<QByteArray, Answer> m_answers;
    std::vector<Asked> m_asked;
    int m_connections = 0;
};

}  // namespace lacuna::test
