#pragma once
/// \file
/// Tensors by name to Weights by role: every tensor that the spec asks for must be there with the
/// right shape and a usable type, and none may be left that would be silently ignored. And weights
/// in memory of their own, in the order that the kernels want: decoding reads every matrix for
/// every token, as fast as memory gives it; a mapped file comes in small pages and plain rows,
/// which costs half of that speed.

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

/// Where matrices lie once they are loaded.
struct WeightPlacement {
    bool resident = false;  ///< copied out of the mapping, whose pages are given back
    /// Index [DType]: types whose rows are interleaved (row_groups.h) when they are copied.
    std::array<bool, kDTypeCount> grouped{};
    int threads = 0;  ///< that copy; 0: one for each core
    /// Stay in the file when less than this share of the free memory would be left; 0: never mind.
    double keepFree = 0.2;
};

struct WeightCopying {
    std::function<void(double share)> progress;  ///< 0..1, called on the calling thread
    std::stop_token stop;
    /// What the weights are mapped from; pages that were copied are given back.
    std::vector<std::span<const std::byte>> mappings;
};

/// Copies the matrices that are multiplied with and lets `weights` point to the copies; a tied
/// matrix is copied once. Stay where they are: the embedding of a model that has an output matrix
/// of its own (one row a token is read of it), norms and biases. Everything stays, and the memory
/// is empty, where the placement says so or memory is short. Errors: NoMemory, Cancelled; the
/// weights are as before then.
[[nodiscard]] Result<LargePages> placeWeights(Weights& weights, const WeightPlacement& placement,
                                              const WeightCopying& copying);

}  // namespace lacuna
