#pragma once
/// \file
/// An engine controlled by the test. It records every command; events are posted on the calling
/// thread.

#include <utility>
#include <variant>
#include <vector>

#include "engine/host/event_hub.h"
#include "engine/session/command.h"

namespace lacuna::app {

class FakeEngine final : public CommandSink {
  public:
    void send(Command command) override { commands.push_back(std::move(command)); }
    /// Posts an event. A change of settings lists the changed ones, as the real engine does.
    void post(Event event) {
        if (auto* applied = std::get_if<ConfigApplied>(&event)) complete(*applied);
        events.post(std::move(event));
    }

    /// Returns the commands of one kind, in order.
    template <class T>
    [[nodiscard]] std::vector<T> sent() const {
        std::vector<T> found;
        for (const Command& command : commands) {
            if (const T* match = std::get_if<T>(&command)) found.push_back(*match);
        }
        return found;
    }

    std::vector<Command> commands;
    EventHub events;

  private:
    void complete(ConfigApplied& applied) {
        const auto& id = applied.conversation;
        applied.ownBefore = id && inForce_.hasOwn(*id);
        applied.changes = settingsDiff(id ? inForce_.of(*id) : inForce_.shared(), applied.config);
        inForce_.take(id, applied.own, applied.config);
    }

    ConversationSettings inForce_{EngineConfig{}};
};

/// Returns facts of a small model, enough for every rule.
[[nodiscard]] inline ModelFacts smallFacts() {
    ModelFacts facts;
    facts.name = "small";
    facts.path = "small.gguf";
    facts.architecture = "llama";
    facts.fileType = "Q8_0";
    facts.parameters = 29'400'000;
    facts.weightBytes = facts.residentBytes = 31'000'000;
    facts.layers = 8;
    facts.heads = 8;
    facts.kvHeads = 4;
    facts.headDim = 64;
    facts.vocabulary = 8192;
    facts.context = 4096;
    return facts;
}

}  // namespace lacuna::app
