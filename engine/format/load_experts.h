#pragma once
/// \file
/// Loads the mixture of experts of a layer: the router, the experts in every layout of the
/// containers, and the shared expert.

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/format/weight_finder.h"
#include "engine/format/weights.h"
#include "engine/tensor/buffer.h"

namespace lacuna {

class ExpertLoader {
  public:
    ExpertLoader(const ModelSpec& spec, WeightFinder& finder) : spec_(spec), finder_(finder) {}
    /// Errors: those of WeightFinder, NoMemory, Unsupported.
    [[nodiscard]] Status load(LayerWeights& weights, int index);
    /// Memory of the rearranged matrices that were loaded so far.
    [[nodiscard]] std::vector<std::shared_ptr<LargePages>> releaseRearranged() {
        return std::move(rearranged_);
    }

  private:
    /// Rows of the gates and of the ups in a tensor that holds both.
    struct GateUpRows {
        RowsInTensor gate;
        RowsInTensor up;
    };
    [[nodiscard]] GateUpRows gateUpRows() const;
    [[nodiscard]] Status stacked(LayerWeights& weights, int index);
    [[nodiscard]] Status rearranged(LayerWeights& weights, int index);
    [[nodiscard]] Status separate(LayerWeights& weights, int index);
    [[nodiscard]] Status router(LayerWeights& weights, int index);
    [[nodiscard]] Status selectionBias(LayerWeights& weights, int index);
    [[nodiscard]] Status parallelToDense(LayerWeights& weights, int index);
    [[nodiscard]] Status biases(LayerWeights& weights, int index);
    [[nodiscard]] Status shared(LayerWeights& weights, int index);
    [[nodiscard]] ExpertStacking stacking() const {
        return finder_.names().container() == Container::HuggingFace
                   ? finder_.names().architecture().expertStacking
                   : ExpertStacking::OutIn;
    }

    const ModelSpec& spec_;
    WeightFinder& finder_;
    std::vector<std::shared_ptr<LargePages>> rearranged_;
};

}  // namespace lacuna
