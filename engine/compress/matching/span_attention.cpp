#include "engine/compress/matching/span_attention.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/compress/matching/bfloat_attention.h"
#include "engine/compress/matching/matrix_products.h"
#include "engine/compress/matching/query_directions.h"
#include "engine/compress/matching/score_tiles.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

enum class RowKind { Keys, Values };

struct SlotRun {
    int first = 0;
    int count = 0;
};

/// Decodes stored rows [first, first + count) of a head to float32.
void decode(const HeadSpan& span, RowKind kind, SlotRun run, float* to) {
    const KvHeadView& head = span.head;
    const bool keys = kind == RowKind::Keys;
    const int dim = keys ? span.keyDim : span.valueDim;
    if ((keys ? head.keyQuant : head.valueQuant).plain() && (keys || head.valueStride == 0)) {
        const std::byte* rows = keys ? head.keys : head.values;
        const std::size_t bytes = formatBytes({head.type, {}, dim});
        bestKernels().toFloat[kernelIndex(head.type)](
            rows + static_cast<std::size_t>(run.first) * bytes, to, std::int64_t{run.count} * dim);
    } else if (keys) {
        readKeys(head, dim, run.first, run.count, to);
    } else {
        readValues(head, dim, run.first, run.count, to);
    }
}

bool finiteRow(const float* row, int dim) {
    // An exponent with all bits set means infinity or NaN.
    constexpr std::uint32_t kExponent = 0x7F800000;
    std::uint32_t bad = 0;
    for (int d = 0; d < dim; ++d)
        bad |= (std::bit_cast<std::uint32_t>(row[d]) & kExponent) == kExponent ? 1U : 0U;
    return bad == 0;
}

/// Decodes a run of rows and marks those that are not finite, while they are in the cache.
void decodeUsable(const HeadSpan& span, RowKind kind, SlotRun run, float* to,
                  std::vector<bool>& usable) {
    constexpr int kAtOnce = 64;
    const int dim = kind == RowKind::Keys ? span.keyDim : span.valueDim;
    for (int done = 0; done < run.count; done += kAtOnce) {
        const SlotRun part{run.first + done, std::min(kAtOnce, run.count - done)};
        float* rows = to + std::int64_t{done} * dim;
        decode(span, kind, part, rows);
        for (int j = 0; j < part.count; ++j)
            if (!finiteRow(rows + std::int64_t{j} * dim, dim))
                usable[static_cast<std::size_t>(part.first + j)] = false;
    }
}

/// Copies the scores of a few evenly spaced queries from each row, minus the row's mean.
class MetricSample {
  public:
    /// For rows of scores for `queries` queries.
    MetricSample(SpanAttention& out, std::int64_t queries) : out_(out) {
        for (std::int64_t i = 0; i < out.sampled; ++i)
            columns_.push_back(i * queries / out.sampled);
    }
    void take(std::int64_t slot, const float* scores) {
        float* target = out_.centred.data() + slot * out_.sampled;
        if (!out_.usable[static_cast<std::size_t>(slot)]) {
            std::fill_n(target, out_.sampled, 0.0F);
            return;
        }
        float mean = 0;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const float score = scores[columns_[i]];
            target[i] = std::isfinite(score) ? score : 0.0F;
            mean += target[i];
        }
        mean /= static_cast<float>(out_.sampled);
        for (std::size_t i = 0; i < columns_.size(); ++i) target[i] -= mean;
    }

  private:
    SpanAttention& out_;
    std::vector<std::int64_t> columns_;
};

/// Computes SpanAttention::distinctness. A key that is zero or unusable counts as average.
std::vector<float> distinctKeys(const HeadSpan& span, const float* keys,
                                const std::vector<bool>& usable) {
    const auto dim = static_cast<std::size_t>(span.keyDim);
    const auto slots = static_cast<std::size_t>(span.last - span.first);
    const float* rows = keys + static_cast<std::size_t>(span.first) * dim;
    std::vector<float> direction(dim, 0.0F);
    std::vector<float> lengths(slots, 0.0F);
    float* towards = direction.data();
    for (std::size_t j = 0; j < slots; ++j) {
        if (!usable[j]) continue;
        lengths[j] = norm({rows + j * dim, dim});
        if (lengths[j] <= 0) continue;
        const float* row = rows + j * dim;
        const float part = 1.0F / lengths[j];
        for (std::size_t d = 0; d < dim; ++d) towards[d] += row[d] * part;
    }
    const float whole = norm(direction);
    std::vector<float> dots(slots, 0.0F);
    bestKernels().dotRows[kernelIndex(DType::F32)](
        {reinterpret_cast<const std::byte*>(rows), span.keyDim * 4,
         static_cast<std::int64_t>(slots), span.keyDim},
        towards, dots.data());
    std::vector<float> out(slots, 1.0F);
    for (std::size_t j = 0; j < slots; ++j) {
        if (lengths[j] <= 0 || whole <= 0) continue;
        out[j] = std::max(0.0F, 1.0F - dots[j] / (lengths[j] * whole));
    }
    return out;
}

