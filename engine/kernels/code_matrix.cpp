// A number is 256 times its upper byte plus its lower one, both signed; most have only a lower
// byte. The instructions need an unsigned operand, so bytes of the matrix are read as code + 128
// and -128 times the sum of the numbers is added at the end.

#include "engine/kernels/code_matrix.h"

#include "engine/kernels/kernel_parts.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/kernels/target_region.h"
#endif

namespace lacuna {
namespace {

constexpr std::int64_t kQuadBytes = kCodeQuad * kCodeTokens;   // of numbers
constexpr std::int64_t kPanelQuad = kCodeQuad * kCodeColumns;  // of a panel

void multiplyPlain(const CodeTile& tile) noexcept {
    const CodedNumbers& numbers = *tile.numbers;
    for (std::int64_t t = 0; t < tile.tokens; ++t)
        for (int j = 0; j < tile.width; ++j) {
            // Unsigned, so that numbers from damaged input wrap as in registers.
            const auto dot = [&](const std::int8_t* of, std::int64_t quad) {
                std::uint32_t sum = 0;
                for (std::int64_t i = 0; i < kCodeQuad; ++i)
                    sum += static_cast<std::uint32_t>(
                        std::int32_t{of[t * kCodeQuad + i]} *
                        std::int32_t{tile.panel[quad * kPanelQuad + j * kCodeQuad + i]});
                return sum;
            };
            std::uint32_t sum = 0;
            for (std::size_t k = 0; k < numbers.highQuads.size(); ++k)
                sum += dot(numbers.high.data() + static_cast<std::int64_t>(k) * kQuadBytes,
                           numbers.highQuads[k]);
            sum <<= 8;
            for (std::int64_t quad = 0; quad < numbers.depth / kCodeQuad; ++quad)
                sum += dot(numbers.low.data() + quad * kQuadBytes, quad);
            sum += static_cast<std::uint32_t>(numbers.offsets[static_cast<std::size_t>(t)]);
            tile.c[t * tile.cStride + j] = __builtin_fmaf(
                static_cast<float>(static_cast<std::int32_t>(sum)), tile.scale[j], tile.shift[j]);
        }
}

}  // namespace
}  // namespace lacuna

#if defined(__x86_64__)
LACUNA_TARGET_BEGIN("avx2,fma")
namespace lacuna {
namespace avx2 {
namespace {

constexpr int kHalf = 16;     // columns that are multiplied together
constexpr int kTogether = 3;  // tokens

/// Sums of pairs of four columns' products: [tokens][kHalf / 4].
template <int tokens>
struct PairSums {
    __m256i of[tokens][kHalf / 4];
};

template <int tokens>
inline __attribute__((always_inline)) void addQuad(const std::int8_t* numbers,
                                                   const std::uint8_t* panel,
                                                   PairSums<tokens>& sums) {
    __m256i codes[kHalf / 4];
#pragma GCC unroll 4
    for (int part = 0; part < kHalf / 4; ++part)
        codes[part] = _mm256_cvtepu8_epi16(
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(panel + part * 16)));
#pragma GCC unroll 4
    for (int t = 0; t < tokens; ++t) {
        std::int32_t four;
        __builtin_memcpy(&four, numbers + t * kCodeQuad, 4);
        const __m256i x = _mm256_broadcastq_epi64(_mm_cvtepi8_epi16(_mm_cvtsi32_si128(four)));
#pragma GCC unroll 4
        for (int part = 0; part < kHalf / 4; ++part)
            sums.of[t][part] =
                _mm256_add_epi32(sums.of[t][part], _mm256_madd_epi16(codes[part], x));
    }
}

template <int tokens>
void multiplySome(const CodeTile& tile, std::int64_t first, int column) {
    const CodedNumbers& numbers = *tile.numbers;
    const std::uint8_t* const panel = tile.panel + column * kCodeQuad;
    PairSums<tokens> sums;
#pragma GCC unroll 4
    for (int t = 0; t < tokens; ++t)
#pragma GCC unroll 4
        for (int part = 0; part < kHalf / 4; ++part) sums.of[t][part] = _mm256_setzero_si256();
    const std::int64_t highs = static_cast<std::int64_t>(numbers.highQuads.size());
    for (std::int64_t k = 0; k < highs; ++k)
        addQuad<tokens>(numbers.high.data() + k * kQuadBytes + first * kCodeQuad,
                        panel + numbers.highQuads[static_cast<std::size_t>(k)] * kPanelQuad, sums);
#pragma GCC unroll 4
    for (int t = 0; t < tokens; ++t)
#pragma GCC unroll 4
        for (int part = 0; part < kHalf / 4; ++part)
            sums.of[t][part] = _mm256_slli_epi32(sums.of[t][part], 8);
    for (std::int64_t quad = 0; quad < numbers.depth / kCodeQuad; ++quad)
        addQuad<tokens>(numbers.low.data() + quad * kQuadBytes + first * kCodeQuad,
                        panel + quad * kPanelQuad, sums);
    for (int t = 0; t < tokens; ++t) {
        const __m256i offset =
            _mm256_set1_epi32(numbers.offsets[static_cast<std::size_t>(first + t)]);
        float* const c = tile.c + (first + t) * tile.cStride;
        for (int two = 0; two < kHalf / 8; ++two) {
            const __m256i added = _mm256_permute4x64_epi64(
                _mm256_hadd_epi32(sums.of[t][2 * two], sums.of[t][2 * two + 1]), 0xD8);
            const int at = column + 8 * two;
            const __m256 product =
                _mm256_fmadd_ps(_mm256_cvtepi32_ps(_mm256_add_epi32(added, offset)),
                                _mm256_loadu_ps(tile.scale + at), _mm256_loadu_ps(tile.shift + at));
            if (at + 8 <= tile.width) {
                _mm256_storeu_ps(c + at, product);
                continue;
            }
            alignas(32) float some[8];
            _mm256_store_ps(some, product);
            for (int j = at; j < tile.width; ++j) c[j] = some[j - at];
        }
    }
}

void multiply(const CodeTile& tile) noexcept {
    for (int column = 0; column < tile.width; column += kHalf) {
        std::int64_t t = 0;
        for (; t + kTogether <= tile.tokens; t += kTogether)
            multiplySome<kTogether>(tile, t, column);
        for (; t < tile.tokens; ++t) multiplySome<1>(tile, t, column);
    }
}

}  // namespace
}  // namespace avx2
}  // namespace lacuna
LACUNA_TARGET_END

