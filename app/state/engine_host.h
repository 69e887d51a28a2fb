#pragma once
/// \file
/// Where commands go and where events come from, so that controllers run against the live engine
/// and against a scripted one alike. Used inside app/state only.

#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna::app {

class EngineHost {
  public:
    virtual ~EngineHost() = default;
    /// Starts to post events to `events`, which outlives the host.
    virtual void start(EventSink& events) = 0;
    /// Any thread; never blocks.
    virtual void send(Command command) = 0;
};

}  // namespace lacuna::app
