#pragma once
/// \file
/// The live engine on a thread of its own, and the bridge that carries its events to the GUI
/// thread.

#include <QElapsedTimer>
#include <QObject>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "app/state/engine_host.h"
#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/base/mutex.h"
#include "engine/session/engine.h"
#include "engine/session/event.h"

namespace lacuna::app {

/// The live engine on a thread of its own. Owned by the GUI thread; destruction asks the engine to
/// stop, cancels what it is doing and joins.
class EngineThread final : public EngineHost {
  public:
    /// `workerNiceness` is added to compute threads, so that the window keeps its share of the
    /// machine. Heads of models are measured by themselves and kept below `profileFolder`,
    /// surrogates are fitted to `calibrationText`, and what the disk tier of the prefix cache holds
    /// lies there; empty: nothing of that.
    EngineThread(MachineFacts machine, EngineConfig config, int workerNiceness,
                 PrecisionSource precision, std::filesystem::path profileFolder,
                 std::function<Result<std::string>()> calibrationText,
                 std::shared_ptr<const ModelMakers> makers);
    ~EngineThread() override;
    /// Without a thread to be had, Fatal is all that comes.
    void start(EventSink& events) override;
    void send(Command command) override;

  private:
    void run(EventSink& events, const std::stop_token& stop);

    MachineFacts machine_;
    EngineConfig config_;
    int workerNiceness_;
    PrecisionSource precision_;
    std::filesystem::path profileFolder_;
    std::function<Result<std::string>()> calibrationText_;
    std::shared_ptr<const ModelMakers> makers_;
    CommandQueue commands_;
    NullLogger log_;
    SteadyClock clock_;
    std::jthread thread_;
};

/// Carries events from the engine's thread to the GUI thread: a mailbox, drained at most 30 times a
/// second. Everything is delivered in order and none is lost, but for step samples: while more than
/// `kMaxSamples` of them wait (a GUI thread that stands still), further ones are counted and
/// dropped. post() is called on the engine's thread; everything else belongs to the GUI thread.
///
/// Where memory is short post() throws std::bad_alloc and has stored nothing, or it has stored the
/// event and returns, whatever became of the wake-up: what failed may be told again, and nothing
/// comes twice. Notice and Fatal, which tell of a shortage, have room kept for them.
class EventBridge final : public QObject, public EventSink {
    Q_OBJECT

  public:
    static constexpr int kDrainMs = 33;
    static constexpr std::size_t kMaxSamples = 65'536;
    static constexpr std::size_t kSpare = 8;  ///< events that always have room
    using Receiver = std::function<void(std::vector<Event>&&)>;

    /// `receiver` is called on the GUI thread with each batch, never empty.
    explicit EventBridge(Receiver receiver, QObject* parent = nullptr);
    void post(Event event) override;
    /// The window records all of its conversations.
    [[nodiscard]] bool wantsRetention(ConversationId) const override { return true; }
    /// Delivers what waits now; for tests and for the end of a run.
    void drain();
    [[nodiscard]] qint64 samplesDropped() const;

  private:
    void wake();
    void schedule();

    const Receiver m_receiver;
    mutable Mutex m_mutex;
    std::vector<Event> m_mailbox LACUNA_GUARDED_BY(m_mutex);
    std::size_t m_samplesWaiting LACUNA_GUARDED_BY(m_mutex) = 0;
    bool m_woken LACUNA_GUARDED_BY(m_mutex) = false;  // the GUI thread was called since it drained
    qint64 m_samplesDropped LACUNA_GUARDED_BY(m_mutex) = 0;
    std::atomic<bool> m_unheard{false};  // there was no memory for the call to the GUI thread
    QElapsedTimer m_sinceDrain;
    bool m_scheduled = false;
};

}  // namespace lacuna::app
