#pragma once
/// \file
/// The engine on a thread of its own, and its events on the server's thread: at once and in order,
/// because a client waits for each token, and all of them, because they are counted. The
/// constructor, destructor and send() belong to the server's thread.

#include <QObject>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/base/mutex.h"
#include "engine/session/engine.h"

namespace lacuna::app {

class EngineLink final : public QObject, public EventSink {
    Q_OBJECT

  public:
    using Receiver = std::function<void(const Event&)>;
    /// What of EngineContext is for whoever starts the engine to say.
    struct Options {
        MachineFacts machine;
        EngineConfig config;
        PrecisionSource precision = {};
        std::filesystem::path profileFolder = {};
        int conversations = 4;
        std::shared_ptr<const ModelMakers> makers = nullptr;
    };

    /// `receiver` is called on this thread with each event.
    EngineLink(Options options, Receiver receiver);
    /// Asks the engine to stop, cancels what it does and waits for it.
    ~EngineLink() override;
    void send(Command command) { m_commands.push(std::move(command)); }
    void post(Event event) override;

  private:
    void deliver();

    const Receiver m_receiver;
    CommandQueue m_commands;
    NullLogger m_log;
    SteadyClock m_clock;
    Mutex m_mutex;
    std::vector<Event> m_mailbox LACUNA_GUARDED_BY(m_mutex);
    bool m_woken LACUNA_GUARDED_BY(m_mutex) = false;
    Engine m_engine;
    std::jthread m_thread;
};

}  // namespace lacuna::app
