#pragma once
/// \file
/// Fast arithmetic without policy: a table of function pointers, one table per instruction set.
/// Every function is pure on its arguments, noexcept, allocates nothing and runs on the calling
/// thread; pointers need only the alignment of their element type. Threads split work above the
/// kernels (matmul.cpp, attention.cpp). Float accumulation; relative error to float64 <= 1e-5. The
/// scalar table is the reference for tests of the others.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "engine/tensor/dtype.h"

namespace lacuna {

struct CodedRows;    // coded_rows.h
struct RotatedRows;  // rotated_rows.h
struct RotatedEncoding;
struct CausalConvolution;  // mixer_rows.h
struct MatrixRun;

/// Activations [tokens, columns] as int8 blocks of 32 with a float scale: x = scale * code. The
/// offsets are -128 times sums of codes: integer instructions need an unsigned operand, so signed
/// weight codes are read as code + 128 and the offset compensates. The sums are those of the
/// activations themselves, which formats with a smallest value multiply by it.
struct QuantisedRows {
    std::int8_t* codes = nullptr;          ///< [tokens, columns]
    float* scales = nullptr;               ///< [tokens, columns / 32]
    float* halfSums = nullptr;             ///< [tokens, columns / 16]: scale * sum of 16 codes
    float* blockSums = nullptr;            ///< [tokens, columns / 32]
    std::int32_t* groupOffsets = nullptr;  ///< [tokens, columns / 4]
    std::int32_t* halfOffsets = nullptr;   ///< [tokens, columns / 16]
    std::int32_t* blockOffsets = nullptr;  ///< [tokens, columns / 32]
    std::int64_t columns = 0;              ///< row stride; a multiple of 32
    [[nodiscard]] QuantisedRows at(std::int64_t token, std::int64_t column) const noexcept {
        const std::int64_t first = token * columns + column;
        return {.codes = codes + first,
                .scales = scales + first / 32,
                .halfSums = halfSums + first / 16,
                .blockSums = blockSums + first / 32,
                .groupOffsets = groupOffsets + first / 4,
                .halfOffsets = halfOffsets + first / 16,
                .blockOffsets = blockOffsets + first / 32,
                .columns = columns};
    }
    /// Returns the total bytes of the arrays for `cells` codes. @pre cells is a multiple of 512
    [[nodiscard]] static constexpr std::size_t bytes(std::size_t cells) noexcept {
        return cells + cells / 32 * 3 * 4 + cells / 16 * 2 * 4 + cells / 4 * 4;
    }
    /// Places the arrays one after the other in `memory` of bytes(cells).
    [[nodiscard]] static QuantisedRows in(std::byte* memory, std::size_t cells) noexcept {
        std::byte* at = memory;
        const auto take = [&at]<class T>(T*& array, std::size_t count) {
            array = reinterpret_cast<T*>(at);
            at += count * sizeof(T);
        };
        QuantisedRows rows;
        take(rows.codes, cells);
        take(rows.scales, cells / 32);
        take(rows.halfSums, cells / 16);
        take(rows.blockSums, cells / 32);
        take(rows.groupOffsets, cells / 4);
        take(rows.halfOffsets, cells / 16);
        take(rows.blockOffsets, cells / 32);
        return rows;
    }
};

/// Up to `panelRows` rows of a matrix, to be interleaved into a panel.
struct PanelSource {
    DType type = DType::F32;
    const std::byte* rows = nullptr;
    std::int64_t rowStride = 0;  ///< bytes
    std::int64_t columns = 0;    ///< a multiple of the block length of `type`
    int rowCount = 0;            ///< missing rows become zeros
};

enum class TileStore { Replace, Accumulate };

/// c [tokens, width] (+)= a [tokens, depth] x panel [depth, panelRows].
struct FloatTile {
    const float* a = nullptr;
    std::int64_t aStride = 0;
    const float* panel = nullptr;
    std::int64_t panelStride = 0;  ///< floats between two depths; all panelRows of each are read
    float* c = nullptr;
    std::int64_t cStride = 0;
    std::int64_t depth = 0;
    std::int64_t tokens = 0;
    int width = 0;  ///< columns of c that are written, <= panelRows
    TileStore store = TileStore::Replace;
};

/// As FloatTile over a panel of packInteger of the same type; depth is a multiple of 32.
struct IntegerTile {
    DType type = DType::Q8_0;
    QuantisedRows a;
    const std::byte* panel = nullptr;
    float* c = nullptr;
    std::int64_t cStride = 0;
    std::int64_t depth = 0;
    std::int64_t tokens = 0;
    int width = 0;
    TileStore store = TileStore::Replace;
};

/// As FloatTile over a panel of packBfloat; rows of `a` are padded with zeros to an even length.
struct BfloatTile {
    const std::uint16_t* a = nullptr;
    std::int64_t aStride = 0;
    const std::byte* panel = nullptr;
    float* c = nullptr;
    std::int64_t cStride = 0;
    std::int64_t depth = 0;
    std::int64_t tokens = 0;
    int width = 0;
    TileStore store = TileStore::Replace;
};

/// Rows of one type, read in place.
struct RowBlock {
    const std::byte* rows = nullptr;
    std::int64_t rowStride = 0;  ///< bytes of a row; group g of grouped rows starts at 16 g times
                                 ///< this
    std::int64_t count = 0;
    std::int64_t columns = 0;
};

/// Destination of the products of several tokens with some rows: [tokens, stride].
struct ProductRows {
    float* first = nullptr;
    std::int64_t stride = 0;  ///< floats
    std::int64_t tokens = 1;
};

/// Queries that read the same cache rows: the query heads of a group, for a few tokens.
struct QueryRows {
    const float* queries = nullptr;
    std::int64_t queryStride = 0;  ///< floats
    float* weights = nullptr;      ///< [count, rows]
    std::int64_t weightStride = 0;
    float* sums = nullptr;  ///< [count, columns]
    std::int64_t sumStride = 0;
    int count = 0;
};

/// Smallest and largest of the finite numbers of a list, and their count.
struct FiniteRange {
    float low = std::numeric_limits<float>::infinity();
    float high = -std::numeric_limits<float>::infinity();
    std::int64_t count = 0;
};

/// One rotary step of a head: element pairs and the cosine and sine of each pair's angle.
struct RotaryStep {
    const float* cosine = nullptr;  ///< [pairs]
    const float* sine = nullptr;    ///< [pairs]
    int pairs = 0;
};

/// Largest number of rows in a panel of any table.
constexpr int kMaxPanelRows = 32;
/// Number of columns summed before the result is added to that of earlier columns: a panel of this
/// depth fits a 1 MiB second-level cache.
constexpr std::int64_t kProductChunk = 2048;
/// Returns a sufficient size in bytes for any packed panel of `columns` columns.
[[nodiscard]] constexpr std::int64_t panelBytes(std::int64_t columns) noexcept {
    return (columns + 1) * kMaxPanelRows * 4;
}

/// \note Arrays are indexed by number format [DType].
struct KernelTable {
    std::string_view name;
    int panelRows = 0;

