#pragma once
/// \file
/// Compares the logits of a model with a compacted cache to those with the full cache: divergence
/// of the next-token distributions and agreement of the top token (docs/quality.md, "Metrics").
/// Computed in double. Pure functions.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/quality/quality_values.h"

namespace lacuna {

/// Two rows of logits [vocabulary] at the same position.
struct RowDivergence {
    double kl = 0;  ///< sum of p log(p / p') at temperature 1, with p of the full cache; nats,
                    ///< never below 0
    TokenId fullTop = 0;  ///< top token of each; the first one of a tie
    TokenId otherTop = 0;
    [[nodiscard]] bool sameTop() const { return fullTop == otherTop; }
};

/// @pre both rows have the same length, at least 1, and only finite numbers
[[nodiscard]] RowDivergence rowDivergence(std::span<const float> full,
                                          std::span<const float> other);
/// Returns the top token of a row, the first one of a tie. @pre not empty
[[nodiscard]] TokenId topToken(std::span<const float> logits);

/// -log softmax(logits)[token], summed in f64. @pre 0 <= token < logits.size()
[[nodiscard]] double negativeLogLikelihood(std::span<const float> logits, TokenId token);

/// `kl` holds one value per position, in any order; `sameTop` is the number of positions that
/// agree. Quantiles by nearest rank.
[[nodiscard]] DivergenceFigures divergenceFigures(std::vector<double> kl, std::int64_t sameTop);

}  // namespace lacuna
