#include "engine/format/gguf_recurrent.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/format/tensor_names.h"

namespace lacuna {
namespace {

/// Returns true for each layer with a recurrent mixer and no attention.
Result<std::vector<bool>> listedLayers(const ModelSpec& spec, const GgufKeys& keys,
                                       const Architecture& architecture) {
    const auto layers = static_cast<std::size_t>(spec.layers);
    const int blocks = spec.layers + spec.draftLayers;
    std::vector<bool> recurrent(layers);
    if (architecture.mixer != MixerKind::DeltaNet) {
        LACUNA_TRY(const auto kvHeads,
                   keys.perLayer("attention.head_count_kv", blocks, ErrorCode::ModelBadHeads));
        for (std::size_t i = 0; i < layers && !kvHeads.empty(); ++i) recurrent[i] = kvHeads[i] == 0;
        return recurrent;
    }
    static_cast<void>(keys.has("full_attention_interval"));  // a list takes precedence
    constexpr std::string_view kList = "attention.recurrent_layers";
    if (keys.has(kList)) {
        LACUNA_TRY(const auto flags, needed(keys.file().getFlags(keys.key(kList)), kList));
        if (flags.size() < layers)
            return fail(ErrorCode::ModelBadLayers, format("{} lists {} layers; the model has {}",
                                                          keys.key(kList), flags.size(), layers));
        for (std::size_t i = 0; i < layers; ++i) recurrent[i] = flags[i];
        return recurrent;
    }
    LACUNA_TRY(const auto period,
               keys.optionalInt("full_attention_interval", ErrorCode::ModelBadLayers));
    const auto every =
        static_cast<std::size_t>(std::max(period.value_or(architecture.attentionPeriod), 1));
    for (std::size_t i = 0; i < layers; ++i) recurrent[i] = (i + 1) % every != 0;
    return recurrent;
}

/// A layer is attention if it has KV heads, a feed-forward if that has a width, otherwise
/// recurrent.
Status readPattern(const ModelSpec& spec, std::vector<LayerSpec>& layers, const GgufKeys& keys) {
    LACUNA_TRY(const auto kvHeads,
               keys.perLayer("attention.head_count_kv", spec.layers, ErrorCode::ModelBadHeads));
    LACUNA_TRY(const auto widths,
               keys.perLayer("feed_forward_length", spec.layers, ErrorCode::ModelBadDim));
    if (kvHeads.empty() || widths.empty())
        return fail(ErrorCode::ModelMissingKey,
                    format("the metadata key {} is missing", keys.key("attention.head_count_kv")));
    for (std::size_t i = 0; i < layers.size(); ++i) {
        LayerSpec& layer = layers[i];
        layer.mixer = kvHeads[i] > 0  ? LayerMixer::Attention
                      : widths[i] > 0 ? LayerMixer::None
                                      : LayerMixer::Recurrent;
        layer.mixerOnly = layer.mixer != LayerMixer::None;
        if (widths[i] > 0 && widths[i] != spec.feedForward) layer.feedForward = widths[i];
    }
    return {};
}

Status readLayers(const ModelSpec& spec, std::vector<LayerSpec>& layers, const GgufKeys& keys,
                  const Architecture& architecture) {
    switch (architecture.recurrentLayers) {
        case RecurrentLayers::Never:
            return {};
        case RecurrentLayers::Listed:
        case RecurrentLayers::CountedFromOne: {
            LACUNA_TRY(const auto recurrent, listedLayers(spec, keys, architecture));
            for (std::size_t i = 0; i < layers.size(); ++i)
                layers[i].mixer = recurrent[i] ? LayerMixer::Recurrent : LayerMixer::Attention;
            return {};
        }
        case RecurrentLayers::Pattern:
            return readPattern(spec, layers, keys);
        case RecurrentLayers::All:
            for (LayerSpec& layer : layers) {
                layer.mixer = LayerMixer::Recurrent;
                layer.mixerOnly = true;
            }
            return {};
        case RecurrentLayers::Parallel:
            for (LayerSpec& layer : layers) layer.mixer = LayerMixer::Both;
            return {};
    }
    return {};
}

/// There is no key for the heads of KimiDelta, so the rows of a tensor tell them.
int kimiHeads(const ModelSpec& spec, const std::vector<LayerSpec>& layers, const GgufKeys& keys,
              const Architecture& architecture) {
    const TensorNames names(Container::Gguf, architecture);
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (layers[i].mixer != LayerMixer::Recurrent) continue;
        const TensorInfo* const strengths =
            keys.file().find(names.first(TensorRole::RecurrentStrengths, static_cast<int>(i)));
        if (strengths != nullptr && strengths->shape.size() == 2 &&
            strengths->shape.front() <= std::uint64_t{kMaxHeads})
            return static_cast<int>(strengths->shape.front());
    }
    return spec.heads;
}

Status readSizes(ModelSpec& spec, const std::vector<LayerSpec>& layers, const GgufKeys& keys,
                 const Architecture& architecture) {
    MixerShape& shape = spec.recurrent.shape;
    shape.kind = *architecture.mixer;
    const auto size = [&](std::string_view name) {
        return keys.requiredInt(name, ErrorCode::ModelBadDim);
    };
    if (shape.kind == MixerKind::ShortConvolution) {
        LACUNA_TRY(shape.kernel, size("shortconv.l_cache"));
        shape.width = spec.hidden;
        return {};
    }
    LACUNA_TRY(shape.kernel, size("ssm.conv_kernel"));
    if (shape.kind == MixerKind::KimiDelta) {
        LACUNA_TRY(shape.valueDim, size("kda.head_dim"));
        shape.valueHeads = kimiHeads(spec, layers, keys, architecture);
        shape.keyHeads = shape.valueHeads;
        shape.keyDim = shape.valueDim;
        return {};
    }
    LACUNA_TRY(shape.keyHeads, size("ssm.group_count"));
    LACUNA_TRY(shape.valueHeads, size("ssm.time_step_rank"));
    LACUNA_TRY(shape.keyDim, size("ssm.state_size"));
    LACUNA_TRY(const int inner, size("ssm.inner_size"));
    if (shape.valueHeads < 1 || inner % shape.valueHeads != 0)
        return fail(ErrorCode::ModelBadDim,
                    format("{} {} is not a multiple of the {} heads", keys.key("ssm.inner_size"),
                           inner, shape.valueHeads));
    shape.valueDim = inner / shape.valueHeads;
    shape.order = architecture.ggufValueHeads;
    return {};
}

}  // namespace

Status readGgufRecurrent(ModelSpec& spec, std::vector<LayerSpec>& layers, const GgufKeys& keys,
                         const Architecture& architecture) {
    if (!architecture.mixer) return {};
    LACUNA_TRY_STATUS(readLayers(spec, layers, keys, architecture));
    const auto isRecurrent = [](const LayerSpec& layer) {
        return layer.mixer == LayerMixer::Recurrent || layer.mixer == LayerMixer::Both;
    };
    if (std::ranges::none_of(layers, isRecurrent)) return {};
    spec.recurrent.outputGate = architecture.outputGate;
    // The files of falcon-h1 have norms only where the model has.
    if (architecture.recurrentLayers == RecurrentLayers::Parallel) {
        const TensorNames names(Container::Gguf, architecture);
        if (keys.file().find(names.first(TensorRole::RecurrentNorm, 0)) == nullptr)
            spec.recurrent.outputGate = OutputGate::SiluOnly;
    }
    return readSizes(spec, layers, keys, architecture);
}

}  // namespace lacuna
