#pragma once
/// \file
/// Carries events from the engine's thread to the GUI thread: a mailbox, drained at most 30 times a
/// second. Everything is delivered in order and none is lost, but for step samples: while more than
/// `kMaxSamples` of them wait (a GUI thread that stands still), further ones are counted and
/// dropped. post() is called on the engine's thread; everything else belongs to the GUI thread.

#include <QElapsedTimer>
#include <QObject>
#include <functional>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/session/event.h"

namespace lacuna::app {

class EventBridge final : public QObject, public EventSink {
    Q_OBJECT

  public:
    static constexpr int kDrainMs = 33;
    static constexpr std::size_t kMaxSamples = 65'536;
    using Receiver = std::function<void(std::vector<Event>&&)>;

    /// `receiver` is called on the GUI thread with each batch, never empty.
    explicit EventBridge(Receiver receiver, QObject* parent = nullptr);
    void post(Event event) override;
    /// Delivers what waits now; for tests and for the end of a run.
    void drain();
    [[nodiscard]] qint64 samplesDropped() const;

  private:
    void schedule();

    const Receiver m_receiver;
    mutable Mutex m_mutex;
    std::vector<Event> m_mailbox LACUNA_GUARDED_BY(m_mutex);
    std::size_t m_samplesWaiting LACUNA_GUARDED_BY(m_mutex) = 0;
    bool m_woken LACUNA_GUARDED_BY(m_mutex) = false;  // the GUI thread was called since it drained
    qint64 m_samplesDropped LACUNA_GUARDED_BY(m_mutex) = 0;
    QElapsedTimer m_sinceDrain;
    bool m_scheduled = false;
};

}  // namespace lacuna::app
