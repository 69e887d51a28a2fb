#pragma once
/// \file
/// Attention by the formula, in float64, one query at a time: the oracle of the attention kernel.

#include <cmath>
#include <limits>
#include <vector>

#include "engine/kv/kv_cache.h"
#include "engine/tensor/block_formats.h"

namespace lacuna::test {

/// Scale, soft cap and window as in AttentionRule; the query stands at `position`.
struct ReferenceRule {
    double scale = 1.0;
    double softCap = 0.0;
    int window = 0;
    int position = 0;
};

/// Output [valueDim] of one query [keyDim] over the first `visible` slots of a head.
[[nodiscard]] inline std::vector<double> referenceAttention(const KvHeadView& head,
                                                            const float* query, std::size_t dim,
                                                            int visible,
                                                            const ReferenceRule& rule) {
    const auto stride = static_cast<std::size_t>(rowBytes(head.type, dim));
    std::vector<float> row(dim);
    std::vector<double> scores(static_cast<std::size_t>(visible));
    double top = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < scores.size(); ++j) {
        decodeRow(head.type, head.keys + j * stride, row);
        double dot = 0;
        for (std::size_t i = 0; i < dim; ++i) dot += double{row[i]} * double{query[i]};
        scores[j] = dot * rule.scale;
        if (rule.softCap > 0) scores[j] = rule.softCap * std::tanh(scores[j] / rule.softCap);
        if (head.bias != nullptr) scores[j] += double{head.bias[j]};
        const int position = head.positions == nullptr ? static_cast<int>(j) : head.positions[j];
        if (rule.window > 0 && rule.position - position >= rule.window)
            scores[j] = -std::numeric_limits<double>::infinity();
        top = std::max(top, scores[j]);
    }
    std::vector<double> out(dim);
    double mass = 0;
    for (std::size_t j = 0; j < scores.size(); ++j) {
        const double weight = std::exp(scores[j] - top);
        decodeRow(head.type, head.values + j * stride, row);
        for (std::size_t i = 0; i < dim; ++i) out[i] += weight * double{row[i]};
        mass += weight;
    }
    for (double& v : out) v /= mass;
    return out;
}

}  // namespace lacuna::test
