#pragma once
/// \file
/// Numbers of KV heads by layer, for measurements that are kept apart from a cache. A measurement
/// of a model whose layers are equal has `kvHeads` heads in each; otherwise `kvHeads` is 0 and
/// `layerHeads` [layers] lists them. Heads are numbered as by KvShape::headIndex.

#include <cstddef>
#include <span>
#include <vector>

#include "engine/kv/kv_cache.h"

namespace lacuna {

/// The list for a cache; empty if its layers are equal.
[[nodiscard]] inline std::vector<int> layerHeadsOf(const KvShape& shape) {
    std::vector<int> heads;
    for (const KvExtent& one : shape.extents) heads.push_back(one.heads);
    return heads;
}

[[nodiscard]] inline int headsOfLayer(int kvHeads, std::span<const int> layerHeads, int layer) {
    return layerHeads.empty() ? kvHeads : layerHeads[static_cast<std::size_t>(layer)];
}

/// Number of heads of all layers before `layer`.
[[nodiscard]] inline int headsBeforeLayer(int kvHeads, std::span<const int> layerHeads, int layer) {
    if (layerHeads.empty()) return layer * kvHeads;
    int heads = 0;
    for (const int one : layerHeads.first(static_cast<std::size_t>(layer))) heads += one;
    return heads;
}

/// Returns true if a measurement with these numbers has the heads of a cache.
[[nodiscard]] inline bool sameHeads(int layers, int kvHeads, std::span<const int> layerHeads,
                                    const KvShape& shape) {
    if (layers != shape.layers) return false;
    for (int layer = 0; layer < layers; ++layer)
        if (headsOfLayer(kvHeads, layerHeads, layer) != shape.heads(LayerIndex(layer)))
            return false;
    return true;
}

}  // namespace lacuna
