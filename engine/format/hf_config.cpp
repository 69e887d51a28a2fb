#include "engine/format/hf_config.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/base/byte_reader.h"
#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
#include "engine/format/config_experts.h"
#include "engine/format/config_fields.h"
#include "engine/format/config_layer_sizes.h"
#include "engine/format/config_recurrent.h"
#include "engine/format/config_unused_fields.h"
#include "engine/format/layer_sizes.h"
#include "engine/format/model_spec.h"
#include "engine/format/printable.h"

namespace lacuna {
namespace {

struct ConfigRope {
    RopeSpec rope;
    std::optional<RopeSpec> local;  ///< RoPE of sliding layers, if the file or the family has one
    QueryTemperature temperature;
    double latentScale = 1.0;  ///< factor on the scores of latent attention
};

// Sources of a number, in descending priority: the object of the kind of layer, the object of all
// layers, the top of the file, the default of the family. Exception, as in transformers: an
// original context at the top of the file (phi3) takes precedence over one inside.

/// Reads one object of rotary parameters within a configuration.
class RopeReader {
  public:
    RopeReader(const ConfigFields& config, const Architecture& architecture, const ModelSpec& spec)
        : config_(config), architecture_(architecture), spec_(spec) {}

    /// Reads the parameters of layers with heads of `headDim`; `base` is used if the object has no
    /// rope_theta.
    [[nodiscard]] Result<RopeSpec> read(const ConfigFields& fields, double base, int headDim) const;
    [[nodiscard]] Result<QueryTemperature> temperature(const ConfigFields& fields) const;

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
    // The first phi3 files used other names for the scaling.
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
    if (architecture_.name != "phimoe") return {};
    // Texts up to the original context and longer ones may have separate magnitudes.
    LACUNA_TRY(const auto near, fields.optionalNumber("short_mscale"));
    LACUNA_TRY(const auto far, fields.optionalNumber("long_mscale"));
    if (near != far) return fields.refuse("short_mscale");
    if (near) rope.magnitude = static_cast<float>(*near);
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
    // Dynamic with an alpha is a fixed other base, whatever the length: hunyuan.
    std::optional<double> alpha;
    if (kind == "dynamic") {
        LACUNA_TRY(alpha, fields.optionalNumber("alpha"));
    }
    if (alpha.value_or(0.0) != 0.0) {
        if (!(*alpha > 0) || rope.dim <= 2) return fields.wrong("alpha", "a number above 0");
        const double power = rope.dim / (rope.dim - 2.0);
        rope.base = static_cast<float>(double{rope.base} * std::pow(*alpha, power));
        return {};
    }
    LACUNA_TRY(rope.factor, factorOf(fields));
    rope.scaling = kind == "linear" ? RopeSpec::Scaling::Linear : RopeSpec::Scaling::Dynamic;
    if (kind == "dynamic") rope.originalContext = spec_.context;
    return {};
}

/// Proportional: a share of the pairs of the whole head rotates, with the frequencies of the whole.
void stopSlowPairs(RopeSpec& rope, double share, int headDim) {
    rope.dim = headDim;
    const auto moving = static_cast<std::size_t>(share * headDim / 2.0);
    rope.frequencyFactors.assign(static_cast<std::size_t>(std::max(headDim, 0) / 2),
                                 kUnrotatedPair);
    std::fill_n(rope.frequencyFactors.begin(), std::min(moving, rope.frequencyFactors.size()),
                1.0F);
}

Result<RopeSpec> RopeReader::read(const ConfigFields& fields, double base, int headDim) const {
    RopeSpec rope;
    rope.pairing = architecture_.configPairing;
    LACUNA_TRY(const double ownBase, fields.number("rope_theta", base));
    rope.base = static_cast<float>(ownBase);
    LACUNA_TRY(const double topShare,
               config_.number("partial_rotary_factor", architecture_.defaults.rotaryShare));
    LACUNA_TRY(const double share, fields.number("partial_rotary_factor", topShare));
    if (!(share >= 0 && share <= 1))
        return fail(ErrorCode::ModelBadRope,
                    format("{}: partial_rotary_factor is {}; a share from 0 to 1 expected",
                           kConfigFile, share));
    rope.dim = static_cast<int>(static_cast<double>(headDim) * share);
    if (const char* const width = architecture_.keys.rotaryWidth; *width != '\0') {
        LACUNA_TRY(const auto given, config_.optionalInt(width, ErrorCode::ModelBadRope));
        if (given && fields.find("partial_rotary_factor") == nullptr) rope.dim = *given;
    }
    LACUNA_TRY(const std::string kind, kindOf(fields));
    if (kind == "proportional" && architecture_.layerSizes) {
        stopSlowPairs(rope, share, headDim);
        return rope;
    }
    LACUNA_TRY_STATUS(scale(rope, kind, fields));
    return rope;
}

Result<QueryTemperature> RopeReader::temperature(const ConfigFields& fields) const {
    QueryTemperature found;
    LACUNA_TRY(const double scale, fields.number("llama_4_scaling_beta", 0.0));
    found.scale = static_cast<float>(scale);
    if (scale != 0.0) {
        LACUNA_TRY(found.length, originalContext(fields));
    }
    return found;
}

/// Returns the object with the parameters and its path; the configuration itself if it has none.
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

/// `spec` holds the head size and the context. Errors: Config, ModelMissingKey, ModelBadRope.
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
    // The class of gemma4 has a rule of its own for full layers.
    if (architecture.layerSizes && !full)
        return fail(
            ErrorCode::ModelMissingKey,
            format("{}: {}rope_parameters.full_attention is missing", kConfigFile, config.path()));
    ConfigRope out;
    if (architecture.queryTemperature) {
        LACUNA_TRY(out.temperature, reader.temperature(full ? *full : parameters));
    }
    for (const std::string_view name : architecture.textIgnores)
        static_cast<void>(parameters.hasMember(std::string(name).c_str()));
    const int rotated = spec.latent ? spec.latent->rotated : spec.headDimOf(false);
    LACUNA_TRY(out.rope, reader.read(full ? *full : parameters, base, rotated));
    if (spec.latent && out.rope.scaling != RopeSpec::Scaling::None) {
        LACUNA_TRY(const double all, parameters.number("mscale_all_dim", 0.0));
        const double magnitude = yarnMagnitude(double{out.rope.factor}, all);
        out.latentScale = magnitude * magnitude;
    }
    if (sliding || localBase > 0 || architecture.localRopeUnscaled) {
        LACUNA_TRY(out.local, reader.read(sliding ? *sliding : ConfigFields(none, ""),
                                          localBase > 0 ? localBase : base, spec.headDimOf(true)));
    }
    LACUNA_TRY_STATUS(checkRopeFields(parameters));
    for (const auto& kind : {full, sliding})
        if (kind) LACUNA_TRY_STATUS(checkRopeFields(*kind));
    return out;
}

constexpr const char* kFull = "full_attention";
constexpr const char* kAttention = "attention";  // granitemoehybrid, instead of the name above

/// Fills the layers of one specification, one property after the other.
class LayerReader {
  public:
    LayerReader(ModelSpec& spec, const ConfigFields& config, const Architecture& architecture)
        : spec_(spec),
          config_(config),
          architecture_(architecture),
          layers_(static_cast<std::size_t>(spec.layers)) {}
    [[nodiscard]] Status read();

