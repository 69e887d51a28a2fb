#pragma once
/// \file
/// Names of cache kinds for metric labels: the compaction method, "window" if tokens are evicted by
/// age, then the row coding ("quantized", "rotated"). Several are joined by "_"; "plain" stands for
/// none. Pure functions.

#include <map>
#include <string>

#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

/// Kind of a cache with these settings.
[[nodiscard]] std::string cacheKind(const KvOptions& options);
/// Number of layers of a model per kind; layers without rows of their own do not count.
[[nodiscard]] std::map<std::string, int> layerKinds(const KvOptions& options,
                                                    const ModelFacts& model);

}  // namespace lacuna::app
