#pragma once
/// \file
/// The engine as the server has it: commands in, events out, and the model that it read. Behind it
/// is an engine of the server's own (engine_link.h), or one that a window has as well
/// (shared_engine.h). Everything here belongs to the server's thread.

#include <functional>
#include <memory>

#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna {
struct LoadedModel;
}

namespace lacuna::app {

class EngineDoor {
  public:
    using Receiver = std::function<void(const Event&)>;

    virtual ~EngineDoor() = default;
    /// `receiver` is called on this thread with each event, also with those that came before.
    virtual void hear(Receiver receiver) = 0;
    virtual void send(Command command) = 0;
    /// The one in use; null when there is none.
    [[nodiscard]] virtual std::shared_ptr<const LoadedModel> model() const = 0;
};

}  // namespace lacuna::app
