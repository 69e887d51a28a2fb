#include "engine/kv/eviction/tri_attention.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "engine/base/hash.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

constexpr int kTileSlots = 64;
constexpr double kMinDeviation = 1e-6;

/// 1, 2, 3, 4, 6, 8, 12, 16, 24, ...: the newest checkpoint before any position contains at least
/// two thirds of the queries before it.
bool isCheckpoint(std::int64_t end) {
    const auto number = static_cast<std::uint64_t>(end);
    return std::has_single_bit(number) || (number % 3 == 0 && std::has_single_bit(number / 3));
}

bool allFinite(const float* row, std::size_t count) {
    return std::all_of(row, row + count, [](float x) { return std::isfinite(x); });
}

/// Norms of the bands of a row [dim].
void bandLengths(const QueryRotation& rotation, const float* row, int dim, float* out) {
    const std::size_t pairs = rotation.pairs();
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        const auto [a, b] = rotation.elementsOf(pair);
        out[pair] = std::sqrt(row[a] * row[a] + row[b] * row[b]);
    }
    for (std::size_t i = 2 * pairs; i < static_cast<std::size_t>(dim); ++i)
        out[i - pairs] = std::fabs(row[i]);
}

/// Converts `scores` to z-scores over the slots that count.
void normalise(std::span<float> scores, const std::vector<bool>& counts) {
    double total = 0;
    double squares = 0;
    std::int64_t count = 0;
    for (std::size_t j = 0; j < scores.size(); ++j) {
        if (!counts[j] || !std::isfinite(scores[j])) continue;
        total += static_cast<double>(scores[j]);
        ++count;
    }
    if (count == 0) return;
    const double mean = total / static_cast<double>(count);
    for (std::size_t j = 0; j < scores.size(); ++j) {
        if (!counts[j] || !std::isfinite(scores[j])) continue;
        const double off = static_cast<double>(scores[j]) - mean;
        squares += off * off;
    }
    const double deviation =
        std::max(std::sqrt(squares / static_cast<double>(count)), kMinDeviation);
    for (float& score : scores)
        score = static_cast<float>((static_cast<double>(score) - mean) / deviation);
}

}  // namespace

std::string QueryCentres::hash() const {
    std::vector<float> all = means;
    all.insert(all.end(), lengths.begin(), lengths.end());
    return hashHex(std::as_bytes(std::span(all)));
}

namespace {

/// Part of numbers [layers, heads, width] that belongs to a query head; `widthOf` a layer.
template <class WidthOf>
std::span<const float> partOf(const std::vector<float>& all, int heads, int layer, int head,
                              const WidthOf& widthOf) {
    std::size_t rows = 0;
    for (int before = 0; before < layer; ++before)
        rows += static_cast<std::size_t>(widthOf(before));
    const auto width = static_cast<std::size_t>(widthOf(layer));
    return std::span(all).subspan(
        rows * static_cast<std::size_t>(heads) + static_cast<std::size_t>(head) * width, width);
}

}  // namespace

std::span<const float> QueryCentres::meanOf(int layer, int head) const {
    return partOf(means, heads, layer, head, [&](int one) { return dimOf(one); });
}

std::span<const float> QueryCentres::lengthsOf(int layer, int head) const {
    return partOf(lengths, heads, layer, head, [&](int one) { return bandsOf(one); });
}

double concentration(const QueryCentres& centres, const QueryRotation& rotation) {
    std::vector<float> lengths;
    double sum = 0;
    for (int layer = 0; layer < centres.layers; ++layer) {
        if (centres.dimOf(layer) == 0) continue;
        lengths.resize(static_cast<std::size_t>(centres.bandsOf(layer)));
        for (int head = 0; head < centres.heads; ++head) {
            const std::span<const float> whole = centres.lengthsOf(layer, head);
            bandLengths(rotation, centres.meanOf(layer, head).data(), centres.dimOf(layer),
                        lengths.data());
            for (std::size_t f = 0; f < lengths.size(); ++f)
                sum += whole[f] > 0
                           ? static_cast<double>(lengths[f]) / static_cast<double>(whole[f])
                           : 0.0;
        }
    }
    return centres.lengths.empty() ? 0 : sum / static_cast<double>(centres.lengths.size());
}

void QuerySums::add(const QueryRotation& rotation, const float* row, int heads, int dim) {
    const auto width = static_cast<std::size_t>(dim);
    const std::size_t bands = width - rotation.pairs();
    means.resize(static_cast<std::size_t>(heads) * width);
    lengths.resize(static_cast<std::size_t>(heads) * bands);
    std::vector<float> length(bands);
    for (std::size_t head = 0; head < static_cast<std::size_t>(heads); ++head) {
        const float* query = row + head * width;
        for (std::size_t i = 0; i < width; ++i)
            means[head * width + i] += static_cast<double>(query[i]);
        bandLengths(rotation, query, dim, length.data());
        for (std::size_t f = 0; f < bands; ++f)
            lengths[head * bands + f] += static_cast<double>(length[f]);
    }
    ++tokens;
}

