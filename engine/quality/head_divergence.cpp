#include "engine/quality/head_divergence.h"

#include <algorithm>
#include <cmath>

#include "engine/generate/cache_shape.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

/// Keys, values and bias of a head as floats; owns the data that `head` points to.
struct HeadRows {
    std::vector<float> keys, values;
    AttendedHead head;
};

HeadRows rowsOf(const KvCache& cache, int layer, int head) {
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
    const KvExtent extent = cache.shape().extent(LayerIndex(layer));
    const auto slots = static_cast<std::size_t>(view.slots);
    HeadRows rows;
    rows.keys.resize(slots * static_cast<std::size_t>(extent.keyDim));
    rows.values.resize(slots * static_cast<std::size_t>(extent.valueDim));
    readKeys(view, extent.keyDim, 0, view.slots, rows.keys.data());
    readValues(view, extent.valueDim, 0, view.slots, rows.values.data());
    rows.head.keys = {rows.keys.data(), {view.slots, extent.keyDim}};
    rows.head.values = {rows.values.data(), {view.slots, extent.valueDim}};
    if (view.bias != nullptr) rows.head.bias.assign(view.bias, view.bias + slots);
    return rows;
}

HeadScoring scoringOf(const ModelSpec& spec, int layer, int head) {
    const float scale = attentionScaleOf(spec, LayerIndex(layer));
    HeadScoring scoring{.scale = static_cast<double>(scale),
                        .softCap = static_cast<double>(spec.attentionSoftCap)};
    if (spec.sinkScores.empty()) return scoring;
    const int group = spec.heads / spec.layer(layer).kvHeads;
    const auto first = spec.sinkScores.begin() + std::ptrdiff_t{layer} * spec.heads + head * group;
    scoring.sinks.assign(first, first + group);
    return scoring;
}

View<const float, 2> rowsView(const std::vector<float>& rows, int dim) {
    return {rows.data(), {static_cast<std::int64_t>(rows.size()) / dim, dim}};
}

}  // namespace

QueryCapture::QueryCapture(const ModelSpec& spec, Position first, int count, int tokens)
    : heads_(spec.heads),
      shape_(plainShapeOf(spec)),
      layers_(static_cast<std::size_t>(spec.layers)) {
    const int kept = std::min(count, tokens);
    for (int i = 0; i < kept; ++i)
        positions_.push_back(first.value + static_cast<std::int32_t>((std::int64_t{2} * i + 1) *
                                                                     count / (2 * kept)));
}

void QueryCapture::observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) {
    const auto end = first.value + static_cast<std::int32_t>(queries.extent(0));
    const auto from = std::ranges::lower_bound(positions_, first.value);
    const auto width = std::ptrdiff_t{heads_} * shape_.extent(layer).keyDim;
    auto& rows = layers_[static_cast<std::size_t>(layer.value)];
    for (auto at = from; at != positions_.end() && *at < end; ++at) {
        const float* const row = queries.data() + (*at - first.value) * width;
        rows.insert(rows.end(), row, row + width);
    }
}

bool QueryCapture::observed() const {
    return std::ranges::any_of(layers_, [](const auto& rows) { return !rows.empty(); });
}

std::vector<float> QueryCapture::gather(LayerIndex layer, HeadIndex head) const {
    const auto& rows = layers_[static_cast<std::size_t>(layer.value)];
    const KvExtent extent = shape_.extent(layer);
    const auto width = static_cast<std::size_t>(heads_) * static_cast<std::size_t>(extent.keyDim);
    const auto share = width / static_cast<std::size_t>(extent.heads);
    std::vector<float> own;
    for (std::size_t at = share * static_cast<std::size_t>(head.value); at < rows.size();
         at += width) {
        const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(at);
        own.insert(own.end(), begin, begin + static_cast<std::ptrdiff_t>(share));
    }
    return own;
}

HeadFidelity compareHead(const KvCache& full, const KvCache& compacted, LayerIndex layer,
                         HeadIndex head, const std::vector<float>& queries, const ModelSpec& spec) {
    const auto answers = [&](const KvCache& cache) {
        const HeadRows rows = rowsOf(cache, layer.value, head.value);
        return headAnswers(rows.head, rowsView(queries, cache.shape().extent(layer).keyDim),
                           scoringOf(spec, layer.value, head.value));
    };
    return headFidelity(answers(full), answers(compacted));
}

HeadReference::HeadReference(const KvCache& full, const QueryCapture& queries,
                             const ModelSpec& spec, ThreadPool& pool)
    : spec_(spec),
      pool_(pool),
      shape_(plainShapeOf(spec)),
      heads_(static_cast<std::size_t>(shape_.headCount())) {
    pool_.parallelFor(static_cast<int>(heads_.size()), [&](int i) {
        const auto [layer, head] = shape_.placeOf(i);
        std::vector<float> own = queries.gather(layer, head);
        if (spec_.layer(layer.value).sliding || own.empty()) return;
        const HeadRows rows = rowsOf(full, layer.value, head.value);
        auto answers = headAnswers(rows.head, rowsView(own, shape_.extent(layer).keyDim),
                                   scoringOf(spec_, layer.value, head.value));
        heads_[static_cast<std::size_t>(i)] = Head{std::move(own), std::move(answers)};
    });
}

std::vector<HeadDivergence> HeadReference::compare(const KvCache& compacted) const {
    std::vector<HeadDivergence> found(heads_.size());
    pool_.parallelFor(static_cast<int>(heads_.size()), [&](int i) {
        const auto& reference = heads_[static_cast<std::size_t>(i)];
        if (!reference) return;
        HeadDivergence& one = found[static_cast<std::size_t>(i)];
        const auto [layer, head] = shape_.placeOf(i);
        one.layer = layer.value;
        one.head = head.value;
        one.slots = compacted.slots(layer, head);
        const HeadRows rows = rowsOf(compacted, one.layer, one.head);
        const auto queries = rowsView(reference->queries, shape_.extent(layer).keyDim);
        one.fidelity =
            headFidelity(reference->full,
                         headAnswers(rows.head, queries, scoringOf(spec_, one.layer, one.head)));
    });
    std::vector<HeadDivergence> measured;
    for (std::size_t i = 0; i < found.size(); ++i)
        if (heads_[i]) measured.push_back(found[i]);
    return measured;
}

HeadFidelity meanFidelity(const std::vector<HeadDivergence>& heads) {
    HeadFidelity mean;
    for (const HeadDivergence& one : heads) {
        const auto count = static_cast<double>(heads.size());
        mean.outputError += one.fidelity.outputError / count;
        mean.logMassError += one.fidelity.logMassError / count;
        mean.cosine += one.fidelity.cosine / count;
    }
    return mean;
}

}  // namespace lacuna
