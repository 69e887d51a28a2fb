#pragma once
/// \file
/// One window for one folder of conversations: a second start hands the model it was given to the
/// window that is open already, over a socket in the person's own folder for the time being logged
/// in. Nothing of it leaves the machine. GUI thread.

#include <QLocalServer>
#include <QLocalSocket>
#include <QObject>
#include <QString>
#include <memory>
#include <optional>

#include "app/state/sqlite_file.h"

namespace lacuna::ui {

/// What a second start hands over.
struct HandedOver {
    QString model;       ///< absolute; empty: the window comes to the front
    QString activation;  ///< what the desktop gave the start so that a window may come to the front
};

/// Where windows meet that keep `dataFolder` and stand on the same `display`: a path, or nothing
/// where this person has no folder that others cannot write to.
[[nodiscard]] QString windowDoor(const QString& dataFolder, const QString& display);

/// How long a start waits for the window that is open: long enough for one that is being built.
inline constexpr int kDoorPatienceMs = 4000;

/// The door of the window that is being opened. It belongs to the first that asks for it, from then
/// on, so that of two starts at once one opens the window; what is handed over meanwhile waits for
/// the event loop. When its window closes or is killed, another that is open takes the door.
class WindowDoor final : public QObject {
    Q_OBJECT

  public:
    /// Of no door (an empty path) it takes nothing.
    explicit WindowDoor(const QString& door, QObject* parent = nullptr);
    ~WindowDoor() override;
    /// This is the window that starts hand over to.
    [[nodiscard]] bool listens() const { return m_server != nullptr; }
    /// Another window is the one.
    [[nodiscard]] bool belongsToAnother() const { return m_owner != nullptr; }
    /// Hands over to the window whose door it is. False when that is this one or none, or when it
    /// does not answer in time: the start opens a window of its own then, and the other one drops
    /// what it was given.
    [[nodiscard]] bool handOver(const HandedOver& what, int patienceMs = kDoorPatienceMs) const;
    /// Takes nothing any more; starts open windows of their own.
    void close();

  Q_SIGNALS:
    void handedOver(const lacuna::ui::HandedOver& what);

  private:
    void open();
    void listen();
    void watch();
    void read(QLocalSocket* socket);

    QString m_door;
    std::optional<app::FolderLock> m_lock;   ///< held by the one that listens
    std::unique_ptr<QLocalServer> m_server;  ///< of the one that listens
    std::unique_ptr<QLocalSocket> m_owner;   ///< to the one that listens; its end is that one's end
};

}  // namespace lacuna::ui
