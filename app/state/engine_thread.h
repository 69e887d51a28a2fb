#pragma once
/// \file
/// The live engine on a thread of its own. Owned by the GUI thread; destruction asks the engine to
/// stop, cancels what it is doing and joins.

#include <memory>
#include <optional>
#include <thread>

#include "app/state/engine_host.h"
#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/session/engine.h"

namespace lacuna::app {

class EngineThread final : public EngineHost {
  public:
    /// `workerNiceness` is added to compute threads, so that the window keeps its share of the
    /// machine.
    EngineThread(MachineFacts machine, EngineConfig config, int workerNiceness);
    ~EngineThread() override;
    /// Without a thread to be had, Fatal is all that comes.
    void start(EventSink& events) override;
    void send(Command command) override;

  private:
    void run(EventSink& events, const std::stop_token& stop);

    MachineFacts machine_;
    EngineConfig config_;
    int workerNiceness_;
    CommandQueue commands_;
    NullLogger log_;
    SteadyClock clock_;
    std::jthread thread_;
};

}  // namespace lacuna::app