  private:
    [[nodiscard]] Status readRotary();
    [[nodiscard]] Status readPositionSwitch();
    void stillFullLayers();
    [[nodiscard]] Status readWindow();
    [[nodiscard]] Status readKinds();
    [[nodiscard]] Status applyRule();
    [[nodiscard]] Status checkLength(const char* name, std::size_t length) const;
    [[nodiscard]] Result<int> period() const;

    ModelSpec& spec_;
    const ConfigFields& config_;
    const Architecture& architecture_;
    std::vector<LayerSpec> layers_;
};

Status LayerReader::checkLength(const char* name, std::size_t length) const {
    if (length == layers_.size()) return {};
    return fail(ErrorCode::ModelBadLayers, format("{}: {} lists {} layers; the model has {}",
                                                  kConfigFile, name, length, layers_.size()));
}

/// `no_rope_layers` holds 1 for layers that rotate.
Status LayerReader::readRotary() {
    LACUNA_TRY(const auto list, config_.ints("no_rope_layers"));
    LACUNA_TRY(const auto every,
               config_.optionalInt("no_rope_layer_interval", ErrorCode::ModelBadLayers));
    if (architecture_.noRotaryEvery == 0) {
        if (list && std::ranges::any_of(*list, [](int rotates) { return rotates == 0; }))
            return config_.refuse("no_rope_layers");
        return {};
    }
    const int interval = every.value_or(architecture_.noRotaryEvery);
    if (list && !list->empty()) {
        LACUNA_TRY_STATUS(checkLength("no_rope_layers", list->size()));
        for (std::size_t i = 0; i < layers_.size(); ++i) layers_[i].rotary = (*list)[i] != 0;
        return {};
    }
    if (interval < 1) return config_.wrong("no_rope_layer_interval", "a number of layers");
    for (std::size_t i = 0; i < layers_.size(); ++i)
        layers_[i].rotary = (i + 1) % static_cast<std::size_t>(interval) != 0;
    return {};
}

Status LayerReader::readPositionSwitch() {
    if (architecture_.neverRotates)
        for (LayerSpec& layer : layers_) layer.rotary = false;
    if (!architecture_.positionSwitch) return {};
    LACUNA_TRY(const auto kind, config_.text("position_embedding_type"));
    // The class of granite has no such field and always rotates.
    const bool rotates = kind ? *kind == "rope" : architecture_.name == architecture_.ggufName;
    if (!rotates)
        for (LayerSpec& layer : layers_) layer.rotary = false;
    return {};
}

void LayerReader::stillFullLayers() {
    const FullLayers rule = architecture_.fullLayers;
    const bool windows = spec_.window != 0;
    if (rule == FullLayers::Unrotated || (rule == FullLayers::UnrotatedWithWindows && windows))
        for (LayerSpec& layer : layers_) layer.rotary = layer.sliding;
}

/// Absent and null differ: mistral's default is a window of 4096, and null is none.
Status LayerReader::readWindow() {
    LACUNA_TRY(const auto use, config_.optionalFlag("use_sliding_window"));
    if (architecture_.windows == WindowPattern::None) {
        if (use.value_or(false)) return config_.refuse("use_sliding_window");
        return {};
    }
    if (!use.value_or(!architecture_.windowsOnRequest)) return {};
    const char* const name = architecture_.keys.window;
    LACUNA_TRY(const auto window, config_.optionalInt(name, ErrorCode::ModelBadDim));
    if (!window && config_.hasMember(name)) return {};
    spec_.window = window.value_or(architecture_.defaults.window);
    if (window && *window == 0) return config_.wrong(name, "1 or more tokens, or null");
    return {};
}

Result<int> LayerReader::period() const {
    for (const char* name : {"sliding_window_pattern", "_sliding_window_pattern"}) {
        // "LLLG": one period of exaone4's layers, local and global.
        const Json* const value = config_.find(name);
        if (value != nullptr && value->is_string() && !value->get<std::string>().empty())
            return static_cast<int>(value->get<std::string>().size());
        LACUNA_TRY(const auto given, config_.optionalInt(name, ErrorCode::ModelBadLayers));
        if (given && *given == 0) return config_.wrong(name, "1 or more layers");
        if (given) return *given;
    }
    return architecture_.windowPeriod;
}

Status LayerReader::applyRule() {
    LACUNA_TRY(const int below, config_.requiredInt("max_window_layers", ErrorCode::ModelBadLayers,
                                                    /*fallback=*/28));
    int every = 1;
    if (architecture_.windows == WindowPattern::AllButEveryNth && spec_.window != 0) {
        LACUNA_TRY(every, period());
    }
    for (int i = 0; i < spec_.layers; ++i) {
        LayerSpec& layer = layers_[static_cast<std::size_t>(i)];
        switch (architecture_.windows) {
            case WindowPattern::None:
                break;
            case WindowPattern::AllLayers:
                layer.sliding = true;
                break;
            case WindowPattern::FromLayer:
                layer.sliding = i >= below;
                break;
            case WindowPattern::EvenBelow:
                layer.sliding = i % 2 == 0 && i < below;
                break;
            case WindowPattern::EverySecond:
                layer.sliding = i % 2 == 0;
                break;
            case WindowPattern::AllButEveryNth:
                layer.sliding = (i + 1) % every != 0;
                break;
            case WindowPattern::WithoutPosition:
                layer.sliding = !layer.rotary;
                break;
            case WindowPattern::WithPosition:
                layer.sliding = layer.rotary;
                break;
        }
        if (spec_.window == 0) layer.sliding = false;
    }
    return {};
}

/// `layer_types` takes precedence over the rule; a family with a fixed rule must agree with it.
Status LayerReader::readKinds() {
    LACUNA_TRY_STATUS(applyRule());
    if (architecture_.mixer) return readConfigRecurrent(spec_, layers_, config_, architecture_);
    LACUNA_TRY(const auto kinds, config_.texts("layer_types"));
    if (!kinds) return {};
    LACUNA_TRY_STATUS(checkLength("layer_types", kinds->size()));
    const bool fixed = architecture_.windows == WindowPattern::None ||
                       architecture_.windows == WindowPattern::AllLayers;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const std::string& kind = (*kinds)[i];
        const bool sliding = kind == architecture_.keys.windowKind;
        const bool full =
            kind == kFull || (architecture_.windows == WindowPattern::None && kind == kAttention);
        if ((!sliding && !full) || (fixed && sliding != layers_[i].sliding))
            return fail(ErrorCode::Unsupported,
                        format("{}: layer_types \"{}\" is not supported in {} models", kConfigFile,
                               printable(kind), architecture_.name));
        if (sliding && spec_.window == 0)
            return fail(
                ErrorCode::ModelMissingKey,
                format("{}: layer_types lists {} layers, and {} is missing or not used",
                       kConfigFile, architecture_.keys.windowKind, architecture_.keys.window));
        layers_[i].sliding = sliding;
    }
    return {};
}

