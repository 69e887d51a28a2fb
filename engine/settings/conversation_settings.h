#pragma once
/// \file
/// Which settings a conversation is answered under: those of all, but for the cache settings of
/// conversations that have their own. What it may set for itself is how its own cache stores and
/// compacts, in the settings table the keys of scope Conversation; all else (the machine's threads,
/// how answers share a step, sampling, the limit of all caches together) is set for all. Owned by
/// one thread.

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

    /// Of every conversation, as far as it has none of its own.
    [[nodiscard]] const EngineConfig& shared() const { return shared_; }
    /// Those in force for a conversation. Valid until the next change.
    [[nodiscard]] const EngineConfig& of(ConversationId id) const;
    [[nodiscard]] bool hasOwn(ConversationId id) const { return own_.contains(id); }
    /// Conversations with cache settings of their own.
    [[nodiscard]] std::vector<ConversationId> owners() const;

    /// Cache settings that conversations have of their own stay.
    void share(EngineConfig config);
    /// `own` is nothing: the conversation follows the shared ones again.
    void setOwn(ConversationId id, const std::optional<CacheSettings>& own);
    /// Settings that came into force: those of all where `id` is nothing, else those of one
    /// conversation, as its own or, where `own` is false, the shared ones again.
    void take(std::optional<ConversationId> id, bool own, const EngineConfig& config);

  private:
    EngineConfig shared_;
    std::map<ConversationId, EngineConfig> own_;  ///< the shared ones with its own in their place
};

/// Settings by conversation, for those who need nothing else of them.
using ConfigOf = std::function<const EngineConfig&(ConversationId)>;
/// Some conversations.
using WhichConversations = std::function<bool(ConversationId)>;

}  // namespace lacuna
