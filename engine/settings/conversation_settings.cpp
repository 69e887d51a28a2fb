#include "engine/settings/conversation_settings.h"

#include <utility>

namespace lacuna {

const EngineConfig& ConversationSettings::of(ConversationId id) const {
    const auto own = own_.find(id);
    return own == own_.end() ? shared_ : own->second;
}

std::vector<ConversationId> ConversationSettings::owners() const {
    std::vector<ConversationId> ids;
    for (const auto& [id, config] : own_) ids.push_back(id);
    return ids;
}

void ConversationSettings::share(EngineConfig config) {
    shared_ = std::move(config);
    for (auto& [id, own] : own_) own = withCacheSettings(shared_, cacheSettingsOf(own));
}

void ConversationSettings::setOwn(ConversationId id, const std::optional<CacheSettings>& own) {
    if (own)
        own_.insert_or_assign(id, withCacheSettings(shared_, *own));
    else
        own_.erase(id);
}

void ConversationSettings::take(std::optional<ConversationId> id, bool own,
                                const EngineConfig& config) {
    if (!id) return share(config);
    setOwn(*id, own ? std::optional(cacheSettingsOf(config)) : std::nullopt);
}

}  // namespace lacuna
