#include "app/serve/engine_link.h"

#include <utility>

#include "engine/base/thread_start.h"
#include "engine/session/prefix_folder.h"

namespace lacuna::app {

EngineLink::EngineLink(Options options, Receiver receiver)
    : m_receiver(std::move(receiver)),
      m_engine(EngineContext{.commands = m_commands,
                             .events = *this,
                             .log = m_log,
                             .clock = m_clock,
                             .machine = std::move(options.machine),
                             .config = std::move(options.config),
                             .precision = std::move(options.precision),
                             .profileFolder = options.profileFolder,
                             .prefixFolder = prefixFolderIn(options.profileFolder),
                             .residentConversations = options.conversations,
                             .makers = std::move(options.makers)}) {
    auto thread = startThread([this](std::stop_token stop) { m_engine.run(std::move(stop)); });
    if (thread)
        m_thread = std::move(*thread);
    else
        post(Fatal{std::move(thread).error()});
}

EngineLink::~EngineLink() {
    if (!m_thread.joinable()) return;
    m_thread.request_stop();
    // A step in progress sees the cancel; without it the join would wait for a whole prompt chunk.
    m_commands.push(CancelTurn{});
    m_thread.join();
}

void EngineLink::post(Event event) {
    bool first = false;
    {
        const MutexLock lock(m_mutex);
        m_mailbox.push_back(std::move(event));
        first = !std::exchange(m_woken, true);
    }
    if (first)
        QMetaObject::invokeMethod(
            this, [this] { deliver(); }, Qt::QueuedConnection);
}

void EngineLink::deliver() {
    std::vector<Event> batch;
    {
        const MutexLock lock(m_mutex);
        batch.swap(m_mailbox);
        m_woken = false;
    }
    for (const Event& event : batch) m_receiver(event);
}

}  // namespace lacuna::app
