#pragma once
/// \file
/// What a cache still holds of each token, layer by layer, and how many slots each head has: the
/// figures behind the retention display and the map of heads. Engine thread, between steps.

#include <cstdint>
#include <vector>

namespace lacuna {

class KvCache;

/// Fate of each token. A slot counts for the token at its own position, whatever was fitted into
/// it.
struct RetentionRow {
    std::int64_t tokens = 0;
    int layers = 0, kvHeads = 0;
    std::vector<float> share;            ///< [tokens] 0..1 of all (layer, head) pairs
    std::vector<std::uint16_t> holders;  ///< [layers, tokens] heads of the layer that hold it
    /// [tokens] mean over its slots of exp(bias): how many tokens each answers for since attention
    /// matching merged others into it. Empty while no slot carries a bias.
    std::vector<float> weight;
    /// [tokens] mean over its slots of the key's length to the mean length in the head, which is
    /// what norm policies use. Empty unless the cache keeps lengths anyway.
    std::vector<float> keyLength;
    std::vector<std::int32_t> slots;  ///< [layers, kvHeads] that hold a token
    std::int64_t liveBytes = 0;       ///< of all slots
};

/// Costs one pass over the positions of all slots; no key is read.
[[nodiscard]] RetentionRow retention(KvCache& cache);

}  // namespace lacuna
