// Row kernels, written once and compiled for each instruction set by Highway. It opens a target
// region after all includes, so that no function of a shared header is compiled for a larger CPU.

#include "engine/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/kernels_simd_rows.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // first: it compiles this file once per target
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/simd_loads-inl.h"

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace lacuna {
namespace HWY_NAMESPACE {
namespace {

void rmsNorm(const float* x, const float* gain, float* out, std::int64_t n,
             float epsilon) noexcept {
    const D d;
    V sum0 = hn::Zero(d);
    V sum1 = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
        const V a = hn::LoadU(d, x + i);
        const V b = hn::LoadU(d, x + i + kLanes);
        sum0 = hn::MulAdd(a, a, sum0);
        sum1 = hn::MulAdd(b, b, sum1);
    }
    float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
    for (; i < n; ++i) sum += x[i] * x[i];
    const float factor = 1.0F / __builtin_sqrtf(sum / static_cast<float>(n) + epsilon);
    const V factors = hn::Set(d, factor);
    for (i = 0; i + kLanes <= n; i += kLanes)
        hn::StoreU(hn::Mul(hn::Mul(hn::LoadU(d, x + i), factors), hn::LoadU(d, gain + i)), d,
                   out + i);
    for (; i < n; ++i) out[i] = x[i] * factor * gain[i];
}

V siluOf(V gate, V up) {
    const D d;
    // Above 88 the quotient is below the smallest float, and exp would leave its domain.
    const V exponent = hn::Min(hn::Neg(gate), hn::Set(d, 88.0F));
    const V divisor = hn::Add(hn::Set(d, 1.0F), hn::Exp(d, exponent));
    return hn::Mul(hn::Div(gate, divisor), up);
}

void siluMultiply(float* gate, const float* up, std::int64_t n) noexcept {
    const D d;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        hn::StoreU(siluOf(hn::LoadU(d, gate + i), hn::LoadU(d, up + i)), d, gate + i);
    if (i < n)
        storeFirst(siluOf(loadFirst(gate + i, n - i), loadFirst(up + i, n - i)), gate + i, n - i);
}

void addTo(float* target, const float* x, std::int64_t n) noexcept {
    const D d;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        hn::StoreU(hn::Add(hn::LoadU(d, target + i), hn::LoadU(d, x + i)), d, target + i);
    for (; i < n; ++i) target[i] += x[i];
}

void scale(float* x, float factor, std::int64_t n) noexcept {
    const D d;
    const V factors = hn::Set(d, factor);
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        hn::StoreU(hn::Mul(hn::LoadU(d, x + i), factors), d, x + i);
    for (; i < n; ++i) x[i] *= factor;
}

float maximum(const float* x, std::int64_t n) noexcept {
    const D d;
    float top = -__builtin_inff();
    std::int64_t i = 0;
    if (n >= kLanes) {
        V tops = hn::LoadU(d, x);
        for (i = kLanes; i + kLanes <= n; i += kLanes) tops = hn::Max(tops, hn::LoadU(d, x + i));
        top = hn::GetLane(hn::MaxOfLanes(d, tops));
    }
    for (; i < n; ++i) top = x[i] > top ? x[i] : top;
    return top;
}

float expSum(float* x, float top, std::int64_t n) noexcept {
    const D d;
    const V tops = hn::Set(d, top);
    V sum = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const V e = hn::Exp(d, hn::Sub(hn::LoadU(d, x + i), tops));
        hn::StoreU(e, d, x + i);
        sum = hn::Add(sum, e);
    }
    float total = hn::GetLane(hn::SumOfLanes(d, sum));
    if (i < n) {
        storeFirst(hn::Exp(d, hn::Sub(loadFirst(x + i, n - i), tops)), x + i, n - i);
        for (; i < n; ++i) total += x[i];
    }
    return total;
}

void rotateHalves(float* head, const RotaryStep& rotation) noexcept {
    const D d;
    const std::int64_t n = rotation.pairs;
    float* first = head;
    float* second = head + n;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const V a = hn::LoadU(d, first + i);
        const V b = hn::LoadU(d, second + i);
        const V c = hn::LoadU(d, rotation.cosine + i);
        const V s = hn::LoadU(d, rotation.sine + i);
        hn::StoreU(hn::NegMulAdd(b, s, hn::Mul(a, c)), d, first + i);
        hn::StoreU(hn::MulAdd(a, s, hn::Mul(b, c)), d, second + i);
    }
    for (; i < n; ++i) {
        const float a = first[i];
        const float b = second[i];
        first[i] = a * rotation.cosine[i] - b * rotation.sine[i];
        second[i] = a * rotation.sine[i] + b * rotation.cosine[i];
    }
}

