#pragma once
/// \file
/// How much a cache still holds of each token, layer by layer, and the number of slots of each
/// head: the data of the retention display and the head map. Engine thread, between steps.

#include <cstdint>
#include <vector>

namespace lacuna {

class KvCache;

/// Retention of each token. A slot counts for the token at its own position, even if other tokens
/// were merged into it.
struct RetentionRow {
    std::int64_t tokens = 0;
    int layers = 0;
    int kvHeads = 0;                   ///< 0 if `layerHeads` is set
    std::vector<int> layerHeads = {};  ///< [layers] if the layers differ, otherwise empty
    std::vector<float> share;  ///< [tokens] share of all (layer, head) pairs that hold the token,
                               ///< 0..1
    std::vector<std::uint16_t> holders;  ///< [layers, tokens] number of heads of the layer that
                                         ///< hold the token
    /// [tokens] mean of exp(bias) over the slots of the token: the number of tokens each slot
    /// represents after merges by attention matching. Empty if no slot carries a bias.
    std::vector<float> weight;
    /// [tokens] mean ratio of the key norm to the mean norm of its head over the slots of the
    /// token, as used by norm policies. Empty unless the cache stores the norms anyway.
    std::vector<float> keyLength;
    std::vector<std::int32_t> slots;  ///< [heads of all layers] slots that hold a token
    std::int64_t liveBytes = 0;       ///< bytes of all slots
};

/// Costs one pass over the positions of all slots; no key is read.
[[nodiscard]] RetentionRow retention(KvCache& cache);

}  // namespace lacuna
