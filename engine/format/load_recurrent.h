#pragma once
/// \file
/// Loads the weights of recurrent mixers, whatever their layout in the container.

#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/format/weight_finder.h"
#include "engine/format/weights.h"
#include "engine/tensor/buffer.h"

namespace lacuna {

class RecurrentLoader {
  public:
    RecurrentLoader(const ModelSpec& spec, WeightFinder& finder) : spec_(spec), finder_(finder) {}
    /// Fills LayerWeights::recurrent and adds the mixer of the layer. Errors: those of
    /// WeightFinder, NoMemory.
    [[nodiscard]] Status load(LayerWeights& weights, int index);
    /// The mixers of the layers that were loaded so far, in this order.
    [[nodiscard]] std::vector<MixerWeights> takeMixers() { return std::move(mixers_); }
    /// Memory of the rearranged matrices that were loaded so far.
    [[nodiscard]] std::vector<std::shared_ptr<LargePages>> releaseRearranged() {
        return std::move(rearranged_);
    }

  private:
    [[nodiscard]] Status shortConvolution(RecurrentWeights& weights, int index);
    [[nodiscard]] Status deltaNet(RecurrentWeights& weights, int index);
    [[nodiscard]] Status groupedInputs(RecurrentWeights& weights, int index);
    [[nodiscard]] Status decayAndStrength(RecurrentWeights& weights, int index);
    [[nodiscard]] Status kimi(RecurrentWeights& weights, int index);
    [[nodiscard]] Result<std::vector<float>> kernels(int index);
    [[nodiscard]] Status mamba(RecurrentWeights& weights, int index);
    [[nodiscard]] Status numbers(RecurrentWeights& weights, MixerWeights& mixer, int index);
    struct Rows {
        std::int64_t first = 0;
        std::int64_t count = 0;
    };
    /// Copies ranges of rows one after the other.
    [[nodiscard]] Result<WeightMatrix> gathered(const WeightMatrix& matrix,
                                                const std::vector<Rows>& rows);

    const ModelSpec& spec_;
    WeightFinder& finder_;
    std::vector<MixerWeights> mixers_;
    std::vector<std::shared_ptr<LargePages>> rearranged_;
};

}  // namespace lacuna
