#pragma once
/// \file
/// The architectures that can be computed, as a table of differences: names in both containers,
/// what a layer is made of, and what a configuration leaves unsaid. Pure data. Sources: the
/// configuration classes of Hugging Face transformers 5; the GGUF files of llama.cpp's converter.

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
    Optional,  ///< the configuration or the tensors of the file say
    Always,
};

/// Which layers slide where the file itself does not list them.
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

/// Whether layers that see the whole text rotate; sliding ones do.
enum class FullLayers {
    Rotate,
    StandStill,             ///< cohere2
    StandStillWithWindows,  ///< they stand still in models with a window: exaone4
};

/// A name of a tensor that is not the usual one of its role, without prefix as in tensor_names.cpp;
/// empty where the container has the usual one.
struct OwnName {
    TensorRole role = TensorRole::Embedding;
    std::string_view gguf;
    std::string_view huggingFace;
};

/// Which fields of config.json say what layers are ones of experts.
enum class ExpertLayers {
    EveryNth,       ///< `decoder_sparse_step` and `mlp_only_layers`: qwen2moe; else all
    BehindDense,    ///< from `first_k_dense_replace` on: glm4moe
    BehindSkipped,  ///< from `moe_layer_num_skipped` on: hunyuan
    Between,        ///< `moe_layer_start_index`, `_end_index` and `_interval`: ernie4_5
    Listed,         ///< `moe_layers`, or every `interleave_moe_layer_step`-th: llama4
};

/// How a container stacks the matrices of all experts where it does not hold [out, in], with the
/// gate above up.
enum class ExpertStacking {
    Usual,
    Transposed,             ///< [in, out], gate before up: llama4
    TransposedAlternating,  ///< [in, out], gate and up in turn; in MXFP4 [out, in]: gpt-oss
};

/// Fields of config.json that families call by different names.
struct ConfigKeys {
    const char* epsilon = "rms_norm_eps";
    const char* feedForward = "intermediate_size";
    const char* qkvBias = "attention_bias";
    const char* outputBias = "attention_bias";
    const char* feedForwardBias = "mlp_bias";
    const char* logitBias = "";  ///< "": as Architecture::logitBias
    const char* experts = "num_experts";
    const char* expertsPerToken = "num_experts_per_tok";
    /// The inner width of an expert; "": that of `feedForward`.
    const char* expertFeedForward = "moe_intermediate_size";
    /// How many experts of that width the shared one is as wide as; "": by sharedFeedForward.
    const char* sharedExperts = "";
    const char* sharedFeedForward = "shared_expert_intermediate_size";
    const char* window = "sliding_window";
    const char* windowKind = "sliding_attention";  ///< of a layer, in `layer_types`
    const char* rotaryWidth = "";  ///< elements of a head that rotate; "": by a share only
};

/// What the configuration class assumes for a key that is missing; 0: the key must be there, or,
/// for kvHeads and headDim, follows from `heads`.
struct ConfigDefaults {
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int vocabulary = 0;
    int context = 0;
    int window = 0;  ///< tokens; 0: none
    int experts = 0;
    int expertsPerToken = 0;
    int expertFeedForward = 0;
    int sharedFeedForward = 0;
    int sharedExperts = 0;
    double ropeBase = 10000.0;
    double epsilon = 1e-6;
    bool tiedEmbeddings = false;
    bool qkvBias = false;      ///< where the field is missing
    double rotaryShare = 1.0;  ///< part of a head that rotates
    double logitScale = 1.0;
    bool qkNorm = true;              ///< where `use_qk_norm` is missing and says it
    bool normalisesExperts = false;  ///< `norm_topk_prob`, where experts have a width of their own
};