/// Computes the share of the span in each query's attention, scaled to a mean of 1.
void weighQueries(std::span<const float> spanLse, std::span<const float> restLse,
                  SpanAttention& out) {
    std::vector<float>& weights = out.weights;
    weights.assign(static_cast<std::size_t>(out.columns), 0.0F);
    double sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(out.queries); ++i) {
        if (!std::isfinite(spanLse[i])) continue;
        weights[i] = restLse.empty() ? 1.0F : 1.0F / (1.0F + std::exp(restLse[i] - spanLse[i]));
        sum += static_cast<double>(weights[i]);
    }
    const double mean = sum / static_cast<double>(out.queries);
    for (std::size_t i = 0; i < static_cast<std::size_t>(out.queries); ++i) {
        if (!std::isfinite(spanLse[i])) continue;
        // A span that no query attends to is still fitted, with equal weights.
        weights[i] =
            mean > 1e-30 ? static_cast<float>(static_cast<double>(weights[i]) / mean) : 1.0F;
    }
    out.meanShare = mean;
}

/// Adds slots [first, last) to a mass without storing their exponentials.
void addMass(const ScoreTiles& scores, std::int64_t first, std::int64_t last, ScoreMass& mass) {
    std::vector<float> rows;
    for (std::int64_t at = first; at < last; at += scores.tileSlots()) {
        const std::int64_t end = std::min(at + scores.tileSlots(), last);
        rows.resize(static_cast<std::size_t>((end - at) * scores.columns()));
        static_cast<void>(scores.exponentiate(at, end, rows.data(), mass));
    }
}

/// Adds the mass of the sinks, which belongs to no slot, to the mass outside of the span.
void addSinks(const HeadSpan& span, std::vector<float>& restLse) {
    for (std::size_t i = 0; i < restLse.size() && !span.sinks.empty(); ++i) {
        const float sink = span.sinks[i % span.sinks.size()];
        const float larger = std::max(sink, restLse[i]);
        const float smaller = std::min(sink, restLse[i]);
        restLse[i] =
            std::isfinite(smaller) ? larger + std::log1p(std::exp(smaller - larger)) : larger;
    }
}

/// Log of the softmax mass of the slots outside of the span and of the sinks; empty if there are
/// none.
std::vector<float> restMass(const HeadSpan& span, const ScoreTiles& scores) {
    const bool whole = span.first == 0 && span.last == span.head.slots;
    if (whole && span.sinks.empty()) return {};
    std::vector<float> restLse(static_cast<std::size_t>(scores.columns()), -kInfinity);
    if (!whole) {
        ScoreMass mass(scores.columns());
        addMass(scores, 0, span.first, mass);
        addMass(scores, span.last, span.head.slots, mass);
        restLse = logMass(mass);
    }
    addSinks(span, restLse);
    return restLse;
}

/// Transposes rows [slots, dim] into the first `slots` columns of [dim, stride].
void turnRows(const float* rows, std::int64_t slots, std::int64_t dim, float* to,
              std::int64_t stride) {
    // Blocking both sides avoids reading or writing a new page with every element.
    constexpr std::int64_t kBlock = 32;
    for (std::int64_t j = 0; j < slots; j += kBlock)
        for (std::int64_t d = 0; d < dim; d += kBlock)
            for (std::int64_t x = d; x < std::min(d + kBlock, dim); ++x)
                for (std::int64_t y = j; y < std::min(j + kBlock, slots); ++y)
                    to[x * stride + y] = rows[y * dim + x];
}

