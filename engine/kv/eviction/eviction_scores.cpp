#include "engine/kv/eviction/eviction_scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/random.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kv/row_format.h"

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
        case EvictionPolicy::Reconstruct:
        case EvictionPolicy::ExpectedAttention:
        case EvictionPolicy::TriAttention:
            break;
    }
    return {};
}

double normSpread(std::span<const float> norms) {
    // Four independent sums avoid a dependency chain of additions.
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

// KeyDiff, in two passes over the keys of a head: the first adds up their directions, the second
// multiplies every key by the sum. A head is scored at once, so that its keys are still in the
// cache in the second pass.

namespace {

constexpr float kHoleBias = -std::numeric_limits<float>::infinity();

/// Returns the head with its keys as plain numbers, decoded into `decoded` if necessary.
KvHeadView plainKeys(const ScoreInput& input, std::vector<float>& decoded) {
    KvHeadView head = input.head;
    if (head.keyQuant.plain()) return head;
    decoded.resize(static_cast<std::size_t>(head.slots) * static_cast<std::size_t>(input.keyDim));
    readKeys(head, input.keyDim, 0, head.slots, decoded.data());
    head.type = DType::F32;
    head.keyQuant = {};
    head.uncoded = 0;
    head.keyRotation = nullptr;
    head.keys = reinterpret_cast<const std::byte*>(decoded.data());
    return head;
}

/// 1 / norm of every key; 0 for holes, zero keys and keys that are not finite.
std::vector<float> inverseLengths(const ScoreInput& input) {
    std::vector<float> inverse(input.norms.size());
    const float* const bias = input.head.bias;
    for (std::size_t j = 0; j < inverse.size(); ++j) {
        const bool hole = bias != nullptr && bias[j] == kHoleBias;
        const bool usable = !hole && std::isfinite(input.norms[j]) && input.norms[j] > 0;
        inverse[j] = usable ? 1.0F / input.norms[j] : 0.0F;
    }
    return inverse;
}

/// The same, but 0 from the anchor's end on.
std::vector<float> anchorWeights(const ScoreInput& input, std::vector<float> inverse) {
    const std::int32_t* const positions = input.head.positions;
    for (std::size_t j = 0; j < inverse.size(); ++j) {
        const auto position =
            positions == nullptr ? static_cast<std::int64_t>(j) : std::int64_t{positions[j]};
        if (position >= input.anchorEnd) inverse[j] = 0.0F;
    }
    return inverse;
}

/// Calls work(first, count) for every run of slots whose keys are finite, because a weight of zero
/// does not suppress NaN.
template <class Work>
void forFiniteRuns(std::span<const float> norms, const Work& work) {
    for (std::size_t first = 0; first < norms.size();) {
        std::size_t end = first;
        while (end < norms.size() && std::isfinite(norms[end])) ++end;
        if (end > first) work(first, end - first);
        first = end + 1;
    }
}

// The kernel multiplies four rows at once. A remainder is multiplied again together with the rows
// before it, so that the result of a row does not depend on the number of rows after it.
constexpr std::size_t kRowsAtOnce = 4;

float lengthOf(std::span<const float> row) {
    float square = 0;
    for (const float x : row) square += x * x;
    return std::sqrt(square);
}

}  // namespace

std::int64_t keyDiffAnchorEnd(std::int64_t tokens, int keepRecent) {
    return tokens - std::min<std::int64_t>(keepRecent, tokens / 2);
}

SlotScores keyDiffScores(const ScoreInput& input) {
    std::vector<float> decoded;
    const KvHeadView head = plainKeys(input, decoded);
    const KernelTable& kernels = bestKernels();
    const std::size_t type = kernelIndex(head.type);
    const auto stride =
        static_cast<std::int64_t>(rowBytes(head.type, static_cast<std::uint64_t>(input.keyDim)));
    const std::vector<float> inverse = inverseLengths(input);
    std::vector<float> weights = anchorWeights(input, inverse);
    std::vector<float> anchor(static_cast<std::size_t>(input.keyDim), 0.0F);
    SlotScores scores(input.norms.size());
    const auto pass = [&](auto kernel, std::vector<float>& slots, std::size_t first,
                          std::size_t count) {
        kernel({head.keys + static_cast<std::int64_t>(first) * stride, stride,
                static_cast<std::int64_t>(count), input.keyDim},
               {.queries = anchor.data(),
                .weights = slots.data() + first,
                .sums = anchor.data(),
                .count = 1});
    };
    forFiniteRuns(input.norms, [&](std::size_t first, std::size_t count) {
        pass(kernels.addManyQueries[type], weights, first, count);
    });
    forFiniteRuns(input.norms, [&](std::size_t first, std::size_t count) {
        pass(kernels.dotManyQueries[type], scores, first, count);
        if (count % kRowsAtOnce != 0 && count > kRowsAtOnce)
            pass(kernels.dotManyQueries[type], scores, first + count - kRowsAtOnce, kRowsAtOnce);
    });
    const float length = lengthOf(anchor);
    const float factor = length > 0 ? -1.0F / length : 0.0F;
    for (std::size_t j = 0; j < scores.size(); ++j)
        scores[j] = std::isfinite(input.norms[j]) ? scores[j] * inverse[j] * factor : kNaN;
    return scores;
}

}  // namespace lacuna
