#include "app/serve/event_mailbox.h"

#include <utility>

namespace lacuna::app {

void EventMailbox::post(Event event) {
    bool first = false;
    {
        const MutexLock lock(m_mutex);
        m_waiting.push_back(std::move(event));
        first = !std::exchange(m_woken, true);
    }
    if (first)
        QMetaObject::invokeMethod(
            this, [this] { deliver(); }, Qt::QueuedConnection);
}

void EventMailbox::deliver() {
    std::vector<Event> batch;
    {
        const MutexLock lock(m_mutex);
        batch.swap(m_waiting);
        m_woken = false;
    }
    for (const Event& event : batch) m_receiver(event);
}

}  // namespace lacuna::app
