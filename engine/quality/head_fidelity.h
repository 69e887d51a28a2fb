#pragma once
/// \file
/// How well a compacted head answers for the whole one: attention-output error, log-mass error and
/// cosine over given queries (algorithms 9). In double. Pure functions.

#include <vector>

#include "engine/tensor/view.h"

namespace lacuna {

/// Keys, values and bias of one head; bias may be empty: all 0.
struct AttendedHead {
    View<const float, 2> keys;    ///< [slots, keyDim]
    View<const float, 2> values;  ///< [slots, valueDim]
    std::vector<float> bias;      ///< [slots]
};

struct HeadFidelity {
    double outputError = 0;   ///< Frobenius norm of the difference, relative to the whole's outputs
    double logMassError = 0;  ///< mean over queries of |log mass - log mass of the whole|
    double cosine = 0;        ///< mean over queries, of the outputs
};

/// @pre both heads have slots and the same dimensions; at least one query [n, keyDim]
[[nodiscard]] HeadFidelity headFidelity(const AttendedHead& whole, const AttendedHead& compacted,
                                        View<const float, 2> queries, double scale);

}  // namespace lacuna
