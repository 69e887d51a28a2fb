#pragma once
/// \file
/// Attention matching of one head for as much time as it takes, and as the reference of the paper
/// fits it: what a conversation cannot wait for, or has no use for, and fit-head compares with
/// (docs/attention-matching.md). Pure function on one thread.

#include <optional>

#include "app/bench/matching_pursuit.h"
#include "engine/base/result.h"
#include "engine/compress/attention_matching.h"

namespace lacuna {

/// What a fit may take its time for.
enum class FitEffort {
    Live,      ///< hundredths of a second: that of a conversation
    Thorough,  ///< seconds; biases are fitted as well as values (thorough_fit.h)
    Moved      ///< seconds; keys move as well (moved_keys.h)
};

struct SlowFitOptions {
    MatchingOptions matching = {};
    /// More than Live with the selector Auto and the masses and values that `matching` begins with.
    FitEffort effort = FitEffort::Live;
    int pursuit = 0;  ///< keys that a matching pursuit takes at once; 0: `matching` has the
                      ///< selector
    /// Masses by bounded least squares, in place of those of `matching`.
    std::optional<MassBounds> bounded = std::nullopt;
};

/// As matchHead. Errors: those of matchHead.
[[nodiscard]] Result<MatchedHead> matchHeadSlowly(const HeadSpan& span, int target,
                                                  const SlowFitOptions& options);

}  // namespace lacuna
