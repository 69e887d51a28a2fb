#pragma once
/// \file
/// Biases of the kept keys, such that together they receive the attention of all keys
/// (docs/attention-matching.md, "Mass"). Pure functions.

#include <vector>

#include "engine/compress/matching/key_selection.h"
#include "engine/compress/matching/span_attention.h"

namespace lacuna {

enum class MassFit {
    None,          ///< unchanged bias
    Shift,         ///< one number for all keys
    Redistribute,  ///< distributes the lost mass evenly
    Cluster        ///< mass of the slots that a key represents; exact for copies
};

/// [kept] new absolute bias. Every fit but None ends with the uniform shift that removes the mean
/// error of the mass. If every usable slot is kept, exactly the previous bias.
[[nodiscard]] std::vector<float> fitMass(const SpanAttention& span, const KeySelection& chosen,
                                         MassFit fit);
/// Returns true if every usable slot is kept.
[[nodiscard]] bool allKept(const SpanAttention& span, const KeySelection& chosen);

/// Shifts all biases equally, so that the mean error of the log mass over the queries is 0, or as
/// far as the largest bias permits.
[[nodiscard]] std::vector<float> levelled(const SpanAttention& span, const KeySelection& chosen,
                                          std::vector<float> bias);

/// Mean over queries, weighted, of |log mass of the kept keys - log mass of all|.
[[nodiscard]] double logMassError(const SpanAttention& span, const KeySelection& chosen,
                                  const std::vector<float>& bias);

}  // namespace lacuna
