#pragma once
/// \file
/// How fast answers are written with a cache of other settings: tokens are decoded after the same
/// text with it and with the whole cache in turn, round by round, so that what else the machine
/// does meets both. Runs on the calling thread.

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
    int context = 0;  ///< tokens read before the first round; 0: no speed is measured
    int rounds = 7;
    int tokens = 16;  ///< decoded in a round with each of the two
};

class DecodeSpeedRun {
  public:
    /// `text` holds the context, then tokens to feed: the rounds feed the same ones.
    /// @pre text.size() >= measure.context + measure.tokens
    DecodeSpeedRun(std::vector<TokenId> text, SpeedMeasure measure);

    /// Reads the text with the whole cache, unless it is read, and with the other; a round that is
    /// not counted comes first. Errors: as readTrial, makeWholeCache and Transformer::forward.
    [[nodiscard]] Result<DecodeSpeed> measure(const TrialMeans& means,
                                              const ShadowSetting& setting);
    /// Gives the whole cache back; the next measurement reads the text again.
    void letGo() { whole_.reset(); }

  private:
    [[nodiscard]] Result<double> secondsOfRound(const TrialMeans& means, KvCache& cache) const;

    const std::vector<TokenId> text_;
    const SpeedMeasure measure_;
    const SteadyClock clock_;
    std::unique_ptr<KvCache> whole_;
};

}  // namespace lacuna
