#include "engine/format/gguf_layers.h"

#include <algorithm>

#include "engine/base/byte_reader.h"
#include "engine/base/string_format.h"
#include "engine/format/model_limits.h"
#include "engine/format/tensor_names.h"

namespace lacuna {
namespace {

constexpr std::string_view kWindow = "attention.sliding_window";
constexpr std::string_view kPattern = "attention.sliding_window_pattern";
constexpr std::uint64_t kSoftmaxGating = 1;  // `expert_gating_func`; 0: not given

class LayerReader {
  public:
    LayerReader(ModelSpec& spec, const GgufKeys& keys, const Architecture& architecture)
        : spec_(spec),
          keys_(keys),
          architecture_(architecture),
          layers_(static_cast<std::size_t>(spec.layers)) {}
    [[nodiscard]] Status read();

  private:
    [[nodiscard]] Status readWindow();
    [[nodiscard]] Status applyRule();
    [[nodiscard]] Status readPattern(const GgufValue& value);
    [[nodiscard]] Status readExperts();
    [[nodiscard]] Status readExpertSizes();

    ModelSpec& spec_;
    const GgufKeys& keys_;
    const Architecture& architecture_;
    std::vector<LayerSpec> layers_;
};

Status LayerReader::applyRule() {
    const auto sliding = ggufWindowRule(architecture_, layers_);
    if (!sliding)
        return fail(ErrorCode::Unsupported,
                    format("{} is {}, and the file does not say which layers slide",
                           keys_.key(kWindow), spec_.window));
    for (std::size_t i = 0; i < layers_.size(); ++i) layers_[i].sliding = (*sliding)[i];
    return {};
}

/// A period (every n-th layer does not slide), or a list with true for each sliding layer.
Status LayerReader::readPattern(const GgufValue& value) {
    if (value.type != GgufType::Array) {
        LACUNA_TRY(const auto period, keys_.optionalInt(kPattern, ErrorCode::ModelBadLayers));
        const auto every = static_cast<std::size_t>(period.value_or(0));
        for (std::size_t i = 0; i < layers_.size(); ++i)
            layers_[i].sliding = every == 0 || (i + 1) % every != 0;
        return {};
    }
    LACUNA_TRY(const auto kinds, needed(keys_.file().getFlags(keys_.key(kPattern)), kPattern));
    if (kinds.size() != layers_.size())
        return fail(ErrorCode::ModelBadLayers,
                    format("{} lists {} layers; the model has {}", keys_.key(kPattern),
                           kinds.size(), layers_.size()));
    for (std::size_t i = 0; i < layers_.size(); ++i) layers_[i].sliding = kinds[i];
    return {};
}

Status LayerReader::readWindow() {
    LACUNA_TRY(const auto window,
               keys_.sameInAllLayers(kWindow, spec_.layers, ErrorCode::ModelBadDim));
    if (window.value_or(0) == 0) return {};
    // Arch llama is mistral's too. Files of OLMo 3 say olmo2 and mean more than a window.
    if (architecture_.windows == WindowPattern::None && architecture_.name != "llama")
        return fail(ErrorCode::Unsupported,
                    format("{} is {}: {} models have no windows", keys_.key(kWindow), *window,
                           spec_.architecture));
    spec_.window = *window;
    const GgufValue* pattern = keys_.file().findValue(keys_.key(kPattern));
    return pattern != nullptr ? readPattern(*pattern) : applyRule();
}

Status LayerReader::readExpertSizes() {
    ExpertSpec& experts = spec_.experts;
    LACUNA_TRY(experts.perToken, keys_.requiredInt("expert_used_count", ErrorCode::ModelBadDim));
    LACUNA_TRY(const auto inner,
               keys_.optionalInt("expert_feed_forward_length", ErrorCode::ModelBadDim));
    // Files older than this key: mixtral's experts have the size of a dense layer, and qwen2moe
    // counts all used experts together.
    const int share = architecture_.experts == Presence::Always ? std::max(1, experts.perToken) : 1;
    experts.feedForward = inner.value_or(spec_.feedForward / share);
    if (architecture_.sharedExpert == Presence::Always) {
        LACUNA_TRY(const auto shared,
                   keys_.optionalInt("expert_shared_feed_forward_length", ErrorCode::ModelBadDim));
        experts.sharedFeedForward = shared.value_or(spec_.feedForward);
    }
    LACUNA_TRY(const auto normalise, keys_.flag("expert_weights_norm"));
    experts.normaliseWeights = normalise.value_or(architecture_.normalisesExperts);
    LACUNA_TRY(const auto scale, keys_.number("expert_weights_scale"));
    experts.weightScale = static_cast<float>(scale.value_or(0.0) == 0.0 ? 1.0 : *scale);
    LACUNA_TRY(const auto gating, keys_.file().getUnsigned(keys_.key("expert_gating_func")));
    if (gating.value_or(0) > kSoftmaxGating)
        return fail(ErrorCode::Unsupported,
                    format("{} {} is not supported; softmax ({}) is",
                           keys_.key("expert_gating_func"), *gating, kSoftmaxGating));
    LACUNA_TRY(const auto groups, keys_.file().getUnsigned(keys_.key("expert_group_count")));
    if (groups.value_or(0) > 1)
        return fail(ErrorCode::Unsupported,
                    format("{} {} is not supported", keys_.key("expert_group_count"), *groups));
    return {};
}

Status LayerReader::readExperts() {
    LACUNA_TRY(const auto count, keys_.optionalInt("expert_count", ErrorCode::ModelBadDim));
    spec_.experts.count = count.value_or(0);
    if (spec_.experts.count == 0) {
        if (architecture_.experts != Presence::Always) return {};
        return fail(ErrorCode::ModelMissingKey,
                    format("the metadata key {} is missing", keys_.key("expert_count")));
    }
    if (architecture_.experts == Presence::Never)
        return fail(ErrorCode::Unsupported,
                    format("{} is {}: {} models have no experts", keys_.key("expert_count"),
                           spec_.experts.count, architecture_.name));
    LACUNA_TRY_STATUS(readExpertSizes());
    const TensorNames names(Container::Gguf, architecture_);
    for (int i = 0; i < spec_.layers; ++i)
        layers_[static_cast<std::size_t>(i)].experts =
            keys_.file().find(names.first(TensorRole::Router, i)) != nullptr;
    return {};
}

Status LayerReader::read() {
    if (architecture_.noRotaryEvery != 0)
        for (std::size_t i = 0; i < layers_.size(); ++i)
            layers_[i].rotary =
                (i + 1) % static_cast<std::size_t>(architecture_.noRotaryEvery) != 0;
    LACUNA_TRY_STATUS(readWindow());
    LACUNA_TRY_STATUS(readExperts());
    if (std::ranges::none_of(layers_, [](const LayerSpec& l) { return l.sliding; }))
        spec_.window = 0;
    if (std::ranges::any_of(layers_, [](const LayerSpec& l) { return l != LayerSpec(); }))
        spec_.layerSpecs = std::move(layers_);
    return {};
}

}  // namespace

std::optional<std::vector<bool>> ggufWindowRule(const Architecture& architecture,
                                                std::span<const LayerSpec> layers) {
    const auto every = static_cast<std::size_t>(std::max(1, architecture.windowPeriod));
    std::vector<bool> sliding;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        switch (architecture.windows) {
            case WindowPattern::EverySecond:
                sliding.push_back(i % 2 == 0);
                break;
            case WindowPattern::AllButEveryNth:
                sliding.push_back((i + 1) % every != 0);
                break;
            case WindowPattern::WithoutPosition:
                sliding.push_back(!layers[i].rotary);
                break;
            case WindowPattern::None:  // arch llama is mistral's and mixtral's too
            case WindowPattern::AllLayers:
                sliding.push_back(true);
                break;
            case WindowPattern::FromLayer:
            case WindowPattern::EvenBelow:
                return std::nullopt;
        }
    }
    return sliding;
}

Status readGgufLayers(ModelSpec& spec, const GgufKeys& keys, const Architecture& architecture) {
    if (!inRange(spec.layers, 1, kMaxLayers)) return spec.check();
    return LayerReader(spec, keys, architecture).read();
}

}  // namespace lacuna
