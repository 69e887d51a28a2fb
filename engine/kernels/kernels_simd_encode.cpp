// Rows to rotated codes, for each instruction set: the same bytes as the plain encoder, because
// sums keep its order (engine/tensor/rotated_codes.h) and no product is rounded together with a
// sum: the file is compiled without contraction. Also the transform that rotates rows.

#include "engine/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/kernels_simd_encode.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // first: it compiles this file once per target
#include <hwy/highway.h>
// clang-format on

#include "engine/kernels/rotated_parts.h"
#include "engine/kernels/simd_loads-inl.h"
#include "engine/kernels/simd_tables-inl.h"
#include "engine/tensor/rotated_codes.h"

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace lacuna {
namespace HWY_NAMESPACE {
namespace {

using D8 = hn::ScalableTag<std::uint8_t>;
using D2 = hn::ScalableTag<double>;
using V2 = hn::Vec<D2>;
using Index = hn::Vec<hn::RebindToSigned<D>>;
constexpr int kBytes = static_cast<int>(hn::MaxLanes(D8()));
constexpr int kWide = static_cast<int>(hn::MaxLanes(D2()));
constexpr int kParts = 2;  // vectors of float64 for one of floats
static_assert(kLanes == kParts * kWide);
constexpr int kCodeGroup = static_cast<int>(kCodeLanes);
constexpr int kVectors = kCodeGroup / kLanes;
constexpr std::int64_t kSpace = kMaxRotatedDim + 2 * 64;  // vectors read and write on after a row

// ---- codes ----

/// Borders of a codebook as a tree: those of a level are looked up with the path to it.
template <int bits>
struct Borders {
    FloatTable<(bits > 0 ? 1 << (bits - 1) : 1)> last;
    Borders<bits - 1> before;
    HWY_INLINE explicit Borders(const float* tree) : last(tree + (1 << (bits - 1))), before(tree) {}
    /// How many borders are below the number.
    HWY_INLINE Index below(V y) const {
        const hn::RebindToSigned<D> di;
        const Index path = before.below(y);
        const Index twice = hn::Add(path, path);
        const auto above = hn::RebindMask(di, hn::Gt(y, last.at(path)));
        return hn::IfThenElse(above, hn::Add(twice, hn::Set(di, 1)), twice);
    }
};
template <>
struct Borders<0> {
    HWY_INLINE explicit Borders(const float*) {}
    HWY_INLINE Index below(V) const { return hn::Zero(hn::RebindToSigned<D>()); }
};

/// Lanes as the plain encoder sums them.
struct LaneSums {
    V2 sums[kCodeGroup / kWide];
    HWY_INLINE LaneSums() {
        for (V2& sum : sums) sum = hn::Zero(D2());
    }
    /// Products with float64 of the kLanes numbers that are lanes from kLanes * v on.
    HWY_INLINE void add(int v, int part, V2 product) {
        V2& sum = sums[v * kParts + part];
        sum = hn::Add(sum, product);
    }
    HWY_INLINE double total() const {
        HWY_ALIGN double lanes[kCodeGroup];
        for (int i = 0; i < kCodeGroup / kWide; ++i) hn::Store(sums[i], D2(), lanes + i * kWide);
        return sumOfCodeLanes(lanes);
    }
};

HWY_INLINE V2 widePart(const float* x, int part) {
    const hn::Rebind<float, D2> d;
    return hn::PromoteTo(D2(), hn::LoadU(d, x + part * kWide));
}

/// The row with zeros up to a whole number of groups.
HWY_INLINE const float* wholeGroups(const float* row, std::int64_t columns, float* space) {
    if (columns % kCodeGroup == 0) return row;
    for (std::int64_t c = 0; c < columns; ++c) space[c] = row[c];
    for (std::int64_t c = columns; c % kCodeGroup != 0; ++c) space[c] = 0.0F;
    return space;
}

/// Sum of squares; `top` gets the largest absolute number where all are finite.
HWY_INLINE double squareOf(const float* row, std::int64_t columns, float& top) {
    const D d;
    LaneSums squares;
    V largest = hn::Zero(d);
    for (std::int64_t at = 0; at < columns; at += kCodeGroup)
        for (int v = 0; v < kVectors; ++v) {
            const float* x = row + at + v * kLanes;
            largest = hn::Max(largest, hn::Abs(hn::LoadU(d, x)));
            for (int part = 0; part < kParts; ++part) {
                const V2 wide = widePart(x, part);
                squares.add(v, part, hn::Mul(wide, wide));
            }
        }
    top = hn::GetLane(hn::MaxOfLanes(d, largest));
    return squares.total();
}

struct CodeSums {
    double together;
    double codeSquare;
};

/// One code a byte, zeros from the columns on to the end of their group.
template <int bits>
HWY_INLINE CodeSums chooseCodes(const Borders<bits>& borders, const FloatTable<(1 << bits)>& book,
                                const float* row, std::int64_t columns, double inverse,
                                double range, std::uint8_t* codes) {
    const D d;
    const D2 d2;
    const hn::Rebind<float, D2> dh;
    const hn::RebindToSigned<D> di;
    const hn::Rebind<std::uint8_t, D> d8;
    LaneSums together;
    LaneSums squares;
    for (std::int64_t at = 0; at < columns; at += kCodeGroup)
        for (int v = 0; v < kVectors; ++v) {
            const std::int64_t first = at + v * kLanes;
            const V2 low = hn::Mul(widePart(row + first, 0), hn::Set(d2, inverse));
            const V2 high = hn::Mul(widePart(row + first, 1), hn::Set(d2, inverse));
            const V place = hn::Combine(d, hn::DemoteTo(dh, hn::Mul(high, hn::Set(d2, range))),
                                        hn::DemoteTo(dh, hn::Mul(low, hn::Set(d2, range))));
            Index code = borders.below(place);
            V centroid = book.at(code);
            if (first + kLanes > columns) {
                const std::int64_t left = columns > first ? columns - first : 0;
                const auto own = hn::FirstN(d, static_cast<std::size_t>(left));
                centroid = hn::IfThenElseZero(own, centroid);
                code = hn::IfThenElseZero(hn::RebindMask(di, own), code);
            }
            hn::StoreU(hn::DemoteTo(d8, code), d8, codes + first);
            const V2 lower = hn::PromoteTo(d2, hn::LowerHalf(dh, centroid));
            const V2 upper = hn::PromoteTo(d2, hn::UpperHalf(dh, centroid));
            together.add(v, 0, hn::Mul(low, lower));
            together.add(v, 1, hn::Mul(high, upper));
            squares.add(v, 0, hn::Mul(lower, lower));
            squares.add(v, 1, hn::Mul(upper, upper));
        }
    return {together.total(), squares.total()};
}

/// Bits [shift, shift + width) of every code, at `place` in its byte.
template <int width, int shift, int place>
HWY_INLINE hn::Vec<D8> bitsOf(const std::uint8_t* codes) {
    const D8 d8;
    const hn::Repartition<std::uint16_t, D8> d16;
    const auto pairs = hn::BitCast(d16, hn::LoadU(d8, codes));
    const auto mask = hn::Set(d8, static_cast<std::uint8_t>((1 << width) - 1));
    const auto part = hn::And(hn::BitCast(d8, hn::ShiftRight<shift>(pairs)), mask);
    return hn::BitCast(d8, hn::ShiftLeft<place>(hn::BitCast(d16, part)));
}

/// Of a plane of 4 or 2 bits; what is written after its end is overwritten by what follows it.
template <int width, int shift>
HWY_INLINE std::uint8_t* packPlane(const std::uint8_t* codes, std::int64_t columns,
                                   std::uint8_t* out) {
    const D8 d8;
    const auto bytes = static_cast<std::int64_t>(codePlaneBytes(width, static_cast<int>(columns)));
    for (std::int64_t i = 0; i < bytes; i += kBytes) {
        auto v = hn::Or(bitsOf<width, shift, 0>(codes + i),
                        bitsOf<width, shift, width>(codes + i + bytes));
        if constexpr (width == 2) {
            v = hn::Or(v, bitsOf<width, shift, 4>(codes + i + 2 * bytes));
            v = hn::Or(v, bitsOf<width, shift, 6>(codes + i + 3 * bytes));
        }
        hn::StoreU(v, d8, out + i);
    }
    return out + bytes;
}

template <int bits>
HWY_INLINE void packCodes(const std::uint8_t* codes, std::int64_t columns, std::uint8_t* out) {
    const D8 d8;
    if constexpr (bits == 8) {
        for (std::int64_t i = 0; i < columns; i += kBytes)
            hn::StoreU(hn::LoadU(d8, codes + i), d8, out + i);
        return;
    }
    if constexpr ((bits & 4) != 0) out = packPlane<4, 0>(codes, columns, out);
    if constexpr ((bits & 2) != 0) out = packPlane<2, bits & 4>(codes, columns, out);
    if constexpr ((bits & 1) != 0) {
        const auto bit = hn::Set(d8, static_cast<std::uint8_t>(1 << (bits - 1)));
        for (std::int64_t i = 0; i < columns; i += kBytes)
            hn::StoreMaskBits(d8, hn::TestBit(hn::LoadU(d8, codes + i), bit), out + i / 8);
    }
}

template <int bits>
void encodeRows(const RotatedEncoding& job) {
    const Borders<bits> borders(rotatedBorders(bits));
    const FloatTable<(1 << bits)> book(rotatedCodebook(bits));
    const int dim = static_cast<int>(job.columns);
    const std::size_t codeBytes = rotatedCodeBytes(bits, dim);
    HWY_ALIGN float space[kSpace];
    HWY_ALIGN std::uint8_t codes[kSpace] = {};
    HWY_ALIGN std::uint8_t packed[kSpace];
    for (std::int64_t r = 0; r < job.count; ++r) {
        const float* row = wholeGroups(job.rows + r * job.rowStride, job.columns, space);
        float top = 0;
        const RowSpread found = rowSpread(squareOf(row, job.columns, top), dim);
        if (job.largest != nullptr)
            job.largest[r] = found.codes || found.half == 0 ? top : __builtin_huge_valf();
        std::byte* const out = job.codes + r * job.codeStride;
        std::uint16_t half = found.half;
        if (found.codes) {
            const CodeSums sums = chooseCodes<bits>(borders, book, row, job.columns, found.inverse,
                                                    static_cast<double>(job.range), codes);
            packCodes<bits>(codes, job.columns, packed);
            __builtin_memcpy(out, packed, codeBytes);
            half = rowScale(job.scale, dim, found.spread, sums.together, sums.codeSquare);
        } else {
            __builtin_memset(out, 0, codeBytes);
        }
        __builtin_memcpy(out + codeBytes, &half, sizeof(half));
    }
}

void encodeRotated(const RotatedEncoding& job) noexcept {
    constexpr void (*kOf[])(const RotatedEncoding&) = {encodeRows<1>, encodeRows<2>, encodeRows<3>,
                                                       encodeRows<4>, encodeRows<5>, encodeRows<6>,
                                                       encodeRows<7>, encodeRows<8>};
    kOf[job.bits - 1](job);
}

// ---- the transform ----

/// Sums of pairs of lanes `step` apart in the lower one, differences in the upper one.
template <int step>
HWY_INLINE V pairs(V v) {
    const D d;
    const hn::RebindToUnsigned<D> du;
    V other = v;
    if constexpr (step == 1) other = hn::Shuffle2301(v);
    if constexpr (step == 2) other = hn::Shuffle1032(v);
    if constexpr (step == 4) other = hn::SwapAdjacentBlocks(v);
#if HWY_TARGET == HWY_AVX3
    if constexpr (step == 8) other = V{_mm512_shuffle_f32x4(v.raw, v.raw, 0x4E)};
#endif
    const auto lane = hn::Iota(du, 0);
    const auto upper = hn::Ne(hn::And(lane, hn::Set(du, step)), hn::Zero(du));
    const V sign = hn::BitCast(d, hn::IfThenElseZero(upper, hn::Set(du, 0x80000000U)));
    return hn::Add(other, hn::Xor(v, sign));
}

void hadamard(float* x, std::int64_t n) noexcept {
    const D d;
    for (std::int64_t i = 0; i < n; i += kLanes) {
        V v = pairs<4>(pairs<2>(pairs<1>(hn::LoadU(d, x + i))));
        if constexpr (kLanes == 16) v = pairs<8>(v);
        hn::StoreU(v, d, x + i);
    }
    for (std::int64_t step = kLanes; step < n; step *= 2)
        for (std::int64_t i = 0; i < n; i += 2 * step)
            for (std::int64_t j = i; j < i + step; j += kLanes) {
                const V a = hn::LoadU(d, x + j);
                const V b = hn::LoadU(d, x + j + step);
                hn::StoreU(hn::Add(a, b), d, x + j);
                hn::StoreU(hn::Sub(a, b), d, x + j + step);
            }
}

}  // namespace

void fillEncode(KernelTable& table) noexcept {
    table.encodeRotated = encodeRotated;
    table.hadamard = hadamard;
}

}  // namespace HWY_NAMESPACE
}  // namespace lacuna
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace lacuna {

void fillSimdEncodeKernels([[maybe_unused]] SimdLevel level,
                           [[maybe_unused]] KernelTable& table) noexcept {
#if HWY_ARCH_X86
    switch (level) {
        case SimdLevel::Avx2:
            return N_AVX2::fillEncode(table);
        case SimdLevel::Avx512:
            return N_AVX3::fillEncode(table);
    }
#endif
}

}  // namespace lacuna
#endif
