// Recurrent mixers, for each instruction set. All tokens of a run pass over a tile of a matrix's
// columns before the next tile is read. A column's sums are over the rows in their order, whatever
// the tile and the number of tokens: the bits are the same for every division of a text into runs.

#include "engine/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/kernels_simd_mixer.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // first: it compiles this file once per target
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/mixer_rows.h"
#include "engine/kernels/simd_loads-inl.h"

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace lacuna {
namespace HWY_NAMESPACE {
namespace {

/// Access to complete vectors, and to the first lanes of one vector.
struct AllLanes {
    HWY_INLINE V load(const float* from) const { return hn::LoadU(D(), from); }
    HWY_INLINE void store(V v, float* to) const { hn::StoreU(v, D(), to); }
};
struct FirstLanes {
    hn::Mask<D> mask;
    HWY_INLINE V load(const float* from) const { return hn::MaskedLoad(mask, D(), from); }
    HWY_INLINE void store(V v, float* to) const { hn::BlendedStore(v, mask, D(), to); }
};

template <class Lanes>
HWY_INLINE void convolveVector(const CausalConvolution& job, const float* const* rows,
                               std::int64_t channel, float* out, Lanes lanes) {
    const D d;
    V sum = job.bias != nullptr ? lanes.load(job.bias + channel) : hn::Zero(d);
    const float* kernel = job.kernel + channel;
    for (int j = 0; j < job.kernelWidth; ++j, kernel += job.channels)
        sum = hn::MulAdd(lanes.load(kernel), lanes.load(rows[j] + channel), sum);
    if (job.output == ConvolutionOutput::Silu) {
        // Above 88 the quotient is below the smallest float, and exp would leave its domain.
        const V exponent = hn::Min(hn::Neg(sum), hn::Set(d, 88.0F));
        sum = hn::Div(sum, hn::Add(hn::Set(d, 1.0F), hn::Exp(d, exponent)));
    }
    lanes.store(sum, out + channel);
}

void convolve(const CausalConvolution& job) noexcept {
    const int before = job.kernelWidth - 1;
    const float* rows[kMaxConvolution];
    for (std::int64_t t = 0; t < job.tokens; ++t) {
        for (int j = 0; j <= before; ++j) {
            const std::int64_t at = job.from + t - before + j;
            rows[j] = at >= 0 ? job.inputs + at * job.channels
                              : job.history + (at + before) * job.channels;
        }
        float* const out = job.out + t * job.channels;
        const std::int64_t end = job.first + job.count;
        std::int64_t c = job.first;
        for (; c + kLanes <= end; c += kLanes) convolveVector(job, rows, c, out, AllLanes());
        if (c < end) {
            const FirstLanes rest{hn::FirstN(D(), static_cast<std::size_t>(end - c))};
            convolveVector(job, rows, c, out, rest);
        }
    }
}

/// Some columns of a matrix, in place or copied together.
struct MatrixTile {
    float* rows = nullptr;
    std::int64_t stride = 0;
    int first = 0;  ///< column of the matrix
};

// Vectors of a tile: sums, updates and products of the next token take 12 of 32 registers with
// AVX-512, 6 of 16 with AVX2.
constexpr int kTileVectors = HWY_TARGET == HWY_AVX3 ? 4 : 2;

/// held = S^T k, with the decay of each row if there is one.
template <UpdateRule kRule, int kVectors, class Lanes>
HWY_INLINE void multiplyKeys(const MatrixRun& run, const MatrixTile& tile, Lanes lanes, V* held) {
    const D d;
    V sums[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
    const float* row = tile.rows;
    for (int i = 0; i < run.keyDim; ++i, row += tile.stride) {
        const V key =
            hn::Set(d, kRule == UpdateRule::DeltaByKey ? run.keys[i] * run.decays[i] : run.keys[i]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v)
            sums[v] = hn::MulAdd(lanes.load(row + v * kLanes), key, sums[v]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) held[v] = sums[v];
}

/// Updates a tile by token t, with S^T k of the token in `held` and that of the next one as result.
template <UpdateRule kRule, int kVectors, bool kNext, class Lanes>
HWY_INLINE void updateTile(const MatrixRun& run, const MatrixTile& tile, std::int64_t t,
                           Lanes lanes, V* held) {
    const D d;
    const float* const keys = run.keys + t * run.stride;
    const float* const nextKeys = keys + run.stride;
    const float* const queries = run.queries + t * run.stride;
    const float* const decays = run.decays + t * run.gateStride;
    const float* const nextDecays = decays + run.gateStride;
    const float* const values = run.values + t * run.stride + tile.first;
    const V strength = hn::Set(d, run.strengths[t * run.gateStride]);
    V decay = hn::Set(d, decays[0]);
    V added[kVectors];
    V sums[kVectors];
    V next[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
        const V value = lanes.load(values + v * kLanes);
        if constexpr (kRule == UpdateRule::Outer)
            added[v] = hn::Mul(value, strength);
        else if constexpr (kRule == UpdateRule::Delta)
            added[v] = hn::Mul(hn::NegMulAdd(held[v], decay, value), strength);
        else
            added[v] = hn::Mul(hn::Sub(value, held[v]), strength);
        sums[v] = hn::Zero(d);
        next[v] = hn::Zero(d);
    }
    float* row = tile.rows;
    for (int i = 0; i < run.keyDim; ++i, row += tile.stride) {
        const V key = hn::Set(d, keys[i]);
        const V query = hn::Set(d, queries[i]);
        V nextKey = key;
        if constexpr (kRule == UpdateRule::DeltaByKey) decay = hn::Set(d, decays[i]);
        if constexpr (kNext)
            nextKey = hn::Set(
                d, kRule == UpdateRule::DeltaByKey ? nextKeys[i] * nextDecays[i] : nextKeys[i]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
            const V state = hn::MulAdd(key, added[v], hn::Mul(lanes.load(row + v * kLanes), decay));
            sums[v] = hn::MulAdd(state, query, sums[v]);
            if constexpr (kNext) next[v] = hn::MulAdd(state, nextKey, next[v]);
            lanes.store(state, row + v * kLanes);
        }
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) held[v] = next[v];
    if (run.out == nullptr) return;
    float* const out = run.out + t * run.outStride + tile.first;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
        if constexpr (kRule == UpdateRule::Outer)
            sums[v] = hn::MulAdd(hn::Set(d, run.skip), lanes.load(values + v * kLanes), sums[v]);
        lanes.store(sums[v], out + v * kLanes);
    }
}

template <UpdateRule kRule, int kVectors, class Lanes>
void runTile(const MatrixRun& run, const MatrixTile& tile, Lanes lanes) {
    constexpr bool kDelta = kRule != UpdateRule::Outer;
    V held[kVectors];
    if constexpr (kDelta) multiplyKeys<kRule, kVectors>(run, tile, lanes, held);
    for (std::int64_t t = 0; t + 1 < run.tokens; ++t)
        updateTile<kRule, kVectors, kDelta>(run, tile, t, lanes, held);
    updateTile<kRule, kVectors, false>(run, tile, run.tokens - 1, lanes, held);
}

constexpr int kCopyNumbers = 8192;  // a tile of 32 KiB stays in the first-level cache

/// Runs on a copy of the columns: their distance in the matrix is often a power of two, and only a
/// few of them would be in the cache at once.
template <UpdateRule kRule, int kVectors>
void runCopied(const MatrixRun& run, int first) {
    constexpr int kWidth = kVectors * kLanes;
    HWY_ALIGN float copy[kCopyNumbers];
    const AllLanes lanes;
    const auto each = [&](const auto& move) {
        float* row = run.matrix + first;
        float* to = copy;
        for (int i = 0; i < run.keyDim; ++i, row += run.valueDim, to += kWidth)
            for (int v = 0; v < kWidth; v += kLanes) move(row + v, to + v);
    };
    each([&](const float* row, float* to) { lanes.store(lanes.load(row), to); });
    runTile<kRule, kVectors>(run, {.rows = copy, .stride = kWidth, .first = first}, lanes);
    each([&](float* row, const float* to) { lanes.store(lanes.load(to), row); });
}

/// Runs the columns from `first` on in tiles of this many vectors; returns the first one left.
template <UpdateRule kRule, int kVectors>
int runTiles(const MatrixRun& run, int first) {
    constexpr int kWidth = kVectors * kLanes;
    constexpr std::int64_t kWorthCopying = 4;
    const bool fits = run.keyDim * kWidth <= kCopyNumbers;
    if (kVectors > 1 && run.tokens >= kWorthCopying && !fits) return first;  // a narrower one may
    const bool copied = fits && run.tokens >= kWorthCopying && run.valueDim > kWidth;
    for (; first + kWidth <= run.valueDim; first += kWidth) {
        if (copied)
            runCopied<kRule, kVectors>(run, first);
        else
            runTile<kRule, kVectors>(
                run, {.rows = run.matrix + first, .stride = run.valueDim, .first = first},
                AllLanes());
    }
    return first;
}

template <UpdateRule kRule>
void updateColumns(const MatrixRun& run) {
    int first = runTiles<kRule, kTileVectors>(run, 0);
    if constexpr (kTileVectors > 2) first = runTiles<kRule, 2>(run, first);
    first = runTiles<kRule, 1>(run, first);
    if (first == run.valueDim) return;
    const FirstLanes rest{hn::FirstN(D(), static_cast<std::size_t>(run.valueDim - first))};
    runTile<kRule, 1>(run, {.rows = run.matrix + first, .stride = run.valueDim, .first = first},
                      rest);
}

void updateMatrix(const MatrixRun& run) noexcept {
    if (run.tokens == 0) return;
    switch (run.rule) {
        case UpdateRule::Delta:
            return updateColumns<UpdateRule::Delta>(run);
        case UpdateRule::DeltaByKey:
            return updateColumns<UpdateRule::DeltaByKey>(run);
        case UpdateRule::Outer:
            return updateColumns<UpdateRule::Outer>(run);
    }
}

V decayOf(V x, V rate) {
    const D d;
    // Above 20, log(1 + e^x) rounds to x.
    const V limit = hn::Set(d, 20.0F);
    const V soft = hn::Log1p(d, hn::Exp(d, hn::Min(x, limit)));
    return hn::Exp(d, hn::Mul(rate, hn::IfThenElse(hn::Gt(x, limit), x, soft)));
}

void decays(const float* steps, const float* bias, float rate, float* out,
            std::int64_t n) noexcept {
    const D d;
    const V rates = hn::Set(d, rate);
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        hn::StoreU(decayOf(hn::Add(hn::LoadU(d, steps + i), hn::LoadU(d, bias + i)), rates), d,
                   out + i);
    if (i < n)
        storeFirst(decayOf(hn::Add(loadFirst(steps + i, n - i), loadFirst(bias + i, n - i)), rates),
                   out + i, n - i);
}

}  // namespace

void fillMixer(KernelTable& table) noexcept {
    table.convolve = convolve;
    table.updateMatrix = updateMatrix;
    table.decays = decays;
}

}  // namespace HWY_NAMESPACE
}  // namespace lacuna
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace lacuna {

void fillSimdMixerKernels([[maybe_unused]] SimdLevel level,
                          [[maybe_unused]] KernelTable& table) noexcept {
#if HWY_ARCH_X86
    switch (level) {
        case SimdLevel::Avx2:
            return N_AVX2::fillMixer(table);
        case SimdLevel::Avx512:
            return N_AVX3::fillMixer(table);
    }
#endif
}

}  // namespace lacuna
#endif
