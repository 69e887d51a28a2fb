#include "engine/compress/span_attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/compress/matrix_products.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kv/row_format.h"
#include "engine/kv/stored_rows.h"

namespace lacuna {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Scores of all slots of a head and what is needed to read them.
struct Scores {
    Buffer numbers;  ///< float [slots, columns]
    std::int64_t slots = 0;
    std::int64_t columns = 0;
    [[nodiscard]] float* row(std::int64_t slot) {
        return numbers.as<float>().data() + slot * columns;
    }
};

enum class RowKind { Keys, Values };

/// Stored rows of a head as float32.
Result<Buffer> decode(const HeadSpan& span, RowKind kind, int dim) {
    const KvHeadView& head = span.head;
    const std::int64_t numbers = std::int64_t{head.slots} * dim;
    LACUNA_TRY(Buffer out, takeFloats(span.shelf, numbers));
    float* to = out.as<float>().data();
    const bool keys = kind == RowKind::Keys;
    if ((keys ? head.keyQuant : head.valueQuant).plain())
        bestKernels().toFloat[kernelIndex(head.type)](keys ? head.keys : head.values, to, numbers);
    else if (keys)
        readKeys(head, dim, 0, head.slots, to);
    else
        readValues(head, dim, 0, head.slots, to);
    return out;
}

bool finiteRow(const float* row, int dim) {
    return std::all_of(row, row + dim, [](float x) { return std::isfinite(x); });
}

/// s * q.k + bias for every slot and query; a slot that is not usable gets -infinity everywhere.
Result<Scores> scoreSlots(const HeadSpan& span, const float* keys,
                          const std::vector<bool>& usable) {
    Scores scores;
    scores.slots = span.head.slots;
    scores.columns = paddedColumns(span.queries.extent(0));
    LACUNA_TRY(scores.numbers, takeFloats(span.shelf, scores.slots * scores.columns));
    multiplyTransposed({.a = keys,
                        .aStride = span.keyDim,
                        .b = span.queries.data(),
                        .bStride = span.keyDim,
                        .c = scores.row(0),
                        .cStride = scores.columns,
                        .rows = scores.slots,
                        .depth = span.keyDim,
                        .columns = span.queries.extent(0)});
    const std::int64_t n = span.queries.extent(0);
    for (std::int64_t j = 0; j < scores.slots; ++j) {
        float* row = scores.row(j);
        std::fill(row + n, row + scores.columns, 0.0F);
        if (!usable[static_cast<std::size_t>(j)]) {
            std::fill(row, row + scores.columns, -kInfinity);
            continue;
        }
        const float bias = span.head.bias == nullptr ? 0.0F : span.head.bias[j];
        for (std::int64_t i = 0; i < n; ++i) row[i] *= span.scale;
        if (span.softcap > 0) bestKernels().softCap(row, span.softcap, n);
        for (std::int64_t i = 0; i < n; ++i) row[i] += bias;
    }
    return scores;
}

/// Largest score of each query over slots [first, last); 0 where there is none.
std::vector<float> columnMaxima(Scores& scores, std::int64_t first, std::int64_t last) {
    std::vector<float> top(static_cast<std::size_t>(scores.columns), -kInfinity);
    float* tops = top.data();
    const std::int64_t columns = scores.columns;
    for (std::int64_t j = first; j < last; ++j) {
        const float* row = scores.row(j);
        for (std::int64_t i = 0; i < columns; ++i) tops[i] = row[i] > tops[i] ? row[i] : tops[i];
    }
    return top;
}

/// Turns scores of slots [first, last) into exp(score - top) and returns the sum of each query.
std::vector<float> exponentiate(Scores& scores, std::int64_t first, std::int64_t last,
                                std::span<const float> top) {
    const KernelTable& kernels = bestKernels();
    std::vector<float> sums(static_cast<std::size_t>(scores.columns), 0.0F);
    const std::int64_t columns = scores.columns;
    for (std::int64_t j = first; j < last; ++j) {
        float* row = scores.row(j);
        const float* tops = top.data();
        for (std::int64_t i = 0; i < columns; ++i) row[i] -= tops[i];
        static_cast<void>(kernels.expSum(row, 0.0F, columns));
        kernels.addTo(sums.data(), row, columns);
    }
    return sums;
}

/// Rows of the scores of a few queries, evenly spread, each row less its mean.
void sampleMetric(const HeadSpan& span, Scores& scores, SpanAttention& out) {
    const std::int64_t n = out.queries;
    out.sampled =
        std::min<std::int64_t>(n, out.slots > kLongSpan ? kMetricQueries / 4 : kMetricQueries);
    out.centred.assign(static_cast<std::size_t>(out.slots * out.sampled), 0.0F);
    std::vector<std::int64_t> columns;
    for (std::int64_t i = 0; i < out.sampled; ++i) columns.push_back(i * n / out.sampled);
    const std::int64_t* column = columns.data();
    for (std::int64_t j = 0; j < out.slots; ++j) {
        if (!out.usable[static_cast<std::size_t>(j)]) continue;
        const float* row = scores.row(span.first + j);
        float* target = out.centred.data() + j * out.sampled;
        float mean = 0;
        for (std::int64_t i = 0; i < out.sampled; ++i) {
            const float score = row[column[i]];
            target[i] = std::isfinite(score) ? score : 0.0F;
            mean += target[i];
        }
        mean /= static_cast<float>(out.sampled);
        for (std::int64_t i = 0; i < out.sampled; ++i) target[i] -= mean;
    }
}

/// See SpanAttention::distinctness. A key of length 0 or one that is not usable counts as ordinary.
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

/// Share of the span in each query's attention, scaled to a mean of 1.
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
        // A span no query looks at is still fitted, all queries alike.
        weights[i] =
            mean > 1e-30 ? static_cast<float>(static_cast<double>(weights[i]) / mean) : 1.0F;
    }
    out.meanShare = mean;
}

