#pragma once
/// \file
/// Grouped-query attention of the newest rows of a run over the heads of its cache, with an
/// additive bias per slot and heads of different lengths: score = cap(scale q . k) + bias for
/// visible slots (docs/cache-contracts.md, "Attention over slots"). Softmax is computed block by
/// block (Milakov & Gimelshein 2018; Dao et al. 2022), in float. Owned by one thread; waits for the
/// pool; allocates nothing after creation.
///
/// Work is split by (KV head, block of queries), for few queries by (KV head, part of the slots);
/// the split does not depend on the number of threads.
///
/// Precision: Fast rounds queries, keys, weights and values of several rows to bfloat16 if the
/// processor has the instructions. Operands of rotated codes are rounded to integers except in
/// Exact, which rounds nothing.
///
/// Few queries read coded rows in place, many decode them block by block. Rotated codes stay in
/// their basis: the queries of a task are rotated once, and its sum of values is rotated back once
/// for each query head. If a slot also has a 16-bit row and the query is near enough, that row is
/// read instead of the code. In long contexts few queries skip coded values with negligible
/// weights, except in Exact; a query then lacks less than a thousandth of its weight.

#include <span>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/kernels.h"
#include "engine/kernels/matmul.h"
#include "engine/kv/kv_cache.h"
#include "engine/model/layer_tail.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/view.h"

namespace lacuna {

struct AttentionShape {
    int heads = 0;
    int kvHeads = 0;   ///< divides heads; query head h reads KV head h / (heads / kvHeads)
    int headDim = 0;   ///< elements of a query and a key
    int valueDim = 0;  ///< elements of a value, at most headDim; 0: headDim
    [[nodiscard]] int group() const { return heads / kvHeads; }
};

/// Attention rule of one layer.
struct AttentionRule {
    float scale = 1.0F;    ///< factor on q . k
    float softCap = 0.0F;  ///< c: c tanh(score / c), before the bias is added; 0 = none
    /// A query sees slots of the newest `window` positions up to its own; 0 = all of them.
    int window = 0;
    /// A query sees its own chunk of `window` positions instead: from the last multiple of `window`
    /// to its own position.
    bool chunked = false;
};

/// The newest tokens of one sequence at one layer.
struct AttentionQueries {
    View<const float, 3> rows;  ///< [tokens, heads, headDim]
    Position first;             ///< position of row 0; the others follow
    AttentionRule rule;
    /// A cut of one head, whose view must then have positions and no cache window.
    const DistanceCut* cut = nullptr;
    /// [heads] scores without a value, which only add to the softmax denominators; null = none
    const float* sinks = nullptr;
};

struct AttentionTask;  // attention_task.h
class ExactBlock;      // attention_block.h
class BlockRows;       // attention_block.h
enum class ExactSide;
struct HeadRows;     // attention_rows.h
struct DecodeSpace;  // attention_rows.h

class Attention {
  public:
    /// `shapes`: all that run() will have. Errors: NoMemory.
    [[nodiscard]] static Result<Attention> create(const KernelTable& kernels, ThreadPool& pool,
                                                  std::span<const AttentionShape> shapes,
                                                  Precision precision);

    /// `heads` [kvHeads]; the last slots of each are the rows of the queries: row i sees all slots
    /// before them and the first i + 1 of them, if their positions are in the window. Slots before
    /// the window cost nothing if slot j holds position j, otherwise one comparison. `out` [tokens,
    /// heads, valueDim]. @pre every head has at least as many slots as there are queries
    void run(std::span<const KvHeadView> heads, const AttentionQueries& queries,
             View<float, 3> out);
    [[nodiscard]] std::size_t scratchBytes() const { return scratch_.size() + parts_.size(); }

  private:
    Attention(const KernelTable& kernels, ThreadPool& pool);
    void setShape(AttentionShape shape);
    /// Returns the number of floats of a share of the work in the current shape.
    [[nodiscard]] std::size_t shareSize() const;
    [[nodiscard]] std::size_t partsSize() const;
    struct Scratch;
    /// The contribution of one part of the slots, relative to its own largest score.
    struct PartRows {
        float* sums;  ///< [rows, valueStride]
        float* top;   ///< [rows]
        float* mass;  ///< [rows]
    };
    [[nodiscard]] Scratch scratchOf(int share);
    [[nodiscard]] std::size_t shareRows() const;
    [[nodiscard]] std::size_t partRows() const;
    [[nodiscard]] PartRows partOf(int kvHead, int part);
    [[nodiscard]] int partsFor(std::span<const KvHeadView> heads,
                               const AttentionQueries& queries) const;
    void runTask(const AttentionTask& task, Scratch& scratch);
    void joinParts(const AttentionTask& task, Scratch& scratch);
    void gatherQueries(const AttentionTask& task, Scratch& scratch) const;
    [[nodiscard]] QueryRows manyQueries(const AttentionTask& task, const Scratch& scratch,
                                        float* weights) const;
    [[nodiscard]] bool usesBfloat(const AttentionTask& task) const;
    void roundRows(const float* from, std::int64_t stride, std::int64_t count, int rows,
                   std::uint16_t* to) const;
    void scoreBfloats(const PanelSource& keys, const BlockRows& neededRows, Scratch& scratch,
                      float* scores) const;
    void addBfloats(const PanelSource& values, const BlockRows& neededRows,
                    const AttentionTask& task, Scratch& scratch, const float* weights) const;
    [[nodiscard]] DecodeSpace decodeSpace(const AttentionTask& task, const Scratch& scratch) const;
    void scoreBlock(const AttentionTask& task, Scratch& scratch, const ExactBlock& exact) const;
    [[nodiscard]] HeadRows gatherExact(const ExactBlock& exact, ExactSide side,
                                       Scratch& scratch) const;
    void scoreRows(const HeadRows& stored, const BlockRows& neededRows, const AttentionTask& task,
                   Scratch& scratch, float* scores) const;
    void capBlock(const AttentionTask& task, Scratch& scratch, int count) const;
    void softmaxBlock(const AttentionTask& task, Scratch& scratch, int firstSlot, int count) const;
    void addValues(const AttentionTask& task, Scratch& scratch, const ExactBlock& exact) const;
    /// Returns whether values with negligible weights are skipped.
    [[nodiscard]] bool skipsValues(const AttentionTask& task) const;
    void findFloor(const AttentionTask& task, Scratch& scratch) const;
    void addCodes(const HeadRows& codes, const BlockRows& askers, const AttentionTask& task,
                  Scratch& scratch) const;
    void addWeighted(const HeadRows& stored, const BlockRows& neededRows, const AttentionTask& task,
                     Scratch& scratch, float* weights) const;
    void writeOut(const AttentionTask& task, const Scratch& scratch) const;

    const KernelTable* kernels_;
    ThreadPool* pool_;
    ScratchIndices places_;           ///< in scratch_
    AttentionShape shape_;            ///< of the current run
    std::int64_t valueStride_ = 0;    ///< its valueDim rounded up to full panels
    std::size_t floatsPerShare_ = 0;  ///< in the largest shape
    Buffer scratch_;
    Buffer parts_;  ///< [kvHeads, parts] of PartRows of the current run
    Precision precision_ = Precision::Exact;
    bool bfloat_ = false;  ///< several rows are multiplied as bfloat16
};

}  // namespace lacuna
