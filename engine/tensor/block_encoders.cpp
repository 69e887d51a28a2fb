#include "engine/tensor/block_encoders.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/base/half.h"

namespace lacuna {
namespace {

// Finds the scale and offset of evenly spaced codes with the least sum of squared errors. Each of
// several starting scales is improved by alternating rounding to codes and least squares over the
// codes (Lloyd 1982); the best is kept. Float arithmetic in a fixed order gives the same bits for
// the same numbers.

/// v[i] = scale * code[i] - smallest, codes 0..levels.
struct AffineScale {
    float scale = 0;
    float smallest = 0;
};

enum class OffsetSign { Any, NotNegative };

/// Error of one rounding to codes, and the sums for least squares over these codes.
struct CodeSums {
    float error = 0;  ///< sum of (x - v)^2
    float codes = 0;
    float squares = 0;
    float products = 0;  ///< sum of x * code
};

// Sums use four lanes of a compiler vector type: the same order, and so the same bits, on every
// processor.
using Lanes = float __attribute__((vector_size(16)));
constexpr int kLanes = 4;
constexpr float kNothing = 1e-20F;  // below every scale that a half can represent

// Adding and subtracting 1.5 * 2^23 rounds to the nearest integer, ties to even.
constexpr float kRounder = 12582912.0F;

Lanes load(const float* x) {
    Lanes lanes;
    std::memcpy(&lanes, x, sizeof lanes);
    return lanes;
}

float sumOf(Lanes lanes) {
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

template <int n>
float sumOfAll(const float* x) {
    Lanes sum{};
    for (int i = 0; i < n; i += kLanes) sum += load(x + i);
    return sumOf(sum);
}

/// Rounds n numbers to codes lowest..highest of v = scale * code - offset. With scale 0 all codes
/// are 0 (or the one nearest to it). @pre n is a multiple of 4
template <int n>
CodeSums roundToCodes(const float* x, AffineScale fit, int lowest, int highest, float* codes) {
    const float inverse = std::fabs(fit.scale) > kNothing ? 1.0F / fit.scale : 0.0F;
    const auto low = static_cast<float>(lowest);
    const auto high = static_cast<float>(highest);
    Lanes error{};
    Lanes sum{};
    Lanes squares{};
    Lanes products{};
    for (int i = 0; i < n; i += kLanes) {
        const Lanes v = load(x + i);
        const Lanes wanted = (v + fit.smallest) * inverse;
        const Lanes raised = wanted > low ? wanted : Lanes{} + low;
        const Lanes clamped = raised < high ? raised : Lanes{} + high;
        const Lanes code = (clamped + kRounder) - kRounder;
        const Lanes off = v - (fit.scale * code - fit.smallest);
        std::memcpy(codes + i, &code, sizeof code);
        error += off * off;
        sum += code;
        squares += code * code;
        products += v * code;
    }
    return {sumOf(error), sumOf(sum), sumOf(squares), sumOf(products)};
}

/// Alternates rounding and solving from one start and keeps the best fit found.
template <int n, int kTurns, class Solve>
void improve(const float* x, AffineScale start, int lowest, int highest, Solve solve,
             AffineScale& best, float& bestError) {
    float codes[n];
    AffineScale fit = start;
    for (int turn = 0; turn <= kTurns; ++turn) {
        const CodeSums sums = roundToCodes<n>(x, fit, lowest, highest, codes);
        if (sums.error < bestError) {
            bestError = sums.error;
            best = fit;
        }
        if (turn < kTurns) fit = solve(sums);
    }
}

/// Least squares over codes that are already chosen.
AffineScale solveAffine(const CodeSums& sums, float sumOfX, int n, OffsetSign sign) {
    const auto count = static_cast<float>(n);
    const float determinant = count * sums.squares - sums.codes * sums.codes;
    if (determinant <= 0) return {0, sign == OffsetSign::Any || sumOfX < 0 ? -sumOfX / count : 0};
    const float scale = (count * sums.products - sumOfX * sums.codes) / determinant;
    const float smallest = (sums.codes * sums.products - sums.squares * sumOfX) / determinant;
    if (sign == OffsetSign::Any || smallest >= 0) return {scale, smallest};
    return {sums.squares > 0 ? sums.products / sums.squares : 0, 0};
}

/// Returns the best scale and offset of n numbers (16 or 32) for codes 0..levels.
template <int n>
AffineScale fitAffine(const float* x, int levels, OffsetSign sign) {
    const auto [low, high] = std::minmax_element(x, x + n);
    const float lowest = sign == OffsetSign::Any ? *low : std::min(*low, 0.0F);
    const float range = *high - lowest;
    if (range < kNothing) return {0, -lowest};
    const float sumOfX = sumOfAll<n>(x);
    AffineScale best{range / static_cast<float>(levels), -lowest};
    float bestError = INFINITY;
    // The extremes may be rounded beyond the last code, or leave it unused.
    constexpr int kStarts = 4;
    const auto solve = [&](const CodeSums& sums) { return solveAffine(sums, sumOfX, n, sign); };
    for (int start = -kStarts; start <= kStarts; ++start) {
        const float steps = static_cast<float>(levels) + 0.3F * static_cast<float>(start);
        improve<n, 2>(x, {range / steps, -lowest}, 0, levels, solve, best, bestError);
    }
    improve<n, 4>(x, best, 0, levels, solve, best, bestError);
    return best;
}

/// Returns the best scale of n numbers (16 or 32), of either sign, for codes lowest..highest,
/// lowest < 0.
template <int n>
float fitSymmetric(const float* x, int lowest, int highest) {
    const float extreme =
        *std::max_element(x, x + n, [](float a, float b) { return std::fabs(a) < std::fabs(b); });
    if (std::fabs(extreme) < kNothing) return 0;
    AffineScale best;
    float bestError = INFINITY;
    const auto solve = [](const CodeSums& sums) {
        return AffineScale{sums.squares > 0 ? sums.products / sums.squares : 0, 0};
    };
    // The extreme is near the last code of either side.
    constexpr int kStarts = 3;
    for (const int end : {lowest, highest}) {
        for (int start = -kStarts; start <= kStarts; ++start) {
            const float steps = static_cast<float>(end) + 0.3F * static_cast<float>(start);
            improve<n, 1>(x, {extreme / steps, 0}, lowest, highest, solve, best, bestError);
        }
    }
    improve<n, 2>(x, best, lowest, highest, solve, best, bestError);
    return best.scale;
}

constexpr int kHalfLength = kLegacyLength / 2;

/// Returns the nearest finite half: least squares may slightly exceed the largest.
std::uint16_t finiteHalf(float value) {
    constexpr float kMaxHalf = 65504.0F;
    return floatToHalf(std::clamp(value, -kMaxHalf, kMaxHalf));
}

/// Packs codes 0..15 or 0..31 into nibbles, and fifth bits, if any, into `fifthBits`.
void packCodes(const float* codes, int offset, std::uint8_t* packed, std::uint8_t* fifthBits) {
    if (fifthBits != nullptr) std::fill_n(fifthBits, 4, std::uint8_t{0});
    for (int i = 0; i < kLegacyLength; ++i) {
        const auto code = static_cast<unsigned>(static_cast<int>(codes[i]) + offset);
        const unsigned nibble = code & 15U;
        if (i < kHalfLength) {
            packed[i] = static_cast<std::uint8_t>(nibble);
        } else {
            packed[i - kHalfLength] =
                static_cast<std::uint8_t>(packed[i - kHalfLength] | (nibble << 4U));
        }
        if (fifthBits != nullptr)
            fifthBits[i / 8] =
                static_cast<std::uint8_t>(fifthBits[i / 8] | ((code >> 4U) << (i % 8)));
    }
}

template <class Block>
void encodeSymmetric(const float* in, int middle, Block& block, std::uint8_t* fifthBits) {
    const float scale = fitSymmetric<kLegacyLength>(in, -middle, middle - 1);
    float codes[kLegacyLength];
    block.scale = finiteHalf(scale);
    const AffineScale stored{halfToFloat(block.scale), 0};
    static_cast<void>(roundToCodes<kLegacyLength>(in, stored, -middle, middle - 1, codes));
    packCodes(codes, middle, block.codes, fifthBits);
}

template <class Block>
void encodeAffine(const float* in, int levels, Block& block, std::uint8_t* fifthBits) {
    const AffineScale fit = fitAffine<kLegacyLength>(in, levels, OffsetSign::Any);
    float codes[kLegacyLength];
    block.scale = finiteHalf(fit.scale);
    block.smallest = finiteHalf(-fit.smallest);
    const AffineScale stored{halfToFloat(block.scale), -halfToFloat(block.smallest)};
    static_cast<void>(roundToCodes<kLegacyLength>(in, stored, 0, levels, codes));
    packCodes(codes, 0, block.codes, fifthBits);
}

}  // namespace

void encodeBlock(const float* in, BlockQ8_0& block) {
    float largest = 0;
    for (int i = 0; i < kLegacyLength; ++i) largest = std::max(largest, std::fabs(in[i]));
    const float scale = largest / 127.0F;
    const float inverse = scale > 0 ? 1.0F / scale : 0.0F;
    block.scale = floatToHalf(scale);
    for (int i = 0; i < kLegacyLength; ++i)
        block.codes[i] = static_cast<std::int8_t>(std::lround(in[i] * inverse));
}

void encodeBlock(const float* in, BlockQ4_0& block) {
    encodeSymmetric(in, 8, block, nullptr);
}

void encodeBlock(const float* in, BlockQ4_1& block) {
    encodeAffine(in, 15, block, nullptr);
}

void encodeBlock(const float* in, BlockQ5_0& block) {
    encodeSymmetric(in, 16, block, block.fifthBits);
}

void encodeBlock(const float* in, BlockQ5_1& block) {
    encodeAffine(in, 31, block, block.fifthBits);
}

// Each group first gets its best scale, and the block a half of which all of them are multiples.
// With that half fixed, each group chooses among the neighbouring multiples, and the half is fitted
// again to those choices.

namespace {

constexpr int kRounds = 2;

/// A block before its bits are packed.
template <int groups>
struct Draft {
    float scale = 0;  ///< exactly representable as halves
    float smallest = 0;
    int scales[groups] = {};
    int offsets[groups] = {};
    float codes[kBlockLengthK] = {};
    float error = INFINITY;
};

float nearestHalf(float value) {
    return halfToFloat(floatToHalf(value));
}

/// Returns the half whose multiples up to `limit` reach `largest`; not 0 unless `largest` is. Very
/// small halves are so coarse that the nearest may be too small; then the next one is taken.
float unitFor(float largest, int limit) {
    constexpr float kReached = 0.998F;
    const float unit = largest / static_cast<float>(limit);
    const std::uint16_t bits = floatToHalf(unit);
    const bool tooShort = std::fabs(halfToFloat(bits)) < kReached * std::fabs(unit);
    return halfToFloat(tooShort ? static_cast<std::uint16_t>(bits + 1) : bits);
}

int multipleOf(float value, float unit, int lowest, int highest) {
    if (unit == 0) return 0;
    const float nearest = std::nearbyint(value / unit);
    return static_cast<int>(
        std::clamp(nearest, static_cast<float>(lowest), static_cast<float>(highest)));
}

/// Chooses the best of the multiples around the wanted scale of one group, each with the offset
/// that its codes imply.
template <int groups, int levels>
void chooseGroup(const float* in, int group, AffineScale wanted, Draft<groups>& draft) {
    constexpr int n = kBlockLengthK / groups;
    constexpr int kMaxValue = 63;
    constexpr int kTurns = 3;
    const float* x = in + group * n;
    float sumOfX = 0;
    for (int i = 0; i < n; ++i) sumOfX += x[i];
    const int centre = multipleOf(wanted.scale, draft.scale, 0, kMaxValue);
    float best = INFINITY;
    for (int s = std::max(centre - 1, 0); s <= std::min(centre + 1, kMaxValue); ++s) {
        const float scale = draft.scale * static_cast<float>(s);
        int m = multipleOf(wanted.smallest, draft.smallest, 0, kMaxValue);
        for (int turn = 0; turn < kTurns; ++turn) {
            float codes[n];
            const AffineScale fit{scale, draft.smallest * static_cast<float>(m)};
            const CodeSums sums = roundToCodes<n>(x, fit, 0, levels, codes);
            if (sums.error < best) {
                best = sums.error;
                draft.scales[group] = s;
                draft.offsets[group] = m;
                std::copy_n(codes, n, draft.codes + group * n);
            }
            const float offset = (scale * sums.codes - sumOfX) / static_cast<float>(n);
            const int next = multipleOf(offset, draft.smallest, 0, kMaxValue);
            if (next == m) break;
            m = next;
        }
    }
    draft.error += best;
}

/// Returns the halves of scale and offset that fit the chosen codes and multiples best.
template <int groups>
AffineScale refit(const float* in, const Draft<groups>& draft) {
    constexpr int n = kBlockLengthK / groups;
    double aa = 0;
    double ab = 0;
    double bb = 0;
    double xa = 0;
    double xb = 0;
    for (int i = 0; i < kBlockLengthK; ++i) {
        const double a = draft.scales[i / n] * static_cast<double>(draft.codes[i]);
        const double b = -draft.offsets[i / n];
        const auto x = static_cast<double>(in[i]);
        aa += a * a;
        ab += a * b;
        bb += b * b;
        xa += x * a;
        xb += x * b;
    }
    const double determinant = aa * bb - ab * ab;
    if (determinant > 1e-9 * aa * bb)
        return {static_cast<float>((xa * bb - xb * ab) / determinant),
                static_cast<float>((xb * aa - xa * ab) / determinant)};
    return {aa > 0 ? static_cast<float>(xa / aa) : 0.0F, draft.smallest};
}

template <int groups, int levels>
Draft<groups> draftAffine(const float* in) {
    constexpr int n = kBlockLengthK / groups;
    AffineScale wanted[groups];
    AffineScale largest;
    for (int g = 0; g < groups; ++g) {
        wanted[g] = fitAffine<n>(in + g * n, levels, OffsetSign::NotNegative);
        largest.scale = std::max(largest.scale, wanted[g].scale);
        largest.smallest = std::max(largest.smallest, wanted[g].smallest);
    }
    Draft<groups> best;
    AffineScale unit{unitFor(largest.scale, 63), unitFor(largest.smallest, 63)};
    for (int round = 0; round <= kRounds; ++round) {
        Draft<groups> draft;
        draft.scale = unit.scale;
        draft.smallest = unit.smallest;
        draft.error = 0;
        for (int g = 0; g < groups; ++g) chooseGroup<groups, levels>(in, g, wanted[g], draft);
        if (draft.error < best.error) best = draft;
        const AffineScale next = refit(in, draft);
        unit = {nearestHalf(std::max(next.scale, 0.0F)),
                nearestHalf(std::max(next.smallest, 0.0F))};
        if (unit.scale == draft.scale && unit.smallest == draft.smallest) break;
    }
    return best;
}

/// Chooses the best of the multiples around the wanted scale of one group, for codes around zero.
template <int groups, int lowest, int highest>
void chooseGroup(const float* in, int group, float wanted, Draft<groups>& draft) {
    constexpr int n = kBlockLengthK / groups;
    constexpr int kMinValue = -128;
    constexpr int kMaxValue = 127;
    const int centre = multipleOf(wanted, draft.scale, kMinValue, kMaxValue);
    float best = INFINITY;
    for (int s = std::max(centre - 1, kMinValue); s <= std::min(centre + 1, kMaxValue); ++s) {
        float codes[n];
        const AffineScale fit{draft.scale * static_cast<float>(s), 0};
        const float error = roundToCodes<n>(in + group * n, fit, lowest, highest, codes).error;
        if (error >= best) continue;
        best = error;
        draft.scales[group] = s;
        std::copy_n(codes, n, draft.codes + group * n);
    }
    draft.error += best;
}

/// The same as draftAffine without offsets, with scales of either sign.
template <int groups, int lowest, int highest>
Draft<groups> draftSymmetric(const float* in) {
    constexpr int n = kBlockLengthK / groups;
    float wanted[groups];
    float largest = 0;
    for (int g = 0; g < groups; ++g) {
        wanted[g] = fitSymmetric<n>(in + g * n, lowest, highest);
        if (std::fabs(wanted[g]) > std::fabs(largest)) largest = wanted[g];
    }
    Draft<groups> best;
    float unit = unitFor(largest, -128);
    for (int round = 0; round <= kRounds; ++round) {
        Draft<groups> draft;
        draft.scale = unit;
        draft.error = 0;
        for (int g = 0; g < groups; ++g)
            chooseGroup<groups, lowest, highest>(in, g, wanted[g], draft);
        if (draft.error < best.error) best = draft;
        unit = nearestHalf(refit(in, draft).scale);
        if (unit == draft.scale) break;
    }
    return best;
}

unsigned codeOf(float code) {
    return static_cast<unsigned>(static_cast<int>(code));
}

std::uint8_t low8(unsigned bits) {
    return static_cast<std::uint8_t>(bits);
}

/// Packs the layout that groupScale reads.
void packGroupScales(const Draft<8>& draft, std::uint8_t* scales) {
    for (int g = 0; g < 4; ++g) {
        const auto s = static_cast<unsigned>(draft.scales[g]);
        const auto m = static_cast<unsigned>(draft.offsets[g]);
        const auto s4 = static_cast<unsigned>(draft.scales[g + 4]);
        const auto m4 = static_cast<unsigned>(draft.offsets[g + 4]);
        scales[g] = low8(s | ((s4 >> 4U) << 6U));
        scales[g + 4] = low8(m | ((m4 >> 4U) << 6U));
        scales[g + 8] = low8((s4 & 15U) | ((m4 & 15U) << 4U));
    }
}

/// Packs the low four bits of groups 2p and 2p + 1 into 32 bytes.
void packNibbles(const Draft<8>& draft, std::uint8_t* packed) {
    for (int i = 0; i < kBlockLengthK / 2; ++i) {
        const float* pair = draft.codes + i / 32 * 64 + i % 32;
        packed[i] = low8((codeOf(pair[0]) & 15U) | ((codeOf(pair[32]) & 15U) << 4U));
    }
}

}  // namespace

void encodeBlock(const float* in, BlockQ4_K& block) {
    const Draft<8> draft = draftAffine<8, 15>(in);
    block.scale = floatToHalf(draft.scale);
    block.smallest = floatToHalf(draft.smallest);
    packGroupScales(draft, block.scales);
    packNibbles(draft, block.codes);
}

void encodeBlock(const float* in, BlockQ5_K& block) {
    const Draft<8> draft = draftAffine<8, 31>(in);
    block.scale = floatToHalf(draft.scale);
    block.smallest = floatToHalf(draft.smallest);
    packGroupScales(draft, block.scales);
    packNibbles(draft, block.codes);
    for (int i = 0; i < 32; ++i) {
        unsigned bits = 0;
        for (int g = 0; g < 8; ++g) bits |= (codeOf(draft.codes[32 * g + i]) >> 4U) << g;
        block.fifthBits[i] = low8(bits);
    }
}

void encodeBlock(const float* in, BlockQ6_K& block) {
    const Draft<16> draft = draftSymmetric<16, -32, 31>(in);
    block.scale = floatToHalf(draft.scale);
    for (int g = 0; g < 16; ++g) block.scales[g] = static_cast<std::int8_t>(draft.scales[g]);
    for (int half = 0; half < 2; ++half) {
        const float* codes = draft.codes + 128 * half;
        const auto code = [&](int at) { return codeOf(codes[at] + 32.0F); };
        for (int i = 0; i < 64; ++i)
            block.lowBits[64 * half + i] = low8((code(i) & 15U) | ((code(i + 64) & 15U) << 4U));
        for (int i = 0; i < 32; ++i)
            block.topBits[32 * half + i] =
                low8((code(i) >> 4U) | ((code(i + 32) >> 4U) << 2U) | ((code(i + 64) >> 4U) << 4U) |
                     ((code(i + 96) >> 4U) << 6U));
    }
}

}  // namespace lacuna
