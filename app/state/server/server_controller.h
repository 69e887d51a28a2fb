#pragma once
/// \file
/// The server of this window: its commands, state and settings. It is off at every start until the
/// user switches it on. Its settings are stored in a separate file that only the user can read.
/// Owned by the GUI thread.

#include <QObject>
#include <QString>
#include <memory>

#include "app/state/server/server_program.h"

namespace lacuna::app {

class ServerController final : public QObject {
    Q_OBJECT

  public:
    /// Settings are stored in `folder`; empty to store nothing. Without a maker or an engine the
    /// program has no server. @pre the engine outlives the server
    ServerController(EngineHost* engine, const ServerMaker& make, const QString& folder,
                     QObject* parent = nullptr);
    ~ServerController() override;

    /// Returns the reason why there is no server; empty if there is one.
    [[nodiscard]] QString disabledReason() const;
    [[nodiscard]] const ServerView& view() const { return m_view; }
    [[nodiscard]] bool off() const { return m_view.state == ServerState::Off; }
    /// Number of answers that switching off would cancel.
    [[nodiscard]] int open() const { return m_view.running + m_view.waiting; }

    [[nodiscard]] const ServerSettings& settings() const { return m_settings; }
    /// Stores the settings, which take effect at the next start of the server.
    void setSettings(const ServerSettings& settings);
    /// Returns a random key of 32 letters and digits from the system's random source.
    [[nodiscard]] static QString newKey();

    void start();
    void finish();
    void stop();
    /// Stops the server and waits for it; no commands reach the engine afterwards.
    void shutDown();

  Q_SIGNALS:
    void changed();
    /// Emitted when the server was switched on or off, or could not be.
    void noticed(const QString& sentence);

  private:
    void take(const ServerView& view);
    void read();
    void write();

    QString m_path;
    ServerSettings m_settings;
    ServerView m_view;
    std::unique_ptr<ServerProgram> m_program;
};

}  // namespace lacuna::app
