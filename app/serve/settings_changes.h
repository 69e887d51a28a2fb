#pragma once
/// \file
/// The settings in force, and changes of them that clients asked for and the engine has yet to
/// take. A change is answered when the engine has taken or refused it; one that a newer change was
/// made on top of is answered with that one. Also which settings the answer in each slot runs
/// under, and whose own settings an answer of the engine is about. Owned by the server's thread.
/// docs/server.md, "Administration".

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

    /// What both are is read from the options; they outlive this.
    SettingsChanges(const ServeOptions& options, Sender send);

    [[nodiscard]] const EngineConfig& inForce() const { return m_config; }
    [[nodiscard]] SettingsShown shown(const ModelFacts& model) const;

    enum class LeftOut { AsItIs, AsStarted };
    /// Asks the engine for the change in `body`, or refuses it at once. True where there is nothing
    /// to change, and `exchange` is left to be answered with how things are.
    [[nodiscard]] bool ask(const std::string& body, LeftOut leftOut, const ModelFacts& model,
                           const Exchange& exchange);
    /// The number of a change of settings that this conversation has of its own.
    [[nodiscard]] Revision next(std::optional<ConversationId> conversation = std::nullopt);

    void began(const TurnStarted& turn) { m_turns[turn.conversation] = turn.config; }
    void forget(ConversationId conversation) { m_turns.erase(conversation); }
    /// Who waits for what was taken.
    [[nodiscard]] std::vector<Exchange> applied(const ConfigApplied& applied);
    struct Refused {
        std::optional<ConversationId> own;  ///< whose settings they were; nobody: those of all
        std::vector<Exchange> waiting;
    };
    [[nodiscard]] Refused rejected(const ConfigRejected& rejected);
    void superseded(const ConfigSuperseded& superseded);

  private:
    [[nodiscard]] std::vector<Exchange> take(Revision revision);

    const ServeOptions& m_options;
    const Sender m_send;
    EngineConfig m_config;     // in force
    EngineConfig m_requested;  // by the newest change
    std::int64_t m_since;      // the former, seconds since 1970
    Revision m_revision;
    std::map<Revision, std::vector<Exchange>> m_waiting;
    std::map<Revision, ConversationId> m_own;        // cache settings of one answer
    std::map<ConversationId, EngineConfig> m_turns;  // as each one's last answer began
};

/// Seconds since 1970.
[[nodiscard]] std::int64_t unixSeconds();

}  // namespace lacuna::app
