#pragma once
/// \file
/// Which slots each query of an append sees, as tables: what attention over a rotating window is
/// held against. Positions decide, slots only say where a token stands.
/// docs/cache-contracts.md, "Attention over slots", "Rotating windows" (RM).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/kv/window/token_window.h"

namespace lacuna::test {

using MaskRow = std::vector<bool>;           ///< [slots]
using AttentionMask = std::vector<MaskRow>;  ///< [queries, slots]

/// Whether a query at `query` sees the key of `key`: not the future, and either one of the first
/// `keep` or newer than `window` tokens ago (0: no limit).
inline bool sees(std::int64_t query, std::int64_t key, int window, int keep = 0) {
    if (key > query) return false;
    return window == 0 || key < keep || key > query - window;
}

/// Mask of the next `tokens` of a window, over the slots as they will be then. `modelWindow`: the
/// model's own limit, 0 for none.
inline AttentionMask windowMask(const TokenWindow& window, int tokens, int modelWindow = 0) {
    const TokenWindow after = planAppend(window, tokens, AppendMode::Plain).after;
    const WindowRule& rule = window.rule;
    AttentionMask mask;
    for (int i = 0; i < tokens; ++i) {
        const std::int64_t query = window.offset + i;
        MaskRow row;
        for (const std::int32_t key : after.positions)
            row.push_back(sees(query, key, rule.size - rule.keep, rule.keep) &&
                          sees(query, key, modelWindow));
        mask.push_back(std::move(row));
    }
    return mask;
}

/// Whether any slot is hidden from any query: without one, no mask is needed.
inline bool hidesAny(const AttentionMask& mask) {
    return std::ranges::any_of(
        mask, [](const MaskRow& row) { return std::ranges::find(row, false) != row.end(); });
}

}  // namespace lacuna::test
