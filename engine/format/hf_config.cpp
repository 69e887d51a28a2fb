#include "engine/format/hf_config.h"

#include <cmath>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
#include "engine/format/config_fields.h"
#include "engine/format/config_layers.h"
#include "engine/format/config_rope.h"
#include "engine/format/printable.h"

namespace lacuna {
namespace {

/// Switches whose other side would need computation that is not there.
Status refuseUnknownFeatures(const ConfigFields& config, const Architecture& architecture) {
    const auto refuseWhere = [&](const char* name, bool unknown) -> Status {
        if (!unknown) return {};
        LACUNA_TRY(const bool on, config.flag(name));
        if (on) return config.refuse(name);
        return {};
    };
    LACUNA_TRY_STATUS(refuseWhere("attention_bias", architecture.qkvBias == Presence::Never ||
                                                        architecture.name == "qwen2moe"));
    LACUNA_TRY_STATUS(refuseWhere("mlp_bias", architecture.feedForwardBias == Presence::Never));
    LACUNA_TRY_STATUS(refuseWhere("use_bidirectional_attention", true));
    if (config.find("quantization_config") != nullptr)
        return fail(ErrorCode::ModelTypeUse,
                    format("{}: quantization_config: quantised checkpoints are not read; use the "
                           "unquantised one",
                           kConfigFile));
    return {};
}

/// gemma's first configurations said "gelu" and meant its approximation by tanh.
Status readActivation(ModelSpec& spec, const ConfigFields& config,
                      const Architecture& architecture) {
    const bool gemma = architecture.activation == Activation::GeluTanh;
    const char* field =
        gemma && config.find("hidden_activation") != nullptr ? "hidden_activation" : "hidden_act";
    spec.activation = architecture.activation;
    LACUNA_TRY(const auto name, config.text(field));
    if (!name) return {};
    if (*name == "silu" || *name == "swish") {
        spec.activation = Activation::Silu;
    } else if (*name == "gelu_pytorch_tanh" || *name == "gelu_new" || (gemma && *name == "gelu")) {
        spec.activation = Activation::GeluTanh;
    } else {
        return config.refuse(field);
    }
    return {};
}

Status readHeads(ModelSpec& spec, const ConfigFields& config, const ConfigDefaults& defaults) {
    LACUNA_TRY(spec.heads,
               config.requiredInt("num_attention_heads", ErrorCode::ModelBadHeads, defaults.heads));
    LACUNA_TRY(const auto kvHeads,
               config.optionalInt("num_key_value_heads", ErrorCode::ModelBadHeads));
    const bool absent = !config.says("num_key_value_heads");  // null means: as many as heads
    spec.kvHeads =
        kvHeads.value_or(absent && defaults.kvHeads != 0 ? defaults.kvHeads : spec.heads);
    if (spec.heads < 1) return spec.check();  // refuses before the division below
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
    LACUNA_TRY(const bool attention, config.flag("attention_bias"));
    LACUNA_TRY(const bool queries, config.flag("qkv_bias", /*fallback=*/true));
    LACUNA_TRY(const bool feedForward, config.flag("mlp_bias"));
    const bool always = architecture.qkvBias == Presence::Always;
    spec.qkvBias = always || (architecture.name == "qwen2moe" ? queries : attention);
    spec.outputBias = architecture.outputBias == Presence::Optional && attention;
    spec.feedForwardBias = architecture.feedForwardBias == Presence::Optional && feedForward;
    return {};
}

/// A missing cap of gemma2 takes the class's value; null is no cap.
Result<float> softCap(const ConfigFields& config, const char* name, double fallback) {
    LACUNA_TRY(const auto cap, config.optionalNumber(name));
    return static_cast<float>(cap.value_or(config.says(name) ? 0.0 : fallback));
}

Status readGemmaScales(ModelSpec& spec, const ConfigFields& config,
                       const Architecture& architecture) {
    constexpr double kAttentionCap = 50.0;
    constexpr double kLogitCap = 30.0;
    constexpr double kScalar = 256.0;
    const bool capped = architecture.name == "gemma2";
    LACUNA_TRY(const double scalar, config.number("query_pre_attn_scalar", kScalar));
    if (!(scalar > 0)) return config.wrong("query_pre_attn_scalar", "a number above 0");
    spec.attentionScale = static_cast<float>(1.0 / std::sqrt(scalar));
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
    return architecture.name == "granite" ? readGraniteScales(spec, config) : Status();
}

Status readSizes(ModelSpec& spec, const ConfigFields& config, const ConfigDefaults& defaults) {
    LACUNA_TRY(spec.layers, config.requiredInt("num_hidden_layers", ErrorCode::ModelBadLayers));
    LACUNA_TRY(spec.hidden, config.requiredInt("hidden_size", ErrorCode::ModelBadDim));
    LACUNA_TRY(spec.feedForward, config.requiredInt("intermediate_size", ErrorCode::ModelBadDim));
    LACUNA_TRY(spec.vocabulary,
               config.requiredInt("vocab_size", ErrorCode::ModelVocab, defaults.vocabulary));
    LACUNA_TRY(spec.context, config.requiredInt("max_position_embeddings", ErrorCode::ModelBadCtx,
                                                defaults.context));
    LACUNA_TRY(const double epsilon, config.number("rms_norm_eps", defaults.epsilon));
    spec.rmsEpsilon = static_cast<float>(epsilon);
    return readHeads(spec, config, defaults);
}

Result<ModelSpec> specOf(const ConfigFields& config, const Architecture& architecture) {
    LACUNA_TRY_STATUS(refuseUnknownFeatures(config, architecture));
    ModelSpec spec;
    spec.architecture = architecture.name;
    spec.qkNorm = architecture.qkNorm;
    spec.norms = architecture.norms;
    LACUNA_TRY_STATUS(readSizes(spec, config, architecture.defaults));
    LACUNA_TRY_STATUS(readActivation(spec, config, architecture));
    LACUNA_TRY_STATUS(readBiases(spec, config, architecture));
    LACUNA_TRY_STATUS(readScales(spec, config, architecture));
    LACUNA_TRY_STATUS(readConfigLayers(spec, config, architecture));
    LACUNA_TRY(ConfigRope rope, ropeFromConfig(config, architecture, spec));
    spec.rope = std::move(rope.rope);
    if (spec.window != 0) spec.localRope = std::move(rope.local);
    LACUNA_TRY(spec.tiedEmbeddings,
               config.flag("tie_word_embeddings", architecture.defaults.tiedEmbeddings));
    if (auto sound = spec.check(); !sound)
        return tl::unexpected<Error>(withPrefix(std::move(sound).error(), kConfigFile));
    return spec;
}

Result<const Architecture*> architectureOf(const ConfigFields& config) {
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
    auto text = readFile(folder / kConfigFile, kMaxConfigBytes);
    if (text) return text;
    if (text.error().code == ErrorCode::NotFound)
        return fail(ErrorCode::Config, format("{}: there is no {}, so this is no model folder",
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
    // A gemma3 with an image encoder describes its text part in an object of its own.
    const Json* inner = config.find("text_config");
    if (inner == nullptr) return specOf(config, *architecture);
    if (!inner->is_object()) return config.wrong("text_config", "an object");
    if (config.find("quantization_config") != nullptr)
        return refuseUnknownFeatures(config, *architecture).map([] { return ModelSpec(); });
    Json text = *inner;
    if (!text.contains("tie_word_embeddings") && parsed->contains("tie_word_embeddings"))
        text["tie_word_embeddings"] = (*parsed)["tie_word_embeddings"];
    return specOf(ConfigFields(text, "text_config."), *architecture);
}

}  // namespace lacuna
