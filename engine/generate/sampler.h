#pragma once
/// \file
/// Samples a token from logits: stages, each a pure function of its arguments, and the chain of
/// them. Probabilities are computed in double. Candidates are always ordered by descending logit,
/// lower id on ties, so that equal logits give equal draws on every machine.

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

/// Returns the id of the largest logit, the lowest id on ties. @pre not empty
[[nodiscard]] TokenId argmax(std::span<const float> logits);
/// Applies the repetition penalty once to each distinct token of `recent`: positive logits are
/// divided, negative multiplied (arXiv:1909.05858). Ids outside the vocabulary are ignored.
void penaliseRepeats(std::span<float> logits, std::span<const TokenId> recent, double penalty);
/// Adds each bias to its logit; AnswerRules::kForbid makes it minus infinity.
/// @pre tokens within the vocabulary
void addBiases(std::span<float> logits, std::span<const LogitBias> biases);
/// For each token of `answer`, subtracts `presence` once and `frequency` per occurrence. Ids
/// outside the vocabulary are ignored.
void penaliseAnswer(std::span<float> logits, std::span<const TokenId> answer, double presence,
                    double frequency);
/// Returns the `count` largest in order, or all if there are fewer. O(vocabulary) for small counts.
[[nodiscard]] std::vector<Candidate> largest(std::span<const float> logits, std::size_t count);
/// Returns the probabilities of ordered candidates at a temperature > 0; their sum is 1.
[[nodiscard]] std::vector<double> probabilities(std::span<const Candidate> ordered,
                                                double temperature);
/// Returns the smallest number of leading probabilities whose sum reaches `threshold`; at least 1,
/// and all if the sum never reaches it.
[[nodiscard]] std::size_t nucleusSize(std::span<const double> ordered, double threshold);
/// Returns the number of leading probabilities that are at least `share` of the first; at least 1.
[[nodiscard]] std::size_t minPSize(std::span<const double> ordered, double share);
/// Returns the index whose cumulative interval contains `uniform` in [0, 1).
[[nodiscard]] std::size_t drawIndex(std::span<const double> ordered, double uniform);

/// Errors: InvalidArgument (a bias out of range, outside the vocabulary or duplicate; too many
/// probabilities), naming the value and the limit.
[[nodiscard]] Status checkRules(const AnswerRules& rules, int vocabulary);

/// Returns the log-probabilities of `drawn` and of the `top` most likely tokens, without their
/// texts. @pre logits not empty, `drawn` within
[[nodiscard]] TokenLogprobs modelLogprobs(std::span<const float> logits, TokenId drawn, int top);
/// Like modelLogprobs(), over the candidates of a draw: `probabilities` are their probabilities,
/// `drawn` is an index.
[[nodiscard]] TokenLogprobs drawLogprobs(std::span<const Candidate> ordered,
                                         std::span<const double> probabilities, std::size_t drawn,
                                         int top);

/// State of an answer when its next token is sampled.
struct SamplingState {
    /// Prompt and answer so far; the repetition penalty uses its end.
    std::span<const TokenId> history;
    /// Number of tokens at the end of `history` that are the answer, and index of this draw.
    /// Presence and frequency penalties only consider these.
    std::int64_t answered = 0;
    TokenConstraint* constraint = nullptr;  ///< null if every token is allowed
};

struct Drawn {
    TokenId token = 0;
    std::optional<TokenLogprobs> logprobs;  ///< if the rules request them
};

/// Chain from logits to a token: biases, constraint, penalties, top-k, top-p, min-p, temperature,
/// draw. Draw i of a turn depends only on the seed and i, so answers are reproducible. Owned by one
/// thread; keeps scratch memory.
class Sampler {
  public:
    explicit Sampler(std::uint64_t seed, std::vector<LogitBias> bias = {},
                     std::optional<int> logprobs = std::nullopt, bool logprobsOfDraw = false)
        : seed_(seed),
          bias_(std::move(bias)),
          logprobs_(logprobs),
          logprobsOfDraw_(logprobsOfDraw) {}
    /// Samples a token from `logits` [vocabulary] without advancing the constraint. Errors:
    /// Unsupported if biases and constraint leave no token. @pre logits not empty
    [[nodiscard]] Result<Drawn> draw(std::span<const float> logits, const SamplingState& place,
                                     const SamplingOptions& options);
    /// Returns the candidates after all truncation stages, in order and with the logits used for
    /// sampling. At temperature 0 that is only the most likely one. Errors and @pre as draw.
    [[nodiscard]] Result<std::vector<Candidate>> candidates(std::span<const float> logits,
                                                            const SamplingState& place,
                                                            const SamplingOptions& options);

  private:
    /// Returns the logits after the request's biases; the unchanged argument if there are none.
    [[nodiscard]] std::span<const float> biased(std::span<const float> logits);
    [[nodiscard]] Result<std::span<const float>> constrained(std::span<const float> logits,
                                                             const SamplingState& place,
                                                             const SamplingOptions& options);
    [[nodiscard]] Result<std::vector<Candidate>> candidatesOf(std::span<const float> biased,
                                                              const SamplingState& place,
                                                              const SamplingOptions& options);

    std::uint64_t seed_;
    std::vector<LogitBias> bias_;
    std::optional<int> logprobs_;
    bool logprobsOfDraw_;
    std::vector<float> biased_;
    std::vector<float> constrained_;
};

}  // namespace lacuna