void rotateInterleaved(float* head, const RotaryStep& rotation) noexcept {
    const D d;
    const std::int64_t n = rotation.pairs;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        V a;
        V b;
        hn::LoadInterleaved2(d, head + 2 * i, a, b);
        const V c = hn::LoadU(d, rotation.cosine + i);
        const V s = hn::LoadU(d, rotation.sine + i);
        hn::StoreInterleaved2(hn::NegMulAdd(b, s, hn::Mul(a, c)), hn::MulAdd(a, s, hn::Mul(b, c)),
                              d, head + 2 * i);
    }
    for (; i < n; ++i) {
        const float a = head[2 * i];
        const float b = head[2 * i + 1];
        head[2 * i] = a * rotation.cosine[i] - b * rotation.sine[i];
        head[2 * i + 1] = a * rotation.sine[i] + b * rotation.cosine[i];
    }
}

template <DType type>
void toFloat(const std::byte* source, float* out, std::int64_t n) noexcept {
    decodeRow<type>(source, out, n);
}

void toHalf(const float* x, std::uint16_t* out, std::int64_t n) noexcept {
    const D d;
    const hn::Rebind<hwy::float16_t, D> dh;
    const hn::Rebind<std::uint16_t, D> du;
    const auto convert = [&](V v) HWY_ATTR { return hn::BitCast(du, hn::DemoteTo(dh, v)); };
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) hn::StoreU(convert(hn::LoadU(d, x + i)), du, out + i);
    if (i < n) {
        HWY_ALIGN std::uint16_t last[kLanes];
        hn::Store(convert(loadFirst(x + i, n - i)), du, last);
        for (std::int64_t j = 0; i + j < n; ++j) out[i + j] = last[j];
    }
}

// Rounds to nearest even explicitly, because Highway truncates. A NaN keeps its sign and becomes
// quiet.
auto bfloatBits(V v) {
    const D d;
    const hn::RebindToUnsigned<D> du;
    const hn::Rebind<std::uint16_t, D> dh;
    const auto bits = hn::BitCast(du, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7FFF))));
    const auto quiet = hn::Or(hn::ShiftRight<16>(bits), hn::Set(du, 0x40));
    const auto isNumber = hn::Eq(v, v);
    const auto chosen = hn::IfThenElse(hn::RebindMask(du, isNumber), rounded, quiet);
    const hn::RebindToSigned<D> di;
    return hn::DemoteTo(dh, hn::BitCast(di, chosen));
}

void toBfloat(const float* x, std::uint16_t* out, std::int64_t n) noexcept {
    const D d;
    const hn::Rebind<std::uint16_t, D> du;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) hn::StoreU(bfloatBits(hn::LoadU(d, x + i)), du, out + i);
    if (i < n) {
        HWY_ALIGN std::uint16_t last[kLanes];
        hn::Store(bfloatBits(loadFirst(x + i, n - i)), du, last);
        for (std::int64_t j = 0; i + j < n; ++j) out[i + j] = last[j];
    }
}

// Rows are read as a single sequential stream and prefetched well ahead: with one token the
// products are memory-bound.
HWY_INLINE void prefetch(const std::byte* at, std::int64_t bytes) {
    constexpr std::int64_t kAhead = 2048;
    constexpr std::int64_t kLine = 64;
    for (std::int64_t i = 0; i < bytes; i += kLine) __builtin_prefetch(at + kAhead + i);
}

template <DType type>
float dotOne(const std::byte* row, std::int64_t columns, const float* x) {
    constexpr std::int64_t kStep = 4 * kLanes;
    constexpr std::int64_t kElement = type == DType::F32 ? 4 : 2;
    const D d;
    V sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    std::int64_t i = 0;
    for (; i + kStep <= columns; i += kStep) {
        prefetch(row + i * kElement, kStep * kElement);
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k)
            sums[k] = hn::MulAdd(loadAs<type>(row, i + k * kLanes),
                                 hn::LoadU(d, x + i + k * kLanes), sums[k]);
    }
    for (; i + kLanes <= columns; i += kLanes)
        sums[0] = hn::MulAdd(loadAs<type>(row, i), hn::LoadU(d, x + i), sums[0]);
    const V all = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
    float sum = hn::GetLane(hn::SumOfLanes(d, all));
    for (; i < columns; ++i) sum += elementAs<type>(row, i) * x[i];
    return sum;
}

template <DType type>
void dotRows(const RowBlock& block, const float* x, float* out) noexcept {
    for (std::int64_t r = 0; r < block.count; ++r)
        out[r] = dotOne<type>(block.rows + r * block.rowStride, block.columns, x);
}

void dotRowsQ8(const RowBlock& block, const float* x, float* out) noexcept {
    const D d;
    for (std::int64_t r = 0; r < block.count; ++r) {
        const std::byte* row = block.rows + r * block.rowStride;
        V sum = hn::Zero(d);
        for (std::int64_t i = 0; i < block.columns; i += 32, row += 34) {
            prefetch(row, 34);
            V part = hn::Mul(loadCodes(row + 2), hn::LoadU(d, x + i));
            for (int k = kLanes; k < 32; k += kLanes)
                part = hn::MulAdd(loadCodes(row + 2 + k), hn::LoadU(d, x + i + k), part);
            sum = hn::MulAdd(part, broadcastHalf(row), sum);
        }
        out[r] = hn::GetLane(hn::SumOfLanes(d, sum));
    }
}

