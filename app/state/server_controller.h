#pragma once
/// \file
/// The server beside the window: what it was told, what it says of itself, and the settings that it
/// is switched on with. It is off until somebody switches it on, in every run; its settings are
/// kept in a file of their own, which nobody else may read. Owned by the GUI thread.

#include <QObject>
#include <QString>
#include <memory>

#include "app/state/server_program.h"

namespace lacuna::app {

class ServerController final : public QObject {
    Q_OBJECT

  public:
    /// Settings are kept in `folder`; empty: nowhere. Without a maker or an engine, which outlives
    /// the server, this program has none.
    ServerController(EngineHost* engine, const ServerMaker& make, const QString& folder,
                     QObject* parent = nullptr);
    ~ServerController() override;

    /// Why there can be no server, a sentence; empty: there can.
    [[nodiscard]] QString whyNot() const;
    [[nodiscard]] const ServerView& view() const { return m_view; }
    [[nodiscard]] bool off() const { return m_view.state == ServerState::Off; }
    /// Answers that would be broken off if it were switched off.
    [[nodiscard]] int open() const { return m_view.running + m_view.waiting; }

    [[nodiscard]] const ServerOrder& settings() const { return m_settings; }
    /// Counts from the next start on, and is kept.
    void setSettings(const ServerOrder& settings);
    /// Thirty-two letters and digits from the system's source of chance.
    [[nodiscard]] static QString newKey();

    void start();
    void finish();
    void stop();
    /// Ends the program and waits for it: nothing is sent to the engine afterwards.
    void shutDown();

  Q_SIGNALS:
    void changed();
    /// Something to keep in mind: switched on, off, or why not.
    void noticed(const QString& sentence);

  private:
    void take(const ServerView& view);
    void read();
    void write();

    QString m_path;
    ServerOrder m_settings;
    ServerView m_view;
    std::unique_ptr<ServerProgram> m_program;
};

}  // namespace lacuna::app
