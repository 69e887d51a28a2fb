#pragma once
/// \file
/// What differs between the supported families (llama, qwen2, qwen3), as a record that the layer
/// reads without asking for a name. Pure data, made once per model.

#include "engine/format/load_model.h"
#include "engine/kernels/kernels.h"

namespace lacuna {

struct Architecture {
    enum class QueryKeyNorm { None, PerHead };  ///< RMS norm of each query and key head before RoPE
    enum class ProjectionBias { None, QueryKeyValue };

    QueryKeyNorm queryKeyNorm = QueryKeyNorm::None;
    ProjectionBias projectionBias = ProjectionBias::None;
    void (*rotate)(float* head, const Rotation& rotation) noexcept = nullptr;
};

[[nodiscard]] Architecture architectureOf(const ModelSpec& spec, const KernelTable& kernels);

}  // namespace lacuna
