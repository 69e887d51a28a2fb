#pragma once
/// \file
/// From logits to a token: stages, each a pure function on its arguments, and the chain of them.
/// Arithmetic on probabilities is in f64. Candidates are always ordered: larger logit first, lower
/// id on ties, so that equal logits give equal draws on every machine.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/generate/generation_options.h"
#include "engine/generate/token_constraint.h"

namespace lacuna {

struct Candidate {
    TokenId id = 0;
    float logit = 0;
    friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// Id of the largest logit, the lowest id on ties. @pre not empty
[[nodiscard]] TokenId argmax(std::span<const float> logits);
/// Each distinct token of `recent` once: positive logits divided, negative multiplied (arXiv
/// 1909.05858). Ids outside the vocabulary are passed over.
void penaliseRepeats(std::span<float> logits, std::span<const TokenId> recent, double penalty);
/// Adds each bias to its logit; AnswerRules::kForbid makes it minus infinity.
/// @pre tokens within the vocabulary
void addBiases(std::span<float> logits, std::span<const LogitBias> biases);
/// Takes `presence` once and `frequency` as often as it occurs off each token of `answer`. Ids
/// outside the vocabulary are passed over.
void penaliseAnswer(std::span<float> logits, std::span<const TokenId> answer, double presence,
                    double frequency);
/// The `count` largest in order; all of them when there are fewer. O(vocabulary) for small counts.
[[nodiscard]] std::vector<Candidate> largest(std::span<const float> logits, std::size_t count);
/// Probabilities of ordered candidates at a temperature > 0, summing to 1.
[[nodiscard]] std::vector<double> probabilities(std::span<const Candidate> ordered,
                                                double temperature);
/// How many of the first probabilities reach `threshold` together, the one that crosses it
/// included; at least 1, and all when they never reach it.
[[nodiscard]] std::size_t nucleusSize(std::span<const double> ordered, double threshold);
/// How many of the first probabilities are at least `share` of the first one; at least 1.
[[nodiscard]] std::size_t minPSize(std::span<const double> ordered, double share);
/// Index that `uniform` in [0, 1) falls on.
[[nodiscard]] std::size_t drawIndex(std::span<const double> ordered, double uniform);

/// Errors: InvalidArgument (a bias out of range, outside the vocabulary or given twice; too many
/// probabilities), naming what was found and what is allowed.
[[nodiscard]] Status checkRules(const AnswerRules& rules, int vocabulary);

/// `top` are the likeliest tokens, without their texts. @pre logits not empty, `drawn` within
[[nodiscard]] TokenChances chancesOf(std::span<const float> logits, TokenId drawn, int top);
/// The same of a draw: `chances` are the probabilities of the ordered candidates, `drawn` an index.
[[nodiscard]] TokenChances chancesOfDraw(std::span<const Candidate> ordered,
                                         std::span<const double> chances, std::size_t drawn,
                                         int top);

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

/// The chain from logits to a token: biases, constraint, penalties, top-k, top-p, min-p,
/// temperature, draw. Draw i of a turn depends on the seed and i alone, so answers repeat whatever
/// happened between. Owned by one thread; keeps scratch memory.
class Sampler {
  public:
    explicit Sampler(std::uint64_t seed, std::vector<LogitBias> bias = {},
                     std::optional<int> logprobs = std::nullopt, bool logprobsOfDraw = false)
        : seed_(seed),
          bias_(std::move(bias)),
          logprobs_(logprobs),
          logprobsOfDraw_(logprobsOfDraw) {}
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
    bool logprobsOfDraw_;
    std::vector<float> biased_;
    std::vector<float> constrained_;
};

}  // namespace lacuna
