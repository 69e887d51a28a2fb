#pragma once
/// \file
/// The recurrent mixer of a layer in a forward step: its projections over the rows of all runs, the
/// recurrence of each run on the state of its own sequence, the gated norm and the output matrix.
/// Owned by one thread.

#include <cstdint>
#include <span>

#include "engine/base/result.h"
#include "engine/model/step_tools.h"
#include "engine/model/transformer.h"
#include "engine/tensor/buffer.h"

namespace lacuna {

class RecurrentLayer {
  public:
    /// Allocates nothing for a model without recurrent layers. Errors: NoMemory.
    [[nodiscard]] static Result<RecurrentLayer> create(const ModelSpec& spec, int maxTokens);

    /// `input` and `out` [rows of all runs, hidden]. Errors: Cancelled.
    /// @pre every run's cache has states and is inside an append
    [[nodiscard]] Status run(const StepTools& tools, const RecurrentWeights& weights,
                             View<const float, 2> input, std::span<const BatchRun> runs,
                             float* out);
    [[nodiscard]] std::size_t bytes() const;

  private:
    RecurrentLayer() = default;
    void project(const StepTools& tools, const RecurrentWeights& weights,
                 View<const float, 2> input);
    void projectKimi(const StepTools& tools, const RecurrentWeights& weights,
                     View<const float, 2> input);
    void makeGates(const KernelTable& kernels, const RecurrentWeights& weights, std::int64_t row);
    void gateRow(const KernelTable& kernels, const RecurrentWeights& weights, std::int64_t row);
    [[nodiscard]] float* rowOf(Buffer& buffer, std::int64_t row, std::int64_t width) {
        return buffer.as<float>().data() + row * width;
    }

    RecurrentSpec spec_;
    float epsilon_ = 0.0F;
    Buffer columns_;  ///< [tokens, channels]
    /// KimiDelta, otherwise empty: columns that are projected separately, [tokens, keyHeads *
    /// keyDim] twice and [tokens, outputs], and [tokens, rank] inputs of a second matrix.
    Buffer queryColumns_, keyColumns_, valueColumns_, lowRank_;
    Buffer inputGate_;   ///< [tokens, channels], of a short convolution
    Buffer outputGate_;  ///< [tokens, outputs]
    Buffer steps_;       ///< [tokens, valueHeads]
    Buffer strengths_;   ///< [tokens, valueHeads]
    Buffer gates_;       ///< [tokens, gates]
    Buffer mixed_;       ///< [tokens, outputs]
};

}  // namespace lacuna
