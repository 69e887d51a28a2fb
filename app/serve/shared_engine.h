#pragma once
/// \file
/// The engine that a window has as well, behind the server's door. The model, the settings of all
/// and the prefix cache are the window's; the server's conversations are its own.

#include "app/serve/engine_door.h"
#include "app/serve/event_mailbox.h"
#include "app/state/engine_share.h"

namespace lacuna::app {

class SharedEngine final : public EngineDoor {
  public:
    explicit SharedEngine(EngineShare& engine);
    ~SharedEngine() override;
    /// As it was when this was made.
    [[nodiscard]] const EngineShare::Standing& standing() const { return m_standing; }
    void hear(Receiver receiver) override;
    void send(Command command) override { m_engine.send(std::move(command)); }
    [[nodiscard]] std::shared_ptr<const LoadedModel> model() const override {
        return m_engine.model();
    }

  private:
    EngineShare& m_engine;
    EventMailbox m_events;
    const EngineShare::Standing m_standing;
};

}  // namespace lacuna::app
