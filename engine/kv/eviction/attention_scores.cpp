#include "engine/kv/eviction/attention_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "engine/kernels/cpu_features.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr int kTileSlots = 64;
// Number of queries whose scores over all slots are held at once.
constexpr std::size_t kQueriesAtOnce = 64;

struct Scratch {
    std::vector<float> queries;  ///< [n, keyDim]
    std::vector<float> tile;     ///< [kTileSlots, keyDim]
    std::vector<float> scores;   ///< [n, slots]
};

bool sees(const KvHeadView& head, std::int64_t position, std::int64_t query) {
    if (position > query) return false;
    return head.window == 0 || position < head.keep || position > query - head.window;
}

/// Dot products of all queries with all keys.
void dotAll(const KvHeadView& head, int keyDim, std::size_t queries, Scratch& scratch) {
    scratch.scores.resize(queries * static_cast<std::size_t>(head.slots));
    scratch.tile.resize(static_cast<std::size_t>(kTileSlots) * static_cast<std::size_t>(keyDim));
    const auto stride = std::int64_t{keyDim} * std::int64_t{sizeof(float)};
    for (int first = 0; first < head.slots; first += kTileSlots) {
        const int count = std::min(kTileSlots, head.slots - first);
        readKeys(head, keyDim, first, count, scratch.tile.data());
        const RowBlock rows{reinterpret_cast<const std::byte*>(scratch.tile.data()), stride, count,
                            keyDim};
        const QueryRows asked{.queries = scratch.queries.data(),
                              .queryStride = keyDim,
                              .weights = scratch.scores.data() + first,
                              .weightStride = head.slots,
                              .count = static_cast<int>(queries)};
        bestKernels().dotManyQueries[kernelIndex(DType::F32)](rows, asked);
    }
}

/// Converts the dot products of one query to probabilities; all 0 if it sees no slot.
void normalise(const KvHeadView& head, const LogitScaling& scaling, const PositionedQuery& query,
               float* scores) {
    const std::int64_t at = query.at;
    const KernelTable& kernels = bestKernels();
    kernels.scale(scores, scaling.scale, head.slots);
    if (scaling.softCap > 0) kernels.softCap(scores, scaling.softCap, head.slots);
    for (int j = 0; j < head.slots; ++j) {
        const std::int64_t position = head.positions == nullptr ? j : head.positions[j];
        if (!std::isfinite(scores[j]) || !sees(head, position, at))
            scores[j] = kMinusInfinity;
        else if (head.bias != nullptr)
            scores[j] += head.bias[j];
    }
    const float top = kernels.maximum(scores, head.slots);
    if (top == kMinusInfinity) {
        std::fill_n(scores, head.slots, 0.0F);
        return;
    }
    const float mass = kernels.expSum(scores, top, head.slots) + std::exp(query.sink - top);
    kernels.scale(scores, 1.0F / mass, head.slots);
}

}  // namespace

namespace {

/// Calls take(probabilities), [slots], for each query.
template <class Take>
void forEachQuery(const KvHeadView& head, int keyDim, const LogitScaling& scaling,
                  std::span<const PositionedQuery> asked, const Take& take) {
    static thread_local Scratch scratch;
    if (head.slots == 0) return;
    for (std::size_t first = 0; first < asked.size(); first += kQueriesAtOnce) {
        const auto block = asked.subspan(first, std::min(kQueriesAtOnce, asked.size() - first));
        scratch.queries.clear();
        for (const PositionedQuery& query : block)
            scratch.queries.insert(scratch.queries.end(), query.row, query.row + keyDim);
        dotAll(head, keyDim, block.size(), scratch);
        for (std::size_t i = 0; i < block.size(); ++i) {
            float* scores = scratch.scores.data() + i * static_cast<std::size_t>(head.slots);
            normalise(head, scaling, block[i], scores);
            take(scores);
        }
    }
}

}  // namespace

void addAttention(const KvHeadView& head, int keyDim, const LogitScaling& scaling,
                  std::span<const PositionedQuery> asked, std::span<float> sums) {
    forEachQuery(head, keyDim, scaling, asked, [&](const float* probabilities) {
        bestKernels().addTo(sums.data(), probabilities, head.slots);
    });
}

void raiseToAttention(const KvHeadView& head, int keyDim, const LogitScaling& scaling,
                      std::span<const PositionedQuery> asked, std::span<float> most) {
    forEachQuery(head, keyDim, scaling, asked, [&](const float* probabilities) {
        for (std::size_t j = 0; j < most.size(); ++j)
            most[j] = probabilities[j] > most[j] ? probabilities[j] : most[j];
    });
}

