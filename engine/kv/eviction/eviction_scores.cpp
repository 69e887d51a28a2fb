#include "engine/kv/eviction/eviction_scores.h"

#include <array>
#include <cmath>
#include <limits>

#include "engine/base/random.h"

namespace lacuna {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::int32_t positionOf(const KvHeadView& head, std::size_t slot) {
    return head.positions == nullptr ? static_cast<std::int32_t>(slot) : head.positions[slot];
}

}  // namespace

SlotScores markBadKeys(const ScoreInput& input, SlotScores scores) {
    for (std::size_t j = 0; j < scores.size(); ++j)
        if (!std::isfinite(input.norms[j])) scores[j] = kNaN;
    return scores;
}

SlotScores keepLowNormScores(const ScoreInput& input) {
    SlotScores scores(input.norms.begin(), input.norms.end());
    for (float& score : scores) score = -score;
    return markBadKeys(input, std::move(scores));
}

SlotScores keepHighNormScores(const ScoreInput& input) {
    return markBadKeys(input, SlotScores(input.norms.begin(), input.norms.end()));
}

SlotScores keepRecentScores(const ScoreInput& input) {
    SlotScores scores(input.norms.size());
    for (std::size_t j = 0; j < scores.size(); ++j)
        scores[j] = static_cast<float>(positionOf(input.head, j));
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

SlotScores evictionScores(EvictionPolicy policy, const ScoreInput& input) {
    switch (policy) {
        case EvictionPolicy::KeepLowNorm:
            return keepLowNormScores(input);
        case EvictionPolicy::KeepHighNorm:
            return keepHighNormScores(input);
        case EvictionPolicy::KeyDiff:
        case EvictionPolicy::Auto:
            return keyDiffScores(input);
        case EvictionPolicy::StreamingLLM:
            return keepRecentScores(input);
        case EvictionPolicy::Random:
            return randomScores(input);
        case EvictionPolicy::SnapKV:
        case EvictionPolicy::H2O:
            break;
    }
    return {};
}

double normSpread(std::span<const float> norms) {
    // Four sums, so that no addition waits for the one before.
    std::array<double, 4> sums{};
    std::array<double, 4> lanes{};
    std::array<std::int64_t, 4> counts{};
    for (std::size_t j = 0; j < norms.size(); ++j) {
        const bool finite = std::isfinite(norms[j]);
        const double x = finite ? static_cast<double>(norms[j]) : 0.0;
        sums[j % 4] += x;
        lanes[j % 4] += x * x;
        counts[j % 4] += finite ? 1 : 0;
    }
    const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    const double squares = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    const std::int64_t count = (counts[0] + counts[1]) + (counts[2] + counts[3]);
    if (count < 2 || sum <= 0) return 0;
    const double mean = sum / static_cast<double>(count);
    const double variance = std::max(0.0, squares / static_cast<double>(count) - mean * mean);
    return std::sqrt(variance) / mean;
}

}  // namespace lacuna
