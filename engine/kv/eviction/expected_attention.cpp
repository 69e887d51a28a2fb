#include "engine/kv/eviction/expected_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/kernels/cpu_features.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr int kTileSlots = 64;
// For slots without expected attention and values of norm 0: below every logarithm of a share, but
// finite, so that it can be averaged.
constexpr float kNothing = -1e6F;
constexpr float kShortest = 1e-30F;

/// Cosine and sine, including the magnitude, of the mean of the rotations by a frequency at `count`
/// positions: the rotation to their middle, scaled by the Dirichlet kernel.
std::pair<double, double> meanRotation(double frequency, double magnitude, std::int64_t first,
                                       int count) {
    const double half = frequency / 2;
    const double sine = std::sin(half);
    const double length = std::abs(sine) < 1e-12 ? 1.0 : std::sin(count * half) / (count * sine);
    const double middle = frequency * (static_cast<double>(first) + (count - 1) / 2.0);
    return {magnitude * length * std::cos(middle), magnitude * length * std::sin(middle)};
}

bool allFinite(const float* row, std::size_t count) {
    return std::all_of(row, row + count, [](float x) { return std::isfinite(x); });
}

/// Euclidean norm of every value; 0 if it is not finite.
std::vector<float> valueLengths(const KvHeadView& head, int valueDim) {
    const auto width = static_cast<std::size_t>(valueDim);
    std::vector<float> tile(static_cast<std::size_t>(kTileSlots) * width);
    std::vector<float> lengths(static_cast<std::size_t>(head.slots));
    for (int first = 0; first < head.slots; first += kTileSlots) {
        const int count = std::min(kTileSlots, head.slots - first);
        readValues(head, valueDim, first, count, tile.data());
        for (int j = 0; j < count; ++j) {
            const float length =
                norm(std::span(tile).subspan(static_cast<std::size_t>(j) * width, width));
            lengths[static_cast<std::size_t>(first + j)] = std::isfinite(length) ? length : 0.0F;
        }
    }
    return lengths;
}

/// ln(exp(a) + exp(b)); -infinity represents 0.
float addLogs(float a, float b) {
    const float top = std::max(a, b);
    if (top == kMinusInfinity) return top;
    return top + std::log1p(std::exp(std::min(a, b) - top));
}

/// Converts logits to ln of the share of every slot among all finite ones and the sink.
void toLogShares(std::vector<float>& logits, float sink) {
    const KernelTable& kernels = bestKernels();
    const auto count = static_cast<std::int64_t>(logits.size());
    const float top = kernels.maximum(logits.data(), count);
    if (top == kMinusInfinity) return;
    std::vector<float> weights = logits;
    const float mass = kernels.expSum(weights.data(), top, count) + std::exp(sink - top);
    const float all = top + std::log(mass);
    for (float& logit : logits) logit -= all;
}

}  // namespace

QueryMoments rotatedAhead(const QueryMoments& moments, const QueryRotation& rotation,
                          std::int64_t first, int count) {
    const std::size_t dim = moments.mean.size();
    std::vector<double> mean(moments.mean.begin(), moments.mean.end());
    std::vector<double> covariance(moments.covariance.begin(), moments.covariance.end());
    for (std::size_t pair = 0; pair < rotation.frequencies.size(); ++pair) {
        const auto [a, b] = rotation.elementsOf(pair);
        const auto [cosine, sine] =
            meanRotation(rotation.frequencies[pair], rotation.magnitude, first, count);
        const auto turn = [cosine = cosine, sine = sine](double& x, double& y) {
            const double before = x;
            x = before * cosine - y * sine;
            y = y * cosine + before * sine;
        };
        turn(mean[a], mean[b]);
        for (std::size_t i = 0; i < dim; ++i)
            turn(covariance[i * dim + a], covariance[i * dim + b]);
        for (std::size_t i = 0; i < dim; ++i)
            turn(covariance[a * dim + i], covariance[b * dim + i]);
    }
    return {{mean.begin(), mean.end()}, {covariance.begin(), covariance.end()}};
}

