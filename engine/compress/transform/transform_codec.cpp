#include "engine/compress/transform/transform_codec.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "engine/base/string_format.h"
#include "engine/compress/transform/entropy_coder.h"
#include "engine/kernels/bfloat_matrix.h"
#include "engine/kernels/code_matrix.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

constexpr std::int64_t kTokensAtOnce = 256;  // tokens per matrix product
constexpr std::size_t kBlocksAtOnce = kTokensAtOnce / kCodeTokens;
constexpr std::size_t kTurnsOn = 64;  // angles in a row computed incrementally
// Share of nonzero tokens above which a component is multiplied densely, if the processor cannot
// multiply bytes.
constexpr double kDense = 0.12;
// Units per step of the component with the finest rows. Rounding to units adds an 81st of the
// rounding error of the steps to this component, and less to others.
constexpr float kUnitsOfStep = 9;
static_assert(kStoredBlock == kCodeTokens && WholeNumbers::kLargest == kLargestCoded);

tl::unexpected<Error> damaged(const char* what, int line = __builtin_LINE()) {
    return fail(ErrorCode::Corrupt, format("stored cache: {}", what), __FILE__, line);
}

std::size_t roundedUp(std::size_t n, std::size_t unit) {
    return (n + unit - 1) / unit * unit;
}

/// Tables of the components coded by a step: those before the first whose deviation is too small.
std::vector<const StepTable*> tablesFor(const TransformSide& side, float step) {
    std::vector<const StepTable*> tables;
    for (std::size_t i = 0; i < side.deviation.size(); ++i) {
        const StepTable* const table =
            stepTable(double{side.deviation[i]} / double{step}, side.shape[i]);
        if (table == nullptr) break;
        tables.push_back(table);
    }
    return tables;
}

/// Packed codes of a plan: one stream for each code, and one each for the low and high bytes of
/// scales and shifts. Within a block of 64 tokens the tokens of a group are adjacent.
struct PlanStreams {
    std::array<std::vector<std::byte>, 4> codes;  ///< indexed by ComponentCode
    std::vector<std::byte> low, high;  ///< bytes of the scales, then of the shifts, group by group
};

std::size_t codeBytes(std::size_t count, ComponentCode code) {
    return (count * static_cast<std::size_t>(bitsOf(code)) + 7) / 8;
}

void packCodes(std::vector<std::byte>& out, std::span<const std::uint8_t> codes,
               ComponentCode code) {
    const auto bits = static_cast<std::size_t>(bitsOf(code));
    const std::size_t first = out.size();
    out.resize(first + codeBytes(codes.size(), code));
    for (std::size_t i = 0; i < codes.size(); ++i)
        out[first + i * bits / 8] |= static_cast<std::byte>(codes[i] << i * bits % 8);
}

void unpackCodes(std::span<const std::byte> bytes, std::span<std::uint8_t> codes,
                 ComponentCode code) {
    const auto bits = static_cast<std::size_t>(bitsOf(code));
    for (std::size_t i = 0; i < codes.size(); ++i)
        codes[i] = static_cast<std::uint8_t>(
            std::to_integer<unsigned>(bytes[i * bits / 8]) >> i * bits % 8 & ((1U << bits) - 1));
}

/// Calls `each(group, first component, first token, tokens)` in the order of the streams.
template <class Each>
void eachPlanBlock(const BitPlan& plan, std::int64_t tokens, const Each& each) {
    for (std::int64_t first = 0; first < tokens; first += kStoredBlock) {
        std::int64_t component = 0;
        for (const ComponentGroup& group : plan) {
            if (group.code != ComponentCode::None)
                each(group, component, first, std::min(kStoredBlock, tokens - first));
            component += group.length;
        }
    }
}