LACUNA_TARGET_BEGIN("avx2,fma,avx512f,avx512vl,avx512dq,avx512bw,avx512vnni")
namespace lacuna {
namespace vnni {
namespace {

constexpr int kTogether = 8;  // tokens: 16 sums hide the latency of an instruction

inline __m512i fourOf(const std::int8_t* at, int token) {
    std::int32_t four;
    __builtin_memcpy(&four, at + token * kCodeQuad, 4);
    return _mm512_set1_epi32(four);
}

template <int tokens>
void multiplySome(const CodeTile& tile, std::int64_t first) {
    const CodedNumbers& numbers = *tile.numbers;
    __m512i low[tokens];
    __m512i high[tokens];
#pragma GCC unroll 8
    for (int t = 0; t < tokens; ++t) low[t] = high[t] = _mm512_setzero_si512();
    // A lambda or a separate function would copy all sums.
    const std::int8_t* at = numbers.high.data() + first * kCodeQuad;
    const std::int32_t* const highs = numbers.highQuads.data();
    const auto highCount = static_cast<std::int64_t>(numbers.highQuads.size());
    for (std::int64_t k = 0; k < highCount; ++k, at += kQuadBytes) {
        const std::uint8_t* const panel = tile.panel + highs[k] * kPanelQuad;
        const __m512i w0 = _mm512_loadu_si512(panel);
        const __m512i w1 = _mm512_loadu_si512(panel + 64);
#pragma GCC unroll 8
        for (int t = 0; t < tokens; ++t) {
            const __m512i x = fourOf(at, t);
            low[t] = _mm512_dpbusd_epi32(low[t], w0, x);
            high[t] = _mm512_dpbusd_epi32(high[t], w1, x);
        }
    }
#pragma GCC unroll 8
    for (int t = 0; t < tokens; ++t) {
        low[t] = _mm512_slli_epi32(low[t], 8);
        high[t] = _mm512_slli_epi32(high[t], 8);
    }
    at = numbers.low.data() + first * kCodeQuad;
    const std::uint8_t* panel = tile.panel;
    for (std::int64_t quad = numbers.depth / kCodeQuad; quad > 0;
         --quad, at += kQuadBytes, panel += kPanelQuad) {
        const __m512i w0 = _mm512_loadu_si512(panel);
        const __m512i w1 = _mm512_loadu_si512(panel + 64);
#pragma GCC unroll 8
        for (int t = 0; t < tokens; ++t) {
            const __m512i x = fourOf(at, t);
            low[t] = _mm512_dpbusd_epi32(low[t], w0, x);
            high[t] = _mm512_dpbusd_epi32(high[t], w1, x);
        }
    }
    const auto mask =
        tile.width == kCodeColumns ? 0xFFFFFFFFU : (1U << static_cast<unsigned>(tile.width)) - 1U;
    const __m512 scale0 = _mm512_loadu_ps(tile.scale);
    const __m512 scale1 = _mm512_loadu_ps(tile.scale + 16);
    const __m512 shift0 = _mm512_loadu_ps(tile.shift);
    const __m512 shift1 = _mm512_loadu_ps(tile.shift + 16);
#pragma GCC unroll 8
    for (int t = 0; t < tokens; ++t) {
        const __m512i offset =
            _mm512_set1_epi32(numbers.offsets[static_cast<std::size_t>(first + t)]);
        float* const c = tile.c + (first + t) * tile.cStride;
        _mm512_mask_storeu_ps(
            c, static_cast<__mmask16>(mask & 0xFFFFU),
            _mm512_fmadd_ps(_mm512_cvtepi32_ps(_mm512_add_epi32(low[t], offset)), scale0, shift0));
        _mm512_mask_storeu_ps(
            c + 16, static_cast<__mmask16>(mask >> 16U),
            _mm512_fmadd_ps(_mm512_cvtepi32_ps(_mm512_add_epi32(high[t], offset)), scale1, shift1));
    }
}

void multiply(const CodeTile& tile) noexcept {
    std::int64_t t = 0;
    for (; t + kTogether <= tile.tokens; t += kTogether) multiplySome<kTogether>(tile, t);
    for (; t < tile.tokens; ++t) multiplySome<1>(tile, t);
}

}  // namespace
}  // namespace vnni
}  // namespace lacuna
LACUNA_TARGET_END
#endif

