#include "app/bench/row_coding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "engine/base/half.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/kernels/rotation.h"
#include "engine/kv/row_format.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace {

constexpr int kBlock = 32;        // numbers per scale
constexpr int kMostShared = 128;  // numbers per pair of bounds, at most
constexpr int kHalfBytes = 2;     // bytes of a scale, a bias, a length
constexpr std::size_t kMostRowBytes = std::size_t{2} * kLongestRotatedRow;
/// Candidate factors for the bounds of uniform codes.
constexpr std::array kNarrower{1.0F, 0.95F, 0.9F, 0.85F, 0.8F, 0.75F, 0.7F, 0.6F, 0.5F};

float asHalf(float x) {
    return halfToFloat(floatToHalf(x));
}

bool allFinite(std::span<const float> row) {
    return std::ranges::all_of(row, [](float x) { return std::isfinite(x); });
}

/// Returns the largest equal division of a row that does not exceed kMostShared numbers.
int sharedNumbers(int dim) {
    int parts = (dim + kMostShared - 1) / kMostShared;
    while (dim % parts != 0) ++parts;
    return dim / parts;
}

RowFormat groupFormat(const RowCoding& coding, int dim) {
    return {.type = DType::F16, .quant = {.bits = coding.bits, .group = kBlock}, .dim = dim};
}

void recodeGroups(const RowCoding& coding, std::span<const float> row, std::span<float> out) {
    std::array<std::byte, kMostRowBytes> bytes;
    const RowFormat format = groupFormat(coding, static_cast<int>(row.size()));
    encodeRow(format, row, bytes.data());
    decodeRow(format, bytes.data(), out);
}

/// Quantises like ggml's reference; the engine's encoder for weights searches for better scales.
BlockQ4_0 blockOf4(std::span<const float> in) {
    float largest = 0;
    for (const float x : in)
        if (std::fabs(x) > std::fabs(largest)) largest = x;
    const float scale = largest / -8;
    const float per = scale != 0 ? 1 / scale : 0;
    const auto code = [per](float x) { return std::min(15, static_cast<int>(x * per + 8.5F)); };
    BlockQ4_0 block{.scale = floatToHalf(scale), .codes = {}};
    for (std::size_t i = 0; i < std::size(block.codes); ++i)
        block.codes[i] = static_cast<std::uint8_t>(code(in[i]) | code(in[i + 16]) << 4);
    return block;
}

BlockQ8_0 blockOf8(std::span<const float> in) {
    float largest = 0;
    for (const float x : in) largest = std::max(largest, std::fabs(x));
    const float scale = largest / 127;
    const float per = scale != 0 ? 1 / scale : 0;
    BlockQ8_0 block{.scale = floatToHalf(scale), .codes = {}};
    for (std::size_t i = 0; i < in.size(); ++i)
        block.codes[i] = static_cast<std::int8_t>(std::round(in[i] * per));
    return block;
}

void recodeBlocks(int bits, std::span<const float> row, std::span<float> out) {
    for (std::size_t at = 0; at < row.size(); at += kBlock) {
        const auto in = row.subspan(at, kBlock);
        const auto to = out.subspan(at, kBlock);
        if (!allFinite(in)) {
            std::ranges::fill(to, std::numeric_limits<float>::quiet_NaN());
        } else if (bits == 4) {
            decodeBlock(blockOf4(in), to.data());
        } else {
            decodeBlock(blockOf8(in), to.data());
        }
    }
}

struct Steps {
    float first = 0, step = 0;  ///< rounded as stored
    float error = std::numeric_limits<float>::infinity();
};

float between(const Steps& steps, float x, float most) {
    if (!(steps.step > 0)) return steps.first;
    return steps.first +
           steps.step * std::clamp(std::nearbyint((x - steps.first) / steps.step), 0.0F, most);
}

void recodeShared(int bits, std::span<const float> in, std::span<float> out) {
    if (!allFinite(in)) {
        std::ranges::fill(out, std::numeric_limits<float>::quiet_NaN());
        return;
    }
    const auto most = static_cast<float>((1 << bits) - 1);
    const auto [low, high] = std::ranges::minmax(in);
    const float middle = (low + high) / 2;
    Steps best;
    for (const float share : kNarrower) {
        const float reach = share * (high - low) / 2;
        Steps tried{.first = asHalf(middle - reach), .step = asHalf(2 * reach / most), .error = 0};
        for (const float x : in) {
            const float off = between(tried, x, most) - x;
            tried.error += off * off;
        }
        if (tried.error < best.error) best = tried;
    }
    std::ranges::transform(in, out.begin(), [&](float x) { return between(best, x, most); });
}

void recodeUniform(int bits, std::span<const float> row, std::span<float> out) {
    const auto shared = static_cast<std::size_t>(sharedNumbers(static_cast<int>(row.size())));
    for (std::size_t at = 0; at < row.size(); at += shared)
        recodeShared(bits, row.subspan(at, shared), out.subspan(at, shared));
}