Status decodePlan(ByteReader& reader, const BitPlan& plan, std::int64_t tokens, float* components,
                  std::int64_t stride) {
    PlanStreams streams;
    std::array<std::size_t, 4> sizes{};
    std::size_t groups = 0;
    eachPlanBlock(plan, tokens,
                  [&](const ComponentGroup& group, std::int64_t, std::int64_t, std::int64_t count) {
                      sizes[static_cast<std::size_t>(group.code)] += codeBytes(
                          static_cast<std::size_t>(group.length) * static_cast<std::size_t>(count),
                          group.code);
                      groups += static_cast<std::size_t>(count);
                  });
    for (std::size_t code = 0; code < sizes.size(); ++code) {
        streams.codes[code].resize(sizes[code]);
        LACUNA_TRY_STATUS(unpackBytes(reader, streams.codes[code]));
    }
    for (auto* const bytes : {&streams.low, &streams.high}) {
        bytes->resize(2 * groups);
        LACUNA_TRY_STATUS(unpackBytes(reader, *bytes));
    }
    std::array<std::size_t, 4> at{};
    std::size_t side = 0;
    std::vector<std::uint8_t> codes;
    bool finite = true;
    eachPlanBlock(
        plan, tokens,
        [&](const ComponentGroup& group, std::int64_t component, std::int64_t first,
            std::int64_t count) {
            const auto length = static_cast<std::size_t>(group.length);
            codes.resize(length * static_cast<std::size_t>(count));
            const auto code = static_cast<std::size_t>(group.code);
            const std::size_t bytes = codeBytes(codes.size(), group.code);
            unpackCodes(std::span(streams.codes[code]).subspan(at[code], bytes), codes, group.code);
            at[code] += bytes;
            const auto word = [&](std::size_t place) {
                return static_cast<std::uint16_t>(std::to_integer<unsigned>(streams.low[place]) |
                                                  std::to_integer<unsigned>(streams.high[place])
                                                      << 8);
            };
            for (std::size_t t = 0; t < static_cast<std::size_t>(count); ++t) {
                const CodedGroup coded{word(side + t),
                                       word(side + static_cast<std::size_t>(count) + t)};
                float* const to =
                    components + (first + static_cast<std::int64_t>(t)) * stride + component;
                decodeGroup(coded, group.code, codes.data() + t * length, {to, length});
                finite = finite && std::isfinite(to[0]) && std::isfinite(to[length - 1]);
            }
            side += 2 * static_cast<std::size_t>(count);
        });
    if (!finite) return damaged("a group decodes to a number that is not finite");
    return {};
}

}  // namespace

void encodeByPlan(std::string& out, const BitPlan& plan, const float* components, std::int64_t rank,
                  std::int64_t tokens) {
    PlanStreams streams;
    std::vector<std::uint8_t> codes;
    eachPlanBlock(
        plan, tokens,
        [&](const ComponentGroup& group, std::int64_t component, std::int64_t first,
            std::int64_t count) {
            const auto length = static_cast<std::size_t>(group.length);
            codes.resize(length * static_cast<std::size_t>(count));
            std::vector<CodedGroup> sides;
            for (std::int64_t t = 0; t < count; ++t)
                sides.push_back(encodeGroup({components + (first + t) * rank + component, length},
                                            group.code,
                                            codes.data() + static_cast<std::size_t>(t) * length));
            packCodes(streams.codes[static_cast<std::size_t>(group.code)], codes, group.code);
            for (const auto part : {&CodedGroup::scale, &CodedGroup::shift})
                for (const CodedGroup& side : sides) {
                    streams.low.push_back(static_cast<std::byte>(side.*part & 0xFF));
                    streams.high.push_back(static_cast<std::byte>(side.*part >> 8));
                }
        });
    for (const auto& bytes : streams.codes) packBytes(out, bytes);
    packBytes(out, streams.low);
    packBytes(out, streams.high);
}

TransformCodec::TransformCodec(TransformBundle bundle, std::uint64_t hash)
    : bundle_(std::move(bundle)), hash_(hash) {
    for (std::size_t i = 0; i < bundle_.groups.size() * kKvSides.size(); ++i)
        projections_.push_back(std::make_unique<Projection>());
}

Result<std::shared_ptr<const TransformCodec>> TransformCodec::make(TransformBundle bundle) {
    LACUNA_TRY_STATUS(checkTransform(bundle));
    const std::uint64_t hash = transformHash(bundle);
    return std::shared_ptr<const TransformCodec>(new TransformCodec(std::move(bundle), hash));
}

