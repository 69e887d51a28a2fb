#pragma once
/// \file
/// Ensures one window per data folder: a second start passes its model to the open window over a
/// socket in the user's own runtime folder. Nothing leaves the machine. GUI thread.

#include <QLocalServer>
#include <QLocalSocket>
#include <QObject>
#include <QString>
#include <memory>
#include <optional>

#include "app/state/storage/sqlite_file.h"

namespace lacuna::ui {

/// Data passed by a second start.
struct InstanceRequest {
    QString model;       ///< absolute path; empty: only bring the window to the front
    QString activation;  ///< token by which the desktop lets the start raise a window
};

/// Path of the socket shared by windows with the same `dataFolder` and `display`; empty if the user
/// has no folder that others cannot write to.
[[nodiscard]] QString singleInstance(const QString& dataFolder, const QString& display);

/// How long a start waits for a reply: long enough for a window that is still being built.
inline constexpr int kInstanceTimeoutMs = 4000;

/// The single-instance socket. The first process to claim it owns it, so only one of two
/// simultaneous starts opens a window; data passed meanwhile waits for the event loop. When the
/// owner closes or is killed, another open window takes over.
class SingleInstance final : public QObject {
    Q_OBJECT

  public:
    /// With an empty path nothing is received.
    explicit SingleInstance(const QString& instance, QObject* parent = nullptr);
    ~SingleInstance() override;
    /// True if this window is the one that later starts connect to.
    [[nodiscard]] bool listens() const { return m_server != nullptr; }
    /// True if another window owns the socket.
    [[nodiscard]] bool hasOtherOwner() const { return m_owner != nullptr; }
    /// Passes data to the window that owns the socket. Returns false if that is this window or
    /// none, or if it does not reply in time: the start then opens its own window, and the owner
    /// discards the data.
    [[nodiscard]] bool handOver(const InstanceRequest& what,
                                int timeoutMs = kInstanceTimeoutMs) const;
    /// Stops receiving; later starts open their own windows.
    void close();

  Q_SIGNALS:
    void handedOver(const lacuna::ui::InstanceRequest& what);

  private:
    void open();
    void listen();
    void watch();
    void read(QLocalSocket* socket);

    QString m_instance;
    std::optional<app::FolderLock> m_lock;   ///< held by the owner
    std::unique_ptr<QLocalServer> m_server;  ///< only in the owner
    std::unique_ptr<QLocalSocket> m_owner;  ///< connection to the owner; closes when the owner ends
};

}  // namespace lacuna::ui