Status LayerReader::read() {
    LACUNA_TRY_STATUS(readRotary());
    LACUNA_TRY_STATUS(readWindow());
    LACUNA_TRY_STATUS(readKinds());
    LACUNA_TRY_STATUS(readPositionSwitch());
    stillFullLayers();
    LACUNA_TRY_STATUS(readConfigLayerSizes(spec_, layers_, config_, architecture_));
    LACUNA_TRY_STATUS(readConfigExperts(spec_, layers_, config_, architecture_));
    const auto slides = [](const LayerSpec& layer) { return layer.sliding; };
    if (std::ranges::none_of(layers_, slides)) spec_.window = 0;
    if (std::ranges::any_of(layers_, [](const LayerSpec& l) { return l != LayerSpec(); }))
        spec_.layerSpecs = std::move(layers_);
    return {};
}

/// Fills `experts`, `window` and `layerSpecs` (left empty if no layer differs). Errors: Config,
/// ModelMissingKey, ModelBadDim, ModelBadLayers, Unsupported. @pre spec.layers and spec.feedForward
/// are set
Status readConfigLayers(ModelSpec& spec, const ConfigFields& config,
                        const Architecture& architecture) {
    if (!inRange(spec.layers, 1, kMaxLayers)) return spec.check();
    return LayerReader(spec, config, architecture).read();
}

