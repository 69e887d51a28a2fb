#pragma once
/// \file
/// Calibrates the transform that stored caches are coded with (engine/compress/transform_bundle.h)
/// on a model: a text is read window by window for means and covariances of keys before rotation
/// and of values; noise is put on each head's keys and values once, to weigh an error in them by
/// what it costs the model; then principal components, plans of bits and steps are found for each
/// group of layers. docs/stored-caches.md, "Calibration".

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/transform_bundle.h"
#include "engine/model/transformer.h"

namespace lacuna {

struct TransformCalibration {
    /// Tokens that are read as one text, at most the model's context.
    int window = 2048;
    int chunk = 256;       ///< tokens of a forward pass, at most the model's
    int layerGroup = 8;    ///< layers that are transformed together; 0: all
    int mostRank = 4096;   ///< components of a group's keys or values
    double heldOut = 0.1;  ///< share of the windows that errors are measured on
    /// Tokens read, then followed, while noise is on a head; a round of each head's sides for
    /// each window of the text.
    int noiseContext = 768;
    int noiseAfter = 128;
    int noiseRounds = 1;
    std::uint64_t seed = 0;   ///< of the noise
    DType type = DType::F16;  ///< of the caches
    std::function<bool()> cancelled = {};
    /// `stage` says what is done, `done` of `total` of it.
    std::function<void(std::string_view stage, std::int64_t done, std::int64_t total)> progress =
        {};
};

/// Tokens of a usual calibration.
constexpr int kTransformTokens = 30000;

/// Sums are p x p doubles for keys and values of each group of p numbers. Errors: InvalidArgument
/// (a text too short, naming how long it must be), Unsupported (rows that are not finite),
/// Cancelled, NoMemory, those of Transformer::forward.
[[nodiscard]] Result<TransformBundle> calibrateTransform(Transformer& model, ThreadPool& pool,
                                                         std::span<const TokenId> text,
                                                         const TransformCalibration& options);

}  // namespace lacuna
