#include "engine/format/config_layer_sizes.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "engine/base/string_format.h"
#include "engine/format/layer_sizes.h"

namespace lacuna {
namespace {

class SizeReader {
  public:
    SizeReader(ModelSpec& spec, std::vector<LayerSpec>& layers, const ConfigFields& config,
               const Architecture& architecture)
        : spec_(spec), layers_(layers), config_(config), architecture_(architecture) {}
    [[nodiscard]] Status read();

  private:
    [[nodiscard]] Status readFullSizes();
    [[nodiscard]] Status readOwnSizes();
    [[nodiscard]] Status readSharedCaches();

    ModelSpec& spec_;
    std::vector<LayerSpec>& layers_;
    const ConfigFields& config_;
    const Architecture& architecture_;
};

/// Reads the sizes of full layers, which published files state in fields of their own.
Status SizeReader::readFullSizes() {
    LACUNA_TRY(const auto globalDim,
               config_.optionalInt("global_head_dim", ErrorCode::ModelBadDim));
    LACUNA_TRY(const auto globalHeads,
               config_.optionalInt("num_global_key_value_heads", ErrorCode::ModelBadHeads));
    LACUNA_TRY(const bool keysAsValues, config_.flag("attention_k_eq_v"));
    // Null, and the form of transformers 5.24: the size of the other layers.
    const bool listed =
        config_.hasMember("global_head_dim") || config_.hasMember("per_layer_config");
    const int absent = listed ? spec_.headDim : architecture_.defaults.globalHeadDim;
    for (LayerSpec& layer : layers_) {
        layer.kvHeads = spec_.kvHeads;
        layer.headDim = spec_.headDim;
        layer.feedForward = spec_.feedForward;
        if (layer.sliding) continue;
        layer.headDim = globalDim.value_or(absent);
        layer.keysAsValues = keysAsValues;
        if (keysAsValues) layer.kvHeads = globalHeads.value_or(spec_.kvHeads);
    }
    return {};
}

/// `per_layer_config`, the form of transformers 5.24: sizes of single layers by their number.
Status SizeReader::readOwnSizes() {
    constexpr const char* kName = "per_layer_config";
    const Json* const own = config_.find(kName);
    if (own == nullptr) return {};
    if (!own->is_object()) return config_.wrong(kName, "an object");
    for (const auto& [number, sizes] : own->items()) {
        const bool digits = !number.empty() && number.size() <= 4 &&
                            number.find_first_not_of("0123456789") == std::string::npos;
        const std::size_t index = digits ? std::stoul(number) : layers_.size();
        if (index >= layers_.size() || !sizes.is_object())
            return config_.wrong(kName, "an object for each of some layers, by number");
        const ConfigFields fields(sizes, format("{}{}.{}.", config_.path(), kName, index));
        LACUNA_TRY(const auto headDim, fields.optionalInt("head_dim", ErrorCode::ModelBadDim));
        LACUNA_TRY(const auto kvHeads,
                   fields.optionalInt("num_key_value_heads", ErrorCode::ModelBadHeads));
        LACUNA_TRY(const auto width,
                   fields.optionalInt("intermediate_size", ErrorCode::ModelBadDim));
        for (const auto& [name, value] : sizes.items())
            if (!fields.used(name)) return fields.refuse(name.c_str());
        LayerSpec& layer = layers_[index];
        layer.headDim = headDim.value_or(layer.headDim);
        layer.kvHeads = kvHeads.value_or(layer.kvHeads);
        layer.feedForward = width.value_or(layer.feedForward);
    }
    return {};
}

/// Reads the number of layers that share a cache; their feed-forward may be twice as wide.
Status SizeReader::readSharedCaches() {
    constexpr const char* kShared = "num_kv_shared_layers";
    LACUNA_TRY(const auto shared, config_.optionalInt(kShared, ErrorCode::ModelBadLayers));
    LACUNA_TRY_STATUS(shareCaches(layers_, shared.value_or(0),
                                  format("{}: {}{}", kConfigFile, config_.path(), kShared)));
    LACUNA_TRY(const bool wide, config_.flag("use_double_wide_mlp"));
    if (!wide) return {};
    for (LayerSpec& layer : layers_)
        if (layer.readsCacheOf && layer.feedForward == spec_.feedForward)
            layer.feedForward = std::min(spec_.feedForward, kMaxFeedForward) * 2;
    return {};
}

/// The class of gemma4 lets the last layer see the entire text, whatever the list says.
Status SizeReader::read() {
    layers_.back().sliding = false;
    LACUNA_TRY_STATUS(readFullSizes());
    LACUNA_TRY_STATUS(readOwnSizes());
    LACUNA_TRY_STATUS(readSharedCaches());
    return setLayerSizes(spec_, layers_);
}

}  // namespace

Status readConfigLayerSizes(ModelSpec& spec, std::vector<LayerSpec>& layers,
                            const ConfigFields& config, const Architecture& architecture) {
    if (!architecture.layerSizes) return {};
    return SizeReader(spec, layers, config, architecture).read();
}

}  // namespace lacuna
