#pragma once
/// \file
/// The architectures that can be computed, as a table of differences: names in both containers,
/// what a layer is made of, and what a configuration leaves unsaid. Pure data. Sources: the
/// configuration classes of Hugging Face transformers 5; the GGUF files of llama.cpp's converter.

#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"

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
    AllButEveryNth,   ///< all but layers 5, 11, 17 ...: gemma3
    WithoutPosition,  ///< the layers that do not rotate: smollm3
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
    double ropeBase = 10000.0;
    double epsilon = 1e-6;
    bool tiedEmbeddings = false;
};

struct Architecture {
    std::string_view name;       ///< ModelSpec::architecture
    std::string_view ggufName;   ///< `general.architecture`
    std::string_view modelType;  ///< config.json `model_type`
    /// Order of Q and K rows in GGUF; Hugging Face always uses Halves.
    RopePairing ggufPairing = RopePairing::Halves;
    Presence qkvBias = Presence::Never;
    Presence outputBias = Presence::Never;
    Presence feedForwardBias = Presence::Never;
    QkNorm qkNorm = QkNorm::None;
    NormPlacement norms = NormPlacement::Before;
    Activation activation = Activation::Silu;
    Presence experts = Presence::Never;
    Presence sharedExpert = Presence::Never;
    /// The chosen experts' weights are divided by their sum where the file does not say.
    bool normalisesExperts = true;
    /// Query, key and value, and gate and up, stand in one matrix each.
    bool fused = false;
    bool scalesEmbedding = false;  ///< by the root of the hidden size
    /// Added to each norm gain of safetensors (gemma stores gain - 1; its GGUF files do not).
    float gainOffset = 0.0F;
    WindowPattern windows = WindowPattern::None;
    bool windowsOnRequest = false;  ///< config.json: only with `use_sliding_window`
    int windowPeriod = 0;           ///< AllButEveryNth: n
    int noRotaryEvery = 0;          ///< every n-th layer does not rotate; 0: all do
    float localRopeBase = 0.0F;     ///< of sliding layers; 0: they rotate as all others
    ConfigDefaults defaults;
};

[[nodiscard]] std::span<const Architecture> architectures();
/// "llama, mistral, mixtral, ...".
[[nodiscard]] std::string architectureList();
/// By its name (llama.cpp's names are among them) or its config.json model type. Errors:
/// ModelArchUnknown with the supported list; ModelKind for names of things that are no language
/// model.
[[nodiscard]] Result<const Architecture*> findArchitecture(std::string_view name);

}  // namespace lacuna