Result<ComponentCoding> TransformCodec::codingFor(StoredCode code, double ratio) const {
    ComponentCoding out{.code = code};
    if (code == StoredCode::Step) {
        LACUNA_TRY(out.step, stepFor(bundle_, ratio));
        return out;
    }
    std::string known;
    for (std::size_t i = 0; i < bundle_.ratios.size(); ++i) {
        out.plan = static_cast<std::uint32_t>(i);
        if (double{bundle_.ratios[i]} == ratio) return out;
        known += format("{}{:g}", i == 0 ? "" : ", ", bundle_.ratios[i]);
    }
    return fail(ErrorCode::Range, format("ratio {:g}: the bundle has plans for {}", ratio, known));
}

Status TransformCodec::check(const ComponentCoding& coding) const {
    switch (coding.code) {
        case StoredCode::Step:
            if (std::isfinite(coding.step) && coding.step > 0) return {};
            return damaged("its step is not a number above 0");
        case StoredCode::Plan:
            if (coding.plan < bundle_.ratios.size()) return {};
            return damaged("it refers to a plan that the bundle does not have");
    }
    return damaged("its coding is unknown");
}

PositionAngles::PositionAngles(const TransformIdentity& model,
                               std::span<const std::int64_t> positions, KeyTurn way)
    : model_(model) {
    for (const BundledRope& rope : model.ropes) {
        const std::size_t pairs = rope.frequencies.size();
        std::vector<float> of(positions.size() * 2 * pairs);
        const double sign = way == KeyTurn::Redo ? 1 : -1;
        for (std::size_t i = 0; i < pairs; ++i) {
            // Positions are usually consecutive: angles are rotated incrementally and recomputed
            // often enough to keep errors far below float precision.
            const std::complex<double> onward = std::polar(1.0, rope.frequencies[i]);
            std::complex<double> turned;
            for (std::size_t t = 0; t < positions.size(); ++t) {
                const bool follows = t % kTurnsOn != 0 && positions[t] == positions[t - 1] + 1;
                turned =
                    follows
                        ? turned * onward
                        : std::polar(1.0, rope.frequencies[i] * static_cast<double>(positions[t]));
                of[t * 2 * pairs + i] = static_cast<float>(turned.real());
                of[(t * 2 + 1) * pairs + i] = static_cast<float>(sign * turned.imag());
            }
        }
        angles_.push_back(std::move(of));
    }
}

void PositionAngles::turn(int layer, std::size_t index, float* keys) const {
    const int at = model_.layerRopes[static_cast<std::size_t>(layer)];
    if (at < 0) return;
    const BundledRope& rope = model_.ropes[static_cast<std::size_t>(at)];
    const std::size_t pairs = rope.frequencies.size();
    const float* const cosine = angles_[static_cast<std::size_t>(at)].data() + index * 2 * pairs;
    const RotaryStep step{cosine, cosine + pairs, static_cast<int>(pairs)};
    const KernelTable& kernels = bestKernels();
    const auto rotate = rope.interleaved ? kernels.rotateInterleaved : kernels.rotateHalves;
    for (int h = 0; h < model_.kvHeads; ++h) rotate(keys + std::int64_t{h} * model_.keyDim, step);
}

const TransformSide& TransformCodec::sideOf(std::size_t group, KvSide side) const {
    const TransformGroup& of = bundle_.groups[group];
    return side == KvSide::Keys ? of.keys : of.values;
}

TransformCodec::Projection& TransformCodec::projectionOf(std::size_t group, KvSide side) const {
    return *projections_[group * kKvSides.size() + static_cast<std::size_t>(side)];
}

