#pragma once
/// \file
/// The chain from logits to a token: biases, constraint, penalties, top-k, top-p, min-p,
/// temperature, draw. Draw i of a turn depends on the seed and i alone, so answers repeat whatever
/// happened between. Owned by one thread; keeps scratch memory.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/generate/answer_rules.h"
#include "engine/generate/sampler_stages.h"
#include "engine/generate/sampling_options.h"
#include "engine/generate/token_chances.h"
#include "engine/generate/token_constraint.h"

namespace lacuna {

/// Where an answer stands when its next token is drawn.
struct DrawPlace {
    /// Prompt and answer so far; the repetition penalty looks at its end.
    std::span<const TokenId> history;
    /// Tokens at the end of `history` that are the answer, and the number of this draw. Presence
    /// and frequency penalties count these only.
    std::int64_t answered = 0;
    TokenConstraint* constraint = nullptr;  ///< null: every token may come
};

struct Drawn {
    TokenId token = 0;
    std::optional<TokenChances> chances;  ///< when the rules ask for them
};

class Sampler {
  public:
    explicit Sampler(std::uint64_t seed, std::vector<LogitBias> bias = {},
                     std::optional<int> logprobs = std::nullopt)
        : seed_(seed), bias_(std::move(bias)), logprobs_(logprobs) {}
    /// Token for `logits` [vocabulary]. The constraint does not move.
    /// Errors: Unsupported when biases and constraint leave no token. @pre logits not empty
    [[nodiscard]] Result<Drawn> draw(std::span<const float> logits, const DrawPlace& place,
                                     const SamplingOptions& options);
    /// What may be drawn after all stages that truncate, with the logits drawn from, in order.
    /// One candidate, the likeliest, at temperature 0. Errors and @pre as draw.
    [[nodiscard]] Result<std::vector<Candidate>> candidates(std::span<const float> logits,
                                                            const DrawPlace& place,
                                                            const SamplingOptions& options);

  private:
    /// The logits after the request's biases; those given when there are none.
    [[nodiscard]] std::span<const float> biased(std::span<const float> logits);
    [[nodiscard]] Result<std::span<const float>> constrained(std::span<const float> logits,
                                                             const DrawPlace& place,
                                                             const SamplingOptions& options);
    [[nodiscard]] Result<std::vector<Candidate>> candidatesOf(std::span<const float> biased,
                                                              const DrawPlace& place,
                                                              const SamplingOptions& options);

    std::uint64_t seed_;
    std::vector<LogitBias> bias_;
    std::optional<int> logprobs_;
    std::vector<float> biased_;
    std::vector<float> constrained_;
};

}  // namespace lacuna
