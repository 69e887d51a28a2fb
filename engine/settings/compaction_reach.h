#pragma once
/// \file
/// Which layers of a model a compaction can make smaller: not those named in skip_layers, and not
/// those that keep a window of their own. Pure functions.

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

}  // namespace lacuna
