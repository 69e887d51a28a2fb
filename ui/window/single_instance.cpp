#include "ui/window/single_instance.h"

#include <QCryptographicHash>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>
#include <QThread>
#include <QTimer>

namespace lacuna::ui {

namespace {

constexpr qint64 kMaxBytes = 1 << 20;
constexpr int kAgainMs = 20;    // retry interval of a start that is earlier than the socket
constexpr int kWatchMs = 1000;  // delay after an owner that refuses the connection
// A message is one JSON object per line; this is the reply.
constexpr QLatin1String kModel("model"), kActivation("activation");
constexpr char kTaken[] = "taken\n";

}  // namespace

QString singleInstance(const QString& dataFolder, const QString& display) {
    const QString runtime = QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation);
    if (runtime.isEmpty()) return {};
    // Normalises the path, even before the folder exists, so two spellings of it use the same
    // socket.
    const QFileInfo folder(dataFolder);
    const QString canonical = folder.canonicalFilePath();
    const QString name =
        canonical.isEmpty() ? QDir::cleanPath(folder.absoluteFilePath()) : canonical;
    const QByteArray both = name.toUtf8() + '\0' + display.toUtf8();
    const QByteArray hash = QCryptographicHash::hash(both, QCryptographicHash::Sha256);
    // Short, because the path of a socket has at most a hundred bytes.
    return runtime + QStringLiteral("/lacuna-") + QString::fromLatin1(hash.toHex().left(16));
}

SingleInstance::SingleInstance(const QString& instance, QObject* parent)
    : QObject(parent), m_instance(instance) {
    open();
}

SingleInstance::~SingleInstance() {
    close();
}

void SingleInstance::open() {
    if (m_instance.isEmpty()) return;
    Result<app::FolderLock> lock = app::FolderLock::take(m_instance + QStringLiteral(".lock"));
    if (!lock) return lock.error().code == ErrorCode::Conflict ? watch() : close();
    m_lock.emplace(std::move(*lock));
    listen();
}

void SingleInstance::listen() {
    m_server = std::make_unique<QLocalServer>();
    m_server->setSocketOptions(QLocalServer::UserAccessOption);
    QLocalServer::removeServer(m_instance);  // stale socket of a killed process
    if (!m_server->listen(m_instance)) return close();
    connect(m_server.get(), &QLocalServer::newConnection, this, [this] {
        while (QLocalSocket* socket = m_server->nextPendingConnection()) {
            connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
            connect(socket, &QLocalSocket::readyRead, this, [this, socket] { read(socket); });
            if (socket->bytesAvailable() > 0) read(socket);
        }
    });
}

/// Waits for the end of the process that owns the socket.
void SingleInstance::watch() {
    m_owner = std::make_unique<QLocalSocket>();
    const auto again = [this] {
        m_owner.release()->deleteLater();
        open();
    };
    connect(m_owner.get(), &QLocalSocket::disconnected, this, again);
    connect(
        m_owner.get(), &QLocalSocket::errorOccurred, this, [this, again, socket = m_owner.get()] {
            // Errors can also be reported from within the constructor; the end of an established
            // connection is handled above.
            QTimer::singleShot(kWatchMs, this, [this, again, socket] {
                if (m_owner.get() == socket && socket->state() == QLocalSocket::UnconnectedState)
                    again();
            });
        });
    m_owner->connectToServer(m_instance);
}

void SingleInstance::close() {
    m_instance.clear();
    if (m_owner) m_owner->disconnect(this);  // closing it here must not trigger a reconnect
    m_owner.reset();
    // Closes the server last: watchers must find lock and path free.
    if (m_server) m_server->close();
    m_lock.reset();
    m_server.reset();
}

bool SingleInstance::handOver(const InstanceRequest& what, int timeoutMs) const {
    if (!hasOtherOwner()) return false;
    QElapsedTimer waited;
    waited.start();
    const auto left = [&] { return static_cast<int>(timeoutMs - waited.elapsed()); };
    QLocalSocket socket;
    for (;;) {
        socket.connectToServer(m_instance);
        if (socket.waitForConnected(std::max(left(), 0))) break;
        if (left() <= 0) return false;
        QThread::msleep(kAgainMs);
    }
    const QJsonObject message{{QString(kModel), what.model},
                              {QString(kActivation), what.activation}};
    socket.write(QJsonDocument(message).toJson(QJsonDocument::Compact) + '\n');
    while (!socket.canReadLine())
        if (left() <= 0 || !socket.waitForReadyRead(left())) return false;
    return socket.readAll() == kTaken;
}

void SingleInstance::read(QLocalSocket* socket) {
    if (!socket->canReadLine()) {
        if (socket->bytesAvailable() > kMaxBytes) socket->abort();
        return;
    }
    const QJsonDocument message = QJsonDocument::fromJson(socket->readLine(kMaxBytes));
    const InstanceRequest what{.model = message[kModel].toString(),
                               .activation = message[kActivation].toString()};
    if (!message.isObject() || (!what.model.isEmpty() && QDir::isRelativePath(what.model)))
        return socket->abort();
    // A start that gave up waiting has opened its own window with the model.
    if (socket->write(kTaken) < 0 || !socket->flush()) return;
    Q_EMIT handedOver(what);
}

}  // namespace lacuna::ui
