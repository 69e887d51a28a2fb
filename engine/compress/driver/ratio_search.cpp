#include "engine/compress/driver/ratio_search.h"

#include <algorithm>
#include <cmath>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

// The next ratio is the one at which the loss should meet the limit, within these bounds, if the
// loss is a power of the ratio. The exponent comes from the last two measurements, is at least the
// first and at most the second of these constants, and the first step uses the second. Real losses
// grow about as fast near the limit, so a step seldom skips a ratio within it
// (docs/measurements.md, "The search for a ratio").
constexpr double kLeastPower = 2;
constexpr double kUsualPower = 6;
constexpr double kLeastStep = 1.15;
constexpr double kLargestStep = 2;

}  // namespace

LossThresholds thresholdsOf(const LossLimit& limit) {
    switch (limit.level) {
        case LossLimit::Level::Strict:
            return {.all = 0.9995, .worst = 0.99};
        case LossLimit::Level::Balanced:
            return {.all = 0.998, .worst = 0.975};
        case LossLimit::Level::Share:
            return {.all = limit.share};
        case LossLimit::Level::Off:
            break;
    }
    return {};
}

double lossShare(const LossThresholds& limit, const KeptInformation& kept) {
    constexpr double kNone = 1e-9;  // a limit of 1 permits no loss at all
    double share = (1 - kept.all) / std::max(1 - limit.all, kNone);
    if (limit.worst > 0) share = std::max(share, (1 - kept.worst) / (1 - limit.worst));
    return share;
}

std::string lossLimitText(const LossLimit& limit) {
    if (limit.level == LossLimit::Level::Share) return format("{}", limit.share);
    return std::string(kLossLimitNames[static_cast<std::size_t>(limit.level)]);
}

RatioSearch::RatioSearch(const LossLimit& limit, double asked, double least)
    : limit_(thresholdsOf(limit)), asked_(asked), least_(std::min(least, asked)) {}

std::optional<double> RatioSearch::next() const {
    if (trials_ == 0) return asked_;
    if (best_ || exceeding_->ratio <= least_ || trials_ == kMaxTrials) return std::nullopt;
    if (trials_ == kMaxTrials - 1) return least_;
    const double step = std::pow(lossShare(limit_, exceeding_->kept), 1 / power_);
    return std::max(exceeding_->ratio / std::clamp(step, kLeastStep, kLargestStep), least_);
}

std::optional<LossThresholds> RatioSearch::endsMeasuring() const {
    return *next() <= least_ ? std::nullopt : std::optional(limit_);
}

void RatioSearch::found(const KeptInformation& kept) {
    const Found one{*next(), kept};
    const double share = lossShare(limit_, kept);
    ++trials_;
    if (share <= 1) {
        best_ = one;
        return;
    }
    power_ = kUsualPower;
    if (exceeding_) {
        const double before = lossShare(limit_, exceeding_->kept);
        power_ = std::clamp(std::log(before / share) / std::log(exceeding_->ratio / one.ratio),
                            kLeastPower, kUsualPower);
    }
    exceeding_ = one;
}

CompactionNotes limitNotes(const RatioSearch& search, const LossLimit& limit, double asked) {
    if (!search.limited()) return {};
    if (search.best())
        return {noteOf(CompactionReason::LimitedByLoss, search.best()->ratio, asked,
                       lossLimitText(limit))};
    const RatioSearch::Found& least = *search.exceeding();
    return {noteOf(CompactionReason::LimitNotReached, lossLimitText(limit), least.ratio,
                   100 * least.kept.all, 100 * least.kept.worst)};
}

}  // namespace lacuna