    /// out = x / sqrt(mean(x^2) + epsilon) * gain; `out` may be `x`. Zhang & Sennrich 2019.
    void (*rmsNorm)(const float* x, const float* gain, float* out, std::int64_t n,
                    float epsilon) noexcept;
    /// gate = gate / (1 + exp(-gate)) * up. Shazeer 2020 (SwiGLU).
    void (*siluMultiply)(float* gate, const float* up, std::int64_t n) noexcept;
    /// gate = gate / 2 * (1 + tanh(sqrt(2/pi) (gate + 0.044715 gate^3))) * up.
    void (*geluMultiply)(float* gate, const float* up, std::int64_t n) noexcept;
    /// x = cap * tanh(x / cap). @pre cap > 0
    void (*softCap)(float* x, float cap, std::int64_t n) noexcept;
    void (*addTo)(float* target, const float* x, std::int64_t n) noexcept;
    void (*scale)(float* x, float factor, std::int64_t n) noexcept;
    /// Returns the largest element; -infinity if n is 0.
    float (*maximum)(const float* x, std::int64_t n) noexcept;
    /// x = exp(x - top), returns the sum. Elements of -infinity become 0. @pre top is finite
    float (*expSum)(float* x, float top, std::int64_t n) noexcept;
    /// Pairs (i, i + pairs). Su et al. 2021.
    void (*rotateHalves)(float* head, const RotaryStep& rotation) noexcept;
    /// Pairs (2i, 2i + 1).
    void (*rotateInterleaved)(float* head, const RotaryStep& rotation) noexcept;