std::vector<float> logSums(std::span<const float> top, std::span<const float> sums) {
    std::vector<float> lse(top.begin(), top.end());
    for (std::size_t i = 0; i < lse.size(); ++i) lse[i] += std::log(sums[i]);
    return lse;
}

/// Log of the softmax mass of the slots outside the span; empty when there are none.
std::vector<float> restMass(const HeadSpan& span, Scores& scores) {
    const std::int64_t outside = scores.slots - (span.last - span.first);
    if (outside == 0) return {};
    std::vector<float> top = columnMaxima(scores, 0, span.first);
    const std::vector<float> tail = columnMaxima(scores, span.last, scores.slots);
    for (std::size_t i = 0; i < top.size(); ++i) top[i] = std::max(top[i], tail[i]);
    std::vector<float> sums = exponentiate(scores, 0, span.first, top);
    const std::vector<float> more = exponentiate(scores, span.last, scores.slots, top);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
    return logSums(top, sums);
}

/// Marks slots whose key or value is not finite. Errors: KvNonFinite for a slot outside the span.
Result<std::vector<bool>> usableSlots(const HeadSpan& span, const float* keys,
                                      const float* values) {
    std::vector<bool> usable(static_cast<std::size_t>(span.head.slots), true);
    for (int j = 0; j < span.head.slots; ++j) {
        const bool fine = finiteRow(keys + std::int64_t{j} * span.keyDim, span.keyDim) &&
                          finiteRow(values + std::int64_t{j} * span.valueDim, span.valueDim);
        usable[static_cast<std::size_t>(j)] = fine;
        if (!fine && (j < span.first || j >= span.last))
            return fail(ErrorCode::KvNonFinite,
                        format("the key or value of the protected slot {} is not finite", j));
    }
    return usable;
}

/// [dim, slots] of rows [slots, dim].
Result<Buffer> transposed(const std::vector<float>& rows, std::int64_t slots, std::int64_t dim,
                          BufferShelf* shelf) {
    LACUNA_TRY(Buffer turned, takeFloats(shelf, slots * dim));
    float* to = turned.as<float>().data();
    // Blocks of both, so that neither is read or written across pages all the time.
    constexpr std::int64_t kBlock = 32;
    for (std::int64_t j = 0; j < slots; j += kBlock)
        for (std::int64_t d = 0; d < dim; d += kBlock)
            for (std::int64_t x = d; x < std::min(d + kBlock, dim); ++x)
                for (std::int64_t y = j; y < std::min(j + kBlock, slots); ++y)
                    to[x * slots + y] = rows[static_cast<std::size_t>(y * dim + x)];
    return turned;
}

