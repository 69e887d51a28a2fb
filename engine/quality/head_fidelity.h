#pragma once
/// \file
/// How well a compacted head answers for the whole one: attention-output error, log-mass error and
/// cosine over given queries (docs/quality.md, "Metrics"). In double. Pure functions.

#include <vector>

#include "engine/tensor/view.h"

namespace lacuna {

/// Keys, values and bias of one head; bias may be empty: all 0.
struct AttendedHead {
    View<const float, 2> keys;    ///< [slots, keyDim]
    View<const float, 2> values;  ///< [slots, valueDim]
    std::vector<float> bias;      ///< [slots]; minus infinity: a slot nobody sees
};

/// How a head scores its slots.
struct HeadScoring {
    double scale = 1;    ///< on q . k
    double softCap = 0;  ///< c: c tanh(score / c), before the bias is added; 0: none
    /// Scores of the sinks of the query heads, in turn: query i has sinks[i % size]; empty: none.
    std::vector<float> sinks = {};
};

/// What a head says to queries.
struct HeadAnswers {
    std::vector<double> outputs;  ///< [queries, valueDim]
    std::vector<double> logMass;  ///< [queries] log of the sum of exp(score), sinks apart
};

/// @pre at least one slot that is seen; queries [n, keyDim]
[[nodiscard]] HeadAnswers headAnswers(const AttendedHead& head, View<const float, 2> queries,
                                      const HeadScoring& scoring);

struct HeadFidelity {
    double outputError = 0;   ///< Frobenius norm of the difference, relative to the whole's outputs
    double logMassError = 0;  ///< mean over queries of |log mass - log mass of the whole|
    double cosine = 0;        ///< mean over queries, of the outputs
};

/// @pre answers to the same queries, at least one
[[nodiscard]] HeadFidelity headFidelity(const HeadAnswers& whole, const HeadAnswers& compacted);
/// @pre both heads have slots and the same dimensions; at least one query [n, keyDim]
[[nodiscard]] HeadFidelity headFidelity(const AttendedHead& whole, const AttendedHead& compacted,
                                        View<const float, 2> queries, double scale);

}  // namespace lacuna
