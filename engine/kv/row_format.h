#pragma once
/// \file
/// How one row of keys or values lies in a cache: plain numbers of a type, group codes or rotated
/// codes. Pure functions, any thread.

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/rotated_codes.h"

namespace lacuna {

/// Rounds to nearest even. @pre type is F32, F16 or BF16; `out` holds rowBytes(type, row.size())
void storeRow(DType type, std::span<const float> row, std::byte* out);
/// The same, but a number beyond the largest of the type becomes that largest one, not infinity.
void storeRowSaturated(DType type, std::span<const float> row, std::byte* out);
void loadRow(DType type, const std::byte* row, std::span<float> out);
/// Euclidean length, summed in float32.
[[nodiscard]] float norm(std::span<const float> row);

/// Plain numbers, group codes or rotated codes. A row of group codes is its codes (4 bits: the even
/// element in the low half of a byte), then the f16 scales of all groups, then their f16 biases.
/// Codes are chosen against the scale and bias as stored, so an element is off by half a scale and
/// the rounding of the two. A group with a number that is not finite reads back as not a number.
/// docs/number-formats.md, "Group codes", "Rotated codes".
struct RowFormat {
    DType type = DType::F16;
    KvQuant quant;
    int dim = 0;
    /// Of rotated codes: what a row is turned by before it is coded. Rows come and go in the basis
    /// of the model.
    const Rotation* rotation = nullptr;
    CodeScale scale = CodeScale::Plain;
};

/// Keys take the scale that leaves their products with queries unbiased, values that of least
/// squares. Without a rotation the format of rotated codes only says how long a row is.
[[nodiscard]] RowFormat keyFormat(const KvShape& shape, const Rotation* rotation = nullptr);
[[nodiscard]] RowFormat valueFormat(const KvShape& shape, const Rotation* rotation = nullptr);
[[nodiscard]] RowFormat keyFormat(const KvHeadView& view, int keyDim);
[[nodiscard]] RowFormat valueFormat(const KvHeadView& view, int valueDim);
/// Rows of rotated codes have an even number of numbers, from the first to the second of these.
inline constexpr int kShortestRotatedRow = 32;
inline constexpr int kLongestRotatedRow = 576;
/// Errors: InvalidArgument, naming length, group and bits and what is allowed.
[[nodiscard]] Status checkQuant(const char* what, const KvQuant& quant, int dim);
/// Bytes of a row. @pre checkQuant passed
[[nodiscard]] std::size_t formatBytes(const RowFormat& format);
/// Of those, what is no code: scales and biases; 0 of plain numbers.
[[nodiscard]] std::size_t scaleBytes(const RowFormat& format);
/// @pre for this and what follows: a format of rotated codes has its rotation
void encodeRow(const RowFormat& format, std::span<const float> row, std::byte* out);
/// The same; a number beyond the largest of the type becomes that largest one.
void encodeRowSaturated(const RowFormat& format, std::span<const float> row, std::byte* out);
/// Rows of one head out of a step: `stride` floats lie between two of them.
struct StepRows {
    const float* first = nullptr;
    std::int64_t stride = 0;
    int count = 0;
};
/// Where the rotated rows go as f16 as well, `stride` bytes apart, and what f16 can hold.
struct ExactTarget {
    std::byte* rows = nullptr;
    std::size_t stride = 0;
    bool* fits = nullptr;  ///< [count]
};
/// encodeRow of all of them, one after the other in `out`; `exact` is for rotated codes only.
void encodeRows(const RowFormat& format, const StepRows& rows, std::byte* out,
                const ExactTarget& exact = {});
/// encodeRow of rotated codes, and the rotated row itself as f16. False: f16 cannot hold it.
[[nodiscard]] bool encodeRowAndExact(const RowFormat& format, std::span<const float> row,
                                     std::byte* out, std::byte* exact);
void decodeRow(const RowFormat& format, const std::byte* row, std::span<float> out);
/// What encodeRowAndExact wrote to `exact`, in the basis of the model.
void decodeExact(const RowFormat& format, const std::byte* exact, std::span<float> out);

/// Slots [first, first + count) of a view as floats [count, dim], whatever the format: the row in
/// 16 bits where there is one.
void readKeys(const KvHeadView& view, int keyDim, int first, int count, float* out);
void readValues(const KvHeadView& view, int valueDim, int first, int count, float* out);

}  // namespace lacuna
