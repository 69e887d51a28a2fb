// int8 products of interleaved rows with VNNI: one instruction multiplies four columns of sixteen
// rows with four activations, and every lane is the sum of one row. Products, scales and their
// order equal those of the tiles (kernels_vnni_tiles.cpp), so a single token gets the same bits as
// in a batch. Panels for the tiles are cut from the groups without transposing.

#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/target_region.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <utility>

#include "engine/kernels/vnni_groups.h"
#include "engine/kernels/vnni_panels.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512vnni")
namespace lacuna {
namespace vnni {
namespace {

constexpr std::int64_t kPart = 32;  // columns
template <DType type>
using Block = GroupBlock<type>;
template <DType type>
constexpr bool kHasSmallest = Block<type>::kCentre == 0;

/// Calls work.template operator()<0>() ... <count - 1>().
template <int count, class Work>
LACUNA_INLINE void unrolled(const Work& work) {
    [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
        (work.template operator()<i>(), ...);
    }
    (std::make_integer_sequence<int, count>());
}

LACUNA_INLINE __m512i fourCodes(const std::int8_t* codes) {
    std::int32_t four;
    __builtin_memcpy(&four, codes, 4);
    return _mm512_set1_epi32(four);
}

// The offsets of the activations are -128 times sums of codes; a centre needs its share of them.
template <DType type>
LACUNA_INLINE __m512i startOf(const std::int32_t* offset) {
    constexpr int kCentre = Block<type>::kCentre;
    if constexpr (kCentre == 0) return _mm512_setzero_si512();
    constexpr int kShift = kCentre == 128 ? 0 : kCentre == 32 ? 2 : kCentre == 16 ? 3 : 4;
    static_assert(kCentre == 0 || kCentre << kShift == 128);
    return _mm512_srai_epi32(_mm512_set1_epi32(*offset), kShift);
}

// The integer sums of `parts` parts from part `first` on, [part][half]. Parts that share bytes are
// summed together, so the bytes are read sequentially.
template <DType type, int first, int parts>
struct IntegerSums {
    static constexpr int kScales = Block<type>::kHalves ? 2 : 1;
    static constexpr int kFours = 8 / kScales;
    __m512i sums[parts][kScales];

