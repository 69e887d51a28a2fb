#include "engine/format/tensor_names.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

enum class Level { Model, Layer };

struct Row {
    TensorRole role;
    Level level;
    /// Without prefix ("blk.N.", "model.layers.N."); '#' is the number of an expert or head; empty
    /// if the container has no such tensor.
    std::string_view gguf;
    std::string_view huggingFace;
    bool (*applies)(const Architecture&);
};

constexpr bool always(const Architecture&) {
    return true;
}
constexpr bool normBefore(const Architecture& a) {
    return a.norms != NormPlacement::After;
}
constexpr bool normOnlyBefore(const Architecture& a) {
    return a.norms == NormPlacement::Before && a.parallelResidual != Presence::Always;
}
constexpr bool normBoth(const Architecture& a) {
    return a.norms == NormPlacement::Both;
}
constexpr bool normAfter(const Architecture& a) {
    return a.norms != NormPlacement::Before;
}
constexpr bool fused(const Architecture& a) {
    return a.fused;
}
constexpr bool notFused(const Architecture& a) {
    return !a.fused;
}
constexpr bool qkvBias(const Architecture& a) {
    return a.qkvBias != Presence::Never;
}
constexpr bool outputBias(const Architecture& a) {
    return a.outputBias != Presence::Never;
}
constexpr bool feedForwardBias(const Architecture& a) {
    return a.feedForwardBias != Presence::Never;
}
constexpr bool qkNorm(const Architecture& a) {
    return a.qkNorm != QkNorm::None && a.qkNorm != QkNorm::RotatedHeads;
}
constexpr bool logitBias(const Architecture& a) {
    return a.logitBias;
}
constexpr bool normBias(const Architecture& a) {
    return a.normBias;
}
constexpr bool feedForwardNormBias(const Architecture& a) {
    return a.normBias && a.parallelResidual != Presence::Always;
}
constexpr bool gateAlone(const Architecture& a) {
    return a.gated && !a.fused;
}
constexpr bool gateBias(const Architecture& a) {
    return a.gated && a.feedForwardBias != Presence::Never;
}
constexpr bool xielu(const Architecture& a) {
    return a.activation == Activation::Xielu;
}
constexpr bool experts(const Architecture& a) {
    return a.experts != Presence::Never;
}
constexpr bool sharedExpert(const Architecture& a) {
    return a.sharedExpert != Presence::Never;
}
constexpr bool sharedExpertGate(const Architecture& a) {
    return a.sharedExpertGate;
}
constexpr bool sinks(const Architecture& a) {
    return a.sinks != Presence::Never;
}
constexpr bool expertBiases(const Architecture& a) {
    return a.expertBiases;
}
constexpr bool expertsParallelToDense(const Architecture& a) {
    return a.expertsParallelToDense;
}
constexpr bool layerEmbedding(const Architecture& a) {
    return a.layerEmbedding;
}
constexpr bool layerOutputScale(const Architecture& a) {
    return a.layerOutputScale;
}
constexpr bool recurrent(const Architecture& a) {
    return a.mixer.has_value();
}
constexpr bool deltaNet(const Architecture& a) {
    return a.mixer == MixerKind::DeltaNet;
}
constexpr bool mamba(const Architecture& a) {
    return a.mixer == MixerKind::Mamba2;
}
constexpr bool kimiDelta(const Architecture& a) {
    return a.mixer == MixerKind::KimiDelta;
}
constexpr bool latent(const Architecture& a) {
    return a.latentAttention;
}
constexpr bool draftLayers(const Architecture& a) {
    return a.draftLayers;
}
constexpr bool selectionBias(const Architecture& a) {
    return a.selectionBias != Presence::Never;
}

using enum TensorRole;
constexpr Level kModel = Level::Model;
constexpr Level kLayer = Level::Layer;

