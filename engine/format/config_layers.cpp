#include "engine/format/config_layers.h"

#include <algorithm>

#include "engine/base/byte_reader.h"
#include "engine/base/string_format.h"
#include "engine/format/model_limits.h"
#include "engine/format/printable.h"

namespace lacuna {
namespace {

constexpr const char* kSliding = "sliding_attention";
constexpr const char* kFull = "full_attention";

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
    [[nodiscard]] Status readWindow();
    [[nodiscard]] Status readKinds();
    [[nodiscard]] Status applyRule();
    [[nodiscard]] Status readExpertSizes();
    [[nodiscard]] Status readExpertLayers();
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

/// Absent and null differ: mistral's default is a window of 4096, and null is none.
Status LayerReader::readWindow() {
    LACUNA_TRY(const auto use, config_.optionalFlag("use_sliding_window"));
    if (architecture_.windows == WindowPattern::None) {
        if (use.value_or(false)) return config_.refuse("use_sliding_window");
        return {};
    }
    if (!use.value_or(!architecture_.windowsOnRequest)) return {};
    LACUNA_TRY(const auto window, config_.optionalInt("sliding_window", ErrorCode::ModelBadDim));
    if (!window && config_.says("sliding_window")) return {};
    spec_.window = window.value_or(architecture_.defaults.window);
    if (window && *window == 0) return config_.wrong("sliding_window", "1 or more tokens, or null");
    return {};
}

Result<int> LayerReader::period() const {
    for (const char* name : {"sliding_window_pattern", "_sliding_window_pattern"}) {
        LACUNA_TRY(const auto given, config_.optionalInt(name, ErrorCode::ModelBadLayers));
        if (given && *given == 0) return config_.wrong(name, "1 or more layers");
        if (given) return *given;
    }
    return architecture_.windowPeriod;
}

Status LayerReader::applyRule() {
    LACUNA_TRY(const int below, config_.requiredInt("max_window_layers", ErrorCode::ModelBadLayers,
                                                    /*fallback=*/28));
    LACUNA_TRY(const int every, period());
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
        }
        if (spec_.window == 0) layer.sliding = false;
    }
    return {};
}

/// `layer_types` goes before the rule; a family whose rule leaves no choice must agree with it.
Status LayerReader::readKinds() {
    LACUNA_TRY_STATUS(applyRule());
    LACUNA_TRY(const auto kinds, config_.texts("layer_types"));
    if (!kinds) return {};
    LACUNA_TRY_STATUS(checkLength("layer_types", kinds->size()));
    const bool fixed = architecture_.windows == WindowPattern::None ||
                       architecture_.windows == WindowPattern::AllLayers;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const std::string& kind = (*kinds)[i];
        const bool sliding = kind == kSliding;
        if ((!sliding && kind != kFull) || (fixed && sliding != layers_[i].sliding))
            return fail(ErrorCode::Unsupported,
                        format("{}: layer_types \"{}\" is not supported in {} models", kConfigFile,
                               printable(kind), architecture_.name));
        if (sliding && spec_.window == 0)
            return fail(ErrorCode::ModelMissingKey,
                        format("{}: layer_types lists sliding layers, and sliding_window is "
                               "missing or not used",
                               kConfigFile));
        layers_[i].sliding = sliding;
    }
    return {};
}

Status LayerReader::readExpertSizes() {
    const ConfigDefaults& defaults = architecture_.defaults;
    ExpertSpec& experts = spec_.experts;
    LACUNA_TRY(const auto local, config_.optionalInt("num_local_experts", ErrorCode::ModelBadDim));
    LACUNA_TRY(experts.count, config_.requiredInt("num_experts", ErrorCode::ModelBadDim,
                                                  local.value_or(defaults.experts)));
    LACUNA_TRY(experts.perToken, config_.requiredInt("num_experts_per_tok", ErrorCode::ModelBadDim,
                                                     defaults.expertsPerToken));
    // Mixtral has no dense layers, and its experts take the size of the others' feed-forward.
    const int inner =
        defaults.expertFeedForward != 0 ? defaults.expertFeedForward : spec_.feedForward;
    experts.feedForward = inner;
    if (defaults.expertFeedForward != 0) {
        LACUNA_TRY(experts.feedForward,
                   config_.requiredInt("moe_intermediate_size", ErrorCode::ModelBadDim, inner));
    }
    if (architecture_.sharedExpert == Presence::Always) {
        LACUNA_TRY(experts.sharedFeedForward,
                   config_.requiredInt("shared_expert_intermediate_size", ErrorCode::ModelBadDim,
                                       defaults.sharedFeedForward));
    }
    // Mixtral always normalises; the classes of the others default to not.
    LACUNA_TRY(experts.normaliseWeights,
               config_.flag("norm_topk_prob", defaults.expertFeedForward == 0));
    if (defaults.expertFeedForward == 0) experts.normaliseWeights = true;
    return {};
}

Status LayerReader::readExpertLayers() {
    if (architecture_.experts != Presence::Always) {
        for (const char* name : {"num_local_experts", "num_experts"}) {
            LACUNA_TRY(const auto count, config_.optionalInt(name, ErrorCode::ModelBadDim));
            if (count.value_or(0) > 1) return config_.refuse(name);
        }
        return {};
    }
    LACUNA_TRY_STATUS(readExpertSizes());
    LACUNA_TRY(const int step, config_.requiredInt("decoder_sparse_step", ErrorCode::ModelBadLayers,
                                                   /*fallback=*/1));
    if (step == 0) return config_.wrong("decoder_sparse_step", "1 or more layers");
    LACUNA_TRY(const auto dense, config_.ints("mlp_only_layers"));
    for (int i = 0; i < spec_.layers; ++i)
        layers_[static_cast<std::size_t>(i)].experts =
            (i + 1) % step == 0 && !(dense && std::ranges::find(*dense, i) != dense->end());
    return {};
}

Status LayerReader::read() {
    LACUNA_TRY_STATUS(readRotary());
    LACUNA_TRY_STATUS(readWindow());
    LACUNA_TRY_STATUS(readKinds());
    LACUNA_TRY_STATUS(readExpertLayers());
    const auto slides = [](const LayerSpec& layer) { return layer.sliding; };
    if (std::ranges::none_of(layers_, slides)) spec_.window = 0;
    if (std::ranges::any_of(layers_, [](const LayerSpec& l) { return l != LayerSpec(); }))
        spec_.layerSpecs = std::move(layers_);
    return {};
}

}  // namespace

Status readConfigLayers(ModelSpec& spec, const ConfigFields& config,
                        const Architecture& architecture) {
    if (!inRange(spec.layers, 1, kMaxLayers)) return spec.check();
    return LayerReader(spec, config, architecture).read();
}

}  // namespace lacuna
