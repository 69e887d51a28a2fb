#pragma once
/// \file
/// Which experts a row of a step takes, and with which weight: scores made of the router's logits
/// as ExpertSpec says, in float; the best `perToken` of them (of equal ones the first); rows
/// grouped by expert, so that a step reads the weights of each expert once. Shazeer et al. 2017;
/// the order of scores and choice as in Hugging Face transformers. Owned by one thread. Allocates
/// nothing after creation.

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

    /// Room for the router's logits [tokens, experts]; route() overwrites them.
    [[nodiscard]] float* logits() { return logits_.as<float>().data(); }
    /// Chooses from the logits of the first `tokens` rows. Not-a-number chooses something valid.
    /// `bias` [experts] is that of ExpertSpec::selectionBias; empty: none.
    void route(std::int64_t tokens, std::span<const float> bias = {});
    /// The rows of the last route() that take this expert, ascending.
    [[nodiscard]] std::span<const ExpertUse> usesOf(int expert) const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    explicit ExpertRouting(const ExpertSpec& spec) : spec_(spec) {}
    /// Where the choice of one row is written.
    struct Choice {
        std::span<float> logits;          ///< [experts]
        std::span<std::int32_t> experts;  ///< [perToken]
        std::span<float> weights;         ///< [perToken]
    };
    void chooseByLogits(const Choice& choice) const;
    void chooseByScores(const Choice& choice, std::span<const float> bias);
    void mixSparsely(const Choice& choice) const;
    void hideGroups(std::span<float> merits);
    void scaleWeights(std::span<float> weights) const;
    void group(std::int64_t tokens);

    ExpertSpec spec_;
    Buffer logits_;         ///< float [tokens, experts]
    Buffer merits_;         ///< float [experts] by which the row at work chooses
    Buffer groups_;         ///< float [groups] merits of theirs
    Buffer chosen_;         ///< int32 [tokens, perToken], best first
    Buffer chosenWeights_;  ///< float [tokens, perToken]
    Buffer uses_;           ///< ExpertUse [tokens * perToken], by expert, then by row
    Buffer starts_;         ///< int32 [experts + 1] into uses_
};

}  // namespace lacuna
