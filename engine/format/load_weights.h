#pragma once
/// \file
/// Maps tensors by name to weights by role: every tensor required by the spec must be present with
/// the right shape and a supported type, and none may be silently ignored. Also copies weights to
/// memory in the order that the kernels prefer: decoding reads every matrix for every token and is
/// memory-bound, and the small pages and plain rows of a mapped file halve that speed.

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/format/tensor_names.h"
#include "engine/format/tensor_source.h"
#include "engine/format/weights.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

/// Views over every weight; norms and biases decoded to float.
/// Errors: ModelMissingTensor, ModelShape, ModelVocab, ModelTypeUse, ModelNonFinite, Unsupported,
/// Cancelled.
[[nodiscard]] Result<Weights> loadWeights(const ModelSpec& spec, const TensorSource& source,
                                          Container container, const std::stop_token& stop);

/// Placement of matrices after loading.
struct WeightPlacement {
    bool resident = false;  ///< copied out of the mapping, whose pages are released
    /// Index [DType]: types whose rows are interleaved (row_groups.h) when they are copied.
    std::array<bool, kDTypeCount> grouped{};
    int threads = 0;  ///< that copy; 0: one for each core
    /// number of copying threads; 0 = one per core
    double keepFree = 0.2;
};

struct WeightCopying {
    std::function<void(double share)> progress;  ///< Weights stay in the file if less than this
                                                 ///< share of the free memory would be left; 0 = no
                                                 ///< limit.
    std::stop_token stop;
    /// Mappings of the weights; copied pages are released.
    std::vector<std::span<const std::byte>> mappings;
};

/// Copies the multiplied matrices and lets `weights` point to the copies; a tied matrix is copied
/// once. Not copied: the embedding of a model with a separate output matrix and the embeddings of
/// layers (one row per token is read), norms and biases. Unless the placement is resident and
/// memory suffices, nothing is copied and the memory is empty. Errors: NoMemory, Cancelled; the
/// weights are then unchanged.
[[nodiscard]] Result<LargePages> placeWeights(Weights& weights, const WeightPlacement& placement,
                                              const WeightCopying& copying);

}  // namespace lacuna
