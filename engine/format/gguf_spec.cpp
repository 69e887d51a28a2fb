#include "engine/format/gguf_spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/base/result.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
#include "engine/format/gguf.h"
#include "engine/format/gguf_keys.h"
#include "engine/format/gguf_recurrent.h"
#include "engine/format/gguf_unused_keys.h"
#include "engine/format/layer_sizes.h"
#include "engine/format/model_spec.h"
#include "engine/format/printable.h"
#include "engine/format/tensor_names.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace {

struct GgufRope {
    RopeSpec rope;
    std::optional<RopeSpec> local;  ///< RoPE of sliding layers, if the file or the family has one
};

// The Llama-3 rule has no keys: the converter writes its divisors as the tensor rope_freqs.weight.
// LongRope is rarely named either: its tensors rope_factors_long and rope_factors_short imply it.

constexpr std::string_view kFactors = "rope_freqs.weight";
constexpr std::string_view kLongFactors = "rope_factors_long.weight";
constexpr std::string_view kShortFactors = "rope_factors_short.weight";

/// Returns the factor on cosine and sine; `usual` if the file does not state it entirely.
Result<double> attentionFactor(const GgufKeys& keys, double usual) {
    LACUNA_TRY(const auto share, keys.number("rope.scaling.attn_factor"));
    LACUNA_TRY(const auto whole, keys.number("rope.scaling.yarn_attn_factor"));
    return share.value_or(1.0) * whole.value_or(usual);
}

Status readYarn(RopeSpec& rope, const GgufKeys& keys, const ModelSpec& spec, double factor) {
    rope.scaling = RopeSpec::Scaling::Yarn;
    rope.factor = static_cast<float>(factor);
    LACUNA_TRY(const auto fast, keys.number("rope.scaling.yarn_beta_fast"));
    LACUNA_TRY(const auto slow, keys.number("rope.scaling.yarn_beta_slow"));
    LACUNA_TRY(const auto extrapolation, keys.number("rope.scaling.yarn_ext_factor"));
    LACUNA_TRY(const auto logarithm, keys.number("rope.scaling.yarn_log_multiplier"));
    if (extrapolation.value_or(1.0) != 1.0)
        return fail(ErrorCode::Unsupported, format("{} other than 1 is not supported",
                                                   keys.key("rope.scaling.yarn_ext_factor")));
    rope.betaFast = static_cast<float>(fast.value_or(32.0));
    rope.betaSlow = static_cast<float>(slow.value_or(1.0));
    // Called mscale_all_dim in config.json, with an mscale of 1; a missing one counts as 0.
    // With latent attention it is a tenth of it, and mscale has the same value.
    const double scaleAll = logarithm.value_or(0.0);
    const bool equal = spec.latent && scaleAll != 0.0;
    const double usual =
        equal ? 1.0 : ggufYarnMagnitude(factor) / ggufYarnMagnitude(factor, scaleAll);
    LACUNA_TRY(const double magnitude, attentionFactor(keys, usual));
    rope.magnitude = static_cast<float>(magnitude);
    return {};
}

/// Reads a tensor of divisors [dim/2]; empty if there is none.
Result<std::vector<float>> factorsOf(const TensorSource& source, std::string_view name, int dim) {
    const TensorInfo* tensor = source.find(name);
    if (tensor == nullptr) return std::vector<float>();
    const std::vector<std::uint64_t> wanted{static_cast<std::uint64_t>(dim / 2)};
    if (tensor->shape != wanted || tensor->type != DType::F32)
        return fail(ErrorCode::ModelBadRope,
                    format("the tensor {} is {} [{}]; F32 [{}] expected", name,
                           info(tensor->type).name, fmt::join(tensor->shape, ", "), dim / 2));
    std::vector<float> factors(wanted.front());
    decodeRow(DType::F32, tensor->data, factors);
    return factors;
}

Status readLongRope(RopeSpec& rope, const GgufKeys& keys, const ModelSpec& spec) {
    rope.scaling = RopeSpec::Scaling::LongRope;
    rope.factor = static_cast<float>(spec.context) / static_cast<float>(rope.originalContext);
    LACUNA_TRY(const double magnitude, attentionFactor(keys, 1.0));
    rope.magnitude = static_cast<float>(magnitude);
    LACUNA_TRY(rope.longFactors, factorsOf(keys.file(), kLongFactors, rope.dim));
    LACUNA_TRY(rope.shortFactors, factorsOf(keys.file(), kShortFactors, rope.dim));
    return {};
}

