#include "engine/format/config_recurrent.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/base/byte_reader.h"
#include "engine/base/string_format.h"
#include "engine/format/printable.h"

namespace lacuna {
namespace {

class RecurrentReader {
  public:
    RecurrentReader(ModelSpec& spec, std::vector<LayerSpec>& layers, const ConfigFields& config,
                    const Architecture& architecture)
        : spec_(spec), layers_(layers), config_(config), architecture_(architecture) {}
    [[nodiscard]] Status read();

  private:
    [[nodiscard]] Status readLayers();
    [[nodiscard]] Status readListed();
    [[nodiscard]] Status readPattern();
    [[nodiscard]] Result<ConfigFields> kimiFields() const;
    [[nodiscard]] Status readCounted();
    [[nodiscard]] Status readKimi();
    [[nodiscard]] Status readSizes();
    [[nodiscard]] Status readMamba();
    [[nodiscard]] Status readMultipliers();
    [[nodiscard]] Result<double> limit(const Json& value) const;
    [[nodiscard]] Status refuseOn(const char* name) const;

    ModelSpec& spec_;
    std::vector<LayerSpec>& layers_;
    const ConfigFields& config_;
    const Architecture& architecture_;
};

/// `layer_types` names each layer; older files list the attention layers, or state a period.
Status RecurrentReader::readListed() {
    const ConfigKeys& keys = architecture_.keys;
    LACUNA_TRY(const auto kinds, config_.texts("layer_types"));
    LACUNA_TRY(const auto full, config_.ints("full_attn_idxs"));
    LACUNA_TRY(const auto period,
               config_.optionalInt("full_attention_interval", ErrorCode::ModelBadLayers));
    if (kinds && kinds->size() != layers_.size())
        return fail(ErrorCode::ModelBadLayers,
                    format("{}: layer_types lists {} layers; the model has {}", kConfigFile,
                           kinds->size(), layers_.size()));
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        bool recurrent = true;
        if (kinds) {
            // transformers 5 uses one name for the recurrent layers of all families
            const std::string& kind = (*kinds)[i];
            recurrent = kind == keys.recurrentKind || kind == "linear_attention";
            if (!recurrent && kind != "full_attention" && kind != "attention")
                return fail(ErrorCode::Unsupported,
                            format("{}: layer_types \"{}\" is not supported in {} models",
                                   kConfigFile, printable(kind), architecture_.name));
        } else if (full) {
            recurrent = std::ranges::find(*full, static_cast<int>(i)) == full->end();
        } else if (const int every = period.value_or(architecture_.attentionPeriod); every > 0) {
            recurrent = (i + 1) % static_cast<std::size_t>(every) != 0;
        } else {
            return fail(ErrorCode::ModelMissingKey,
                        format("{}: {}layer_types is missing", kConfigFile, config_.path()));
        }
        layers_[i].mixer = recurrent ? LayerMixer::Recurrent : LayerMixer::Attention;
    }
    return {};
}

/// nemotron_h: a letter for each layer, which is either a mixer or a feed-forward. transformers 5
/// lists names instead.
Status RecurrentReader::readPattern() {
    constexpr const char* kPattern = "hybrid_override_pattern";
    LACUNA_TRY(const auto pattern, config_.text(kPattern));
    LACUNA_TRY(const auto names, config_.texts("layers_block_type"));
    std::string letters = pattern.value_or("");
    if (!pattern && names)
        for (const std::string& name : *names)
            letters += name == "mamba"       ? 'M'
                       : name == "attention" ? '*'
                       : name == "mlp"       ? '-'
                       : name == "moe"       ? 'E'
                                             : '?';
    if (letters.size() != layers_.size())
        return fail(ErrorCode::ModelBadLayers,
                    format("{}: {} lists {} layers; the model has {}", kConfigFile, kPattern,
                           letters.size(), layers_.size()));
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        LayerSpec& layer = layers_[i];
        switch (letters[i]) {
            case 'M':
                layer.mixer = LayerMixer::Recurrent;
                layer.mixerOnly = true;
                break;
            case '*':
                layer.mixer = LayerMixer::Attention;
                layer.mixerOnly = true;
                break;
            case '-':
                layer.mixer = LayerMixer::None;
                break;
            case 'E':
                layer.mixer = LayerMixer::None;
                layer.experts = true;
                break;
            default:
                return fail(ErrorCode::Unsupported,
                            format("{}: {} \"{}\" is not supported; M, *, - and E are", kConfigFile,
                                   kPattern, printable(letters)));
        }
    }
    return {};
}

