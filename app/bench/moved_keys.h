#pragma once
/// \file
/// Kept keys moved off the places they were found at, with biases and values that follow
/// (docs/attention-matching.md, "Keys that move"; the idea of KVSculpt, arXiv 2603.27819): L-BFGS
/// on what reference queries are answered and on the mass that they see. For one head at a time; a
/// conversation does not wait for it, and its kept keys stay bit for bit. Pure function on one
/// thread with one fixed order of sums.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/key_selection.h"
#include "engine/compress/span_attention.h"
#include "engine/compress/value_fit.h"

namespace lacuna {

/// Where a search begins: keys that some queries chose, and their biases.
struct KeyStart {
    KeySelection chosen;
    std::vector<float> bias;
};
/// Chooses them for the queries of a span, whose rows are all there.
using StartChoice = std::function<Result<KeyStart>(SpanAttention& span)>;

struct MovedKeys {
    KeySelection chosen;      ///< slots that the keys were found at
    std::vector<float> keys;  ///< [kept, keyDim]
    std::vector<float> bias;  ///< [kept]
    double logMassError = 0;  ///< mean absolute error of the log mass on the reference queries
    FittedValues values;      ///< its errors are those of held-out queries, every query once
};

/// Moves the keys of that choice, and as far, as answers queries best which neither the choice nor
/// the search had seen: both are made again without each fold of the queries. Nothing where there
/// are too few queries to judge by, a choice finds no key, or the work passes what one head may
/// take (kMostMoves). Errors: NoMemory. @pre all rows of `span` are there
[[nodiscard]] Result<std::optional<MovedKeys>> moveKeys(const HeadSpan& head, SpanAttention& span,
                                                        std::span<const StartChoice> choices,
                                                        const ValueFitOptions& options);

/// Multiplications of one step, queries * keys * (keys + 6 dims), up to which keys move.
constexpr double kMostMoves = 2e9;

}  // namespace lacuna