Status readScaling(RopeSpec& rope, const GgufKeys& keys, const ModelSpec& spec) {
    LACUNA_TRY(const auto kind, keys.text("rope.scaling.type"));
    LACUNA_TRY(const auto given, keys.number("rope.scaling.factor"));
    LACUNA_TRY(const auto oldFactor, keys.number("rope.scale_linear"));
    LACUNA_TRY(const auto context,
               keys.optionalInt("rope.scaling.original_context_length", ErrorCode::ModelBadRope));
    const double factor = given.value_or(oldFactor.value_or(1.0));
    // A factor without a type is linear; 0 counts as absent.
    const bool linear = kind ? *kind == "linear" : factor != 0.0 && factor != 1.0;
    if (kind && *kind != "none" && *kind != "linear" && *kind != "yarn" && *kind != "longrope")
        return fail(ErrorCode::ModelBadRope,
                    format("{} \"{}\" is not supported; none, linear, yarn and longrope are",
                           keys.key("rope.scaling.type"), printable(*kind)));
    if (linear) {
        rope.scaling = RopeSpec::Scaling::Linear;
        rope.factor = static_cast<float>(factor);
    } else if (kind && *kind == "yarn") {
        rope.originalContext = context.value_or(spec.context);
        return readYarn(rope, keys, spec, factor);
    } else if ((kind && *kind == "longrope") || keys.file().find(kLongFactors) != nullptr) {
        rope.originalContext = context.value_or(spec.context);
        return readLongRope(rope, keys, spec);
    }
    return {};
}

/// `spec` holds the head size and the context. Errors: GgufMetaType, ModelBadRope.
Result<GgufRope> ropeFromGguf(const GgufKeys& keys, const Architecture& architecture,
                              const ModelSpec& spec) {
    GgufRope out;
    RopeSpec& rope = out.rope;
    rope.pairing = architecture.ggufPairing;
    LACUNA_TRY(const auto base, keys.number("rope.freq_base"));
    rope.base = static_cast<float>(base.value_or(10000.0));
    LACUNA_TRY(const auto dim, keys.optionalInt("rope.dimension_count", ErrorCode::ModelBadRope));
    rope.dim = dim.value_or(spec.headDimOf(/*sliding=*/false));
    if (spec.latent) rope.dim = spec.latent->rotated;
    LACUNA_TRY(const auto localBase, keys.number("rope.freq_base_swa"));
    if (localBase || architecture.localRopeBase > 0 || architecture.localRopeUnscaled) {
        out.local = rope;
        if (localBase)
            out.local->base = static_cast<float>(*localBase);
        else if (architecture.localRopeBase > 0)
            out.local->base = architecture.localRopeBase;
    }
    if (out.local && architecture.layerSizes) {
        LACUNA_TRY(const auto localDim,
                   keys.optionalInt("rope.dimension_count_swa", ErrorCode::ModelBadRope));
        out.local->dim = localDim.value_or(spec.headDimOf(/*sliding=*/true));
    }
    LACUNA_TRY_STATUS(readScaling(rope, keys, spec));
    if (rope.scaling == RopeSpec::Scaling::Yarn) rope.truncate = architecture.yarnTruncates;
    LACUNA_TRY(rope.frequencyFactors, factorsOf(keys.file(), kFactors, rope.dim));
    return out;
}

constexpr std::string_view kWindow = "attention.sliding_window";
constexpr std::string_view kPattern = "attention.sliding_window_pattern";
// Values of `expert_gating_func`; 0 = not given.
constexpr std::uint64_t kSoftmaxGating = 1;
constexpr std::uint64_t kSigmoidGating = 2;
constexpr std::uint64_t kChosenSoftmaxGating = 3;

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
    [[nodiscard]] Status readSharedExpert();
    [[nodiscard]] Status readScoring();
    [[nodiscard]] Status readGroups();
    [[nodiscard]] Status readStillLayers();
    [[nodiscard]] Status readLayerSizes();
    [[nodiscard]] Status readHeadSizes();

    ModelSpec& spec_;
    const GgufKeys& keys_;
    const Architecture& architecture_;
    std::vector<LayerSpec> layers_;
};

