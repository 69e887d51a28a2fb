#pragma once
/// \file
/// What a compaction does with this model: which layers it can make smaller (not those named in
/// skip_layers, and not those that keep a window of their own), and by which policy it evicts where
/// nobody chose one. Pure functions.

#include <string>

#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna {

struct CompactionReach {
    int layers = 0;    ///< of the model
    int touched = 0;   ///< can be made smaller
    int windowed = 0;  ///< cannot for their own window, whether they are skipped or not
};

/// All layers where the method is none.
[[nodiscard]] CompactionReach compactionReach(const EngineConfig& config, const ModelFacts& model);
/// "am leaves 5 of 6 layers of small as they are: they keep a window of their own"; empty where the
/// method is none or no layer does.
[[nodiscard]] std::string reachNote(const EngineConfig& config, const ModelFacts& model);

/// The policy that evictions choose by where its scores can be had, auto resolved.
[[nodiscard]] EvictionPolicy policyInForce(const KvOptions& options);
/// What the policy "auto" stands for in this model, and why: a sentence for people.
[[nodiscard]] std::string automaticPolicy(const ModelFacts& model);

}  // namespace lacuna