    LACUNA_INLINE IntegerSums(const Block<type>& block, const QuantisedRows& x) {
        unrolled<parts * kScales>([&]<int i>() __attribute__((always_inline)) {
            const auto* offsets = Block<type>::kHalves ? x.halfOffsets : x.blockOffsets;
            sums[i / kScales][i % kScales] = startOf<type>(offsets + first * kScales + i);
        });
        unrolled<8>([&]<int four>() __attribute__((always_inline)) {
            unrolled<parts>([&]<int i>() __attribute__((always_inline)) {
                constexpr int kPartAt = first + i;
                __m512i& sum = sums[i][four / kFours];
                sum = _mm512_dpbusd_epi32(sum, block.template codes<kPartAt, four>(),
                                          fourCodes(x.codes + kPart * kPartAt + 4 * four));
            });
        });
    }
};

// Number of parts that share bytes: two for nibbles, four where four share their top bits.
template <DType type>
constexpr int kSharing = Block<type>::kParts == 1 ? 1
                         : type == DType::Q6_K    ? 4
                                                  : 2;

/// Scales of a part of sixteen rows.
template <DType type>
struct PartScales {
    __m512 scale;
    __m512 smallest;
    template <int part>
    LACUNA_INLINE static PartScales of(const Block<type>& block, int half) {
        const __m512 scale = block.template scales<part>(half);
        if constexpr (kHasSmallest<type>) {
            return {scale, block.template smallest<part>(half)};
        } else {
            return {scale, scale};
        }
    }
};

template <DType type, int part>
LACUNA_INLINE __m512 addScaled(const PartScales<type>& scales, const QuantisedRows& x,
                               __m512i product, int half, __m512 sum) {
    constexpr int kScales = Block<type>::kHalves ? 2 : 1;
    const __m512 scale = _mm512_mul_ps(scales.scale, _mm512_set1_ps(x.scales[part]));
    sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(product), scale, sum);
    if constexpr (kHasSmallest<type>) {
        const float total =
            (Block<type>::kHalves ? x.halfSums : x.blockSums)[kScales * part + half];
        sum = _mm512_fmadd_ps(scales.smallest, _mm512_set1_ps(total), sum);
    }
    return sum;
}

template <DType type>
LACUNA_INLINE __m512 addBlock(const std::byte* at, const QuantisedRows& x, __m512 sum) {
    constexpr int kTogether = kSharing<type>;
    constexpr int kScales = Block<type>::kHalves ? 2 : 1;
    const Block<type> block(at);
    unrolled<Block<type>::kParts / kTogether>([&]<int set>() __attribute__((always_inline)) {
        const IntegerSums<type, set * kTogether, kTogether> products(block, x);
        unrolled<kTogether * kScales>([&]<int i>() __attribute__((always_inline)) {
            constexpr int kPartAt = set * kTogether + i / kScales;
            sum = addScaled<type, kPartAt>(
                PartScales<type>::template of<kPartAt>(block, i % kScales), x,
                products.sums[i / kScales][i % kScales], i % kScales, sum);
        });
    });
    return sum;
}

// Adds up sums of kProductChunk columns, as the tiles do.
template <DType type>
LACUNA_INLINE __m512 dotGroup(const std::byte* group, std::int64_t columns,
                              const QuantisedRows& x) {
    constexpr std::int64_t kColumns = Block<type>::kParts * kPart;
    constexpr int kBytes = Block<type>::kBytes;
    __m512 total = _mm512_setzero_ps();
    for (std::int64_t first = 0; first < columns; first += kProductChunk) {
        const std::int64_t last = columns - first < kProductChunk ? columns : first + kProductChunk;
        __m512 sum = _mm512_setzero_ps();
        for (std::int64_t at = first; at < last; at += kColumns, group += kBytes) {
            sum = addBlock<type>(group, x.at(0, at), sum);
        }
        total = _mm512_add_ps(sum, total);
    }
    return total;
}

constexpr std::int64_t kMaxTokens = 12;  // tokens multiplied at once with the codes of a part

/// Sums of sixteen rows for each token.
struct TokenSums {
    __m512 of[kMaxTokens];
};

// Returns the sums of one part and one token from codes that are already unpacked.
template <DType type, int part, int half>
LACUNA_INLINE __m512i productOf(const __m512i* codes, const QuantisedRows& x) {
    constexpr int kScales = Block<type>::kHalves ? 2 : 1;
    constexpr int kFours = 8 / kScales;
    const auto* offsets = Block<type>::kHalves ? x.halfOffsets : x.blockOffsets;
    __m512i sum = startOf<type>(offsets + part * kScales + half);
    unrolled<kFours>([&]<int i>() __attribute__((always_inline)) {
        constexpr int kFour = half * kFours + i;
        sum = _mm512_dpbusd_epi32(sum, codes[kFour], fourCodes(x.codes + kPart * part + 4 * kFour));
    });
    return sum;
}

template <DType type, int part>
LACUNA_INLINE void addPart(const Block<type>& block, const QuantisedRows& x, std::int64_t tokens,
                           TokenSums& sums) {
    constexpr int kScales = Block<type>::kHalves ? 2 : 1;
    __m512i codes[8];
    unrolled<8>([&]<int four>() __attribute__((always_inline)) {
        codes[four] = block.template codes<part, four>();
    });
    unrolled<kScales>([&]<int half>() __attribute__((always_inline)) {
        const auto scales = PartScales<type>::template of<part>(block, half);
        for (std::int64_t t = 0; t < tokens; ++t) {
            const QuantisedRows row = x.at(t, 0);
            sums.of[t] = addScaled<type, part>(scales, row, productOf<type, part, half>(codes, row),
                                               half, sums.of[t]);
        }
    });
}

// As dotGroup for each token, with the same bits. Inlined, so that the sums of a constant number of
// tokens stay in registers.
template <DType type>
LACUNA_INLINE void dotGroupMany(const std::byte* group, std::int64_t columns,
                                const QuantisedRows& x, std::int64_t tokens, TokenSums& totals) {
    constexpr std::int64_t kColumns = Block<type>::kParts * kPart;
    constexpr int kBytes = Block<type>::kBytes;
    for (std::int64_t t = 0; t < tokens; ++t) totals.of[t] = _mm512_setzero_ps();
    for (std::int64_t first = 0; first < columns; first += kProductChunk) {
        const std::int64_t last = columns - first < kProductChunk ? columns : first + kProductChunk;
        TokenSums sums;
        for (std::int64_t t = 0; t < tokens; ++t) sums.of[t] = _mm512_setzero_ps();
        for (std::int64_t at = first; at < last; at += kColumns, group += kBytes) {
            const Block<type> block(group);
            const QuantisedRows input = x.at(0, at);
            unrolled<Block<type>::kParts>([&]<int part>() __attribute__((always_inline)) {
                addPart<type, part>(block, input, tokens, sums);
            });
        }
        for (std::int64_t t = 0; t < tokens; ++t)
            totals.of[t] = _mm512_add_ps(sums.of[t], totals.of[t]);
    }
}

template <DType type>
void dotGroups(const RowBlock& block, const QuantisedRows& x, const ProductRows& out) noexcept {
    for (std::int64_t row = 0; row < block.count; row += kGroupRows) {
        const std::int64_t left = block.count - row;
        const auto mask = left >= kGroupRows
                              ? static_cast<__mmask16>(0xFFFF)
                              : static_cast<__mmask16>((1U << static_cast<unsigned>(left)) - 1U);
        const std::byte* group = block.rows + row * block.rowStride;
        if (out.tokens == 1) {
            _mm512_mask_storeu_ps(out.first + row, mask, dotGroup<type>(group, block.columns, x));
            continue;
        }
        for (std::int64_t first = 0; first < out.tokens; first += kMaxTokens) {
            const std::int64_t rest = out.tokens - first;
            const std::int64_t tokens = rest < kMaxTokens ? rest : kMaxTokens;
            TokenSums sums;
            if (tokens == 2)  // one token in two terms
                dotGroupMany<type>(group, block.columns, x.at(first, 0), 2, sums);
            else
                dotGroupMany<type>(group, block.columns, x.at(first, 0), tokens, sums);
            for (std::int64_t t = 0; t < tokens; ++t)
                _mm512_mask_storeu_ps(out.first + (first + t) * out.stride + row, mask, sums.of[t]);
        }
    }
}

// Packs one block of one group as `half` of the rows of a panel.
template <DType type, class Panel>
LACUNA_INLINE void packBlock(const std::byte* at, int half, Panel* panel) {
    constexpr int kCentre = Block<type>::kCentre;
    constexpr int kScales = Block<type>::kHalves ? 2 : 1;
    const __m512i shift = _mm512_set1_epi8(static_cast<char>(kCentre == 0 ? 0 : 128 - kCentre));
    const Block<type> block(at);
    unrolled<Block<type>::kParts>([&]<int part>() __attribute__((always_inline)) {
        unrolled<8>([&]<int four>() __attribute__((always_inline)) {
            _mm512_storeu_si512(panel[part].codes[four][half],
                                _mm512_add_epi8(block.template codes<part, four>(), shift));
        });
        for (int i = 0; i < kScales; ++i) {
            _mm512_storeu_ps(panel[part].scales[i][half], block.template scales<part>(i));
            if constexpr (kHasSmallest<type>)
                _mm512_storeu_ps(panel[part].minima[i][half], block.template smallest<part>(i));
        }
    });
}

template <DType type>
void packGroups(const PanelSource& source, std::byte* panel) noexcept {
    using Panel = PanelBlock<Block<type>::kHalves, kHasSmallest<type>>;
    constexpr std::int64_t kColumns = Block<type>::kParts * kPart;
    for (int half = 0; half < 2; ++half) {
        auto* target = reinterpret_cast<Panel*>(panel);
        const bool missing = half * kGroupRows >= source.rowCount;
        alignas(64) const std::byte zeros[Block<type>::kBytes] = {};
        const std::byte* at = missing ? zeros : source.rows + half * kGroupRows * source.rowStride;
        for (std::int64_t column = 0; column < source.columns; column += kColumns) {
            packBlock<type>(at, half, target);
            target += Block<type>::kParts;
            if (!missing) at += Block<type>::kBytes;
        }
    }
}

template <DType... types>
void fillGroups(KernelTable& table) {
    ((table.dotGroupsInteger[kernelIndex(types)] = dotGroups<types>), ...);
    ((table.packGroupsInteger[kernelIndex(types)] = packGroups<types>), ...);
}

}  // namespace
}  // namespace vnni
}  // namespace lacuna
LACUNA_TARGET_END

namespace lacuna {

void fillVnniGroupKernels(KernelTable& table) noexcept {
    vnni::fillGroups<DType::Q8_0, DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::IQ4_NL,
                     DType::MXFP4, DType::Q4_K, DType::Q5_K, DType::Q6_K>(table);
}

}  // namespace lacuna
#endif
