#include "engine/recurrent/causal_convolution.h"

#include <algorithm>

#include "engine/recurrent/exponential.h"

namespace lacuna {

void convolveCausally(const CausalConvolution& job, std::int64_t first, std::int64_t count,
                      std::int64_t from, std::int64_t tokens) {
    const int width = job.kernelWidth;
    for (std::int64_t t = 0; t < tokens; ++t) {
        float* const out = job.out + t * job.channels + first;
        if (job.bias != nullptr)
            std::copy_n(job.bias + first, count, out);
        else
            std::fill_n(out, count, 0.0F);
        for (int j = 0; j < width; ++j) {
            const std::int64_t at = from + t - (width - 1) + j;
            const float* const x = (at >= 0 ? job.inputs + at * job.channels
                                            : job.history + (at + width - 1) * job.channels) +
                                   first;
            const float* const w = job.kernel + j * job.channels + first;
            for (std::int64_t c = 0; c < count; ++c) out[c] += w[c] * x[c];
        }
        if (job.output == ConvolutionOutput::Silu)
            for (std::int64_t c = 0; c < count; ++c) out[c] = fastSilu(out[c]);
    }
}

}  // namespace lacuna
