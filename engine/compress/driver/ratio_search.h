#pragma once
/// \file
/// Searches for a ratio within the loss limit: the requested one if it is within the limit,
/// otherwise the first smaller one that is, otherwise none (docs/quality.md, "A limit on the
/// loss"). The search starts from above because a measurement stops early once the limit is
/// exceeded, while a ratio within the limit needs the full text. Independent of caches and models.
/// A value; pure functions.

#include <optional>
#include <string>

#include "engine/compress/driver/loss_gauge.h"
#include "engine/kv/kv_options.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// Smallest ratio at which a compaction is worth its loss.
inline constexpr double kMinRatio = 1.25;

/// Calibrated against lost answers (docs/measurements.md, "A limit on the loss"). @pre limit.on()
[[nodiscard]] LossThresholds thresholdsOf(const LossLimit& limit);
/// Used share of the permitted loss; above 1 the limit is exceeded.
[[nodiscard]] double lossShare(const LossThresholds& limit, const KeptInformation& kept);
/// Returns "balanced", "0.95" and the like.
[[nodiscard]] std::string lossLimitText(const LossLimit& limit);

class RatioSearch {
  public:
    /// Searches downwards from `asked` tokens per slot; a ratio of `least` or less is useless.
    RatioSearch(const LossLimit& limit, double asked, double least = kMinRatio);

    /// Next ratio to be measured; nullopt when the search is over.
    [[nodiscard]] std::optional<double> next() const;
    /// Limit at which the measurement of next() may stop. Nullopt if exceeding it ends the search
    /// without a ratio, because the complete figures are then reported. @pre next()
    [[nodiscard]] std::optional<LossThresholds> endsMeasuring() const;
    /// Records what a compaction to next() keeps.
    void found(const KeptInformation& kept);
    /// First ratio within the limit and what it keeps; nullopt if there is none.
    struct Found {
        double ratio = 0;
        KeptInformation kept;
    };
    [[nodiscard]] const std::optional<Found>& best() const { return best_; }
    /// The smallest ratio found to exceed the limit; nullopt if there is none.
    [[nodiscard]] const std::optional<Found>& exceeding() const { return exceeding_; }
    [[nodiscard]] bool limited() const { return exceeding_.has_value(); }
    /// Number of trials made, and the maximum.
    [[nodiscard]] int trials() const { return trials_; }
    static constexpr int kMaxTrials = 16;

  private:
    LossThresholds limit_;
    double asked_ = 0, least_ = 0;
    int trials_ = 0;
    std::optional<Found> best_, exceeding_;
    double power_ = 0;  ///< estimated exponent of the loss as a function of the ratio
};

/// LimitedByLoss, or LimitNotReached if no ratio is within the limit; empty if nothing was limited.
[[nodiscard]] CompactionNotes limitNotes(const RatioSearch& search, const LossLimit& limit,
                                         double asked);

}  // namespace lacuna
