#pragma once
/// \file
/// Causal depthwise convolution over tokens: y[t][c] = bias[c] + sum_j kernel[j][c] x[t - K + 1 +
/// j][c]. Inputs before the run are its history, zeros at the start of a text. Pure.

#include <cstdint>

namespace lacuna {

enum class ConvolutionOutput { Plain, Silu };

struct CausalConvolution {
    int kernelWidth = 0;             ///< K
    std::int64_t channels = 0;       ///< C, also the stride of all arrays
    const float* kernel = nullptr;   ///< [K, C], the oldest input first
    const float* bias = nullptr;     ///< [C] or null
    const float* history = nullptr;  ///< [K - 1, C], oldest first
    const float* inputs = nullptr;   ///< [tokens, C]
    float* out = nullptr;            ///< [tokens, C], not the inputs
    ConvolutionOutput output = ConvolutionOutput::Plain;
};

/// Computes the channels [first, first + count) of the tokens [from, from + tokens). `out` begins
/// with token `from`. The bits of a number depend on its inputs only.
void convolveCausally(const CausalConvolution& job, std::int64_t first, std::int64_t count,
                      std::int64_t from, std::int64_t tokens);

}  // namespace lacuna
