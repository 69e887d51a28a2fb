#include "engine/compress/matching/pinned_spans.h"

#include <algorithm>
#include <cmath>

#include "engine/compress/matching/compactable_span.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

constexpr int kHeadsAsked = 32;          // evenly spaced, sufficient for a mean
constexpr std::int32_t kNeighbours = 4;  // on each side

/// 1 - cosine between each key of the span and their mean direction, divided by its mean over the
/// span.
std::vector<float> rarityOf(const HeadSpan& span) {
    const auto dim = static_cast<std::size_t>(span.keyDim);
    const auto slots = static_cast<std::size_t>(span.last - span.first);
    std::vector<float> keys(slots * dim);
    readKeys(span.head, span.keyDim, span.first, span.last - span.first, keys.data());
    std::vector<float> direction(dim, 0.0F);
    for (std::size_t j = 0; j < slots; ++j) {
        float* key = keys.data() + j * dim;
        float squares = 0;
        for (std::size_t d = 0; d < dim; ++d) squares += key[d] * key[d];
        const float scale =
            squares > 0 && std::isfinite(squares) ? 1.0F / std::sqrt(squares) : 0.0F;
        for (std::size_t d = 0; d < dim; ++d) key[d] = scale > 0 ? key[d] * scale : 0.0F;
        for (std::size_t d = 0; d < dim; ++d) direction[d] += key[d];
    }
    float whole = 0;
    for (const float x : direction) whole += x * x;
    whole = whole > 0 ? 1.0F / std::sqrt(whole) : 0.0F;
    std::vector<float> rarity(slots);
    double sum = 0;
    for (std::size_t j = 0; j < slots; ++j) {
        float dot = 0;
        for (std::size_t d = 0; d < dim; ++d) dot += keys[j * dim + d] * direction[d];
        rarity[j] = std::max(0.0F, 1.0F - dot * whole);
        sum += static_cast<double>(rarity[j]);
    }
    const auto mean =
        static_cast<float>(sum / static_cast<double>(std::max<std::size_t>(slots, 1)));
    for (float& r : rarity) r = mean > 0 ? r / mean : 1.0F;
    return rarity;
}

/// Heads of compacted layers, evenly spaced.
std::vector<int> askedHeads(const KvCache& cache, const PinRequest& request) {
    std::vector<int> all;
    for (int i = 0; i < cache.shape().headCount(); ++i)
        if (std::ranges::find(request.skipLayers, cache.shape().placeOf(i).layer.value) ==
            request.skipLayers.end())
            all.push_back(i);
    std::vector<int> some;
    const auto count = std::min<std::size_t>(kHeadsAsked, all.size());
    for (std::size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
    return some;
}

/// [tokens] mean rarity over the heads that hold a position; 0 if there are none.
std::vector<float> rarityOfTokens(const KvCache& cache, const PinRequest& request,
                                  ThreadPool& pool) {
    const std::vector<int> asked = askedHeads(cache, request);
    std::vector<HeadSpan> spans(asked.size());
    std::vector<std::vector<float>> found(asked.size());
    pool.parallelFor(static_cast<int>(asked.size()), [&](int task) {
        const auto at = static_cast<std::size_t>(task);
        const KvHeadLocation place = cache.shape().placeOf(asked[at]);
        spans[at] = compactableSpan(cache, place.layer, place.head, request.rule);
        found[at] = rarityOf(spans[at]);
    });
    std::vector<float> sums(static_cast<std::size_t>(cache.offset().value), 0.0F);
    std::vector<float> counts(sums.size(), 0.0F);
    for (std::size_t at = 0; at < asked.size(); ++at) {
        const HeadSpan& span = spans[at];
        for (int j = span.first; j < span.last; ++j) {
            const auto position = static_cast<std::size_t>(
                span.head.positions == nullptr ? j : span.head.positions[j]);
            sums[position] += found[at][static_cast<std::size_t>(j - span.first)];
            counts[position] += 1.0F;
        }
    }
    for (std::size_t p = 0; p < sums.size(); ++p)
        if (counts[p] > 0) sums[p] /= counts[p];
    return sums;
}

/// Merges the rarest positions and their neighbours into runs.
std::vector<PinnedRun> joined(const std::vector<float>& rarity,
                              std::vector<std::int32_t> positions) {
    std::ranges::sort(positions);
    std::vector<PinnedRun> runs;
    for (const std::int32_t position : positions) {
        const float own = rarity[static_cast<std::size_t>(position)];
        const std::int32_t first = std::max(0, position - kNeighbours);
        const std::int32_t last =
            std::min(position + kNeighbours + 1, static_cast<std::int32_t>(rarity.size()));
        if (!runs.empty() && first <= runs.back().last) {
            runs.back().last = last;
            runs.back().rarity = std::max(runs.back().rarity, own);
        } else {
            runs.push_back({first, last, own});
        }
    }
    return runs;
}

}  // namespace

std::vector<PinnedRun> pinnedRuns(const KvCache& cache, const PinRequest& request,
                                  ThreadPool& pool) {
    if (!(request.percent > 0)) return {};
    const std::vector<float> rarity = rarityOfTokens(cache, request, pool);
    std::vector<std::int32_t> order;
    for (std::size_t p = 0; p < rarity.size(); ++p)
        if (rarity[p] > 0) order.push_back(static_cast<std::int32_t>(p));
    const auto wanted =
        std::min(order.size(), static_cast<std::size_t>(std::llround(
                                   request.percent * 0.01 * static_cast<double>(order.size()))));
    std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
        const float x = rarity[static_cast<std::size_t>(a)];
        const float y = rarity[static_cast<std::size_t>(b)];
        return x != y ? x > y : a > b;
    });
    order.resize(wanted);
    std::vector<PinnedRun> runs = joined(rarity, std::move(order));
    std::ranges::stable_sort(
        runs, [](const PinnedRun& a, const PinnedRun& b) { return a.rarity > b.rarity; });
    return runs;
}

std::vector<std::int32_t> pinnedSlots(const HeadSpan& span, std::span<const PinnedRun> runs,
                                      int most) {
    const auto positionOf = [&](int slot) {
        return span.head.positions == nullptr ? slot : span.head.positions[slot];
    };
    std::vector<std::int32_t> slots;
    for (const PinnedRun& run : runs) {
        // Slots of a span are sorted by position.
        int low = span.first;
        int high = span.last;
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (positionOf(middle) < run.first)
                low = middle + 1;
            else
                high = middle;
        }
        int end = low;
        while (end < span.last && positionOf(end) < run.last) ++end;
        if (static_cast<int>(slots.size()) + end - low > most) continue;
        for (int slot = low; slot < end; ++slot) slots.push_back(slot);
    }
    std::ranges::sort(slots);
    return slots;
}

}  // namespace lacuna
