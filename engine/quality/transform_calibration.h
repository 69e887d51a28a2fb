#pragma once
/// \file
/// Calibrates the transform for stored caches on a model
/// (engine/compress/transform/transform_bundle.h). Reads a text window by window for the means and
/// covariances of values and of keys before rotation. Adds noise to each head's keys and values
/// once, to weight their errors by the effect on the model. Then determines principal components,
/// bit plans and steps for each group of layers. docs/stored-caches.md, "Calibration".

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/transform/transform_bundle.h"
#include "engine/model/transformer.h"

namespace lacuna {

struct TransformCalibration {
    /// Tokens read as one text, at most the model's context.
    int window = 2048;
    int chunk = 256;       ///< tokens per forward pass, at most the model's limit
    int layerGroup = 8;    ///< layers that share a transform; 0 for all
    int maxRank = 4096;    ///< maximum number of components of a group's keys or values
    double heldOut = 0.1;  ///< share of the windows used to measure errors
    /// Number of tokens read, and of those that follow, while noise is added to a head. A round
    /// covers keys and values of each head for each window of the text.
    int noiseContext = 768;
    int noiseAfter = 128;
    int noiseRounds = 1;
    std::uint64_t seed = 0;   ///< seed of the noise
    DType type = DType::F16;  ///< number type of the caches
    std::function<bool()> cancelled = {};
    /// `stage` names the current stage; `done` of `total` counts its progress.
    std::function<void(std::string_view stage, std::int64_t done, std::int64_t total)> progress =
        {};
};

/// Default number of calibration tokens.
constexpr int kTransformTokens = 30000;

/// Uses p x p doubles for keys and for values of each group of p numbers. Errors: InvalidArgument
/// (the text is too short, naming the required length), Unsupported (rows that are not finite),
/// Cancelled, NoMemory, those of Transformer::forward.
[[nodiscard]] Result<TransformBundle> calibrateTransform(Transformer& model, ThreadPool& pool,
                                                         std::span<const TokenId> text,
                                                         const TransformCalibration& options);

}  // namespace lacuna
