#pragma once
/// \file
/// The kernels' view of a recurrent mixer (engine/recurrent): a causal convolution over the inputs
/// of tokens, and a matrix that decays and receives an outer product with each token. Plain data.

#include <cstdint>

namespace lacuna {

enum class ConvolutionOutput { Plain, Silu };

/// y[t][c] = bias[c] + sum_j kernel[j][c] x[t - K + 1 + j][c] for the channels [first, first +
/// count) of the tokens [from, from + tokens).
struct CausalConvolution {
    int kernelWidth = 0;             ///< K, at most kMaxConvolution
    std::int64_t channels = 0;       ///< C, also the stride of all arrays
    const float* kernel = nullptr;   ///< [K, C], the oldest input first
    const float* bias = nullptr;     ///< [C] or null
    const float* history = nullptr;  ///< [K - 1, C], oldest first; zeros at the start of a text
    const float* inputs = nullptr;   ///< [from + tokens, C]
    float* out = nullptr;            ///< [tokens, C], not the inputs
    ConvolutionOutput output = ConvolutionOutput::Plain;
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t from = 0;
    std::int64_t tokens = 0;
};

constexpr int kMaxConvolution = 64;

/// How a token changes the matrix S [keyDim, valueDim], with decay d, strength b, key k, query q
/// and value v: S = d S + k u^T, then y = S^T q.
enum class UpdateRule {
    Delta,       ///< u = b (v - d S^T k)
    DeltaByKey,  ///< the same with a decay for each row of S
    Outer,       ///< u = b v; skip v is added to y
};

/// One value head for some tokens, in their order. A column of the matrix never reads another one.
struct MatrixRun {
    UpdateRule rule = UpdateRule::Delta;
    const float* queries = nullptr;  ///< [tokens, keyDim] with `stride`
    const float* keys = nullptr;     ///< the same
    const float* values = nullptr;   ///< [tokens, valueDim] with `stride`
    std::int64_t stride = 0;
    const float* decays = nullptr;     ///< [tokens, 1 or keyDim] with `gateStride`
    const float* strengths = nullptr;  ///< [tokens] with `gateStride`
    std::int64_t gateStride = 0;
    float* matrix = nullptr;  ///< [keyDim, valueDim], updated in place
    int keyDim = 0;
    int valueDim = 0;
    float* out = nullptr;  ///< y [tokens, valueDim] with `outStride`, or null
    std::int64_t outStride = 0;
    float skip = 0.0F;  ///< of UpdateRule::Outer
    std::int64_t tokens = 0;
};

}  // namespace lacuna
