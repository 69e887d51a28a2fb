#pragma once
/// \file
/// Attention Matching of one head (arXiv:2602.16284; docs/attention-matching.md): fewer keys with a
/// bias and refitted values that answer the reference queries as the full head did. Kept keys are
/// not modified. Pure functions.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/matching/key_selection.h"
#include "engine/compress/matching/mass_fit.h"
#include "engine/compress/matching/span_attention.h"
#include "engine/compress/matching/value_fit.h"

namespace lacuna {

/// The defaults suit queries that are a representative sample of future ones.
struct MatchingOptions {
    KeySelector selector = KeySelector::Auto;
    MassFit mass = MassFit::Cluster;
    ValueFitOptions values;
};

struct MatchedHead {
    std::vector<std::int32_t> keep;  ///< slots of the head within the span, ascending
    std::vector<float> bias;         ///< [keep]
    std::vector<float> values;       ///< [keep, valueDim]
    std::vector<float> keys;         ///< [keep, keyDim] if a fit moved the keys; otherwise empty
    std::int64_t queries = 0;
    std::int64_t badSlots = 0;
    bool fitUsed = false;
    double heldOutError = 0;  ///< relative output error on held-out queries
    double logMassError = 0;  ///< mean absolute error of the log mass on the reference queries
    double selectMs = 0, fitMs = 0;
};

/// Compacts slots [first, last) of a head to at most `target`. A target that is no smaller than the
/// span returns it unchanged. Errors: NoMemory, KvNonFinite, InvalidArgument (no queries, no
/// target).
[[nodiscard]] Result<MatchedHead> matchHead(const HeadSpan& span, int target,
                                            const MatchingOptions& options);

// Building blocks of matchHead, for fits too slow for a conversation (app/bench/slow_fit.h).

/// Selected keys with the biases and values fitted to them.
struct FittedHead {
    KeySelection chosen;  ///< empty if no key is usable
    std::vector<float> bias = {};
    FittedValues values = {};
    std::vector<float> keys = {};             ///< keys after the fit; empty if they did not move
    std::optional<double> logMassError = {};  ///< set if the keys moved
    std::int64_t selectedNs = 0;              ///< time at which the selection was finished
};
using HeadFit = std::function<Result<FittedHead>(SpanAttention& attention)>;
/// Like matchHead, with another fit. Errors: those of matchHead and of `fit`.
[[nodiscard]] Result<MatchedHead> matchHeadBy(const HeadSpan& span, int target, SpanRows rows,
                                              const HeadFit& fit);
/// Returns the absolute biases of the selected keys.
using MassOf = std::function<std::vector<float>(const SpanAttention&, const KeySelection&)>;
/// Returns true if there are few keys and enough queries to validate every step.
[[nodiscard]] bool fewKeys(const SpanAttention& span, int target);
/// Selects keys with the given selector, including Answers. Errors: NoMemory.
[[nodiscard]] Result<KeySelection> chooseKeys(SpanAttention& span, KeySelector selector,
                                              int target);
/// Fits biases and values to the selected keys. Errors: NoMemory.
[[nodiscard]] Result<FittedHead> fitChosen(SpanAttention& span, KeySelection chosen,
                                           const MassOf& mass, const ValueFitOptions& values);
/// Fits a few keys: selects them by a pursuit of answers, or by coverage if that answers held-out
/// queries clearly better. Errors: NoMemory.
[[nodiscard]] Result<FittedHead> bestOfFew(SpanAttention& span, int target, const MassOf& mass,
                                           const ValueFitOptions& values);

}  // namespace lacuna