namespace lacuna {

void splitNumbers(const std::int16_t* numbers, std::int64_t depth, CodedNumbers& out) {
    constexpr auto kTokens = static_cast<std::size_t>(kCodeTokens);
    const auto quads = static_cast<std::size_t>(depth / kCodeQuad);
    out.depth = depth;
    out.low.resize(quads * kQuadBytes);
    out.high.resize(quads * kQuadBytes);
    out.highQuads.clear();
    out.offsets = {};
    // Interleaves four bytes per token. Loops over tokens, which compilers vectorise.
    const auto bytesOf = [](const std::int16_t* four, int round, int shift, std::int8_t* to) {
        std::array<std::uint32_t, kTokens> words;
        for (std::size_t t = 0; t < kTokens; ++t) {
            const auto byte = [&](std::size_t i) {
                const int x = four[i * kTokens + t] + round;
                return static_cast<std::uint32_t>(x >> shift & 0xFF) << 8 * i;
            };
            words[t] = byte(0) | byte(1) | byte(2) | byte(3);
        }
        __builtin_memcpy(to, words.data(), sizeof(words));
    };
    std::array<std::int32_t, kTokens> sums{};
    for (std::size_t quad = 0; quad < quads; ++quad) {
        const std::int16_t* const four = numbers + quad * kQuadBytes;
        bytesOf(four, 0, 0, out.low.data() + quad * kQuadBytes);
        int beyond = 0;
        for (std::size_t i = 0; i < 4 * kTokens; ++i) beyond |= (four[i] + 128) >> 8;
        for (std::size_t t = 0; t < kTokens; ++t)
            sums[t] += four[t] + four[kTokens + t] + four[2 * kTokens + t] + four[3 * kTokens + t];
        if (beyond == 0) continue;
        bytesOf(four, 128, 8, out.high.data() + out.highQuads.size() * kQuadBytes);
        out.highQuads.push_back(static_cast<std::int32_t>(quad));
    }
    for (std::size_t t = 0; t < kTokens; ++t) out.offsets[t] = -128 * sums[t];
}

void packCodes(const std::int8_t* matrix, std::int64_t stride, std::int64_t rows,
               std::int64_t first, int columns, std::int64_t depth, std::uint8_t* panel) {
    for (std::int64_t d = 0; d < depth; ++d)
        for (int j = 0; j < kCodeColumns; ++j) {
            const int code = d < rows && j < columns ? matrix[d * stride + first + j] : 0;
            panel[d / kCodeQuad * kPanelQuad + j * kCodeQuad + d % kCodeQuad] =
                static_cast<std::uint8_t>(code + 128);
        }
}

CodeProduct codeProductOf([[maybe_unused]] const KernelTable& table) {
#if defined(__x86_64__)
    if (multipliesBytes(table)) return vnni::multiply;
    if (table.name != scalarKernels().name) return avx2::multiply;
#endif
    return multiplyPlain;
}

bool multipliesBytes(const KernelTable& table) {
    return table.tileInteger != nullptr;
}

}  // namespace lacuna
