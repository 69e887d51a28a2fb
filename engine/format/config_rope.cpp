#include "engine/format/config_rope.h"

#include <cmath>

#include "engine/base/string_format.h"
#include "engine/format/printable.h"

// Sources of a number, the later ones first: the object of the kind of layer, the object of all
// layers, the top of the file, the default of the family. Exception, as in transformers: an
// original context at the top of the file (phi3) goes before one inside.

namespace lacuna {
namespace {

/// One object with rotary parameters, inside a configuration.
class RopeReader {
  public:
    RopeReader(const ConfigFields& config, const Architecture& architecture, const ModelSpec& spec)
        : config_(config), architecture_(architecture), spec_(spec) {}

    /// `base` is used where the object has no rope_theta.
    [[nodiscard]] Result<RopeSpec> read(const ConfigFields& fields, double base) const;

  private:
    [[nodiscard]] Result<std::string> kindOf(const ConfigFields& fields) const;
    [[nodiscard]] Result<float> factorOf(const ConfigFields& fields) const;
    [[nodiscard]] Result<int> originalContext(const ConfigFields& fields) const;
    [[nodiscard]] Status scale(RopeSpec& rope, const std::string& kind,
                               const ConfigFields& fields) const;
    [[nodiscard]] Status llama3(RopeSpec& rope, const ConfigFields& fields) const;
    [[nodiscard]] Status yarn(RopeSpec& rope, const ConfigFields& fields) const;
    [[nodiscard]] Status longRope(RopeSpec& rope, const ConfigFields& fields) const;

