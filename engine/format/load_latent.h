#pragma once
/// \file
/// Loads the weights of latent attention, whatever their layout in the container.

#include <memory>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/format/weight_finder.h"
#include "engine/format/weights.h"
#include "engine/tensor/buffer.h"

namespace lacuna {

class LatentLoader {
  public:
    LatentLoader(const ModelSpec& spec, WeightFinder& finder) : spec_(spec), finder_(finder) {}
    /// Fills LayerWeights::latent, query, key and output. Errors: those of WeightFinder, NoMemory.
    /// @pre the model has latent attention
    [[nodiscard]] Status load(LayerWeights& weights, int index);
    /// Memory of the rearranged matrices that were loaded so far.
    [[nodiscard]] std::vector<std::shared_ptr<LargePages>> releaseRearranged() {
        return std::move(rearranged_);
    }

  private:
    [[nodiscard]] Status queries(LayerWeights& weights, int index);
    [[nodiscard]] Status heads(LatentWeights& weights, int index);
    [[nodiscard]] Result<std::vector<WeightMatrix>> transposed(
        const std::vector<WeightMatrix>& matrices);

    const ModelSpec& spec_;
    WeightFinder& finder_;
    std::vector<std::shared_ptr<LargePages>> rearranged_;
};

}  // namespace lacuna
