#pragma once
/// \file
/// Compression and cache settings over HTTP. A change is applied to a configuration that satisfies
/// every rule, or refused as a whole with the violated rule. Also the JSON that shows settings and
/// caches. Pure functions. docs/server.md, "Administration".

#include <map>
#include <optional>

#include "app/serve/json_fields.h"
#include "app/serve/request_scheduler.h"
#include "app/serve/server_metrics.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

/// Returns `base` with all members of `change` applied: keys of the settings table (groups
/// Compression and Cache), or `mode`, `policy`, `turbo_bits`, `kv_bits`, which stand for several
/// keys each. Errors: 400 naming the member and the allowed values; 409 if a member needs a
/// restart.
[[nodiscard]] ApiResult<EngineConfig> changedCacheSettings(const OrderedJson& change,
                                                           const EngineConfig& base,
                                                           const ModelFacts& model,
                                                           const MachineFacts& machine);

/// Combines several violations: the first one is the error, all of them are listed in `violations`.
[[nodiscard]] ApiError apiErrorOf(const std::vector<RuleViolation>& violations);

/// Settings as requested and as in effect.
struct SettingsShown {
    const EngineConfig& requested;
    const EngineConfig& effective;
    /// Settings that the answer in each slot runs under, or that its cache was built with.
    const std::map<ConversationId, EngineConfig>& turns;
    const ModelFacts& model;
    std::int64_t since = 0;  ///< time the effective settings were applied, seconds since 1970
};

/// Every setting with its value, its range and when a change takes effect.
[[nodiscard]] OrderedJson settingsJson(const SettingsShown& shown);
[[nodiscard]] OrderedJson compressionJson(const SettingsShown& shown, const ServerMetrics& metrics,
                                          const RequestScheduler& scheduler);
[[nodiscard]] OrderedJson cachesJson(const SettingsShown& shown, const std::string& model,
                                     const ServerMetrics& metrics,
                                     const RequestScheduler& scheduler);

}  // namespace lacuna::app
