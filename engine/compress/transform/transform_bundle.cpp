#include "engine/compress/transform/transform_bundle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/base/byte_reader.h"
#include "engine/base/byte_writer.h"
#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/compress/matching/matrix_products.h"
#include "engine/compress/transform/entropy_coder.h"

namespace lacuna {
namespace {

constexpr std::string_view kMagic = "LACUNATB";
constexpr std::uint32_t kVersion = 1;
constexpr double kMostSkew = 1e-2;
// Above every real model, and low enough that products of sizes cannot overflow.
constexpr int kMostLayers = 1024;
constexpr int kMostHeads = 1024;
constexpr int kMostDim = 1 << 14;
constexpr int kMostRatios = 64;
constexpr std::int64_t kMostWidth = 1 << 17;

tl::unexpected<Error> wrong(std::string what, int line = __builtin_LINE()) {
    return fail(ErrorCode::Config, "transform bundle: " + what, __FILE__, line);
}
tl::unexpected<Error> damaged(const char* what, int line = __builtin_LINE()) {
    return fail(
        ErrorCode::Corrupt,
        format("transform bundle: {}; calibrate again with lacuna calibrate-kv --transform", what),
        __FILE__, line);
}

bool finite(std::span<const float> numbers) {
    return std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); });
}

/// Largest |B B' - 1|.
double skewOf(const TransformSide& side) {
    const std::int64_t rank = side.rank();
    const std::int64_t width = side.width();
    std::vector<float> rows(static_cast<std::size_t>(rank * width));
    for (std::int64_t i = 0; i < rank; ++i)
        for (std::int64_t j = 0; j < width; ++j)
            rows[static_cast<std::size_t>(i * width + j)] =
                side.scale[static_cast<std::size_t>(i)] *
                static_cast<float>(side.basis[static_cast<std::size_t>(i * width + j)]);
    const std::int64_t stride = paddedColumns(rank);
    std::vector<float> product(static_cast<std::size_t>(rank * stride));
    multiplyBySelf({.a = rows.data(),
                    .aStride = width,
                    .c = product.data(),
                    .cStride = stride,
                    .rows = rank,
                    .depth = width,
                    .columns = rank});
    double skew = 0;
    for (std::int64_t i = 0; i < rank; ++i)
        for (std::int64_t j = 0; j <= i; ++j) {
            const double found = double{product[static_cast<std::size_t>(i * stride + j)]};
            skew = std::max(skew, std::fabs(found - (i == j ? 1 : 0)));
        }
    return skew;
}

Status checkSide(const TransformBundle& bundle, const TransformSide& side, std::int64_t width,
                 const std::string& where) {
    const auto rank = static_cast<std::size_t>(side.rank());
    if (side.width() != width || side.weight.size() != side.mean.size() ||
        std::cmp_greater(rank, width) || side.basis.size() != rank * side.mean.size() ||
        side.deviation.size() != rank || side.shape.size() != rank)
        return wrong(
            format("{}: sizes do not match {} numbers with {} components", where, width, rank));
    if (!finite(side.mean) || !finite(side.weight) || !finite(side.scale) ||
        !finite(side.deviation))
        return wrong(format("{}: a number is not finite", where));
    if (std::ranges::any_of(side.weight, [](float x) { return !(x > 0); }))
        return wrong(format("{}: a weight is not above 0", where));
    if (std::ranges::any_of(side.shape, [](std::uint8_t s) { return s >= kTailShapes; }))
        return wrong(format("{}: the tail shape of a component is unknown", where));
    if (std::ranges::any_of(side.deviation, [](float x) { return !(x > 0); }) ||
        !std::ranges::is_sorted(side.deviation, std::greater<>()))
        return wrong(format("{}: deviations are not positive and decreasing", where));
    const double skew = skewOf(side);
    if (!(skew <= kMostSkew))
        return wrong(format("{}: the basis is not orthonormal (off by {:.3g}, at most {} allowed)",
                            where, skew, kMostSkew));
    if (side.plans.size() != bundle.ratios.size())
        return wrong(
            format("{}: {} plans for {} ratios", where, side.plans.size(), bundle.ratios.size()));
    for (std::size_t i = 0; i < side.plans.size(); ++i)
        if (const Status plan =
                checkPlan(side.plans[i], side.rank(), budgetOf(width, double{bundle.ratios[i]}));
            !plan)
            return wrong(format("{}, ratio {:g}: {}", where, bundle.ratios[i], plan.error().what));
    return {};
}