    /// Decodes n elements. @pre n is a multiple of the block length
    void (*toFloat[kDTypeCount])(const std::byte* source, float* out, std::int64_t n) noexcept;
    /// Rounds to nearest even.
    void (*toHalf)(const float* x, std::uint16_t* out, std::int64_t n) noexcept;
    void (*toBfloat)(const float* x, std::uint16_t* out, std::int64_t n) noexcept;
    /// out[i] = dot(row i, x).
    void (*dotRows[kDTypeCount])(const RowBlock& block, const float* x, float* out) noexcept;
    /// out [columns] += sum over rows of weights[i] * row i. F32, F16 and BF16 only.
    void (*addWeightedRows[3])(const RowBlock& block, const float* weights, float* out) noexcept;

    /// weights[i][r] = dot(row r, query i), reading each row once. F32, F16 and BF16 only.
    void (*dotManyQueries[3])(const RowBlock& block, const QueryRows& q) noexcept;
    /// sums[i] += sum over rows r of weights[i][r] * row r. F32, F16 and BF16 only.
    void (*addManyQueries[3])(const RowBlock& block, const QueryRows& q) noexcept;
    /// The same for rows of group codes, and their decoding to floats [count, columns].
    void (*dotManyCoded)(const CodedRows& block, const QueryRows& q) noexcept = nullptr;
    void (*addManyCoded)(const CodedRows& block, const QueryRows& q) noexcept = nullptr;
    void (*decodeCoded)(const CodedRows& block, float* out) noexcept = nullptr;
    /// The same for rows of rotated codes; queries, sums and floats are in the rotated basis.
    void (*dotManyRotated)(const RotatedRows& block, const QueryRows& q) noexcept = nullptr;
    void (*addManyRotated)(const RotatedRows& block, const QueryRows& q) noexcept = nullptr;
    void (*decodeRotated)(const RotatedRows& block, float* out) noexcept = nullptr;
    /// Decodes the rows to bfloat16: the same bits as toBfloat of decodeRotated. Null if the table
    /// has no bfloat16 products.
    void (*decodeRotatedBfloat)(const RotatedRows& block, std::uint16_t* out) noexcept = nullptr;
    /// Encodes rows: the same bytes in every table.
    void (*encodeRotated)(const RotatedEncoding& job) noexcept = nullptr;
    /// Sylvester's transform of `in` times `signs`, not normalised, and its inverse: the transform
    /// of `in`, times `signs`. The same bits in every table; `in` may be `out`. @pre n is a power
    /// of two, at least 32
    void (*signThenHadamard)(const float* in, const float* signs, float* out,
                             std::int64_t n) noexcept = nullptr;
    void (*hadamardThenSign)(const float* in, const float* signs, float* out,
                             std::int64_t n) noexcept = nullptr;
    /// dotManyRotated and addManyRotated with rounding allowed, never null. Tables with integer
    /// products round queries to 8 bits of their maximum, weights times scales to 8 or 16 bits of
    /// the maximum of 64 rows, and centroids of up to 5 bits to 8. Others do not round.
    void (*dotManyRotatedFast)(const RotatedRows& block, const QueryRows& q) noexcept = nullptr;
    void (*addManyRotatedFast)(const RotatedRows& block, const QueryRows& q) noexcept = nullptr;