// Formats without vector loads are decoded piece by piece.
template <DType type>
void dotRowsDecoded(const RowBlock& block, const float* x, float* out) noexcept {
    constexpr std::int64_t kPiece = 256;  // a multiple of every block length
    const auto pieceBytes = static_cast<std::int64_t>(rowBytes(type, kPiece));
    HWY_ALIGN float values[kPiece];
    for (std::int64_t r = 0; r < block.count; ++r) {
        const std::byte* row = block.rows + r * block.rowStride;
        float sum = 0.0F;
        for (std::int64_t i = 0; i < block.columns; i += kPiece, row += pieceBytes) {
            const std::int64_t count = block.columns - i < kPiece ? block.columns - i : kPiece;
            decodeRow<type>(row, values, count);
            sum += dotOne<DType::F32>(reinterpret_cast<const std::byte*>(values), count, x + i);
        }
        out[r] = sum;
    }
}

// A strip of columns stays in registers while all rows are processed; two rows at once hide the
// latency of the additions.
template <DType type, int vectors>
void addStrip(const RowBlock& block, std::int64_t column, const float* weights, float* out) {
    const D d;
    V even[vectors];
    V odd[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
        even[v] = hn::LoadU(d, out + column + v * kLanes);
        odd[v] = hn::Zero(d);
    }
    std::int64_t r = 0;
    for (; r + 2 <= block.count; r += 2) {
        const std::byte* row = block.rows + r * block.rowStride;
        const V w0 = hn::Set(d, weights[r]);
        const V w1 = hn::Set(d, weights[r + 1]);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
            even[v] = hn::MulAdd(loadAs<type>(row, column + v * kLanes), w0, even[v]);
            odd[v] =
                hn::MulAdd(loadAs<type>(row + block.rowStride, column + v * kLanes), w1, odd[v]);
        }
    }
    if (r < block.count) {
        const V w0 = hn::Set(d, weights[r]);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            even[v] = hn::MulAdd(
                loadAs<type>(block.rows + r * block.rowStride, column + v * kLanes), w0, even[v]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v)
        hn::StoreU(hn::Add(even[v], odd[v]), d, out + column + v * kLanes);
}

template <DType type>
void addWeightedRows(const RowBlock& block, const float* weights, float* out) noexcept {
    std::int64_t column = 0;
    for (; column + 4 * kLanes <= block.columns; column += 4 * kLanes)
        addStrip<type, 4>(block, column, weights, out);
    for (; column + kLanes <= block.columns; column += kLanes)
        addStrip<type, 1>(block, column, weights, out);
    for (; column < block.columns; ++column)
        for (std::int64_t r = 0; r < block.count; ++r)
            out[column] += weights[r] * elementAs<type>(block.rows + r * block.rowStride, column);
}

template <DType... types>
void fillDecoded(KernelTable& table) noexcept {
    ((table.dotRows[kernelIndex(types)] = dotRowsDecoded<types>), ...);
}

}  // namespace

void fillRows(KernelTable& table) noexcept {
    table.rmsNorm = rmsNorm;
    table.siluMultiply = siluMultiply;
    table.addTo = addTo;
    table.scale = scale;
    table.maximum = maximum;
    table.expSum = expSum;
    table.rotateHalves = rotateHalves;
    table.rotateInterleaved = rotateInterleaved;
    table.toFloat[0] = toFloat<DType::F32>;
    table.toFloat[1] = toFloat<DType::F16>;
    table.toFloat[2] = toFloat<DType::BF16>;
    table.toFloat[3] = toFloat<DType::Q8_0>;
    table.toHalf = toHalf;
    table.toBfloat = toBfloat;
    table.dotRows[0] = dotRows<DType::F32>;
    table.dotRows[1] = dotRows<DType::F16>;
    table.dotRows[2] = dotRows<DType::BF16>;
    table.dotRows[3] = dotRowsQ8;
    fillDecoded<DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::Q2_K, DType::Q3_K,
                DType::Q4_K, DType::Q5_K, DType::Q6_K, DType::IQ4_NL, DType::IQ4_XS, DType::MXFP4,
                DType::NVFP4, DType::IQ3_S, DType::IQ3_XXS, DType::IQ2_S, DType::IQ2_XS,
                DType::IQ2_XXS, DType::IQ1_S, DType::IQ1_M, DType::TQ1_0, DType::TQ2_0, DType::Q1_0,
                DType::Q2_0>(table);
    table.addWeightedRows[0] = addWeightedRows<DType::F32>;
    table.addWeightedRows[1] = addWeightedRows<DType::F16>;
    table.addWeightedRows[2] = addWeightedRows<DType::BF16>;
}

}  // namespace HWY_NAMESPACE
}  // namespace lacuna
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace lacuna {

void fillSimdRowKernels([[maybe_unused]] SimdLevel level,
                        [[maybe_unused]] KernelTable& table) noexcept {
#if HWY_ARCH_X86
    switch (level) {
        case SimdLevel::Avx2:
            return N_AVX2::fillRows(table);
        case SimdLevel::Avx512:
            return N_AVX3::fillRows(table);
    }
#endif
}

}  // namespace lacuna
#endif