std::vector<float> expectedLogits(const KvHeadView& head, int keyDim, const LogitScaling& scaling,
                                  const QueryMoments& moments) {
    const auto dim = static_cast<std::size_t>(keyDim);
    // The mean and the rows of the covariance are multiplied with the keys in one pass.
    std::vector<float> factors = moments.mean;
    factors.insert(factors.end(), moments.covariance.begin(), moments.covariance.end());
    std::vector<float> tile(static_cast<std::size_t>(kTileSlots) * dim);
    std::vector<float> products(static_cast<std::size_t>(kTileSlots) * (dim + 1));
    std::vector<float> logits(static_cast<std::size_t>(head.slots));
    const auto stride = static_cast<std::int64_t>(dim * sizeof(float));
    const float half = scaling.scale * scaling.scale / 2;
    for (int first = 0; first < head.slots; first += kTileSlots) {
        const int count = std::min(kTileSlots, head.slots - first);
        readKeys(head, keyDim, first, count, tile.data());
        bestKernels().dotManyQueries[kernelIndex(DType::F32)](
            {reinterpret_cast<const std::byte*>(tile.data()), stride, count, keyDim},
            {.queries = factors.data(),
             .queryStride = keyDim,
             .weights = products.data(),
             .weightStride = kTileSlots,
             .count = keyDim + 1});
        for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j) {
            float square = 0;
            for (std::size_t i = 0; i < dim; ++i)
                square += tile[j * dim + i] * products[(i + 1) * kTileSlots + j];
            logits[static_cast<std::size_t>(first) + j] =
                scaling.scale * products[j] + half * square;
        }
    }
    if (scaling.softCap > 0) bestKernels().softCap(logits.data(), scaling.softCap, head.slots);
    if (head.bias != nullptr) bestKernels().addTo(logits.data(), head.bias, head.slots);
    return logits;
}

ExpectedAttention::ExpectedAttention(const KvCache& cache, Expectation expectation,
                                     ThreadPool& pool)
    : cache_(&cache),
      expectation_(std::move(expectation)),
      pool_(pool),
      readers_(cache.shape()),
      layers_(static_cast<std::size_t>(cache.shape().layers), std::vector<Watched>(1)) {}

namespace {

std::size_t keyDimOf(const KvCache& cache, LayerIndex layer) {
    return static_cast<std::size_t>(cache.shape().extent(layer).keyDim);
}

}  // namespace

void ExpectedAttention::observeQueries(LayerIndex layer, View<const float, 3> queries,
                                       Position first) {
    const auto dim = static_cast<int>(queries.extent(2));
    const std::size_t reader = readers_.next(layer, first);
    if (!expectation_.rotation.fits(dim)) return;
    std::vector<Watched>& reading = layers_[static_cast<std::size_t>(layer.value)];
    if (reader >= reading.size()) reading.resize(reader + 1);
    Watched& watched = reading[reader];
    const auto width = static_cast<std::size_t>(queries.extent(1) * queries.extent(2));
    // Queries left by an abandoned step.
    while (!watched.at.empty() && watched.at.back() >= first.value) {
        watched.at.pop_back();
        watched.rows.resize(watched.rows.size() - width);
    }
    const QueryRotation& rotation = expectation_.rotation;
    const bool turns = rotation.turns(layer.value);
    if (turns) inverse_.prepare(rotation, first.value, queries.extent(0));
    for (std::int64_t i = 0; i < queries.extent(0); ++i) {
        const float* row = queries.data() + i * static_cast<std::int64_t>(width);
        if (first.value + i < kFirst || !allFinite(row, width)) continue;
        watched.at.push_back(first.value + i);
        watched.rows.insert(watched.rows.end(), row, row + width);
        if (turns)
            inverse_.apply(rotation, i, watched.rows.data() + watched.rows.size() - width,
                           expectation_.heads, dim);
    }
    while (watched.at.size() >= std::size_t{2} * kLag) fold(watched, static_cast<std::size_t>(dim));
}

