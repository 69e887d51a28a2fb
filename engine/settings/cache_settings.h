#pragma once
/// \file
/// What a conversation may set for itself: how its own cache stores and compacts. All else (the
/// machine's threads, how answers share a step, sampling, the limit of all caches together) is set
/// for all. In the settings table these are the keys of scope Conversation. Plain values.

#include "engine/settings/engine_config.h"

namespace lacuna {

struct CacheSettings {
    KvOptions kv;
    PrefillPolicy prefillPolicy = PrefillPolicy::AfterPrefill;
    friend bool operator==(const CacheSettings&, const CacheSettings&) = default;
};

[[nodiscard]] inline CacheSettings cacheSettingsOf(const EngineConfig& config) {
    return {.kv = config.kv, .prefillPolicy = config.prefillPolicy};
}

[[nodiscard]] inline EngineConfig withCacheSettings(EngineConfig config, const CacheSettings& own) {
    config.kv = own.kv;
    config.prefillPolicy = own.prefillPolicy;
    return config;
}

}  // namespace lacuna
