#pragma once
/// \file
/// Attention by the formula, in float64, one query at a time: the oracle of the attention kernel.

#include <cmath>
#include <limits>
#include <vector>

#include "engine/kv/row_format.h"

namespace lacuna::test {

/// Scale, soft cap and window as in AttentionRule; the query stands at `position`. The cache's own
/// window is the head's.
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
        const bool tooOld = rule.window > 0 && rule.position - position >= rule.window;
        const bool dropped =
            head.window > 0 && position >= head.keep && rule.position - position >= head.window;
        if (tooOld || dropped) scores[j] = -std::numeric_limits<double>::infinity();
        top = std::max(top, scores[j]);
    }
    std::vector<double> out(dim);
    double mass = 0;
    for (std::size_t j = 0; j < scores.size(); ++j) {
        const double weight = std::exp(scores[j] - top);
        readValues(head, columns, static_cast<int>(j), 1, row.data());
        for (std::size_t i = 0; i < dim; ++i) out[i] += weight * double{row[i]};
        mass += weight;
    }
    for (double& v : out) v /= mass;
    return out;
}

}  // namespace lacuna::test