// If a role has several rows, the first is the usual one. Mixtral's own names for experts come
// second: its "w1" is the gate, "w3" up and "w2" down.
constexpr std::array<Row, 118> kRows{{
    {Embedding, kModel, "token_embd.weight", "embed_tokens.weight", always},
    {Output, kModel, "output.weight", "lm_head.weight", always},
    {LogitBias, kModel, "output.bias", "lm_head.bias", logitBias},
    {FinalNorm, kModel, "output_norm.weight", "norm.weight", always},
    {FinalNormBias, kModel, "output_norm.bias", "norm.bias", normBias},
    {LayerEmbedding, kModel, "per_layer_token_embd.weight", "embed_tokens_per_layer.weight",
     layerEmbedding},
    {LayerProjection, kModel, "per_layer_model_proj.weight", "per_layer_model_projection.weight",
     layerEmbedding},
    {LayerProjectionNorm, kModel, "per_layer_proj_norm.weight", "per_layer_projection_norm.weight",
     layerEmbedding},
    {RopeFactors, kModel, "rope_freqs.weight", "", always},
    {RopeLongFactors, kModel, "rope_factors_long.weight", "", always},
    {RopeShortFactors, kModel, "rope_factors_short.weight", "", always},
    {AttentionNorm, kLayer, "attn_norm.weight", "input_layernorm.weight", normBefore},
    {AttentionNormBias, kLayer, "attn_norm.bias", "input_layernorm.bias", normBias},
    {Query, kLayer, "attn_q.weight", "self_attn.q_proj.weight", always},
    {Key, kLayer, "attn_k.weight", "self_attn.k_proj.weight", always},
    {Value, kLayer, "attn_v.weight", "self_attn.v_proj.weight", always},
    {QueryKeyValue, kLayer, "attn_qkv.weight", "self_attn.qkv_proj.weight", fused},
    {AttentionOutput, kLayer, "attn_output.weight", "self_attn.o_proj.weight", always},
    {QueryBias, kLayer, "attn_q.bias", "self_attn.q_proj.bias", qkvBias},
    {KeyBias, kLayer, "attn_k.bias", "self_attn.k_proj.bias", qkvBias},
    {ValueBias, kLayer, "attn_v.bias", "self_attn.v_proj.bias", qkvBias},
    {OutputBias, kLayer, "attn_output.bias", "self_attn.o_proj.bias", outputBias},
    {QueryNorm, kLayer, "attn_q_norm.weight", "self_attn.q_norm.weight", qkNorm},
    {KeyNorm, kLayer, "attn_k_norm.weight", "self_attn.k_norm.weight", qkNorm},
    {Sinks, kLayer, "attn_sinks.weight", "self_attn.sinks", sinks},
    {PostAttentionNorm, kLayer, "post_attention_norm.weight", "post_attention_layernorm.weight",
     normAfter},
    {FeedForwardNorm, kLayer, "ffn_norm.weight", "post_attention_layernorm.weight", normOnlyBefore},
    {FeedForwardNorm, kLayer, "ffn_norm.weight", "pre_feedforward_layernorm.weight", normBoth},
    {FeedForwardNormBias, kLayer, "ffn_norm.bias", "post_attention_layernorm.bias",
     feedForwardNormBias},
    {PostFeedForwardNorm, kLayer, "post_ffw_norm.weight", "post_feedforward_layernorm.weight",
     normAfter},
    {LayerGate, kLayer, "inp_gate.weight", "per_layer_input_gate.weight", layerEmbedding},
    {LayerOutput, kLayer, "proj.weight", "per_layer_projection.weight", layerEmbedding},
    {PostLayerNorm, kLayer, "post_norm.weight", "post_per_layer_input_norm.weight", layerEmbedding},
    {LayerOutputScale, kLayer, "layer_output_scale.weight", "layer_scalar", layerOutputScale},
    {Gate, kLayer, "ffn_gate.weight", "mlp.gate_proj.weight", gateAlone},
    {Up, kLayer, "ffn_up.weight", "mlp.up_proj.weight", notFused},
    {GateUp, kLayer, "ffn_up.weight", "mlp.gate_up_proj.weight", fused},
    {Down, kLayer, "ffn_down.weight", "mlp.down_proj.weight", always},
    {GateBias, kLayer, "ffn_gate.bias", "mlp.gate_proj.bias", gateBias},
    {UpBias, kLayer, "ffn_up.bias", "mlp.up_proj.bias", feedForwardBias},
    {DownBias, kLayer, "ffn_down.bias", "mlp.down_proj.bias", feedForwardBias},
    {XieluAlphaPositive, kLayer, "", "mlp.act_fn.alpha_p", xielu},
    {XieluAlphaNegative, kLayer, "", "mlp.act_fn.alpha_n", xielu},
    {XieluBeta, kLayer, "", "mlp.act_fn.beta", xielu},
    {XieluEpsilon, kLayer, "", "mlp.act_fn.eps", xielu},
    {Router, kLayer, "ffn_gate_inp.weight", "mlp.gate.weight", experts},
    {Router, kLayer, "", "block_sparse_moe.gate.weight", experts},
    {RouterBias, kLayer, "ffn_gate_inp.bias", "mlp.gate.bias", expertBiases},
    {SelectionBias, kLayer, "exp_probs_b.bias", "mlp.gate.e_score_correction_bias", selectionBias},
    {RouterScale, kLayer, "ffn_gate_inp.scale", "router.scale", expertsParallelToDense},
    {ExpertScale, kLayer, "ffn_down_exps.scale", "router.per_expert_scale", expertsParallelToDense},
    {PostDenseNorm, kLayer, "post_ffw_norm_1.weight", "post_feedforward_layernorm_1.weight",
     expertsParallelToDense},
    {ExpertNorm, kLayer, "pre_ffw_norm_2.weight", "pre_feedforward_layernorm_2.weight",
     expertsParallelToDense},
    {PostExpertNorm, kLayer, "post_ffw_norm_2.weight", "post_feedforward_layernorm_2.weight",
     expertsParallelToDense},
    {ExpertGate, kLayer, "ffn_gate.#.weight", "mlp.experts.#.gate_proj.weight", experts},
    {ExpertGate, kLayer, "", "block_sparse_moe.experts.#.w1.weight", experts},
    {ExpertUp, kLayer, "ffn_up.#.weight", "mlp.experts.#.up_proj.weight", experts},
    {ExpertUp, kLayer, "", "block_sparse_moe.experts.#.w3.weight", experts},
    {ExpertDown, kLayer, "ffn_down.#.weight", "mlp.experts.#.down_proj.weight", experts},
    {ExpertDown, kLayer, "", "block_sparse_moe.experts.#.w2.weight", experts},
    {AllExpertGates, kLayer, "ffn_gate_exps.weight", "", experts},
    {AllExpertUps, kLayer, "ffn_up_exps.weight", "", experts},
    {AllExpertGateUps, kLayer, "ffn_gate_up_exps.weight", "mlp.experts.gate_up_proj", experts},
    {AllExpertGateUps, kLayer, "", "block_sparse_moe.experts.gate_up_proj", experts},
    {AllExpertDowns, kLayer, "ffn_down_exps.weight", "mlp.experts.down_proj", experts},
    {AllExpertDowns, kLayer, "", "block_sparse_moe.experts.down_proj", experts},
    {AllExpertGateBiases, kLayer, "ffn_gate_exps.bias", "", expertBiases},
    {AllExpertUpBiases, kLayer, "ffn_up_exps.bias", "", expertBiases},
    {AllExpertGateUpBiases, kLayer, "ffn_gate_up_exps.bias", "mlp.experts.gate_up_proj_bias",
     expertBiases},
    {AllExpertDownBiases, kLayer, "ffn_down_exps.bias", "mlp.experts.down_proj_bias", expertBiases},
    {SharedGate, kLayer, "ffn_gate_shexp.weight", "mlp.shared_expert.gate_proj.weight",
     sharedExpert},
    {SharedUp, kLayer, "ffn_up_shexp.weight", "mlp.shared_expert.up_proj.weight", sharedExpert},
    {SharedDown, kLayer, "ffn_down_shexp.weight", "mlp.shared_expert.down_proj.weight",
     sharedExpert},
    {SharedGate, kLayer, "", "mlp.shared_experts.gate_proj.weight", sharedExpert},
    {SharedUp, kLayer, "", "mlp.shared_experts.up_proj.weight", sharedExpert},
    {SharedDown, kLayer, "", "mlp.shared_experts.down_proj.weight", sharedExpert},
    {SharedExpertGate, kLayer, "ffn_gate_inp_shexp.weight", "mlp.shared_expert_gate.weight",
     sharedExpertGate},
    {SharedGateUp, kLayer, "", "shared_mlp.input_linear.weight", sharedExpert},
    {RecurrentInput, kLayer, "ssm_in.weight", "mamba.in_proj.weight", recurrent},
    {RecurrentGroupedInput, kLayer, "", "linear_attn.in_proj_qkvz.weight", deltaNet},
    {RecurrentGate, kLayer, "attn_gate.weight", "linear_attn.in_proj_z.weight", deltaNet},
    {RecurrentSteps, kLayer, "ssm_alpha.weight", "linear_attn.in_proj_a.weight", deltaNet},
    {RecurrentStrengths, kLayer, "ssm_beta.weight", "linear_attn.in_proj_b.weight", deltaNet},
    {RecurrentGroupedSteps, kLayer, "ssm_ba.weight", "linear_attn.in_proj_ba.weight", deltaNet},
    {ConvolutionKernel, kLayer, "ssm_conv1d.weight", "mamba.conv1d.weight", recurrent},
    {ConvolutionBias, kLayer, "ssm_conv1d.bias", "mamba.conv1d.bias", mamba},
    {DecayRate, kLayer, "ssm_a", "mamba.A_log", recurrent},
    {StepBias, kLayer, "ssm_dt.bias", "mamba.dt_bias", recurrent},
    {SkipGain, kLayer, "ssm_d", "mamba.D", mamba},
    {RecurrentNorm, kLayer, "ssm_norm.weight", "mamba.norm.weight", recurrent},
    {RecurrentOutput, kLayer, "ssm_out.weight", "mamba.out_proj.weight", recurrent},
    {RecurrentGateDown, kLayer, "ssm_g_a.weight", "self_attn.g_a_proj.weight", kimiDelta},
    {RecurrentGate, kLayer, "ssm_g_b.weight", "self_attn.g_b_proj.weight", kimiDelta},
    {RecurrentStepsDown, kLayer, "ssm_f_a.weight", "self_attn.f_a_proj.weight", kimiDelta},
    {RecurrentSteps, kLayer, "ssm_f_b.weight", "self_attn.f_b_proj.weight", kimiDelta},
    {RecurrentStrengths, kLayer, "ssm_beta.weight", "self_attn.b_proj.weight", kimiDelta},
    {QueryConvolution, kLayer, "ssm_conv1d_q.weight", "self_attn.q_conv1d.weight", kimiDelta},
    {KeyConvolution, kLayer, "ssm_conv1d_k.weight", "self_attn.k_conv1d.weight", kimiDelta},
    {ValueConvolution, kLayer, "ssm_conv1d_v.weight", "self_attn.v_conv1d.weight", kimiDelta},
    {QueryDown, kLayer, "attn_q_a.weight", "self_attn.q_a_proj.weight", latent},
    {QueryLatentNorm, kLayer, "attn_q_a_norm.weight", "self_attn.q_a_layernorm.weight", latent},
    {QueryUp, kLayer, "attn_q_b.weight", "self_attn.q_b_proj.weight", latent},
    {LatentKey, kLayer, "attn_kv_a_mqa.weight", "self_attn.kv_a_proj_with_mqa.weight", latent},
    {LatentNorm, kLayer, "attn_kv_a_norm.weight", "self_attn.kv_a_layernorm.weight", latent},
    {LatentKeyUp, kLayer, "attn_k_b.weight", "", latent},
    {LatentValueUp, kLayer, "attn_v_b.weight", "", latent},
    {LatentUp, kLayer, "attn_kv_b.weight", "self_attn.kv_b_proj.weight", latent},
    {DraftJoining, kLayer, "nextn.eh_proj.weight", "eh_proj.weight", draftLayers},
    {DraftEmbeddingNorm, kLayer, "nextn.enorm.weight", "enorm.weight", draftLayers},
    {DraftHiddenNorm, kLayer, "nextn.hnorm.weight", "hnorm.weight", draftLayers},
    {DraftFinalNorm, kLayer, "nextn.shared_head_norm.weight", "shared_head.norm.weight",
     draftLayers},
    {DraftEmbedding, kLayer, "nextn.embed_tokens.weight", "embed_tokens.weight", draftLayers},
    {DraftOutput, kLayer, "nextn.shared_head_head.weight", "shared_head.head.weight", draftLayers},
    // Names in a draft block that is a part of its own: "mtp.fc.weight".
    {DraftJoining, kModel, "", "fc.weight", draftLayers},
    {DraftEmbeddingNorm, kModel, "", "pre_fc_norm_embedding.weight", draftLayers},
    {DraftHiddenNorm, kModel, "", "pre_fc_norm_hidden.weight", draftLayers},
    {DraftFinalNorm, kModel, "", "norm.weight", draftLayers},
    {DraftEmbedding, kModel, "", "embed_tokens.weight", draftLayers},
}};

