#pragma once
/// \file
/// Attention Matching of one head (arXiv 2602.16284; docs/attention-matching.md): fewer keys with a
/// bias and refitted values that answer reference queries as the whole did. Keys stay bit for bit
/// unless they are asked to move. Pure functions.

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/key_selection.h"
#include "engine/compress/mass_fit.h"
#include "engine/compress/span_attention.h"
#include "engine/compress/value_fit.h"

namespace lacuna {

/// What a fit may take its time for.
enum class FitEffort {
    Live,      ///< hundredths of a second: a conversation waits for it
    Thorough,  ///< seconds; biases are fitted as well as values (thorough_fit.h)
    Moved      ///< seconds; keys move as well (moved_keys.h)
};

/// The defaults suit queries that are fair samples of those to come.
struct MatchingOptions {
    KeySelector selector = KeySelector::Auto;
    MassFit mass = MassFit::Cluster;
    ValueFitOptions values;
    MassBounds bounds = {};  ///< of MassFit::Nnls
    /// More than Live with the selector Auto, and masses and values as above.
    FitEffort effort = FitEffort::Live;
};

struct MatchedHead {
    std::vector<std::int32_t> keep;  ///< slots of the head within the span, ascending
    std::vector<float> bias;         ///< [keep]
    std::vector<float> values;       ///< [keep, valueDim]
    std::vector<float> keys;         ///< [keep, keyDim] where they moved; else empty: as they were
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

}  // namespace lacuna
