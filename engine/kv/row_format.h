#pragma once
/// \file
/// Encoding of one row of keys or values in a cache: plain numbers of a type, group codes or
/// rotated codes. Pure functions, any thread.

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
/// The same, but a number beyond the range of the type becomes the largest finite one, not
/// infinity.
void storeRowSaturated(DType type, std::span<const float> row, std::byte* out);
void loadRow(DType type, const std::byte* row, std::span<float> out);
/// Euclidean norm, summed in float32.
[[nodiscard]] float norm(std::span<const float> row);

/// Plain numbers, group codes or rotated codes. A row of group codes consists of its codes (4 bits:
/// the even element in the low half of a byte), the f16 scales of all groups and their f16 biases.
/// Codes are chosen against the stored scale and bias, so the error of an element is half a scale
/// plus the rounding of the two. A group with a non-finite number decodes to NaN.
/// docs/number-formats.md, "Group codes", "Rotated codes".
struct RowFormat {
    DType type = DType::F16;
    KvQuant quant;
    int dim = 0;
    /// For rotated codes: rotation applied before encoding. Rows are passed and returned in the
    /// basis of the model.
    const Rotation* rotation = nullptr;
    CodeScale scale = CodeScale::Plain;
    /// Leading numbers that are plain, in 16 bits; the codes of the others follow them in the row.
    int uncoded = 0;
};

/// Type of the plain numbers before codes: f16 if the type has more than 16 bits.
[[nodiscard]] constexpr DType uncodedType(DType type) {
    return type == DType::F32 ? DType::F16 : type;
}

/// Keys use the scale that leaves their products with queries unbiased, values the least-squares
/// scale. Without a rotation the format of rotated codes only defines the length of a row. If
/// values are in the keys, a row of values has no elements, and only the numbers of the value are
/// codes (docs/number-formats.md, "Latent rows").
[[nodiscard]] RowFormat keyFormat(const KvShape& shape, const Rotation* rotation = nullptr);
[[nodiscard]] RowFormat valueFormat(const KvShape& shape, const Rotation* rotation = nullptr);
[[nodiscard]] RowFormat keyFormat(const KvHeadView& view, int keyDim);
[[nodiscard]] RowFormat valueFormat(const KvHeadView& view, int valueDim);
/// Returns the bytes from one value of a view to the next.
[[nodiscard]] std::size_t valueStride(const KvHeadView& view, int valueDim);
/// Lets the values of a view refer to the ends of its keys if the shape has them there.
void setValuesInKeys(const KvShape& shape, KvHeadView& view);
/// Rows of rotated codes have an even length between these two limits.
inline constexpr int kShortestRotatedRow = 32;
inline constexpr int kLongestRotatedRow = 576;
/// A latent of rotated codes is a multiple of this many numbers, so that a row has an even number
/// of bytes.
inline constexpr int kRotatedLatentStep = 16;
/// Errors: InvalidArgument, naming length, group and bits and the permitted values.
[[nodiscard]] Status checkQuant(const char* what, const KvQuant& quant, int dim);
/// Checks the formats of the keys and values of a layer. Errors: also Unsupported if values that
/// are in the keys have another format.
[[nodiscard]] Status checkQuants(const KvExtent& extent, const KvQuant& keys,
                                 const KvQuant& values);
/// Bytes of a row. @pre checkQuant passed
[[nodiscard]] std::size_t formatBytes(const RowFormat& format);
/// Bytes of scales and biases in a row; 0 for plain numbers.
[[nodiscard]] std::size_t scaleBytes(const RowFormat& format);
/// @pre here and below: a format of rotated codes has its rotation
void encodeRow(const RowFormat& format, std::span<const float> row, std::byte* out);
/// The same; a number beyond the range of the type becomes the largest finite one.
void encodeRowSaturated(const RowFormat& format, std::span<const float> row, std::byte* out);
/// Rows of one head from a step, `stride` floats apart.
struct StepRows {
    const float* first = nullptr;
    std::int64_t stride = 0;
    int count = 0;
};
/// Destination of the rows as f16, the coded numbers rotated, `stride` bytes apart, and whether f16
/// can hold them.
struct ExactTarget {
    std::byte* rows = nullptr;
    std::size_t stride = 0;
    bool* fits = nullptr;  ///< [count]
};
/// Encodes all rows consecutively into `out`; `exact` is for rotated codes only.
void encodeRows(const RowFormat& format, const StepRows& rows, std::byte* out,
                const ExactTarget& exact = {});
/// Encodes a row to rotated codes, and the rotated row itself as f16. Returns false if f16 cannot
/// hold it.
[[nodiscard]] bool encodeRowAndExact(const RowFormat& format, std::span<const float> row,
                                     std::byte* out, std::byte* exact);
void decodeRow(const RowFormat& format, const std::byte* row, std::span<float> out);
/// Decodes the `exact` row of encodeRowAndExact, in the basis of the model.
void decodeExact(const RowFormat& format, const std::byte* exact, std::span<float> out);

/// Reads slots [first, first + count) of a view as floats [count, dim] in any format, using the row
/// in 16 bits if there is one.
void readKeys(const KvHeadView& view, int keyDim, int first, int count, float* out);
void readValues(const KvHeadView& view, int valueDim, int first, int count, float* out);

}  // namespace lacuna
