#pragma once
/// \file
/// Attention Matching of one head (arXiv 2602.16284; docs/attention-matching.md): fewer keys with a
/// bias and refitted values that answer reference queries as the whole did. Keys stay bit for bit.
/// Pure functions.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/key_selection.h"
#include "engine/compress/mass_fit.h"
#include "engine/compress/span_attention.h"
#include "engine/compress/value_fit.h"

namespace lacuna {

/// The defaults suit queries that are fair samples of those to come.
struct MatchingOptions {
    KeySelector selector = KeySelector::Auto;
    MassFit mass = MassFit::Cluster;
    ValueFitOptions values;
};

struct MatchedHead {
    std::vector<std::int32_t> keep;  ///< slots of the head within the span, ascending
    std::vector<float> bias;         ///< [keep]
    std::vector<float> values;       ///< [keep, valueDim]
    std::vector<float> keys;         ///< [keep, keyDim] where a fit moved them; else empty
    std::int64_t queries = 0;
    std::int64_t badSlots = 0;
    bool fitUsed = false;
    double heldOutError = 0;  ///< relative output error on queries kept out of the fit
    double logMassError = 0;  ///< mean absolute error of the log mass on the reference queries
    double selectMs = 0, fitMs = 0;
};

/// Compacts slots [first, last) of a head to at most `target`. A target that is no smaller than the
/// span returns it unchanged. Errors: NoMemory, KvNonFinite, InvalidArgument (no queries, no
/// target).
[[nodiscard]] Result<MatchedHead> matchHead(const HeadSpan& span, int target,
                                            const MatchingOptions& options);

// The parts of it, for fits that take longer than a conversation waits (app/bench/slow_fit.h).

/// Keys with all that is fitted to them.
struct FittedHead {
    KeySelection chosen;  ///< no slot: no key is usable
    std::vector<float> bias = {};
    FittedValues values = {};
    std::vector<float> keys = {};             ///< where they moved
    std::optional<double> logMassError = {};  ///< of keys that moved
    std::int64_t selectedNs = 0;              ///< when the choice was made
};
using HeadFit = std::function<Result<FittedHead>(SpanAttention& attention)>;
/// As matchHead, with another fit. Errors: those of matchHead and of `fit`.
[[nodiscard]] Result<MatchedHead> matchHeadBy(const HeadSpan& span, int target, SpanRows rows,
                                              const HeadFit& fit);
/// Absolute biases of the keys that were chosen.
using MassOf = std::function<std::vector<float>(const SpanAttention&, const KeySelection&)>;
/// Few keys, and queries enough to judge every step by.
[[nodiscard]] bool fewKeys(const SpanAttention& span, int target);
/// Keys by an order, Answers among them. Errors: NoMemory.
[[nodiscard]] Result<KeySelection> chooseKeys(SpanAttention& span, KeySelector selector,
                                              int target);
/// Biases and values for keys that were chosen. Errors: NoMemory.
[[nodiscard]] Result<FittedHead> fitChosen(SpanAttention& span, KeySelection chosen,
                                           const MassOf& mass, const ValueFitOptions& values);
/// Few keys by a pursuit of answers, or by coverage where that answers held-out queries clearly
/// better. Errors: NoMemory.
[[nodiscard]] Result<FittedHead> bestOfFew(SpanAttention& span, int target, const MassOf& mass,
                                           const ValueFitOptions& values);

}  // namespace lacuna