    const ConfigFields& config_;
    const Architecture& architecture_;
    const ModelSpec& spec_;
};

Result<std::string> RopeReader::kindOf(const ConfigFields& fields) const {
    LACUNA_TRY(auto kind, fields.text("rope_type"));
    if (!kind) {
        LACUNA_TRY(kind, fields.text("type"));  // the name before transformers 4.43
    }
    if (!kind) return std::string("default");
    // The first phi3 files called the scaling by other names.
    const bool renamed = *kind == "su" || (*kind == "yarn" && architecture_.name == "phi3");
    return renamed ? std::string("longrope") : *kind;
}

Result<float> RopeReader::factorOf(const ConfigFields& fields) const {
    LACUNA_TRY(const auto factor, fields.optionalNumber("factor"));
    if (!factor)
        return fail(ErrorCode::ModelMissingKey,
                    format("{}: {}factor is missing", kConfigFile, fields.path()));
    return static_cast<float>(*factor);
}

Result<int> RopeReader::originalContext(const ConfigFields& fields) const {
    constexpr const char* kName = "original_max_position_embeddings";
    LACUNA_TRY(const auto top, config_.optionalInt(kName, ErrorCode::ModelBadRope));
    if (top) return *top;
    LACUNA_TRY(const auto inner, fields.optionalInt(kName, ErrorCode::ModelBadRope));
    return inner.value_or(spec_.context);
}

Status RopeReader::llama3(RopeSpec& rope, const ConfigFields& fields) const {
    rope.scaling = RopeSpec::Scaling::Llama3;
    LACUNA_TRY(rope.factor, factorOf(fields));
    LACUNA_TRY(const double low, fields.number("low_freq_factor", 1.0));
    LACUNA_TRY(const double high, fields.number("high_freq_factor", 4.0));
    rope.lowFrequencyFactor = static_cast<float>(low);
    rope.highFrequencyFactor = static_cast<float>(high);
    LACUNA_TRY(rope.originalContext, originalContext(fields));
    return {};
}

/// Grows with the logarithm of the factor: Peng et al. 2023, section 3.4.
double yarnMagnitude(double factor, double scale) {
    return factor <= 1.0 ? 1.0 : 0.1 * scale * std::log(factor) + 1.0;
}

Status RopeReader::yarn(RopeSpec& rope, const ConfigFields& fields) const {
    rope.scaling = RopeSpec::Scaling::Yarn;
    LACUNA_TRY(rope.originalContext, originalContext(fields));
    LACUNA_TRY(const auto given, fields.optionalNumber("factor"));
    const double factor =
        given.value_or(static_cast<double>(spec_.context) / std::max(1, rope.originalContext));
    rope.factor = static_cast<float>(factor);
    LACUNA_TRY(const double fast, fields.number("beta_fast", 32.0));
    LACUNA_TRY(const double slow, fields.number("beta_slow", 1.0));
    rope.betaFast = static_cast<float>(fast);
    rope.betaSlow = static_cast<float>(slow);
    LACUNA_TRY(rope.truncate, fields.flag("truncate", true));
    LACUNA_TRY(const auto magnitude, fields.optionalNumber("attention_factor"));
    LACUNA_TRY(const double scale, fields.number("mscale", 0.0));
    LACUNA_TRY(const double scaleAll, fields.number("mscale_all_dim", 0.0));
    const bool both = scale != 0.0 && scaleAll != 0.0;
    const double own = both ? yarnMagnitude(factor, scale) / yarnMagnitude(factor, scaleAll)
                            : yarnMagnitude(factor, 1.0);
    rope.magnitude = static_cast<float>(magnitude.value_or(own));
    return {};
}

Status RopeReader::longRope(RopeSpec& rope, const ConfigFields& fields) const {
    rope.scaling = RopeSpec::Scaling::LongRope;
    LACUNA_TRY(rope.originalContext, originalContext(fields));
    LACUNA_TRY(auto shortFactors, fields.numbers("short_factor"));
    LACUNA_TRY(auto longFactors, fields.numbers("long_factor"));
    if (!shortFactors || !longFactors)
        return fail(ErrorCode::ModelMissingKey,
                    format("{}: {}{} is missing", kConfigFile, fields.path(),
                           shortFactors ? "long_factor" : "short_factor"));
    rope.shortFactors = std::move(*shortFactors);
    rope.longFactors = std::move(*longFactors);
    LACUNA_TRY(const auto given, fields.optionalNumber("factor"));
    const double original = std::max(2, rope.originalContext);
    const double factor = given.value_or(static_cast<double>(spec_.context) / original);
    rope.factor = static_cast<float>(factor);
    LACUNA_TRY(const auto magnitude, fields.optionalNumber("attention_factor"));
    const double own = factor <= 1.0 ? 1.0 : std::sqrt(1.0 + std::log(factor) / std::log(original));
    rope.magnitude = static_cast<float>(magnitude.value_or(own));
    return {};
}

Status RopeReader::scale(RopeSpec& rope, const std::string& kind,
                         const ConfigFields& fields) const {
    if (kind == "default") return {};
    if (kind == "llama3") return llama3(rope, fields);
    if (kind == "yarn") return yarn(rope, fields);
    if (kind == "longrope") return longRope(rope, fields);
    if (kind != "linear" && kind != "dynamic")
        return fail(ErrorCode::ModelBadRope,
                    format("{}: {}rope_type \"{}\" is not supported; default, linear, dynamic, "
                           "llama3, yarn and longrope are",
                           kConfigFile, fields.path(), printable(kind)));
    LACUNA_TRY(rope.factor, factorOf(fields));
    rope.scaling = kind == "linear" ? RopeSpec::Scaling::Linear : RopeSpec::Scaling::Dynamic;
    if (kind == "dynamic") rope.originalContext = spec_.context;
    return {};
}

Result<RopeSpec> RopeReader::read(const ConfigFields& fields, double base) const {
    RopeSpec rope;
    rope.pairing = RopePairing::Halves;
    LACUNA_TRY(const double ownBase, fields.number("rope_theta", base));
    rope.base = static_cast<float>(ownBase);
    LACUNA_TRY(const double topShare, config_.number("partial_rotary_factor", 1.0));
    LACUNA_TRY(const double share, fields.number("partial_rotary_factor", topShare));
    if (!(share >= 0 && share <= 1))
        return fail(ErrorCode::ModelBadRope,
                    format("{}: partial_rotary_factor is {}; a share from 0 to 1 expected",
                           kConfigFile, share));
    rope.dim = static_cast<int>(static_cast<double>(spec_.headDim) * share);
    LACUNA_TRY(const std::string kind, kindOf(fields));
    LACUNA_TRY_STATUS(scale(rope, kind, fields));
    return rope;
}

/// The object with the parameters, and the path to it; the configuration's own when it has none.
Result<ConfigFields> parametersOf(const ConfigFields& config, const Json& none) {
    for (const char* name : {"rope_parameters", "rope_scaling"}) {
        const Json* object = config.find(name);
        if (object == nullptr) continue;
        if (!object->is_object()) return config.wrong(name, "an object");
        return ConfigFields(*object, format("{}.", name));
    }
    return ConfigFields(none, "");
}

Result<std::optional<ConfigFields>> kindOfLayer(const ConfigFields& parameters, const char* name) {
    const Json* object = parameters.find(name);
    if (object == nullptr) return std::nullopt;
    if (!object->is_object()) return parameters.wrong(name, "an object");
    return ConfigFields(*object, format("{}{}.", parameters.path(), name));
}

}  // namespace

Result<ConfigRope> ropeFromConfig(const ConfigFields& config, const Architecture& architecture,
                                  const ModelSpec& spec) {
    const RopeReader reader(config, architecture, spec);
    const Json none = Json::object();
    LACUNA_TRY(const ConfigFields parameters, parametersOf(config, none));
    LACUNA_TRY(const double base, config.number("rope_theta", architecture.defaults.ropeBase));
    LACUNA_TRY(
        const double localBase,
        config.number("rope_local_base_freq", static_cast<double>(architecture.localRopeBase)));
    LACUNA_TRY(const auto full, kindOfLayer(parameters, "full_attention"));
    LACUNA_TRY(const auto sliding, kindOfLayer(parameters, "sliding_attention"));
    ConfigRope out;
    LACUNA_TRY(out.rope, reader.read(full ? *full : parameters, base));
    if (sliding || localBase > 0) {
        LACUNA_TRY(out.local, reader.read(sliding ? *sliding : ConfigFields(none, ""), localBase));
    }
    return out;
}

}  // namespace lacuna
