#pragma once
/// \file
/// Two engines behind one interface: the local engine and, while the window is connected to one, a
/// remote engine that answers the window's conversations. The local engine keeps its model and its
/// caches meanwhile; commands about them and about settings always go to it. GUI thread only: other
/// threads send to local().

#include <functional>
#include <memory>

#include "app/state/engine_host.h"
#include "engine/settings/engine_config.h"

namespace lacuna::app {

class EngineSwitch final : public EngineHost {
  public:
    /// `settings`: those in force, of which sampling and length go along with a question that is
    /// asked elsewhere.
    EngineSwitch(std::unique_ptr<EngineHost> local, std::function<const EngineConfig&()> settings);

    void start(EventSink& events) override { m_local->start(events); }
    void send(Command command) override;
    /// The engine of this process, for requests that must never reach a remote engine.
    [[nodiscard]] EngineHost& local() { return *m_local; }

    /// Questions go to `elsewhere` from now on; it tells `events`, which outlives it.
    void attach(std::unique_ptr<EngineHost> elsewhere, EventSink& events);
    /// Stops what is asked elsewhere; questions go to the local engine again.
    void detach();
    [[nodiscard]] bool attached() const { return m_elsewhere != nullptr; }

  private:
    std::unique_ptr<EngineHost> m_local;
    std::unique_ptr<EngineHost> m_elsewhere;
    std::function<const EngineConfig&()> m_settings;
};

}  // namespace lacuna::app