struct Architecture {
    std::string_view name;       ///< ModelSpec::architecture
    std::string_view ggufName;   ///< `general.architecture`
    std::string_view modelType;  ///< config.json `model_type`
    /// `model_type` of a larger model, with images, whose text part this is; empty: none, or
    /// `name`.
    std::string_view largerType = {};
    /// Order of Q and K rows in GGUF and in safetensors; where only GGUF pairs neighbours, its
    /// converter has interleaved the rows.
    RopePairing ggufPairing = RopePairing::Halves;
    RopePairing configPairing = RopePairing::Halves;
    Presence qkvBias = Presence::Never;
    Presence outputBias = Presence::Never;
    Presence feedForwardBias = Presence::Never;
    bool logitBias = false;  ///< of the output matrix
    Presence sinks = Presence::Never;
    QkNorm qkNorm = QkNorm::None;
    bool qkNormAfterRotary = false;
    bool qkNormSwitch = false;  ///< `use_qk_norm` says whether; GGUF: the tensors
    NormPlacement norms = NormPlacement::Before;
    NormKind normKind = NormKind::Rms;
    bool normBias = false;
    Presence parallelResidual = Presence::Never;  ///< Optional: `use_parallel_residual` says
    Activation activation = Activation::Silu;
    bool gated = true;
    bool queryTemperature = false;  ///< ministral3; where the file gives a scale
    /// Of layers that do not rotate, always: llama4.
    std::optional<QueryTemperature> unrotatedTemperature = {};
    Presence experts = Presence::Never;
    Presence sharedExpert = Presence::Never;
    /// The chosen experts' weights are divided by their sum where the file does not say.
    bool normalisesExperts = true;
    ExpertScoring expertScoring = ExpertScoring::Softmax;
    Presence selectionBias = Presence::Never;  ///< Optional: `use_routing_bias`, or the tensors
    bool expertBiases = false;                 ///< of the router and of each expert
    bool expertsWeighInput = false;
    /// `n_group`, `topk_group` and `routed_scaling_factor` count.
    bool groupedRouting = false;
    /// Files may hold layers behind the last that foretell further tokens.
    bool draftLayers = false;
    ExpertLayers expertLayers = ExpertLayers::EveryNth;
    bool sharedExpertGate = false;
    ExpertStacking expertStacking = ExpertStacking::Usual;  ///< in safetensors
    /// Query, key and value, and gate and up, stand in one matrix each.
    bool fused = false;
    bool scalesEmbedding = false;       ///< by the root of the hidden size
    bool multipliers = false;           ///< config.json: the four of granite
    bool logitScaleMultiplies = false;  ///< GGUF `logit_scale`; else it divides
    /// Nothing rotates unless `position_embedding_type` is "rope"; GGUF: `rope.scaling.finetuned`.
    bool positionSwitch = false;
    /// Added to each norm gain of safetensors (gemma stores gain - 1; its GGUF files do not).
    float gainOffset = 0.0F;
    WindowPattern windows = WindowPattern::None;
    bool windowsOnRequest = false;  ///< config.json: only with `use_sliding_window`
    int windowPeriod = 0;           ///< AllButEveryNth: n
    FullLayers fullLayers = FullLayers::Rotate;
    int noRotaryEvery = 0;           ///< every n-th layer does not rotate; 0: all do
    float localRopeBase = 0.0F;      ///< of sliding layers; 0: they rotate as all others
    bool localRopeUnscaled = false;  ///< sliding layers rotate by the base alone: olmo3
    bool chunked = false;            ///< sliding layers see chunks
    bool yarnTruncates = true;       ///< GGUF: YaRN's ramp begins and ends at whole pairs
    bool rmsEpsilonKey = false;      ///< GGUF names the epsilon of a layer norm as one of RMS
    ConfigKeys keys = {};
    std::span<const OwnName> ownNames = {};
    /// Names of metadata (behind the architecture) and of fields that no text depends on.
    std::span<const std::string_view> textIgnores = {};
    ConfigDefaults defaults;
};

[[nodiscard]] std::span<const Architecture> architectures();
/// "llama, mistral, mixtral, ...".
[[nodiscard]] std::string architectureList();
/// Writes down what every model of the family does; what its files may change is read later.
void takeRules(ModelSpec& spec, const Architecture& architecture);
/// True where the rows of Q and K are interleaved on the way from safetensors to GGUF.
[[nodiscard]] inline bool interleavesForGguf(const Architecture& architecture) {
    return architecture.ggufPairing != architecture.configPairing;
}
/// By its name (llama.cpp's names are among them) or its config.json model type. Errors:
/// ModelArchUnknown with the supported list; ModelKind for names of things that are no language
/// model.
[[nodiscard]] Result<const Architecture*> findArchitecture(std::string_view name);

}  // namespace lacuna
