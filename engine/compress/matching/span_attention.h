#pragma once
/// \file
/// Attention of the reference queries over one run of slots of a head, the input of every later
/// step of attention matching (docs/attention-matching.md, "Scores and targets"). Rows are slots,
/// columns are queries; columns are padded to a multiple of kColumnQuantum with queries of weight
/// 0. All float32. Pure, one head at a time.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/matching/buffer_pool.h"
#include "engine/kv/kv_cache.h"
#include "engine/tensor/view.h"

namespace lacuna {

class BfloatAttention;

struct HeadSpan {
    KvHeadView head;
    int keyDim = 0;
    int valueDim = 0;
    bool valuesInKeys = false;  ///< values are parts of keys, so that no fit may change them
    int first = 0;              ///< slots [first, last) are compacted, the others stay unchanged
    int last = 0;
    float scale = 0;    ///< scale of scores
    float softCap = 0;  ///< soft cap of scaled scores, before the bias: c tanh(x / c); 0: none
    View<const float, 2> queries;  ///< [n, keyDim] after RoPE, unscaled
    /// Sink scores of the query heads in turn: query i uses sinks[i % size]; empty = none.
    std::span<const float> sinks = {};
    BufferPool* buffers = nullptr;  ///< pool of large matrices, or null
};

struct SpanAttention {
    std::int64_t slots = 0;
    std::int64_t queries = 0;  ///< n
    std::int64_t columns = 0;  ///< n including padding
    /// [columns] attention share of the span relative to all slots of the head and its sink, which
    /// weights errors in the span; 0 for padding and for queries that are not finite.
    std::vector<float> weights;
    double meanShare = 1;  ///< attention share of the span over all queries, 0..1
    /// [columns] sum over slots of exp(score - largest score) of each query.
    std::vector<float> sums;
    PooledFloats probabilities;  ///< rows [columns] of probabilities, see row()
    std::vector<float> outputs;  ///< [valueDim, columns] outputs of the span alone
    std::vector<float> mass;     ///< [slots] sum over queries of weight * probability
    PooledFloats values;         ///< [slots, valueDim]
    std::vector<float> bias;     ///< [slots] before the compaction
    /// [slots, sampled] scores of a few queries, each row minus its mean: a constant difference
    /// between two keys does not matter, because a bias absorbs it. With sums in bfloat16 the same
    /// along the leading directions of all queries (query_directions.h).
    PooledFloats centred;
    std::int64_t sampled = 0;
    bool centredInBfloat = false;  ///< rounded to bfloat16, so that their products are exact
    /// [slots] 1 - cosine between the key and the mean direction of the span's keys: 0 for a key in
    /// that direction, 2 for an opposite one.
    std::vector<float> distinctness;
    const std::byte* keys = nullptr;  ///< stored keys of the span, valid as long as the view of the
                                      ///< head
    std::size_t keyBytes = 0;         ///< bytes per key
    std::vector<bool> usable;         ///< [slots] key and value are finite
    std::int64_t badSlots = 0;
    BufferPool* buffers = nullptr;  ///< as in HeadSpan
    /// [slots] row index of each slot in `probabilities`; empty if it equals the slot index.
    std::vector<std::int32_t> rowOf;
    /// Inputs of rows computed on demand; without keys all rows are present.
    struct RowSource {
        PooledFloats keys;  ///< [slots of the head, keyDim]
        /// Attention of all rows, rounded to bfloat16.
        std::shared_ptr<const BfloatAttention> rounded;
        std::vector<float> queries;  ///< [queries, keyDim] scaled
        std::vector<float> logMass;  ///< [queries] log mass over the span
        std::vector<float> outputs;  ///< [queries, valueDim] SpanAttention::outputs transposed
        std::int64_t first = 0;      ///< first slot of the span within the head
        int keyDim = 0;
        float softCap = 0;
    };
    RowSource source;
    /// [queries, byQueryStride] probabilities of the slots passed to attendRows if there are more
    /// slots than queries; otherwise empty.
    PooledFloats byQuery;
    std::int64_t byQueryStride = 0;  ///< number of those slots, padded with probabilities of 0

    /// [columns] probabilities of a slot, which sum to 1 over all slots. @pre all rows were
    /// requested, or this one by attendRows
    [[nodiscard]] const float* row(std::int64_t slot) const {
        const std::int64_t at = rowOf.empty() ? slot : rowOf[static_cast<std::size_t>(slot)];
        return probabilities.data() + at * columns;
    }
};

/// Rows of probabilities to compute.
enum class SpanRows {
    All,
    OnDemand  ///< only a few slots, named later; sums over the others may be taken in bfloat16
};

/// Returns true if two slots of the span store bitwise identical keys.
[[nodiscard]] bool sameKey(const SpanAttention& span, std::int64_t a, std::int64_t b);

/// Keeps the `count` of `slots` with the highest `scores` [slots of the span], highest first; ties
/// go to the newer slot.
void keepHighest(std::vector<std::int32_t>& slots, std::span<const float> scores, int count);

/// Number of queries that distinguish keys. Long spans use a quarter of them, which saves more time
/// than it costs accuracy.
constexpr int kMetricQueries = 128;
constexpr std::int64_t kLongSpan = 4096;  // slots

/// Errors: NoMemory; KvNonFinite if a slot outside of the span is not finite.
/// @pre first < last, at least one query
[[nodiscard]] Result<SpanAttention> attendSpan(const HeadSpan& span, SpanRows rows = SpanRows::All);

/// Computes the rows of these slots, ascending, unless all rows are present. Rows are float; if
/// there are more slots than queries they are stored by query and rounded to bfloat16, like the
/// sums. Errors: NoMemory.
[[nodiscard]] Status attendRows(SpanAttention& span, std::span<const std::int32_t> slots);

}  // namespace lacuna
