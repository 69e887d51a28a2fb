#pragma once
/// \file
/// Which ratio keeps the limit on the loss: the one that is asked for where it does, else the first
/// that does on the way down, else none (docs/quality.md, "A limit on the loss"). The search comes
/// from above because a measurement ends as soon as the limit is exceeded, while one that keeps it
/// takes the whole text. Knows nothing of caches and models. A value; pure functions.

#include <optional>
#include <string>

#include "engine/compress/loss_gauge.h"
#include "engine/kv/kv_options.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// Below it a compaction is not worth what it loses.
inline constexpr double kLeastRatio = 1.25;

/// Calibrated against lost answers (docs/measurements.md, "A limit on the loss"). @pre limit.on()
[[nodiscard]] LossThresholds thresholdsOf(const LossLimit& limit);
/// How much of what may be lost is lost: above 1 the limit is exceeded.
[[nodiscard]] double lossShare(const LossThresholds& limit, const KeptInformation& kept);
/// "balanced", "0.95".
[[nodiscard]] std::string lossLimitText(const LossLimit& limit);

class RatioSearch {
  public:
    /// From `asked` tokens per slot down; a ratio of `least` or less is of no use.
    RatioSearch(const LossLimit& limit, double asked, double least = kLeastRatio);

    /// The ratio to be measured next; nothing: the search is over.
    [[nodiscard]] std::optional<double> next() const;
    /// The limit where the measurement of next() may end as soon as it is exceeded; nothing where
    /// exceeding it would end the search without a ratio, since the complete figures are reported
    /// then. @pre next()
    [[nodiscard]] std::optional<LossThresholds> endsMeasuring() const;
    /// What a compaction to next() keeps.
    void found(const KeptInformation& kept);
    /// The first ratio that keeps the limit, and what it keeps; nothing: none does.
    struct Found {
        double ratio = 0;
        KeptInformation kept;
    };
    [[nodiscard]] const std::optional<Found>& best() const { return best_; }
    /// The smallest ratio that was found to exceed it; nothing: none does.
    [[nodiscard]] const std::optional<Found>& exceeding() const { return exceeding_; }
    [[nodiscard]] bool limited() const { return exceeding_.has_value(); }
    /// Trials made, and those that there may be.
    [[nodiscard]] int trials() const { return trials_; }
    static constexpr int kMostTrials = 16;

  private:
    LossThresholds limit_;
    double asked_ = 0, least_ = 0;
    int trials_ = 0;
    std::optional<Found> best_, exceeding_;
    double power_ = 0;  ///< of the ratio, with which the loss seems to grow
};

/// LimitedByLoss, or LimitNotKept where no ratio keeps the limit; nothing where nothing was
/// limited.
[[nodiscard]] CompactionNotes limitNotes(const RatioSearch& search, const LossLimit& limit,
                                         double asked);

}  // namespace lacuna
