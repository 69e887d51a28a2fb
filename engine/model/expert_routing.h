#pragma once
/// \file
/// Choice and weights of the experts for each row of a step: scores computed from the router's
/// logits by the rules of ExpertSpec, in float; the best `perToken` of them (the first of equal
/// ones); rows grouped by expert, so that a step reads the weights of each expert once. Shazeer et
/// al. 2017; the order of scores and choice as in Hugging Face transformers. Owned by one thread.
/// Allocates nothing after creation.

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
    /// Chooses from the logits of the first `tokens` rows. NaN gives a valid choice. `bias`
    /// [experts] is that of ExpertSpec::selectionBias; empty = none.
    void route(std::int64_t tokens, std::span<const float> bias = {});
    /// Returns the rows of the last route() that use this expert, ascending.
    [[nodiscard]] std::span<const ExpertUse> usesOf(int expert) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    explicit ExpertRouting(const ExpertSpec& spec) : spec_(spec) {}
    /// Inputs and outputs of the choice of one row.
    struct Choice {
        std::span<float> logits;          ///< [experts]
        std::span<std::int32_t> experts;  ///< [perToken]
        std::span<float> weights;         ///< [perToken]
    };
    void chooseByLogits(const Choice& choice) const;
    void chooseByScores(const Choice& choice, std::span<const float> bias);
    void mixSparsely(const Choice& choice) const;
    void hideGroups(std::span<float> scores);
    void scaleWeights(std::span<float> weights) const;
    void group(std::int64_t tokens);

    ExpertSpec spec_;
    Buffer logits_;           ///< float [tokens, experts]
    Buffer selectionScores_;  ///< float [experts] selection scores of the current row
    Buffer groups_;           ///< float [groups] selection scores of the groups
    Buffer chosen_;           ///< int32 [tokens, perToken], best first
    Buffer chosenWeights_;    ///< float [tokens, perToken]
    Buffer uses_;             ///< ExpertUse [tokens * perToken], by expert, then by row
    Buffer starts_;           ///< int32 [experts + 1] into uses_
};

}  // namespace lacuna
