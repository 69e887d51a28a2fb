#pragma once
/// \file
/// Routes the window's commands to the local engine or, while the window is connected to one, to a
/// remote engine that answers its conversations. The local engine keeps its model and its caches
/// meanwhile; commands about them and about settings always go to it.

#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "engine/session/command.h"
#include "engine/settings/engine_config.h"

namespace lacuna::app {

/// Belongs to the GUI thread, like the remote engine; a call from another one is a mistake of the
/// program, which ends it. Others, such as the server, are given the local EngineHost, from which
/// nothing leads to a remote engine.
class EngineRouter final : public CommandSink {
  public:
    /// `local` outlives it. `settings`: those in force, of which sampling and length go along with
    /// a turn of a remote engine.
    EngineRouter(CommandSink& local, std::function<const EngineConfig&()> settings)
        : m_local(local), m_settings(std::move(settings)) {}

    void send(Command command) override;

    /// Conversations are answered by `remote` from now on.
    void attach(std::unique_ptr<CommandSink> remote);
    /// Cancels what the remote engine answers; the local engine answers again.
    void detach();

  private:
    CommandSink& m_local;
    std::unique_ptr<CommandSink> m_remote;
    std::function<const EngineConfig&()> m_settings;
    const std::thread::id m_thread = std::this_thread::get_id();
};

}  // namespace lacuna::app
