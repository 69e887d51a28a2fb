#pragma once
/// \file
/// A mixture of experts in place of one feed-forward, or in parallel with it: the routed experts of
/// each row, summed with the router's weights, and the shared expert if the model has one, scaled
/// by the sigmoid of its own gate if it has one. Each expert runs over all of its rows together.
/// Owned by one thread. Allocates nothing after creation.

#include "engine/model/expert_routing.h"
#include "engine/model/step_tools.h"

namespace lacuna {

class Experts {
  public:
    /// Number of bytes that create() allocates for each token.
    [[nodiscard]] static std::int64_t bytesPerToken(const ModelSpec& spec);
    /// Allocates nothing for a model without experts. Errors: NoMemory.
    [[nodiscard]] static Result<Experts> create(const ModelSpec& spec, int maxTokens);

    /// `input` [tokens, hidden], `routerInput` and `out` likewise; the router reads the second,
    /// which may be the first. Sums in the order of the experts, then the shared one. Errors:
    /// Cancelled.
    [[nodiscard]] Status run(const StepTools& tools, const LayerWeights& layer,
                             View<const float, 2> input, const float* routerInput, float* out);
    [[nodiscard]] std::size_t bytes() const;

  private:
    Experts(ExpertRouting routing, bool weighsInput)
        : routing_(std::move(routing)), weighsInput_(weighsInput) {}
    [[nodiscard]] Status runExpert(const StepTools& tools, const FeedForwardWeights& expert,
                                   std::span<const ExpertUse> uses, View<const float, 2> input);
    [[nodiscard]] Status addShared(const StepTools& tools, const LayerWeights& layer,
                                   View<const float, 2> input, float* out);

    ExpertRouting routing_;
    bool weighsInput_;  ///< weights multiply the input of an expert instead of its output
    Buffer gathered_;   ///< [tokens, hidden] input rows of the current expert
    Buffer gated_;      ///< [tokens, widest expert]
    Buffer upped_;      ///< [tokens, widest expert]
    Buffer result_;     ///< [tokens, hidden]
    Buffer opening_;    ///< [tokens] gate of the shared expert
};

}  // namespace lacuna
