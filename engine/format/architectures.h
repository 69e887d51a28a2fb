#pragma once
/// \file
/// The supported architectures as a table of differences: names in both containers, the parts of a
/// layer, and defaults of a configuration. Pure data. Sources: the configuration classes of Hugging
/// Face transformers 5; the GGUF files of llama.cpp's converter.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/format/tensor_role.h"

namespace lacuna {

enum class Presence {
    Never,
    Optional,  ///< decided by the configuration or the tensors of the file
    Always,
};

/// The layers with a sliding window in files that do not list them.
enum class WindowPattern {
    None,             ///< the family has no windows
    AllLayers,        ///< mistral, mixtral, phi3, qwen3moe
    FromLayer,        ///< from `max_window_layers` on: qwen2, qwen3
    EvenBelow,        ///< layers 0, 2, 4 ... below `max_window_layers`: qwen2moe
    EverySecond,      ///< layers 0, 2, 4 ...: gemma2
    AllButEveryNth,   ///< all but every n-th, from layer n - 1 on: gemma3, cohere2, exaone4, olmo3
    WithoutPosition,  ///< the layers that do not rotate: smollm3
    WithPosition,     ///< the layers that rotate: llama4
};

/// Rotation of layers that see the entire text; sliding ones always rotate.
enum class FullLayers {
    Rotate,
    Unrotated,             ///< cohere2
    UnrotatedWithWindows,  ///< not rotated in models with a window: exaone4
};

/// A tensor name that differs from the usual one of its role, without prefix as in
/// tensor_names.cpp; empty if the container uses the usual one.
struct OwnName {
    TensorRole role = TensorRole::Embedding;
    std::string_view gguf;
    std::string_view huggingFace;
};

/// The layers with a recurrent mixer.
enum class RecurrentLayers {
    Never,
    /// config.json: `layer_types`, or a period; GGUF: a list of them, or the layers without KV
    /// heads: qwen35, lfm2, granite.
    Listed,
    /// A letter for each layer, which is either a mixer or a feed-forward; GGUF: by the numbers of
    /// KV heads and the widths of the feed-forward: nemotron_h.
    Pattern,
    /// config.json: `linear_attn_config` lists them, counted from 1; GGUF: as Listed. kimi_linear.
    CountedFromOne,
    All,       ///< and no layer has a feed-forward: mamba2
    Parallel,  ///< every layer has attention as well: falcon-h1
};

/// The fields of config.json that list the expert layers.
enum class ExpertLayers {
    EveryNth,      ///< `decoder_sparse_step` and `mlp_only_layers`: qwen2moe; otherwise all layers
    AfterDense,    ///< from `first_k_dense_replace` on: glm4moe
    AfterSkipped,  ///< from `moe_layer_num_skipped` on: hunyuan
    Between,       ///< `moe_layer_start_index`, `_end_index` and `_interval`: ernie4_5
    AfterCounted,  ///< from `num_dense_layers` on: lfm2moe
    Lettered,      ///< by RecurrentLayers::Pattern: nemotron_h
    Listed,        ///< `moe_layers`, or every `interleave_moe_layer_step`-th: llama4
};

/// Layout of the stacked matrices of all experts. OutIn: [out, in], with the gate above up.
enum class ExpertStacking {
    OutIn,
    Transposed,             ///< [in, out], gate before up: llama4
    TransposedAlternating,  ///< [in, out], alternating gate and up; [out, in] in MXFP4: gpt-oss
};

/// Fields of config.json whose names differ between families.
struct ConfigKeys {
    const char* epsilon = "rms_norm_eps";
    const char* feedForward = "intermediate_size";
    const char* qkvBias = "attention_bias";
    const char* outputBias = "attention_bias";
    const char* feedForwardBias = "mlp_bias";
    const char* logitBias = "";  ///< empty: Architecture::logitBias decides
    const char* experts = "num_experts";
    const char* expertsPerToken = "num_experts_per_tok";
    /// Inner width of an expert; empty: that of `feedForward`.
    const char* expertFeedForward = "moe_intermediate_size";
    /// Width of the shared expert in multiples of that width; empty: sharedFeedForward decides.
    const char* sharedExperts = "";
    const char* sharedFeedForward = "shared_expert_intermediate_size";
    const char* window = "sliding_window";
    const char* windowKind = "sliding_attention";  ///< name in `layer_types`
    const char* rotaryWidth = "";  ///< rotated elements of a head; empty: only given as a share
    const char* qkNorm = "use_qk_norm";
    const char* context = "max_position_embeddings";
    const char* normalisesExperts = "norm_topk_prob";
    const char* expertScoring = "scoring_func";
    const char* expertGroups = "n_group";
    const char* activation = "hidden_act";
    // Sizes of recurrent layers, and their name in `layer_types`.
    const char* convolution = "";
    const char* keyHeads = "";
    const char* valueHeads = "";
    const char* keyDim = "";
    const char* valueDim = "";
    const char* recurrentKind = "";
};

/// Defaults of the configuration class for missing keys; 0 = the key is required, or, for kvHeads
/// and headDim, derived from `heads`.
struct ConfigDefaults {
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int vocabulary = 0;
    int context = 0;
    int window = 0;  ///< tokens; 0 = none
    int experts = 0;
    int expertsPerToken = 0;
    int expertFeedForward = 0;
    int sharedFeedForward = 0;
    int sharedExperts = 0;
    int globalHeadDim = 0;   ///< of full layers, if Architecture::layerSizes
    int layerEmbedding = 0;  ///< if Architecture::layerEmbedding
    double ropeBase = 10000.0;
    double epsilon = 1e-6;
    bool tiedEmbeddings = false;
    bool qkvBias = false;      ///< if the field is missing
    double rotaryShare = 1.0;  ///< share of a head that rotates
    double logitScale = 1.0;
    bool qkNorm = true;              ///< default of ConfigKeys::qkNorm
    bool normalisesExperts = false;  ///< default of `norm_topk_prob` if experts have their own
                                     ///< width
};

struct Architecture {
    std::string_view name;       ///< ModelSpec::architecture
    std::string_view ggufName;   ///< `general.architecture`
    std::string_view modelType;  ///< config.json `model_type`
    /// `model_type` of a larger model with images that contains this one as its text part; empty =
    /// none, or `name`.
    std::string_view largerType = {};
    /// Order of Q and K rows in GGUF and in safetensors. If only GGUF pairs neighbours, its
    /// converter has interleaved the rows.
    RopePairing ggufPairing = RopePairing::Halves;
    RopePairing configPairing = RopePairing::Halves;
    Presence qkvBias = Presence::Never;
    Presence outputBias = Presence::Never;
    Presence feedForwardBias = Presence::Never;
    bool logitBias = false;  ///< the output matrix has a bias
    /// Sliding layers have a head size of their own, sizes may differ by layer, and the last layers
    /// may read the cache of an earlier one: gemma4.
    bool layerSizes = false;
    /// Recurrent layers; unset: the family has none.
    std::optional<MixerKind> mixer = {};
    RecurrentLayers recurrentLayers = RecurrentLayers::Never;
    int attentionPeriod = 0;  ///< every n-th layer has attention if the file lists none; 0 = no
                              ///< rule
    OutputGate outputGate = OutputGate::SiluAfterNorm;
    ValueHeadOrder ggufValueHeads = ValueHeadOrder::Grouped;
    bool attentionGate = false;
    bool latentAttention = false;  ///< ModelSpec::latent
    bool neverRotates = false;     ///< attention without positions: nemotron_h, kimi_linear
    /// The width of the feed-forward in config.json is adjusted if the file requests it: lfm2.
    bool adjustsFeedForward = false;
    bool valueNorm = false;
    bool layerEmbedding = false;    ///< layers may have embeddings of their own
    bool layerOutputScale = false;  ///< each layer multiplies the residual by a number
    float attentionScale = 0.0F;    ///< factor on query x key; 0 = by head size or file
    Presence sinks = Presence::Never;
    QkNorm qkNorm = QkNorm::None;
    bool qkNormAfterRotary = false;
    bool qkNormSwitch = false;  ///< ConfigKeys::qkNorm decides; in GGUF the tensors do
    NormPlacement norms = NormPlacement::Before;
    NormKind normKind = NormKind::Rms;
    bool normBias = false;
    Presence parallelResidual = Presence::Never;  ///< Optional: `use_parallel_residual` decides
    Activation activation = Activation::Silu;
    bool gated = true;
    bool queryTemperature = false;  ///< ministral3, if the file gives a scale
    /// Query temperature of layers that do not rotate; they always have it: llama4.
    std::optional<QueryTemperature> unrotatedTemperature = {};
    Presence experts = Presence::Never;
    Presence sharedExpert = Presence::Never;
    /// The weights of the chosen experts are divided by their sum unless the file overrides it.
    bool normalisesExperts = true;
    ExpertScoring expertScoring = ExpertScoring::Softmax;
    Presence selectionBias = Presence::Never;  ///< Optional: `use_routing_bias`, or the tensors
    bool expertBiases = false;                 ///< the router and each expert have biases
    bool expertsWeighInput = false;
    bool expertsParallelToDense = false;  ///< in layers that also have a dense feed-forward
    /// The family uses `n_group`, `topk_group` and `routed_scaling_factor`.
    bool groupedRouting = false;
    /// Files may contain draft layers for multi-token prediction after the last layer.
    bool draftLayers = false;
    ExpertLayers expertLayers = ExpertLayers::EveryNth;
    bool sharedExpertGate = false;
    ExpertStacking expertStacking = ExpertStacking::OutIn;  ///< layout in safetensors
    /// Query, key and value share one matrix, and so do gate and up.
    bool fused = false;
    bool scalesEmbedding = false;       ///< by the root of the hidden size
    bool multipliers = false;           ///< config.json: the four of granite
    bool logitScaleMultiplies = false;  ///< GGUF `logit_scale` multiplies; otherwise it divides
    /// Layers rotate only if `position_embedding_type` is "rope"; GGUF: `rope.scaling.finetuned`.
    bool positionSwitch = false;
    /// Added to each norm gain of safetensors (gemma stores gain - 1; its GGUF files do not).
    float gainOffset = 0.0F;
    WindowPattern windows = WindowPattern::None;
    bool windowsOnRequest = false;  ///< config.json: only with `use_sliding_window`
    int windowPeriod = 0;           ///< AllButEveryNth: n
    FullLayers fullLayers = FullLayers::Rotate;
    int noRotaryEvery = 0;           ///< every n-th layer does not rotate; 0 = all do
    float localRopeBase = 0.0F;      ///< rotary base of sliding layers; 0 = the same as all others
    bool localRopeUnscaled = false;  ///< sliding layers rotate by the unscaled base: olmo3
    bool chunked = false;            ///< sliding layers use chunks instead of windows
    bool yarnTruncates = true;       ///< GGUF: the ramp of YaRN begins and ends at whole pairs
    bool rmsEpsilonKey = false;      ///< GGUF uses the RMS key for the epsilon of a layer norm
    ConfigKeys keys = {};
    std::span<const OwnName> ownNames = {};
    /// Names of metadata (after the architecture) and of fields that do not affect text.
    std::span<const std::string_view> textIgnores = {};
    ConfigDefaults defaults;
};

[[nodiscard]] std::span<const Architecture> architectures();
/// Returns "llama, mistral, mixtral, ...".
[[nodiscard]] std::string architectureList();
/// Sets the properties that all models of the family share; those that files may change are read
/// later.
void setFamilyRules(ModelSpec& spec, const Architecture& architecture);
/// True if the rows of Q and K are interleaved when converting safetensors to GGUF.
[[nodiscard]] inline bool interleavesForGguf(const Architecture& architecture) {
    return architecture.ggufPairing != architecture.configPairing;
}
/// Finds an architecture by its name (including llama.cpp's names) or its config.json model type.
/// Errors: ModelArchUnknown with the supported list; ModelKind for names of files other than
/// language models.
[[nodiscard]] Result<const Architecture*> findArchitecture(std::string_view name);

}  // namespace lacuna
