#pragma once
/// \file
/// The server beside the window: the API on the engine that the window has, with sockets on a
/// thread of its own, so that the window never waits for a client. Owned by the GUI thread.

#include <QObject>
#include <QThread>
#include <memory>
#include <string>

#include "app/state/server_program.h"

namespace lacuna::app {

class WindowServer final : public ServerProgram {
  public:
    /// `version` of the program, for clients.
    WindowServer(EngineHost& engine, std::string version, Told told);
    /// Breaks off what is being answered.
    ~WindowServer() override;
    void start(const ServerOrder& order) override;
    void finish() override;
    void stop() override;

  private:
    class Desk;

    QThread m_thread;
    std::unique_ptr<QObject> m_window;  ///< takes what the desk tells, on the GUI thread
    Desk* m_desk;                       ///< lives on the server's thread
};

}  // namespace lacuna::app
