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
    std::vector<float> all = dependencies;
    all.insert(all.end(), lengths.begin(), lengths.end());
    return hashHex(std::as_bytes(std::span(all)));
}

double concentration(const QueryCentres& centres, const QueryRotation& rotation) {
    const auto bands = static_cast<std::size_t>(centres.bands);
    std::vector<float> lengths(bands);
    double sum = 0;
    for (std::size_t head = 0; head * bands < centres.lengths.size(); ++head) {
        bandLengths(rotation,
                    centres.dependencies.data() + head * static_cast<std::size_t>(centres.dim),
                    centres.dim, lengths.data());
        for (std::size_t f = 0; f < bands; ++f) {
            const auto whole = static_cast<double>(centres.lengths[head * bands + f]);
            sum += whole > 0 ? static_cast<double>(lengths[f]) / whole : 0.0;
        }
    }
    return centres.lengths.empty() ? 0 : sum / static_cast<double>(centres.lengths.size());
}

void QuerySums::add(const QueryRotation& rotation, const float* row, int heads, int dim) {
    const auto width = static_cast<std::size_t>(dim);
    const std::size_t bands = width - rotation.pairs();
    dependencies.resize(static_cast<std::size_t>(heads) * width);
    lengths.resize(static_cast<std::size_t>(heads) * bands);
    std::vector<float> length(bands);
    for (std::size_t head = 0; head < static_cast<std::size_t>(heads); ++head) {
        const float* query = row + head * width;
        for (std::size_t i = 0; i < width; ++i)
            dependencies[head * width + i] += static_cast<double>(query[i]);
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
    out.tokens = layers_.empty() ? 0 : layers_.front().tokens;
    for (const QuerySums& sums : layers_) {
        const auto tokens = static_cast<double>(std::max<std::int64_t>(sums.tokens, 1));
        for (const double x : sums.dependencies)
            out.dependencies.push_back(static_cast<float>(x / tokens));
        for (const double x : sums.lengths) out.lengths.push_back(static_cast<float>(x / tokens));
    }
    return out;
}

TurnedCentre turnedCentre(const float* mean, const float* lengths, int dim,
                          const QueryRotation& rotation, bool turns, std::int64_t tokens) {
    const std::size_t pairs = rotation.pairs();
    TurnedCentre out{std::vector<float>(mean, mean + dim),
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
      bands_(cache.shape().keyDim - static_cast<int>(scoring_.rotation.pairs())),
      layers_(static_cast<std::size_t>(cache.shape().layers)) {}

void TriAttention::observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) {
    if (scoring_.centres != nullptr) return;
    Watched& watched = layers_[static_cast<std::size_t>(layer.value)];
    const int dim = cache_->shape().keyDim;
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
    if (watched.at.size() > kLag) fold(watched, watched.at.size() - kLag);
}

/// Adds the oldest waiting queries to the sums.
void TriAttention::fold(Watched& watched, std::size_t count) const {
    const int dim = cache_->shape().keyDim;
    const auto width = static_cast<std::size_t>(scoring_.heads) * static_cast<std::size_t>(dim);
    for (std::size_t t = 0; t < count; ++t) {
        watched.sums.add(scoring_.rotation, watched.rows.data() + t * width, scoring_.heads, dim);
        const std::int64_t end = watched.at[t] + 1;
        if (isCheckpoint(end) && watched.sums.tokens >= kFewest)
            watched.checkpoints.push_back({end, watched.sums});
    }
    watched.at.erase(watched.at.begin(), watched.at.begin() + static_cast<std::ptrdiff_t>(count));
    watched.rows.erase(watched.rows.begin(),
                       watched.rows.begin() + static_cast<std::ptrdiff_t>(count * width));
}

void TriAttention::forgetFrom(Position position) {
    const auto width =
        static_cast<std::size_t>(scoring_.heads) * static_cast<std::size_t>(cache_->shape().keyDim);
    for (Watched& watched : layers_) {
        const bool folded = watched.at.empty() || position.value < watched.at.front();
        while (!watched.at.empty() && watched.at.back() >= position.value) watched.at.pop_back();
        watched.rows.resize(watched.at.size() * width);
        if (!folded) continue;
        auto& kept = watched.checkpoints;
        while (!kept.empty() && kept.back().end > position.value) kept.pop_back();
        watched.sums = kept.empty() ? QuerySums() : kept.back().sums;
    }
    inverse_.clear();
}

int TriAttention::observed(LayerIndex layer) const {
    if (scoring_.centres != nullptr) return static_cast<int>(scoring_.centres->tokens);
    const Watched& watched = layers_[static_cast<std::size_t>(layer.value)];
    return static_cast<int>(watched.sums.tokens) + static_cast<int>(watched.at.size());
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
    return std::ranges::all_of(layers_, [&](const Watched& watched) {
        return checkpointFor(watched, request) != nullptr;
    });
}

/// Short texts have no old enough checkpoint: all their queries count.
QuerySums TriAttention::sumsFor(LayerIndex layer, const ScoreRequest& request) const {
    const Watched& watched = layers_[static_cast<std::size_t>(layer.value)];
    if (const Checkpoint* found = checkpointFor(watched, request)) return found->sums;
    const int dim = cache_->shape().keyDim;
    const auto width = static_cast<std::size_t>(scoring_.heads) * static_cast<std::size_t>(dim);
    QuerySums all = watched.sums;
    for (std::size_t t = 0; t < watched.at.size(); ++t)
        all.add(scoring_.rotation, watched.rows.data() + t * width, scoring_.heads, dim);
    return all;
}

TriAttention::Centre TriAttention::centreOf(const QuerySums& sums, LayerIndex layer,
                                            int queryHead) const {
    const auto dim = static_cast<std::size_t>(cache_->shape().keyDim);
    const auto bands = static_cast<std::size_t>(bands_);
    const auto head = static_cast<std::size_t>(queryHead);
    if (const QueryCentres* centres = scoring_.centres.get()) {
        const std::size_t at =
            static_cast<std::size_t>(layer.value) * static_cast<std::size_t>(scoring_.heads) + head;
        const auto mean = std::span(centres->dependencies).subspan(at * dim, dim);
        const auto lengths = std::span(centres->lengths).subspan(at * bands, bands);
        return {{mean.begin(), mean.end()}, {lengths.begin(), lengths.end()}};
    }
    const auto tokens = static_cast<double>(sums.tokens);
    Centre out;
    for (std::size_t i = 0; i < dim; ++i)
        out.mean.push_back(static_cast<float>(sums.dependencies[head * dim + i] / tokens));
    for (std::size_t f = 0; f < bands; ++f)
        out.lengths.push_back(static_cast<float>(sums.lengths[head * bands + f] / tokens));
    return out;
}

SlotScores TriAttention::scores(const KvHeadView& head, LayerIndex layer, HeadIndex number,
                                const ScoreRequest& request) const {
    if (observed(layer) == 0) return {};
    const KvShape& shape = cache_->shape();
    const QueryRotation& rotation = scoring_.rotation;
    const auto dim = static_cast<std::size_t>(shape.keyDim);
    const std::size_t width = dim + static_cast<std::size_t>(bands_);
    const int group = scoring_.heads / shape.kvHeads;
    const QuerySums sums = scoring_.centres != nullptr ? QuerySums() : sumsFor(layer, request);
    std::vector<float> factors;  // [group, dim + bands]
    for (int g = 0; g < group; ++g) {
        const Centre centre = centreOf(sums, layer, number.value * group + g);
        const TurnedCentre turned =
            turnedCentre(centre.mean.data(), centre.lengths.data(), shape.keyDim, rotation,
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
        readKeys(head, shape.keyDim, first, count, keys.data());
        for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j) {
            std::copy_n(keys.data() + j * dim, dim, tile.data() + j * width);
            bandLengths(rotation, keys.data() + j * dim, shape.keyDim,
                        tile.data() + j * width + dim);
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
