#include "engine/format/gguf_rope.h"

#include <cmath>

#include "engine/base/string_format.h"
#include "engine/format/printable.h"
#include "engine/tensor/block_formats.h"

// The Llama-3 rule has no keys: the converter writes its divisors as the tensor rope_freqs.weight.
// LongRope is seldom named either: its tensors rope_factors_long and rope_factors_short say it.

namespace lacuna {
namespace {

constexpr std::string_view kFactors = "rope_freqs.weight";
constexpr std::string_view kLongFactors = "rope_factors_long.weight";
constexpr std::string_view kShortFactors = "rope_factors_short.weight";

/// Factor on cosine and sine that the file gives, whatever it calls it.
Result<double> attentionFactor(const GgufKeys& keys) {
    LACUNA_TRY(const auto plain, keys.number("rope.scaling.attn_factor"));
    LACUNA_TRY(const auto yarn, keys.number("rope.scaling.yarn_attn_factor"));
    return plain.value_or(1.0) * yarn.value_or(1.0);
}

Status readYarn(RopeSpec& rope, const GgufKeys& keys, double factor) {
    rope.scaling = RopeSpec::Scaling::Yarn;
    rope.factor = static_cast<float>(factor);
    LACUNA_TRY(const auto fast, keys.number("rope.scaling.yarn_beta_fast"));
    LACUNA_TRY(const auto slow, keys.number("rope.scaling.yarn_beta_slow"));
    LACUNA_TRY(const auto extrapolation, keys.number("rope.scaling.yarn_ext_factor"));
    LACUNA_TRY(const auto logarithm, keys.number("rope.scaling.yarn_log_multiplier"));
    if (extrapolation.value_or(1.0) != 1.0 || logarithm.value_or(0.0) != 0.0)
        return fail(ErrorCode::Unsupported, format("{} and {} other than 1 and 0 are not supported",
                                                   keys.key("rope.scaling.yarn_ext_factor"),
                                                   keys.key("rope.scaling.yarn_log_multiplier")));
    rope.betaFast = static_cast<float>(fast.value_or(32.0));
    rope.betaSlow = static_cast<float>(slow.value_or(1.0));
    LACUNA_TRY(const double magnitude, attentionFactor(keys));
    rope.magnitude = static_cast<float>(magnitude * ggufYarnMagnitude(factor));
    return {};
}

/// A tensor of divisors [dim/2]; empty when there is none.
Result<std::vector<float>> factorsOf(const TensorSource& source, std::string_view name, int dim) {
    const TensorInfo* tensor = source.find(name);
    if (tensor == nullptr) return std::vector<float>();
    const std::vector<std::uint64_t> wanted{static_cast<std::uint64_t>(dim / 2)};
    if (tensor->shape != wanted || tensor->type != DType::F32)
        return fail(ErrorCode::ModelBadRope,
                    format("the tensor {} is {} [{}]; F32 [{}] expected", name,
                           info(tensor->type).name, fmt::join(tensor->shape, ", "), dim / 2));
    std::vector<float> factors(wanted.front());
    decodeRow(DType::F32, tensor->data, factors);
    return factors;
}

Status readLongRope(RopeSpec& rope, const GgufKeys& keys, const ModelSpec& spec) {
    rope.scaling = RopeSpec::Scaling::LongRope;
    rope.factor = static_cast<float>(spec.context) / static_cast<float>(rope.originalContext);
    LACUNA_TRY(const double magnitude, attentionFactor(keys));
    rope.magnitude = static_cast<float>(magnitude);
    LACUNA_TRY(rope.longFactors, factorsOf(keys.file(), kLongFactors, rope.dim));
    LACUNA_TRY(rope.shortFactors, factorsOf(keys.file(), kShortFactors, rope.dim));
    return {};
}

Status readScaling(RopeSpec& rope, const GgufKeys& keys, const ModelSpec& spec) {
    LACUNA_TRY(const auto kind, keys.text("rope.scaling.type"));
    LACUNA_TRY(const auto given, keys.number("rope.scaling.factor"));
    LACUNA_TRY(const auto oldFactor, keys.number("rope.scale_linear"));
    LACUNA_TRY(const auto context,
               keys.optionalInt("rope.scaling.original_context_length", ErrorCode::ModelBadRope));
    const double factor = given.value_or(oldFactor.value_or(1.0));
    if (kind && *kind != "none" && *kind != "linear" && *kind != "yarn" && *kind != "longrope")
        return fail(ErrorCode::ModelBadRope,
                    format("{} \"{}\" is not supported; none, linear, yarn and longrope are",
                           keys.key("rope.scaling.type"), printable(*kind)));
    if (kind ? *kind == "linear" : oldFactor.has_value()) {
        rope.scaling = RopeSpec::Scaling::Linear;
        rope.factor = static_cast<float>(factor);
    } else if (kind && *kind == "yarn") {
        rope.originalContext = context.value_or(spec.context);
        return readYarn(rope, keys, factor);
    } else if ((kind && *kind == "longrope") || keys.file().find(kLongFactors) != nullptr) {
        rope.originalContext = context.value_or(spec.context);
        return readLongRope(rope, keys, spec);
    }
    return {};
}

}  // namespace

double ggufYarnMagnitude(double factor) {
    return factor <= 1.0 ? 1.0 : 1.0 + 0.1 * std::log(factor);
}

Result<GgufRope> ropeFromGguf(const GgufKeys& keys, const Architecture& architecture,
                              const ModelSpec& spec) {
    GgufRope out;
    RopeSpec& rope = out.rope;
    rope.pairing = architecture.ggufPairing;
    LACUNA_TRY(const auto base, keys.number("rope.freq_base"));
    rope.base = static_cast<float>(base.value_or(10000.0));
    LACUNA_TRY(const auto dim, keys.optionalInt("rope.dimension_count", ErrorCode::ModelBadRope));
    rope.dim = dim.value_or(spec.headDim);
    LACUNA_TRY(const auto localBase, keys.number("rope.freq_base_swa"));
    if (localBase || architecture.localRopeBase > 0) {
        out.local = rope;
        out.local->base = localBase ? static_cast<float>(*localBase) : architecture.localRopeBase;
    }
    LACUNA_TRY_STATUS(readScaling(rope, keys, spec));
    LACUNA_TRY(rope.frequencyFactors, factorsOf(keys.file(), kFactors, rope.dim));
    return out;
}

}  // namespace lacuna
