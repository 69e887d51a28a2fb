#pragma once
/// \file
/// How much of the permitted loss a compaction has used.

#include "engine/settings/engine_config.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// Used share of the loss that the settings permit; above 1 the limit is exceeded. If the settings
/// have no limit, the share is relative to that of `balanced`.
[[nodiscard]] double usedLossShare(const EngineConfig& config, const KeptInformation& kept);

}  // namespace lacuna
