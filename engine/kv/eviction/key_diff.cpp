// Two passes over the keys of a head: their directions are added up, then every key is multiplied
// with the sum. A head is scored as a whole, so that the second pass finds its keys in the cache.

#include "engine/kv/eviction/key_diff.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/kernels/cpu_features.h"
#include "engine/kv/eviction/eviction_scores.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kHoleBias = -std::numeric_limits<float>::infinity();

/// The head with its keys as plain numbers, in `decoded` where they are coded.
KvHeadView plainKeys(const ScoreInput& input, std::vector<float>& decoded) {
    KvHeadView head = input.head;
    if (head.keyQuant.plain()) return head;
    decoded.resize(static_cast<std::size_t>(head.slots) * static_cast<std::size_t>(input.keyDim));
    readKeys(head, input.keyDim, 0, head.slots, decoded.data());
    head.type = DType::F32;
    head.keyQuant = {};
    head.keys = reinterpret_cast<const std::byte*>(decoded.data());
    return head;
}

/// 1 / length of every key; 0 of holes, keys of no length and those that are not finite.
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

/// The same of keys before the anchor's end.
std::vector<float> anchorWeights(const ScoreInput& input, std::vector<float> inverse) {
    const std::int32_t* const positions = input.head.positions;
    for (std::size_t j = 0; j < inverse.size(); ++j) {
        const auto position =
            positions == nullptr ? static_cast<std::int64_t>(j) : std::int64_t{positions[j]};
        if (position >= input.anchorEnd) inverse[j] = 0.0F;
    }
    return inverse;
}

/// Calls work(first, count) for every run of slots whose keys are finite: a weight of zero does not
/// silence a key that is not.
template <class Work>
void forFiniteRuns(std::span<const float> norms, const Work& work) {
    for (std::size_t first = 0; first < norms.size();) {
        std::size_t end = first;
        while (end < norms.size() && std::isfinite(norms[end])) ++end;
        if (end > first) work(first, end - first);
        first = end + 1;
    }
}

// The kernel multiplies four rows at once; the last four are multiplied again with those before
// them, so that a row comes to the same bits whatever number of rows follows.
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
