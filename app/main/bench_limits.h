#pragma once
/// \file
/// Shared by the benchmarks: statistics of measured values, and the hardware limits that a speed is
/// compared with: memory bandwidth of this machine, bytes and operations per token of a model.

#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/format/load_model.h"
#include "engine/tensor/buffer.h"

namespace lacuna::cli {

/// Measures the memory read bandwidth of all threads of a pool together. It fluctuates on shared
/// machines, so measure right before and right after the benchmark.
class ReadBandwidth {
  public:
    /// Allocates a block larger than any CPU cache. Errors: NoMemory.
    [[nodiscard]] static Result<ReadBandwidth> create(ThreadPool& pool);
    /// Returns bytes per second: the best of a few passes over the block, about 50 ms.
    [[nodiscard]] double measure();

  private:
    ReadBandwidth(ThreadPool& pool, LargePages block) : pool_(&pool), block_(std::move(block)) {}
    ThreadPool* pool_;
    LargePages block_;
};

/// Median and range over benchmark runs; zeros if there was none.
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

/// Cost of one token, excluding KV cache and norms.
struct TokenCost {
    double weightBytes = 0;  ///< weight bytes read to decode one token: layers and output matrix
    double prefillOperations = 0;  ///< operations per prompt token: two per weight of the layers
};
[[nodiscard]] TokenCost tokenCost(const LoadedModel& model);

}  // namespace lacuna::cli
