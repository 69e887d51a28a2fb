#include "engine/compress/matching/value_prior.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

constexpr std::int64_t kHeldOutEvery = 8;
constexpr float kMaxFactor = 4.0F;  // a value beyond this multiple of the largest original one is
                                    // rejected

float largestMagnitude(const PooledFloats& numbers) {
    // Independent lanes avoid a serial chain of comparisons.
    constexpr std::int64_t kLanes = 32;
    float tops[kLanes] = {};
    const std::int64_t whole = numbers.size() / kLanes * kLanes;
    for (std::int64_t i = 0; i < whole; i += kLanes)
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            const float size = std::abs(numbers.data()[i + lane]);
            tops[lane] = size > tops[lane] ? size : tops[lane];
        }
    for (std::int64_t i = whole; i < numbers.size(); ++i)
        tops[0] = std::max(tops[0], std::abs(numbers.data()[i]));
    return *std::max_element(tops, tops + kLanes);
}

}  // namespace

QueryDivision divideQueries(const SpanAttention& span, const std::vector<float>& sums) {
    QueryDivision out;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(sums.size()); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (!(span.weights[at] > 0)) continue;
        const bool held = span.queries >= kMinFitQueries && i % kHeldOutEvery == kHeldOutEvery - 1;
        // The output of the kept keys is meaningless if they got almost no attention.
        const bool usable = sums[at] >= kMinPriorMass;
        if (usable) out.usable.push_back(i);
        if (held)
            out.held.push_back(i);
        else if (usable)
            out.fitted.push_back(i);
    }
    return out;
}

std::vector<float> originalValues(const SpanAttention& span, const KeySelection& chosen,
                                  std::int64_t dim) {
    std::vector<float> values;
    values.reserve(chosen.slots.size() * static_cast<std::size_t>(dim));
    for (const std::int32_t slot : chosen.slots)
        values.insert(values.end(), span.values.data() + slot * dim,
                      span.values.data() + (slot + 1) * dim);
    return values;
}

std::vector<float> clusterValues(const SpanAttention& span, const KeySelection& chosen,
                                 std::int64_t dim, float anchorShare) {
    std::vector<float> means(chosen.slots.size() * static_cast<std::size_t>(dim), 0.0F);
    std::vector<float> total(chosen.slots.size(), 0.0F);
    std::vector<bool> mixed(chosen.slots.size(), false);
    float average = 0;
    for (std::int64_t k = 0; k < span.slots; ++k) {
        const auto owner = static_cast<std::size_t>(chosen.owner[static_cast<std::size_t>(k)]);
        const float weight = span.mass[static_cast<std::size_t>(k)];
        average += weight / static_cast<float>(span.slots);
        total[owner] += weight;
        if (anchorShare > 0 && !mixed[owner] && k != chosen.slots[owner])
            mixed[owner] = !sameKey(span, k, chosen.slots[owner]);
        bestKernels().addWeightedRows[kernelIndex(DType::F32)](
            {reinterpret_cast<const std::byte*>(span.values.data() + k * dim), dim * 4, 1, dim},
            &weight, means.data() + static_cast<std::int64_t>(owner) * dim);
    }
    for (std::size_t a = 0; a < total.size(); ++a) {
        const float anchor = mixed[a] ? anchorShare * average : 0.0F;
        const float whole = total[a] + anchor;
        const float* own = span.values.data() + chosen.slots[a] * dim;
        float* mean = means.data() + static_cast<std::int64_t>(a) * dim;
        for (std::int64_t d = 0; d < dim; ++d)
            mean[d] = whole > 1e-30F ? (mean[d] + anchor * own[d]) / whole : own[d];
    }
    return means;
}

float largestFitted(const SpanAttention& span) {
    return kMaxFactor * largestMagnitude(span.values);
}

}  // namespace lacuna