namespace {

std::int64_t positionAt(const KvHeadView& view, std::size_t slot) {
    return view.positions == nullptr ? static_cast<std::int64_t>(slot) : view.positions[slot];
}

/// Slots that hold a token, in text order.
std::vector<std::size_t> slotsInOrder(const KvHeadView& view) {
    std::vector<std::size_t> order;
    for (std::size_t j = 0; j < static_cast<std::size_t>(view.slots); ++j)
        if (view.bias == nullptr || view.bias[j] != -std::numeric_limits<float>::infinity())
            order.push_back(j);
    const auto earlier = [&](std::size_t a, std::size_t b) {
        return positionAt(view, a) < positionAt(view, b);
    };
    if (!std::ranges::is_sorted(order, earlier)) std::ranges::sort(order, earlier);
    return order;
}

/// Mean over `width` neighbours in the text, zero-padded at both ends.
SlotScores pooled(const KvHeadView& view, const std::vector<float>& sums, int width) {
    const std::vector<std::size_t> order = slotsInOrder(view);
    const auto end = static_cast<std::ptrdiff_t>(order.size());
    const std::ptrdiff_t reach = width / 2;
    SlotScores out(sums.size(), 0.0F);
    for (std::ptrdiff_t j = 0; j < end; ++j) {
        float sum = 0;
        const std::ptrdiff_t last = std::min(end - 1, j + reach);
        for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(0, j - reach); k <= last; ++k)
            sum += sums[order[static_cast<std::size_t>(k)]];
        out[order[static_cast<std::size_t>(j)]] = sum / static_cast<float>(width);
    }
    return out;
}

}  // namespace

AttentionScores::AttentionScores(const KvCache& cache, const AttentionScoring& scoring,
                                 ThreadPool& pool)
    : cache_(&cache), scoring_(scoring), pool_(pool), readers_(cache.shape()) {
    const auto layers = static_cast<std::size_t>(cache.shape().layers);
    asked_.resize(layers, std::vector<std::deque<Asked>>(1));
    masses_.resize(static_cast<std::size_t>(cache.shape().headCount()));
    firstQuery_.assign(layers, -1);
    endQuery_.assign(layers, 0);
}

void AttentionScores::observeQueries(LayerIndex layer, View<const float, 3> queries,
                                     Position first) {
    const auto i = static_cast<std::size_t>(layer.value);
    if (firstQuery_[i] < 0) firstQuery_[i] = first.value;
    endQuery_[i] = first.value + queries.extent(0);
    const std::size_t reader = readers_.next(layer, first);
    if (reader >= asked_[i].size()) asked_[i].resize(reader + 1);
    std::deque<Asked>& asked = asked_[i][reader];
    if (!scoring_.accumulates) {
        keep(asked, queries, first, static_cast<std::size_t>(scoring_.window));
        return;
    }
    keep(asked, queries, first, std::numeric_limits<std::size_t>::max());
    if (asked.size() > kLag) accumulate(layer.value, asked, asked.size() - kLag);
}

/// Appends the newest queries, reusing the memory of those that are dropped.
void AttentionScores::keep(std::deque<Asked>& asked, View<const float, 3> queries, Position first,
                           std::size_t most) const {
    const std::int64_t width = queries.extent(1) * queries.extent(2);
    const std::int64_t count = queries.extent(0);
    const bool tooMany = static_cast<std::size_t>(count) > most;
    for (std::int64_t i = tooMany ? count - static_cast<std::int64_t>(most) : 0; i < count; ++i) {
        Asked one;
        if (asked.size() >= most) {
            one = std::move(asked.front());
            asked.pop_front();
        }
        const float* row = queries.data() + i * width;
        one.at = first.value + i;
        one.rows.assign(row, row + width);
        asked.push_back(std::move(one));
    }
}

/// Adds the queries of one KV head, token by token.
void AttentionScores::addQueries(const std::deque<Asked>& asked, std::size_t first, std::size_t end,
                                 int layer, int kvHead, std::vector<PositionedQuery>& out) const {
    const KvExtent extent = cache_->shape().extent(LayerIndex(layer));
    const int group = scoring_.heads / extent.heads;
    const int dim = extent.keyDim;
    for (std::size_t i = first; i < end; ++i)
        for (int g = 0; g < group; ++g)
            out.push_back({asked[i].rows.data() + (kvHead * group + g) * dim, asked[i].at,
                           AttentionSinks::of(scoring_.scaling.sinks, LayerIndex(layer),
                                              kvHead * group + g)});
}

