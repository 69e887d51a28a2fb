#pragma once
/// \file
/// Settings in force, of all conversations and of single ones: a change is checked against the
/// model in use, answered, and its effect on caches handed back to the caller. What of a change
/// waits for the next turn is said in the answer; those who run a turn read it then. Owned by the
/// engine thread; called at safe points.

#include <optional>
#include <span>
#include <string>

#include "engine/session/command.h"
#include "engine/session/engine_doors.h"
#include "engine/session/running_model.h"
#include "engine/settings/conversation_settings.h"
#include "engine/settings/facts.h"

namespace lacuna {

class SettingsDesk {
  public:
    /// `machine` and `doors` must outlive it.
    SettingsDesk(EngineConfig config, const MachineFacts& machine, EngineDoors& doors)
        : settings_(std::move(config)), machine_(machine), doors_(doors) {}

    [[nodiscard]] const ConversationSettings& inForce() const { return settings_; }

    /// Answers with ConfigApplied or ConfigRejected; nothing has changed then. Gives those whose
    /// cache settings are others now, or nothing. `model` is null while none is in use.
    [[nodiscard]] std::optional<WhichConversations> change(const SetConfig& asked,
                                                           const ModelFacts* model);
    [[nodiscard]] std::optional<WhichConversations> change(const SetCacheSettings& asked,
                                                           const ModelFacts* model);
    /// Another model is in use, which suits the settings of all: those that single conversations
    /// have and that do not suit it are given up, and what it does differently under these settings
    /// is said.
    void suit(const RunningModel& model);

  private:
    void dropUnsuited(const RunningModel& model);
    void sayApplied(ConfigApplied applied, const EngineConfig& before);
    void noteReach(const ModelFacts& model, const std::string& said);

    ConversationSettings settings_;
    const MachineFacts& machine_;
    EngineDoors& doors_;
};

/// When a command that was taken together with a change of settings, and comes after it, changes
/// the same ones again; then the newer one counts alone.
[[nodiscard]] std::optional<ConfigSuperseded> supersededBy(const Command& command,
                                                           std::span<const Command> after);

}  // namespace lacuna