Status LayerReader::applyRule() {
    const auto sliding = ggufWindowRule(architecture_, layers_);
    if (!sliding)
        return fail(
            ErrorCode::Unsupported,
            format("{} is {}, but the file does not state which layers have a sliding window",
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
    LACUNA_TRY(const auto window, keys_.sameInAllLayers(kWindow, spec_.layers + spec_.draftLayers,
                                                        ErrorCode::ModelBadDim));
    if (architecture_.chunked && !window) {
        spec_.window = architecture_.defaults.window;
        return applyRule();
    }
    if (window.value_or(0) == 0) {
        // Without chunks, all layers of such files rotate.
        if (architecture_.chunked)
            for (LayerSpec& layer : layers_) layer.rotary = true;
        return {};
    }
    // Arch llama includes mistral.
    if (architecture_.windows == WindowPattern::None && architecture_.name != "llama")
        return fail(ErrorCode::Unsupported,
                    format("{} is {}: {} models have no windows", keys_.key(kWindow), *window,
                           spec_.architecture));
    spec_.window = *window;
    const GgufValue* pattern = keys_.file().findValue(keys_.key(kPattern));
    return pattern != nullptr ? readPattern(*pattern) : applyRule();
}

Status LayerReader::readSharedExpert() {
    if (architecture_.sharedExpert == Presence::Never) return {};
    ExpertSpec& experts = spec_.experts;
    LACUNA_TRY(const auto width,
               keys_.optionalInt("expert_shared_feed_forward_length", ErrorCode::ModelBadDim));
    LACUNA_TRY(const auto count, keys_.optionalInt("expert_shared_count", ErrorCode::ModelBadDim));
    const int usual = architecture_.defaults.sharedExperts;
    if (width) {
        experts.sharedFeedForward = *width;
    } else if (count || usual != 0) {
        const std::int64_t all = std::int64_t{count.value_or(usual)} * experts.feedForward;
        experts.sharedFeedForward =
            static_cast<int>(std::min(all, std::int64_t{kMaxFeedForward} + 1));
    } else if (architecture_.sharedExpert == Presence::Always) {
        experts.sharedFeedForward = spec_.feedForward;
    }
    return {};
}

/// Reads the scoring function. A softmax over the chosen experts equals a normalised softmax over
/// all experts.
Status LayerReader::readScoring() {
    ExpertSpec& experts = spec_.experts;
    LACUNA_TRY(const auto gating, keys_.file().getUnsigned(keys_.key("expert_gating_func")));
    const std::uint64_t kind = gating.value_or(0);
    const bool fixed = experts.scoring == ExpertScoring::SparseMixer || experts.weighsInput;
    if (kind > kChosenSoftmaxGating || (kind == kChosenSoftmaxGating && fixed))
        return fail(ErrorCode::Unsupported,
                    format("{} {} is not supported; softmax ({}), sigmoid ({}) and softmax of the "
                           "chosen ({}) are",
                           keys_.key("expert_gating_func"), *gating, kSoftmaxGating, kSigmoidGating,
                           kChosenSoftmaxGating));
    if (kind == 0 || fixed) return {};
    experts.scoring = kind == kSigmoidGating ? ExpertScoring::Sigmoid : ExpertScoring::Softmax;
    if (kind == kChosenSoftmaxGating) experts.normaliseWeights = true;
    return {};
}

Status LayerReader::readGroups() {
    ExpertSpec& experts = spec_.experts;
    LACUNA_TRY(const auto groups, keys_.optionalInt("expert_group_count", ErrorCode::ModelBadDim));
    LACUNA_TRY(const auto used,
               keys_.optionalInt("expert_group_used_count", ErrorCode::ModelBadDim));
    experts.groups = std::max(1, groups.value_or(1));
    experts.groupsPerToken = std::max(1, used.value_or(1));
    if (architecture_.latentAttention && experts.scoring == ExpertScoring::Softmax)
        experts.groupBest = 1;
    if (experts.groups > 1 && !architecture_.groupedRouting)
        return fail(ErrorCode::Unsupported,
                    format("{} {} is not supported", keys_.key("expert_group_count"), *groups));
    return {};
}

Status LayerReader::readExpertSizes() {
    ExpertSpec& experts = spec_.experts;
    LACUNA_TRY(experts.perToken, keys_.requiredInt("expert_used_count", ErrorCode::ModelBadDim));
    LACUNA_TRY(const auto inner,
               keys_.optionalInt("expert_feed_forward_length", ErrorCode::ModelBadDim));
    // Files older than this key lack it: then mixtral's experts have the size of a dense layer, and
    // the dense size of qwen2moe counts all used experts together.
    const bool together = architecture_.experts == Presence::Always &&
                          std::string_view(architecture_.keys.expertFeedForward) != "";
    const int share = together ? std::max(1, experts.perToken) : 1;
    experts.feedForward = inner.value_or(spec_.feedForward / share);
    LACUNA_TRY(const auto normalise, keys_.flag("expert_weights_norm"));
    experts.normaliseWeights = normalise.value_or(architecture_.normalisesExperts);
    LACUNA_TRY(const auto scale, keys_.number("expert_weights_scale"));
    experts.weightScale = static_cast<float>(scale.value_or(0.0) == 0.0 ? 1.0 : *scale);
    LACUNA_TRY_STATUS(readSharedExpert());
    LACUNA_TRY_STATUS(readScoring());
    return readGroups();
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

/// @pre the window is read
Status LayerReader::readStillLayers() {
    const FullLayers rule = architecture_.fullLayers;
    const bool windows = spec_.window != 0;
    if (rule == FullLayers::Unrotated || (rule == FullLayers::UnrotatedWithWindows && windows))
        for (LayerSpec& layer : layers_) layer.rotary = layer.sliding;
    if (architecture_.neverRotates)
        for (LayerSpec& layer : layers_) layer.rotary = false;
    if (!architecture_.positionSwitch) return {};
    LACUNA_TRY(const auto rotates, keys_.flag("rope.scaling.finetuned"));
    if (!rotates.value_or(true))
        for (LayerSpec& layer : layers_) layer.rotary = false;
    return {};
}

Status LayerReader::readHeadSizes() {
    const auto size = [&](const char* name) -> Result<std::optional<int>> {
        return keys_.optionalInt(format("attention.{}", name), ErrorCode::ModelBadDim);
    };
    LACUNA_TRY(const auto key, size("key_length_swa"));
    LACUNA_TRY(const auto value, size("value_length_swa"));
    const int local = key.value_or(spec_.headDim);
    if (value.value_or(local) != local)
        return fail(ErrorCode::ModelBadDim,
                    format("key_length_swa {} and value_length_swa {} differ, which is not "
                           "supported",
                           local, *value));
    for (LayerSpec& layer : layers_) layer.headDim = layer.sliding ? local : spec_.headDim;
    return {};
}

/// @pre the window is read
Status LayerReader::readLayerSizes() {
    if (!architecture_.layerSizes) return {};
    LACUNA_TRY_STATUS(readHeadSizes());
    LACUNA_TRY(const auto kvHeads,
               keys_.perLayer("attention.head_count_kv", spec_.layers, ErrorCode::ModelBadHeads));
    LACUNA_TRY(const auto widths,
               keys_.perLayer("feed_forward_length", spec_.layers, ErrorCode::ModelBadDim));
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        layers_[i].kvHeads = kvHeads.empty() ? spec_.heads : kvHeads[i];
        layers_[i].feedForward = widths[i];
    }
    constexpr std::string_view kShared = "attention.shared_kv_layers";
    LACUNA_TRY(const auto shared, keys_.optionalInt(kShared, ErrorCode::ModelBadLayers));
    LACUNA_TRY_STATUS(shareCaches(layers_, shared.value_or(0), keys_.key(kShared)));
    return setLayerSizes(spec_, layers_);
}

Status LayerReader::read() {
    if (architecture_.noRotaryEvery != 0)
        for (std::size_t i = 0; i < layers_.size(); ++i)
            layers_[i].rotary =
                (i + 1) % static_cast<std::size_t>(architecture_.noRotaryEvery) != 0;
    LACUNA_TRY_STATUS(readWindow());
    LACUNA_TRY_STATUS(readLayerSizes());
    LACUNA_TRY_STATUS(readGgufRecurrent(spec_, layers_, keys_, architecture_));
    LACUNA_TRY_STATUS(readExperts());
    LACUNA_TRY_STATUS(readStillLayers());
    if (std::ranges::none_of(layers_, [](const LayerSpec& l) { return l.sliding; }))
        spec_.window = 0;
    if (std::ranges::any_of(layers_, [](const LayerSpec& l) { return l != LayerSpec(); }))
        spec_.layerSpecs = std::move(layers_);
    return {};
}

/// Fills `experts`, `window` and `layerSpecs` (left empty if no layer differs); a layer uses
/// experts if it has a router. Errors: GgufMetaType, ModelMissingKey, ModelBadDim, ModelBadLayers,
/// Unsupported. @pre sizes and feed-forward of `spec` are set
Status readGgufLayers(ModelSpec& spec, const GgufKeys& keys, const Architecture& architecture) {
    if (!inRange(spec.layers, 1, kMaxLayers)) return spec.check();
    return LayerReader(spec, keys, architecture).read();
}

constexpr std::string_view kTokensKey = "tokenizer.ggml.tokens";

struct FileKind {
    std::string_view type;
    std::string_view meaning;
};
constexpr std::array<FileKind, 5> kFileKinds{{
    {"adapter", "a LoRA adapter, which belongs to another model"},
    {"mmproj", "an image encoder (mmproj), which belongs to another model"},
    {"projector", "an image encoder (mmproj), which belongs to another model"},
    {"imatrix", "an importance matrix for quantising"},
    {"vocab", "a vocabulary without weights"},
}};

Status checkKind(const GgufFile& file) {
    LACUNA_TRY(const auto type, file.getText("general.type"));
    for (const FileKind& kind : kFileKinds)
        if (type && *type == kind.type)
            return fail(ErrorCode::ModelKind, format("this is {}", kind.meaning));
    // Bytes in memory may be one of several parts; an opened file includes all of them.
    LACUNA_TRY(const auto parts, file.getUnsigned("split.count"));
    if (parts.value_or(1) == file.parts()) return {};
    return fail(ErrorCode::GgufSplit, format("this is one part of a model in {} files", *parts));
}

Result<const Architecture*> architectureOf(const GgufFile& file) {
    if (file.header().metadata.empty())
        return fail(
            ErrorCode::GgufNoArch,
            format("the file holds no metadata, so it names no architecture; supported are {}",
                   architectureList()));
    LACUNA_TRY(const auto name, file.getText("general.architecture"));
    if (!name)
        return fail(
            ErrorCode::ModelArchUnknown,
            format("general.architecture is missing; supported are {}", architectureList()));
    return findArchitecture(*name);
}

/// Reads the facts in the metadata, group by group.
class SpecReader {
  public:
    SpecReader(const GgufFile& file, std::string_view name, const Architecture& architecture)
        : file_(file), name_(name), keys_(file, name), architecture_(architecture) {}
    [[nodiscard]] Result<ModelSpec> read() const;

  private:
    [[nodiscard]] Status readNames(ModelSpec& spec) const;
    [[nodiscard]] Status readSizes(ModelSpec& spec) const;
    [[nodiscard]] Status readHeads(ModelSpec& spec) const;
    [[nodiscard]] Status readLatent(ModelSpec& spec) const;
    [[nodiscard]] Status readLatentScale(ModelSpec& spec) const;
    /// A size that may differ by layer if the family allows it: then the largest.
    [[nodiscard]] Result<std::optional<int>> largest(std::string_view suffix, int layers,
                                                     ErrorCode wrong) const;
    [[nodiscard]] Status readVocabulary(ModelSpec& spec) const;
    [[nodiscard]] Status readScales(ModelSpec& spec) const;
    [[nodiscard]] Status readTemperature(ModelSpec& spec) const;
    [[nodiscard]] Status readUnrotatedTemperature(ModelSpec& spec) const;
    [[nodiscard]] Status readXielu(ModelSpec& spec) const;
    [[nodiscard]] Result<float> scale(std::string_view suffix) const;

    const GgufFile& file_;
    const std::string_view name_;
    const GgufKeys keys_;
    const Architecture& architecture_;
};

Result<std::optional<int>> SpecReader::largest(std::string_view suffix, int layers,
                                               ErrorCode wrong) const {
    if (!architecture_.layerSizes && !architecture_.mixer)
        return keys_.sameInAllLayers(suffix, layers, wrong);
    LACUNA_TRY(const auto sizes, keys_.perLayer(suffix, layers, wrong));
    if (sizes.empty()) return std::nullopt;
    return std::ranges::max(sizes);
}

/// Files older than the keys for latent attention state the lengths of its heads as those of usual
/// heads.
Status SpecReader::readLatent(ModelSpec& spec) const {
    const auto length = [&](const char* own, const char* usual) -> Result<int> {
        LACUNA_TRY(const auto given, keys_.optionalInt(own, ErrorCode::ModelBadDim));
        if (given) return *given;
        return keys_.requiredInt(usual, ErrorCode::ModelBadDim);
    };
    LatentAttention latent;
    LACUNA_TRY(latent.length, keys_.requiredInt("attention.kv_lora_rank", ErrorCode::ModelBadDim));
    LACUNA_TRY(latent.rotated, keys_.requiredInt("rope.dimension_count", ErrorCode::ModelBadDim));
    LACUNA_TRY(const int query, length("attention.key_length_mla", "attention.key_length"));
    LACUNA_TRY(latent.value, length("attention.value_length_mla", "attention.value_length"));
    LACUNA_TRY(const auto rank, keys_.optionalInt("attention.q_lora_rank", ErrorCode::ModelBadDim));
    latent.unrotated = query - latent.rotated;
    latent.queryRank = rank.value_or(0);
    setLatentAttention(spec, latent);
    return {};
}

/// With YaRN the scores are multiplied by the square of its magnitude for all elements.
/// @pre the rotary embedding is read
Status SpecReader::readLatentScale(ModelSpec& spec) const {
    if (!spec.latent || spec.attentionScale) return {};
    double magnitude = 1.0;
    if (spec.rope.scaling == RopeSpec::Scaling::Yarn) {
        constexpr double kTenth = 10.0;  // the key holds a tenth of the factor
        LACUNA_TRY(const auto logarithm, keys_.number("rope.scaling.yarn_log_multiplier"));
        magnitude = ggufYarnMagnitude(double{spec.rope.factor}, kTenth * logarithm.value_or(0.0));
    }
    spec.attentionScale = latentScaleOf(*spec.latent, magnitude * magnitude);
    return {};
}

Status SpecReader::readHeads(ModelSpec& spec) const {
    const int layers = spec.layers + spec.draftLayers;
    if (architecture_.recurrentLayers == RecurrentLayers::All) {
        static_cast<void>(keys_.has("attention.head_count"));
        setMinimalSizes(spec);
        return {};
    }
    LACUNA_TRY(spec.heads, needed(keys_.sameInAllLayers("attention.head_count", layers,
                                                        ErrorCode::ModelBadHeads),
                                  keys_.key("attention.head_count")));
    if (architecture_.latentAttention) return readLatent(spec);
    LACUNA_TRY(const auto kvHeads,
               largest("attention.head_count_kv", layers, ErrorCode::ModelBadHeads));
    spec.kvHeads = kvHeads.value_or(spec.heads);
    if (spec.heads < 1) return spec.check();  // reports the error before the division below
    LACUNA_TRY(const auto keyLength,
               keys_.optionalInt("attention.key_length", ErrorCode::ModelBadDim));
    LACUNA_TRY(const auto valueLength,
               keys_.optionalInt("attention.value_length", ErrorCode::ModelBadDim));
    if (!keyLength && spec.hidden % spec.heads != 0)
        return fail(ErrorCode::ModelBadDim,
                    format("embedding_length {} is not a multiple of {} heads, and {} is missing",
                           spec.hidden, spec.heads, keys_.key("attention.key_length")));
    spec.headDim = keyLength.value_or(spec.hidden / spec.heads);
    if (valueLength.value_or(spec.headDim) != spec.headDim)
        return fail(ErrorCode::ModelBadDim,
                    format("key_length {} and value_length {} differ, which is not supported",
                           spec.headDim, *valueLength));
    return {};
}

/// Three figures that must agree: the key, the list of tokens and the rows of the embedding.
Status SpecReader::readVocabulary(ModelSpec& spec) const {
    LACUNA_TRY(const auto said, file_.getUnsigned(keys_.key("vocab_size")));
    std::optional<std::uint64_t> listed;
    if (const GgufValue* tokens = file_.findValue(kTokensKey))
        if (const auto* array = std::get_if<GgufArray>(&tokens->value)) listed = array->count;
    std::optional<std::uint64_t> rows;
    const std::string embedding =
        TensorNames(Container::Gguf, architecture_).first(TensorRole::Embedding);
    for (const GgufTensor& tensor : file_.header().tensors)
        if (tensor.name == embedding) rows = tensor.shape.front();
    const std::uint64_t vocabulary = rows ? *rows : listed ? *listed : said.value_or(0);
    const auto differs = [&](const std::optional<std::uint64_t>& other) {
        return other && *other != vocabulary;
    };
    const auto text = [](const std::optional<std::uint64_t>& n) {
        return n ? format("{}", *n) : std::string("not given");
    };
    if (differs(said) || differs(listed))
        return fail(ErrorCode::ModelVocab,
                    format("the vocabulary sizes differ: {} {}, {} {}, rows of {} {}",
                           keys_.key("vocab_size"), text(said), kTokensKey, text(listed), embedding,
                           text(rows)));
    if (vocabulary > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        return fail(ErrorCode::ModelVocab,
                    format("a vocabulary of {} tokens is far too large", vocabulary));
    spec.vocabulary = static_cast<int>(vocabulary);
    return {};
}

Status SpecReader::readNames(ModelSpec& spec) const {
    LACUNA_TRY(const auto name, file_.getText("general.name"));
    LACUNA_TRY(const auto licence, file_.getText("general.license"));
    constexpr std::size_t kMaxNameLength = 200;
    spec.name = name && !name->empty() ? printable(*name, kMaxNameLength)
                                       : printable(file_.path().stem().string(), kMaxNameLength);
    spec.licence = printable(licence.value_or(""), kMaxNameLength);
    return {};
}

/// Returns 1 if the key is absent or 0.
Result<float> SpecReader::scale(std::string_view suffix) const {
    LACUNA_TRY(const auto value, keys_.number(suffix));
    return static_cast<float>(value.value_or(0.0) == 0.0 ? 1.0 : *value);
}

/// The divisor of gemma's attention is not in any key: it is the root of the head size, except for
/// the largest models (46 layers of gemma2, 62 of gemma3), where it is the root of hidden size over
/// heads.
float gemmaAttentionScale(const ModelSpec& spec) {
    constexpr int kMaxLayersOfGemma2 = 46;
    constexpr int kMaxLayersOfGemma3 = 62;
    const bool largest =
        spec.layers == (spec.architecture == "gemma2" ? kMaxLayersOfGemma2 : kMaxLayersOfGemma3);
    const double width = largest ? static_cast<double>(spec.hidden) / spec.heads : spec.headDim;
    return static_cast<float>(1.0 / std::sqrt(width));
}

Status SpecReader::readScales(ModelSpec& spec) const {
    LACUNA_TRY(spec.embeddingScale, scale("embedding_scale"));
    LACUNA_TRY(spec.residualScale, scale("residual_scale"));
    LACUNA_TRY(const auto attention, keys_.number("attention.scale"));
    if (architecture_.scalesEmbedding) {
        spec.embeddingScale = std::sqrt(static_cast<float>(spec.hidden));
        spec.attentionScale = architecture_.attentionScale != 0.0F ? architecture_.attentionScale
                                                                   : gemmaAttentionScale(spec);
    }
    if (attention && *attention != 0.0) spec.attentionScale = static_cast<float>(*attention);
    LACUNA_TRY(const auto logits, keys_.number("logit_scale"));
    if (logits && *logits != 0.0)
        spec.logitScale =
            static_cast<float>(architecture_.logitScaleMultiplies ? *logits : 1.0 / *logits);
    LACUNA_TRY(const auto attentionCap, keys_.number("attn_logit_softcapping"));
    LACUNA_TRY(const auto logitCap, keys_.number("final_logit_softcapping"));
    // Files of gemma2 older than these keys use the values of the published models.
    const bool capped = architecture_.name == "gemma2";
    spec.attentionSoftCap = static_cast<float>(attentionCap.value_or(capped ? 50.0 : 0.0));
    spec.logitSoftCap = static_cast<float>(logitCap.value_or(capped ? 30.0 : 0.0));
    return {};
}

Status SpecReader::readTemperature(ModelSpec& spec) const {
    if (!architecture_.queryTemperature) return readUnrotatedTemperature(spec);
    LACUNA_TRY(const auto scale, keys_.number("attention.temperature_scale"));
    if (scale.value_or(0.0) == 0.0) return {};
    LACUNA_TRY(const auto own,
               keys_.optionalInt("attention.temperature_length", ErrorCode::ModelBadRope));
    LACUNA_TRY(const auto original,
               keys_.optionalInt("rope.scaling.original_context_length", ErrorCode::ModelBadRope));
    spec.temperature = {static_cast<float>(*scale), own.value_or(original.value_or(spec.context))};
    return {};
}

/// Files may omit the values of the published models.
Status SpecReader::readUnrotatedTemperature(ModelSpec& spec) const {
    if (!architecture_.unrotatedTemperature) return {};
    LACUNA_TRY(const auto scale, keys_.number("attention.temperature_scale"));
    LACUNA_TRY(const auto length,
               keys_.optionalInt("attention.temperature_length", ErrorCode::ModelBadRope));
    if (scale) spec.temperature.scale = static_cast<float>(*scale);
    if (length) spec.temperature.length = *length;
    return {};
}

/// Lists with one number for each layer, without the name of an architecture.
Status SpecReader::readXielu(ModelSpec& spec) const {
    if (spec.activation != Activation::Xielu) return {};
    const auto layers = static_cast<std::size_t>(std::max(spec.layers, 0));
    const auto numbers = [&](const char* key) -> Result<std::vector<float>> {
        LACUNA_TRY(auto list, needed(file_.getFloats(key), key));
        if (list.size() != layers)
            return fail(ErrorCode::ModelBadLayers,
                        format("{} lists {} layers; the model has {}", key, list.size(), layers));
        return list;
    };
    LACUNA_TRY(const auto positive, numbers("xielu.alpha_p"));
    LACUNA_TRY(const auto negative, numbers("xielu.alpha_n"));
    LACUNA_TRY(const auto beta, numbers("xielu.beta"));
    LACUNA_TRY(const auto epsilon, numbers("xielu.eps"));
    for (std::size_t i = 0; i < layers; ++i)
        spec.xielu.push_back({positive[i], negative[i], beta[i], epsilon[i]});
    return {};
}

Status SpecReader::readSizes(ModelSpec& spec) const {
    LACUNA_TRY(const int blocks, keys_.requiredInt("block_count", ErrorCode::ModelBadLayers));
    if (architecture_.draftLayers) {
        LACUNA_TRY(const auto drafts,
                   keys_.optionalInt("nextn_predict_layers", ErrorCode::ModelBadLayers));
        spec.draftLayers = std::min(drafts.value_or(0), blocks);
    }
    spec.layers = blocks - spec.draftLayers;
    LACUNA_TRY(spec.context, keys_.requiredInt("context_length", ErrorCode::ModelBadCtx));
    LACUNA_TRY(spec.hidden, keys_.requiredInt("embedding_length", ErrorCode::ModelBadDim));
    LACUNA_TRY(auto feedForward, largest("feed_forward_length", blocks, ErrorCode::ModelBadDim));
    // Files without a dense layer may only state the width of an expert: qwen35moe.
    if (!feedForward && architecture_.experts == Presence::Always) {
        LACUNA_TRY(feedForward,
                   keys_.optionalInt("expert_feed_forward_length", ErrorCode::ModelBadDim));
    }
    LACUNA_TRY(spec.feedForward,
               needed(Result<std::optional<int>>(feedForward), keys_.key("feed_forward_length")));
    const std::string_view key = ggufEpsilonKey(architecture_);
    LACUNA_TRY(const double epsilon, needed(keys_.number(key), keys_.key(key)));
    spec.rmsEpsilon = static_cast<float>(epsilon);
    if (architecture_.layerEmbedding) {
        LACUNA_TRY(const auto own,
                   keys_.optionalInt("embedding_length_per_layer_input", ErrorCode::ModelBadDim));
        spec.layerEmbedding = own.value_or(0);
    }
    return readHeads(spec);
}

Result<ModelSpec> SpecReader::read() const {
    ModelSpec spec;
    setFamilyRules(spec, architecture_);
    if (architecture_.parallelResidual == Presence::Optional) {
        LACUNA_TRY(const auto parallel, keys_.flag("use_parallel_residual"));
        spec.parallelResidual = parallel.value_or(true);
    }
    for (const std::string_view name : architecture_.textIgnores)
        static_cast<void>(keys_.has(name));
    LACUNA_TRY_STATUS(readNames(spec));
    LACUNA_TRY_STATUS(readSizes(spec));
    LACUNA_TRY_STATUS(readVocabulary(spec));
    LACUNA_TRY_STATUS(readScales(spec));
    LACUNA_TRY_STATUS(readTemperature(spec));
    LACUNA_TRY_STATUS(readXielu(spec));
    LACUNA_TRY_STATUS(readGgufLayers(spec, keys_, architecture_));
    LACUNA_TRY(GgufRope rope, ropeFromGguf(keys_, architecture_, spec));
    spec.rope = std::move(rope.rope);
    LACUNA_TRY_STATUS(readLatentScale(spec));
    if (spec.window != 0) spec.localRope = std::move(rope.local);
    LACUNA_TRY_STATUS(spec.check());
    LACUNA_TRY(spec.unusedKeys, unusedKeys(file_, name_, keys_.used(), spec));
    return spec;
}

}  // namespace

double ggufYarnMagnitude(double factor, double scale) {
    return factor <= 1.0 ? 1.0 : 1.0 + 0.1 * scale * std::log(factor);
}

std::string_view ggufEpsilonKey(const Architecture& architecture) {
    const bool rms = architecture.normKind == NormKind::Rms || architecture.rmsEpsilonKey;
    return rms ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon";
}

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
            case WindowPattern::WithPosition:
                sliding.push_back(layers[i].rotary);
                break;
            case WindowPattern::None:  // arch llama includes mistral and mixtral
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

Result<ModelSpec> specFromGguf(const GgufFile& file) {
    LACUNA_TRY_STATUS(checkKind(file));
    LACUNA_TRY(const Architecture* architecture, architectureOf(file));
    if (file.header().tensors.empty())
        return fail(ErrorCode::ModelKind,
                    "this is a vocabulary without weights; it can only be used as a tokenizer");
    LACUNA_TRY(const auto name, file.getText("general.architecture"));
    return SpecReader(file, *name, *architecture).read();
}

}  // namespace lacuna
