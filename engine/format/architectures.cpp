#include "engine/format/architectures.h"

#include <array>

#include "engine/base/string_format.h"
#include "engine/format/printable.h"

namespace lacuna {
namespace {

constexpr std::array<Architecture, 13> kArchitectures{{
    {.name = "llama",
     .ggufName = "llama",
     .modelType = "llama",
     .ggufPairing = RopePairing::Interleaved,
     .qkvBias = Presence::Optional,
     .outputBias = Presence::Optional,
     .feedForwardBias = Presence::Optional,
     .experts = Presence::Optional,  // GGUF has no name of its own for mixtral
     .defaults = {}},
    {.name = "mistral",
     .ggufName = "llama",
     .modelType = "mistral",
     .ggufPairing = RopePairing::Interleaved,
     .windows = WindowPattern::AllLayers,
     .defaults = {.kvHeads = 8, .window = 4096}},
    {.name = "mixtral",
     .ggufName = "llama",
     .modelType = "mixtral",
     .ggufPairing = RopePairing::Interleaved,
     .experts = Presence::Always,
     .windows = WindowPattern::AllLayers,
     .defaults =
         {.kvHeads = 8, .experts = 8, .expertsPerToken = 2, .ropeBase = 1e6, .epsilon = 1e-5}},
    {.name = "qwen2",
     .ggufName = "qwen2",
     .modelType = "qwen2",
     .qkvBias = Presence::Always,
     .windows = WindowPattern::FromLayer,
     .windowsOnRequest = true,
     .defaults = {.kvHeads = 32, .window = 4096}},
    {.name = "qwen3",
     .ggufName = "qwen3",
     .modelType = "qwen3",
     .qkvBias = Presence::Optional,
     .outputBias = Presence::Optional,
     .qkNorm = QkNorm::PerHead,
     .windows = WindowPattern::FromLayer,
     .windowsOnRequest = true,
     .defaults = {.kvHeads = 32, .headDim = 128, .window = 4096}},
    {.name = "qwen2moe",
     .ggufName = "qwen2moe",
     .modelType = "qwen2_moe",
     .qkvBias = Presence::Optional,
     .experts = Presence::Always,
     .sharedExpert = Presence::Always,
     .normalisesExperts = false,
     .windows = WindowPattern::EvenBelow,
     .windowsOnRequest = true,
     .defaults = {.kvHeads = 16,
                  .window = 4096,
                  .experts = 60,
                  .expertsPerToken = 4,
                  .expertFeedForward = 1408,
                  .sharedFeedForward = 5632}},
    {.name = "qwen3moe",
     .ggufName = "qwen3moe",
     .modelType = "qwen3_moe",
     .qkvBias = Presence::Optional,
     .outputBias = Presence::Optional,
     .qkNorm = QkNorm::PerHead,
     .experts = Presence::Always,
     .windows = WindowPattern::AllLayers,
     .windowsOnRequest = true,
     .defaults = {.kvHeads = 4,
                  .window = 4096,
                  .experts = 128,
                  .expertsPerToken = 8,
                  .expertFeedForward = 768}},
    {.name = "gemma2",
     .ggufName = "gemma2",
     .modelType = "gemma2",
     .qkvBias = Presence::Optional,
     .outputBias = Presence::Optional,
     .norms = NormPlacement::Both,
     .activation = Activation::GeluTanh,
     .scalesEmbedding = true,
     .gainOffset = 1.0F,
     .windows = WindowPattern::EverySecond,
     .defaults = {.kvHeads = 4, .headDim = 256, .window = 4096, .tiedEmbeddings = true}},
    {.name = "gemma3",
     .ggufName = "gemma3",
     .modelType = "gemma3_text",
     .qkvBias = Presence::Optional,
     .outputBias = Presence::Optional,
     .qkNorm = QkNorm::PerHead,
     .norms = NormPlacement::Both,
     .activation = Activation::GeluTanh,
     .scalesEmbedding = true,
     .gainOffset = 1.0F,
     .windows = WindowPattern::AllButEveryNth,
     .windowPeriod = 6,
     .localRopeBase = 10000.0F,
     .defaults = {.heads = 8,
                  .kvHeads = 4,
                  .headDim = 256,
                  .vocabulary = 262'208,
                  .context = 131'072,
                  .window = 4096,
                  .ropeBase = 1e6,
                  .tiedEmbeddings = true}},
    {.name = "phi3",
     .ggufName = "phi3",
     .modelType = "phi3",
     .fused = true,
     .windows = WindowPattern::AllLayers,
     .defaults = {.epsilon = 1e-5}},
    {.name = "smollm3",
     .ggufName = "smollm3",
     .modelType = "smollm3",
     .ggufPairing = RopePairing::Interleaved,
     .qkvBias = Presence::Optional,
     .outputBias = Presence::Optional,
     .feedForwardBias = Presence::Optional,
     .windows = WindowPattern::WithoutPosition,
     .windowsOnRequest = true,
     .noRotaryEvery = 4,
     .defaults = {.kvHeads = 4, .ropeBase = 2e6, .tiedEmbeddings = true}},
    {.name = "olmo2",
     .ggufName = "olmo2",
     .modelType = "olmo2",
     .qkvBias = Presence::Optional,
     .outputBias = Presence::Optional,
     .qkNorm = QkNorm::FullWidth,
     .norms = NormPlacement::After,
     .defaults = {.epsilon = 1e-5}},
    {.name = "granite",
     .ggufName = "granite",
     .modelType = "granite",
     .ggufPairing = RopePairing::Interleaved,
     .qkvBias = Presence::Optional,
     .outputBias = Presence::Optional,
     .feedForwardBias = Presence::Optional,
     .defaults = {}},
}};

/// Names that say what a file is when it is no language model.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOtherKinds{{
    {"clip", "an image encoder (mmproj), which belongs to another model"},
    {"imatrix", "an importance matrix for quantising"},
    {"controlvector", "a control vector, which belongs to another model"},
    {"whisper", "a speech recogniser"},
}};

}  // namespace

std::span<const Architecture> architectures() {
    return kArchitectures;
}

std::string architectureList() {
    std::string list;
    for (const Architecture& known : kArchitectures) {
        if (!list.empty()) list += ", ";
        list += known.name;
    }
    return list;
}

Result<const Architecture*> findArchitecture(std::string_view name) {
    for (const Architecture& known : kArchitectures)
        if (known.name == name || known.modelType == name) return &known;
    for (const auto& [kind, meaning] : kOtherKinds)
        if (kind == name) return fail(ErrorCode::ModelKind, format("this is {}", meaning));
    return fail(ErrorCode::ModelArchUnknown,
                format("the architecture \"{}\" is not supported; supported are {}",
                       printable(name), architectureList()));
}

}  // namespace lacuna
