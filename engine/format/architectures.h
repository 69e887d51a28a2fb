#pragma once
/// \file
/// The architectures that can be computed, as a table: names in both containers and the differences
/// that matter to loading. Pure data.

#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"

namespace lacuna {

enum class Presence { Never, Always };

struct Architecture {
    std::string_view name;       ///< GGUF `general.architecture`, and ModelSpec::architecture
    std::string_view modelType;  ///< config.json `model_type`
    std::string_view className;  ///< config.json `architectures[0]`
    RopePairing ggufPairing;     ///< order of Q and K rows in GGUF; Hugging Face always uses Halves
    Presence qkvBias;
    Presence qkNorm;
};

[[nodiscard]] std::span<const Architecture> architectures();
/// "llama, qwen2, qwen3".
[[nodiscard]] std::string architectureList();
/// By GGUF name or by config.json model type. Errors: ModelArchUnknown with the supported list;
/// ModelKind for names of things that are no language model.
[[nodiscard]] Result<const Architecture*> findArchitecture(std::string_view name);

}  // namespace lacuna
