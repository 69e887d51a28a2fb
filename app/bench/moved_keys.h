#pragma once
/// \file
/// Optimises kept keys beyond their original positions, together with biases and values
/// (docs/attention-matching.md, "Moving keys"; the idea of KVSculpt, arXiv:2603.27819): L-BFGS
/// on the attention outputs of reference queries and their softmax mass. Works on one head at a
/// time, too slowly for use during a conversation; live caches keep their keys bit for bit. Pure
/// function on one thread with a fixed order of summation.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/matching/key_selection.h"
#include "engine/compress/matching/span_attention.h"
#include "engine/compress/matching/value_fit.h"

namespace lacuna {

/// Start of a search: selected keys and their biases.
struct KeyStart {
    KeySelection chosen;
    std::vector<float> bias;
};
/// Selects the start for the queries of a span whose rows are all present.
using StartChoice = std::function<Result<KeyStart>(SpanAttention& span)>;

struct MovedKeys {
    KeySelection chosen;      ///< slots the keys were selected from
    std::vector<float> keys;  ///< [kept, keyDim]
    std::vector<float> bias;  ///< [kept]
    double logMassError = 0;  ///< mean absolute error of the log mass on the reference queries
    FittedValues values;  ///< its errors are those of held-out queries, each query held out once
};

/// Moves keys from the start and by the step count with the lowest error on held-out queries; for
/// each fold of the queries, selection and search are repeated without it. nullopt if there are too
/// few queries, no key is found, or the cost exceeds kMaxMoves. Errors: NoMemory. @pre all rows of
/// `span` are present
[[nodiscard]] Result<std::optional<MovedKeys>> moveKeys(const HeadSpan& head, SpanAttention& span,
                                                        std::span<const StartChoice> choices,
                                                        const ValueFitOptions& options);

/// Limit of the multiplications per step, queries * keys * (keys + 6 dims), above which keys are
/// not moved.
constexpr double kMaxMoves = 2e9;

}  // namespace lacuna
