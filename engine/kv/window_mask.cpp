#include "engine/kv/window_mask.h"

#include <algorithm>

namespace lacuna {

bool sees(std::int64_t query, std::int64_t key, int window, int keep) {
    if (key > query) return false;
    return window == 0 || key < keep || key > query - window;
}

AttentionMask windowMask(const TokenWindow& window, int tokens, int modelWindow) {
    const TokenWindow after = planAppend(window, tokens, AppendMode::Plain).after;
    const WindowRule& rule = window.rule;
    const int own = rule.kind == WindowKind::Ring ? rule.size - rule.keep : 0;
    AttentionMask mask;
    for (int i = 0; i < tokens; ++i) {
        const std::int64_t query = window.offset + i;
        MaskRow row;
        for (const std::int32_t key : after.positions)
            row.push_back(sees(query, key, own, rule.keep) && sees(query, key, modelWindow));
        mask.push_back(std::move(row));
    }
    return mask;
}

bool hidesAny(const AttentionMask& mask) {
    return std::any_of(mask.begin(), mask.end(), [](const MaskRow& row) {
        return std::find(row.begin(), row.end(), false) != row.end();
    });
}

}  // namespace lacuna