/// The prefix of a draft block that is a part of its own.
constexpr std::string_view kDraftPrefix = "mtp.";

/// The prefixes of the layers' part of a model and of its output matrix.
struct Prefix {
    std::string_view body;
    std::string_view head;
};
constexpr std::array<Prefix, 5> kPrefixes{{
    {"model.", ""},
    {"language_model.model.", "language_model."},  // a model with images, transformers 4
    {"model.language_model.", ""},                 // the same since 4.52
    {"backbone.", ""},                             // mamba2, nemotron_h
    {"", ""},                                      // saved without its output matrix
}};
/// Parts of a model with images that text does not need.
constexpr std::array<std::string_view, 14> kOtherParts{
    "vision_tower.",      "multi_modal_projector.", "visual.",
    "vision_model.",      "model.vision_tower.",    "model.multi_modal_projector.",
    "model.visual.",      "model.vision_model.",    "embed_vision.",
    "audio_tower.",       "embed_audio.",           "model.embed_vision.",
    "model.audio_tower.", "model.embed_audio."};

/// Returns the name of a row in this architecture and container, preferring the family's own; empty
/// if there is no such tensor.
std::string_view nameIn(Container container, const Architecture& architecture, const Row& row) {
    const bool gguf = container == Container::Gguf;
    for (const OwnName& own : architecture.ownNames) {
        const std::string_view name = gguf ? own.gguf : own.huggingFace;
        if (own.role == row.role && !name.empty()) return name;
    }
    if (!row.applies(architecture)) return {};
    return gguf ? row.gguf : row.huggingFace;
}