/// Probabilities, outputs and masses, once the exponentials stand.
Status finish(SpanAttention& out, std::span<const float> sums, int valueDim,
              BufferShelf* shelf) {
    const KernelTable& kernels = bestKernels();
    std::vector<float> inverse(sums.begin(), sums.end());
    for (float& x : inverse) x = x > 0 && std::isfinite(x) ? 1.0F / x : 0.0F;
    float* probabilities = out.probabilities.as<float>().data() + out.firstRow * out.columns;
    const float* parts = inverse.data();
    const std::int64_t columns = out.columns;
    out.mass.resize(static_cast<std::size_t>(out.slots));
    for (std::int64_t j = 0; j < out.slots; ++j) {
        float* row = probabilities + j * columns;
        for (std::int64_t i = 0; i < columns; ++i) {
            const float p = row[i] * parts[i];
            row[i] = p <= 2.0F ? p : 0.0F;  // which a number that is none is not
        }
        kernels.dotRows[kernelIndex(DType::F32)](
            {reinterpret_cast<const std::byte*>(row), out.columns * 4, 1, out.columns},
            out.weights.data(), &out.mass[static_cast<std::size_t>(j)]);
    }
    LACUNA_TRY(Buffer turned, transposed(out.values, out.slots, valueDim, shelf));
    const float* valuesByDim = turned.as<float>().data();
    out.outputs.resize(static_cast<std::size_t>(valueDim * out.columns));
    multiply({.a = valuesByDim,
              .aStride = out.slots,
              .b = probabilities,
              .bStride = out.columns,
              .c = out.outputs.data(),
              .cStride = out.columns,
              .rows = valueDim,
              .depth = out.slots,
              .columns = out.columns});
    giveBack(shelf, std::move(turned));
    return {};
}

void takeSpan(const HeadSpan& span, const std::vector<bool>& usable, const float* values,
              SpanAttention& out) {
    out.slots = span.last - span.first;
    out.queries = span.queries.extent(0);
    out.columns = paddedColumns(out.queries);
    out.keyBytes = formatBytes({span.head.type, span.head.keyQuant, span.keyDim});
    out.keys = span.head.keys + static_cast<std::size_t>(span.first) * out.keyBytes;
    out.usable.assign(usable.begin() + span.first, usable.begin() + span.last);
    out.badSlots = std::count(out.usable.begin(), out.usable.end(), false);
    out.values.assign(values + std::int64_t{span.first} * span.valueDim,
                      values + std::int64_t{span.last} * span.valueDim);
    out.bias.assign(static_cast<std::size_t>(out.slots), 0.0F);
    if (span.head.bias != nullptr)
        out.bias.assign(span.head.bias + span.first, span.head.bias + span.last);
    for (std::int64_t j = 0; j < out.slots; ++j) {
        if (out.usable[static_cast<std::size_t>(j)]) continue;
        std::fill_n(out.values.begin() + j * span.valueDim, span.valueDim, 0.0F);
    }
}

}  // namespace

bool sameKey(const SpanAttention& span, std::int64_t a, std::int64_t b) {
    const auto key = [&](std::int64_t slot) {
        return span.keys + static_cast<std::size_t>(slot) * span.keyBytes;
    };
    return std::memcmp(key(a), key(b), span.keyBytes) == 0;
}

Result<SpanAttention> attendSpan(const HeadSpan& span) {
    LACUNA_TRY(Buffer keys, decode(span, RowKind::Keys, span.keyDim));
    LACUNA_TRY(Buffer values, decode(span, RowKind::Values, span.valueDim));
    const float* keyRows = std::as_const(keys).as<float>().data();
    const float* valueRows = std::as_const(values).as<float>().data();
    LACUNA_TRY(const std::vector<bool> usable, usableSlots(span, keyRows, valueRows));
    SpanAttention out;
    takeSpan(span, usable, valueRows, out);
    LACUNA_TRY(Scores scores, scoreSlots(span, keyRows, usable));
    sampleMetric(span, scores, out);
    out.distinctness = distinctKeys(span, keyRows, out.usable);
    const std::vector<float> restLse = restMass(span, scores);
    std::vector<float> top = columnMaxima(scores, span.first, span.last);
    for (float& x : top) x = std::isfinite(x) ? x : 0.0F;
    const std::vector<float> sums = exponentiate(scores, span.first, span.last, top);
    weighQueries(logSums(top, sums), restLse, out);
    out.probabilities = std::move(scores.numbers);
    out.firstRow = span.first;
    out.sums = sums;
    LACUNA_TRY_STATUS(finish(out, sums, span.valueDim, span.shelf));
    giveBack(span.shelf, std::move(keys));
    giveBack(span.shelf, std::move(values));
    return out;
}

}  // namespace lacuna
