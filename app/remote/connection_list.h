#pragma once
/// \file
/// Engines that a person has named, on disk in the program's folder. Keys are not in it: they lie
/// in the keyring, or in a file of their own that only the person may read. GUI thread.

#include <QMap>
#include <QObject>
#include <QString>
#include <QVector>
#include <functional>
#include <memory>
#include <optional>

namespace lacuna::app {

class SecretService;

enum class KeyPlace {
    None,     ///< the engine wants none
    Keyring,  ///< of the desktop
    File,     ///< remote-keys.json, mode 600
    Memory,   ///< until the program ends: there is no folder to keep it in
};

struct RemoteConnection {
    QString id;       ///< never shown; names the key
    QString name;     ///< as a person calls it
    QString address;  ///< as a person typed it
    QString model;    ///< chosen last; empty: the first one
    KeyPlace key = KeyPlace::None;
};

class ConnectionList final : public QObject {
    Q_OBJECT

  public:
    /// `folder` empty: nothing is kept. Reads what is there; `keyring` null: there is none to ask.
    ConnectionList(const QString& folder, std::unique_ptr<SecretService> keyring,
                   QObject* parent = nullptr);
    ~ConnectionList() override;

    [[nodiscard]] const QVector<RemoteConnection>& connections() const { return m_connections; }
    [[nodiscard]] std::optional<RemoteConnection> find(const QString& id) const;
    /// Why the list was not read or written last, a sentence; empty: it was.
    [[nodiscard]] const QString& problem() const { return m_problem; }

    /// Adds it, or replaces the one of this id; an empty id gets one. Keys stay as they are.
    RemoteConnection save(RemoteConnection connection);
    void setModel(const QString& id, const QString& model);
    /// With its key.
    void remove(const QString& id);

    /// Keeps the key of a connection: in the keyring, or where there is none in a file. `done`
    /// hears where it lies now and, where it lies nowhere, why. An empty key is removed.
    void keepKey(const QString& id, const QString& key,
                 std::function<void(KeyPlace place, const QString& problem)> done);
    /// `problem`: a sentence; the key is then empty.
    void readKey(const QString& id,
                 std::function<void(const QString& key, const QString& problem)> done);

  Q_SIGNALS:
    void changed();

  private:
    void read();
    void write();
    void setPlace(const QString& id, KeyPlace place);
    [[nodiscard]] QString keepInFile(const QString& id, const QString& key);

    const QString m_folder;
    std::unique_ptr<SecretService> m_keyring;
    QVector<RemoteConnection> m_connections;
    QMap<QString, QString> m_remembered;  ///< keys that are kept nowhere else
    QString m_problem;
};

/// "Kept in the keyring of the desktop."
[[nodiscard]] QString placeText(KeyPlace place);

}  // namespace lacuna::app
