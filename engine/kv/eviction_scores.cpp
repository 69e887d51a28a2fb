#include "engine/kv/eviction_scores.h"

#include <cmath>
#include <limits>

#include "engine/base/random.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// A slot whose key is not finite has no score under any policy.
SlotScores markBadKeys(const ScoreInput& input, SlotScores scores) {
    for (std::size_t j = 0; j < scores.size(); ++j)
        if (!std::isfinite(input.norms[j])) scores[j] = kNaN;
    return scores;
}

std::int32_t positionOf(const KvHeadView& head, std::size_t slot) {
    return head.positions == nullptr ? static_cast<std::int32_t>(slot) : head.positions[slot];
}

}  // namespace

SlotScores keepLowNormScores(const ScoreInput& input) {
    SlotScores scores(input.norms.begin(), input.norms.end());
    for (float& score : scores) score = -score;
    return markBadKeys(input, std::move(scores));
}

SlotScores keepHighNormScores(const ScoreInput& input) {
    return markBadKeys(input, SlotScores(input.norms.begin(), input.norms.end()));
}

SlotScores keyDiffScores(const ScoreInput& input) {
    const KernelTable& kernels = bestKernels();
    const std::size_t type = kernelIndex(input.head.type);
    const auto stride = static_cast<std::int64_t>(
        rowBytes(input.head.type, static_cast<std::uint64_t>(input.keyDim)));
    std::vector<float> anchor(static_cast<std::size_t>(input.keyDim), 0.0F);
    SlotScores scores(input.norms.size());
    const auto usable = [&](std::size_t j) {
        return std::isfinite(input.norms[j]) && input.norms[j] > 0;
    };
    for (std::size_t j = 0; j < scores.size(); ++j) {
        if (!usable(j)) continue;
        const float weight = 1.0F / input.norms[j];
        const RowBlock row{input.head.keys + static_cast<std::int64_t>(j) * stride, stride, 1,
                           input.keyDim};
        kernels.addWeightedRows[type](row, &weight, anchor.data());
    }
    float square = 0;
    for (const float x : anchor) square += x * x;
    const float length = std::sqrt(square);
    const RowBlock rows{input.head.keys, stride, static_cast<std::int64_t>(scores.size()),
                        input.keyDim};
    kernels.dotRows[type](rows, anchor.data(), scores.data());
    for (std::size_t j = 0; j < scores.size(); ++j)
        scores[j] = usable(j) && length > 0 ? -scores[j] / (input.norms[j] * length) : 0.0F;
    return markBadKeys(input, std::move(scores));
}

SlotScores keepRecentScores(const ScoreInput& input) {
    SlotScores scores(input.norms.size());
    for (std::size_t j = 0; j < scores.size(); ++j) scores[j] = static_cast<float>(j);
    return markBadKeys(input, std::move(scores));
}

SlotScores randomScores(const ScoreInput& input) {
    SlotScores scores(input.norms.size());
    for (std::size_t j = 0; j < scores.size(); ++j) {
        const auto position = static_cast<std::uint64_t>(positionOf(input.head, j));
        scores[j] = static_cast<float>(randomBits(input.seed, input.stream, position) >> 40);
    }
    return markBadKeys(input, std::move(scores));
}

SlotScores evictionScores(NormPolicy policy, const ScoreInput& input) {
    switch (policy) {
        case NormPolicy::KeepLowNorm:
            return keepLowNormScores(input);
        case NormPolicy::KeepHighNorm:
            return keepHighNormScores(input);
        case NormPolicy::KeyDiff:
            return keyDiffScores(input);
        case NormPolicy::KeepRecentOnly:
            return keepRecentScores(input);
        case NormPolicy::Random:
            return randomScores(input);
    }
    return {};
}

double normSpread(std::span<const float> norms) {
    double sum = 0;
    double squares = 0;
    std::int64_t count = 0;
    for (const float x : norms) {
        if (!std::isfinite(x)) continue;
        sum += static_cast<double>(x);
        squares += static_cast<double>(x) * static_cast<double>(x);
        ++count;
    }
    if (count < 2 || sum <= 0) return 0;
    const double mean = sum / static_cast<double>(count);
    const double variance = std::max(0.0, squares / static_cast<double>(count) - mean * mean);
    return std::sqrt(variance) / mean;
}

}  // namespace lacuna
