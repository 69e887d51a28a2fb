#pragma once
/// \file
/// Products of weight matrices with rows of activations, split over the thread pool by panels of
/// weight rows: the same thread count gives the same bits. Owns its scratch memory and allocates
/// nothing after creation. Used by one thread (the engine's) at a time; waits for the pool.
///
/// Exact multiplies and sums floats, relative error <= 1e-5 to float64. Fast rounds activations: to
/// int8 blocks of 32 for quantised weights, and for several rows to bfloat16 for F16 and BF16
/// weights if the processor has the instructions; otherwise it equals Exact. TwoTerms rounds them
/// only for quantised weights, to the sum of two such int8 rows, the second for the remainder of
/// the first: both are multiplied with weights that are unpacked once.

#include <cstdint>
#include <span>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/kernels.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/row_groups.h"
#include "engine/tensor/view.h"
#include "engine/values/precision.h"

namespace lacuna {

/// A row-major matrix [rows, columns] in place (a mapped file or memory of its own).
struct MatrixRef {
    DType type = DType::F32;
    std::int64_t rows = 0;
    std::int64_t columns = 0;  ///< a multiple of the block length of `type`
    const std::byte* data = nullptr;
    RowLayout order = RowLayout::Plain;
    float scale = 1.0F;  ///< factor of the entire product
};

/// out [tokens, weights.rows] = x [tokens, columns] times the transposed weights.
struct MatmulProduct {
    MatrixRef weights;
    float* out = nullptr;
};

class Matmul {
  public:
    struct Limits {
        std::int64_t maxTokens = 1;
        std::int64_t maxColumns = 0;
        /// Largest number of columns of matrices in groups, which are restored to plain rows if a
        /// table or a precision has no functions for groups.
        std::int64_t maxGroupedColumns = 0;
        bool twoTerms = false;  ///< allocates memory for Precision::TwoTerms
    };
    /// Errors: NoMemory.
    [[nodiscard]] static Result<Matmul> create(const KernelTable& kernels, ThreadPool& pool,
                                               Limits limits);

    /// Computes all products of a shared input in one pass over the threads. @pre tokens <=
    /// maxTokens, columns <= maxColumns, every weights.columns == columns, and Limits::twoTerms for
    /// Precision::TwoTerms
    void multiply(View<const float, 2> x, std::span<const MatmulProduct> products,
                  Precision precision);
    [[nodiscard]] std::size_t scratchBytes() const;

  private:
    struct RowRange {
        std::int64_t first = 0;
        std::int64_t count = 0;
    };
    Matmul(const KernelTable& kernels, ThreadPool& pool)
        : kernels_(&kernels), pool_(&pool), places_(pool.threads()) {}
    [[nodiscard]] Status allocate(Limits limits);
    struct Job;
    void prepareInput(const Job& job);
    void prepareRow(const Job& job, std::int64_t token);
    void quantiseRow(const Job& job, std::int64_t token);
    /// Memory of one working thread.
    struct Scratch {
        std::byte* panel = nullptr;
        std::byte* rows = nullptr;  ///< rows of a matrix in groups, in plain order
        float* second = nullptr;    ///< [tokens, kMaxPanelRows] products with the second terms
    };
    [[nodiscard]] int sharesOf(const Job& job) const;
    void multiplyShare(const Job& job, int share) const;
    void multiplyUnit(const Job& job, const MatmulProduct& product, RowRange range,
                      const Scratch& scratch) const;
    void multiplyPanel(const Job& job, const MatrixRef& weights, const PanelSource& source,
                       std::int64_t column, const Scratch& scratch, float* out) const;
    void addSecond(const Job& job, const MatrixRef& weights, std::int64_t rows,
                   const Scratch& scratch, float* out) const;
    [[nodiscard]] bool hasIntegerTiles(const Job& job, DType type) const;
    [[nodiscard]] bool usesIntegers(const Job& job, DType type) const;
    [[nodiscard]] bool hasGroups(const Job& job, const MatrixRef& weights, bool tiles) const;
    void scaleUnit(const Job& job, const MatmulProduct& product, RowRange range) const;
    void dotUnit(const Job& job, const MatmulProduct& product, RowRange range,
                 const Scratch& scratch) const;
    void dotRange(const Job& job, const RowBlock& rows, const MatrixRef& weights, float* out) const;
    void dotTwoTerms(const Job& job, const RowBlock& rows, const MatrixRef& weights,
                     float* out) const;

    const KernelTable* kernels_;
    ThreadPool* pool_;
    ScratchIndices places_;  ///< in panels_
    Buffer panels_;          ///< one packed panel per thread, followed by plain rows
    Buffer quantised_;       ///< the arrays of `rows_`
    Buffer remainders_;  ///< [threads, columns] remainders of first terms; empty without memory for
                         ///< two terms
    Buffer seconds_;     ///< [threads, tokens, kMaxPanelRows]
    Buffer bfloats_;     ///< [tokens, columns plus padding]
    /// The rows of the input; the second terms of all rows follow the first ones.
    QuantisedRows rows_;
    Limits limits_;
    std::size_t panelStride_ = 0;
};

}  // namespace lacuna
