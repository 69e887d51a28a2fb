#pragma once
/// \file
/// Routes the window's commands to the local engine or, if one is attached, to a remote engine that
/// answers the conversations. The local engine keeps its model and caches meanwhile and still
/// receives all commands about them and about settings.

#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "engine/session/command.h"
#include "engine/settings/engine_config.h"

namespace lacuna::app {

/// Belongs to the GUI thread, like the remote engine; calls from other threads terminate the
/// program. Other users such as the server access the local EngineHost directly, which never leads
/// to a remote engine.
class EngineRouter final : public CommandSink {
  public:
    /// @pre `local` outlives this object. `settings` returns the active settings; their sampling
    /// parameters and length limit are sent with a turn to a remote engine.
    EngineRouter(CommandSink& local, std::function<const EngineConfig&()> settings)
        : m_local(local), m_settings(std::move(settings)) {}

    void send(Command command) override;

    /// Routes conversations to `remote`.
    void attach(std::unique_ptr<CommandSink> remote);
    /// Cancels the answers of the remote engine and returns to the local one.
    void detach();

  private:
    CommandSink& m_local;
    std::unique_ptr<CommandSink> m_remote;
    std::function<const EngineConfig&()> m_settings;
    const std::thread::id m_thread = std::this_thread::get_id();
};

}  // namespace lacuna::app
