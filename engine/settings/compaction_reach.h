#pragma once
/// \file
/// Determines which layers of a model a compaction can shrink (not those in skip_layers, nor those
/// with their own window), and by which policy it evicts if none was chosen. Pure functions.

#include <string>

#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna {

struct CompactionReach {
    int layers = 0;    ///< layers of the model
    int touched = 0;   ///< layers that can be compacted
    int rowless = 0;   ///< layers without keys and values of their own: recurrent ones, and others
    int windowed = 0;  ///< layers that cannot because of their own window, skipped or not
};

/// Counts all layers as touched if the method is none.
[[nodiscard]] CompactionReach compactionReach(const EngineConfig& config, const ModelFacts& model);
/// Returns "am leaves 5 of 6 layers of small as they are: they keep a window of their own"; empty
/// if the method is none or no layer has such a window.
[[nodiscard]] std::string reachNote(const EngineConfig& config, const ModelFacts& model);

/// Returns the eviction policy with auto resolved, assuming that reconstruction scores are
/// available.
[[nodiscard]] EvictionPolicy policyInEffect(const KvOptions& options);
/// Returns a sentence for the user: what the policy "auto" resolves to for this model, and why.
[[nodiscard]] std::string automaticPolicy(const ModelFacts& model);

}  // namespace lacuna
