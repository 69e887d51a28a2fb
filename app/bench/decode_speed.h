#pragma once
/// \file
/// Measures decoding speed with a cache of other settings. The same tokens are decoded after the
/// same text with this cache and the full cache, alternating by rounds, so that other load on the
/// machine affects both. Runs on the calling thread.

#include <memory>
#include <optional>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/quality/quality_values.h"
#include "engine/quality/table_values.h"
#include "engine/quality/trial_cache.h"

namespace lacuna {

struct SpeedMeasure {
    int context = 0;  ///< tokens read before the first round; 0: speed is not measured
    int rounds = 7;
    int tokens = 16;  ///< tokens decoded per round with each cache
};

class DecodeSpeedRun {
  public:
    /// `text` holds the context followed by the tokens to feed; all rounds feed the same tokens.
    /// @pre text.size() >= measure.context + measure.tokens
    DecodeSpeedRun(std::vector<TokenId> text, SpeedMeasure measure);

    /// Reads the text with this cache, and with the full one unless it was read before, then runs
    /// the rounds after a warm-up round. Errors: as readTrial, makeFullCache and
    /// Transformer::forward.
    [[nodiscard]] Result<DecodeSpeed> measure(const TrialDependencies& dependencies,
                                              const ShadowSetting& setting);
    /// Releases the full cache; the next measurement reads the text again.
    void release() { full_.reset(); }

  private:
    [[nodiscard]] Result<double> secondsOfRound(const TrialDependencies& dependencies,
                                                KvCache& cache) const;

    const std::vector<TokenId> text_;
    const SpeedMeasure measure_;
    const SteadyClock clock_;
    std::unique_ptr<KvCache> full_;
};

}  // namespace lacuna