/// True for unsupported quantisation. The MXFP4 expert matrices of gpt-oss are supported.
bool isQuantised(const ConfigFields& config, const Architecture& architecture) {
    const Json* found = config.find("quantization_config");
    if (found == nullptr) return false;
    const bool mxfp4 = found->is_object() && found->value("quant_method", Json()) == "mxfp4";
    return !mxfp4 || architecture.expertStacking != ExpertStacking::TransposedAlternating;
}

/// The value "vision" of gemma4 affects only images.
Status refuseBidirectional(const ConfigFields& config, const Architecture& architecture) {
    constexpr const char* kName = "use_bidirectional_attention";
    const Json* const value = config.find(kName);
    if (architecture.layerSizes && value != nullptr && *value == "vision") return {};
    LACUNA_TRY(const bool on, config.flag(kName));
    if (on) return config.refuse(kName);
    return {};
}

/// Refuses switches whose other value needs unsupported computation.
Status refuseUnknownFeatures(const ConfigFields& config, const Architecture& architecture) {
    const auto refuseWhere = [&](const char* name, bool unknown) -> Status {
        if (!unknown) return {};
        LACUNA_TRY(const bool on, config.flag(name));
        if (on) return config.refuse(name);
        return {};
    };
    const ConfigKeys& keys = architecture.keys;
    LACUNA_TRY_STATUS(
        refuseWhere("attention_bias", architecture.qkvBias == Presence::Never ||
                                          keys.qkvBias != std::string_view("attention_bias")));
    LACUNA_TRY_STATUS(
        refuseWhere(keys.feedForwardBias, architecture.feedForwardBias == Presence::Never));
    LACUNA_TRY_STATUS(refuseBidirectional(config, architecture));
    if (architecture.qkNorm != QkNorm::None && !architecture.qkNormSwitch) {
        LACUNA_TRY(const bool normed, config.flag("use_qk_norm", true));
        if (!normed) return config.refuse("use_qk_norm");
    }
    if (architecture.qkNorm == QkNorm::FullWidth) {
        LACUNA_TRY(const auto kind, config.text("qk_norm_type"));
        if (kind && *kind != "per_layer") return config.refuse("qk_norm_type");
    }
    if (architecture.attentionGate) {
        LACUNA_TRY(const bool gated, config.flag("attn_output_gate", true));
        if (!gated) return config.refuse("attn_output_gate");
    }
    // Values other than 1 select linear attention: minimax.
    LACUNA_TRY(const auto kinds, config.ints("attn_type_list"));
    if (kinds && std::ranges::any_of(*kinds, [](int kind) { return kind != 1; }))
        return config.refuse("attn_type_list");
    if (isQuantised(config, architecture))
        return fail(ErrorCode::ModelTypeUse,
                    format("{}: quantization_config: quantised checkpoints are not read; use the "
                           "unquantised one",
                           kConfigFile));
    return {};
}

