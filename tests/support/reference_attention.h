#pragma once
/// \file
/// Reference attention in float64, and tables of the slots that a query sees: the oracles of the
/// attention kernel and of attention over a rotating window.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "engine/kv/row_format.h"
#include "engine/kv/window/window_state.h"
#include "engine/model/layer_tail.h"

namespace lacuna::test {

// --- reference attention in float64, one query at a time: the oracle of the attention kernel

/// Scale, soft cap and window as in AttentionRule. The query is at `position`. The cache's own
/// window is that of the head.
struct ReferenceRule {
    double scale = 1.0;
    double softCap = 0.0;
    int window = 0;
    int position = 0;
    std::optional<DistanceCut> cut = std::nullopt;
    bool chunked = false;
    std::optional<double> sink = std::nullopt;
};

/// Returns the output [valueDim] of one query [keyDim] over the first `visible` slots of a head.
[[nodiscard]] inline std::vector<double> referenceAttention(const KvHeadView& head,
                                                            const float* query, std::size_t dim,
                                                            int visible,
                                                            const ReferenceRule& rule) {
    const int columns = static_cast<int>(dim);
    std::vector<float> row(dim);
    std::vector<double> scores(static_cast<std::size_t>(visible));
    double top = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < scores.size(); ++j) {
        readKeys(head, columns, static_cast<int>(j), 1, row.data());
        double dot = 0;
        for (std::size_t i = 0; i < dim; ++i) dot += double{row[i]} * double{query[i]};
        scores[j] = dot * rule.scale;
        if (rule.softCap > 0) scores[j] = rule.softCap * std::tanh(scores[j] / rule.softCap);
        if (head.bias != nullptr) scores[j] += double{head.bias[j]};
        const int position = head.positions == nullptr ? static_cast<int>(j) : head.positions[j];
        const int oldest = rule.window == 0 ? 0
                           : rule.chunked   ? rule.position / rule.window * rule.window
                                            : rule.position + 1 - rule.window;
        const bool tooOld = rule.window > 0 && position < oldest;
        const bool dropped =
            head.window > 0 && position >= head.keep && rule.position - position >= head.window;
        const bool cut = rule.cut && position >= rule.cut->keep && position < rule.cut->own.value &&
                         rule.position - position > rule.cut->near;
        if (tooOld || dropped || cut) scores[j] = -std::numeric_limits<double>::infinity();
        top = std::max(top, scores[j]);
    }
    std::vector<double> out(dim);
    double mass = rule.sink ? std::exp(*rule.sink - top) : 0.0;
    for (std::size_t j = 0; j < scores.size(); ++j) {
        const double weight = std::exp(scores[j] - top);
        readValues(head, columns, static_cast<int>(j), 1, row.data());
        for (std::size_t i = 0; i < dim; ++i) out[i] += weight * double{row[i]};
        mass += weight;
    }
    for (double& v : out) v /= mass;
    return out;
}

// --- Tables of the slots that each query of an append sees: the oracle of attention over a
// rotating window. Positions decide; slots are only storage. docs/cache-contracts.md, "Attention
// over slots", "Rotating windows" (RM).

using MaskRow = std::vector<bool>;           ///< [slots]
using AttentionMask = std::vector<MaskRow>;  ///< [queries, slots]

/// Returns whether a query at `query` sees the key of `key`: not in the future, and either one of
/// the first `keep` or less than `window` tokens ago (0 = unlimited).
inline bool sees(std::int64_t query, std::int64_t key, int window, int keep = 0) {
    if (key > query) return false;
    return window == 0 || key < keep || key > query - window;
}

/// Returns the mask of the next `tokens` of a window over the slots after their append.
/// `modelWindow`: the model's own limit, 0 = none.
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

/// Returns whether any slot is hidden from any query; otherwise no mask is needed.
inline bool hidesAny(const AttentionMask& mask) {
    return std::ranges::any_of(
        mask, [](const MaskRow& row) { return std::ranges::find(row, false) != row.end(); });
}

}  // namespace lacuna::test
