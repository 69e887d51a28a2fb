#pragma once
/// \file
/// How much attention some queries give to every slot of a head, as sums of probabilities. Keys are
/// read in tiles that stay in the first cache while all queries pass. Pure function; scratch
/// belongs to the calling thread. docs/cache-contracts.md, "Attention over slots" (what a query
/// sees, order of scale, cap and bias); docs/eviction.md, "Scores by attention".

#include <cstdint>
#include <span>

#include "engine/kv/kv_cache.h"

namespace lacuna {

/// A query after RoPE, unscaled, [keyDim], and where it stands.
struct AskedQuery {
    const float* row = nullptr;
    std::int64_t at = 0;
};

struct LogitScaling {
    float scale = 0;    ///< of the dot products
    float softCap = 0;  ///< cap * tanh(x / cap) of the scaled ones; 0: none
};

/// sums [slots] += the probabilities of every query. A slot whose key is not finite gets nothing
/// and takes nothing from the others.
void addAttention(const KvHeadView& head, int keyDim, const LogitScaling& scaling,
                  std::span<const AskedQuery> asked, std::span<float> sums);

}  // namespace lacuna
