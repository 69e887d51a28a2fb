#pragma once
/// \file
/// Tracks the settings in effect and the changes requested by clients that the engine has not
/// applied yet. A change is answered when the engine has accepted or rejected it; a change
/// superseded by a newer one is answered together with that one. Also tracks the settings of the
/// answer in each slot. Owned by the server's thread. docs/server.md, "Administration".

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/cache_admin.h"
#include "app/serve/http_connection.h"
#include "app/serve/serve_options.h"
#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna::app {

class SettingsChanges {
  public:
    using Exchange = std::shared_ptr<HttpExchange>;
    using Sender = std::function<void(Command)>;

    /// Initial settings come from the options, which must outlive this object.
    SettingsChanges(const ServeOptions& options, Sender send);

    [[nodiscard]] const EngineConfig& inEffect() const { return m_config; }
    [[nodiscard]] SettingsShown shown(const ModelFacts& model) const;

    enum class LeftOut { AsItIs, AsStarted };
    /// Requests the change in `body` from the engine or refuses it immediately. Returns true if
    /// nothing changes; the caller then replies to `exchange` with the current settings.
    [[nodiscard]] bool ask(const std::string& body, LeftOut leftOut, const ModelFacts& model,
                           const Exchange& exchange);
    /// Allocates a revision number; `conversation` is set for settings that apply to that
    /// conversation only.
    [[nodiscard]] Revision next(std::optional<ConversationId> conversation = std::nullopt);

    void began(const TurnStarted& turn) { m_turns[turn.conversation] = turn.config; }
    void remove(ConversationId conversation) { m_turns.erase(conversation); }
    /// Returns the exchanges that wait for the applied revision.
    [[nodiscard]] std::vector<Exchange> applied(const ConfigApplied& applied);
    struct Refused {
        std::optional<ConversationId> own;  ///< conversation whose own settings were rejected;
                                            ///< nullopt: the common settings
        std::vector<Exchange> waiting;
    };
    [[nodiscard]] Refused onConfigRejected(const ConfigRejected& rejected);
    void superseded(const ConfigSuperseded& superseded);

  private:
    [[nodiscard]] std::vector<Exchange> take(Revision revision);

    const ServeOptions& m_options;
    const Sender m_send;
    EngineConfig m_config;     // in effect
    EngineConfig m_requested;  // as of the newest requested change
    std::int64_t m_since;      // time m_config was applied, seconds since 1970
    Revision m_revision;
    std::map<Revision, std::vector<Exchange>> m_waiting;
    std::map<Revision, ConversationId> m_own;        // revisions of cache settings for a single
                                                     // conversation
    std::map<ConversationId, EngineConfig> m_turns;  // settings at the start of each conversation's
                                                     // last answer
};

/// Returns the current time in seconds since 1970.
[[nodiscard]] std::int64_t unixSeconds();

}  // namespace lacuna::app
