#pragma once
/// \file
/// Layers of different sizes, as both containers describe them. Pure functions.

#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Lets the last `count` layers read the rows of the last layer of their kind (sliding or not)
/// before them. `field` names the count in errors: ModelBadLayers.
[[nodiscard]] Status shareCaches(std::vector<LayerSpec>& layers, int count, std::string_view field);

/// Sets the sizes of a model without attention and feed-forward: the smallest that are valid.
void setMinimalSizes(ModelSpec& spec);

/// Sets latent attention and the sizes that follow from it: one KV head.
void setLatentAttention(ModelSpec& spec, const LatentAttention& latent);
/// Returns the factor on query x key: that of a query head before its matrix is applied, times
/// `factor`.
[[nodiscard]] float latentScaleOf(const LatentAttention& latent, double factor);

/// Takes layers whose sizes are all set: those of `spec` become the largest of all, and a layer
/// keeps a size of its own only if it differs. Errors: ModelBadHeads, ModelBadDim for sizes
/// below 1.
[[nodiscard]] Status setLayerSizes(ModelSpec& spec, std::vector<LayerSpec>& layers);

}  // namespace lacuna
