#include "app/state/engine/engine_router.h"

#include <utility>
#include <variant>

#include "engine/base/check.h"

namespace lacuna::app {

void EngineRouter::send(Command command) {
    LACUNA_REQUIRE(std::this_thread::get_id() == m_thread, "the router belongs to the GUI thread");
    if (m_remote == nullptr) return m_local.send(std::move(command));
    if (auto* submit = std::get_if<Submit>(&command)) {
        const EngineConfig& config = m_settings();
        if (!submit->sampling) submit->sampling = config.sampling;
        if (!submit->maxTokens) submit->maxTokens = config.maxTokens;
        return m_remote->send(std::move(command));
    }
    // Remote engines cannot estimate what a turn would read.
    if (std::holds_alternative<EstimateReading>(command)) return;
    // A cancel without a conversation aborts the loading of a local model.
    if (const auto* cancel = std::get_if<CancelTurn>(&command); cancel && cancel->conversation)
        return m_remote->send(std::move(command));
    if (std::holds_alternative<ReleaseConversation>(command)) m_remote->send(command);
    m_local.send(std::move(command));
}

void EngineRouter::attach(std::unique_ptr<CommandSink> remote) {
    detach();
    m_remote = std::move(remote);
}

void EngineRouter::detach() {
    if (m_remote == nullptr) return;
    m_remote->send(CancelTurn{});
    m_remote.reset();
}

}  // namespace lacuna::app
