#pragma once
/// \file
/// Which slots each query of an append sees, as tables: the definition that attention is compared
/// with. Positions decide, slots only say where a token stands. Pure functions; for tests, views
/// and small batches, not for the forward pass. docs/cache-contracts.md, "Attention over slots",
/// "Rotating windows" (RM), "Batches".

#include <cstdint>
#include <span>
#include <vector>

#include "engine/kv/token_window.h"

namespace lacuna {

using MaskRow = std::vector<bool>;           ///< [slots]
using AttentionMask = std::vector<MaskRow>;  ///< [queries, slots]

/// Whether a query at `query` sees the key of `key`: not the future, and either one of the first
/// `keep` or newer than `window` tokens ago (0: no limit).
[[nodiscard]] bool sees(std::int64_t query, std::int64_t key, int window, int keep = 0);
/// Mask of the next `tokens` of a window, over the slots as they will be then. `modelWindow`: the
/// model's own limit, 0 for none.
[[nodiscard]] AttentionMask windowMask(const TokenWindow& window, int tokens, int modelWindow = 0);
/// Whether any slot is hidden from any query: without one, no mask is needed.
[[nodiscard]] bool hidesAny(const AttentionMask& mask);

}  // namespace lacuna
