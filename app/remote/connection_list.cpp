#include "app/remote/connection_list.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QMap>
#include <QUuid>
#include <algorithm>
#include <utility>

#include "app/remote/secret_service.h"
#include "engine/base/file.h"
#include "engine/base/json.h"

namespace lacuna::app {

namespace {

constexpr int kVersion = 1;
constexpr std::size_t kMaxFile = 1024 * 1024;
constexpr qsizetype kMaxConnections = 1000;

struct ListTexts {
    Q_DECLARE_TR_FUNCTIONS(ConnectionList)
};

struct PlaceWord {
    KeyStorage place;
    const char* word;
};
constexpr PlaceWord kPlaces[] = {
    {KeyStorage::None, "none"}, {KeyStorage::Keyring, "keyring"}, {KeyStorage::File, "file"}};

const char* wordOf(KeyStorage place) {
    for (const PlaceWord& one : kPlaces)
        if (one.place == place) return one.word;
    return "none";  // A key held in memory does not outlive the program.
}

KeyStorage placeFrom(const std::string& word) {
    for (const PlaceWord& one : kPlaces)
        if (word == one.word) return one.place;
    return KeyStorage::None;
}

std::filesystem::path pathIn(const QString& folder, const char* name) {
    return std::filesystem::path(QFile::encodeName(folder).toStdString()) / name;
}
std::filesystem::path listPath(const QString& folder) {
    return pathIn(folder, "connections.json");
}
std::filesystem::path keysPath(const QString& folder) {
    return pathIn(folder, "remote-keys.json");
}

QString memberOf(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) return {};
    return QString::fromStdString(found->get<std::string>());
}

std::optional<RemoteConnection> connectionFrom(const Json& object) {
    if (!object.is_object()) return std::nullopt;
    RemoteConnection connection{memberOf(object, "id"), memberOf(object, "name"),
                                memberOf(object, "address"), memberOf(object, "model"),
                                placeFrom(memberOf(object, "key").toStdString())};
    if (connection.id.isEmpty() || connection.address.isEmpty()) return std::nullopt;
    return connection;
}

/// Reads a JSON object; a missing file counts as an empty object.
Result<Json> objectIn(const std::filesystem::path& path) {
    const auto text = readFile(path, kMaxFile);
    if (!text && text.error().code == ErrorCode::NotFound) return Json::object();
    if (!text) return tl::unexpected<Error>(text.error());
    LACUNA_TRY(Json json, parseJson(*text));
    if (!json.is_object()) return fail(ErrorCode::Json, "it is not an object");
    return json;
}

QString exclusionText(const Error& error) {
    return QString::fromStdString(error.what);
}

}  // namespace

QString placeText(KeyStorage place) {
    switch (place) {
        case KeyStorage::None:
            return ListTexts::tr("No key is stored.");
        case KeyStorage::Keyring:
            return ListTexts::tr("The key is stored in the desktop keyring.");
        case KeyStorage::File:
            return ListTexts::tr(
                "No keyring is available: the key is stored in a file that only you can read.");
        case KeyStorage::Memory:
            return ListTexts::tr("The key is discarded when the program ends.");
    }
    return {};
}

ConnectionList::ConnectionList(const QString& folder, std::unique_ptr<SecretService> keyring,
                               QObject* parent)
    : QObject(parent), m_folder(folder), m_keyring(std::move(keyring)) {
    read();
}

ConnectionList::~ConnectionList() = default;

void ConnectionList::read() {
    if (m_folder.isEmpty()) return;
    const auto json = objectIn(listPath(m_folder));
    if (!json) {
        m_problem =
            tr("The list of engines could not be read: %1").arg(exclusionText(json.error()));
        return;
    }
    const auto list = json->find("connections");
    if (list == json->end() || !list->is_array()) return;
    for (const Json& one : *list)
        if (auto connection = connectionFrom(one);
            connection && m_connections.size() < kMaxConnections)
            m_connections.push_back(*connection);
}

void ConnectionList::write() {
    if (m_folder.isEmpty()) return;
    OrderedJson list = OrderedJson::array();
    for (const RemoteConnection& one : m_connections)
        list.push_back({{"id", one.id.toStdString()},
                        {"name", one.name.toStdString()},
                        {"address", one.address.toStdString()},
                        {"model", one.model.toStdString()},
                        {"key", wordOf(one.key)}});
    QDir().mkpath(m_folder);
    const Status written = writeFileAtomically(
        listPath(m_folder), dumpJson({{"version", kVersion}, {"connections", list}}, 2),
        FileAccess::OwnerOnly);
    m_problem =
        written
            ? QString()
            : tr("The list of engines could not be saved: %1").arg(exclusionText(written.error()));
}

std::optional<RemoteConnection> ConnectionList::find(const QString& id) const {
    const auto at = std::find_if(m_connections.begin(), m_connections.end(),
                                 [&](const RemoteConnection& one) { return one.id == id; });
    return at == m_connections.end() ? std::nullopt : std::optional(*at);
}

