#pragma once
/// \file
/// Attention matching of one head without a time limit, and with the fit of the paper's reference
/// implementation; too slow or of no use for conversations, compared by fit-head
/// (docs/attention-matching.md). Pure function on one thread.

#include <optional>

#include "app/bench/matching_pursuit.h"
#include "engine/base/result.h"
#include "engine/compress/matching/attention_matching.h"

namespace lacuna {

/// Effort of a fit.
enum class FitEffort {
    Live,      ///< tens of milliseconds, as in a conversation
    Thorough,  ///< seconds; also fits biases and values (thorough_fit.h)
    Moved      ///< seconds; also moves keys (moved_keys.h)
};

struct SlowFitOptions {
    MatchingOptions matching = {};
    /// Levels above Live take effect only with the selector Auto and the default mass and value
    /// fits of `matching`.
    FitEffort effort = FitEffort::Live;
    int pursuit = 0;  ///< keys per step of a matching pursuit; 0: use the selector of `matching`
    /// If set, fits masses by bounded least squares instead of the fit in `matching`.
    std::optional<MassBounds> bounded = std::nullopt;
};

/// Like matchHead; same errors.
[[nodiscard]] Result<MatchedHead> matchHeadSlowly(const HeadSpan& span, int target,
                                                  const SlowFitOptions& options);

}  // namespace lacuna
