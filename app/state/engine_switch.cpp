#include "app/state/engine_switch.h"

#include <utility>
#include <variant>

namespace lacuna::app {

EngineSwitch::EngineSwitch(std::unique_ptr<EngineHost> local,
                           std::function<const EngineConfig&()> settings)
    : m_local(std::move(local)), m_settings(std::move(settings)) {}

void EngineSwitch::send(Command command) {
    if (m_elsewhere == nullptr) return m_local->send(std::move(command));
    if (auto* submit = std::get_if<Submit>(&command)) {
        const EngineConfig& config = m_settings();
        if (!submit->sampling) submit->sampling = config.sampling;
        if (!submit->maxTokens) submit->maxTokens = config.maxTokens;
        return m_elsewhere->send(std::move(command));
    }
    // What asking reads elsewhere is not known.
    if (std::holds_alternative<EstimateReading>(command)) return;
    // A cancel without a conversation ends the loading of a local model.
    if (const auto* cancel = std::get_if<CancelTurn>(&command); cancel && cancel->conversation)
        return m_elsewhere->send(std::move(command));
    if (std::holds_alternative<ForgetConversation>(command)) m_elsewhere->send(command);
    m_local->send(std::move(command));
}

void EngineSwitch::attach(std::unique_ptr<EngineHost> elsewhere, EventSink& events) {
    detach();
    m_elsewhere = std::move(elsewhere);
    m_elsewhere->start(events);
}

void EngineSwitch::detach() {
    if (m_elsewhere == nullptr) return;
    m_elsewhere->send(CancelTurn{});
    m_elsewhere.reset();
}

}  // namespace lacuna::app