/// True for the output matrix and its bias, which are outside of the body of a larger model.
bool isOfHead(TensorRole role) {
    return role == Output || role == LogitBias;
}

/// Removes a number and a dot ("12.") from the front.
std::optional<int> takeNumber(std::string_view& text) {
    int number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    return number;
}

/// True if `name` matches `pattern`; `number` is then that in place of its '#'.
bool matches(std::string_view pattern, std::string_view name, std::optional<int>& number) {
    const std::size_t hole = pattern.find('#');
    if (hole == std::string_view::npos) return pattern == name;
    if (!name.starts_with(pattern.substr(0, hole))) return false;
    name.remove_prefix(hole);
    number = takeNumber(name);
    return number && name == pattern.substr(hole + 1);
}

std::string filled(std::string_view pattern, int number) {
    const std::size_t hole = pattern.find('#');
    if (hole == std::string_view::npos) return std::string(pattern);
    return format("{}{}{}", pattern.substr(0, hole), number, pattern.substr(hole + 1));
}

}  // namespace

TensorNames TensorNames::of(Container container, const Architecture& architecture,
                            const TensorSource& source) {
    TensorNames names(container, architecture);
    if (container == Container::Gguf) return names;
    for (const Prefix& prefix : kPrefixes) {
        names.prefix_ = prefix.body;
        if (source.find(names.first(TensorRole::Embedding)) == nullptr) continue;
        names.headPrefix_ = prefix.head;
        return names;
    }
    names.prefix_ = kPrefixes.front().body;
    return names;
}

