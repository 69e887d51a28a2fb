#pragma once
/// \file
/// Current settings, shared and per conversation. A change is checked against the loaded model and
/// answered, and its effect on caches is returned to the caller. The answer names settings that
/// wait for the next turn; the turn runner reads them then. Owned by the engine thread; called at
/// safe points.

#include <optional>
#include <span>
#include <string>

#include "engine/session/command.h"
#include "engine/session/engine_io.h"
#include "engine/session/running_model.h"
#include "engine/settings/conversation_settings.h"
#include "engine/settings/facts.h"

namespace lacuna {

class SettingsService {
  public:
    /// `machine` and `io` must outlive this object.
    SettingsService(EngineConfig config, const MachineFacts& machine, EngineIo& io)
        : settings_(std::move(config)), machine_(machine), io_(io) {}

    [[nodiscard]] const ConversationSettings& inEffect() const { return settings_; }

    /// Posts ConfigApplied or, with nothing changed, ConfigRejected. Returns the conversations
    /// whose cache settings changed, or nullopt. `model` is null if none is loaded.
    [[nodiscard]] std::optional<ConversationFilter> change(const SetConfig& asked,
                                                           const ModelFacts* model);
    [[nodiscard]] std::optional<ConversationFilter> change(const SetCacheSettings& asked,
                                                           const ModelFacts* model);
    /// Called after a model that suits the shared settings was loaded. Drops settings of single
    /// conversations that do not suit it, and reports what the model does differently under these
    /// settings.
    void adaptTo(const RunningModel& model);

  private:
    void dropUnsuitable(const RunningModel& model);
    void publishApplied(ConfigApplied applied, const EngineConfig& before);
    void noteReach(const ModelFacts& model, const std::string& published);

    ConversationSettings settings_;
    const MachineFacts& machine_;
    EngineIo& io_;
};

/// Returns the newer revision if a later command of the same batch changes the same settings; only
/// the newest one is applied.
[[nodiscard]] std::optional<ConfigSuperseded> supersededBy(const Command& command,
                                                           std::span<const Command> after);

}  // namespace lacuna
