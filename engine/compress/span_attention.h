#pragma once
/// \file
/// What reference queries see of one run of slots of a head: the facts every later step of
/// attention matching is fitted to (docs/attention-matching.md, "Scores and targets"). Rows belong
/// to slots, columns to queries; columns are padded to a multiple of kColumnQuantum with queries of
/// weight 0. All float32. Pure, one head at a time.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/buffer_pool.h"
#include "engine/kv/kv_cache.h"
#include "engine/tensor/view.h"

namespace lacuna {

class BfloatAttention;

struct HeadSpan {
    KvHeadView head;
    int keyDim = 0;
    int valueDim = 0;
    int first = 0;  ///< slots [first, last) are to be compacted, the others stay as they are
    int last = 0;
    float scale = 0;               ///< of scores
    float softCap = 0;             ///< of scaled scores, before the bias: c tanh(x / c); 0: none
    View<const float, 2> queries;  ///< [n, keyDim] after RoPE, unscaled
    /// Scores of the sinks of the query heads, in turn: query i has sinks[i % size]; empty: none.
    std::span<const float> sinks = {};
    BufferPool* buffers = nullptr;  ///< of large matrices, or null
};

struct SpanAttention {
    std::int64_t slots = 0;
    std::int64_t queries = 0;  ///< n
    std::int64_t columns = 0;  ///< n padded
    /// [columns] share of the attention the span gets alongside the slots that stay and the sink, 0
    /// for padding
    /// and for queries that are not finite: an error in the span matters to a query by this factor.
    std::vector<float> weights;
    double meanShare = 1;  ///< of the span in the attention of all queries, 0..1
    /// [columns] sum over slots of exp(score - largest score) of each query.
    std::vector<float> sums;
    LentFloats probabilities;    ///< rows [columns] of probabilities, see row()
    std::vector<float> outputs;  ///< [valueDim, columns] what the span alone answers
    std::vector<float> mass;     ///< [slots] sum over queries of weight * probability
    LentFloats values;           ///< [slots, valueDim]
    std::vector<float> bias;     ///< [slots] before the compaction
    /// [slots, sampled] scores of a few queries, each row without its own mean: a constant
    /// difference between two keys is free, because a bias takes it up. With sums in bfloat16 the
    /// same along the leading directions of all queries (query_directions.h).
    LentFloats centred;
    std::int64_t sampled = 0;
    bool centredInBfloat = false;  ///< rounded to what bfloat16 has: products of them are exact
    /// [slots] 1 - cosine between the key and the mean direction of the span's keys: 0 for a key
    /// like all others, 2 for an opposite one.
    std::vector<float> distinctness;
    const std::byte* keys = nullptr;  ///< stored keys of the span, valid as long as the head's view
    std::size_t keyBytes = 0;         ///< of one key
    std::vector<bool> usable;         ///< [slots] key and value are finite
    std::int64_t badSlots = 0;
    BufferPool* buffers = nullptr;  ///< as in HeadSpan
    /// [slots] where a slot's row stands in `probabilities`; empty: at its own number.
    std::vector<std::int32_t> rowOf;
    /// What rows that are made on demand are made of; without keys all rows are there.
    struct RowSource {
        LentFloats keys;  ///< [slots of the head, keyDim]
        /// All of them in the digits of bfloat16.
        std::shared_ptr<const BfloatAttention> rounded;
        std::vector<float> queries;  ///< [queries, keyDim] scaled
        std::vector<float> logMass;  ///< [queries] of the span
        std::vector<float> outputs;  ///< [queries, valueDim] as SpanAttention::outputs, turned
        std::int64_t first = 0;      ///< slot of the head that the span begins with
        int keyDim = 0;
        float softCap = 0;
    };
    RowSource source;
    /// [queries, byQueryStride] probabilities of the slots that attendRows was asked for, which are
    /// more than the queries; else empty.
    LentFloats byQuery;
    std::int64_t byQueryStride = 0;  ///< their number, padded with probabilities of 0

    /// [columns] probabilities of a slot, which over all slots sum to 1. @pre all rows were asked
    /// for, or this one by attendRows
    [[nodiscard]] const float* row(std::int64_t slot) const {
        const std::int64_t at = rowOf.empty() ? slot : rowOf[static_cast<std::size_t>(slot)];
        return probabilities.data() + at * columns;
    }
};

/// Which rows of probabilities are wanted.
enum class SpanRows {
    All,
    OnDemand  ///< those of a few slots, named later: sums over the others may be taken in bfloat16
};

/// Whether two slots of the span store the same key, bit by bit.
[[nodiscard]] bool sameKey(const SpanAttention& span, std::int64_t a, std::int64_t b);

/// Keeps the `count` of `slots` with the highest of `scores` [slots of the span], highest first; of
/// equal ones the newer.
void keepHighest(std::vector<std::int32_t>& slots, std::span<const float> scores, int count);

/// Queries whose scores tell keys apart; a quarter of them in long spans, where there is more to
/// gain in time than to lose.
constexpr int kMetricQueries = 128;
constexpr std::int64_t kLongSpan = 4096;  // slots

/// Errors: NoMemory; KvNonFinite when a slot that stays is not finite.
/// @pre first < last, at least one query
[[nodiscard]] Result<SpanAttention> attendSpan(const HeadSpan& span, SpanRows rows = SpanRows::All);

/// Makes the rows of these slots, ascending, unless all are there: in float, or where the slots are
/// more than the queries by query and in the digits of bfloat16, as the sums are. Errors: NoMemory.
[[nodiscard]] Status attendRows(SpanAttention& span, std::span<const std::int32_t> slots);

}  // namespace lacuna
