#pragma once
/// \file
/// What a measured speed is compared with: the memory bandwidth of this machine, and the bytes and
/// operations that a token of a model costs.

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/format/load_model.h"

namespace lacuna::cli {

/// Bytes a second that all threads of the pool together read from memory: the best of several
/// passes over a block larger than any cache. About half a second. Errors: NoMemory.
[[nodiscard]] Result<double> readBandwidth(ThreadPool& pool);

/// What one token costs, cache and norms left out.
struct TokenCost {
    double weightBytes = 0;        ///< read for one decoded token: layers and output matrix
    double prefillOperations = 0;  ///< for one token of a prompt: two for each number in a layer
};
[[nodiscard]] TokenCost tokenCost(const LoadedModel& model);

}  // namespace lacuna::cli