    /// out = factor * x, or `substitute` if x is not finite. The range covers the other results.
    FiniteRange (*scaleFinite)(const float* x, float factor, float substitute, float* out,
                               std::int64_t n) noexcept = nullptr;
    /// Returns how many of x are above `limit`; NaN is not counted.
    std::int64_t (*countAbove)(const float* x, float limit, std::int64_t n) noexcept = nullptr;
    /// Bit i % 64 of bits[i / 64] is set if x[i] is above `limit`; bits after n are 0.
    void (*markAbove)(const float* x, float limit, std::uint64_t* bits,
                      std::int64_t n) noexcept = nullptr;
    /// Sets x[i] = value where bit i is 0.
    void (*fillUnmarked)(const std::uint64_t* bits, float value, float* x,
                         std::int64_t n) noexcept = nullptr;

    /// Recurrent mixers. Every division of a text into runs gives the same bits in one table.
    void (*convolve)(const CausalConvolution& job) noexcept = nullptr;
    void (*updateMatrix)(const MatrixRun& run) noexcept = nullptr;
    /// out = exp(rate * log(1 + exp(steps + bias))). @pre rate <= 0
    void (*decays)(const float* steps, const float* bias, float rate, float* out,
                   std::int64_t n) noexcept = nullptr;

    /// Interleaves rows of any type into float [columns, panelRows].
    void (*packFloat)(const PanelSource& source, float* panel) noexcept;
    void (*tileFloat)(const FloatTile& tile) noexcept;

    /// Integer products of quantised weights; null if the instructions are missing, in which case
    /// the float functions are used. A table with panels supports rows of the same types.
    void (*quantise)(const float* x, const QuantisedRows& out, std::int64_t n) noexcept = nullptr;
    /// out = x minus the number that a row of quantise represents; NaN if that is not finite.
    /// Rounded once: the product of scale and code is subtracted unrounded.
    void (*remainder)(const float* x, const QuantisedRows& row, float* out,
                      std::int64_t n) noexcept = nullptr;
    void (*dotRowsInteger[kDTypeCount])(const RowBlock& block, const QuantisedRows& x,
                                        float* out) noexcept = {};
    void (*packInteger[kDTypeCount])(const PanelSource& source, std::byte* panel) noexcept = {};
    void (*tileInteger)(const IntegerTile& tile) noexcept = nullptr;
    /// The same for rows in groups (row_groups.h), from the first row of a group on, for a few
    /// tokens at once: every row is read and unpacked once. Null for types without groups. A table
    /// with tiles has packGroupsInteger for the same types, otherwise packFloatGroups.
    void (*dotGroupsInteger[kDTypeCount])(const RowBlock& block, const QuantisedRows& x,
                                          const ProductRows& out) noexcept = {};
    void (*packGroupsInteger[kDTypeCount])(const PanelSource& source,
                                           std::byte* panel) noexcept = {};
    /// As packFloat for rows in groups; the same floats.
    void (*packFloatGroups[kDTypeCount])(const PanelSource& source, float* panel) noexcept = {};
    /// As dotRows and packBfloat for groups of F16 and BF16 rows.
    void (*dotGroups[kDTypeCount])(const RowBlock& block, const float* x, float* out) noexcept = {};
    void (*packBfloatGroups)(const PanelSource& source, std::byte* panel) noexcept = nullptr;
    /// bfloat16 products of F16 and BF16 weights; null if the instructions are missing.
    void (*packBfloat)(const PanelSource& source, std::byte* panel) noexcept = nullptr;
    /// The same panel of the transposed source: its rows are the depth, its columns (at most
    /// panelRows) the rows of the panel. F16 and BF16 only.
    void (*packBfloatPairs)(const PanelSource& source, std::byte* panel) noexcept = nullptr;
    void (*tileBfloat)(const BfloatTile& tile) noexcept = nullptr;
};

[[nodiscard]] constexpr std::size_t kernelIndex(DType type) noexcept {
    return static_cast<std::size_t>(type);
}

}  // namespace lacuna