QueryCentreSums::QueryCentreSums(int layers, int heads, QueryRotation rotation)
    : heads_(heads), rotation_(std::move(rotation)), layers_(static_cast<std::size_t>(layers)) {}

void QueryCentreSums::observeQueries(LayerIndex layer, View<const float, 3> queries,
                                     Position first) {
    const auto dim = static_cast<int>(queries.extent(2));
    if (!rotation_.fits(dim)) return;
    const auto width = static_cast<std::size_t>(queries.extent(1) * queries.extent(2));
    const bool turns = rotation_.turns(layer.value);
    if (turns) inverse_.prepare(rotation_, first.value, queries.extent(0));
    std::vector<float> row(width);
    for (std::int64_t i = 0; i < queries.extent(0); ++i) {
        const float* query = queries.data() + i * static_cast<std::int64_t>(width);
        if (first.value + i < kQueriesLeftOut || !allFinite(query, width)) continue;
        std::copy_n(query, width, row.begin());
        if (turns) inverse_.apply(rotation_, i, row.data(), heads_, dim);
        layers_[static_cast<std::size_t>(layer.value)].add(rotation_, row.data(), heads_, dim);
    }
}

QueryCentres QueryCentreSums::centres(int dim) const {
    QueryCentres out{.layers = static_cast<int>(layers_.size()),
                     .heads = heads_,
                     .dim = dim,
                     .bands = dim - static_cast<int>(rotation_.pairs())};
    std::vector<int> dims;
    for (const QuerySums& sums : layers_) {
        // Layers that others read have more queries than tokens.
        if (sums.tokens > 0)
            out.tokens = out.tokens == 0 ? sums.tokens : std::min(out.tokens, sums.tokens);
        dims.push_back(static_cast<int>(sums.means.size()) / heads_);
    }
    if (std::ranges::any_of(dims, [dim](int one) { return one != dim; })) {
        out.dim = 0;
        out.bands = 0;
        out.dims = std::move(dims);
        out.pairs = static_cast<int>(rotation_.pairs());
    }
    for (const QuerySums& sums : layers_) {
        const auto tokens = static_cast<double>(std::max<std::int64_t>(sums.tokens, 1));
        for (const double x : sums.means) out.means.push_back(static_cast<float>(x / tokens));
        for (const double x : sums.lengths) out.lengths.push_back(static_cast<float>(x / tokens));
    }
    return out;
}

RotatedCentre rotatedCentre(const float* mean, const float* lengths, int dim,
                            const QueryRotation& rotation, bool turns, std::int64_t tokens) {
    const std::size_t pairs = rotation.pairs();
    RotatedCentre out{std::vector<float>(mean, mean + dim),
                      std::vector<float>(lengths, lengths + dim - pairs)};
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        const auto [a, b] = rotation.elementsOf(pair);
        const auto x = static_cast<double>(mean[a]);
        const auto y = static_cast<double>(mean[b]);
        const double magnitude = turns ? rotation.magnitude : 1.0;
        double cosine = 1;
        double sine = 0;
        if (turns) {
            cosine = 0;
            for (int i = 0; i < kDistances; ++i) {
                const double angle = rotation.frequencies[pair] *
                                     static_cast<double>(tokens - 1 + (std::int64_t{1} << i));
                cosine += std::cos(angle) / kDistances;
                sine += std::sin(angle) / kDistances;
            }
        }
        out.direction[a] = static_cast<float>(magnitude * (x * cosine - y * sine));
        out.direction[b] = static_cast<float>(magnitude * (y * cosine + x * sine));
        out.excess[pair] = static_cast<float>(
            magnitude * (static_cast<double>(lengths[pair]) - std::sqrt(x * x + y * y)));
    }
    for (std::size_t i = 2 * pairs; i < static_cast<std::size_t>(dim); ++i)
        out.excess[i - pairs] -= std::fabs(mean[i]);
    return out;
}

TriAttention::TriAttention(const KvCache& cache, TriScoring scoring)
    : cache_(&cache),
      scoring_(std::move(scoring)),
      readers_(cache.shape()),
      layers_(static_cast<std::size_t>(cache.shape().layers), std::vector<Watched>(1)) {}

