#pragma once
/// \file
/// Stages between logits and a token, each a pure function on its arguments. Arithmetic on
/// probabilities is in f64. Candidates are always ordered: larger logit first, lower id on ties, so
/// that equal logits give equal draws on every machine.

#include <cstddef>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/generate/answer_rules.h"

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

}  // namespace lacuna
