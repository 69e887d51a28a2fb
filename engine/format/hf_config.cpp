#include "engine/format/hf_config.h"

#include <cmath>
#include <limits>
#include <optional>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
#include "engine/format/printable.h"

namespace lacuna {
namespace {

constexpr const char* kFile = "config.json";
constexpr int kQwen3DefaultHeadDim = 128;

/// Typed access to the members of one JSON object; absent and null are the same.
class Fields {
  public:
    Fields(const Json& object, std::string path) : object_(object), path_(std::move(path)) {}

    [[nodiscard]] const Json* find(const char* name) const {
        const auto at = object_.find(name);
        return at == object_.end() || at->is_null() ? nullptr : &*at;
    }
    [[nodiscard]] Result<std::optional<int>> optionalInt(const char* name,
                                                         ErrorCode tooLarge) const;
    [[nodiscard]] Result<int> requiredInt(const char* name, ErrorCode tooLarge) const;
    [[nodiscard]] Result<std::optional<double>> optionalNumber(const char* name) const;
    [[nodiscard]] Result<bool> flag(const char* name) const;
    [[nodiscard]] Result<std::optional<std::string>> text(const char* name) const;
    [[nodiscard]] tl::unexpected<Error> wrong(const char* name, std::string_view expected) const {
        const Json* value = find(name);
        return fail(ErrorCode::Config,
                    format("{}: {}{} should be {}; found {}", kFile, path_, name, expected,
                           value != nullptr ? printable(dumpJson(*value), 60) : "nothing"));
    }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    const Json& object_;
    std::string path_;
};

Result<std::optional<int>> Fields::optionalInt(const char* name, ErrorCode tooLarge) const {
    const Json* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number_integer()) return wrong(name, "a whole number");
    // Too large for 63 bits arrives as unsigned, so the unsigned form is tested first.
    const bool large = value->is_number_unsigned()
                           ? value->get<std::uint64_t>() >
                                 static_cast<std::uint64_t>(std::numeric_limits<int>::max())
                           : value->get<std::int64_t>() < 0;
    if (large)
        return fail(tooLarge, format("{}: {}{} is {}, which is out of range", kFile, path_, name,
                                     dumpJson(*value)));
    return value->get<int>();
}

Result<int> Fields::requiredInt(const char* name, ErrorCode tooLarge) const {
    LACUNA_TRY(const auto value, optionalInt(name, tooLarge));
    if (!value)
        return fail(ErrorCode::ModelMissingKey, format("{}: {}{} is missing", kFile, path_, name));
    return *value;
}

Result<std::optional<double>> Fields::optionalNumber(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number() || !std::isfinite(value->get<double>())) return wrong(name, "a number");
    return value->get<double>();
}

Result<bool> Fields::flag(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr) return false;
    if (!value->is_boolean()) return wrong(name, "true or false");
    return value->get<bool>();
}

Result<std::optional<std::string>> Fields::text(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) return wrong(name, "a string");
    return value->get<std::string>();
}

Status refuse(std::string_view field, std::string_view found) {
    return fail(ErrorCode::Unsupported, format("{}: {} {} is not supported", kFile, field, found));
}

/// Switches whose other side would need computation that is not there.
Status refuseUnknownFeatures(const Fields& config) {
    for (const char* name : {"attention_bias", "mlp_bias", "use_sliding_window"}) {
        LACUNA_TRY(const bool on, config.flag(name));
        if (on) return refuse(name, "true");
    }
    LACUNA_TRY(const auto activation, config.text("hidden_act"));
    if (activation && *activation != "silu") return refuse("hidden_act", printable(*activation));
    if (const Json* kinds = config.find("layer_types")) {
        if (!kinds->is_array()) return config.wrong("layer_types", "a list");
        for (const Json& kind : *kinds)
            if (kind != "full_attention")
                return refuse("layer_types", printable(dumpJson(kind), 60));
    }
    if (config.find("quantization_config") != nullptr)
        return fail(ErrorCode::ModelTypeUse,
                    format("{}: quantization_config: quantised checkpoints are not read; use the "
                           "unquantised one",
                           kFile));
    return {};
}

Status readScaling(RopeSpec& rope, const Fields& fields) {
    LACUNA_TRY(auto kind, fields.text("rope_type"));
    if (!kind) {
        LACUNA_TRY(kind, fields.text("type"));  // the name before transformers 4.43
    }
    if (!kind || *kind == "default") return {};
    if (*kind != "linear" && *kind != "llama3")
        return fail(
            ErrorCode::ModelBadRope,
            format("{}: {}rope_type \"{}\" is not supported; default, linear and llama3 are", kFile,
                   fields.path(), printable(*kind)));
    LACUNA_TRY(const auto factor, fields.optionalNumber("factor"));
    if (!factor)
        return fail(ErrorCode::ModelMissingKey,
                    format("{}: {}factor is missing", kFile, fields.path()));
    rope.factor = static_cast<float>(*factor);
    rope.scaling = RopeSpec::Scaling::Linear;
    if (*kind == "linear") return {};
    rope.scaling = RopeSpec::Scaling::Llama3;
    LACUNA_TRY(const auto low, fields.optionalNumber("low_freq_factor"));
    LACUNA_TRY(const auto high, fields.optionalNumber("high_freq_factor"));
    rope.lowFrequencyFactor = static_cast<float>(low.value_or(1.0));
    rope.highFrequencyFactor = static_cast<float>(high.value_or(4.0));
    LACUNA_TRY(rope.originalContext,
               fields.requiredInt("original_max_position_embeddings", ErrorCode::ModelBadRope));
    return {};
}

