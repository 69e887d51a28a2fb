#include "ui/window_door.h"

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
constexpr int kAgainMs = 20;    // a start that comes before the socket does
constexpr int kWatchMs = 1000;  // a window that has the door and takes no connection
// A message is one object of JSON on one line, the answer to it this.
constexpr QLatin1String kModel("model"), kActivation("activation");
constexpr char kTaken[] = "taken\n";

}  // namespace

QString windowDoor(const QString& dataFolder, const QString& display) {
    const QString runtime = QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation);
    if (runtime.isEmpty()) return {};
    // Two spellings of one folder are one door, before it is made as well.
    const QFileInfo folder(dataFolder);
    const QString canonical = folder.canonicalFilePath();
    const QString name =
        canonical.isEmpty() ? QDir::cleanPath(folder.absoluteFilePath()) : canonical;
    const QByteArray both = name.toUtf8() + '\0' + display.toUtf8();
    const QByteArray hash = QCryptographicHash::hash(both, QCryptographicHash::Sha256);
    // Short: the path of a socket has a hundred bytes at most.
    return runtime + QStringLiteral("/lacuna-") + QString::fromLatin1(hash.toHex().left(16));
}

WindowDoor::WindowDoor(const QString& door, QObject* parent) : QObject(parent), m_door(door) {
    open();
}

WindowDoor::~WindowDoor() {
    close();
}

void WindowDoor::open() {
    if (m_door.isEmpty()) return;
    Result<app::FolderLock> lock = app::FolderLock::take(m_door + QStringLiteral(".lock"));
    if (!lock) return lock.error().code == ErrorCode::Conflict ? watch() : close();
    m_lock.emplace(std::move(*lock));
    listen();
}

void WindowDoor::listen() {
    m_server = std::make_unique<QLocalServer>();
    m_server->setSocketOptions(QLocalServer::UserAccessOption);
    QLocalServer::removeServer(m_door);  // left behind by one that was killed
    if (!m_server->listen(m_door)) return close();
    connect(m_server.get(), &QLocalServer::newConnection, this, [this] {
        while (QLocalSocket* socket = m_server->nextPendingConnection()) {
            connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
            connect(socket, &QLocalSocket::readyRead, this, [this, socket] { read(socket); });
            if (socket->bytesAvailable() > 0) read(socket);
        }
    });
}

/// Waits for the end of the window whose door it is.
void WindowDoor::watch() {
    m_owner = std::make_unique<QLocalSocket>();
    const auto again = [this] {
        m_owner.release()->deleteLater();
        open();
    };
    connect(m_owner.get(), &QLocalSocket::disconnected, this, again);
    connect(
        m_owner.get(), &QLocalSocket::errorOccurred, this, [this, again, socket = m_owner.get()] {
            // Told from within the constructor as well; one that was connected ends above.
            QTimer::singleShot(kWatchMs, this, [this, again, socket] {
                if (m_owner.get() == socket && socket->state() == QLocalSocket::UnconnectedState)
                    again();
            });
        });
    m_owner->connectToServer(m_door);
}

void WindowDoor::close() {
    m_door.clear();
    if (m_owner) m_owner->disconnect(this);  // its own end is no news
    m_owner.reset();
    // Those who watch are told last, when lock and path are free.
    if (m_server) m_server->close();
    m_lock.reset();
    m_server.reset();
}

bool WindowDoor::handOver(const HandedOver& what, int patienceMs) const {
    if (!belongsToAnother()) return false;
    QElapsedTimer waited;
    waited.start();
    const auto left = [&] { return static_cast<int>(patienceMs - waited.elapsed()); };
    QLocalSocket socket;
    for (;;) {
        socket.connectToServer(m_door);
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

void WindowDoor::read(QLocalSocket* socket) {
    if (!socket->canReadLine()) {
        if (socket->bytesAvailable() > kMaxBytes) socket->abort();
        return;
    }
    const QJsonDocument message = QJsonDocument::fromJson(socket->readLine(kMaxBytes));
    const HandedOver what{.model = message[kModel].toString(),
                          .activation = message[kActivation].toString()};
    if (!message.isObject() || (!what.model.isEmpty() && QDir::isRelativePath(what.model)))
        return socket->abort();
    // A start that has waited long enough is gone, with the model, to a window of its own.
    if (socket->write(kTaken) < 0 || !socket->flush()) return;
    Q_EMIT handedOver(what);
}

}  // namespace lacuna::ui