void TriAttention::observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) {
    const auto dim = static_cast<int>(queries.extent(2));
    const std::size_t reader = readers_.next(layer, first);
    if (scoring_.centres != nullptr || !scoring_.rotation.fits(dim)) return;
    std::vector<Watched>& reading = layers_[static_cast<std::size_t>(layer.value)];
    if (reader >= reading.size()) reading.resize(reader + 1);
    Watched& watched = reading[reader];
    const auto width = static_cast<std::size_t>(queries.extent(1) * queries.extent(2));
    // Queries left by an abandoned step.
    while (!watched.at.empty() && watched.at.back() >= first.value) {
        watched.at.pop_back();
        watched.rows.resize(watched.rows.size() - width);
    }
    const bool turns = scoring_.rotation.turns(layer.value);
    if (turns) inverse_.prepare(scoring_.rotation, first.value, queries.extent(0));
    for (std::int64_t i = 0; i < queries.extent(0); ++i) {
        const float* row = queries.data() + i * static_cast<std::int64_t>(width);
        if (first.value + i < kQueriesLeftOut || !allFinite(row, width)) continue;
        watched.at.push_back(first.value + i);
        watched.rows.insert(watched.rows.end(), row, row + width);
        if (turns)
            inverse_.apply(scoring_.rotation, i, watched.rows.data() + watched.rows.size() - width,
                           scoring_.heads, dim);
    }
    if (watched.at.size() > kLag) fold(watched, watched.at.size() - kLag, dim);
}

/// Adds the oldest waiting queries to the sums.
void TriAttention::fold(Watched& watched, std::size_t count, int dim) const {
    const auto width = static_cast<std::size_t>(scoring_.heads) * static_cast<std::size_t>(dim);
    for (std::size_t t = 0; t < count; ++t) {
        watched.sums.add(scoring_.rotation, watched.rows.data() + t * width, scoring_.heads, dim);
        const std::int64_t end = watched.at[t] + 1;
        if (isCheckpoint(end) && watched.sums.tokens >= kMinTokens)
            watched.checkpoints.push_back({end, watched.sums});
    }
    watched.at.erase(watched.at.begin(), watched.at.begin() + static_cast<std::ptrdiff_t>(count));
    watched.rows.erase(watched.rows.begin(),
                       watched.rows.begin() + static_cast<std::ptrdiff_t>(count * width));
}

void TriAttention::dropFrom(Position position) {
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
        const auto width = static_cast<std::size_t>(scoring_.heads) *
                           static_cast<std::size_t>(dimOf(LayerIndex(static_cast<int>(layer))));
        for (Watched& watched : layers_[layer]) {
            const bool folded = watched.at.empty() || position.value < watched.at.front();
            while (!watched.at.empty() && watched.at.back() >= position.value)
                watched.at.pop_back();
            watched.rows.resize(watched.at.size() * width);
            if (!folded) continue;
            auto& kept = watched.checkpoints;
            while (!kept.empty() && kept.back().end > position.value) kept.pop_back();
            watched.sums = kept.empty() ? QuerySums() : kept.back().sums;
        }
    }
    readers_.reset();
    inverse_.clear();
}

int TriAttention::observed(LayerIndex layer) const {
    if (scoring_.centres != nullptr) return static_cast<int>(scoring_.centres->tokens);
    return static_cast<int>(layers_[static_cast<std::size_t>(layer.value)].front().seen());
}

const TriAttention::Checkpoint* TriAttention::checkpointFor(const Watched& watched,
                                                            const ScoreRequest& request) const {
    const Checkpoint* found = nullptr;
    for (const Checkpoint& one : watched.checkpoints)
        if (one.end <= request.anchorEnd - kLag) found = &one;
    return found;
}

bool TriAttention::known(const ScoreRequest& request) const {
    if (scoring_.centres != nullptr) return true;
    for (int layer = 0; layer < cache_->shape().layers; ++layer) {
        const KvExtent extent = cache_->shape().extent(LayerIndex(layer));
        if (extent.heads == 0 || !scoring_.rotation.fits(extent.keyDim)) continue;
        for (const Watched& watched : layers_[static_cast<std::size_t>(layer)])
            if (checkpointFor(watched, request) == nullptr) return false;
    }
    return true;
}

/// Short texts have no old enough checkpoint: all their queries count.
QuerySums TriAttention::sumsFor(const Watched& watched, int dim,
                                const ScoreRequest& request) const {
    if (const Checkpoint* found = checkpointFor(watched, request)) return found->sums;
    const auto width = static_cast<std::size_t>(scoring_.heads) * static_cast<std::size_t>(dim);
    QuerySums all = watched.sums;
    for (std::size_t t = 0; t < watched.at.size(); ++t)
        all.add(scoring_.rotation, watched.rows.data() + t * width, scoring_.heads, dim);
    return all;
}

TriAttention::Centre TriAttention::centreOf(const QuerySums& sums, int dim, int queryHead) const {
    const auto width = static_cast<std::size_t>(dim);
    const std::size_t bands = width - scoring_.rotation.pairs();
    const auto head = static_cast<std::size_t>(queryHead);
    const auto tokens = static_cast<double>(sums.tokens);
    Centre out;
    for (std::size_t i = 0; i < width; ++i)
        out.mean.push_back(static_cast<float>(sums.means[head * width + i] / tokens));
    for (std::size_t f = 0; f < bands; ++f)
        out.lengths.push_back(static_cast<float>(sums.lengths[head * bands + f] / tokens));
    return out;
}

