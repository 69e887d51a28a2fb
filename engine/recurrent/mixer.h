#pragma once
/// \file
/// A recurrent mixer over a run of tokens. The result has the same bits for any division of a text
/// into runs and for any number of threads, so that a run of one token and a prefill agree and a
/// state can be rebuilt from an earlier one. Pure.
///
/// Per token and value head, with the state S [keyDim, valueDim], decay d, strength b, and the
/// columns q, k, v after convolution and SiLU:
///   DeltaNet, KimiDelta: q, k are divided by their length, q also by keyDim^1/2;
///     S = d S;  u = b (v - S^T k);  S = S + k u^T;  y = S^T q
///   Mamba-2: S = d S + k (b v)^T;  y = S^T q + skip v
///   ShortConvolution: y is the convolution.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/kernels/cpu_features.h"
#include "engine/recurrent/mixer_shape.h"

namespace lacuna {

/// The weights inside of a mixer, in float32; the projections around it are matrices of the model.
struct MixerWeights {
    MixerShape shape;
    std::vector<float> kernel = {};  ///< [kernel, channels], the oldest input first
    std::vector<float> bias = {};    ///< [channels] or empty
    std::vector<float> skip = {};    ///< Mamba-2: D [valueHeads], otherwise empty
    friend bool operator==(const MixerWeights&, const MixerWeights&) = default;
};

struct MixerRun {
    const float* history = nullptr;  ///< [kernel - 1, channels]: columns before the run
    const float* columns = nullptr;  ///< [tokens, channels]
    const float* gates = nullptr;    ///< [tokens, gates]
    float* matrix = nullptr;         ///< [matrixNumbers]: the state, which is updated
    float* out = nullptr;            ///< [tokens, outputs], or null: only the state is updated
    std::int64_t tokens = 0;
    const KernelTable& kernels = bestKernels();
};

/// Tokens that are convolved together.
inline constexpr std::int64_t kMixerPiece = 32;
/// Numbers of memory that runMixer needs.
[[nodiscard]] std::int64_t mixerScratch(const MixerShape& shape, std::int64_t tokens);
/// Runs the mixer; `scratch` has mixerScratch numbers. If a pool is passed, heads are divided
/// among its threads.
void runMixer(const MixerWeights& weights, const MixerRun& run, std::span<float> scratch,
              ThreadPool* pool);

}  // namespace lacuna
