#pragma once
/// \file
/// One engine for the window and for a server beside it. Conversations of the server have ids of
/// their own: what the engine says of them goes to the server alone, and what it says of the
/// window's to the window alone. What concerns both, such as the model in use and the settings of
/// all, goes to both. So neither has to know of the other.
///
/// post() is called on the engine's thread, everything else on any; internally locked.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/state/engine_host.h"
#include "engine/base/ids.h"
#include "engine/base/mutex.h"
#include "engine/session/event.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna {
struct LoadedModel;
struct ModelMakers;
}  // namespace lacuna

namespace lacuna::app {

class EngineShare final : public EventSink {
  public:
    /// Conversations of the server begin here. Those of the window are numbered by milliseconds
    /// since 1970, which stay below.
    static constexpr std::int64_t kServerConversations = std::int64_t{1} << 50;
    /// So do the numbers of changes that the server makes to settings of its conversations.
    static constexpr std::int64_t kServerRevisions = std::int64_t{1} << 40;

    /// What holds when a server begins to listen to the engine.
    struct Standing {
        MachineFacts machine;
        EngineConfig config;  ///< in force for all
        std::optional<ModelFacts> model;
        std::optional<PrefixStats> prefixes;
    };

    EngineShare(MachineFacts machine, EngineConfig initial);

    /// For the engine: reads models as usual and remembers them for model(). This outlives the
    /// engine.
    [[nodiscard]] std::shared_ptr<const ModelMakers> makers();
    /// Starts `engine`, the local one, whose events go to `window`; `engine` takes commands on any
    /// thread. Both outlive what is sent and posted.
    void begin(EngineHost& engine, EventSink& window);

    void post(Event event) override;
    /// As the window does, of its own conversations.
    [[nodiscard]] bool wantsRetention(ConversationId conversation) const override;
    /// For the server; the window sends through its EngineSwitch.
    void send(Command command);

    /// From now on `server` hears what is for it. @pre none is attached
    [[nodiscard]] Standing attach(EventSink& server);
    /// When this returns, the server hears nothing more.
    void detach();
    /// The one in use; null when there is none, or an engine without files.
    [[nodiscard]] std::shared_ptr<const LoadedModel> model() const;

  private:
    void remember(const Event& event) LACUNA_REQUIRES(m_mutex);

    mutable Mutex m_mutex;
    EngineHost* m_engine = nullptr;
    EventSink* m_window = nullptr;
    EventSink* m_server LACUNA_GUARDED_BY(m_mutex) = nullptr;
    Standing m_standing LACUNA_GUARDED_BY(m_mutex);
    Revision m_revision LACUNA_GUARDED_BY(m_mutex);  // of the window's newest change in force
    /// Read, but perhaps not in use yet. Neither keeps a model in memory.
    std::weak_ptr<const LoadedModel> m_read LACUNA_GUARDED_BY(m_mutex);
    std::weak_ptr<const LoadedModel> m_model LACUNA_GUARDED_BY(m_mutex);
};

}  // namespace lacuna::app
