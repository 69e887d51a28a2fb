#pragma once
/// \file
/// Settings of each conversation: the shared ones, except for conversations with their own cache
/// settings. A conversation can override how its cache stores and compacts (keys of scope
/// Conversation in the settings table). Everything else is shared: the machine's threads, how turns
/// share a step, sampling, the limit of all caches together. Owned by one thread.

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "engine/settings/engine_config.h"

namespace lacuna {

struct CacheSettings {
    KvOptions kv;
    PrefillPolicy prefillPolicy = PrefillPolicy::AfterPrefill;
    BringBackMode bringBack = BringBackMode::Off;
    friend bool operator==(const CacheSettings&, const CacheSettings&) = default;
};

[[nodiscard]] inline CacheSettings cacheSettingsOf(const EngineConfig& config) {
    return {.kv = config.kv, .prefillPolicy = config.prefillPolicy, .bringBack = config.bringBack};
}

[[nodiscard]] inline EngineConfig withCacheSettings(EngineConfig config, const CacheSettings& own) {
    config.kv = own.kv;
    config.prefillPolicy = own.prefillPolicy;
    config.bringBack = own.bringBack;
    return config;
}

class ConversationSettings {
  public:
    explicit ConversationSettings(EngineConfig shared) : shared_(std::move(shared)) {}

    /// Settings of all conversations without their own.
    [[nodiscard]] const EngineConfig& shared() const { return shared_; }
    /// Returns the settings of a conversation; valid until the next change.
    [[nodiscard]] const EngineConfig& of(ConversationId id) const;
    [[nodiscard]] bool hasOwn(ConversationId id) const { return own_.contains(id); }
    /// Returns the conversations that have their own cache settings.
    [[nodiscard]] std::vector<ConversationId> owners() const;

    /// Replaces the shared settings; own cache settings of conversations are unaffected.
    void share(EngineConfig config);
    /// If `own` is nullopt, the conversation returns to the shared settings.
    void setOwn(ConversationId id, const std::optional<CacheSettings>& own);
    /// Adopts settings that have taken effect: the shared ones if `id` is nullopt, otherwise those
    /// of one conversation. If `own` is false it returns to the shared settings.
    void take(std::optional<ConversationId> id, bool own, const EngineConfig& config);

  private:
    EngineConfig shared_;
    std::map<ConversationId, EngineConfig> own_;  ///< shared settings with overrides applied
};

/// Looks up the settings of a conversation.
using ConfigOf = std::function<const EngineConfig&(ConversationId)>;
/// Selects a set of conversations.
using ConversationFilter = std::function<bool(ConversationId)>;

}  // namespace lacuna
