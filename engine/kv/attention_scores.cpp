#include "engine/kv/attention_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "engine/kernels/cpu_features.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

std::int64_t positionAt(const KvHeadView& view, std::size_t slot) {
    return view.positions == nullptr ? static_cast<std::int64_t>(slot) : view.positions[slot];
}

/// Keys of a head as plain numbers, read once.
std::vector<float> keysOf(const KvHeadView& view, int keyDim) {
    std::vector<float> keys(static_cast<std::size_t>(view.slots) *
                            static_cast<std::size_t>(keyDim));
    readKeys(view, keyDim, 0, view.slots, keys.data());
    return keys;
}

/// Attention of one query at `position` over the slots it sees, as probabilities.
void attend(const KvHeadView& view, std::span<const float> keys, const float* query,
            std::int64_t position, float scale, std::span<float> out) {
    const std::int64_t dim = static_cast<std::int64_t>(keys.size()) / std::max(view.slots, 1);
    const KernelTable& kernels = bestKernels();
    const RowBlock rows{reinterpret_cast<const std::byte*>(keys.data()), dim * 4, view.slots, dim};
    kernels.dotRows[kernelIndex(DType::F32)](rows, query, out.data());
    for (std::size_t j = 0; j < out.size(); ++j) {
        out[j] = out[j] * scale + (view.bias == nullptr ? 0.0F : view.bias[j]);
        if (positionAt(view, j) > position) out[j] = kMinusInfinity;
    }
    const float top = kernels.maximum(out.data(), view.slots);
    if (top == kMinusInfinity) {
        std::fill(out.begin(), out.end(), 0.0F);
        return;
    }
    const float mass = kernels.expSum(out.data(), top, view.slots);
    kernels.scale(out.data(), 1.0F / mass, view.slots);
}

}  // namespace

AttentionScores::AttentionScores(const KvCache& cache, const AttentionScoring& scoring)
    : cache_(&cache), scoring_(scoring) {
    const auto layers = static_cast<std::size_t>(cache.shape().layers);
    queries_.resize(layers);
    masses_.resize(layers * static_cast<std::size_t>(cache.shape().kvHeads));
    firstQuery_.assign(layers, -1);
    endQuery_.assign(layers, 0);
}

void AttentionScores::observeQueries(LayerIndex layer, View<const float, 3> queries,
                                     Position first) {
    const auto i = static_cast<std::size_t>(layer.value);
    if (firstQuery_[i] < 0) firstQuery_[i] = first.value;
    endQuery_[i] = first.value + queries.extent(0);
    if (scoring_.accumulates) {
        accumulate(layer.value, queries, first);
    } else {
        keep(queries_[i], queries, first);
    }
}

void AttentionScores::keep(LayerQueries& layer, View<const float, 3> queries,
                           Position first) const {
    const auto rowFloats = static_cast<std::size_t>(queries.extent(1) * queries.extent(2));
    const std::int64_t count = queries.extent(0);
    const std::int64_t from = std::max<std::int64_t>(0, count - scoring_.window);
    for (std::int64_t i = from; i < count; ++i) {
        const float* row = queries.data() + static_cast<std::size_t>(i) * rowFloats;
        layer.rows.insert(layer.rows.end(), row, row + rowFloats);
        layer.at.push_back(first.value + i);
    }
    const auto surplus = static_cast<std::ptrdiff_t>(layer.at.size()) - scoring_.window;
    if (surplus <= 0) return;
    layer.at.erase(layer.at.begin(), layer.at.begin() + surplus);
    layer.rows.erase(layer.rows.begin(),
                     layer.rows.begin() + surplus * static_cast<std::ptrdiff_t>(rowFloats));
}

void AttentionScores::accumulate(int layer, View<const float, 3> queries, Position first) {
    const KvShape& shape = cache_->shape();
    const int group = scoring_.heads / shape.kvHeads;
    std::vector<float> weights;
    for (int head = 0; head < shape.kvHeads; ++head) {
        const KvHeadView view = cache_->head(LayerIndex(layer), HeadIndex(head));
        const std::vector<float> keys = keysOf(view, shape.keyDim);
        auto& masses = masses_[static_cast<std::size_t>(layer * shape.kvHeads + head)];
        masses.resize(static_cast<std::size_t>(endQuery_[static_cast<std::size_t>(layer)]), 0.0F);
        weights.resize(static_cast<std::size_t>(view.slots));
        for (std::int64_t i = 0; i < queries.extent(0) * group; ++i) {
            const std::int64_t token = i / group;
            const std::int64_t row = token * scoring_.heads + head * group + i % group;
            attend(view, keys, queries.data() + row * shape.keyDim, first.value + token,
                   scoring_.scale, weights);
            for (std::size_t j = 0; j < weights.size(); ++j)
                masses[static_cast<std::size_t>(positionAt(view, j))] += weights[j];
        }
    }
}

