#pragma once
/// \file
/// Carries events from the engine's thread to the server's: at once and in order, because a client
/// waits for each token, and all of them, because they are counted. post() is called on the
/// engine's thread; everything else belongs to the server's.

#include <QObject>
#include <vector>

#include "app/serve/engine_door.h"
#include "engine/base/mutex.h"

namespace lacuna::app {

class EventMailbox final : public QObject, public EventSink {
    Q_OBJECT

  public:
    void hear(EngineDoor::Receiver receiver) { m_receiver = std::move(receiver); }
    void post(Event event) override;

  private:
    void deliver();

    EngineDoor::Receiver m_receiver;
    Mutex m_mutex;
    std::vector<Event> m_waiting LACUNA_GUARDED_BY(m_mutex);
    bool m_woken LACUNA_GUARDED_BY(m_mutex) = false;
};

}  // namespace lacuna::app
