#pragma once
/// \file
/// Compares the outputs of a compacted head with those of the full one: attention-output error,
/// log-mass error and cosine over given queries (docs/quality.md, "Metrics"). Computed in double.
/// Pure functions.

#include <vector>

#include "engine/tensor/view.h"

namespace lacuna {

/// Keys, values and bias of one head; an empty bias means all 0.
struct AttendedHead {
    View<const float, 2> keys;    ///< [slots, keyDim]
    View<const float, 2> values;  ///< [slots, valueDim]
    std::vector<float> bias;      ///< [slots]; minus infinity masks a slot
};

/// Parameters of the attention scores.
struct HeadScoring {
    double scale = 1;    ///< factor on q . k
    double softCap = 0;  ///< c in c tanh(score / c), applied before the bias is added; 0 for none
    /// Sink scores of the query heads in turn: query i uses sinks[i % size]; empty = none.
    std::vector<float> sinks = {};
};

/// Attention outputs of a head.
struct HeadAnswers {
    std::vector<double> outputs;  ///< [queries, valueDim]
    std::vector<double> logMass;  ///< [queries] log of the sum of exp(score), without sinks
};

/// @pre at least one unmasked slot; queries [n, keyDim]
[[nodiscard]] HeadAnswers headAnswers(const AttendedHead& head, View<const float, 2> queries,
                                      const HeadScoring& scoring);

struct HeadFidelity {
    double outputError = 0;   ///< Frobenius norm of the difference, relative to the full head's
                              ///< outputs
    double logMassError = 0;  ///< mean over queries of the absolute difference in log mass
    double cosine = 0;        ///< cosine similarity of the outputs, mean over queries
};

/// @pre both are for the same queries, at least one
[[nodiscard]] HeadFidelity headFidelity(const HeadAnswers& full, const HeadAnswers& compacted);
/// @pre both heads have slots and the same dimensions; at least one query [n, keyDim]
[[nodiscard]] HeadFidelity headFidelity(const AttendedHead& full, const AttendedHead& compacted,
                                        View<const float, 2> queries, double scale);

}  // namespace lacuna
