#pragma once
/// \file
/// Names of the kinds of caches, as labels of metrics: the method that compacts, "window" where
/// older tokens are forgotten by age, then how rows are coded ("quantized", "rotated"); several of
/// them joined by "_", none of them "plain". Pure functions.

#include <map>
#include <string>

#include "engine/kv/kv_options.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

/// Of a cache with these settings as a whole.
[[nodiscard]] std::string cacheKind(const KvOptions& options);
/// How many layers of a model have which kind.
[[nodiscard]] std::map<std::string, int> layerKinds(const KvOptions& options,
                                                    const ModelFacts& model);

}  // namespace lacuna::app
