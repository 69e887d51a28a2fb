#include "app/serve/engine_link.h"

#include "engine/base/thread_start.h"
#include "engine/session/prefix_folder.h"

namespace lacuna::app {

EngineLink::EngineLink(Options options)
    : m_shelf(options.model.path, std::move(options.chatTemplate)),
      m_engine(EngineContext{.commands = m_commands,
                             .events = m_events,
                             .log = m_log,
                             .clock = m_clock,
                             .machine = std::move(options.machine),
                             .config = std::move(options.config),
                             .precision = std::move(options.precision),
                             .profileFolder = options.profileFolder,
                             .measuresHeads = !options.profileFolder.empty(),
                             .measuresPrecision = true,
                             .samplesQuality = true,
                             .calibrationText = options.calibrationText,
                             .prefixFolder = prefixFolderIn(options.profileFolder),
                             .residentConversations = options.conversations,
                             .makers = m_shelf.makers()}) {
    m_commands.push(std::move(options.model));
    auto thread = startThread([this](std::stop_token stop) { m_engine.run(std::move(stop)); });
    if (thread)
        m_thread = std::move(*thread);
    else
        m_events.post(Fatal{std::move(thread).error()});
}

EngineLink::~EngineLink() {
    if (!m_thread.joinable()) return;
    m_thread.request_stop();
    // A step in progress sees the cancel; without it the join would wait for a whole prompt chunk.
    m_commands.push(CancelTurn{});
    m_thread.join();
}

}  // namespace lacuna::app
