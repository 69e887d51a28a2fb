#include "engine/format/architectures.h"

#include <array>

#include "engine/base/string_format.h"
#include "engine/format/printable.h"

namespace lacuna {
namespace {

constexpr std::array<Architecture, 3> kArchitectures{{
    {"llama", "llama", "LlamaForCausalLM", RopePairing::Interleaved, Presence::Never,
     Presence::Never},
    {"qwen2", "qwen2", "Qwen2ForCausalLM", RopePairing::Halves, Presence::Always, Presence::Never},
    {"qwen3", "qwen3", "Qwen3ForCausalLM", RopePairing::Halves, Presence::Never, Presence::Always},
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
