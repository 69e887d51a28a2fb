#pragma once
/// \file
/// A subscription of a thread with a Qt event loop: the window's, the server's.

#include <QElapsedTimer>
#include <QObject>
#include <atomic>
#include <functional>
#include <vector>

#include "engine/host/event_hub.h"

namespace lacuna::app {

/// Delivers the events of a hub on the thread it was made on, in order and in batches. Of step
/// samples as many wait as the options say; nothing else is dropped. Belongs to that thread.
///
/// A hub that has stored an event never fails because the thread could not be woken: where memory
/// is short the loop notices by itself.
class EventDelivery final : public QObject {
  public:
    static constexpr int kWindowMs = 33;  ///< about as often as a window is drawn
    static constexpr int kAtOnce = 0;
    using Receiver = std::function<void(std::vector<Event>&&)>;

    /// `receiver` is called with each batch, never empty, at most once in `intervalMs`.
    EventDelivery(EventHub& events, EventHub::Options options, int intervalMs, Receiver receiver);
    /// Delivers what waits now.
    void drain();
    [[nodiscard]] const StandingState& standing() const { return m_events.standing(); }
    [[nodiscard]] qint64 samplesDropped() const { return m_events.samplesDropped(); }

  private:
    [[nodiscard]] bool wake();  // on the engine's thread
    void schedule();

    const int m_intervalMs;
    const Receiver m_receiver;
    std::atomic<bool> m_unheard{false};  // there was no memory for the call to this thread
    QElapsedTimer m_sinceDrain;
    bool m_scheduled = false;
    EventSubscription m_events;  // last: wake() uses what stands above
};

}  // namespace lacuna::app
