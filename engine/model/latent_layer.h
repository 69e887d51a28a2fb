#pragma once
/// \file
/// The projections around latent attention (LatentAttention) in its absorbed form: queries in the
/// space of the cached rows before attention, and the heads of the output after it. Owned by one
/// thread.

#include <cstdint>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/model/rope.h"
#include "engine/model/step_tools.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/view.h"

namespace lacuna {

class LatentLayer {
  public:
    /// Allocates nothing for a model without latent attention. Errors: NoMemory.
    [[nodiscard]] static Result<LatentLayer> create(const ModelSpec& spec, int maxTokens);
    /// Number of floats that create() allocates for each token.
    [[nodiscard]] static std::int64_t floatsPerToken(const ModelSpec& spec);

    /// Inputs of attention, whose elements that rotate come first.
    struct Rows {
        float* queries = nullptr;  ///< [rows, heads, keyLength]
        float* keys = nullptr;     ///< [rows, keyLength]
    };
    /// `input` [rows, hidden]. `rotations`: of these rows, or null if the layer does not rotate.
    void projectInputs(const StepTools& tools, const LayerWeights& weights,
                       View<const float, 2> input, const RopeRows* rotations, const Rows& out);
    /// Returns the heads of the output [rows, heads * value] for `attended` [rows, heads, length],
    /// valid until the next call.
    [[nodiscard]] const float* projectHeads(const StepTools& tools, const LayerWeights& weights,
                                            const float* attended, std::int64_t rows);
    [[nodiscard]] std::size_t bytes() const;

  private:
    LatentLayer() = default;
    void projectQueries(const StepTools& tools, const LayerWeights& weights,
                        View<const float, 2> input);
    [[nodiscard]] static float* numbers(Buffer& buffer) { return buffer.as<float>().data(); }

    LatentAttention latent_;
    std::int64_t heads_ = 0;
    Buffer queryLatents_;  ///< [tokens, queryRank]
    Buffer queries_;       ///< [tokens, heads, queryLength]
    Buffer keys_;          ///< [tokens, keyLength], the latent first
    Buffer outputs_;       ///< [tokens, heads, value]
};

}  // namespace lacuna
