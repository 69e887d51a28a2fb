#pragma once
/// \file
/// A fake hub on the test's event loop: files with ranges and entity tags, file lists in the format
/// of the public API, and configurable misbehaviour.

#include <gtest/gtest.h>

#include <QByteArray>
#include <QCoreApplication>
#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QHostAddress>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QString>
#include <QTcpServer>
#include <QTcpSocket>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "tests/app/core_application.h"
#include "tests/support/gguf_builder.h"

namespace lacuna::test {

/// Runs the event loop until `done` returns true or ten seconds have passed.
inline bool waitFor(const std::function<bool()>& done, int most = 10'000) {
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < most)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 20);
    return done();
}

inline QString sha256(const QByteArray& bytes) {
    return QString::fromLatin1(QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex());
}

/// A GGUF file without weights, `size` bytes long; `seed` varies its content.
inline QByteArray ggufBytes(int size, int seed = 1) {
    GgufBuilder file;
    file.text("general.architecture", "llama");
    QByteArray bytes = QByteArray::fromStdString(file.build());
    quint32 state = static_cast<quint32>(seed) * 2654435761U + 1;
    while (bytes.size() < size) {
        state = state * 1664525U + 1013904223U;
        bytes += static_cast<char>(state >> 24U);
    }
    return bytes;
}

class FakeHub {
  public:
    struct Request {
        QByteArray path;  ///< including its query
        QByteArray head;
        /// Trimmed value of a header field; empty if it was not sent.
        [[nodiscard]] QByteArray field(const QByteArray& name) const {
            const QByteArray low = head.toLower();
            const auto at = low.indexOf("\r\n" + name.toLower() + ":");
            if (at < 0) return {};
            const auto from = at + 3 + name.size();
            return head.mid(from, head.indexOf("\r\n", from) - from).trimmed();
        }
    };
    using Handler = std::function<void(QTcpSocket& socket, const Request& request)>;
    struct File {
        QByteArray bytes;
        QByteArray etag = "\"one\"";  ///< including its quotes; empty: none is sent
        bool ranges = true;
        qint64 cutAfter = -1;  ///< bytes of the body that are sent before the connection breaks
        int cuts = 1;          ///< number of times the connection breaks
        QByteArray type = "application/octet-stream";
    };

    FakeHub() {
        QObject::connect(&m_server, &QTcpServer::newConnection, &m_server, [this] { accept(); });
        EXPECT_TRUE(m_server.listen(QHostAddress::LocalHost, 0));
    }
    [[nodiscard]] QString address() const {
        return QStringLiteral("http://127.0.0.1:%1").arg(m_server.serverPort());
    }
    /// The same server under another host name, which is another origin.
    [[nodiscard]] QString otherAddress() const {
        return QStringLiteral("http://localhost:%1").arg(m_server.serverPort());
    }
    void on(const QByteArray& path, Handler handler) { m_handlers[path] = std::move(handler); }
    void say(const QByteArray& path, int status, const QByteArray& body,
             const QByteArray& fields = {}) {
        on(path, [=](QTcpSocket& socket, const Request&) {
            socket.write("HTTP/1.1 " + QByteArray::number(status) + " X\r\n" + fields +
                         "Content-Length: " + QByteArray::number(body.size()) +
                         "\r\nConnection: close\r\n\r\n" + body);
            socket.disconnectFromHost();
        });
    }
    void redirect(const QByteArray& path, const QByteArray& to, int status = 302) {
        say(path, status, "", "Location: " + to + "\r\n");
    }
    void serve(const QByteArray& path, const File& file) {
        auto kept = std::make_shared<File>(file);
        on(path,
           [kept](QTcpSocket& socket, const Request& request) { send(socket, request, *kept); });
    }
    /// Serves OWNER/NAME with these files and their digests, in the form in which the API lists and
    /// resolves them.
    void repository(const QByteArray& name, const std::map<QByteArray, QByteArray>& files) {
        QJsonArray list;
        for (const auto& [path, bytes] : files) {
            list << QJsonObject{{"type", "file"},
                                {"path", QString::fromLatin1(path)},
                                {"oid", "0123"},
                                {"size", static_cast<qint64>(bytes.size())},
                                {"lfs", QJsonObject{{"oid", sha256(bytes)},
                                                    {"size", static_cast<qint64>(bytes.size())},
                                                    {"pointerSize", 134}}}};
            serve("/" + name + "/resolve/main/" + path, {bytes});
        }
        say("/api/models/" + name + "/tree/main?recursive=true", 200, QJsonDocument(list).toJson());
    }
    [[nodiscard]] const std::vector<Request>& asked() const { return m_asked; }
    [[nodiscard]] int connections() const { return m_connections; }

  private:
    static void send(QTcpSocket& socket, const Request& request, File& file) {
        qint64 first = 0;
        const QByteArray range = request.field("Range");
        const QByteArray ifRange = request.field("If-Range");
        const bool partial = file.ranges && range.startsWith("bytes=") &&
                             (ifRange.isEmpty() || ifRange == file.etag);
        if (partial) first = range.mid(6, range.indexOf('-') - 6).toLongLong();
        const QByteArray total = QByteArray::number(file.bytes.size());
        QByteArray head;
        if (partial && first >= file.bytes.size()) {
            socket.write("HTTP/1.1 416 X\r\nContent-Range: bytes */" + total +
                         "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            return socket.disconnectFromHost();
        }
        if (partial)
            head = "HTTP/1.1 206 X\r\nContent-Range: bytes " + QByteArray::number(first) + "-" +
                   QByteArray::number(file.bytes.size() - 1) + "/" + total + "\r\n";
        else
            head = "HTTP/1.1 200 X\r\nAccept-Ranges: bytes\r\n";
        if (!file.etag.isEmpty()) head += "ETag: " + file.etag + "\r\n";
        const QByteArray body = file.bytes.mid(first);
        head += "Content-Type: " + file.type +
                "\r\nContent-Length: " + QByteArray::number(body.size()) +
                "\r\nConnection: close\r\n\r\n";
        socket.write(head);
        const bool cuts = file.cutAfter >= 0 && file.cuts > 0;
        if (cuts) --file.cuts;
        socket.write(cuts ? body.left(file.cutAfter) : body);
        socket.disconnectFromHost();
    }
    void accept() {
        while (QTcpSocket* socket = m_server.nextPendingConnection()) {
            ++m_connections;
            auto received = std::make_shared<QByteArray>();
            QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, socket, received] {
                *received += socket->readAll();
                const auto end = received->indexOf("\r\n\r\n");
                if (end < 0) return;
                const QByteArray line = received->left(received->indexOf("\r\n"));
                const Request request{line.split(' ').value(1), received->left(end + 2)};
                received->clear();
                m_asked.push_back(request);
                const auto found = m_handlers.find(request.path);
                if (found != m_handlers.end()) return found->second(*socket, request);
                socket->write("HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                socket->disconnectFromHost();
            });
            QObject::connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
        }
    }

    QCoreApplication& m_application = app::coreApplication();  // created before the first socket
    QTcpServer m_server;
    std::map<QByteArray, Handler> m_handlers;
    std::vector<Request> m_asked;
    int m_connections = 0;
};

}  // namespace lacuna::test