/// Adds the queries of one head, [tokens, heads, d], to sums that already have a centre.
void ExpectedAttention::addBlock(std::span<const float> rows, std::size_t tokens, std::size_t head,
                                 std::size_t dim, Sums& sums) const {
    static thread_local std::vector<float> centred;
    static thread_local std::vector<float> columns;
    const std::size_t width = dim * static_cast<std::size_t>(expectation_.heads);
    centred.resize(tokens * dim);
    columns.resize(tokens * dim);
    for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t i = 0; i < dim; ++i) {
            const float x = rows[t * width + head * dim + i] - sums.centre[head * dim + i];
            centred[t * dim + i] = x;
            columns[i * tokens + t] = x;
            sums.queries[head * dim + i] += x;
        }
    bestKernels().addManyQueries[kernelIndex(DType::F32)](
        {reinterpret_cast<const std::byte*>(centred.data()),
         static_cast<std::int64_t>(dim * sizeof(float)), static_cast<std::int64_t>(tokens),
         static_cast<std::int64_t>(dim)},
        {.weights = columns.data(),
         .weightStride = static_cast<std::int64_t>(tokens),
         .sums = sums.products.data() + head * dim * dim,
         .sumStride = static_cast<std::int64_t>(dim),
         .count = static_cast<int>(dim)});
}

namespace {

/// Mean of rows [tokens, width].
std::vector<float> meanRow(std::span<const float> rows, std::size_t tokens) {
    const std::size_t width = rows.size() / tokens;
    std::vector<float> mean(width, 0.0F);
    for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t i = 0; i < width; ++i)
            mean[i] += rows[t * width + i] / static_cast<float>(tokens);
    return mean;
}

}  // namespace

/// Adds the oldest waiting queries.
void ExpectedAttention::fold(Watched& watched, std::size_t dim) {
    Sums& sums = watched.sums;
    const auto heads = static_cast<std::size_t>(expectation_.heads);
    const auto rows = std::span<const float>(watched.rows).first(kLag * heads * dim);
    if (sums.tokens == 0) {
        sums.first = watched.at.front();
        sums.centre = meanRow(rows, kLag);
        sums.queries.assign(heads * dim, 0.0F);
        sums.products.assign(heads * dim * dim, 0.0F);
    }
    pool_.parallelFor(expectation_.heads, [&](int head) {
        addBlock(rows, kLag, static_cast<std::size_t>(head), dim, sums);
    });
    sums.tokens += kLag;
    watched.at.erase(watched.at.begin(), watched.at.begin() + kLag);
    watched.rows.erase(watched.rows.begin(),
                       watched.rows.begin() + static_cast<std::ptrdiff_t>(rows.size()));
}

void ExpectedAttention::dropFrom(Position position) {
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
        const std::size_t width = static_cast<std::size_t>(expectation_.heads) *
                                  keyDimOf(*cache_, LayerIndex(static_cast<int>(layer)));
        for (Watched& watched : layers_[layer]) {
            while (!watched.at.empty() && watched.at.back() >= position.value)
                watched.at.pop_back();
            watched.rows.resize(watched.at.size() * width);
            // Queries already in the sums stay there. They are still representative of the head,
            // and only a long rollback gets here.
            if (position.value <= watched.sums.first) watched.sums = {};
        }
    }
    readers_.reset();
    inverse_.clear();
}

int ExpectedAttention::observed(LayerIndex layer) const {
    return static_cast<int>(layers_[static_cast<std::size_t>(layer.value)].front().seen());
}

