#pragma once
/// \file
/// The supported architectures as a table of differences: names in both containers, the parts of a
/// layer, and defaults of a configuration. Pure data. Sources: the configuration classes of Hugging
/// Face transformers 5; the GGUF files of llama.cpp's converter.

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
};

/// Rotation of layers that see the entire text; sliding ones always rotate.
enum class FullLayers {
    Rotate,
    StandStill,             ///< cohere2
    StandStillWithWindows,  ///< not rotated in models with a window: exaone4
};

/// A tensor name that differs from the usual one of its role, without prefix as in
/// tensor_names.cpp; empty if the container uses the usual one.
struct OwnName {
    TensorRole role = TensorRole::Embedding;
    std::string_view gguf;
    std::string_view huggingFace;
};

/// Fields of config.json whose names differ between families.
struct ConfigKeys {
    const char* epsilon = "rms_norm_eps";
    const char* feedForward = "intermediate_size";
    const char* qkvBias = "attention_bias";
    const char* outputBias = "attention_bias";
    const char* feedForwardBias = "mlp_bias";
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
    double ropeBase = 10000.0;
    double epsilon = 1e-6;
    bool tiedEmbeddings = false;
    bool qkvBias = false;      ///< if the field is missing
    double rotaryShare = 1.0;  ///< share of a head that rotates
    double logitScale = 1.0;
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
    QkNorm qkNorm = QkNorm::None;
    bool qkNormAfterRotary = false;
    NormPlacement norms = NormPlacement::Before;
    NormKind normKind = NormKind::Rms;
    bool normBias = false;
    Presence parallelResidual = Presence::Never;  ///< Optional: `use_parallel_residual` decides
    Activation activation = Activation::Silu;
    bool gated = true;
    bool queryTemperature = false;  ///< ministral3, if the file gives a scale
    Presence experts = Presence::Never;
    Presence sharedExpert = Presence::Never;
    /// The weights of the chosen experts are divided by their sum unless the file overrides it.
    bool normalisesExperts = true;
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
void takeRules(ModelSpec& spec, const Architecture& architecture);
/// True if the rows of Q and K are interleaved when converting safetensors to GGUF.
[[nodiscard]] inline bool interleavesForGguf(const Architecture& architecture) {
    return architecture.ggufPairing != architecture.configPairing;
}
/// Finds an architecture by its name (including llama.cpp's names) or its config.json model type.
/// Errors: ModelArchUnknown with the supported list; ModelKind for names of files other than
/// language models.
[[nodiscard]] Result<const Architecture*> findArchitecture(std::string_view name);

}  // namespace lacuna