/// Run of adjacent slots of the span.
struct Tile {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// Adds the output of a tile of exponentials to the outputs, after scaling these by `factors`
/// [columns]; `turned` has room for the tile's values.
void addOutputs(Tile tile, const std::vector<float>& factors, int valueDim,
                std::vector<float>& transposed, SpanAttention& out) {
    const float* parts = factors.data();
    const std::int64_t columns = out.columns;
    for (std::int64_t d = 0; d < valueDim; ++d) {
        float* row = out.outputs.data() + d * columns;
        for (std::int64_t i = 0; i < columns; ++i) row[i] *= parts[i];
    }
    turnRows(out.values.data() + tile.first * valueDim, tile.count, valueDim, transposed.data(),
             tile.count);
    multiply({.a = transposed.data(),
              .aStride = tile.count,
              .b = out.row(tile.first),
              .bStride = columns,
              .c = out.outputs.data(),
              .cStride = columns,
              .rows = valueDim,
              .depth = tile.count,
              .columns = columns,
              .accumulate = true});
}

/// Reference points of the span's exponentials.
struct SpanMass {
    ScoreMass whole;
    std::vector<std::vector<float>> tops;  ///< tops of each tile, [columns]
};

/// Writes the span's exponentials to out.probabilities and their outputs to out.outputs.
SpanMass exponentiateSpan(const HeadSpan& span, const ScoreTiles& scores, SpanAttention& out) {
    MetricSample sample(out, out.queries);
    const auto watch = [&](std::int64_t slot, const float* row) {
        sample.take(slot - span.first, row);
    };
    SpanMass mass{.whole = ScoreMass(out.columns), .tops = {}};
    std::vector<float> transposed(static_cast<std::size_t>(scores.tileSlots() * span.valueDim));
    out.outputs.assign(static_cast<std::size_t>(span.valueDim * out.columns), 0.0F);
    float* rows = out.probabilities.data();
    for (std::int64_t at = 0; at < out.slots; at += scores.tileSlots()) {
        const Tile tile{at, std::min(scores.tileSlots(), out.slots - at)};
        const std::vector<float> factors =
            scores.exponentiate(span.first + at, span.first + at + tile.count,
                                rows + at * out.columns, mass.whole, watch);
        addOutputs(tile, factors, span.valueDim, transposed, out);
        mass.tops.push_back(mass.whole.tops);
    }
    return mass;
}

/// Multiplies the exponentials of a tile by `factors` [columns], giving probabilities, and computes
/// its masses.
void takeShares(Tile tile, const std::vector<float>& factors, SpanAttention& out) {
    const std::int64_t columns = out.columns;
    const float* parts = factors.data();
    for (std::int64_t j = tile.first; j < tile.first + tile.count; ++j) {
        float* row = out.probabilities.data() + j * columns;
        for (std::int64_t i = 0; i < columns; ++i) {
            const float p = row[i] * parts[i];
            row[i] = p <= 2.0F ? p : 0.0F;  // false for NaN
        }
        bestKernels().dotRows[kernelIndex(DType::F32)](
            {reinterpret_cast<const std::byte*>(row), columns * 4, 1, columns}, out.weights.data(),
            &out.mass[static_cast<std::size_t>(j)]);
    }
}

/// Factors that turn exponentials relative to `tops` into shares: exp(tops - tops of the whole) /
/// sum.
std::vector<float> shareFactors(const std::vector<float>& tops, const ScoreMass& whole,
                                const std::vector<float>& inverse) {
    std::vector<float> factors(tops);
    for (std::size_t i = 0; i < factors.size(); ++i)
        factors[i] -= std::isfinite(whole.tops[i]) ? whole.tops[i] : 0.0F;
    static_cast<void>(
        bestKernels().expSum(factors.data(), 0.0F, static_cast<std::int64_t>(factors.size())));
    for (std::size_t i = 0; i < factors.size(); ++i) factors[i] *= inverse[i];
    return factors;
}

/// Computes probabilities, masses and outputs from the exponentials.
void finish(const SpanMass& mass, std::int64_t tileSlots, SpanAttention& out) {
    std::vector<float> inverse(mass.whole.sums);
    for (float& x : inverse) x = x > 0 && std::isfinite(x) ? 1.0F / x : 0.0F;
    out.mass.resize(static_cast<std::size_t>(out.slots));
    for (std::size_t t = 0; t < mass.tops.size(); ++t) {
        const std::int64_t first = static_cast<std::int64_t>(t) * tileSlots;
        takeShares({first, std::min(tileSlots, out.slots - first)},
                   shareFactors(mass.tops[t], mass.whole, inverse), out);
    }
    const float* parts = inverse.data();
    const auto dims = static_cast<std::int64_t>(out.outputs.size()) / out.columns;
    for (std::int64_t d = 0; d < dims; ++d) {
        float* row = out.outputs.data() + d * out.columns;
        // The output of an ignored query may be NaN.
        for (std::int64_t i = 0; i < out.columns; ++i)
            row[i] = parts[i] > 0 ? row[i] * parts[i] : 0.0F;
    }
}

/// Decodes the values of the span and determines the usable slots of the head. Errors: KvNonFinite
/// for a slot outside of the span.
Result<std::vector<bool>> takeRows(const HeadSpan& span, float* keys, SpanAttention& out) {
    const KvHeadView& head = span.head;
    std::vector<bool> usable(static_cast<std::size_t>(head.slots), true);
    decodeUsable(span, RowKind::Keys, {0, head.slots}, keys, usable);
    std::vector<float> others(static_cast<std::size_t>(
        std::max(span.first, head.slots - span.last) * std::int64_t{span.valueDim}));
    decodeUsable(span, RowKind::Values, {0, span.first}, others.data(), usable);
    decodeUsable(span, RowKind::Values, {span.last, head.slots - span.last}, others.data(), usable);
    decodeUsable(span, RowKind::Values, {span.first, span.last - span.first}, out.values.data(),
                 usable);
    for (int j = 0; j < head.slots; ++j) {
        if (usable[static_cast<std::size_t>(j)]) continue;
        if (j < span.first || j >= span.last)
            return fail(ErrorCode::KvNonFinite,
                        format("the key or value of the protected slot {} is not finite", j));
        std::fill_n(out.values.data() + std::int64_t{j - span.first} * span.valueDim, span.valueDim,
                    0.0F);
    }
    return usable;
}

/// Sets the fields known before any computation and allocates the others.
Status takeSpan(const HeadSpan& span, SpanAttention& out) {
    out.slots = span.last - span.first;
    out.queries = span.queries.extent(0);
    out.columns = paddedColumns(out.queries);
    out.sampled = std::min<std::int64_t>(
        out.queries, out.slots > kLongSpan ? kMetricQueries / 4 : kMetricQueries);
    out.buffers = span.buffers;
    out.keyBytes = formatBytes({span.head.type, span.head.keyQuant, span.keyDim});
    out.keys = span.head.keys + static_cast<std::size_t>(span.first) * out.keyBytes;
    out.bias.assign(static_cast<std::size_t>(out.slots), 0.0F);
    if (span.head.bias != nullptr)
        out.bias.assign(span.head.bias + span.first, span.head.bias + span.last);
    LACUNA_TRY(out.values, PooledFloats::take(span.buffers, out.slots * span.valueDim));
    LACUNA_TRY(out.centred, PooledFloats::take(span.buffers, out.slots * out.sampled));
    return {};
}

/// Computes every row of probabilities in float, and everything derived from them.
Status attendAllRows(const HeadSpan& span, const ScoreTiles& scores, SpanAttention& out) {
    LACUNA_TRY(out.probabilities, PooledFloats::take(span.buffers, out.slots * out.columns));
    const std::vector<float> restLse = restMass(span, scores);
    const SpanMass mass = exponentiateSpan(span, scores, out);
    weighQueries(logMass(mass.whole), restLse, out);
    out.sums = mass.whole.sums;
    finish(mass, scores.tileSlots(), out);
    return {};
}

/// Number of directions that distinguish keys (docs/attention-matching.md, "Key selection").
constexpr int kDirections = 32;
constexpr int kLongDirections = 16;

void roundToBfloat(float* numbers, std::int64_t count) {
    constexpr std::int64_t kAtOnce = 4096;
    std::uint16_t bits[kAtOnce];
    for (std::int64_t at = 0; at < count; at += kAtOnce) {
        const std::int64_t part = std::min(kAtOnce, count - at);
        bestKernels().toBfloat(numbers + at, bits, part);
        bestKernels().toFloat[kernelIndex(DType::BF16)](reinterpret_cast<const std::byte*>(bits),
                                                        numbers + at, part);
    }
}

/// Queries scaled and rounded to bfloat16, which changes them by a fifth of a percent, identically
/// on every machine. A query that is not finite becomes 0 and is marked.
std::vector<float> roundedQueries(const HeadSpan& span, std::vector<bool>& counts) {
    std::vector<float> rows(span.queries.data(), span.queries.data() + span.queries.size());
    const auto dim = static_cast<std::size_t>(span.keyDim);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        float* row = rows.data() + i * dim;
        for (std::size_t d = 0; d < dim; ++d) row[d] *= span.scale;
        counts[i] = finiteRow(row, span.keyDim);
        if (!counts[i]) std::fill_n(row, dim, 0.0F);
    }
    roundToBfloat(rows.data(), static_cast<std::int64_t>(rows.size()));
    return rows;
}

