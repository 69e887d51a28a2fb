#include "app/serve/shared_engine.h"

#include <utility>

namespace lacuna::app {

SharedEngine::SharedEngine(EngineShare& engine)
    : m_engine(engine), m_standing(engine.attach(m_events)) {}

SharedEngine::~SharedEngine() {
    m_engine.detach();
}

/// What happened before anybody listened is told first: events that came meanwhile wait in the
/// mailbox until the event loop runs.
void SharedEngine::hear(Receiver receiver) {
    m_events.hear(receiver);
    if (m_standing.model) receiver(ModelLoaded{*m_standing.model, 0});
    if (m_standing.prefixes) receiver(PrefixCacheChanged{*m_standing.prefixes});
}

}  // namespace lacuna::app
