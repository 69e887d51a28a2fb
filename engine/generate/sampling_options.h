#pragma once
/// \file
/// How the next token is drawn. Neutral values switch a stage off. Plain data.
/// Order of stages: the request's biases, its grammar, penalties, top-k, top-p, min-p, temperature,
/// draw. Temperature 0 is greedy: the largest logit, lowest id on ties, truncation stages ignored.

#include <cstdint>
#include <optional>

namespace lacuna {

struct SamplingOptions {
    double temperature = 0.8;  ///< [0, 5]; 0 = greedy
    int topK = 40;             ///< [0, 1000000]; 0 = off
    double topP = 0.95;        ///< (0, 1]; 1 = off; keeps the token that crosses the threshold
    double minP = 0.05;  ///< [0, 1]; 0 = off; share of the largest probability (arXiv 2407.01082)
    double repeatPenalty = 1.0;  ///< (0, 10]; 1 = off; positive logits divided, negative multiplied
    int repeatLastN = 64;        ///< tokens the penalty looks back; 0 = off
    double presencePenalty = 0;  ///< [-2, 2]; 0 = off; off the logit of each token of the answer
    double frequencyPenalty = 0;        ///< [-2, 2]; 0 = off; the same for each time it came
    std::optional<std::uint64_t> seed;  ///< none: drawn at random and reported
    friend bool operator==(const SamplingOptions&, const SamplingOptions&) = default;
};

}  // namespace lacuna