QueryMoments ExpectedAttention::moments(LayerIndex layer, int queryHead) const {
    const auto reader = static_cast<std::size_t>(queryHead / expectation_.heads);
    const Watched& watched = layers_[static_cast<std::size_t>(layer.value)][reader];
    queryHead %= expectation_.heads;
    const std::size_t dim = keyDimOf(*cache_, layer);
    const std::size_t width = dim * static_cast<std::size_t>(expectation_.heads);
    const std::size_t waiting = watched.at.size();
    const std::size_t from = static_cast<std::size_t>(queryHead) * dim;
    // Copies the sums of this head and adds the waiting queries in the same way.
    std::vector<float> own(waiting * dim);
    for (std::size_t t = 0; t < waiting; ++t)
        std::copy_n(watched.rows.begin() + static_cast<std::ptrdiff_t>(t * width + from), dim,
                    own.begin() + static_cast<std::ptrdiff_t>(t * dim));
    std::vector<double> sum(dim, 0.0);
    std::vector<double> products(dim * dim, 0.0);
    std::vector<float> centre;
    if (watched.sums.tokens > 0) {
        const auto part = [&](const std::vector<float>& all, std::size_t size) {
            return std::span(all).subspan(static_cast<std::size_t>(queryHead) * size, size);
        };
        const auto queries = part(watched.sums.queries, dim);
        const auto squares = part(watched.sums.products, dim * dim);
        const auto near = part(watched.sums.centre, dim);
        centre.assign(near.begin(), near.end());
        sum.assign(queries.begin(), queries.end());
        products.assign(squares.begin(), squares.end());
    } else {
        centre = meanRow(own, waiting);
    }
    for (std::size_t t = 0; t < waiting; ++t)
        for (std::size_t i = 0; i < dim; ++i) own[t * dim + i] -= centre[i];
    for (std::size_t t = 0; t < waiting; ++t) {
        const float* row = own.data() + t * dim;
        for (std::size_t i = 0; i < dim; ++i) {
            sum[i] += static_cast<double>(row[i]);
            for (std::size_t j = 0; j < dim; ++j)
                products[i * dim + j] += static_cast<double>(row[i] * row[j]);
        }
    }
    const auto count = static_cast<double>(watched.seen());
    QueryMoments out{std::vector<float>(dim), std::vector<float>(dim * dim)};
    for (std::size_t i = 0; i < dim; ++i) {
        out.mean[i] = static_cast<float>(static_cast<double>(centre[i]) + sum[i] / count);
        for (std::size_t j = 0; j < dim; ++j)
            out.covariance[i * dim + j] = static_cast<float>(products[i * dim + j] / count -
                                                             sum[i] / count * (sum[j] / count));
    }
    return out;
}

SlotScores ExpectedAttention::scores(const KvHeadView& head, LayerIndex layer, HeadIndex number,
                                     const ScoreRequest& request) const {
    if (observed(layer) == 0) return {};
    const KvExtent extent = cache_->shape().extent(layer);
    const int group = expectation_.heads / extent.heads;
    const bool turns = expectation_.rotation.turns(layer.value);
    const auto slots = static_cast<std::size_t>(head.slots);
    const auto isFirst = [&](std::size_t j) {
        return (head.positions == nullptr ? static_cast<std::int64_t>(j) : head.positions[j]) <
               kFirst;
    };
    SlotScores out(slots, kMinusInfinity);
    const std::vector<Watched>& reading = layers_[static_cast<std::size_t>(layer.value)];
    std::vector<int> asking;
    for (int reader = 0; reader < static_cast<int>(reading.size()); ++reader)
        for (int g = 0; g < group && reading[static_cast<std::size_t>(reader)].seen() > 0; ++g)
            asking.push_back(reader * expectation_.heads + number.value * group + g);
    for (const int queryHead : asking) {
        QueryMoments coming = moments(layer, queryHead);
        if (turns) coming = rotatedAhead(coming, expectation_.rotation, request.tokens, kAhead);
        std::vector<float> logits =
            expectedLogits(head, extent.keyDim, expectation_.scaling, coming);
        for (std::size_t j = 0; j < slots; ++j)
            if (isFirst(j) || !std::isfinite(logits[j])) logits[j] = kMinusInfinity;
        toLogShares(logits, AttentionSinks::of(expectation_.scaling.sinks, layer,
                                               queryHead % expectation_.heads));
        for (std::size_t j = 0; j < slots; ++j) out[j] = addLogs(out[j], logits[j]);
    }
    const std::vector<float> lengths = valueLengths(head, extent.valueDim);
    float most = kNothing;
    for (std::size_t j = 0; j < slots; ++j) {
        out[j] = std::max(out[j] - std::log(static_cast<float>(asking.size())) +
                              std::log(std::max(lengths[j], kShortest)),
                          kNothing);
        most = std::max(most, out[j]);
    }
    for (std::size_t j = 0; j < slots; ++j)
        if (isFirst(j)) out[j] = most;
    return out;
}

std::int64_t ExpectedAttention::bytes() const {
    std::size_t floats = inverse_.floats();
    for (const std::vector<Watched>& reading : layers_)
        for (const Watched& watched : reading)
            floats += watched.rows.size() + watched.sums.centre.size() +
                      watched.sums.queries.size() + watched.sums.products.size();
    return static_cast<std::int64_t>(floats * sizeof(float));
}

}  // namespace lacuna
