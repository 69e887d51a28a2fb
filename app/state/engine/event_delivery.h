#pragma once
/// \file
/// An event subscription for a thread with a Qt event loop, such as the window's or the server's.

#include <QElapsedTimer>
#include <QObject>
#include <atomic>
#include <functional>
#include <vector>

#include "engine/host/event_hub.h"

namespace lacuna::app {

/// Delivers the events of a hub in order and in batches on the thread that created it. Step samples
/// are limited by the options; no other events are dropped. Belongs to that thread.
///
/// Posting to the hub never fails because the thread could not be woken: if memory is short, the
/// event loop detects the event itself.
class EventDelivery final : public QObject {
  public:
    static constexpr int kWindowMs = 33;  ///< roughly the refresh interval of a window
    static constexpr int kAtOnce = 0;
    using Receiver = std::function<void(std::vector<Event>&&)>;

    /// Calls `receiver` with each non-empty batch, at most once per `intervalMs`.
    EventDelivery(EventHub& events, EventHub::Options options, int intervalMs, Receiver receiver);
    /// Delivers pending events immediately.
    void drain();
    [[nodiscard]] const CurrentState& current() const { return m_events.current(); }
    [[nodiscard]] qint64 samplesDropped() const { return m_events.samplesDropped(); }

  private:
    [[nodiscard]] bool wake();  // Called on the engine's thread.
    void schedule();

    const int m_intervalMs;
    const Receiver m_receiver;
    std::atomic<bool> m_wakePending{false};  // Set if there was no memory to queue a call to this
                                             // thread.
    QElapsedTimer m_sinceDrain;
    bool m_scheduled = false;
    EventSubscription m_events;  // Last member, because wake() uses the members above.
};

}  // namespace lacuna::app