/// gemma's first configurations say "gelu" for its approximation by tanh.
Status readActivation(ModelSpec& spec, const ConfigFields& config,
                      const Architecture& architecture) {
    if (architecture.activation == Activation::SwigluClamped) {
        LACUNA_TRY(const auto said, config.text("hidden_act"));  // activation inside of the gate
        if (said && *said != "silu" && *said != "swish") return config.refuse("hidden_act");
        LACUNA_TRY(const double limit, config.number("swiglu_limit", double{spec.swiglu.limit}));
        LACUNA_TRY(const auto alpha, config.optionalNumber("swiglu_alpha"));
        spec.swiglu.limit = static_cast<float>(limit);
        if (alpha) spec.swiglu.alpha = static_cast<float>(*alpha);
        return {};
    }
    const bool gemma = architecture.scalesEmbedding;
    const char* field = gemma && config.find("hidden_activation") != nullptr
                            ? "hidden_activation"
                            : architecture.keys.activation;
    LACUNA_TRY(const auto name, config.text(field));
    if (!name) return {};
    if (*name == "silu" || *name == "swish") {
        spec.activation = Activation::Silu;
    } else if (*name == "gelu_pytorch_tanh" || *name == "gelu_new" || (gemma && *name == "gelu")) {
        spec.activation = Activation::GeluTanh;
    } else if (*name == "relu2") {
        spec.activation = Activation::ReluSquared;
    } else if (*name == "xielu") {
        spec.activation = Activation::Xielu;
    } else {
        return config.refuse(field);
    }
    return {};
}

/// One KV head, whatever number of KV heads and head size the file states.
Status readLatent(ModelSpec& spec, const ConfigFields& config) {
    const auto size = [&](const char* name) {
        return config.requiredInt(name, ErrorCode::ModelBadDim);
    };
    LatentAttention latent;
    LACUNA_TRY(latent.length, size("kv_lora_rank"));
    LACUNA_TRY(latent.rotated, size("qk_rope_head_dim"));
    LACUNA_TRY(latent.unrotated, size("qk_nope_head_dim"));
    LACUNA_TRY(latent.value, size("v_head_dim"));
    LACUNA_TRY(const auto rank, config.optionalInt("q_lora_rank", ErrorCode::ModelBadDim));
    latent.queryRank = rank.value_or(0);
    setLatentAttention(spec, latent);
    LACUNA_TRY(const bool pairs, config.flag("rope_interleave", true));
    if (!pairs) return config.refuse("rope_interleave");
    LACUNA_TRY(const bool still, config.flag("mla_use_nope", true));
    if (!still) return config.refuse("mla_use_nope");
    return {};
}

Status readHeads(ModelSpec& spec, const ConfigFields& config, const Architecture& architecture) {
    const ConfigDefaults& defaults = architecture.defaults;
    LACUNA_TRY(spec.heads,
               config.requiredInt("num_attention_heads", ErrorCode::ModelBadHeads, defaults.heads));
    if (architecture.latentAttention) return readLatent(spec, config);
    LACUNA_TRY(const auto kvHeads,
               config.optionalInt("num_key_value_heads", ErrorCode::ModelBadHeads));
    const bool absent = !config.hasMember("num_key_value_heads");  // null means the number of heads
    spec.kvHeads =
        kvHeads.value_or(absent && defaults.kvHeads != 0 ? defaults.kvHeads : spec.heads);
    if (spec.heads < 1) return spec.check();  // reports the error before the division below
    LACUNA_TRY(const auto headDim, config.optionalInt("head_dim", ErrorCode::ModelBadDim));
    if (!headDim && defaults.headDim == 0 && spec.hidden % spec.heads != 0)
        return fail(
            ErrorCode::ModelBadDim,
            format("{}: hidden_size {} is not a multiple of {} heads, and head_dim is missing",
                   kConfigFile, spec.hidden, spec.heads));
    spec.headDim =
        headDim.value_or(defaults.headDim != 0 ? defaults.headDim : spec.hidden / spec.heads);
    return {};
}