/// Centres of the query heads that share a KV head, reader by reader.
std::vector<TriAttention::Centre> TriAttention::centresOf(LayerIndex layer, HeadIndex number,
                                                          const ScoreRequest& request) const {
    const int group = scoring_.heads / cache_->shape().heads(layer);
    const int dim = dimOf(layer);
    std::vector<Centre> out;
    if (const QueryCentres* centres = scoring_.centres.get()) {
        for (int g = 0; g < group; ++g) {
            const auto mean = centres->meanOf(layer.value, number.value * group + g);
            const auto lengths = centres->lengthsOf(layer.value, number.value * group + g);
            out.push_back({{mean.begin(), mean.end()}, {lengths.begin(), lengths.end()}});
        }
        return out;
    }
    for (const Watched& watched : layers_[static_cast<std::size_t>(layer.value)]) {
        if (watched.seen() == 0) continue;
        const QuerySums sums = sumsFor(watched, dim, request);
        for (int g = 0; g < group; ++g)
            out.push_back(centreOf(sums, dim, number.value * group + g));
    }
    return out;
}

SlotScores TriAttention::scores(const KvHeadView& head, LayerIndex layer, HeadIndex number,
                                const ScoreRequest& request) const {
    if (observed(layer) == 0) return {};
    const QueryRotation& rotation = scoring_.rotation;
    const int keyDim = dimOf(layer);
    const auto dim = static_cast<std::size_t>(keyDim);
    const std::size_t width = dim + dim - rotation.pairs();
    const std::vector<Centre> centres = centresOf(layer, number, request);
    const auto group = static_cast<int>(centres.size());
    std::vector<float> factors;  // [group, dim + bands]
    for (const Centre& centre : centres) {
        const RotatedCentre turned =
            rotatedCentre(centre.mean.data(), centre.lengths.data(), keyDim, rotation,
                          rotation.turns(layer.value), std::max<std::int64_t>(request.tokens, 1));
        factors.insert(factors.end(), turned.direction.begin(), turned.direction.end());
        factors.insert(factors.end(), turned.excess.begin(), turned.excess.end());
    }
    const auto slots = static_cast<std::size_t>(head.slots);
    std::vector<float> logits(static_cast<std::size_t>(group) * slots);
    std::vector<bool> counts(slots);
    std::vector<float> keys(static_cast<std::size_t>(kTileSlots) * dim);
    std::vector<float> tile(static_cast<std::size_t>(kTileSlots) * width);
    std::vector<float> products(static_cast<std::size_t>(kTileSlots * group));
    const auto stride = static_cast<std::int64_t>(width * sizeof(float));
    for (int first = 0; first < head.slots; first += kTileSlots) {
        const int count = std::min(kTileSlots, head.slots - first);
        readKeys(head, keyDim, first, count, keys.data());
        for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j) {
            std::copy_n(keys.data() + j * dim, dim, tile.data() + j * width);
            bandLengths(rotation, keys.data() + j * dim, keyDim, tile.data() + j * width + dim);
        }
        bestKernels().dotManyQueries[kernelIndex(DType::F32)](
            {reinterpret_cast<const std::byte*>(tile.data()), stride, count,
             static_cast<std::int64_t>(width)},
            {.queries = factors.data(),
             .queryStride = static_cast<std::int64_t>(width),
             .weights = products.data(),
             .weightStride = kTileSlots,
             .count = group});
        for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j) {
            const std::size_t slot = static_cast<std::size_t>(first) + j;
            const float bias = head.bias == nullptr ? 0.0F : head.bias[slot];
            const bool hole = std::isinf(bias);
            const std::int64_t position =
                head.positions == nullptr ? static_cast<std::int64_t>(slot) : head.positions[slot];
            counts[slot] = !hole && position >= kQueriesLeftOut && position < request.anchorEnd;
            for (std::size_t g = 0; g < static_cast<std::size_t>(group); ++g)
                logits[g * slots + slot] =
                    scoring_.scaling.scale * products[g * kTileSlots + j] + (hole ? 0.0F : bias);
        }
    }
    SlotScores out(slots, -std::numeric_limits<float>::infinity());
    for (std::size_t g = 0; g < static_cast<std::size_t>(group); ++g) {
        const auto own = std::span(logits).subspan(g * slots, slots);
        normalise(own, counts);
        for (std::size_t j = 0; j < slots; ++j) out[j] = std::max(out[j], own[j]);
    }
    return out;
}

}  // namespace lacuna
