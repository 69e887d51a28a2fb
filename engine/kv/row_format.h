#pragma once
/// \file
/// How one row of keys or values lies in a cache: plain numbers of a type, or group codes. Pure
/// functions, any thread.

#include <cstddef>
#include <span>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

/// Rounds to nearest even. @pre type is F32, F16 or BF16; `out` holds rowBytes(type, row.size())
void storeRow(DType type, std::span<const float> row, std::byte* out);
/// The same, but a number beyond the largest of the type becomes that largest one, not infinity.
void storeRowSaturated(DType type, std::span<const float> row, std::byte* out);
void loadRow(DType type, const std::byte* row, std::span<float> out);
/// Euclidean length, summed in float32.
[[nodiscard]] float norm(std::span<const float> row);

/// Plain numbers or group codes. A coded row is its codes (4 bits: the even element in the low half
/// of a byte), then the f16 scales of all groups, then their f16 biases. Codes are chosen against
/// the scale and bias as stored, so an element is off by half a scale and the rounding of the two.
/// A group with a number that is not finite reads back as not a number. docs/number-formats.md,
/// "Group codes".
struct RowFormat {
    DType type = DType::F16;
    KvQuant quant;
    int dim = 0;
};

[[nodiscard]] RowFormat keyFormat(const KvShape& shape);
[[nodiscard]] RowFormat valueFormat(const KvShape& shape);
/// Errors: InvalidArgument, naming length, group and bits and what is allowed.
[[nodiscard]] Status checkQuant(const char* what, const KvQuant& quant, int dim);
/// Bytes of a row. @pre checkQuant passed
[[nodiscard]] std::size_t formatBytes(const RowFormat& format);
void encodeRow(const RowFormat& format, std::span<const float> row, std::byte* out);
/// The same; a number beyond the largest of the type becomes that largest one.
void encodeRowSaturated(const RowFormat& format, std::span<const float> row, std::byte* out);
void decodeRow(const RowFormat& format, const std::byte* row, std::span<float> out);

/// Slots [first, first + count) of a view as floats [count, dim], whatever the format.
void readKeys(const KvHeadView& view, int keyDim, int first, int count, float* out);
void readValues(const KvHeadView& view, int valueDim, int first, int count, float* out);

/// Sylvester's Hadamard matrix over sqrt(n) times the row, in place: its own inverse, keeps every
/// dot product. Spreads outliers before quantising. @pre the length is a power of two
void hadamardRotate(std::span<float> row);

}  // namespace lacuna