/// Biases of the span's slots, -infinity if a slot gets no attention; empty if there is no bias.
std::vector<float> drawingBias(const SpanAttention& span) {
    std::vector<float> bias;
    const bool plain = std::ranges::all_of(span.bias, [](float b) { return b == 0; });
    if (plain && span.badSlots == 0) return bias;
    bias = span.bias;
    for (std::size_t j = 0; j < bias.size(); ++j)
        if (!span.usable[j]) bias[j] = -kInfinity;
    return bias;
}

/// Computes the sums over all slots with bfloat16 products, and the inputs of rows on demand.
Status attendInBfloat(const HeadSpan& span, PooledFloats keys, const std::vector<bool>& usable,
                      SpanAttention& out) {
    std::vector<bool> counts(static_cast<std::size_t>(out.queries));
    out.source.queries = roundedQueries(span, counts);
    HeadSpan rounded = span;
    rounded.scale = 1;
    rounded.queries = {out.source.queries.data(), {out.queries, span.keyDim}};
    out.sampled = out.slots > kLongSpan ? kLongDirections : kDirections;
    LACUNA_TRY(out.centred, PooledFloats::take(span.buffers, out.slots * out.sampled));
    const std::vector<float> directions =
        queryDirections(rounded.queries, counts, static_cast<int>(out.sampled));
    const std::vector<float> restLse = restMass(rounded, ScoreTiles(rounded, keys.data(), usable));
    const std::vector<float> bias = drawingBias(out);
    LACUNA_TRY(
        BfloatAttention attended,
        BfloatAttention::attend({.keys = keys.data() + std::int64_t{span.first} * span.keyDim,
                                 .values = out.values.data(),
                                 .bias = bias,
                                 .queries = out.source.queries.data(),
                                 .directions = directions,
                                 .coordinates = out.centred.data(),
                                 .slots = out.slots,
                                 .queryCount = out.queries,
                                 .keyDim = span.keyDim,
                                 .valueDim = span.valueDim,
                                 .softCap = span.softCap,
                                 .buffers = span.buffers}));
    const auto held = std::make_shared<const BfloatAttention>(std::move(attended));
    const BfloatAttention& found = *held;
    roundToBfloat(out.centred.data(), out.slots * out.sampled);
    out.centredInBfloat = true;
    out.source.logMass = found.logMass();
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (!counts[i]) out.source.logMass[i] = std::numeric_limits<float>::quiet_NaN();
    weighQueries(out.source.logMass, restLse, out);
    out.mass = found.massOf(std::span(out.weights).first(counts.size()));
    out.sums.assign(static_cast<std::size_t>(out.columns), 0.0F);
    out.outputs.assign(static_cast<std::size_t>(span.valueDim * out.columns), 0.0F);
    out.source.outputs = found.outputs();
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (!counts[i])
            std::fill_n(out.source.outputs.begin() + static_cast<std::ptrdiff_t>(i) * span.valueDim,
                        span.valueDim, 0.0F);
    turnRows(out.source.outputs.data(), out.queries, span.valueDim, out.outputs.data(),
             out.columns);
    out.source.keys = std::move(keys);
    out.source.rounded = held;
    out.source.first = span.first;
    out.source.keyDim = span.keyDim;
    out.source.softCap = span.softCap;
    return {};
}