Status checkRates(const TransformBundle& bundle) {
    const std::size_t count = bundle.ratios.size();
    if (count == 0 || bundle.steps.size() != count || bundle.planErrors.size() != count ||
        bundle.stepErrors.size() != count)
        return wrong("the numbers of ratios, steps and errors differ");
    if (!finite(bundle.ratios) || !finite(bundle.steps) || !finite(bundle.planErrors) ||
        !finite(bundle.stepErrors))
        return wrong("a ratio, step or error is not finite");
    for (std::size_t i = 0; i < count; ++i) {
        const bool rising = i == 0 || (bundle.ratios[i] > bundle.ratios[i - 1] &&
                                       bundle.steps[i] > bundle.steps[i - 1]);
        if (!rising || bundle.ratios[i] < 1 || !(bundle.steps[i] > 0) || bundle.planErrors[i] < 0 ||
            bundle.stepErrors[i] < 0)
            return wrong("ratios and steps are not positive and increasing");
    }
    return {};
}

Status checkIdentity(const TransformIdentity& id) {
    if (!inRange(id.layers, 1, kMostLayers) || !inRange(id.kvHeads, 1, kMostHeads) ||
        !inRange(id.keyDim, 1, kMostDim) || !inRange(id.valueDim, 1, kMostDim))
        return wrong(format("a model of {} layers, {} KV heads of {} and {}", id.layers, id.kvHeads,
                            id.keyDim, id.valueDim));
    if (std::cmp_not_equal(id.layerRopes.size(), id.layers))
        return wrong("some layers have no rotation");
    for (const int rope : id.layerRopes)
        if (!inRange(rope, -1, static_cast<int>(id.ropes.size()) - 1))
            return wrong("a layer refers to a rotation that does not exist");
    for (const BundledRope& rope : id.ropes)
        if (std::cmp_greater(2 * rope.frequencies.size(), id.keyDim) ||
            !std::ranges::all_of(rope.frequencies, [](double f) { return std::isfinite(f); }))
            return wrong("a rotation does not fit the keys");
    return {};
}

Status checkLayers(const TransformBundle& bundle) {
    std::vector<int> seen(static_cast<std::size_t>(bundle.identity.layers));
    for (const TransformGroup& group : bundle.groups)
        for (const int layer : group.layers) {
            if (!inRange(layer, 0, bundle.identity.layers - 1))
                return wrong(format("there is no layer {}", layer));
            if (++seen[static_cast<std::size_t>(layer)] > 1)
                return wrong(format("layer {} is in two groups", layer));
        }
    for (std::size_t layer = 0; layer < seen.size(); ++layer)
        if (seen[layer] == 0) return wrong(format("layer {} is in no group", layer));
    return {};
}

// Serialisation.

template <Word T>
void put(std::string& out, T value) {
    putWord(out, value);
}
void put(std::string& out, const std::string& text) {
    put(out, static_cast<std::uint32_t>(text.size()));
    out += text;
}
template <class T>
void put(std::string& out, const std::vector<T>& numbers) {
    put(out, static_cast<std::uint32_t>(numbers.size()));
    out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
}

void putSection(std::string& out, const std::string& section) {
    put(out, static_cast<std::uint64_t>(section.size()));
    out += section;
    put(out, hash64(section));
}

/// Reads numbers and remembers failures.
class SectionReader {
  public:
    explicit SectionReader(std::span<const std::byte> bytes) : reader_(bytes) {}
    template <class T>
    [[nodiscard]] T number() {
        const auto read = reader_.read<T>();
        good_ = good_ && read.has_value();
        return read.value_or(T{});
    }
    [[nodiscard]] std::string text() {
        const auto read = reader_.takeText(number<std::uint32_t>());
        good_ = good_ && read.has_value();
        return std::string(read.value_or(std::string_view()));
    }
    template <class T>
    [[nodiscard]] std::vector<T> numbers() {
        const auto bytes = reader_.take(std::uint64_t{number<std::uint32_t>()} * sizeof(T));
        good_ = good_ && bytes.has_value();
        if (!bytes) return {};
        std::vector<T> out(bytes->size() / sizeof(T));
        if (!out.empty()) std::memcpy(out.data(), bytes->data(), bytes->size());
        return out;
    }
    /// Returns true if all reads succeeded and no bytes are left.
    [[nodiscard]] bool done() const { return good_ && reader_.remaining() == 0; }
    [[nodiscard]] bool good() const { return good_; }

  private:
    ByteReader reader_;
    bool good_ = true;
};

void putSide(std::string& out, const TransformSide& side) {
    put(out, side.mean);
    put(out, side.weight);
    put(out, side.basis);
    put(out, side.scale);
    put(out, side.deviation);
    put(out, side.shape);
    put(out, static_cast<std::uint32_t>(side.plans.size()));
    for (const BitPlan& plan : side.plans) {
        put(out, static_cast<std::uint32_t>(plan.size()));
        for (const ComponentGroup& group : plan) {
            put(out, static_cast<std::int32_t>(group.length));
            put(out, static_cast<std::uint8_t>(group.code));
        }
    }
}