template <class Number>
void TransformCodec::addPanels(Panels& panels, std::size_t count, std::size_t columns,
                               const Number& number) {
    const KernelTable& kernels = bestKernels();
    const auto rows = static_cast<std::size_t>(kernels.panelRows);
    const std::size_t depth = roundedUp(columns, kMatrixDepth);
    panels.depth = static_cast<std::int64_t>(depth);
    panels.stride = roundedUp(static_cast<std::size_t>(panelBytes(panels.depth)), 64);
    std::vector<float> row(depth);
    std::vector<std::uint16_t> source(rows * depth);
    for (std::size_t first = 0; first < count; first += rows) {
        const std::size_t many = std::min(rows, count - first);
        for (std::size_t r = 0; r < many; ++r) {
            for (std::size_t i = 0; i < columns; ++i) row[i] = number(first + r, i);
            kernels.toBfloat(row.data(), source.data() + r * depth, panels.depth);
        }
        const std::size_t at = panels.bytes.size();
        panels.bytes.resize(at + panels.stride);
        kernels.packBfloat({.type = DType::BF16,
                            .rows = reinterpret_cast<const std::byte*>(source.data()),
                            .rowStride = static_cast<std::int64_t>(depth * sizeof(std::uint16_t)),
                            .columns = panels.depth,
                            .rowCount = static_cast<int>(many)},
                           panels.bytes.data() + at);
    }
}

const TransformCodec::Projection& TransformCodec::encoder(std::size_t group, KvSide side) const {
    Projection& projection = projectionOf(group, side);
    std::call_once(projection.encodeOnce, [&] {
        const TransformSide& of = sideOf(group, side);
        const std::size_t width = of.mean.size();
        const auto number = [&](std::size_t i, std::size_t j) {
            return of.scale[i] * static_cast<float>(of.basis[i * width + j]) * of.weight[j];
        };
        if (matrixTileBfloat() != nullptr)
            return addPanels(projection.encodePanels, of.scale.size(), width, number);
        std::vector<float> rows(of.basis.size());
        for (std::size_t i = 0; i < of.scale.size(); ++i)
            for (std::size_t j = 0; j < width; ++j) rows[i * width + j] = number(i, j);
        projection.encode.emplace(rows.data(), of.width(), of.rank(), of.width());
    });
    return projection;
}

const TransformCodec::Projection& TransformCodec::decoder(std::size_t group, KvSide side) const {
    Projection& projection = projectionOf(group, side);
    std::call_once(projection.decodeOnce, [&] { makeDecoder(group, side, projection); });
    return projection;
}

void TransformCodec::makeDecoder(std::size_t group, KvSide side, Projection& projection) const {
    const TransformSide& of = sideOf(group, side);
    const std::int64_t depth = (of.rank() + kCodeQuad - 1) / kCodeQuad * kCodeQuad;
    const std::size_t bytes = codePanelBytes(depth);
    const auto layers = static_cast<std::int64_t>(bundle_.groups[group].layers.size());
    const std::int64_t columns = of.width() / layers;
    for (std::int64_t layer = 0; layer < layers; ++layer)
        for (std::int64_t at = 0; at < columns; at += kCodeColumns) {
            const std::int64_t first = layer * columns + at;
            const auto width = static_cast<int>(std::min<std::int64_t>(kCodeColumns, columns - at));
            const std::size_t size = projection.codes.size();
            projection.codes.resize(size + bytes);
            packCodes(of.basis.data(), of.width(), of.rank(), first, width, depth,
                      projection.codes.data() + size);
            for (std::int64_t j = 0; j < kCodeColumns; ++j) {
                const auto column = static_cast<std::size_t>(first + j);
                projection.factor.push_back(j < width ? 1 / of.weight[column] : 0.0F);
                projection.mean.push_back(j < width ? of.mean[column] : 0.0F);
            }
        }
}

/// Rows of the basis for adding single numbers.
const std::vector<float>& TransformCodec::rowsOf(std::size_t group, KvSide side) const {
    Projection& projection = projectionOf(group, side);
    std::call_once(projection.rowsOnce, [&] {
        const TransformSide& of = sideOf(group, side);
        const std::size_t width = of.mean.size();
        projection.rows.resize(of.basis.size());
        for (std::size_t i = 0; i < of.scale.size(); ++i)
            for (std::size_t j = 0; j < width; ++j)
                projection.rows[i * width + j] =
                    of.scale[i] * static_cast<float>(of.basis[i * width + j]) / of.weight[j];
    });
    return projection.rows;
}