std::vector<std::string> TensorNames::all(TensorRole role, int layer, int number) const {
    std::vector<std::string> found;
    for (const Row& row : kRows) {
        const std::string_view name = nameIn(container_, *architecture_, row);
        if (row.role != role || name.empty()) continue;
        const bool gguf = container_ == Container::Gguf;
        std::string whole = row.level == Level::Layer
                                ? format("{}{}.{}", gguf ? "blk." : format("{}layers.", prefix_),
                                         layer, filled(name, number))
                                : format("{}{}",
                                         gguf             ? ""
                                         : isOfHead(role) ? headPrefix_
                                                          : prefix_,
                                         name);
        // A name specific to the family replaces all rows of its role.
        if (found.empty() || found.back() != whole) found.push_back(std::move(whole));
    }
    return found;
}

std::string TensorNames::first(TensorRole role, int layer, int expert) const {
    const std::vector<std::string> names = all(role, layer, expert);
    return names.empty() ? std::string() : names.front();
}

std::optional<NamedRole> TensorNames::roleOf(std::string_view name) const {
    NamedRole found;
    const std::string layers =
        container_ == Container::Gguf ? "blk." : format("{}layers.", prefix_);
    const bool inLayer = name.starts_with(layers);
    if (inLayer) {
        name.remove_prefix(layers.size());
        found.layer = takeNumber(name);
        if (!found.layer || !name.starts_with('.')) return std::nullopt;
        name.remove_prefix(1);
    }
    for (const Row& row : kRows) {
        std::string_view rest = name;
        const bool head = isOfHead(row.role);
        if (!inLayer && container_ == Container::HuggingFace) {
            const std::string_view prefix = head ? headPrefix_ : prefix_;
            if (!rest.starts_with(prefix)) continue;
            rest.remove_prefix(prefix.size());
        }
        const std::string_view pattern = nameIn(container_, *architecture_, row);
        if ((row.level == Level::Layer) != inLayer || pattern.empty() ||
            !matches(pattern, rest, found.number))
            continue;
        found.role = row.role;
        return found;
    }
    return std::nullopt;
}

