#include "app/state/engine_thread.h"

#include <QAbstractEventDispatcher>
#include <QTimer>
#include <algorithm>
#include <new>
#include <utility>

#include "engine/base/thread_start.h"
#include "engine/session/prefix_folder.h"

namespace lacuna::app {

EngineThread::EngineThread(MachineFacts machine, EngineConfig config, int workerNiceness,
                           PrecisionSource precision, std::filesystem::path profileFolder,
                           std::function<Result<std::string>()> calibrationText,
                           std::shared_ptr<const ModelMakers> makers)
    : machine_(std::move(machine)),
      config_(std::move(config)),
      workerNiceness_(workerNiceness),
      precision_(std::move(precision)),
      profileFolder_(std::move(profileFolder)),
      calibrationText_(std::move(calibrationText)),
      makers_(std::move(makers)) {}

EngineThread::~EngineThread() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    // A step in progress sees the cancel; without it the join would wait for a whole prefill chunk.
    commands_.push(CancelTurn{});
}

void EngineThread::start(EventSink& events) {
    auto thread = startThread([this, &events](const std::stop_token& stop) { run(events, stop); });
    if (thread)
        thread_ = std::move(*thread);
    else
        events.post(Fatal{std::move(thread).error()});
}

void EngineThread::run(EventSink& events, const std::stop_token& stop) {
    try {
        Engine engine({.commands = commands_,
                       .events = events,
                       .log = log_,
                       .clock = clock_,
                       .machine = machine_,
                       .config = config_,
                       .precision = precision_,
                       .workerNiceness = workerNiceness_,
                       .profileFolder = profileFolder_,
                       .measuresHeads = !profileFolder_.empty(),
                       .measuresPrecision = !precision_.folder.empty(),
                       .samplesQuality = true,
                       .calibrationText = calibrationText_,
                       .prefixFolder = prefixFolderIn(profileFolder_),
                       .makers = makers_});
        engine.run(stop);
    } catch (const std::bad_alloc&) {
        events.post(Fatal{fail(ErrorCode::NoMemory, "there is no memory for it.").value()});
    }
}

void EngineThread::send(Command command) {
    commands_.push(std::move(command));
}

EventBridge::EventBridge(Receiver receiver, QObject* parent)
    : QObject(parent), m_receiver(std::move(receiver)) {
    m_mailbox.reserve(kSpare);
    if (auto* const loop = QAbstractEventDispatcher::instance(thread()))
        connect(loop, &QAbstractEventDispatcher::awake, this, [this] {
            if (m_unheard.exchange(false)) schedule();
        });
}

void EventBridge::post(Event event) {
    const bool sample = std::holds_alternative<StepSample>(event);
    const bool tellsShortage =
        std::holds_alternative<Notice>(event) || std::holds_alternative<Fatal>(event);
    bool first = false;
    {
        const MutexLock lock(m_mutex);
        if (sample && m_samplesWaiting >= kMaxSamples) {
            ++m_samplesDropped;
            return;
        }
        // Room is made before anything is changed.
        const std::size_t size = m_mailbox.size();
        if (size + (tellsShortage ? 0 : kSpare) >= m_mailbox.capacity())
            m_mailbox.reserve(std::max(2 * m_mailbox.capacity(), size + 1 + kSpare));
        m_mailbox.push_back(std::move(event));
        m_samplesWaiting += sample ? 1 : 0;
        first = !std::exchange(m_woken, true);
    }
    // Only the first event of a batch crosses the threads as a Qt event; the rest ride along.
    if (first) wake();
}

/// The event is stored already, so that whoever posts it must not hear of this. Waking the loop
/// takes no memory; it sees then that nobody called.
void EventBridge::wake() {
    try {
        QMetaObject::invokeMethod(
            this, [this] { schedule(); }, Qt::QueuedConnection);
    } catch (const std::bad_alloc&) {
        {
            const MutexLock lock(m_mutex);
            m_woken = false;  // the next event tries again
        }
        m_unheard = true;
        if (auto* const loop = QAbstractEventDispatcher::instance(thread())) loop->wakeUp();
    }
}

void EventBridge::schedule() {
    if (m_scheduled) return;
    const qint64 since = m_sinceDrain.isValid() ? m_sinceDrain.elapsed() : kDrainMs;
    const int wait = static_cast<int>(std::clamp<qint64>(kDrainMs - since, 0, kDrainMs));
    m_scheduled = true;
    QTimer::singleShot(wait, Qt::PreciseTimer, this, &EventBridge::drain);
}

void EventBridge::drain() {
    m_scheduled = false;
    m_sinceDrain.start();
    std::vector<Event> batch;
    try {
        batch.reserve(kSpare);
    } catch (const std::bad_alloc&) {
        // Then the next event makes room.
    }
    {
        const MutexLock lock(m_mutex);
        batch.swap(m_mailbox);
        m_samplesWaiting = 0;
        m_woken = false;
    }
    if (!batch.empty()) m_receiver(std::move(batch));
}

qint64 EventBridge::samplesDropped() const {
    const MutexLock lock(m_mutex);
    return m_samplesDropped;
}

}  // namespace lacuna::app
