#include "engine/model/attention_rows.h"

#include "engine/kernels/coded_rows.h"
#include "engine/kernels/rotated_rows.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

HeadRows rowsOf(const RowFormat& format, const std::byte* rows, int first, int count) {
    const auto stride = static_cast<std::int64_t>(formatBytes(format));
    return {format.type, format.quant, rows + first * stride, stride,
            format.dim,  count,        format.uncoded};
}

RowBlock plainBlock(const HeadRows& rows) {
    return {rows.rows, rows.stride, rows.count, rows.columns};
}

CodedRows codedBlock(const HeadRows& rows) {
    return {rows.rows, rows.stride, rows.count, rows.columns, rows.quant.bits, rows.quant.group};
}

RotatedRows rotatedBlock(const HeadRows& rows) {
    return {rows.rows, rows.stride, rows.count, rows.columns, rows.quant.bits};
}

void decodeCodes(const KernelTable& kernels, const HeadRows& rows, float* out) {
    if (rows.quant.rotated()) {
        kernels.decodeRotated(rotatedBlock(rows), out);
    } else {
        kernels.decodeCoded(codedBlock(rows), out);
    }
}

/// Decodes rows that begin with plain numbers.
void decodeParts(const KernelTable& kernels, const HeadRows& rows, float* out) {
    const DType type = uncodedType(rows.type);
    const auto codes = rowBytes(type, static_cast<std::uint64_t>(rows.uncoded));
    HeadRows one = rows;
    one.columns -= rows.uncoded;
    one.count = 1;
    for (std::int64_t i = 0; i < rows.count; ++i) {
        const std::byte* const row = rows.rows + i * rows.stride;
        float* const to = out + i * rows.columns;
        kernels.toFloat[kernelIndex(type)](row, to, rows.uncoded);
        one.rows = row + codes;
        decodeCodes(kernels, one, to + rows.uncoded);
    }
}

// Rounding costs a product far less than the codes themselves, even in models whose weights do not
// tolerate it.
bool rounds(Precision precision) {
    return precision != Precision::Exact;
}

}  // namespace

HeadRows keyRows(const KvHeadView& view, std::int64_t columns, int first, int count) {
    return rowsOf(keyFormat(view, static_cast<int>(columns)), view.keys, first, count);
}

HeadRows valueRows(const KvHeadView& view, std::int64_t columns, int first, int count) {
    HeadRows rows = rowsOf(valueFormat(view, static_cast<int>(columns)), view.values, 0, count);
    if (view.valueStride > 0) rows.stride = view.valueStride;
    rows.rows += first * rows.stride;
    return rows;
}

void dotRows(const KernelTable& kernels, Precision precision, const HeadRows& rows,
             const QueryRows& q) {
    if (rows.quant.plain()) {
        kernels.dotManyQueries[kernelIndex(rows.type)](plainBlock(rows), q);
    } else if (rows.quant.rotated()) {
        (rounds(precision) ? kernels.dotManyRotatedFast : kernels.dotManyRotated)(
            rotatedBlock(rows), q);
    } else {
        kernels.dotManyCoded(codedBlock(rows), q);
    }
}

void addRows(const KernelTable& kernels, Precision precision, const HeadRows& rows,
             const QueryRows& q) {
    if (rows.quant.plain()) {
        kernels.addManyQueries[kernelIndex(rows.type)](plainBlock(rows), q);
    } else if (rows.quant.rotated()) {
        (rounds(precision) ? kernels.addManyRotatedFast : kernels.addManyRotated)(
            rotatedBlock(rows), q);
    } else {
        kernels.addManyCoded(codedBlock(rows), q);
    }
}

HeadRows plainRows(const KernelTable& kernels, const HeadRows& rows, const DecodeSpace& space) {
    if (rows.quant.plain()) return rows;
    HeadRows plain = rows;
    plain.quant = {};
    plain.uncoded = 0;
    const auto asBits = [&plain, &space] {
        plain.type = DType::BF16;
        plain.rows = reinterpret_cast<const std::byte*>(space.bits);
        plain.stride = plain.columns * std::int64_t{sizeof(std::uint16_t)};
        return plain;
    };
    if (rows.quant.rotated() && rows.uncoded == 0 && space.bits != nullptr &&
        kernels.decodeRotatedBfloat != nullptr) {
        kernels.decodeRotatedBfloat(rotatedBlock(rows), space.bits);
        return asBits();
    }
    if (rows.uncoded > 0) {
        decodeParts(kernels, rows, space.floats);
    } else {
        decodeCodes(kernels, rows, space.floats);
    }
    plain.type = DType::F32;
    plain.rows = reinterpret_cast<const std::byte*>(space.floats);
    plain.stride = rows.columns * std::int64_t{sizeof(float)};
    if (space.bits == nullptr) return plain;
    kernels.toBfloat(space.floats, space.bits, rows.count * rows.columns);
    return asBits();
}

HeadRows endsOf(HeadRows rows, std::int64_t columns) {
    rows.rows += rowBytes(rows.type, static_cast<std::uint64_t>(rows.columns - columns));
    rows.columns = columns;
    return rows;
}

}  // namespace lacuna