TransformSide readSide(SectionReader& reader) {
    TransformSide side;
    side.mean = reader.numbers<float>();
    side.weight = reader.numbers<float>();
    side.basis = reader.numbers<std::int8_t>();
    side.scale = reader.numbers<float>();
    side.deviation = reader.numbers<float>();
    side.shape = reader.numbers<std::uint8_t>();
    const auto plans = reader.number<std::uint32_t>();
    for (std::uint32_t i = 0; i < plans && reader.good(); ++i) {
        BitPlan plan;
        const auto groups = reader.number<std::uint32_t>();
        for (std::uint32_t g = 0; g < groups && reader.good(); ++g) {
            const auto length = reader.number<std::int32_t>();
            plan.push_back({length, static_cast<ComponentCode>(reader.number<std::uint8_t>())});
        }
        side.plans.push_back(std::move(plan));
    }
    return side;
}

std::string headOf(const TransformBundle& bundle) {
    std::string out;
    const TransformIdentity& id = bundle.identity;
    put(out, id.architecture);
    put(out, id.fingerprint);
    for (const int number : {id.layers, id.kvHeads, id.keyDim, id.valueDim}) put(out, number);
    put(out, static_cast<std::uint32_t>(id.ropes.size()));
    for (const BundledRope& rope : id.ropes) {
        put(out, static_cast<std::uint8_t>(rope.interleaved));
        put(out, rope.frequencies);
    }
    put(out, id.layerRopes);
    put(out, bundle.model);
    put(out, bundle.how);
    put(out, bundle.textHash);
    put(out, bundle.tokens);
    put(out, bundle.heldOutTokens);
    put(out, bundle.sinks);
    put(out, bundle.window);
    put(out, bundle.ratios);
    put(out, bundle.steps);
    put(out, bundle.planErrors);
    put(out, bundle.stepErrors);
    put(out, static_cast<std::uint8_t>(bundle.better));
    put(out, static_cast<std::uint32_t>(bundle.groups.size()));
    return out;
}

/// Reads the head of a bundle; returns the number of groups that follow.
Result<std::uint32_t> readHead(SectionReader& reader, TransformBundle& out) {
    TransformIdentity& id = out.identity;
    id.architecture = reader.text();
    id.fingerprint = reader.text();
    for (int* const number : {&id.layers, &id.kvHeads, &id.keyDim, &id.valueDim})
        *number = reader.number<int>();
    const auto ropes = reader.number<std::uint32_t>();
    for (std::uint32_t i = 0; i < ropes && reader.good(); ++i) {
        BundledRope rope;
        rope.interleaved = reader.number<std::uint8_t>() != 0;
        rope.frequencies = reader.numbers<double>();
        id.ropes.push_back(std::move(rope));
    }
    id.layerRopes = reader.numbers<int>();
    out.model = reader.text();
    out.how = reader.text();
    out.textHash = reader.text();
    out.tokens = reader.number<std::int64_t>();
    out.heldOutTokens = reader.number<std::int64_t>();
    out.sinks = reader.number<int>();
    out.window = reader.number<int>();
    out.ratios = reader.numbers<float>();
    out.steps = reader.numbers<float>();
    out.planErrors = reader.numbers<float>();
    out.stepErrors = reader.numbers<float>();
    out.better = static_cast<StoredCode>(reader.number<std::uint8_t>());
    const auto groups = reader.number<std::uint32_t>();
    if (!reader.done()) return damaged("its header is truncated");
    return groups;
}

Result<std::span<const std::byte>> readSection(ByteReader& reader) {
    const auto length = reader.read<std::uint64_t>();
    const auto bytes = length ? reader.take(*length) : std::nullopt;
    const auto sum = bytes ? reader.read<std::uint64_t>() : std::nullopt;
    if (!sum) return damaged("it is truncated");
    if (*sum != hash64(*bytes)) return damaged("the checksum of a section does not match");
    return *bytes;
}

}  // namespace

Result<float> stepFor(const TransformBundle& bundle, double ratio) {
    const auto& ratios = bundle.ratios;
    if (!(ratio >= double{ratios.front()} && ratio <= double{ratios.back()}))
        return fail(ErrorCode::Range,
                    format("ratio {:g}: the bundle was calibrated for {:g} to {:g}", ratio,
                           ratios.front(), ratios.back()));
    const auto above =
        static_cast<std::size_t>(std::lower_bound(ratios.begin(), ratios.end(), ratio,
                                                  [](float a, double b) { return double{a} < b; }) -
                                 ratios.begin());
    if (above == 0) return bundle.steps.front();
    const auto log = [](float x) { return std::log(double{x}); };
    const double share =
        (std::log(ratio) - log(ratios[above - 1])) / (log(ratios[above]) - log(ratios[above - 1]));
    return static_cast<float>(
        std::exp((1 - share) * log(bundle.steps[above - 1]) + share * log(bundle.steps[above])));
}