Status readBiases(ModelSpec& spec, const ConfigFields& config, const Architecture& architecture) {
    const ConfigKeys& keys = architecture.keys;
    const auto isThere = [&](Presence presence, const char* field) -> Result<bool> {
        const bool same = std::string_view(field) == keys.qkvBias;
        LACUNA_TRY(const bool said, config.flag(field, same && architecture.defaults.qkvBias));
        return presence == Presence::Always || (presence == Presence::Optional && said);
    };
    LACUNA_TRY(spec.qkvBias, isThere(architecture.qkvBias, keys.qkvBias));
    LACUNA_TRY(spec.outputBias, isThere(architecture.outputBias, keys.outputBias));
    LACUNA_TRY(spec.feedForwardBias, isThere(architecture.feedForwardBias, keys.feedForwardBias));
    if (!std::string_view(keys.logitBias).empty()) {
        LACUNA_TRY(spec.logitBias, config.flag(keys.logitBias));
    }
    return {};
}

/// Reads the query temperature of layers that do not rotate. The switch is a number in older files.
Status readTemperature(ModelSpec& spec, const ConfigFields& config,
                       const Architecture& architecture) {
    if (!architecture.unrotatedTemperature) return {};
    const Json* on = config.find("attn_temperature_tuning");
    if (on != nullptr && !on->is_boolean() && !on->is_number())
        return config.wrong("attn_temperature_tuning", "true or false");
    LACUNA_TRY(const double scale, config.number("attn_scale", double{spec.temperature.scale}));
    LACUNA_TRY(const double length, config.number("floor_scale", spec.temperature.length));
    if (length != std::floor(length) || !inRange(length, 1.0, double{kMaxContext}))
        return config.wrong("floor_scale", "a whole number of tokens");
    const bool off = on != nullptr && (*on == Json(false) || *on == Json(0));
    spec.temperature.scale = off ? 0.0F : static_cast<float>(scale);
    spec.temperature.length = static_cast<int>(length);
    return {};
}

/// A missing cap of gemma2 takes the class's default; null means none.
Result<float> softCap(const ConfigFields& config, const char* name, double fallback) {
    LACUNA_TRY(const auto cap, config.optionalNumber(name));
    return static_cast<float>(cap.value_or(config.hasMember(name) ? 0.0 : fallback));
}

Status readGemmaScales(ModelSpec& spec, const ConfigFields& config,
                       const Architecture& architecture) {
    constexpr double kAttentionCap = 50.0;
    constexpr double kLogitCap = 30.0;
    constexpr double kScalar = 256.0;
    const bool capped = architecture.name == "gemma2";
    LACUNA_TRY(const double scalar, config.number("query_pre_attn_scalar", kScalar));
    if (!(scalar > 0)) return config.wrong("query_pre_attn_scalar", "a number above 0");
    spec.attentionScale = architecture.attentionScale != 0.0F
                              ? architecture.attentionScale
                              : static_cast<float>(1.0 / std::sqrt(scalar));
    LACUNA_TRY(spec.attentionSoftCap,
               softCap(config, "attn_logit_softcapping", capped ? kAttentionCap : 0.0));
    LACUNA_TRY(spec.logitSoftCap,
               softCap(config, "final_logit_softcapping", capped ? kLogitCap : 0.0));
    return {};
}

Status readGraniteScales(ModelSpec& spec, const ConfigFields& config) {
    LACUNA_TRY(const double embedding, config.number("embedding_multiplier", 1.0));
    LACUNA_TRY(const double residual, config.number("residual_multiplier", 1.0));
    LACUNA_TRY(const double attention, config.number("attention_multiplier", 1.0));
    LACUNA_TRY(const double divisor, config.number("logits_scaling", 1.0));
    if (!(divisor > 0)) return config.wrong("logits_scaling", "a number above 0");
    spec.embeddingScale = static_cast<float>(embedding);
    spec.residualScale = static_cast<float>(residual);
    spec.attentionScale = static_cast<float>(attention);
    spec.logitScale = static_cast<float>(1.0 / divisor);
    return {};
}

