#pragma once
/// \file
/// Saved connections to remote engines, stored on disk in the program's folder. The list contains
/// no keys: they are stored in the keyring or in a separate file that only the user can read. GUI
/// thread.

#include <QMap>
#include <QObject>
#include <QString>
#include <QVector>
#include <functional>
#include <memory>
#include <optional>

namespace lacuna::app {

class SecretService;

enum class KeyStorage {
    None,     ///< the engine requires no key
    Keyring,  ///< the desktop's keyring
    File,     ///< remote-keys.json, mode 600
    Memory,   ///< until the program ends, because there is no data folder
};

struct RemoteConnection {
    QString id;       ///< never shown; also identifies the key
    QString name;     ///< name chosen by the user
    QString address;  ///< as typed by the user
    QString model;    ///< last chosen model; empty for the first one listed
    KeyStorage key = KeyStorage::None;
};

class ConnectionList final : public QObject {
    Q_OBJECT

  public:
    /// Loads the list from `folder`; with an empty `folder` nothing is stored. `keyring` may be
    /// null.
    ConnectionList(const QString& folder, std::unique_ptr<SecretService> keyring,
                   QObject* parent = nullptr);
    ~ConnectionList() override;

    [[nodiscard]] const QVector<RemoteConnection>& connections() const { return m_connections; }
    [[nodiscard]] std::optional<RemoteConnection> find(const QString& id) const;
    /// Error message of the last read or write; empty on success.
    [[nodiscard]] const QString& problem() const { return m_problem; }

    /// Adds the connection or replaces the one with the same id. An empty id is replaced by a new
    /// one. Keys are left unchanged.
    RemoteConnection save(RemoteConnection connection);
    void setModel(const QString& id, const QString& model);
    /// Removes the connection and its key.
    void remove(const QString& id);

    /// Stores the key of a connection in the keyring, or in a file if there is no keyring; an empty
    /// key removes the stored one. `done` receives the location and, if the key is stored nowhere,
    /// the reason.
    void storeKey(const QString& id, const QString& key,
                  std::function<void(KeyStorage place, const QString& problem)> done);
    /// Reads a stored key. `problem` is an error message; the key is then empty.
    void readKey(const QString& id,
                 std::function<void(const QString& key, const QString& problem)> done);

  Q_SIGNALS:
    void changed();

  private:
    void read();
    void write();
    void setPlace(const QString& id, KeyStorage place);
    [[nodiscard]] QString storeInFile(const QString& id, const QString& key);

    const QString m_folder;
    std::unique_ptr<SecretService> m_keyring;
    QVector<RemoteConnection> m_connections;
    QMap<QString, QString> m_sessionKeys;  ///< keys held in memory only
    QString m_problem;
};

/// Describes the location for the user, for example "The key is kept in the keyring of the
/// desktop."
[[nodiscard]] QString placeText(KeyStorage place);

}  // namespace lacuna::app
