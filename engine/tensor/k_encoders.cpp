// Groups first get the scales that suit them best, then the block a half that all of them are whole
// multiples of; with that half fixed, each group chooses among the neighbouring multiples, and the
// half is fitted again to what was chosen.

#include <algorithm>
#include <cmath>

#include "engine/base/half.h"
#include "engine/tensor/block_encoders.h"
#include "engine/tensor/scale_fit.h"

namespace lacuna {
namespace {

constexpr int kRounds = 2;

/// A block before its bits are laid out.
template <int groups>
struct Draft {
    float scale = 0;  ///< exact halves
    float smallest = 0;
    int scales[groups] = {};
    int offsets[groups] = {};
    float codes[kBlockLengthK] = {};
    float error = INFINITY;
};

float nearestHalf(float value) {
    return halfToFloat(floatToHalf(value));
}

/// The half whose multiples up to `limit` reach `largest`; not 0 unless `largest` is. Very small
/// halves are so coarse that the nearest may be too short: then the next one.
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

/// Best of the multiples around the wanted scale of one group, each with the offset that follows
/// from its codes.
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

/// Halves of scale and offset that suit the chosen codes and multiples best.
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

/// Best of the multiples around the wanted scale of one group, for codes around zero.
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

/// The layout that groupScale reads.
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

/// Low four bits of groups 2p and 2p + 1 into 32 bytes.
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