RemoteConnection ConnectionList::save(RemoteConnection connection) {
    const auto at =
        std::find_if(m_connections.begin(), m_connections.end(),
                     [&](const RemoteConnection& one) { return one.id == connection.id; });
    if (at == m_connections.end()) {
        if (connection.id.isEmpty())
            connection.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
        m_connections.push_back(connection);
    } else {
        connection.key = at->key;
        *at = connection;
    }
    write();
    Q_EMIT changed();
    return connection;
}

void ConnectionList::setModel(const QString& id, const QString& model) {
    for (RemoteConnection& one : m_connections)
        if (one.id == id) one.model = model;
    write();
}

void ConnectionList::setPlace(const QString& id, KeyStorage place) {
    for (RemoteConnection& one : m_connections)
        if (one.id == id) one.key = place;
    write();
    Q_EMIT changed();
}

void ConnectionList::remove(const QString& id) {
    storeKey(id, {}, [](KeyStorage, const QString&) {});
    m_connections.removeIf([&](const RemoteConnection& one) { return one.id == id; });
    write();
    Q_EMIT changed();
}

/// Writes `key` to the key file, or removes it if `key` is empty. Returns the error message; empty
/// on success.
QString ConnectionList::storeInFile(const QString& id, const QString& key) {
    const auto json = objectIn(keysPath(m_folder));
    if (!json) return exclusionText(json.error());
    OrderedJson keys = OrderedJson::object();
    for (const auto& [name, value] : json->items())
        if (name != id.toStdString() && value.is_string()) keys[name] = value;
    if (!key.isEmpty()) keys[id.toStdString()] = key.toStdString();
    if (key.isEmpty() && keys.size() == json->size()) return {};
    QDir().mkpath(m_folder);
    const Status written =
        writeFileAtomically(keysPath(m_folder), dumpJson(keys, 2), FileAccess::OwnerOnly);
    return written ? QString() : exclusionText(written.error());
}

void ConnectionList::storeKey(const QString& id, const QString& key,
                              std::function<void(KeyStorage, const QString&)> done) {
    const KeyStorage before = find(id).value_or(RemoteConnection{}).key;
    m_sessionKeys.remove(id);
    const auto settle = [this, id, done](KeyStorage place, const QString& problem) {
        setPlace(id, place);
        done(place, problem);
    };
    if (before == KeyStorage::File || key.isEmpty())
        if (!m_folder.isEmpty())
            if (const QString problem = storeInFile(id, {}); !problem.isEmpty())
                return settle(before, problem);
    if (key.isEmpty()) {
        if (before != KeyStorage::Keyring || m_keyring == nullptr)
            return settle(KeyStorage::None, {});
        return m_keyring->remove(id, [settle](const QString& problem) {
            settle(problem.isEmpty() ? KeyStorage::None : KeyStorage::Keyring, problem);
        });
    }
    const auto keepElsewhere = [this, id, key, settle](const QString& why) {
        const QString problem = m_folder.isEmpty() ? QString() : storeInFile(id, key);
        const bool inFile = !m_folder.isEmpty() && problem.isEmpty();
        if (!inFile) m_sessionKeys.insert(id, key);
        settle(inFile ? KeyStorage::File : KeyStorage::Memory, problem.isEmpty() ? why : problem);
    };
    if (m_keyring == nullptr) return keepElsewhere({});
    const QString name = find(id).value_or(RemoteConnection{}).name;
    m_keyring->look([this, id, key, name, settle, keepElsewhere](bool there) {
        if (!there) return keepElsewhere({});
        m_keyring->store(id, tr("Lacuna: key of %1").arg(name), key.toUtf8(),
                         [settle, keepElsewhere](const QString& problem) {
                             if (problem.isEmpty()) return settle(KeyStorage::Keyring, {});
                             keepElsewhere(problem);
                         });
    });
}

void ConnectionList::readKey(const QString& id,
                             std::function<void(const QString&, const QString&)> done) {
    if (m_sessionKeys.contains(id)) return done(m_sessionKeys.value(id), {});
    switch (find(id).value_or(RemoteConnection{}).key) {
        case KeyStorage::None:
        case KeyStorage::Memory:
            return done({}, {});
        case KeyStorage::File: {
            const auto json = objectIn(keysPath(m_folder));
            if (!json) return done({}, exclusionText(json.error()));
            return done(memberOf(*json, id.toStdString().c_str()), {});
        }
        case KeyStorage::Keyring:
            break;
    }
    if (m_keyring == nullptr) return done({}, tr("No keyring is available now."));
    m_keyring->find(id, [done](const std::optional<QByteArray>& key, const QString& problem) {
        if (!problem.isEmpty()) return done({}, problem);
        if (!key) return done({}, tr("The key is no longer in the keyring."));
        done(QString::fromUtf8(*key), {});
    });
}

}  // namespace lacuna::app
