#pragma once
/// \file
/// KV heads of a model: their number and sizes in a cache of plain numbers. Pure functions.

#include <cstdint>
#include <string>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Shape of a cache that stores every token as plain numbers.
[[nodiscard]] KvShape plainShapeOf(const ModelSpec& spec);
/// Key and value elements that a cache stores for each token.
[[nodiscard]] std::int64_t elementsPerToken(const KvShape& shape);
/// Scale of the attention scores of a layer.
[[nodiscard]] float attentionScaleOf(const ModelSpec& spec, LayerIndex layer);
/// Refuses models whose layers differ in KV heads or head size, for work that needs one size;
/// `what` names it, in the plural. Errors: Unsupported.
[[nodiscard]] Status checkUniformCache(const ModelSpec& spec, const std::string& what);

}  // namespace lacuna
