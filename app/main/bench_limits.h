#pragma once
/// \file
/// What benches share: the spread of what was measured, and what a measured speed is compared with:
/// the memory bandwidth of this machine, and the bytes and operations that a token of a model
/// costs.

#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/format/load_model.h"
#include "engine/tensor/buffer.h"

namespace lacuna::cli {

/// What all threads of a pool together read from memory. Machines that share their memory with
/// others give more in one second than in the next, so it is asked right before and right after
/// whatever it is compared with.
class ReadBandwidth {
  public:
    /// Takes a block larger than any cache. Errors: NoMemory.
    [[nodiscard]] static Result<ReadBandwidth> create(ThreadPool& pool);
    /// Bytes a second: the best of a few passes over the block, some 50 ms.
    [[nodiscard]] double measure();

  private:
    ReadBandwidth(ThreadPool& pool, LargePages block) : pool_(&pool), block_(std::move(block)) {}
    ThreadPool* pool_;
    LargePages block_;
};

/// Of the runs of a bench; zeros where there was none.
struct Spread {
    double median = 0, lowest = 0, highest = 0;
};
[[nodiscard]] Spread spreadOf(std::vector<double> values);
[[nodiscard]] inline double median(std::vector<double> values) {
    return spreadOf(std::move(values)).median;
}
[[nodiscard]] inline double highest(std::vector<double> values) {
    return spreadOf(std::move(values)).highest;
}

/// What one token costs, cache and norms left out.
struct TokenCost {
    double weightBytes = 0;        ///< read for one decoded token: layers and output matrix
    double prefillOperations = 0;  ///< for one token of a prompt: two for each number in a layer
};
[[nodiscard]] TokenCost tokenCost(const LoadedModel& model);

}  // namespace lacuna::cli