Result<ConfigFields> RecurrentReader::kimiFields() const {
    constexpr const char* kName = "linear_attn_config";
    const Json* const object = config_.find(kName);
    if (object == nullptr || !object->is_object()) return config_.wrong(kName, "an object");
    return ConfigFields(*object, format("{}{}.", config_.path(), kName));
}

/// Layers are counted from 1.
Status RecurrentReader::readCounted() {
    LACUNA_TRY(const ConfigFields fields, kimiFields());
    LACUNA_TRY(const auto recurrent, fields.ints("kda_layers"));
    if (!recurrent) return fields.wrong("kda_layers", "a list of layers");
    for (const int layer : *recurrent) {
        if (!inRange(layer, 1, spec_.layers))
            return fields.wrong("kda_layers", "numbers of layers");
        layers_[static_cast<std::size_t>(layer) - 1].mixer = LayerMixer::Recurrent;
    }
    return {};
}

Status RecurrentReader::readKimi() {
    LACUNA_TRY(const ConfigFields fields, kimiFields());
    MixerShape& shape = spec_.recurrent.shape;
    const auto size = [&](const char* name) {
        return fields.requiredInt(name, ErrorCode::ModelBadDim);
    };
    LACUNA_TRY(shape.kernel, size("short_conv_kernel_size"));
    LACUNA_TRY(shape.valueHeads, size("num_heads"));
    LACUNA_TRY(shape.valueDim, size("head_dim"));
    shape.keyHeads = shape.valueHeads;
    shape.keyDim = shape.valueDim;
    return {};
}

Status RecurrentReader::readLayers() {
    switch (architecture_.recurrentLayers) {
        case RecurrentLayers::Never:
            return {};
        case RecurrentLayers::Listed:
            return readListed();
        case RecurrentLayers::Pattern:
            return readPattern();
        case RecurrentLayers::CountedFromOne:
            return readCounted();
        case RecurrentLayers::All:
            for (LayerSpec& layer : layers_) layer.mixer = LayerMixer::Recurrent;
            for (LayerSpec& layer : layers_) layer.mixerOnly = true;
            return {};
        case RecurrentLayers::Parallel:
            for (LayerSpec& layer : layers_) layer.mixer = LayerMixer::Both;
            return {};
    }
    return {};
}

Status RecurrentReader::readSizes() {
    const ConfigKeys& keys = architecture_.keys;
    MixerShape& shape = spec_.recurrent.shape;
    shape.kind = *architecture_.mixer;
    if (shape.kind == MixerKind::KimiDelta) return readKimi();
    const auto size = [&](const char* name) {
        return config_.requiredInt(name, ErrorCode::ModelBadDim);
    };
    LACUNA_TRY(shape.kernel, size(keys.convolution));
    if (shape.kind == MixerKind::ShortConvolution) {
        shape.width = spec_.hidden;
        return refuseOn("conv_bias");
    }
    LACUNA_TRY(shape.keyHeads, size(keys.keyHeads));
    LACUNA_TRY(shape.valueHeads, size(keys.valueHeads));
    LACUNA_TRY(shape.keyDim, size(keys.keyDim));
    LACUNA_TRY(shape.valueDim, size(keys.valueDim));
    return shape.kind == MixerKind::Mamba2 ? readMamba() : Status();
}

/// JSON has no infinity; transformers 5 writes an object in its place.
Result<double> RecurrentReader::limit(const Json& value) const {
    if (value.is_number()) return value.get<double>();
    const bool infinite = (value.is_object() && value.value("__float__", "") == "Infinity") ||
                          value == Json("inf") || value == Json("Infinity");
    if (!infinite) return config_.wrong("time_step_limit", "two numbers");
    return double{TimeStepLimits().most};
}

