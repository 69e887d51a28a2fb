#pragma once
/// \file
/// An engine of the server's own, on a thread of its own. The constructor, destructor and what is
/// called belong to the server's thread.

#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "app/serve/engine_door.h"
#include "app/serve/event_mailbox.h"
#include "app/serve/served_model.h"
#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/session/engine.h"

namespace lacuna::app {

class EngineLink final : public EngineDoor {
  public:
    /// What of EngineContext is for whoever starts the engine to say.
    struct Options {
        LoadModel model;
        TemplateChoice chatTemplate = {};
        MachineFacts machine;
        EngineConfig config;
        PrecisionSource precision = {};
        std::filesystem::path profileFolder = {};
        std::function<Result<std::string>()> calibrationText = {};
        int conversations = 4;
    };

    /// Loads the model.
    explicit EngineLink(Options options);
    /// Asks the engine to stop, cancels what it does and waits for it.
    ~EngineLink() override;
    void hear(Receiver receiver) override { m_events.hear(std::move(receiver)); }
    void send(Command command) override { m_commands.push(std::move(command)); }
    [[nodiscard]] std::shared_ptr<const LoadedModel> model() const override {
        return m_shelf.model();
    }

  private:
    EventMailbox m_events;
    ModelSlot m_shelf;
    CommandQueue m_commands;
    NullLogger m_log;
    SteadyClock m_clock;
    Engine m_engine;
    std::jthread m_thread;
};

}  // namespace lacuna::app
