// Rows to rotated codes, for each instruction set. The bytes equal those of the plain encoder,
// because sums keep its order (engine/tensor/rotated_codes.h) and no product is fused with a sum:
// the file is compiled without contraction. Also the transform that rotates rows.

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
constexpr int kParts = 2;  // vectors of float64 per vector of floats
static_assert(kLanes == kParts * kWide);
constexpr int kCodeGroup = static_cast<int>(kCodeLanes);
constexpr int kVectors = kCodeGroup / kLanes;
constexpr std::int64_t kSpace = kMaxRotatedDim + 2 * 64;  // vectors read and write past the end of
                                                          // a row

// ---- codes ----

/// The borders above zero as a tree; each level is looked up with the path to it. They are the
/// right half of a tree with one more than `levels` levels.
template <int levels>
struct Borders {
    FloatTable<(levels > 0 ? 1 << (levels - 1) : 1)> last;
    Borders<levels - 1> before;
    HWY_INLINE explicit Borders(const float* tree)
        : last(tree + 3 * (1 << (levels - 1))), before(tree) {}
    /// Returns the number of borders below y.
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

struct Found {
    Index code;
    V centroid;
};

/// A codebook. It is symmetric, so the borders and centroids above zero suffice.
template <int bits>
class Book {
  public:
    HWY_INLINE Book() : borders_(rotatedBorders(bits)), centroids_(rotatedCodebook(bits) + kHalf) {}
    /// A number on a border has the lower code, so a mirrored border counts as passed.
    HWY_INLINE Found find(V y) const {
        const D d;
        const hn::RebindToSigned<D> di;
        const auto above = hn::Gt(y, hn::Zero(d));
        const auto aboveToo = hn::RebindMask(di, above);
        const Index size = hn::BitCast(di, hn::Abs(y));
        const V past =
            hn::BitCast(d, hn::IfThenElse(aboveToo, size, hn::Add(size, hn::Set(di, 1))));
        const Index k = borders_.below(past);
        const Index upper = hn::Add(k, hn::Set(di, kHalf));
        const V centroid = centroids_.at(k);
        return {hn::IfThenElse(aboveToo, upper, hn::Xor(upper, hn::Set(di, 2 * kHalf - 1))),
                hn::IfThenElse(above, centroid, hn::Neg(centroid))};
    }