/// Converts the scores of a slot, without its bias, to probabilities.
void takeProbabilities(const SpanAttention& span, float bias, float* row) {
    const float* logMass = span.source.logMass.data();
    const float* weights = span.weights.data();
    if (span.source.softCap > 0) bestKernels().softCap(row, span.source.softCap, span.queries);
    for (std::int64_t i = 0; i < span.queries; ++i)
        row[i] = weights[i] > 0 ? row[i] + bias - logMass[i] : -kInfinity;
    std::fill(row + span.queries, row + span.columns, -kInfinity);
    static_cast<void>(bestKernels().expSum(row, 0.0F, span.columns));
}

/// From this size on the products dominate the run time, and their errors average out.
constexpr std::int64_t kManyScores = 1 << 20;

}  // namespace

void keepHighest(std::vector<std::int32_t>& slots, std::span<const float> scores, int count) {
    const auto kept = std::min(static_cast<std::size_t>(count), slots.size());
    std::partial_sort(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(kept), slots.end(),
                      [&](std::int32_t a, std::int32_t b) {
                          const float x = scores[static_cast<std::size_t>(a)];
                          const float y = scores[static_cast<std::size_t>(b)];
                          return x != y ? x > y : a > b;
                      });
    slots.resize(kept);
}

bool sameKey(const SpanAttention& span, std::int64_t a, std::int64_t b) {
    const auto key = [&](std::int64_t slot) {
        return span.keys + static_cast<std::size_t>(slot) * span.keyBytes;
    };
    return std::memcmp(key(a), key(b), span.keyBytes) == 0;
}