void TransformCodec::toComponents(const Projection& projection, const float* rows,
                                  std::int64_t width, std::int64_t tokens, float* components,
                                  std::int64_t rank) const {
    if (projection.encode)
        return multiplyTransposed({.a = rows,
                                   .aStride = width,
                                   .c = components,
                                   .cStride = rank,
                                   .rows = tokens,
                                   .depth = width,
                                   .columns = rank},
                                  *projection.encode);
    const Panels& panels = projection.encodePanels;
    const KernelTable& kernels = bestKernels();
    // Avoids row strides that are multiples of the page size: see decode.
    const std::int64_t stride = panels.depth + kMatrixDepth;
    std::vector<std::uint16_t> rounded(static_cast<std::size_t>(tokens * stride));
    for (std::int64_t t = 0; t < tokens; ++t)
        kernels.toBfloat(rows + t * width, rounded.data() + t * stride, width);
    for (std::int64_t first = 0; first < rank; first += kernels.panelRows)
        matrixTileBfloat()(
            {.a = rounded.data(),
             .aStride = stride,
             .panel = panels.at(static_cast<std::size_t>(first / kernels.panelRows)),
             .c = components + first,
             .cStride = rank,
             .depth = panels.depth,
             .tokens = tokens,
             .width = static_cast<int>(std::min<std::int64_t>(kernels.panelRows, rank - first))});
}

TransformCodec::Components TransformCodec::project(std::size_t group, KvSide side,
                                                   const float* rows, std::int64_t tokens) const {
    const TransformSide& of = sideOf(group, side);
    const auto width = static_cast<std::size_t>(of.width());
    const std::int64_t rank = of.rank();
    const Projection& projection = encoder(group, side);
    Components out{.numbers = std::vector<float>(static_cast<std::size_t>(tokens * rank)),
                   .energy = std::vector<float>(static_cast<std::size_t>(tokens)),
                   .lost = std::vector<float>(static_cast<std::size_t>(tokens))};
    std::vector<float> centred(width * static_cast<std::size_t>(std::min(tokens, kTokensAtOnce)));
    for (std::int64_t first = 0; first < tokens; first += kTokensAtOnce) {
        const std::int64_t count = std::min(kTokensAtOnce, tokens - first);
        for (std::int64_t t = 0; t < count; ++t) {
            const float* const row = rows + (first + t) * of.width();
            float* const to = centred.data() + t * of.width();
            double energy = 0;
            for (std::size_t j = 0; j < width; ++j) {
                to[j] = row[j] - of.mean[j];
                const double weighted = double{to[j]} * double{of.weight[j]};
                energy += weighted * weighted;
            }
            out.energy[static_cast<std::size_t>(first + t)] = static_cast<float>(energy);
        }
        float* const numbers = out.numbers.data() + first * rank;
        if (rank > 0) toComponents(projection, centred.data(), of.width(), count, numbers, rank);
        for (std::int64_t t = 0; t < count; ++t) {
            double held = 0;
            for (std::int64_t i = 0; i < rank; ++i)
                held += double{numbers[t * rank + i]} * double{numbers[t * rank + i]};
            const auto at = static_cast<std::size_t>(first + t);
            const double energy = double{out.energy[at]};
            if (energy > 0) out.lost[at] = static_cast<float>(std::max(0.0, 1 - held / energy));
        }
    }
    return out;
}

int TransformCodec::codedRank(std::size_t group, KvSide side, const ComponentCoding& coding) const {
    const TransformSide& of = sideOf(group, side);
    return coding.code == StoredCode::Plan ? codedComponents(of.plans[coding.plan])
                                           : static_cast<int>(tablesFor(of, coding.step).size());
}

void TransformCodec::encode(std::string& out, std::size_t group, KvSide side,
                            const ComponentCoding& coding, const float* components,
                            std::int64_t tokens) const {
    const TransformSide& of = sideOf(group, side);
    if (coding.code == StoredCode::Plan) {
        encodeByPlan(out, of.plans[coding.plan], components, of.rank(), tokens);
        return;
    }
    const auto tables = tablesFor(of, coding.step);
    encodeSteps(out, {.tables = tables, .tokens = tokens, .stride = of.rank(), .step = coding.step},
                components);
}

