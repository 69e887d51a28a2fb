#pragma once
/// \file
/// Settings of compression and cache over HTTP: a change is read into a configuration that keeps
/// every rule, or refused as a whole with the rule's answer; and what is shown of them. Pure
/// functions. docs/server.md, "Administration".

#include <map>
#include <optional>

#include "app/serve/answer_desk.h"
#include "app/serve/json_fields.h"
#include "app/serve/server_metrics.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

/// `base` with the members of `change` in their places: keys of the settings table, groups
/// Compression and Cache, with their values; or `mode`, `policy`, `turbo_bits`, `kv_bits`, which
/// stand for some of them. All or nothing. 400 names the member and says what is allowed; 409 is a
/// member that only a restart can change.
[[nodiscard]] ApiResult<EngineConfig> changedCacheSettings(const OrderedJson& change,
                                                           const EngineConfig& base,
                                                           const ModelFacts& model,
                                                           const MachineFacts& machine);

/// Several rules at once: the first as the error, all in `violations`.
[[nodiscard]] ApiError apiErrorOf(const std::vector<RuleViolation>& violations);

/// Settings as they were asked for and as they are in force.
struct SettingsShown {
    const EngineConfig& requested;
    const EngineConfig& effective;
    /// Under which the answer in each slot runs, or its cache was built.
    const std::map<ConversationId, EngineConfig>& turns;
    const ModelFacts& model;
    std::int64_t since = 0;  ///< the effective ones, seconds since 1970
};

/// Every setting with its value, range, and when a change of it counts.
[[nodiscard]] OrderedJson settingsJson(const SettingsShown& shown);
[[nodiscard]] OrderedJson compressionJson(const SettingsShown& shown, const ServerMetrics& metrics,
                                          const AnswerDesk& desk);
[[nodiscard]] OrderedJson cachesJson(const SettingsShown& shown, const std::string& model,
                                     const ServerMetrics& metrics, const AnswerDesk& desk);

}  // namespace lacuna::app