void AttentionScores::forgetFrom(Position position) {
    for (std::size_t i = 0; i < queries_.size(); ++i) {
        endQuery_[i] = std::min<std::int64_t>(endQuery_[i], position.value);
        if (firstQuery_[i] >= endQuery_[i]) firstQuery_[i] = -1;
        LayerQueries& layer = queries_[i];
        const auto last = std::lower_bound(layer.at.begin(), layer.at.end(), position.value);
        const auto kept = static_cast<std::size_t>(last - layer.at.begin());
        if (!layer.at.empty()) layer.rows.resize(layer.rows.size() / layer.at.size() * kept);
        layer.at.resize(kept);
    }
    // What taken-back queries gave to older tokens stays in their sums: a few among very many.
    for (auto& masses : masses_)
        masses.resize(std::min(masses.size(), static_cast<std::size_t>(position.value)));
}

int AttentionScores::observed(LayerIndex layer) const {
    const auto i = static_cast<std::size_t>(layer.value);
    if (!scoring_.accumulates) return static_cast<int>(queries_[i].at.size());
    return firstQuery_[i] < 0 ? 0 : static_cast<int>(endQuery_[i] - firstQuery_[i]);
}

SlotScores AttentionScores::windowScores(int layer, int head) const {
    const KvShape& shape = cache_->shape();
    const LayerQueries& asked = queries_[static_cast<std::size_t>(layer)];
    const KvHeadView view = cache_->head(LayerIndex(layer), HeadIndex(head));
    const auto slots = static_cast<std::size_t>(view.slots);
    if (asked.at.empty()) return {};
    const std::vector<float> keys = keysOf(view, shape.keyDim);
    const int group = scoring_.heads / shape.kvHeads;
    std::vector<float> mean(slots, 0.0F);
    std::vector<float> weights(slots);
    for (std::size_t i = 0; i < asked.at.size(); ++i) {
        for (int g = 0; g < group; ++g) {
            const auto row = i * static_cast<std::size_t>(scoring_.heads) +
                             static_cast<std::size_t>(head * group + g);
            attend(view, keys, asked.rows.data() + row * static_cast<std::size_t>(shape.keyDim),
                   asked.at[i], scoring_.scale, weights);
            bestKernels().addTo(mean.data(), weights.data(), view.slots);
        }
    }
    SlotScores out(slots);
    const std::ptrdiff_t reach = scoring_.pool / 2;
    for (std::ptrdiff_t j = 0; j < view.slots; ++j) {
        float sum = 0;
        for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(0, j - reach);
             k <= std::min<std::ptrdiff_t>(view.slots - 1, j + reach); ++k)
            sum += mean[static_cast<std::size_t>(k)];
        out[static_cast<std::size_t>(j)] = sum / static_cast<float>(scoring_.pool);
    }
    const std::int64_t newest = cache_->offset().value - scoring_.window;
    for (std::size_t j = 0; j < slots; ++j)
        if (positionAt(view, j) >= newest) out[j] = std::numeric_limits<float>::max();
    return out;
}

SlotScores AttentionScores::accumulatedScores(int layer, int head) const {
    const auto i = static_cast<std::size_t>(layer);
    const KvHeadView view = cache_->head(LayerIndex(layer), HeadIndex(head));
    const auto& masses = masses_[static_cast<std::size_t>(layer * cache_->shape().kvHeads + head)];
    if (firstQuery_[i] < 0) return {};
    SlotScores out(static_cast<std::size_t>(view.slots), 0.0F);
    for (std::size_t j = 0; j < out.size(); ++j) {
        const std::int64_t position = positionAt(view, j);
        const std::int64_t seenBy = endQuery_[i] - std::max(position, firstQuery_[i]);
        if (seenBy > 0 && position < static_cast<std::int64_t>(masses.size()))
            out[j] = masses[static_cast<std::size_t>(position)] / static_cast<float>(seenBy);
    }
    return out;
}

std::vector<SlotScores> AttentionScores::scores(ThreadPool& pool) const {
    const int heads = cache_->shape().kvHeads;
    std::vector<SlotScores> out(masses_.size());
    pool.parallelFor(static_cast<int>(out.size()), [&](int i) {
        out[static_cast<std::size_t>(i)] = scoring_.accumulates
                                               ? accumulatedScores(i / heads, i % heads)
                                               : windowScores(i / heads, i % heads);
    });
    return out;
}

}  // namespace lacuna