/// Decoded components of up to kTokensAtOnce tokens, and what reconstruct needs for them.
struct TransformCodec::Decoding {
    std::array<CodedNumbers, kBlocksAtOnce> blocks;
    float unit = 0;                     ///< unit of the numbers
    std::vector<RareNumber> rare = {};  ///< sparse numbers
    std::vector<float> scale = {};      ///< per column
    std::vector<float> rows = {};       ///< rows of one layer
};

Status TransformCodec::decode(ByteReader& reader, std::size_t group, KvSide side,
                              const ComponentCoding& coding, std::int64_t tokens,
                              const RowsReceiver& take) const {
    if (coding.code == StoredCode::Step)
        return decodeStep(reader, group, side, coding.step, tokens, take);
    return decodeByPlan(reader, group, side, sideOf(group, side).plans[coding.plan], tokens, take);
}

namespace {

/// Number of components that are multiplied densely: up to the last one with more than a given
/// expected share of nonzero numbers. Later ones are cheaper number by number.
std::size_t denseDepth(std::span<const StepTable* const> tables) {
    std::size_t dense = tables.size();
    if (multipliesBytes(bestKernels())) return dense;
    while (dense > 0 && shareBeyondZero(*tables[dense - 1]) <= kDense) --dense;
    return dense;
}

/// Converts [count, stride] components of a plan to multiples of a unit chosen by the largest;
/// zeros beyond the last token. Returns the unit.
float wholeUnitsOf(const TransformSide& side, std::span<const float> components, std::size_t rank,
                   std::vector<std::int16_t>& numbers) {
    constexpr auto kTokens = static_cast<std::size_t>(kCodeTokens);
    float largest = 0;
    for (std::size_t i = 0; i < components.size(); ++i)
        largest = std::max(largest, std::fabs(components[i] * side.scale[i % rank]));
    const float unit = largest > 0 ? largest / kLargestCoded : 1.0F;
    std::ranges::fill(numbers, std::int16_t{0});
    const std::size_t depth = numbers.size() / static_cast<std::size_t>(kTokensAtOnce);
    for (std::size_t i = 0; i < components.size(); ++i) {
        const std::size_t t = i / rank;
        numbers[(t / kTokens * depth + i % rank) * kTokens + t % kTokens] =
            static_cast<std::int16_t>(std::lrint(components[i] * side.scale[i % rank] / unit));
    }
    return unit;
}

}  // namespace

Status TransformCodec::decodeStep(ByteReader& reader, std::size_t group, KvSide side, float step,
                                  std::int64_t tokens, const RowsReceiver& take) const {
    const TransformSide& of = sideOf(group, side);
    const auto tables = tablesFor(of, step);
    const std::size_t dense = denseDepth(tables);
    const std::size_t depth = roundedUp(dense, kCodeQuad);
    Decoding decoding;
    float finest = std::numeric_limits<float>::infinity();
    for (std::size_t c = 0; c < dense; ++c) finest = std::min(finest, of.scale[c]);
    decoding.unit = dense > 0 ? finest * step / kUnitsOfStep : 1.0F;
    std::vector<float> units;
    for (std::size_t c = 0; c < dense; ++c) units.push_back(of.scale[c] * step / decoding.unit);
    std::size_t block = 0;
    const auto taken = [&](std::int64_t first, std::int64_t count, WholeNumbers& whole) {
        whole.numbers.resize(depth * static_cast<std::size_t>(kCodeTokens));
        splitNumbers(whole.numbers.data(), static_cast<std::int64_t>(depth),
                     decoding.blocks[block]);
        for (RareNumber one : whole.rare) {
            one.token += static_cast<std::int32_t>(block) * static_cast<std::int32_t>(kCodeTokens);
            decoding.rare.push_back(one);
        }
        ++block;
        if (block < kBlocksAtOnce && first + count < tokens) return;
        const std::int64_t begin = first - static_cast<std::int64_t>(block - 1) * kCodeTokens;
        reconstruct(group, side, begin, first + count - begin, decoding, take);
        decoding.rare.clear();
        block = 0;
    };
    return decodeWhole(reader, {.tables = tables, .tokens = tokens, .step = step}, units, taken);
}

