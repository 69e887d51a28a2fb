#include "engine/compress/matching/mass_fit.h"

#include <algorithm>
#include <cmath>

#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

constexpr float kMinBias = -7.0F;
constexpr float kHeadroom = 3.0F;    // ln of the factor by which one key may exceed the mean weight
constexpr float kMinShare = 1e-12F;  // share of the total query weight below which a key's own mass
                                     // cannot be a divisor
constexpr float kMinMass = 1e-6F;

/// Mass of the kept keys with biases `bias`, relative to all keys, for each query.
std::vector<float> keptMass(const SpanAttention& span, const KeySelection& chosen,
                            const std::vector<float>& bias) {
    std::vector<float> sums(static_cast<std::size_t>(span.columns), 0.0F);
    if (span.byQueryStride > 0) {
        std::vector<float> factors(static_cast<std::size_t>(span.byQueryStride), 0.0F);
        for (std::size_t a = 0; a < bias.size(); ++a)
            factors[a] = std::exp(bias[a] - span.bias[static_cast<std::size_t>(chosen.slots[a])]);
        bestKernels().dotRows[kernelIndex(DType::F32)](
            {reinterpret_cast<const std::byte*>(span.byQuery.data()), span.byQueryStride * 4,
             span.queries, span.byQueryStride},
            factors.data(), sums.data());
        return sums;
    }
    for (std::size_t a = 0; a < chosen.slots.size(); ++a) {
        const auto slot = static_cast<std::size_t>(chosen.slots[a]);
        const float weight = std::exp(bias[a] - span.bias[slot]);
        bestKernels().addWeightedRows[kernelIndex(DType::F32)](
            {reinterpret_cast<const std::byte*>(span.row(chosen.slots[a])), span.columns * 4, 1,
             span.columns},
            &weight, sums.data());
    }
    return sums;
}

float totalWeight(const SpanAttention& span) {
    float total = 0;
    for (const float w : span.weights) total += w;
    return total;
}

/// ln of the largest permitted weight of a key: the mean weight at this ratio plus headroom.
float largestBias(const SpanAttention& span, std::size_t kept) {
    double effective = 0;
    for (std::size_t j = 0; j < span.bias.size(); ++j)
        if (span.usable[j]) effective += std::exp(static_cast<double>(span.bias[j]));
    return static_cast<float>(std::log(effective / static_cast<double>(kept))) + kHeadroom;
}

void clip(std::vector<float>& bias, float largest) {
    for (float& b : bias) b = std::clamp(b, kMinBias, std::max(largest, kMinBias));
}

float meanLogDeficit(const SpanAttention& span, const std::vector<float>& sums) {
    double deficit = 0;
    for (std::size_t i = 0; i < sums.size(); ++i)
        deficit -= static_cast<double>(span.weights[i]) *
                   std::log(static_cast<double>(std::max(sums[i], kMinMass)));
    const float total = totalWeight(span);
    return total > 0 ? static_cast<float>(deficit / static_cast<double>(total)) : 0.0F;
}

void addCluster(const SpanAttention& span, const KeySelection& chosen, std::vector<float>& bias) {
    std::vector<double> gathered(bias.size(), 0.0);
    for (std::size_t k = 0; k < span.mass.size(); ++k)
        gathered[static_cast<std::size_t>(chosen.owner[k])] += static_cast<double>(span.mass[k]);
    const float least = kMinShare * totalWeight(span);
    for (std::size_t a = 0; a < bias.size(); ++a) {
        const float own = span.mass[static_cast<std::size_t>(chosen.slots[a])];
        if (own <= least) continue;
        bias[a] += static_cast<float>(std::log(gathered[a] / static_cast<double>(own)));
    }
}

void addRedistributed(const SpanAttention& span, const KeySelection& chosen,
                      std::vector<float>& bias) {
    const float total = totalWeight(span);
    float kept = 0;
    for (const std::int32_t slot : chosen.slots) kept += span.mass[static_cast<std::size_t>(slot)];
    const float part = std::max(total - kept, 0.0F) / static_cast<float>(bias.size());
    for (std::size_t a = 0; a < bias.size(); ++a) {
        const float own = span.mass[static_cast<std::size_t>(chosen.slots[a])];
        if (own > kMinShare * total) bias[a] += std::log((own + part) / own);
    }
}

}  // namespace

bool allKept(const SpanAttention& span, const KeySelection& chosen) {
    return static_cast<std::int64_t>(chosen.slots.size()) + span.badSlots == span.slots;
}

std::vector<float> fitMass(const SpanAttention& span, const KeySelection& chosen, MassFit fit) {
    std::vector<float> bias;
    for (const std::int32_t slot : chosen.slots)
        bias.push_back(span.bias[static_cast<std::size_t>(slot)]);
    if (allKept(span, chosen) || fit == MassFit::None || bias.empty()) return bias;
    if (fit == MassFit::Cluster) addCluster(span, chosen, bias);
    if (fit == MassFit::Redistribute) addRedistributed(span, chosen, bias);
    const float largest = largestBias(span, bias.size());
    clip(bias, largest);
    const float shift = meanLogDeficit(span, keptMass(span, chosen, bias));
    for (float& b : bias) b += shift;
    clip(bias, largest);
    return bias;
}

std::vector<float> levelled(const SpanAttention& span, const KeySelection& chosen,
                            std::vector<float> bias) {
    const float room = largestBias(span, bias.size()) - *std::ranges::max_element(bias);
    const float shift = meanLogDeficit(span, keptMass(span, chosen, bias));
    for (float& b : bias) b += std::min(shift, room);
    return bias;
}

double logMassError(const SpanAttention& span, const KeySelection& chosen,
                    const std::vector<float>& bias) {
    const std::vector<float> sums = keptMass(span, chosen, bias);
    double error = 0;
    double total = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        error += static_cast<double>(span.weights[i]) *
                 std::abs(std::log(static_cast<double>(std::max(sums[i], kMinMass))));
        total += static_cast<double>(span.weights[i]);
    }
    return total > 0 ? error / total : 0.0;
}

}  // namespace lacuna
