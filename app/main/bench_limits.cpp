#include "app/main/bench_limits.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/format/matrix_list.h"
#include "engine/kernels/cpu_features.h"
#include "engine/tensor/buffer.h"

namespace lacuna::cli {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 20;
constexpr int kPasses = 6;

double bytesOf(const WeightMatrix& matrix) {
    return static_cast<double>(matrix.rows) *
           static_cast<double>(rowBytes(matrix.type, static_cast<std::uint64_t>(matrix.columns)));
}

/// Adds one matrix; `used` is the share of tokens that read it.
void add(TokenCost& cost, const WeightMatrix& matrix, double used) {
    if (matrix.empty()) return;
    cost.weightBytes += used * bytesOf(matrix);
    cost.prefillOperations +=
        used * 2.0 * static_cast<double>(matrix.rows) * static_cast<double>(matrix.columns);
}

}  // namespace

Result<ReadBandwidth> ReadBandwidth::create(ThreadPool& pool) {
    LACUNA_TRY(LargePages block, LargePages::allocate(kBlockBytes));
    std::fill_n(reinterpret_cast<float*>(block.data()), kBlockBytes / sizeof(float), 1.0F);
    block.joinPages();
    block.waitUntilJoined();
    return ReadBandwidth(pool, std::move(block));
}

double ReadBandwidth::measure() {
    const auto* const numbers = reinterpret_cast<const float*>(block_.data());
    const KernelTable& kernels = bestKernels();
    const int threads = pool_->threads();
    const auto perThread = static_cast<std::int64_t>(kBlockBytes / sizeof(float)) / threads;
    std::vector<float> tops(static_cast<std::size_t>(threads));
    const std::function<void(int)> pass = [&](int thread) {
        tops[static_cast<std::size_t>(thread)] =
            kernels.maximum(numbers + thread * perThread, perThread);
    };
    const SteadyClock clock;
    double best = 0;
    for (int i = 0; i < kPasses; ++i) {
        const std::int64_t start = clock.nowNs();
        pool_->parallelFor(threads, pass);
        const double seconds = secondsSince(clock, start);
        best = std::max(best, static_cast<double>(perThread * threads) * sizeof(float) / seconds);
    }
    return best;
}

Spread spreadOf(std::vector<double> values) {
    if (values.empty()) return {};
    std::ranges::sort(values);
    return {values[values.size() / 2], values.front(), values.back()};
}

TokenCost tokenCost(const LoadedModel& model) {
    TokenCost cost;
    for (const LayerWeights& layer : model.weights.layers) {
        const double chosen = static_cast<double>(model.spec.experts.perToken) /
                              static_cast<double>(std::max<std::size_t>(layer.experts.size(), 1));
        forEachMatrix(layer, [&](const WeightMatrix& matrix, MatrixUse use) {
            add(cost, matrix, use == MatrixUse::Expert ? chosen : 1.0);
        });
    }
    add(cost, model.weights.layerProjection, 1.0);
    cost.weightBytes += bytesOf(model.weights.output);
    return cost;
}

}  // namespace lacuna::cli
