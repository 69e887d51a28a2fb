#include "app/state/server/server_controller.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRandomGenerator>
#include <algorithm>
#include <utility>

#include "app/state/files/program_files.h"
#include "app/state/view_rows.h"

namespace lacuna::app {

namespace {

constexpr int kKeyLength = 32;
constexpr int kMaxSlots = 16;
constexpr qint64 kMaxFile = 64 << 10;  ///< bytes; the real file has a few hundred

/// Missing or invalid members keep their defaults.
ServerSettings orderOf(const QJsonObject& object) {
    ServerSettings order;
    order.host = object.value(QLatin1String("address")).toString(order.host);
    order.port = std::clamp(object.value(QLatin1String("port")).toInt(order.port), 0, 65535);
    order.key = object.value(QLatin1String("key")).toString();
    order.alias = object.value(QLatin1String("alias")).toString();
    order.slots = std::clamp(object.value(QLatin1String("slots")).toInt(order.slots), 1, kMaxSlots);
    order.embeddings = object.value(QLatin1String("embeddings")).toString(order.embeddings);
    order.slotFolder = object.value(QLatin1String("slot_folder")).toString();
    return order;
}

QJsonObject objectOf(const ServerSettings& order) {
    return {{QStringLiteral("version"), 1},
            {QStringLiteral("address"), order.host},
            {QStringLiteral("port"), order.port},
            {QStringLiteral("key"), order.key},
            {QStringLiteral("alias"), order.alias},
            {QStringLiteral("slots"), order.slots},
            {QStringLiteral("embeddings"), order.embeddings},
            {QStringLiteral("slot_folder"), order.slotFolder}};
}

}  // namespace

ServerController::ServerController(EngineHost* engine, const ServerMaker& make,
                                   const QString& folder, QObject* parent)
    : QObject(parent),
      m_path(folder.isEmpty() ? QString() : QDir(folder).filePath(QStringLiteral("server.json"))) {
    if (make && engine != nullptr)
        m_program = make(*engine, [this](const ServerView& view) { take(view); });
    read();
}

ServerController::~ServerController() = default;

QString ServerController::disabledReason() const {
    return m_program ? QString() : tr("This program was built without the server.");
}

void ServerController::read() {
    QFile file(m_path);
    if (!QFileInfo(m_path).isFile() || !file.open(QIODevice::ReadOnly)) return;
    m_settings = orderOf(QJsonDocument::fromJson(file.read(kMaxFile)).object());
}

void ServerController::write() {
    if (m_path.isEmpty()) return;
    const QString problem = savePrivateFile(m_path, QJsonDocument(objectOf(m_settings)).toJson());
    if (!problem.isEmpty())
        Q_EMIT noticed(tr("The settings of the server were not saved: %1").arg(problem));
}

void ServerController::setSettings(const ServerSettings& settings) {
    if (settings == m_settings) return;
    m_settings = settings;
    write();
    Q_EMIT changed();
}

QString ServerController::newKey() {
    static constexpr char kSigns[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    QString key;
    for (int i = 0; i < kKeyLength; ++i)
        key += QLatin1Char(kSigns[QRandomGenerator::system()->bounded(int{sizeof kSigns} - 1)]);
    return key;
}

void ServerController::start() {
    if (m_program && off()) m_program->start(m_settings);
}

void ServerController::finish() {
    if (m_program && m_view.state == ServerState::On) m_program->finish();
}

void ServerController::stop() {
    if (m_program && !off()) m_program->stop();
}

void ServerController::shutDown() {
    m_program.reset();
    m_view = {};
}

/// Only state changes are added to the timeline.
void ServerController::take(const ServerView& view) {
    const ServerView before = std::exchange(m_view, view);
    if (before.state != ServerState::On && view.state == ServerState::On)
        Q_EMIT noticed(tr("The server is on at %1.").arg(view.address));
    if (before.state != ServerState::Off && off() && view.problem.isEmpty())
        Q_EMIT noticed(tr("The server is off."));
    if (off() && !view.problem.isEmpty() && view.problem != before.problem)
        Q_EMIT noticed(tr("The server is off: %1").arg(view.problem));
    Q_EMIT changed();
}

}  // namespace lacuna::app