Status checkTransform(const TransformBundle& bundle) {
    LACUNA_TRY_STATUS(checkIdentity(bundle.identity));
    LACUNA_TRY_STATUS(checkLayers(bundle));
    if (bundle.ratios.size() > kMostRatios) return wrong("too many ratios");
    LACUNA_TRY_STATUS(checkRates(bundle));
    if (bundle.better != StoredCode::Plan && bundle.better != StoredCode::Step)
        return wrong("the better code is unknown");
    if (bundle.sinks < 0 || bundle.window < 0) return wrong("sinks or window are below 0");
    for (std::size_t g = 0; g < bundle.groups.size(); ++g) {
        const TransformGroup& group = bundle.groups[g];
        const std::int64_t rows =
            static_cast<std::int64_t>(group.layers.size()) * bundle.identity.kvHeads;
        if (group.layers.empty() || rows * bundle.identity.keyDim > kMostWidth ||
            rows * bundle.identity.valueDim > kMostWidth)
            return wrong(format("group {} has {} layers", g, group.layers.size()));
        LACUNA_TRY_STATUS(checkSide(bundle, group.keys, rows * bundle.identity.keyDim,
                                    format("keys of group {}", g)));
        LACUNA_TRY_STATUS(checkSide(bundle, group.values, rows * bundle.identity.valueDim,
                                    format("values of group {}", g)));
    }
    return {};
}

Status checkTransformFor(const TransformBundle& bundle, const TransformIdentity& model) {
    const TransformIdentity& id = bundle.identity;
    std::string mismatches;
    const auto compare = [&](const char* what, const auto& mine, const auto& its) {
        if (mine != its)
            mismatches +=
                format("{}{} {} (this model: {})", mismatches.empty() ? "" : ", ", what, mine, its);
    };
    compare("architecture", id.architecture, model.architecture);
    compare("fingerprint", id.fingerprint, model.fingerprint);
    compare("layers", id.layers, model.layers);
    compare("KV heads", id.kvHeads, model.kvHeads);
    compare("key length", id.keyDim, model.keyDim);
    compare("value length", id.valueDim, model.valueDim);
    if (id.ropes != model.ropes || id.layerRopes != model.layerRopes)
        mismatches += format("{}its keys are rotated differently", mismatches.empty() ? "" : ", ");
    if (mismatches.empty()) return {};
    return fail(ErrorCode::Incompatible,
                format("transform bundle of another model: {}; calibrate again with lacuna "
                       "calibrate-kv --transform",
                       mismatches));
}

std::string transformBytes(const TransformBundle& bundle) {
    std::string out(kMagic);
    put(out, kVersion);
    putSection(out, headOf(bundle));
    for (const TransformGroup& group : bundle.groups) {
        std::string section;
        put(section, group.layers);
        putSide(section, group.keys);
        putSide(section, group.values);
        putSection(out, section);
    }
    return out;
}

Result<TransformBundle> transformFromBytes(std::string_view bytes) {
    ByteReader reader(std::as_bytes(std::span(bytes.data(), bytes.size())));
    const auto magic = reader.takeText(kMagic.size());
    if (!magic || *magic != kMagic) return damaged("it does not start with the expected marker");
    const auto version = reader.read<std::uint32_t>();
    if (!version) return damaged("it is truncated");
    if (*version != kVersion)
        return fail(
            ErrorCode::Incompatible,
            format(
                "transform bundle: version {}; this program reads {}; calibrate again with lacuna "
                "calibrate-kv --transform",
                *version, kVersion));
    TransformBundle out;
    LACUNA_TRY(const auto head, readSection(reader));
    SectionReader headReader(head);
    LACUNA_TRY(const std::uint32_t groups, readHead(headReader, out));
    for (std::uint32_t g = 0; g < groups; ++g) {
        LACUNA_TRY(const auto bytesOfGroup, readSection(reader));
        SectionReader section(bytesOfGroup);
        TransformGroup group;
        group.layers = section.numbers<int>();
        group.keys = readSide(section);
        group.values = readSide(section);
        if (!section.done()) return damaged("a group is truncated");
        out.groups.push_back(std::move(group));
    }
    if (reader.remaining() != 0) return damaged("there is data after its end");
    LACUNA_TRY_STATUS(checkTransform(out));
    return out;
}

std::uint64_t transformHash(const TransformBundle& bundle) {
    return hash64(transformBytes(bundle));
}

}  // namespace lacuna
