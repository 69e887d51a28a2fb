#pragma once
/// \file
/// Choice and weights of the experts for each row of a step: softmax over the router's logits of
/// all experts, in float; the best `perToken` of them (the first of equal ones); rows grouped by
/// expert, so that a step reads the weights of each expert once. Shazeer et al. 2017; the order of
/// softmax and choice as in Hugging Face transformers (qwen2_moe, qwen3_moe, mixtral). Owned by one
/// thread. Allocates nothing after creation.

#include <cstdint>
#include <span>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/tensor/buffer.h"

namespace lacuna {

/// One use of an expert: its output for this row is added with this weight.
struct ExpertUse {
    std::int32_t row = 0;
    float weight = 0.0F;
};

class ExpertRouting {
  public:
    /// @pre 1 <= spec.perToken <= spec.count. Errors: NoMemory.
    [[nodiscard]] static Result<ExpertRouting> create(const ExpertSpec& spec, int maxTokens);

    /// Memory for the router's logits [tokens, experts]; route() overwrites them.
    [[nodiscard]] float* logits() { return logits_.as<float>().data(); }
    /// Chooses from the logits of the first `tokens` rows. NaN gives a valid choice.
    void route(std::int64_t tokens);
    /// Returns the rows of the last route() that use this expert, ascending.
    [[nodiscard]] std::span<const ExpertUse> usesOf(int expert) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    explicit ExpertRouting(const ExpertSpec& spec) : spec_(spec) {}
    void chooseRow(std::int64_t row);
    void group(std::int64_t tokens);

    ExpertSpec spec_;
    Buffer logits_;         ///< float [tokens, experts]
    Buffer chosen_;         ///< int32 [tokens, perToken], best first
    Buffer chosenWeights_;  ///< float [tokens, perToken]
    Buffer uses_;           ///< ExpertUse [tokens * perToken], by expert, then by row
    Buffer starts_;         ///< int32 [experts + 1] into uses_
};

}  // namespace lacuna