void AttentionScores::accumulateHead(int layer, int kvHead, const std::deque<Asked>& asked,
                                     std::size_t count) {
    const KvShape& shape = cache_->shape();
    const auto i = static_cast<std::size_t>(layer);
    const KvHeadView view = cache_->head(LayerIndex(layer), HeadIndex(kvHead));
    auto& masses =
        masses_[static_cast<std::size_t>(shape.headIndex(LayerIndex(layer), HeadIndex(kvHead)))];
    masses.resize(static_cast<std::size_t>(endQuery_[i]), 0.0F);
    std::vector<float> sums(static_cast<std::size_t>(view.slots), 0.0F);
    std::vector<PositionedQuery> queries;
    addQueries(asked, 0, count, layer, kvHead, queries);
    addAttention(view, shape.extent(LayerIndex(layer)).keyDim, scoring_.scaling, queries, sums);
    for (std::size_t j = 0; j < sums.size(); ++j)
        if (sums[j] > 0) masses[static_cast<std::size_t>(positionAt(view, j))] += sums[j];
}

/// Adds the oldest `count` waiting tokens of one reader.
void AttentionScores::accumulate(int layer, std::deque<Asked>& asked, std::size_t count) {
    pool_.parallelFor(cache_->shape().heads(LayerIndex(layer)),
                      [&](int head) { accumulateHead(layer, head, asked, count); });
    asked.erase(asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(count));
}

void AttentionScores::settle() {
    if (!scoring_.accumulates) return;
    for (std::size_t i = 0; i < asked_.size(); ++i)
        for (std::deque<Asked>& asked : asked_[i])
            if (!asked.empty()) accumulate(static_cast<int>(i), asked, asked.size());
}

void AttentionScores::dropFrom(Position position) {
    for (std::size_t i = 0; i < asked_.size(); ++i) {
        endQuery_[i] = std::min<std::int64_t>(endQuery_[i], position.value);
        if (firstQuery_[i] >= endQuery_[i]) firstQuery_[i] = -1;
        for (std::deque<Asked>& asked : asked_[i])
            while (!asked.empty() && asked.back().at >= position.value) asked.pop_back();
    }
    readers_.reset();
    // Contributions of settled queries to older tokens stay in their sums, because only a long
    // rollback gets here.
    for (auto& masses : masses_)
        masses.resize(std::min(masses.size(), static_cast<std::size_t>(position.value)));
}

int AttentionScores::observed(LayerIndex layer) const {
    const auto i = static_cast<std::size_t>(layer.value);
    if (!scoring_.accumulates) return static_cast<int>(asked_[i].front().size());
    return firstQuery_[i] < 0 ? 0 : static_cast<int>(endQuery_[i] - firstQuery_[i]);
}

SlotScores AttentionScores::windowScores(const KvHeadView& head, int layer, int kvHead,
                                         int queries) const {
    const auto wanted = static_cast<std::size_t>(std::max(queries, 1));
    std::vector<PositionedQuery> newest;
    for (const std::deque<Asked>& asked : asked_[static_cast<std::size_t>(layer)])
        addQueries(asked, asked.size() - std::min(asked.size(), wanted), asked.size(), layer,
                   kvHead, newest);
    if (newest.empty()) return {};
    std::vector<float> sums(static_cast<std::size_t>(head.slots), 0.0F);
    addAttention(head, cache_->shape().extent(LayerIndex(layer)).keyDim, scoring_.scaling, newest,
                 sums);
    for (float& sum : sums) sum /= static_cast<float>(newest.size());
    return pooled(head, sums, scoring_.pool);
}

SlotScores AttentionScores::accumulatedScores(const KvHeadView& head, int layer, int kvHead) const {
    const auto i = static_cast<std::size_t>(layer);
    const auto& masses = masses_[static_cast<std::size_t>(
        cache_->shape().headIndex(LayerIndex(layer), HeadIndex(kvHead)))];
    if (firstQuery_[i] < 0) return {};
    SlotScores out(static_cast<std::size_t>(head.slots), 0.0F);
    for (std::size_t j = 0; j < out.size(); ++j) {
        const std::int64_t position = positionAt(head, j);
        const std::int64_t seenBy = endQuery_[i] - std::max(position, firstQuery_[i]);
        if (seenBy > 0 && position < static_cast<std::int64_t>(masses.size()))
            out[j] = masses[static_cast<std::size_t>(position)] / static_cast<float>(seenBy);
    }
    return out;
}

SlotScores AttentionScores::scores(const KvHeadView& head, LayerIndex layer, HeadIndex number,
                                   const ScoreRequest& request) const {
    return scoring_.accumulates ? accumulatedScores(head, layer.value, number.value)
                                : windowScores(head, layer.value, number.value, request.queries);
}

}  // namespace lacuna
