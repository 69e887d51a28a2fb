#include "engine/kv/row_format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/half.h"
#include "engine/base/string_format.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kernels/rotated_rows.h"
#include "engine/kernels/rotation.h"

namespace lacuna {
namespace {

float largest(DType type) {
    if (type == DType::F16) return 65504.0F;
    return type == DType::BF16 ? 0x1.FEp127F : std::numeric_limits<float>::max();
}

}  // namespace

void storeRow(DType type, std::span<const float> row, std::byte* out) {
    LACUNA_REQUIRE(isPlainFloat(type), "cache rows are F32, F16 or BF16");
    const auto n = static_cast<std::int64_t>(row.size());
    if (type == DType::F32) {
        std::memcpy(out, row.data(), row.size_bytes());
    } else if (type == DType::F16) {
        bestKernels().toHalf(row.data(), reinterpret_cast<std::uint16_t*>(out), n);
    } else {
        bestKernels().toBfloat(row.data(), reinterpret_cast<std::uint16_t*>(out), n);
    }
}

void storeRowSaturated(DType type, std::span<const float> row, std::byte* out) {
    const float most = largest(type);
    std::vector<float> clamped(row.begin(), row.end());
    for (float& x : clamped) x = std::clamp(x, -most, most);
    storeRow(type, clamped, out);
}

void loadRow(DType type, const std::byte* row, std::span<float> out) {
    bestKernels().toFloat[kernelIndex(type)](row, out.data(),
                                             static_cast<std::int64_t>(out.size()));
}

float norm(std::span<const float> row) {
    const auto n = static_cast<std::int64_t>(row.size());
    const RowBlock block{reinterpret_cast<const std::byte*>(row.data()), n * 4, 1, n};
    float square = 0;
    bestKernels().dotRows[kernelIndex(DType::F32)](block, row.data(), &square);
    return std::sqrt(square);
}

namespace {

constexpr float kMaxHalf = 65504.0F;

struct Affine {
    std::uint16_t scale = 0;  ///< f16
    std::uint16_t bias = 0;   ///< f16
};

Affine affineOf(std::span<const float> group, int codes) {
    float low = kMaxHalf;
    float high = -kMaxHalf;
    for (const float x : group) {
        if (!std::isfinite(x)) return {floatToHalf(std::numeric_limits<float>::quiet_NaN()), 0};
        low = std::min(low, x);
        high = std::max(high, x);
    }
    low = std::clamp(low, -kMaxHalf, kMaxHalf);
    high = std::clamp(high, -kMaxHalf, kMaxHalf);
    return {floatToHalf((high - low) / static_cast<float>(codes)), floatToHalf(low)};
}

std::uint8_t codeOf(float x, float scale, float bias, int codes) {
    if (!(scale > 0)) return 0;
    const float code = std::nearbyint((x - bias) / scale);
    return static_cast<std::uint8_t>(std::clamp(code, 0.0F, static_cast<float>(codes)));
}

/// Layout of a coded row.
struct CodedRow {
    std::size_t codes = 0;  ///< number of bytes
    std::size_t groups = 0;
};

CodedRow codedRow(const RowFormat& format) {
    const auto dim = static_cast<std::size_t>(format.dim);
    return {dim * static_cast<std::size_t>(format.quant.bits) / 8,
            dim / static_cast<std::size_t>(format.quant.group)};
}

void encodeGroups(const RowFormat& format, std::span<const float> row, std::byte* out) {
    const CodedRow parts = codedRow(format);
    const int codes = (1 << format.quant.bits) - 1;
    const auto group = static_cast<std::size_t>(format.quant.group);
    auto* bytes = reinterpret_cast<std::uint8_t*>(out);
    std::memset(bytes, 0, parts.codes);
    for (std::size_t g = 0; g < parts.groups; ++g) {
        const Affine affine = affineOf(row.subspan(g * group, group), codes);
        const float scale = halfToFloat(affine.scale);
        const float bias = halfToFloat(affine.bias);
        for (std::size_t i = g * group; i < (g + 1) * group; ++i) {
            const std::uint8_t code = codeOf(row[i], scale, bias, codes);
            if (format.quant.bits == 8) {
                bytes[i] = code;
            } else {
                bytes[i / 2] = static_cast<std::uint8_t>(bytes[i / 2] | (code << (i % 2 * 4)));
            }
        }
        std::memcpy(bytes + parts.codes + 2 * g, &affine.scale, 2);
        std::memcpy(bytes + parts.codes + 2 * (parts.groups + g), &affine.bias, 2);
    }
}

void decodeGroups(const RowFormat& format, const std::byte* row, float* out) {
    const CodedRow parts = codedRow(format);
    const auto group = static_cast<std::size_t>(format.quant.group);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(row);
    for (std::size_t g = 0; g < parts.groups; ++g) {
        Affine affine;
        std::memcpy(&affine.scale, bytes + parts.codes + 2 * g, 2);
        std::memcpy(&affine.bias, bytes + parts.codes + 2 * (parts.groups + g), 2);
        const float scale = halfToFloat(affine.scale);
        const float bias = halfToFloat(affine.bias);
        float* to = out + g * group;
        if (format.quant.bits == 8) {
            const std::uint8_t* from = bytes + g * group;
            for (std::size_t i = 0; i < group; ++i)
                to[i] = scale * static_cast<float>(from[i]) + bias;
        } else {
            const std::uint8_t* from = bytes + g * group / 2;
            for (std::size_t i = 0; i < group / 2; ++i) {
                to[2 * i] = scale * static_cast<float>(from[i] & 15) + bias;
                to[2 * i + 1] = scale * static_cast<float>(from[i] >> 4) + bias;
            }
        }
    }
}

const Rotation& rotationOf(const RowFormat& format) {
    LACUNA_REQUIRE(format.rotation != nullptr && format.rotation->dim() == format.dim,
                   "rows of rotated codes come with their rotation");
    return *format.rotation;
}

// Encodes a few rows at a time, so that rotated rows are still in the cache when they are encoded.
// Encoded rows are `stride` bytes apart.
void encodeTurned(const RowFormat& format, const StepRows& rows, std::byte* out, std::size_t stride,
                  const ExactTarget& exact) {
    constexpr int kTogether = 16;
    std::array<float, kTogether * kLongestRotatedRow> turned;
    std::array<float, kTogether> largest;
    const Rotation& rotation = rotationOf(format);
    const KernelTable& kernels = bestKernels();
    for (int first = 0; first < rows.count; first += kTogether) {
        const int count = std::min(kTogether, rows.count - first);
        rotation.apply(
            {rows.first + first * rows.stride, rows.stride, turned.data(), format.dim, count});
        kernels.encodeRotated({.rows = turned.data(),
                               .rowStride = format.dim,
                               .count = count,
                               .columns = format.dim,
                               .bits = format.quant.bits,
                               .scale = format.scale,
                               .range = rotation.range(format.quant.bits),
                               .codes = out + static_cast<std::size_t>(first) * stride,
                               .codeStride = static_cast<std::int64_t>(stride),
                               .largest = largest.data()});
        for (int i = 0; i < count && exact.rows != nullptr; ++i) {
            const auto row = static_cast<std::size_t>(first + i);
            kernels.toHalf(turned.data() + i * format.dim,
                           reinterpret_cast<std::uint16_t*>(exact.rows + row * exact.stride),
                           format.dim);
            exact.fits[row] = largest[static_cast<std::size_t>(i)] <= kMaxHalf;
        }
    }
}

void encodeTurned(const RowFormat& format, std::span<const float> row, std::byte* out) {
    encodeTurned(format, {row.data(), format.dim, 1}, out, formatBytes(format), {});
}

void encodeTurnedSaturated(const RowFormat& format, std::span<const float> row, std::byte* out) {
    std::array<float, kLongestRotatedRow> clamped;
    std::ranges::transform(row, clamped.begin(),
                           [](float x) { return std::clamp(x, -kMaxHalf, kMaxHalf); });
    encodeTurned(format, std::span(clamped).first(row.size()), out);
}

void decodeTurned(const RowFormat& format, const std::byte* row, std::span<float> out) {
    lacuna::decodeRotated(row, format.quant.bits, out);
    rotationOf(format).undo(out.data(), out.data());
}

void readTurned(const RowFormat& format, const RotatedRows& block, float* out) {
    bestKernels().decodeRotated(block, out);
    rotationOf(format).undo({out, format.dim, out, format.dim, static_cast<int>(block.count)});
}

/// The two parts of a row that begins with plain numbers.
struct RowParts {
    RowFormat leading;      ///< the plain numbers
    RowFormat coded;        ///< the others
    std::size_t codes = 0;  ///< first byte of the codes
};

RowParts partsOf(const RowFormat& format) {
    RowParts parts{.leading = {uncodedType(format.type), {}, format.uncoded}, .coded = format};
    parts.coded.dim -= format.uncoded;
    parts.coded.uncoded = 0;
    parts.codes = formatBytes(parts.leading);
    return parts;
}

void readRows(const RowFormat& format, const std::byte* rows, std::size_t stride, int first,
              int count, float* out);

void readParts(const RowFormat& format, const std::byte* rows, std::size_t stride, int first,
               int count, float* out) {
    const RowParts parts = partsOf(format);
    const auto coded = static_cast<std::size_t>(parts.coded.dim);
    std::vector<float> numbers(static_cast<std::size_t>(count) * coded);
    readRows(parts.coded, rows + parts.codes, stride, first, count, numbers.data());
    for (int i = 0; i < count; ++i) {
        float* const row = out + static_cast<std::ptrdiff_t>(i) * format.dim;
        decodeRow(parts.leading, rows + static_cast<std::size_t>(first + i) * stride,
                  {row, static_cast<std::size_t>(format.uncoded)});
        std::copy_n(numbers.data() + static_cast<std::size_t>(i) * coded, coded,
                    row + format.uncoded);
    }
}

void readRows(const RowFormat& format, const std::byte* rows, std::size_t stride, int first,
              int count, float* out) {
    if (format.uncoded > 0) return readParts(format, rows, stride, first, count, out);
    if (format.quant.rotated())
        return readTurned(format,
                          {rows + static_cast<std::size_t>(first) * stride,
                           static_cast<std::int64_t>(stride), count, format.dim, format.quant.bits},
                          out);
    for (int i = 0; i < count; ++i)
        decodeRow(format, rows + static_cast<std::size_t>(first + i) * stride,
                  {out + static_cast<std::ptrdiff_t>(i) * format.dim,
                   static_cast<std::size_t>(format.dim)});
}

}  // namespace

RowFormat keyFormat(const KvShape& shape, const Rotation* rotation) {
    return {shape.type, shape.keyQuant,      shape.keyDim,
            rotation,   CodeScale::Unbiased, shape.uncodedKeys()};
}

RowFormat valueFormat(const KvShape& shape, const Rotation* rotation) {
    if (shape.valuesInKeys) return {shape.type, {}, 0};
    return {shape.type, shape.valueQuant, shape.valueDim, rotation, CodeScale::LeastSquares};
}

RowFormat keyFormat(const KvHeadView& view, int keyDim) {
    return {view.type, view.keyQuant, keyDim, view.keyRotation, CodeScale::Unbiased, view.uncoded};
}

RowFormat valueFormat(const KvHeadView& view, int valueDim) {
    return {view.type, view.valueQuant, valueDim, view.valueRotation, CodeScale::LeastSquares};
}

std::size_t valueStride(const KvHeadView& view, int valueDim) {
    return view.valueStride > 0 ? static_cast<std::size_t>(view.valueStride)
                                : formatBytes(valueFormat(view, valueDim));
}

void setValuesInKeys(const KvShape& shape, KvHeadView& view) {
    if (!shape.valuesInKeys) return;
    const DType type = shape.keyQuant.plain() ? shape.type : uncodedType(shape.type);
    const auto before = static_cast<std::uint64_t>(shape.keyDim - shape.valueDim);
    view.uncoded = shape.uncodedKeys();
    view.valueQuant = view.keyQuant;
    view.valueRotation = view.keyRotation;
    view.values = view.keys == nullptr ? nullptr : view.keys + rowBytes(type, before);
    view.valueStride = static_cast<std::int64_t>(formatBytes(keyFormat(shape)));
}

static_assert(kShortestRotatedRow == Rotation::kMinDim && kLongestRotatedRow == Rotation::kMaxDim);

namespace {

Status checkRotated(const char* what, int bits, int dim) {
    if (bits < 1 || bits > kMaxCodeBits)
        return fail(ErrorCode::InvalidArgument,
                    format("cache shape: rotated codes of {} have {} bits, expected 1 to {}", what,
                           bits, kMaxCodeBits));
    if (dim % 2 == 0 && dim >= kShortestRotatedRow && dim <= kLongestRotatedRow) return {};
    return fail(ErrorCode::InvalidArgument,
                format("cache shape: {} length {} has no rotation, expected an even one of {} to "
                       "{}",
                       what, dim, kShortestRotatedRow, kLongestRotatedRow));
}

}  // namespace

Status checkQuant(const char* what, const KvQuant& quant, int dim) {
    if (quant.plain()) return {};
    if (quant.rotated()) return checkRotated(what, quant.bits, dim);
    if (quant.bits != 8 && quant.bits != 4)
        return fail(
            ErrorCode::InvalidArgument,
            format("cache shape: {} bits are {}, expected 8, 4 or 0 (plain)", what, quant.bits));
    if (quant.group != 32 && quant.group != 64 && quant.group != 128)
        return fail(
            ErrorCode::InvalidArgument,
            format("cache shape: {} group is {}, expected 32, 64 or 128", what, quant.group));
    if (dim % quant.group != 0)
        return fail(ErrorCode::InvalidArgument,
                    format("cache shape: {} length {} is not a multiple of the group size {}; "
                           "choose a group size that divides it",
                           what, dim, quant.group));
    return {};
}

Status checkQuants(const KvExtent& extent, const KvQuant& keys, const KvQuant& values) {
    if (!extent.valuesInKeys) {
        LACUNA_TRY_STATUS(checkQuant("key", keys, extent.keyDim));
        return checkQuant("value", values, extent.valueDim);
    }
    if (!(keys == values))
        return fail(ErrorCode::Unsupported,
                    "cache shape: values that are parts of their keys (latent attention) have the "
                    "format of the keys; set v_type to same");
    LACUNA_TRY_STATUS(checkQuant("latent", keys, extent.valueDim));
    const int before = extent.keyDim - extent.valueDim;
    if (!keys.rotated() ||
        (extent.valueDim % kRotatedLatentStep == 0 && before >= 1 && before <= kLongestRotatedRow))
        return {};
    return fail(ErrorCode::InvalidArgument,
                format("cache shape: rotated codes of a latent of {} numbers after {} others, "
                       "expected a multiple of {} after 1 to {}",
                       extent.valueDim, before, kRotatedLatentStep, kLongestRotatedRow));
}

std::size_t formatBytes(const RowFormat& format) {
    if (format.uncoded > 0) {
        const RowParts parts = partsOf(format);
        return parts.codes + formatBytes(parts.coded);
    }
    if (format.quant.plain())
        return static_cast<std::size_t>(
            rowBytes(format.type, static_cast<std::uint64_t>(format.dim)));
    if (format.quant.rotated()) return rotatedRowBytes(format.quant.bits, format.dim);
    const CodedRow parts = codedRow(format);
    return parts.codes + 4 * parts.groups;
}

std::size_t scaleBytes(const RowFormat& format) {
    if (format.quant.plain()) return 0;
    if (format.uncoded > 0) return scaleBytes(partsOf(format).coded);
    return format.quant.rotated() ? rotatedRowBytes(format.quant.bits, format.dim) -
                                        rotatedCodeBytes(format.quant.bits, format.dim)
                                  : 4 * codedRow(format).groups;
}

void encodeRow(const RowFormat& format, std::span<const float> row, std::byte* out) {
    if (format.uncoded > 0) {
        encodeRows(format, {row.data(), format.dim, 1}, out);
    } else if (format.quant.plain()) {
        storeRow(format.type, row, out);
    } else if (format.quant.rotated()) {
        encodeTurned(format, row, out);
    } else {
        encodeGroups(format, row, out);
    }
}

void encodeRowSaturated(const RowFormat& format, std::span<const float> row, std::byte* out) {
    if (format.uncoded > 0) {
        const RowParts parts = partsOf(format);
        const auto leading = static_cast<std::size_t>(format.uncoded);
        encodeRowSaturated(parts.leading, row.first(leading), out);
        encodeRowSaturated(parts.coded, row.subspan(leading), out + parts.codes);
    } else if (format.quant.plain()) {
        storeRowSaturated(format.type, row, out);
    } else if (format.quant.rotated()) {
        encodeTurnedSaturated(format, row, out);
    } else {
        encodeGroups(format, row, out);  // saturates by construction
    }
}

namespace {

/// encodeRows for rows without leading plain numbers, `stride` bytes apart.
void encodeSpaced(const RowFormat& format, const StepRows& rows, std::byte* out, std::size_t stride,
                  const ExactTarget& exact) {
    if (format.quant.rotated()) return encodeTurned(format, rows, out, stride, exact);
    for (int i = 0; i < rows.count; ++i)
        encodeRow(format, {rows.first + i * rows.stride, static_cast<std::size_t>(format.dim)},
                  out + static_cast<std::size_t>(i) * stride);
}

/// Writes the leading numbers of 16-bit rows, and notes those that f16 cannot hold.
void writeLeadingExact(const RowFormat& leading, const StepRows& rows, const ExactTarget& exact) {
    encodeSpaced({DType::F16, {}, leading.dim}, rows, exact.rows, exact.stride, {});
    for (int i = 0; i < rows.count; ++i) {
        const float* const row = rows.first + i * rows.stride;
        exact.fits[i] = exact.fits[i] && std::all_of(row, row + leading.dim, [](float x) {
                            return std::fabs(x) <= kMaxHalf;
                        });
    }
}

}  // namespace

void encodeRows(const RowFormat& format, const StepRows& rows, std::byte* out,
                const ExactTarget& exact) {
    const std::size_t bytes = formatBytes(format);
    if (format.uncoded == 0) return encodeSpaced(format, rows, out, bytes, exact);
    const RowParts parts = partsOf(format);
    StepRows coded = rows;
    coded.first += format.uncoded;
    ExactTarget turned = exact;
    if (exact.rows != nullptr)
        turned.rows += sizeof(std::uint16_t) * static_cast<std::size_t>(format.uncoded);
    encodeSpaced(parts.leading, rows, out, bytes, {});
    encodeSpaced(parts.coded, coded, out + parts.codes, bytes, turned);
    if (exact.rows != nullptr) writeLeadingExact(parts.leading, rows, exact);
}

bool encodeRowAndExact(const RowFormat& format, std::span<const float> row, std::byte* out,
                       std::byte* exact) {
    bool fits = false;
    encodeRows(format, {row.data(), format.dim, 1}, out, {exact, 0, &fits});
    return fits;
}

void decodeExact(const RowFormat& format, const std::byte* exact, std::span<float> out) {
    loadRow(DType::F16, exact, out);
    float* const turned = out.data() + format.uncoded;
    rotationOf(partsOf(format).coded).undo(turned, turned);
}

void decodeRow(const RowFormat& format, const std::byte* row, std::span<float> out) {
    if (format.uncoded > 0) {
        const RowParts parts = partsOf(format);
        const auto leading = static_cast<std::size_t>(format.uncoded);
        decodeRow(parts.leading, row, out.first(leading));
        decodeRow(parts.coded, row + parts.codes, out.subspan(leading));
    } else if (format.quant.plain()) {
        loadRow(format.type, row, out);
    } else if (format.quant.rotated()) {
        decodeTurned(format, row, out);
    } else {
        decodeGroups(format, row, out.data());
    }
}

namespace {

std::span<float> rowOf(float* rows, int row, int dim) {
    return {rows + static_cast<std::ptrdiff_t>(row) * dim, static_cast<std::size_t>(dim)};
}

}  // namespace

void readKeys(const KvHeadView& view, int keyDim, int first, int count, float* out) {
    const RowFormat format = keyFormat(view, keyDim);
    readRows(format, view.keys, formatBytes(format), first, count, out);
    if (!format.quant.rotated() || view.exact.keyBytes == 0) return;
    for (const ExactSlot& at : view.exact.within(first, count))
        decodeExact(format, view.exact.key(at), rowOf(out, at.slot - first, keyDim));
}

void readValues(const KvHeadView& view, int valueDim, int first, int count, float* out) {
    const RowFormat format = valueFormat(view, valueDim);
    readRows(format, view.values, valueStride(view, valueDim), first, count, out);
    if (!format.quant.rotated() || view.exact.valueBytes == 0) return;
    for (const ExactSlot& at : view.exact.within(first, count))
        decodeExact(format, view.exact.value(at), rowOf(out, at.slot - first, valueDim));
}

}  // namespace lacuna