Result<RopeSpec> readRope(const Fields& config, int headDim) {
    RopeSpec rope;
    rope.pairing = RopePairing::Halves;
    LACUNA_TRY(auto base, config.optionalNumber("rope_theta"));
    LACUNA_TRY(auto share, config.optionalNumber("partial_rotary_factor"));
    for (const char* name : {"rope_parameters", "rope_scaling"}) {
        const Json* object = config.find(name);
        if (object == nullptr) continue;
        if (!object->is_object()) return config.wrong(name, "an object");
        const Fields fields(*object, format("{}.", name));
        LACUNA_TRY(const auto innerBase, fields.optionalNumber("rope_theta"));
        if (innerBase) base = innerBase;
        LACUNA_TRY(const auto innerShare, fields.optionalNumber("partial_rotary_factor"));
        if (innerShare) share = innerShare;
        LACUNA_TRY_STATUS(readScaling(rope, fields));
        break;  // version 5 writes both with the same content
    }
    rope.base = static_cast<float>(base.value_or(10000.0));
    const double dim = static_cast<double>(headDim) * share.value_or(1.0);
    if (!(dim >= 0 && dim <= static_cast<double>(headDim)))
        return fail(ErrorCode::ModelBadRope,
                    format("{}: partial_rotary_factor is {}; a share from 0 to 1 expected", kFile,
                           share.value_or(1.0)));
    rope.dim = static_cast<int>(dim);
    return rope;
}

Status readHeads(ModelSpec& spec, const Fields& config) {
    LACUNA_TRY(spec.heads, config.requiredInt("num_attention_heads", ErrorCode::ModelBadHeads));
    LACUNA_TRY(const auto kvHeads,
               config.optionalInt("num_key_value_heads", ErrorCode::ModelBadHeads));
    spec.kvHeads = kvHeads.value_or(spec.heads);
    if (spec.heads < 1) return spec.check();  // refuses before the division below
    LACUNA_TRY(auto headDim, config.optionalInt("head_dim", ErrorCode::ModelBadDim));
    if (!headDim && spec.architecture == "qwen3") headDim = kQwen3DefaultHeadDim;
    if (!headDim && spec.hidden % spec.heads != 0)
        return fail(
            ErrorCode::ModelBadDim,
            format("{}: hidden_size {} is not a multiple of {} heads, and head_dim is missing",
                   kFile, spec.hidden, spec.heads));
    spec.headDim = headDim.value_or(spec.hidden / spec.heads);
    return {};
}

Result<const Architecture*> architectureOf(const Fields& config) {
    LACUNA_TRY(const auto type, config.text("model_type"));
    if (!type) return config.wrong("model_type", "the name of an architecture");
    auto found = findArchitecture(*type);
    if (!found)
        return tl::unexpected<Error>(
            withPrefix(std::move(found).error(), "config.json: model_type"));
    return found;
}

}  // namespace

Result<std::string> readConfigText(const std::filesystem::path& folder) {
    auto text = readFile(folder / kFile, kMaxConfigBytes);
    if (text) return text;
    if (text.error().code == ErrorCode::NotFound)
        return fail(ErrorCode::Config, format("{}: there is no {}, so this is no model folder",
                                              printableName(folder), kFile));
    return fail(ErrorCode::Config, text.error().what);
}

Result<ModelSpec> specFromConfig(std::string_view configText) {
    const auto parsed = parseJson(configText);
    if (!parsed)
        return fail(ErrorCode::Config,
                    format("{}: {}", kFile, printable(parsed.error().what, 300)));
    if (!parsed->is_object())
        return fail(ErrorCode::Config, format("{}: an object expected", kFile));
    const Fields config(*parsed, "");
    LACUNA_TRY(const Architecture* architecture, architectureOf(config));
    LACUNA_TRY_STATUS(refuseUnknownFeatures(config));
    ModelSpec spec;
    spec.architecture = architecture->name;
    LACUNA_TRY(spec.layers, config.requiredInt("num_hidden_layers", ErrorCode::ModelBadLayers));
    LACUNA_TRY(spec.hidden, config.requiredInt("hidden_size", ErrorCode::ModelBadDim));
    LACUNA_TRY(spec.feedForward, config.requiredInt("intermediate_size", ErrorCode::ModelBadDim));
    LACUNA_TRY(spec.vocabulary, config.requiredInt("vocab_size", ErrorCode::ModelVocab));
    LACUNA_TRY(spec.context, config.requiredInt("max_position_embeddings", ErrorCode::ModelBadCtx));
    LACUNA_TRY_STATUS(readHeads(spec, config));
    LACUNA_TRY(const auto epsilon, config.optionalNumber("rms_norm_eps"));
    spec.rmsEpsilon = static_cast<float>(epsilon.value_or(1e-6));
    LACUNA_TRY(spec.rope, readRope(config, spec.headDim));
    LACUNA_TRY(spec.tiedEmbeddings, config.flag("tie_word_embeddings"));
    if (auto sound = spec.check(); !sound)
        return tl::unexpected<Error>(withPrefix(std::move(sound).error(), kFile));
    return spec;
}

}  // namespace lacuna