Status RecurrentReader::refuseOn(const char* name) const {
    LACUNA_TRY(const bool on, config_.flag(name));
    if (on) return config_.refuse(name);
    return {};
}

Status RecurrentReader::readMamba() {
    TimeStepLimits& steps = spec_.recurrent.steps;
    if (const Json* const limits = config_.find("time_step_limit")) {
        if (!limits->is_array() || limits->size() != 2)
            return config_.wrong("time_step_limit", "two numbers");
        LACUNA_TRY(const double least, limit((*limits)[0]));
        LACUNA_TRY(const double most, limit((*limits)[1]));
        if (!(least >= 0.0 && most >= least))
            return config_.wrong("time_step_limit", "two ascending numbers of 0 or more");
        steps = {static_cast<float>(least), static_cast<float>(most)};
    }
    for (const char* name : {"mamba_proj_bias", "use_bias", "projectors_bias"})
        LACUNA_TRY_STATUS(refuseOn(name));
    for (const char* name : {"use_conv_bias", "mamba_conv_bias"}) {
        LACUNA_TRY(const bool on, config_.flag(name, true));
        if (!on) return config_.refuse(name);
    }
    return readMultipliers();
}

Status RecurrentReader::readMultipliers() {
    if (architecture_.recurrentLayers != RecurrentLayers::Parallel) return {};
    BranchMultipliers& factors = spec_.recurrent.multipliers;
    const auto factor = [&](const char* name) -> Result<float> {
        LACUNA_TRY(const double value, config_.number(name, 1.0));
        if (!(std::fabs(value) >= 1e-6 && std::fabs(value) <= 1e6))
            return config_.wrong(name, "a number from 1e-6 to 1e6");
        return static_cast<float>(value);
    };
    const auto factorsOf = [&](const char* name, std::span<float> into) -> Status {
        LACUNA_TRY(const auto list, config_.numbers(name));
        if (!list) return {};
        if (list->size() != into.size())
            return config_.wrong(name, format("{} numbers", into.size()));
        std::ranges::copy(*list, into.begin());
        return {};
    };
    LACUNA_TRY(factors.attentionInput, factor("attention_in_multiplier"));
    LACUNA_TRY(factors.key, factor("key_multiplier"));
    LACUNA_TRY(factors.attentionOutput, factor("attention_out_multiplier"));
    LACUNA_TRY(factors.recurrentInput, factor("ssm_in_multiplier"));
    LACUNA_TRY(factors.recurrentOutput, factor("ssm_out_multiplier"));
    LACUNA_TRY_STATUS(factorsOf("ssm_multipliers", factors.recurrent));
    float feedForward[2] = {1.0F, 1.0F};
    LACUNA_TRY_STATUS(factorsOf("mlp_multipliers", feedForward));
    factors.gate = feedForward[0];
    factors.down = feedForward[1];
    LACUNA_TRY(spec_.embeddingScale, factor("embedding_multiplier"));
    LACUNA_TRY(spec_.logitScale, factor("lm_head_multiplier"));
    LACUNA_TRY(const bool normed, config_.flag("mamba_rms_norm", true));
    LACUNA_TRY(const bool before, config_.flag("mamba_norm_before_gate", true));
    spec_.recurrent.outputGate = !normed  ? OutputGate::SiluOnly
                                 : before ? OutputGate::SiluAfterNorm
                                          : OutputGate::SiluBeforeNorm;
    return {};
}

Status RecurrentReader::read() {
    if (!architecture_.mixer) return {};
    LACUNA_TRY_STATUS(readLayers());
    const auto isRecurrent = [](const LayerSpec& layer) {
        return layer.mixer == LayerMixer::Recurrent || layer.mixer == LayerMixer::Both;
    };
    if (std::ranges::none_of(layers_, isRecurrent)) return {};
    spec_.recurrent.outputGate = architecture_.outputGate;
    return readSizes();
}

}  // namespace

Status readConfigRecurrent(ModelSpec& spec, std::vector<LayerSpec>& layers,
                           const ConfigFields& config, const Architecture& architecture) {
    return RecurrentReader(spec, layers, config, architecture).read();
}

}  // namespace lacuna