Status readScales(ModelSpec& spec, const ConfigFields& config, const Architecture& architecture) {
    if (architecture.scalesEmbedding) {
        spec.embeddingScale = std::sqrt(static_cast<float>(spec.hidden));
        return readGemmaScales(spec, config, architecture);
    }
    if (architecture.multipliers) return readGraniteScales(spec, config);
    if (!architecture.logitScaleMultiplies) return {};
    LACUNA_TRY(const double scale, config.number("logit_scale", architecture.defaults.logitScale));
    spec.logitScale = static_cast<float>(scale);
    return {};
}

/// Null in the file stands for no per-layer embeddings. @pre spec.vocabulary is set
Status readLayerEmbedding(ModelSpec& spec, const ConfigFields& config,
                          const Architecture& architecture) {
    if (!architecture.layerEmbedding) return {};
    constexpr const char* kWidth = "hidden_size_per_layer_input";
    constexpr const char* kRows = "vocab_size_per_layer_input";
    LACUNA_TRY(const auto width, config.optionalInt(kWidth, ErrorCode::ModelBadDim));
    LACUNA_TRY(const auto rows, config.optionalInt(kRows, ErrorCode::ModelVocab));
    const int absent = config.hasMember(kWidth) ? 0 : architecture.defaults.layerEmbedding;
    spec.layerEmbedding = width.value_or(absent);
    if (spec.layerEmbedding > 0 && rows.value_or(spec.vocabulary) != spec.vocabulary)
        return config.refuse(kRows);
    return {};
}

/// The width of lfm2 is two thirds of the stated one, times a factor, rounded up.
Status adjustFeedForward(ModelSpec& spec, const ConfigFields& config) {
    LACUNA_TRY(const bool adjusts, config.flag("block_auto_adjust_ff_dim", true));
    LACUNA_TRY(const double factor, config.number("block_ffn_dim_multiplier", 1.0));
    LACUNA_TRY(const int multiple,
               config.requiredInt("block_multiple_of", ErrorCode::ModelBadDim, 256));
    if (!adjusts || !inRange(spec.feedForward, 1, kMaxFeedForward)) return {};
    if (!inRange(factor, 1e-3, 1e3)) return config.wrong("block_ffn_dim_multiplier", "a factor");
    if (!inRange(multiple, 1, kMaxFeedForward))
        return config.wrong("block_multiple_of", "1 or more");
    const double wanted = factor * (2 * spec.feedForward / 3);
    const auto width = static_cast<std::int64_t>(std::min(wanted, 1.0 * kMaxFeedForward));
    spec.feedForward = static_cast<int>((width + multiple - 1) / multiple * multiple);
    return {};
}

Status readFeedForward(ModelSpec& spec, const ConfigFields& config,
                       const Architecture& architecture) {
    if (architecture.recurrentLayers == RecurrentLayers::All) return {};
    const char* name = architecture.keys.feedForward;
    // Without a dense layer a file may only state the width of an expert: qwen35moe.
    if (architecture.experts == Presence::Always && config.find(name) == nullptr &&
        *architecture.keys.expertFeedForward != '\0')
        name = architecture.keys.expertFeedForward;
    if (architecture.adjustsFeedForward && config.find("block_ff_dim") != nullptr)
        name = "block_ff_dim";
    LACUNA_TRY(spec.feedForward, config.requiredInt(name, ErrorCode::ModelBadDim));
    return architecture.adjustsFeedForward ? adjustFeedForward(spec, config) : Status();
}

Status readSizes(ModelSpec& spec, const ConfigFields& config, const Architecture& architecture) {
    const ConfigDefaults& defaults = architecture.defaults;
    LACUNA_TRY(spec.layers, config.requiredInt("num_hidden_layers", ErrorCode::ModelBadLayers));
    LACUNA_TRY(spec.hidden, config.requiredInt("hidden_size", ErrorCode::ModelBadDim));
    if (architecture.draftLayers) {
        LACUNA_TRY(const auto drafts,
                   config.optionalInt("num_nextn_predict_layers", ErrorCode::ModelBadLayers));
        spec.draftLayers = drafts.value_or(0);
    }
    LACUNA_TRY_STATUS(readFeedForward(spec, config, architecture));
    LACUNA_TRY(spec.vocabulary,
               config.requiredInt("vocab_size", ErrorCode::ModelVocab, defaults.vocabulary));
    LACUNA_TRY(spec.context, config.requiredInt(architecture.keys.context, ErrorCode::ModelBadCtx,
                                                defaults.context));
    LACUNA_TRY(const double epsilon, config.number(architecture.keys.epsilon, defaults.epsilon));
    spec.rmsEpsilon = static_cast<float>(epsilon);
    LACUNA_TRY_STATUS(readLayerEmbedding(spec, config, architecture));
    if (architecture.recurrentLayers == RecurrentLayers::All) {
        setMinimalSizes(spec);
        return {};
    }
    return readHeads(spec, config, architecture);
}

