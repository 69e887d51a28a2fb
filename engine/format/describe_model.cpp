#include "engine/format/describe_model.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>

#include "engine/base/string_format.h"
#include "engine/format/load_model.h"
#include "engine/format/model_container.h"
#include "engine/format/printable.h"
#include "engine/format/tokenizer_files.h"

namespace lacuna {
namespace {

/// The result of loading with weights left in the file, so that the description agrees with
/// loadModel.
using Loaded = Result<std::shared_ptr<const LoadedModel>>;

struct TypeSum {
    std::uint64_t tensors = 0;
    std::uint64_t bytes = 0;
};

OrderedJson typesJson(const std::map<std::string, TypeSum>& sums) {
    OrderedJson list = OrderedJson::array();
    for (const auto& [name, sum] : sums)
        list.push_back(OrderedJson{{"type", name}, {"tensors", sum.tensors}, {"bytes", sum.bytes}});
    return list;
}

/// Returns the double with the fewest digits that rounds to this float: 1e-05 instead
/// of 9.999999747378752e-06.
double shortest(float value) {
    const std::string digits = format("{}", value);
    double wide = static_cast<double>(value);
    std::from_chars(digits.data(), digits.data() + digits.size(), wide);
    return wide;
}

OrderedJson reasonJson(const Error& error) {
    return OrderedJson{{"code", errorName(error.code)}, {"text", error.what}};
}

OrderedJson ropeJson(const RopeSpec& rope) {
    OrderedJson json{{"base", shortest(rope.base)},
                     {"dimensions", rope.dim},
                     {"pairs", rope.pairing == RopePairing::Halves ? "halves" : "interleaved"}};
    const auto still = std::ranges::count_if(rope.frequencyFactors,
                                             [](float factor) { return factor >= kUnrotatedPair; });
    switch (rope.scaling) {
        case RopeSpec::Scaling::None:
            json["scaling"] = rope.frequencyFactors.empty() ? "none"
                              : still > 0                   ? "proportional"
                                                            : "factors in the file";
            if (still > 0) json["pairs_that_rotate"] = rope.dim / 2 - static_cast<int>(still);
            break;
        case RopeSpec::Scaling::Linear:
            json["scaling"] = "linear";
            json["factor"] = shortest(rope.factor);
            break;
        case RopeSpec::Scaling::Llama3:
            json["scaling"] = "llama3";
            json["factor"] = shortest(rope.factor);
            json["original_context"] = rope.originalContext;
            break;
        case RopeSpec::Scaling::Yarn:
            json["scaling"] = "yarn";
            json["factor"] = shortest(rope.factor);
            json["original_context"] = rope.originalContext;
            break;
        case RopeSpec::Scaling::LongRope:
            json["scaling"] = "longrope";
            json["original_context"] = rope.originalContext;
            break;
        case RopeSpec::Scaling::Dynamic:
            json["scaling"] = "dynamic";
            json["factor"] = shortest(rope.factor);
            break;
    }
    return json;
}

const char* nameOf(QkNorm norm) {
    switch (norm) {
        case QkNorm::None:
            return "none";
        case QkNorm::PerHead:
            return "per head";
        case QkNorm::FullWidth:
            return "over all heads";
        case QkNorm::RotatedHeads:
            return "per head in layers that rotate, without gain";
        case QkNorm::HeadGains:
            return "per head, with the gains of each";
    }
    return "";
}

const char* nameOf(NormPlacement placement) {
    switch (placement) {
        case NormPlacement::Before:
            return "before attention and feed-forward";
        case NormPlacement::After:
            return "after attention and feed-forward";
        case NormPlacement::Both:
            return "before and after attention and feed-forward";
    }
    return "";
}

const char* nameOf(Activation activation) {
    switch (activation) {
        case Activation::Silu:
            return "silu";
        case Activation::GeluTanh:
            return "gelu (tanh)";
        case Activation::ReluSquared:
            return "relu squared";
        case Activation::Xielu:
            return "xielu";
        case Activation::SwigluClamped:
            return "swiglu (clamped)";
    }
    return "";
}

const char* nameOf(ExpertScoring scoring) {
    switch (scoring) {
        case ExpertScoring::Softmax:
            return "softmax";
        case ExpertScoring::Sigmoid:
            return "sigmoid";
        case ExpertScoring::SparseMixer:
            return "sparse mixer";
    }
    return "";
}

OrderedJson expertsJson(const ModelSpec& spec) {
    const ExpertSpec& experts = spec.experts;
    OrderedJson json{{"count", experts.count},
                     {"per_token", experts.perToken},
                     {"feed_forward", experts.feedForward},
                     {"shared_feed_forward", experts.sharedFeedForward},
                     {"scoring", nameOf(experts.scoring)}};
    int layers = 0;
    for (int layer = 0; layer < spec.layers; ++layer) layers += spec.layer(layer).experts ? 1 : 0;
    if (layers != spec.layers) json["layers"] = layers;
    if (experts.selectionBias) json["selection_bias"] = true;
    if (experts.groups > 1)
        json["groups"] = OrderedJson{{"count", experts.groups}, {"used", experts.groupsPerToken}};
    if (experts.weightScale != 1.0F) json["weight_scale"] = shortest(experts.weightScale);
    if (experts.weighsInput) json["weights_multiply"] = "input";
    if (experts.parallelToDense) json["beside_dense"] = true;
    return json;
}

/// Describes one layer: "4 heads of 256, 1 KV head, window 512, feed-forward 6144".
std::string layerText(const ModelSpec& spec, int index) {
    const LayerSpec layer = spec.layer(index);
    std::string text = format("{} heads of {}, {} KV {}", spec.heads, layer.headDim, layer.kvHeads,
                              layer.kvHeads == 1 ? "head" : "heads");
    if (layer.keysAsValues) text += ", keys as values";
    if (layer.sliding) text += format(", window {}", spec.window);
    text += format(", feed-forward {}", layer.feedForward);
    if (layer.readsCacheOf) text += format(", reads the cache of layer {}", *layer.readsCacheOf);
    return text;
}

/// Returns the runs of equal layers: "layers 0-3: ..."; empty if all have one size and a cache.
OrderedJson layersJson(const ModelSpec& spec) {
    OrderedJson runs = OrderedJson::array();
    bool differ = false;
    for (int first = 0, next = 0; first < spec.layers; first = next) {
        const std::string text = layerText(spec, first);
        for (next = first + 1; next < spec.layers && layerText(spec, next) == text;) ++next;
        runs.push_back(next - first == 1 ? format("layer {}: {}", first, text)
                                         : format("layers {}-{}: {}", first, next - 1, text));
        const LayerSpec layer = spec.layer(first);
        differ = differ || layer.readsCacheOf || layer.kvHeads != spec.kvHeads ||
                 layer.headDim != spec.headDim || layer.feedForward != spec.feedForward;
    }
    return differ ? runs : OrderedJson::array();
}

/// Number of layers with a property.
template <class Property>
int layersWith(const ModelSpec& spec, const Property& property) {
    int count = 0;
    for (int layer = 0; layer < spec.layers; ++layer) count += property(spec.layer(layer)) ? 1 : 0;
    return count;
}

/// Adds the properties that differ between families; members with the usual value are left out.
void addComputation(OrderedJson& json, const ModelSpec& spec) {
    json["qk_norm"] = nameOf(spec.qkNorm);
    json["norms"] = nameOf(spec.norms);
    json["activation"] = nameOf(spec.activation);
    if (!spec.gated) json["gate"] = "none";
    const bool rms = spec.normKind == NormKind::Rms;
    json[rms ? "rms_epsilon" : "layer_norm_epsilon"] = shortest(spec.rmsEpsilon);
    if (spec.qkNormAfterRotary) json["qk_norm_after_rope"] = true;
    if (spec.parallelResidual) json["parallel_residual"] = true;
    if (spec.temperature.scale != 0.0F)
        json["query_temperature"] = OrderedJson{{"scale", shortest(spec.temperature.scale)},
                                                {"length", spec.temperature.length}};
    if (spec.window > 0) {
        json[spec.chunked ? "attention_chunk" : "sliding_window"] = spec.window;
        json["sliding_layers"] = layersWith(spec, [](const LayerSpec& l) { return l.sliding; });
    }
    if (const int plain = layersWith(spec, [](const LayerSpec& l) { return !l.rotary; }); plain > 0)
        json["layers_without_rope"] = plain;
    const auto factor = [&](const char* name, float value, float usual) {
        if (value != usual) json[name] = shortest(value);
    };
    factor("attention_soft_cap", spec.attentionSoftCap, 0.0F);
    factor("logit_soft_cap", spec.logitSoftCap, 0.0F);
    factor("embedding_scale", spec.embeddingScale, 1.0F);
    factor("residual_scale", spec.residualScale, 1.0F);
    factor("logit_scale", spec.logitScale, 1.0F);
    if (spec.attentionScale) json["attention_scale"] = shortest(*spec.attentionScale);
    if (spec.sinks) json["attention_sinks"] = true;
    if (spec.latent) {
        json["latent_attention"] = OrderedJson{{"latent", spec.latent->length},
                                               {"rotated", spec.latent->rotated},
                                               {"unrotated", spec.latent->unrotated},
                                               {"value", spec.latent->value}};
        if (spec.latent->queryRank > 0)
            json["latent_attention"]["query_latent"] = spec.latent->queryRank;
    }
    if (spec.draftBlock) json["draft_block"] = "multi-token prediction";
    if (const int unused = spec.draftLayers - (spec.draftBlock ? 1 : 0); unused > 0)
        json["draft_layers_not_loaded"] = unused;
    if (spec.valueNorm) json["value_norm"] = "per head, without gain";
    if (spec.layerEmbedding > 0) json["layer_embedding"] = spec.layerEmbedding;
    if (spec.experts.count > 0) json["experts"] = expertsJson(spec);
}

void addSpec(OrderedJson& json, const ModelSpec& spec) {
    json["architecture"] = spec.architecture;
    json["name"] = spec.name;
    json["licence"] = spec.licence.empty() ? OrderedJson() : OrderedJson(spec.licence);
    json["parameters"] = spec.parameters;
    json["weight_bytes"] = spec.weightBytes;
    json["file_type"] = spec.fileType;
    json["context"] = spec.context;
    json["shape"] = OrderedJson{{"layers", spec.layers},        {"hidden", spec.hidden},
                                {"heads", spec.heads},          {"kv_heads", spec.kvHeads},
                                {"head_size", spec.headDim},    {"feed_forward", spec.feedForward},
                                {"vocabulary", spec.vocabulary}};
    if (OrderedJson layers = layersJson(spec); !layers.empty()) json["layers"] = std::move(layers);
    json["tied_embeddings"] = spec.tiedEmbeddings;
    json["qkv_bias"] = spec.qkvBias;
    addComputation(json, spec);
    json["rope"] = ropeJson(spec.rope);
    if (spec.localRope) json["local_rope"] = ropeJson(*spec.localRope);
    OrderedJson cache;
    for (const DType type : {DType::F32, DType::F16, DType::BF16})
        cache[std::string(info(type).name)] = kvBytesPerToken(spec, type);
    json["kv_bytes_per_token"] = std::move(cache);
    json["fingerprint"] = spec.fingerprint;
}

void addTokenizer(OrderedJson& json, const Result<TokenizerData>& data) {
    if (!data) {
        json["tokenizer"] = OrderedJson{{"reason", reasonJson(data.error())}};
        return;
    }
    OrderedJson tokenizer{{"kind", tokenizerKindName(data->kind)}, {"tokens", data->pieces.size()}};
    if (data->kind == TokenizerKind::ByteLevelBpe) {
        tokenizer["merges"] = data->merges.size();
        tokenizer["splitting"] =
            data->preTokenizer.empty() ? "the file's own patterns" : printable(data->preTokenizer);
    }
    const auto token = [&](const char* name, std::optional<TokenId> id) {
        if (!id || static_cast<std::size_t>(*id) >= data->pieces.size()) return;
        tokenizer[name] =
            format("{} {}", *id, printable(data->pieces[static_cast<std::size_t>(*id)]));
    };
    token("bos", data->bos);
    token("eos", data->eos);
    tokenizer["adds_bos"] = data->addBos;
    json["tokenizer"] = std::move(tokenizer);
}

void addTemplate(OrderedJson& json, const ModelContainer& model, const Loaded& loaded) {
    const auto text = templateTextOf(model);
    if (!text) {
        json["chat_template"] = OrderedJson{{"reason", reasonJson(text.error())}};
    } else if (*text) {
        json["chat_template"] = OrderedJson{{"bytes", (*text)->size()}};
        if (loaded && !(*loaded)->templateNote.empty())
            json["chat_template"]["note"] = (*loaded)->templateNote;
    } else {
        json["chat_template"] = nullptr;
    }
}

void addSupport(OrderedJson& json, const Loaded& loaded) {
    json["supported"] = loaded.has_value();
    if (!loaded) json["reason"] = reasonJson(loaded.error());
}

/// A text value of the metadata, printable; null when absent or of another type.
OrderedJson metadataText(const GgufFile& file, std::string_view key) {
    const auto text = file.getText(key);
    if (!text || !*text) return nullptr;
    return printable(**text);
}

void addUnusedNote(OrderedJson& json, const ModelSpec& spec) {
    if (std::string note = spec.unusedKeysNote(); !note.empty())
        json["notes"].push_back(std::move(note));
}

Result<OrderedJson> describeGguf(const std::filesystem::path& path, const Loaded& loaded) {
    LACUNA_TRY(const GgufFile file, GgufFile::open(path));
    OrderedJson json{{"file", printableName(path)},
                     {"container", format("GGUF version {}", file.header().version)},
                     {"bytes", file.fileBytes()}};
    addSupport(json, loaded);
    const auto opened = openModel(path);
    if (opened) {
        addSpec(json, opened->spec);
    } else {
        json["architecture"] = metadataText(file, "general.architecture");
        json["name"] = metadataText(file, "general.name");
        json["licence"] = metadataText(file, "general.license");
    }
    std::map<std::string, TypeSum> sums;
    for (const GgufTensor& tensor : file.header().tensors) {
        TypeSum& sum = sums[std::string(ggufTypeName(tensor.type))];
        ++sum.tensors;
        sum.bytes += tensor.bytes;
    }
    json["types"] = typesJson(sums);
    addTokenizer(json, tokenizerFromGguf(file));
    if (opened) addTemplate(json, *opened, loaded);
    LACUNA_TRY_STATUS(file.checkUnchanged());
    json["notes"] = file.notes();
    if (opened) addUnusedNote(json, opened->spec);
    return json;
}

Result<OrderedJson> describeFolder(const std::filesystem::path& folder, const Loaded& loaded) {
    auto opened = openModel(folder);
    if (!opened && errorClass(opened.error().code) != ErrorClass::Unsupported)
        return tl::unexpected<Error>(std::move(opened).error());
    OrderedJson json{{"file", printableName(folder)}, {"container", "safetensors"}};
    addSupport(json, loaded);
    if (!opened) return json;
    addSpec(json, opened->spec);
    std::map<std::string, TypeSum> sums;
    for (const TensorInfo& tensor : opened->source().tensors()) {
        TypeSum& sum = sums[std::string(info(tensor.type).name)];
        ++sum.tensors;
        sum.bytes += tensor.bytes;
    }
    json["types"] = typesJson(sums);
    addTokenizer(json, tokenizerFromFolder(folder));
    addTemplate(json, *opened, loaded);
    LACUNA_TRY_STATUS(opened->source().checkUnchanged());
    json["notes"] = OrderedJson::array();
    addUnusedNote(json, opened->spec);
    return json;
}

}  // namespace

std::uint64_t kvBytesPerToken(const ModelSpec& spec, DType type) {
    std::uint64_t bytes = 0;
    for (int i = 0; i < spec.layers; ++i) {
        const LayerSpec layer = spec.layer(i);
        if (layer.readsCacheOf || !spec.attends(i)) continue;
        const int elements = layer.headDim + (layer.valuesInKeys ? 0 : layer.valueDim);
        bytes += static_cast<std::uint64_t>(layer.kvHeads) *
                 rowBytes(type, static_cast<std::uint64_t>(elements));
    }
    return bytes;
}

Result<OrderedJson> describeModel(const std::filesystem::path& path) {
    const Loaded loaded = loadModel(path);
    std::error_code ignored;
    if (isModelFolder(path) && std::filesystem::exists(path, ignored))
        return describeFolder(modelFolder(path), loaded);
    return describeGguf(path, loaded);
}

}  // namespace lacuna
