#include "app/state/engine/event_delivery.h"

#include <QAbstractEventDispatcher>
#include <QTimer>
#include <algorithm>
#include <new>
#include <utility>

namespace lacuna::app {

EventDelivery::EventDelivery(EventHub& events, EventHub::Options options, int intervalMs,
                             Receiver receiver)
    : m_intervalMs(intervalMs), m_receiver(std::move(receiver)) {
    if (auto* const loop = QAbstractEventDispatcher::instance(thread()))
        connect(loop, &QAbstractEventDispatcher::awake, this, [this] {
            if (m_wakePending.exchange(false)) schedule();
        });
    m_events = events.subscribeQueue(options, [this] { return wake(); });
}

/// Only the first event of a batch is posted as a Qt event. If that fails, the loop is woken
/// without allocating and then checks m_wakePending.
bool EventDelivery::wake() {
    try {
        QMetaObject::invokeMethod(
            this, [this] { schedule(); }, Qt::QueuedConnection);
        return true;
    } catch (const std::bad_alloc&) {
        m_wakePending = true;
        if (auto* const loop = QAbstractEventDispatcher::instance(thread())) loop->wakeUp();
        return false;
    }
}

void EventDelivery::schedule() {
    if (m_intervalMs == kAtOnce) return drain();
    if (m_scheduled) return;
    const qint64 since = m_sinceDrain.isValid() ? m_sinceDrain.elapsed() : m_intervalMs;
    const int wait = static_cast<int>(std::clamp<qint64>(m_intervalMs - since, 0, m_intervalMs));
    m_scheduled = true;
    QTimer::singleShot(wait, Qt::PreciseTimer, this, &EventDelivery::drain);
}

void EventDelivery::drain() {
    m_scheduled = false;
    m_sinceDrain.start();
    if (auto batch = m_events.take(); !batch.empty()) m_receiver(std::move(batch));
}

}  // namespace lacuna::app
