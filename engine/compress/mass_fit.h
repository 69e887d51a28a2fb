#pragma once
/// \file
/// The bias of each kept key, so that the kept keys draw together the attention all keys drew
/// (docs/attention-matching.md, "Mass"). Pure functions.

#include <vector>

#include "engine/compress/key_selection.h"
#include "engine/compress/span_attention.h"

namespace lacuna {

enum class MassFit {
    None,          ///< bias as before
    Shift,         ///< one number for all
    Redistribute,  ///< the lost mass in equal parts
    Cluster        ///< the mass of the slots a key stands in for; exact for copies
};

/// [kept] new absolute bias. The uniform shift that removes the mean error of the mass follows
/// every fit but None. When every usable slot is kept: the bias before, exactly.
[[nodiscard]] std::vector<float> fitMass(const SpanAttention& span, const KeySelection& chosen,
                                         MassFit fit);
/// Whether every usable slot is kept.
[[nodiscard]] bool allKept(const SpanAttention& span, const KeySelection& chosen);

/// Biases shifted alike, so that over the queries no log mass is missing in the mean, or as far as
/// the largest of them may go.
[[nodiscard]] std::vector<float> levelled(const SpanAttention& span, const KeySelection& chosen,
                                          std::vector<float> bias);

/// Mean over queries, weighted, of |log mass of the kept keys - log mass of all|.
[[nodiscard]] double logMassError(const SpanAttention& span, const KeySelection& chosen,
                                  const std::vector<float>& bias);

}  // namespace lacuna
