// The plain reference for recurrent mixers.

#include <algorithm>
#include <cmath>

#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/mixer_rows.h"

namespace lacuna {
namespace scalar {
namespace {

void convolve(const CausalConvolution& job) noexcept {
    const int width = job.kernelWidth;
    for (std::int64_t t = 0; t < job.tokens; ++t) {
        float* const out = job.out + t * job.channels + job.first;
        if (job.bias != nullptr)
            std::copy_n(job.bias + job.first, job.count, out);
        else
            std::fill_n(out, job.count, 0.0F);
        for (int j = 0; j < width; ++j) {
            const std::int64_t at = job.from + t - (width - 1) + j;
            const float* const x = (at >= 0 ? job.inputs + at * job.channels
                                            : job.history + (at + width - 1) * job.channels) +
                                   job.first;
            const float* const w = job.kernel + j * job.channels + job.first;
            for (std::int64_t c = 0; c < job.count; ++c) out[c] += w[c] * x[c];
        }
        if (job.output == ConvolutionOutput::Silu)
            for (std::int64_t c = 0; c < job.count; ++c) out[c] /= 1.0F + std::exp(-out[c]);
    }
}

constexpr int kColumns = 16;  // of a matrix that are updated together: a cache line

/// Updates the columns [first, first + width); `kWidth` is their number, or 0.
template <int kWidth>
void updateColumns(const MatrixRun& run, int first, int width) {
    const int columns = kWidth > 0 ? kWidth : width;
    for (std::int64_t t = 0; t < run.tokens; ++t) {
        const float* const keys = run.keys + t * run.stride;
        const float* const queries = run.queries + t * run.stride;
        const float* const decays = run.decays + t * run.gateStride;
        const float* const value = run.values + t * run.stride + first;
        const float strength = run.strengths[t * run.gateStride];
        const auto decayOf = [&](int i) {
            return decays[run.rule == UpdateRule::DeltaByKey ? i : 0];
        };
        float added[kColumns] = {};
        if (run.rule != UpdateRule::Outer) {
            const float* row = run.matrix + first;
            for (int i = 0; i < run.keyDim; ++i, row += run.valueDim) {
                const float key = decayOf(i) * keys[i];
                for (int c = 0; c < columns; ++c) added[c] -= row[c] * key;
            }
        }
        for (int c = 0; c < columns; ++c) added[c] = (added[c] + value[c]) * strength;
        float sums[kColumns] = {};
        float* row = run.matrix + first;
        for (int i = 0; i < run.keyDim; ++i, row += run.valueDim) {
            const float decay = decayOf(i);
            for (int c = 0; c < columns; ++c) {
                row[c] = row[c] * decay + added[c] * keys[i];
                sums[c] += row[c] * queries[i];
            }
        }
        if (run.out == nullptr) continue;
        float* const out = run.out + t * run.outStride + first;
        const float skip = run.rule == UpdateRule::Outer ? run.skip : 0.0F;
        for (int c = 0; c < columns; ++c) out[c] = sums[c] + value[c] * skip;
    }
}

void updateMatrix(const MatrixRun& run) noexcept {
    int first = 0;
    for (; first + kColumns <= run.valueDim; first += kColumns)
        updateColumns<kColumns>(run, first, kColumns);
    updateColumns<0>(run, first, run.valueDim - first);
}

void decays(const float* steps, const float* bias, float rate, float* out,
            std::int64_t n) noexcept {
    for (std::int64_t i = 0; i < n; ++i) {
        const float x = steps[i] + bias[i];
        out[i] = std::exp(rate * (x > 20.0F ? x : std::log1p(std::exp(x))));
    }
}

}  // namespace
}  // namespace scalar

void fillScalarMixerKernels(KernelTable& table) noexcept {
    table.convolve = scalar::convolve;
    table.updateMatrix = scalar::updateMatrix;
    table.decays = scalar::decays;
}

}  // namespace lacuna