  private:
    static constexpr int kHalf = 1 << (bits - 1);
    Borders<bits - 1> borders_;
    FloatTable<kHalf> centroids_;
};

/// Lanes in the order in which the plain encoder sums them.
struct LaneSums {
    V2 sums[kCodeGroup / kWide];
    HWY_INLINE LaneSums() {
        for (V2& sum : sums) sum = hn::Zero(D2());
    }
    /// Adds products in float64 of the kLanes numbers at lanes from kLanes * v on.
    HWY_INLINE void add(int v, int part, V2 product) {
        V2& sum = sums[v * kParts + part];
        sum = hn::Add(sum, product);
    }
    /// Adds them up like sumOfCodeLanes.
    HWY_INLINE double total() const {
        constexpr int kCount = kCodeGroup / kWide;
        V2 halves[kCount];
        for (int i = 0; i < kCount; ++i) halves[i] = sums[i];
        for (int n = kCount / 2; n > 0; n /= 2)
            for (int i = 0; i < n; ++i) halves[i] = hn::Add(halves[i], halves[i + n]);
        HWY_ALIGN double lanes[kWide];
        hn::Store(halves[0], D2(), lanes);
        for (int n = kWide / 2; n > 0; n /= 2)
            for (int i = 0; i < n; ++i) lanes[i] += lanes[i + n];
        return lanes[0];
    }
};

HWY_INLINE V2 widePart(const float* x, int part) {
    const hn::Rebind<float, D2> d;
    return hn::PromoteTo(D2(), hn::LoadU(d, x + part * kWide));
}

/// Returns the row padded with zeros to a multiple of the group length.
HWY_INLINE const float* wholeGroups(const float* row, std::int64_t columns, float* space) {
    if (columns % kCodeGroup == 0) return row;
    for (std::int64_t c = 0; c < columns; ++c) space[c] = row[c];
    for (std::int64_t c = columns; c % kCodeGroup != 0; ++c) space[c] = 0.0F;
    return space;
}

/// Returns the sum of squares; `top` is set to the largest absolute number if all are finite.
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

/// Chooses one code per byte, with zeros from the columns to the end of their group.
template <int bits>
HWY_INLINE CodeSums chooseCodes(const Book<bits>& book, const float* row, std::int64_t columns,
                                double inverse, double range, std::uint8_t* codes) {
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
            auto [code, centroid] = book.find(place);
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

/// Returns bits [shift, shift + width) of every code, at bit `place` of its byte.
template <int width, int shift, int place>
HWY_INLINE hn::Vec<D8> bitsOf(const std::uint8_t* codes) {
    const D8 d8;
    const hn::Repartition<std::uint16_t, D8> d16;
    const auto pairs = hn::BitCast(d16, hn::LoadU(d8, codes));
    const auto mask = hn::Set(d8, static_cast<std::uint8_t>((1 << width) - 1));
    const auto part = hn::And(hn::BitCast(d8, hn::ShiftRight<shift>(pairs)), mask);
    return hn::BitCast(d8, hn::ShiftLeft<place>(hn::BitCast(d16, part)));
}

/// Packs a plane of 4 or 2 bits. Bytes written past its end are overwritten by the following ones.
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
    const Book<bits> book;
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
            const CodeSums sums = chooseCodes<bits>(book, row, job.columns, found.inverse,
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

/// Replaces pairs of lanes `step` apart by their sum in the lower lane and their difference in the
/// upper one.
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

/// Number of vectors that are transformed entirely in registers.
constexpr int kRegisters = kLanes == 16 ? 16 : 8;

/// Transforms `count` consecutive vectors.
template <int count>
HWY_INLINE void transform(V (&v)[count]) {
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) {
        v[i] = pairs<4>(pairs<2>(pairs<1>(v[i])));
        if constexpr (kLanes == 16) v[i] = pairs<8>(v[i]);
    }
#pragma GCC unroll 16
    for (int step = 1; step < count; step *= 2)
#pragma GCC unroll 16
        for (int i = 0; i < count; ++i) {
            if ((i & step) != 0) continue;
            const V a = v[i];
            const V b = v[i + step];
            v[i] = hn::Add(a, b);
            v[i + step] = hn::Sub(a, b);
        }
}

/// Transforms blocks of `count` vectors of `in`, times the signs before or after; null = no signs.
template <int count>
HWY_INLINE void transformBlocks(const float* in, const float* before, const float* after,
                                float* out, std::int64_t n) {
    const D d;
    for (std::int64_t at = 0; at < n; at += count * kLanes) {
        V v[count];
#pragma GCC unroll 16
        for (int i = 0; i < count; ++i) {
            v[i] = hn::LoadU(d, in + at + i * kLanes);
            if (before != nullptr) v[i] = hn::Mul(v[i], hn::LoadU(d, before + at + i * kLanes));
        }
        transform(v);
#pragma GCC unroll 16
        for (int i = 0; i < count; ++i) {
            if (after != nullptr) v[i] = hn::Mul(v[i], hn::LoadU(d, after + at + i * kLanes));
            hn::StoreU(v[i], d, out + at + i * kLanes);
        }
    }
}

HWY_INLINE void transformRow(const float* in, const float* before, const float* after, float* out,
                             std::int64_t n) {
    const D d;
    constexpr std::int64_t kWhole = kRegisters * kLanes;
    const std::int64_t vectors = n / kLanes;
    if (vectors == kRegisters) return transformBlocks<kRegisters>(in, before, after, out, n);
    if (vectors == 8) return transformBlocks<8>(in, before, after, out, n);
    if (vectors == 4) return transformBlocks<4>(in, before, after, out, n);
    if (vectors == 2) return transformBlocks<2>(in, before, after, out, n);
    transformBlocks<kRegisters>(in, before, nullptr, out, n);
    for (std::int64_t step = kWhole; step < n; step *= 2)
        for (std::int64_t i = 0; i < n; i += 2 * step)
            for (std::int64_t j = i; j < i + step; j += kLanes) {
                const V a = hn::LoadU(d, out + j);
                const V b = hn::LoadU(d, out + j + step);
                hn::StoreU(hn::Add(a, b), d, out + j);
                hn::StoreU(hn::Sub(a, b), d, out + j + step);
            }
    for (std::int64_t i = 0; after != nullptr && i < n; i += kLanes)
        hn::StoreU(hn::Mul(hn::LoadU(d, out + i), hn::LoadU(d, after + i)), d, out + i);
}

void signThenHadamard(const float* in, const float* signs, float* out, std::int64_t n) noexcept {
    transformRow(in, signs, nullptr, out, n);
}

void hadamardThenSign(const float* in, const float* signs, float* out, std::int64_t n) noexcept {
    transformRow(in, nullptr, signs, out, n);
}

}  // namespace

void fillEncode(KernelTable& table) noexcept {
    table.encodeRotated = encodeRotated;
    table.signThenHadamard = signThenHadamard;
    table.hadamardThenSign = hadamardThenSign;
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