Result<SpanAttention> attendSpan(const HeadSpan& span, SpanRows rows) {
    SpanAttention out;
    LACUNA_TRY_STATUS(takeSpan(span, out));
    LACUNA_TRY(PooledFloats keys,
               PooledFloats::take(span.buffers, std::int64_t{span.head.slots} * span.keyDim));
    LACUNA_TRY(const std::vector<bool> usable, takeRows(span, keys.data(), out));
    out.usable.assign(usable.begin() + span.first, usable.begin() + span.last);
    out.badSlots = std::count(out.usable.begin(), out.usable.end(), false);
    out.distinctness = distinctKeys(span, keys.data(), out.usable);
    if (rows == SpanRows::OnDemand && BfloatAttention::available() &&
        out.slots * out.queries >= kManyScores)
        LACUNA_TRY_STATUS(attendInBfloat(span, std::move(keys), usable, out));
    else
        LACUNA_TRY_STATUS(attendAllRows(span, ScoreTiles(span, keys.data(), usable), out));
    return out;
}

Status attendRows(SpanAttention& span, std::span<const std::int32_t> slots) {
    if (span.source.keys.size() == 0) return {};
    const auto dim = static_cast<std::int64_t>(span.source.keyDim);
    const auto count = static_cast<std::int64_t>(slots.size());
    if (count > span.queries) {
        span.byQueryStride = paddedColumns(count);
        LACUNA_TRY(span.byQuery,
                   PooledFloats::take(span.buffers, span.queries * span.byQueryStride));
        span.source.rounded->probabilitiesOf(slots, span.weights, span.byQuery.data(),
                                             span.byQueryStride);
        for (std::int64_t i = 0; i < span.queries; ++i)
            std::fill(span.byQuery.data() + i * span.byQueryStride + count,
                      span.byQuery.data() + (i + 1) * span.byQueryStride, 0.0F);
        return {};
    }
    LACUNA_TRY(PooledFloats keys, PooledFloats::take(span.buffers, count * dim));
    std::vector<float> bias;
    for (std::size_t at = 0; at < slots.size(); ++at) {
        std::copy_n(span.source.keys.data() + (span.source.first + slots[at]) * dim, dim,
                    keys.data() + static_cast<std::int64_t>(at) * dim);
        bias.push_back(span.bias[static_cast<std::size_t>(slots[at])]);
    }
    LACUNA_TRY(span.probabilities, PooledFloats::take(span.buffers, count * span.columns));
    span.rowOf.assign(static_cast<std::size_t>(span.slots), -1);
    for (std::size_t at = 0; at < slots.size(); ++at)
        span.rowOf[static_cast<std::size_t>(slots[at])] = static_cast<std::int32_t>(at);
    multiplyTransposed({.a = keys.data(),
                        .aStride = dim,
                        .b = span.source.queries.data(),
                        .bStride = dim,
                        .c = span.probabilities.data(),
                        .cStride = span.columns,
                        .rows = count,
                        .depth = dim,
                        .columns = span.queries});
    for (std::size_t at = 0; at < slots.size(); ++at)
        takeProbabilities(span, bias[at],
                          span.probabilities.data() + static_cast<std::int64_t>(at) * span.columns);
    return {};
}

}  // namespace lacuna