Result<ModelSpec> specOf(const ConfigFields& config, const Architecture& architecture) {
    LACUNA_TRY_STATUS(refuseUnknownFeatures(config, architecture));
    ModelSpec spec;
    for (const std::string_view name : architecture.textIgnores)
        static_cast<void>(config.hasMember(std::string(name).c_str()));
    setFamilyRules(spec, architecture);
    if (architecture.parallelResidual == Presence::Optional) {
        LACUNA_TRY(spec.parallelResidual, config.flag("use_parallel_residual"));
    }
    LACUNA_TRY_STATUS(readSizes(spec, config, architecture));
    LACUNA_TRY_STATUS(readActivation(spec, config, architecture));
    LACUNA_TRY_STATUS(readTemperature(spec, config, architecture));
    if (architecture.qkNormSwitch) {
        LACUNA_TRY(const bool normed,
                   config.flag(architecture.keys.qkNorm, architecture.defaults.qkNorm));
        if (!normed) spec.qkNorm = QkNorm::None;
    }
    LACUNA_TRY_STATUS(readBiases(spec, config, architecture));
    LACUNA_TRY_STATUS(readScales(spec, config, architecture));
    LACUNA_TRY_STATUS(readConfigLayers(spec, config, architecture));
    LACUNA_TRY(ConfigRope rope, ropeFromConfig(config, architecture, spec));
    spec.rope = std::move(rope.rope);
    if (spec.latent) spec.attentionScale = latentScaleOf(*spec.latent, rope.latentScale);
    if (!architecture.unrotatedTemperature) spec.temperature = rope.temperature;
    if (spec.window != 0) spec.localRope = std::move(rope.local);
    LACUNA_TRY(spec.tiedEmbeddings,
               config.flag("tie_word_embeddings", architecture.defaults.tiedEmbeddings));
    if (auto sound = spec.check(); !sound)
        return tl::unexpected<Error>(withPrefix(std::move(sound).error(), kConfigFile));
    LACUNA_TRY(spec.unusedKeys, unusedFields(config));
    return spec;
}

Result<const Architecture*> architectureOf(const ConfigFields& config) {
    LACUNA_TRY(const auto type, config.text("model_type"));
    if (!type) return config.wrong("model_type", "the name of an architecture");
    auto found = findArchitecture(*type);
    if (!found)
        return tl::unexpected<Error>(withPrefix(
            std::move(found).error(), format("{}: {}model_type", kConfigFile, config.path())));
    return found;
}

}  // namespace

Result<std::string> readConfigText(const std::filesystem::path& folder) {
    auto text = readFile(folder / kConfigFile, kMaxConfigBytes);
    if (text) return text;
    if (text.error().code == ErrorCode::NotFound)
        return fail(ErrorCode::Config, format("{}: there is no {}, so this is not a model folder",
                                              printableName(folder), kConfigFile));
    return fail(ErrorCode::Config, text.error().what);
}

Result<ModelSpec> specFromConfig(std::string_view configText) {
    const auto parsed = parseJson(configText);
    if (!parsed)
        return fail(ErrorCode::Config,
                    format("{}: {}", kConfigFile, printable(parsed.error().what, 300)));
    if (!parsed->is_object())
        return fail(ErrorCode::Config, format("{}: an object expected", kConfigFile));
    const ConfigFields config(*parsed, "");
    LACUNA_TRY(const Architecture* architecture, architectureOf(config));
    // A model with an image encoder describes its text part in an object of its own.
    const Json* inner = config.find("text_config");
    if (inner == nullptr) return specOf(config, *architecture);
    if (!inner->is_object()) return config.wrong("text_config", "an object");
    Json text = *inner;
    if (!text.contains("tie_word_embeddings") && parsed->contains("tie_word_embeddings"))
        text["tie_word_embeddings"] = (*parsed)["tie_word_embeddings"];
    if (!text.contains("quantization_config") && parsed->contains("quantization_config"))
        text["quantization_config"] = (*parsed)["quantization_config"];
    const ConfigFields fields(text, "text_config.");
    if (fields.find("model_type") != nullptr) {
        LACUNA_TRY(architecture, architectureOf(fields));
    }
    return specOf(fields, *architecture);
}

}  // namespace lacuna
