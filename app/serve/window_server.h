#pragma once
/// \file
/// API server on the engine of the window. Its sockets run on their own thread, so that the window
/// never waits for a client. Owned by the GUI thread.

#include <QObject>
#include <QThread>
#include <memory>
#include <string>

#include "app/state/server/server_program.h"

namespace lacuna::app {

class WindowServer final : public ServerProgram {
  public:
    /// `version` is the program's version, shown to clients.
    WindowServer(EngineHost& engine, std::string version, ViewCallback onView);
    /// Cancels running answers.
    ~WindowServer() override;
    void start(const ServerSettings& settings) override;
    void finish() override;
    void stop() override;

  private:
    class Desk;

    QThread m_thread;
    std::unique_ptr<QObject> m_window;  ///< receiver on the GUI thread for updates from m_desk
    Desk* m_scheduler;                  ///< lives on the server's thread
};

}  // namespace lacuna::app