std::optional<int> TensorNames::layerOf(std::string_view name) const {
    const std::string layers =
        container_ == Container::Gguf ? "blk." : format("{}layers.", prefix_);
    if (!name.starts_with(layers)) return std::nullopt;
    name.remove_prefix(layers.size());
    const std::optional<int> layer = takeNumber(name);
    return name.starts_with('.') ? layer : std::nullopt;
}

bool TensorNames::isIgnorable(std::string_view name) const {
    if (isIgnorableTensor(name)) return true;
    if (container_ == Container::Gguf) return name.ends_with(".input_scale");
    // A draft block that is not a layer of the model's body: qwen35.
    if (architecture_->draftLayers && name.starts_with(kDraftPrefix)) return true;
    return isImageTensor(name);
}

bool TensorNames::isImageTensor(std::string_view name) const {
    if (container_ == Container::Gguf || prefix_.find("language_model") == std::string_view::npos)
        return false;
    return std::ranges::any_of(kOtherParts,
                               [&](std::string_view part) { return name.starts_with(part); });
}

std::string TensorNames::matrixOfScale(std::string_view name) const {
    constexpr std::string_view kEnd = ".scale";
    if (container_ != Container::Gguf || !name.ends_with(kEnd)) return {};
    name.remove_suffix(kEnd.size());
    return format("{}.weight", name);
}

std::optional<DraftNames> draftNamesOf(const ModelSpec& spec, const TensorNames& names,
                                       const TensorSource& source) {
    if (!names.architecture().draftLayers) return std::nullopt;
    const auto present = [&source](const DraftNames& block) {
        return std::ranges::any_of(block.names.all(DraftJoining, block.layer),
                                   [&](const std::string& name) { return source.find(name); });
    };
    if (DraftNames own{names.withPrefix(kDraftPrefix), 0};
        names.container() == Container::HuggingFace && present(own))
        return own;
    if (DraftNames next{names, spec.layers}; spec.draftLayers > 0 && present(next)) return next;
    return std::nullopt;
}

bool isDraftTensor(const ModelSpec& spec, const TensorNames& names, std::string_view name) {
    if (spec.draftLayers == 0) return false;
    const auto layer = names.layerOf(name);
    return layer && *layer >= spec.layers && *layer < spec.layers + spec.draftLayers;
}

bool isDraftBlockTensor(const ModelSpec& spec, const TensorNames& names, std::string_view name) {
    if (!spec.draftBlock) return false;
    const bool own = names.container() == Container::HuggingFace && name.starts_with(kDraftPrefix);
    return own || (isDraftTensor(spec, names, name) && names.layerOf(name) == spec.layers);
}

bool isUnusedInLayer(const ModelSpec& spec, const NamedRole& named) {
    const bool cached = named.role == Key || named.role == Value || named.role == KeyNorm;
    return cached && named.layer && *named.layer < spec.layers &&
           spec.layer(*named.layer).readsCacheOf.has_value();
}

bool isIgnorableTensor(std::string_view name) {
    return name.ends_with(".rotary_emb.inv_freq");
}

bool isNormRole(TensorRole role) {
    return role == FinalNorm || role == AttentionNorm || role == QueryNorm || role == KeyNorm ||
           role == PostAttentionNorm || role == FeedForwardNorm || role == PostFeedForwardNorm ||
           role == LayerProjectionNorm || role == PostLayerNorm || role == PostDenseNorm ||
           role == ExpertNorm || role == PostExpertNorm || role == QueryLatentNorm ||
           role == LatentNorm || role == DraftEmbeddingNorm || role == DraftHiddenNorm ||
           role == DraftFinalNorm;
}

bool isExpertRole(TensorRole role) {
    return role >= Router && role <= SharedExpertGate;
}

bool isXieluRole(TensorRole role) {
    return role >= XieluAlphaPositive && role <= XieluEpsilon;
}

bool isLayerEmbeddingRole(TensorRole role) {
    return role == LayerEmbedding || role == LayerProjection || role == LayerProjectionNorm ||
           role == LayerGate || role == LayerOutput || role == PostLayerNorm;
}

bool isDenseFeedForwardRole(TensorRole role) {
    return role >= Gate && role <= XieluEpsilon;
}

}  // namespace lacuna
