#pragma once
/// \file
/// How far a model with a compacted cache is from itself with the whole one, by its logits:
/// divergence of the next-token distributions and agreement of the likeliest token
/// (docs/quality.md, "Metrics"). In double. Pure functions.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/quality/quality_values.h"

namespace lacuna {

/// Two rows of logits [vocabulary] of the same position.
struct RowDivergence {
    double kl = 0;  ///< sum of p log(p / p'), p of the whole; nats, temperature 1, never below 0
    TokenId wholeTop = 0;  ///< likeliest token of each; the first one where several are
    TokenId otherTop = 0;
    [[nodiscard]] bool sameTop() const { return wholeTop == otherTop; }
};

/// @pre both rows have the same length, at least 1, and only finite numbers
[[nodiscard]] RowDivergence rowDivergence(std::span<const float> whole,
                                          std::span<const float> other);
/// The likeliest token of a row, the first one where several are. @pre not empty
[[nodiscard]] TokenId topToken(std::span<const float> logits);

/// -log softmax(logits)[token], summed in f64. @pre 0 <= token < logits.size()
[[nodiscard]] double negativeLogLikelihood(std::span<const float> logits, TokenId token);

/// `kl` of each position, in any order; `sameTop` of them agreed. Quantiles by nearest rank.
[[nodiscard]] DivergenceFigures divergenceFigures(std::vector<double> kl, std::int64_t sameTop);

}  // namespace lacuna