bool rotatedAlways(RowCode code) {
    return code == RowCode::Rotated || code == RowCode::Sketched;
}

Status refusal(const char* what, const RowCoding& coding, int dim, const char* expected) {
    return fail(ErrorCode::InvalidArgument, format("{} of {} numbers in codes of {} bits: {}", what,
                                                   dim, coding.bits, expected));
}

}  // namespace

Status checkRowCoding(const char* what, const RowCoding& coding, int dim) {
    const bool blocks = coding.code == RowCode::Affine || coding.code == RowCode::Blocks;
    if (blocks && coding.bits != 8 && coding.bits != 4)
        return refusal(what, coding, dim, "groups need 8 or 4 bits");
    if (blocks && dim % kBlock != 0)
        return refusal(what, coding, dim, "the number has to be a multiple of 32");
    const int least = coding.code == RowCode::Sketched ? 2 : 1;
    if (coding.bits < least || coding.bits > kMaxCodeBits)
        return refusal(what, coding, dim, "this number of bits is not supported");
    if (rotatedAlways(coding.code) && !coding.rotated)
        return refusal(what, coding, dim, "these codes need rotated rows");
    if (dim < 1 || dim > kLongestRotatedRow)
        return refusal(what, coding, dim, "rows of this length are not supported");
    if (coding.rotated) return checkQuant(what, {.bits = 4, .group = 0}, dim);
    return {};
}

std::size_t rowCodingBytes(const RowCoding& coding, int dim) {
    const auto numbers = static_cast<std::size_t>(dim);
    switch (coding.code) {
        case RowCode::Rotated:
            return rotatedRowBytes(coding.bits, dim);
        case RowCode::Sketched:
            return rotatedRowBytes(coding.bits - 1, dim) + codePlaneBytes(1, dim) + kHalfBytes;
        case RowCode::Affine:
            return formatBytes(groupFormat(coding, dim));
        case RowCode::Blocks:
            return numbers / kBlock * (coding.bits == 4 ? sizeof(BlockQ4_0) : sizeof(BlockQ8_0));
        case RowCode::Uniform:
            return rotatedCodeBytes(coding.bits, dim) +
                   numbers / static_cast<std::size_t>(sharedNumbers(dim)) * 2 * kHalfBytes;
    }
    return 0;
}

RowCoder::RowCoder(const RowCoding& coding, int dim, const Rotation* rotation, std::uint64_t seed)
    : coding_(coding), dim_(dim), rotation_(rotation) {
    if (coding.code != RowCode::Sketched) return;
    RandomStream random(seed, 0);
    std::vector<float> sketch(static_cast<std::size_t>(dim) * static_cast<std::size_t>(dim));
    for (float& x : sketch) x = static_cast<float>(random.normal());
    sketch_ = std::make_shared<const std::vector<float>>(std::move(sketch));
}

void RowCoder::turn(std::span<const float> row, std::span<float> out) const {
    if (coding_.rotated)
        rotation_->apply(row.data(), out.data());
    else
        std::ranges::copy(row, out.begin());
}

/// Estimates <q, left> as sqrt(pi/2)/d |left| <S q, sign(S left)>. This is linear in q, so it
/// equals the product of q with sqrt(pi/2)/d |left| S' sign(S left).
void RowCoder::addSketch(std::span<const float> left, std::span<float> out) const {
    const auto dim = static_cast<std::size_t>(dim_);
    const float length = asHalf(norm(left));
    const float scale =
        std::sqrt(std::numbers::pi_v<float> / 2) / static_cast<float>(dim_) * length;
    for (std::size_t i = 0; i < dim; ++i) {
        const std::span<const float> direction = std::span(*sketch_).subspan(i * dim, dim);
        float product = 0;
        for (std::size_t j = 0; j < dim; ++j) product += direction[j] * left[j];
        const float step = product < 0 ? -scale : scale;
        for (std::size_t j = 0; j < dim; ++j) out[j] += step * direction[j];
    }
}

void RowCoder::recode(std::span<const float> row, std::span<float> out) const {
    switch (coding_.code) {
        case RowCode::Affine:
            return recodeGroups(coding_, row, out);
        case RowCode::Blocks:
            return recodeBlocks(coding_.bits, row, out);
        case RowCode::Uniform:
            return recodeUniform(coding_.bits, row, out);
        case RowCode::Rotated:
        case RowCode::Sketched:
            break;
    }
    const bool sketched = coding_.code == RowCode::Sketched;
    const int bits = coding_.bits - (sketched ? 1 : 0);
    std::array<std::byte, kMostRowBytes> bytes;
    encodeRotated(row, bits, sketched ? CodeScale::Plain : coding_.scale, bytes.data(),
                  rotation_->range(bits));
    decodeRotated(bytes.data(), bits, out);
    if (!sketched) return;
    std::array<float, kLongestRotatedRow> leftRow;
    const auto left = std::span(leftRow).first(row.size());
    std::ranges::transform(row, out, left.begin(), std::minus<>());
    addSketch(left, out);
}

}  // namespace lacuna