Status TransformCodec::decodeByPlan(ByteReader& reader, std::size_t group, KvSide side,
                                    const BitPlan& plan, std::int64_t tokens,
                                    const RowsReceiver& take) const {
    const TransformSide& of = sideOf(group, side);
    const auto rank = static_cast<std::size_t>(codedComponents(plan));
    const std::size_t depth = roundedUp(rank, kCodeQuad);
    std::vector<float> components(static_cast<std::size_t>(tokens) * rank);
    LACUNA_TRY_STATUS(
        decodePlan(reader, plan, tokens, components.data(), static_cast<std::int64_t>(rank)));
    Decoding decoding;
    std::vector<std::int16_t> numbers(depth * static_cast<std::size_t>(kTokensAtOnce));
    for (std::int64_t first = 0; first < tokens; first += kTokensAtOnce) {
        const std::int64_t count = std::min(kTokensAtOnce, tokens - first);
        decoding.unit = wholeUnitsOf(of,
                                     std::span(components)
                                         .subspan(static_cast<std::size_t>(first) * rank,
                                                  static_cast<std::size_t>(count) * rank),
                                     rank, numbers);
        for (std::size_t block = 0; block < kBlocksAtOnce; ++block)
            splitNumbers(numbers.data() + block * depth * static_cast<std::size_t>(kCodeTokens),
                         static_cast<std::int64_t>(depth), decoding.blocks[block]);
        reconstruct(group, side, first, count, decoding, take);
    }
    return {};
}

void TransformCodec::reconstruct(std::size_t group, KvSide side, std::int64_t first,
                                 std::int64_t count, Decoding& decoding,
                                 const RowsReceiver& take) const {
    const TransformSide& of = sideOf(group, side);
    const KernelTable& kernels = bestKernels();
    const CodeProduct multiply = codeProductOf(kernels);
    const Projection& projection = decoder(group, side);
    const std::size_t layers = bundle_.groups[group].layers.size();
    const std::int64_t columns = of.width() / static_cast<std::int64_t>(layers);
    const std::size_t bytes = codePanelBytes((of.rank() + kCodeQuad - 1) / kCodeQuad * kCodeQuad);
    decoding.scale.resize(projection.factor.size());
    for (std::size_t j = 0; j < decoding.scale.size(); ++j)
        decoding.scale[j] = decoding.unit * projection.factor[j];
    decoding.rows.resize(static_cast<std::size_t>(count * columns));
    const float* const alone = decoding.rare.empty() ? nullptr : rowsOf(group, side).data();
    std::size_t panel = 0;
    for (std::size_t layer = 0; layer < layers; ++layer) {
        float* const to = decoding.rows.data();
        for (std::int64_t at = 0; at < columns; at += kCodeColumns, ++panel)
            for (std::int64_t t = 0; t < count; t += kCodeTokens)
                multiply({.numbers = &decoding.blocks[static_cast<std::size_t>(t / kCodeTokens)],
                          .panel = projection.codes.data() + panel * bytes,
                          .scale = decoding.scale.data() + panel * kCodeColumns,
                          .shift = projection.mean.data() + panel * kCodeColumns,
                          .c = to + t * columns + at,
                          .cStride = columns,
                          .tokens = std::min(kCodeTokens, count - t),
                          .width = static_cast<int>(
                              std::min<std::int64_t>(kCodeColumns, columns - at))});
        for (const RareNumber& one : decoding.rare)
            kernels.addWeightedRows[kernelIndex(DType::F32)](
                {.rows = reinterpret_cast<const std::byte*>(
                     alone + std::int64_t{one.component} * of.width() +
                     static_cast<std::int64_t>(layer) * columns),
                 .rowStride = of.width() * static_cast<std::int64_t>(sizeof(float)),
                 .count = 1,
                 .columns = columns},
                &one.value, to + one.token * columns);
        take({.layer = layer, .first = first, .count = count, .numbers = decoding.rows});
    }
}

}  // namespace lacuna
