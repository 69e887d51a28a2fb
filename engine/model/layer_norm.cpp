#include "engine/model/layer_norm.h"

#include <cmath>
#include <cstddef>

namespace lacuna {
namespace {

/// Returns the sum of term(x) over n numbers, in several partial sums to hide the latency of
/// additions.
template <class Term>
float sumOf(const float* x, std::size_t n, const Term& term) {
    constexpr std::size_t kSums = 16;
    float sums[kSums] = {};
    std::size_t i = 0;
    for (; i + kSums <= n; i += kSums)
        for (std::size_t k = 0; k < kSums; ++k) sums[k] += term(x[i + k]);
    for (; i < n; ++i) sums[0] += term(x[i]);
    float sum = 0;
    for (const float part : sums) sum += part;
    return sum;
}

}  // namespace

void layerNorm(const float* x, std::span<const float> gain, std::span<const float> bias, float* out,
               float epsilon) noexcept {
    const std::size_t n = gain.size();
    const auto count = static_cast<float>(n);
    const float mean = sumOf(x, n, [](float v) { return v; }) / count;
    const float variance = sumOf(x, n, [mean](float v) { return (v - mean) * (v - mean); }) / count;
    const float factor = 1.0F / std::sqrt(variance + epsilon);
    for (std::size_t i = 0; i < n; ++i) out[i] = (x[i] - mean) * factor * gain[i];
    for (std::size_t i = 0; i < bias.size(); ++i) out[i] += bias[i];
}

}  // namespace lacuna
